"""Pyramids over time: what lies in each stretch of so many milliseconds, of four of these, of sixteen ..., if anything.

A stretch has a fixed place in time, so a pixel column is a few whole stretches however many snapshots there are. Empty
ones take no room: no capture, however far apart its times are, has more stretches than snapshots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.live import Ints
from analyzer.store.chunk_memory import ChunkMemory
from analyzer.store.growing import Growing

_SHIFT = 2
FACTOR = 1 << _SHIFT
"""Stretches of one level in one of the next. A pixel column that is as wide as a stretch or wider, and narrower than
one of the next level, is never more than so many; with another factor it would be, or stretches were wider than it."""

Array = NDArray[np.generic]
Columns = tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of each stretch, and how those of several are joined."""

    dtype: str
    join: np.ufunc


class Level:
    """The stretches of one width. `follow` what is below before it is looked at."""

    def __init__(self, measures: Sequence[Measure], factor: int, memory: ChunkMemory) -> None:
        """`factor`: what numbers below are divided by."""
        self._joins = [measure.join for measure in measures]
        self._factor = factor
        self._numbers: Growing[np.int64] = Growing(np.int64, memory)
        self._values: list[Growing[np.generic]] = [Growing(measure.dtype, memory) for measure in measures]
        self._settled = 0
        """Entries below that are before the last stretch here, which is taken in anew each time as it may grow."""

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def numbers(self) -> Ints:
        """Of the stretches, ascending: time divided by their width, shape (n,)."""
        return self._numbers.view

    @property
    def values(self) -> Columns:
        """Each measure, shape (n,)."""
        return tuple(kept.view for kept in self._values)

    @property
    def nbytes(self) -> int:
        """Bytes of what is kept."""
        return sum(kept.view.nbytes for kept in self._kept())

    def follow(self, numbers: Ints, values: Columns) -> None:
        """Take in what came below since the last time: numbers, ascending, and measures of all of it."""
        fresh = numbers[self._settled :] // self._factor
        if not len(fresh):
            return
        self._keep(max(len(self) - 1, 0))
        starts = np.flatnonzero(np.diff(fresh, prepend=fresh[0] - 1))
        self._numbers.append(fresh[starts])
        for kept, join, below in zip(self._values, self._joins, values, strict=True):
            kept.append(join.reduceat(below[self._settled :], starts))
        self._settled += int(starts[-1])

    def add(self, numbers: Ints, values: Columns) -> None:
        """Join what stretches have, ascending and each once, with more. Only of a level that follows nothing."""
        places = np.searchsorted(self.numbers, numbers)
        there = places < len(self)
        there[there] = self.numbers[places[there]] == numbers[there]
        for kept, join, more in zip(self._values, self._joins, values, strict=True):
            kept.view[places[there]] = join(kept.view[places[there]], more[there])
        if there.all():
            return
        new = ~there
        places, first = places[new], int(places[new][0])
        for column, more in zip(self._kept(), (numbers, *values), strict=True):
            tail = column.view[first:].copy()
            column.cut(first)
            column.append(np.insert(tail, places - first, more[new]))

    def forget(self, number: int, below: Ints) -> None:
        """Something is otherwise from this stretch on. `below`: numbers of what is below, right up to there."""
        kept = int(np.searchsorted(self.numbers, number))
        if kept < len(self):
            self._settled = int(np.searchsorted(below, self.numbers[kept - 1] * self._factor)) if kept else 0
            self._keep(kept)

    def _keep(self, length: int) -> None:
        for kept in self._kept():
            kept.cut(length)

    def _kept(self) -> list[Growing[Any]]:
        return [self._numbers, *self._values]


class Pyramid:
    """Levels above something whose numbers are ascending; each is made when it is asked for first."""

    def __init__(self, measures: Sequence[Measure], first: int, memory: ChunkMemory) -> None:
        """`first`: what numbers at the bottom are divided by, on level 0."""
        self._measures, self._first, self._memory = measures, first, memory
        self._levels: list[Level] = []

    @property
    def nbytes(self) -> int:
        """Bytes of all levels."""
        return sum(level.nbytes for level in self._levels)

    def width(self, number: int) -> int:
        """What numbers at the bottom are divided by on a level."""
        return self._first << _SHIFT * number

    def level(self, number: int, numbers: Ints, bottom: Callable[[], Columns]) -> Level:
        """A level, up to date with what is at the bottom."""
        while len(self._levels) <= number:
            factor = FACTOR if self._levels else self._first
            self._levels.append(Level(self._measures, factor, self._memory))
        values = bottom()
        for level in self._levels[: number + 1]:
            level.follow(numbers, values)
            numbers, values = level.numbers, level.values
        return self._levels[number]

    def forget(self, first: int, bottom: Ints) -> None:
        """What is at the bottom is otherwise from number `first` on. `bottom`: its numbers, right up to there."""
        for number, level in enumerate(self._levels):
            level.forget(first // self.width(number), bottom)
            bottom = level.numbers
