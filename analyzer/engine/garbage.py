"""When Python looks for garbage in cycles: not while an answer is made, and never among what lasts anyway.

It stops every thread while it looks at all objects there are, modules of the kernels included: 60 to 150 ms were
measured, several times what an answer takes. Answers have so many objects that every other one would make it look.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.Lock()


class _Pauses:
    """Of the process."""

    count = 0
    """How many callers want no collection now."""
    was_on = True


@contextmanager
def no_collection() -> Iterator[None]:
    """Nothing is collected meanwhile, in any thread; for tens of milliseconds. May be nested."""
    with _LOCK:
        if not _Pauses.count:
            _Pauses.was_on = gc.isenabled()
            gc.disable()
        _Pauses.count += 1
    try:
        yield
    finally:
        with _LOCK:
            _Pauses.count -= 1
            if not _Pauses.count and _Pauses.was_on:
                gc.enable()


@contextmanager
def lasting() -> Iterator[None]:
    """What there is at the end, with all that was made meanwhile, lasts as long as the process and is not looked at.

    For the modules of the kernels, once. Of what is there besides, a part is only freed when nothing refers to it.
    """
    with no_collection():
        yield
        gc.freeze()
