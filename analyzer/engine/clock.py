"""The capture's own clock: the latest time of any frame so far. It never goes back, whatever the file's times do."""

from __future__ import annotations

from array import array
from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

from analyzer.store.columns import Table

BATCH_FRAMES = 4096
"""Batches together that have fewer: a capture that is followed comes in hundreds of thousands of them an hour."""


class Clock:
    """Advanced batch by batch; answers for any earlier frame as if it had been advanced frame by frame."""

    def __init__(self, together: int = BATCH_FRAMES) -> None:
        """`together`: frames of small batches that are remembered as one."""
        self._together = together
        self.now_ns = -(1 << 63)
        """Latest time of any frame so far, nanoseconds since 1970."""
        self._firsts = array("q")
        """First frame of each batch, or of several small ones."""
        self._before = array("q")

    def advance(self, first: int, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """A batch of frames, the first in row `first`, shape (n,), n at least 1; the clock at each of them."""
        running = np.maximum(np.maximum.accumulate(times), self.now_ns)
        if not self._firsts or first - self._firsts[-1] >= self._together:
            self._firsts.append(first)
            self._before.append(self.now_ns)
        self.now_ns = int(running[-1])
        return running

    def at(self, rows: NDArray[np.int64], frames: Table) -> NDArray[np.int64]:
        """The clock at each of some frame rows, which are in ascending order and appended; shape like `rows`."""
        result = np.empty(len(rows), dtype=np.int64)
        start = 0
        while start < len(rows):
            batch = bisect_right(self._firsts, int(rows[start])) - 1
            first = self._firsts[batch]
            following = self._firsts[batch + 1] if batch + 1 < len(self._firsts) else frames.appended
            stop = int(np.searchsorted(rows, following))
            inside = frames.integers("time_ns", first, int(rows[stop - 1]) + 1)
            running = np.maximum(np.maximum.accumulate(inside), self._before[batch])
            result[start:stop] = running[rows[start:stop] - first]
            start = stop
        return result
