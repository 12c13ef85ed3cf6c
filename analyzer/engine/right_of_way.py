"""A processor for whoever a person waits for, while it works: decoding beside it takes one less meanwhile.

Systems share processors fairly, some milliseconds each in turn. A window that needs eight of them for new rows would
wait for as many again behind threads that decode, and a person who scrolls sees that. So does an answer to a click.
"""

from __future__ import annotations

import os
import threading
import time
from types import TracebackType

LOOK_S = 0.002
"""So often work that waits looks again, should nobody have told it."""


def processors() -> int:
    """Those this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class RightOfWay:
    """Enter it around a stretch of work of a few milliseconds. All may work at once unless somebody has taken it."""

    def __init__(self, count: int) -> None:
        """`count`: processors there are. With one, decoding and window share it as the system likes."""
        self._beside = max(1, count - 1)
        """Stretches at once while somebody has it."""
        self._holders: set[object] = set()
        self._working = 0
        self._changed = threading.Condition()

    def take(self, holder: object) -> None:
        """Somebody that a person waits for begins to work, or goes on. It waits for nothing."""
        self._holders.add(holder)

    def give_back(self, holder: object) -> None:
        """It has nothing to do now."""
        self._holders.discard(holder)
        if self._changed.acquire(blocking=False):
            self._changed.notify_all()
            self._changed.release()

    def wait(self, seconds: float) -> bool:
        """Wait until nobody has it, so long at most: for long work that could as well begin a little later.

        False: somebody still has it.
        """
        with self._changed:
            end = time.monotonic() + seconds
            while self._holders and (left := end - time.monotonic()) > 0:
                self._changed.wait(min(LOOK_S, left))
            return not self._holders

    def __enter__(self) -> None:
        with self._changed:
            while self._holders and self._working >= self._beside:
                self._changed.wait(LOOK_S)
            self._working += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changed:
            self._working -= 1
            self._changed.notify()


RIGHT_OF_WAY = RightOfWay(processors())
"""Of this process."""
