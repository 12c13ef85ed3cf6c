"""Counts, means and quantiles of many groups at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.live import Ints


class Groups:
    """Rows with a group number each, shape (n,); values are given in the same order."""

    def __init__(self, groups: Ints) -> None:
        self._groups = groups
        self._order = np.argsort(groups, kind="stable")
        numbers, starts, counts = np.unique(groups[self._order], return_index=True, return_counts=True)
        self._numbers: list[int] = numbers.tolist()
        self._starts = starts.astype(np.int64)
        self._counts = counts.astype(np.int64)

    def firsts(self) -> Ints:
        """Index of the first row of each group."""
        return self._order[self._starts]

    def count(self, which: NDArray[np.bool_] | None = None) -> dict[int, int]:
        """Rows of each group, all or those of a mask."""
        chosen = self._groups if which is None else self._groups[which]
        numbers, counts = np.unique(chosen, return_counts=True)
        return dict(zip(numbers.tolist(), counts.tolist(), strict=True))

    def mean(self, values: Ints) -> dict[int, float]:
        """Mean of each group."""
        if not self._numbers:
            return {}
        sums = np.add.reduceat(values[self._order], self._starts)
        return dict(zip(self._numbers, (sums / self._counts).tolist(), strict=True))

    def quantile(self, values: Ints, percent: int) -> dict[int, int]:
        """A quantile of each group by nearest rank: a value that occurred. `percent` from 1 to 100."""
        ordered = values[np.lexsort((values, self._groups))]
        ranks = -(-percent * self._counts // 100)
        return dict(zip(self._numbers, ordered[self._starts + ranks - 1].tolist(), strict=True))

    def split(self, values: NDArray[np.int32]) -> dict[int, NDArray[np.int32]]:
        """The values of each group in their order."""
        if not self._numbers:
            return {}
        return dict(zip(self._numbers, np.split(values[self._order], self._starts[1:]), strict=True))
