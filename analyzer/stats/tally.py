"""How often each value came, of as many as come: percentiles of hours in a few kilobytes, exact while that is enough.

Of more values than `MOST_CELLS` the nearest ones are counted together, so that what is kept does not grow with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Grid: TypeAlias = Callable[[Ints, int], Ints]
"""Values and a level from 0: the width of the cell that each is in, a power of two; 1 at level 0."""

MOST_CELLS = 4096
SIGNIFICANT_BITS = 12
"""Less the level: how much of a number `relative` keeps."""

_POWERS = np.left_shift(np.int64(1), np.arange(63, dtype=np.int64))


def relative(values: Ints, level: int) -> Ints:
    """Cells that are as wide as a share of their values.

    The middle of a cell is less than 0.05 % from its values at level 1, then twice as much at each: values that lie
    within a factor of 16 need level 1, a factor of 256 level 2, and one of 4,294,967,296 level 4 (0.4 %).
    """
    if level == 0:
        return np.ones(len(values), np.int64)
    lengths = np.searchsorted(_POWERS, np.abs(values), side="right")
    return _POWERS[np.maximum(lengths - max(SIGNIFICANT_BITS - level, 1), 0)]


def even(values: Ints, level: int) -> Ints:
    """Cells of one width: what nearly all values lie in is cut into 2,048 at least."""
    return np.full(len(values), _POWERS[min(level, len(_POWERS) - 1)])


class Tally:
    """A multiset of integers. What it holds does not depend on the order or the portions in which they came."""

    def __init__(self, grid: Grid = relative) -> None:
        self._grid = grid
        self._level = 0
        self._cells = np.empty((2, 0), np.int64)
        """The value of each cell that is next to 0, ascending, and how many values are in it."""

    def __len__(self) -> int:
        """Cells in use."""
        return self._cells.shape[1]

    def add(self, values: Ints) -> None:
        """Count values, shape (n,)."""
        self._change(*np.unique(values, return_counts=True))

    def remove(self, values: Ints) -> None:
        """Values that were added do not count any more."""
        numbers, counts = np.unique(values, return_counts=True)
        self._change(numbers, -counts)
        self._cells = self._cells[:, self._cells[1] != 0]

    def counted(self) -> tuple[Ints, Ints]:
        """Values ascending, each standing for those of its cell, and how often they came; shape (cells,) both."""
        edges, counts = self._cells
        return edges + np.sign(edges) * (self._grid(edges, self._level) >> 1), counts

    def quantiles(self, *percents: int) -> list[int | None]:
        """The values of nearest rank, percents from 1 to 100; None of no values."""
        return quantiles(*self.counted(), percents)

    def _change(self, values: Ints, counts: Ints) -> None:
        """`values` ascending, each once."""
        if not len(values):
            return
        values, counts = self._joined(values, counts)
        if not len(self):
            self._cells = np.stack((values, counts))
        else:
            self._merge(values, counts)
        while len(self) > MOST_CELLS:
            self._level += 1
            self._cells = np.stack(self._joined(*self._cells))

    def _merge(self, values: Ints, counts: Ints) -> None:
        edges, known = self._cells
        places = np.searchsorted(edges, values)
        there = places < len(edges)
        there[there] = edges[places[there]] == values[there]
        grown = known.copy()
        grown[places[there]] += counts[there]
        new = ~there
        self._cells = np.stack((np.insert(edges, places[new], values[new]), np.insert(grown, places[new], counts[new])))

    def _joined(self, values: Ints, counts: Ints) -> tuple[Ints, Ints]:
        """Ascending values as those of their cells, each once."""
        if self._level == 0 or not len(values):
            return values, counts
        widths = self._grid(values, self._level)
        edges = np.sign(values) * (np.abs(values) & -widths)
        starts = np.flatnonzero(np.diff(edges, prepend=edges[0] - 1))
        return edges[starts], np.add.reduceat(counts, starts)


def quantiles(values: Ints, counts: Ints, percents: Sequence[int]) -> list[int | None]:
    """Nearest ranks among ascending values of which each came `counts` times."""
    before = np.cumsum(counts)
    if not len(before):
        return [None] * len(percents)
    ranks = [-(-percent * int(before[-1]) // 100) for percent in percents]
    found: list[int | None] = []
    found += values[np.searchsorted(before, ranks)].tolist()
    return found
