"""Virtual time: events in the order of their time, and of their scheduling where the times are equal."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

MILLISECOND = 1_000_000
TICK = 20 * MILLISECOND


class Clock:
    """Nanoseconds since the world began."""

    def __init__(self) -> None:
        self.now = 0
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        self._order = count()

    def after(self, delay: int, event: Callable[[], None]) -> None:
        """Call `event` in `delay` nanoseconds."""
        heapq.heappush(self._events, (self.now + delay, next(self._order), event))

    def run(self, duration: int) -> None:
        """Let `duration` nanoseconds pass."""
        end = self.now + duration
        while self._events and self._events[0][0] <= end:
            self.now, _, event = heapq.heappop(self._events)
            event()
        self.now = end
