"""When Python looks for garbage in cycles: not while an answer is made, and not among what lasts.

It stops every thread while it looks at all objects there are, modules of the window and the kernels included: 60 to
150 ms were measured, several times what an answer takes. Answers have so many objects that every other one would make
it look. What a capture leaves behind when it is closed holds hundreds of MiB in cycles: it must be found.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar
from weakref import WeakSet

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


class _Aside:
    """Of the process."""

    on = False
    """There is something that is not looked at."""
    closed: ClassVar[WeakSet[object]] = WeakSet()
    """What was closed and is not gone."""
    closes = 0
    """How often something was closed."""
    in_vain: tuple[int, int] | None = None
    """The last attempt that got nowhere: how often something had been closed, and how much of it was in use."""


def set_aside(*, anew: bool = False, patiently: bool = False) -> None:
    """What there is now is not looked at any more, until `take_back`: modules, windows, what a capture begins with.

    Does nothing while something that was closed is yet in use: try again later. Takes no time the first time, then that
    of a full collection, as what was closed must not be set aside. `anew`: also what was made since the last time.
    `patiently`: not again before something of what was in use the last time has gone.
    """
    if anew:
        with _LOCK:
            if _Aside.on:
                # Nothing was closed since.
                gc.freeze()
    while not _Aside.on:
        closes, waiting = _Aside.closes, len(_Aside.closed)
        if patiently and waiting and (closes, waiting) == _Aside.in_vain:
            return
        if closes:
            gc.collect()
        if not waiting:
            with _LOCK:
                if closes == _Aside.closes:
                    gc.freeze()
                    _Aside.on = True
        elif len(_Aside.closed) == waiting:
            _Aside.in_vain = closes, waiting
            return
        # What went meanwhile may have left something that the next collection finds.


def take_back(closed: object) -> None:
    """All is looked at again, because something large was closed that others may hold for a while."""
    with _LOCK:
        _Aside.closes += 1
        _Aside.closed.add(closed)
        _Aside.on = False
        gc.unfreeze()
