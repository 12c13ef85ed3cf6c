"""Counts, means and quantiles of many groups at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.live import Ints


class Groups:
    """Rows with a group number each, from 0, shape (n,); values are given in the same order."""

    def __init__(self, groups: Ints) -> None:
        self._groups = groups
        self._order = stable_order(groups)
        every = np.bincount(groups)
        numbers = np.flatnonzero(every)
        self._numbers: list[int] = numbers.tolist()
        self._counts = every[numbers].astype(np.int64)
        self._starts = np.cumsum(self._counts) - self._counts

    def firsts(self) -> Ints:
        """Index of the first row of each group."""
        found: Ints = self._order[self._starts]
        return found

    def count(self, which: NDArray[np.bool_] | None = None) -> dict[int, int]:
        """Rows of each group, all or those of a mask; groups without any are left out."""
        counts = np.bincount(self._groups if which is None else self._groups[which])
        numbers = np.flatnonzero(counts)
        return dict(zip(numbers.tolist(), counts[numbers].tolist(), strict=True))

    def mean(self, values: Ints) -> dict[int, float]:
        """Mean of each group."""
        if not self._numbers:
            return {}
        sums = np.add.reduceat(values[self._order], self._starts)
        return dict(zip(self._numbers, (sums / self._counts).tolist(), strict=True))

    def quantile(self, values: Ints, percent: int) -> dict[int, int]:
        """A quantile of each group by nearest rank: a value that occurred. `percent` from 1 to 100."""
        return self.quantiles(values, (percent,))[0]

    def quantiles(self, values: Ints, percents: Sequence[int]) -> list[dict[int, int]]:
        """Several quantiles at once."""
        ordered = values[self._order]
        for group in np.split(ordered, self._starts[1:]):
            group.sort()
        ranks = [-(-percent * self._counts // 100) for percent in percents]
        return [dict(zip(self._numbers, ordered[self._starts + rank - 1].tolist(), strict=True)) for rank in ranks]

    def split(self, values: NDArray[np.int32]) -> dict[int, NDArray[np.int32]]:
        """The values of each group in their order."""
        if not self._numbers:
            return {}
        return dict(zip(self._numbers, np.split(values[self._order], self._starts[1:]), strict=True))


def stable_order(groups: Ints) -> Ints:
    """The rows ordered by their group numbers, from 0, and in their own order within a group, shape (n,)."""
    # Numbers of 16 bits are sorted in one pass over them.
    small = not len(groups) or int(groups.max()) <= 0xFFFF
    return np.argsort(groups.astype(np.uint16) if small else groups, kind="stable")
