"""Memory of an arena of states, which the system hands out in large pieces where it can: a page at a time takes longer.

See `flow_columns.Store`.
"""

from __future__ import annotations

import mmap
import sys
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

PIECE = 1 << 18
"""Ints that are asked for at once."""
_SMALLEST_MAPPING = 1 << 16
"""Ints of an arena that is worth a mapping of its own."""
_POPULATE_WRITE = 23
"""MADV_POPULATE_WRITE of Linux 5.14, which Python's `mmap` does not name before 3.13."""


class ArenaMemory:
    """Ints that are 0 until they are written. What was neither written nor reached is not in memory."""

    def __init__(self, ints: int) -> None:
        """`ints`: its length."""
        self._mapping: mmap.mmap | None = None
        self._reached = 0
        """Ints from the start that are in memory, as far as this object knows."""
        if ints >= _SMALLEST_MAPPING and sys.platform == "linux":
            # A process has only so many mappings.
            with suppress(OSError):
                self._mapping = mmap.mmap(-1, ints * 4, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.array: NDArray[np.int32] = (
            np.zeros(ints, dtype=np.int32) if self._mapping is None else np.frombuffer(self._mapping, dtype=np.int32)
        )

    def reach(self, head: int) -> None:
        """Have what is written next, from `head` on, in memory."""
        if self._mapping is None or head + PIECE // 2 <= self._reached:
            return
        begin = max(self._reached, head // PIECE * PIECE)
        count = min(PIECE, len(self.array) - begin)
        if count <= 0:
            return
        try:
            self._mapping.madvise(_POPULATE_WRITE, begin * 4, count * 4)
        except OSError:
            # An older system, or no memory: it comes page by page.
            self._mapping = None
        self._reached = begin + count
