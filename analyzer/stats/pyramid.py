"""Least, greatest and worst of any stretch of a long series, from blocks of 8, 64, 512 ...: what charts draw from.

It grows at the end, and single values may change. A pixel column costs a few look-ups however many points it has.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.store.chunk_memory import ChunkMemory
from analyzer.store.growing import Growing

FACTOR = 8

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ranks = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Extremes:
    """Of each stretch asked for, shape (n,)."""

    low: Floats
    """Least value; NaN where no value is known."""
    high: Floats
    worst: Ranks
    """Greatest rank; 0 of an empty stretch."""


class Pyramid:
    """Values with a rank each. NaN is a value that is not known: it has a rank, but is neither least nor greatest."""

    def __init__(self, memory: ChunkMemory | None = None) -> None:
        """`memory`: that of the capture's tables."""
        self._memory = memory
        self._levels = [_Level(memory)]

    def __len__(self) -> int:
        return len(self._levels[0])

    def append(self, values: Floats, ranks: Ranks) -> None:
        """Add points, both of shape (n,), behind the last one."""
        unknown = np.isnan(values)
        self._levels[0].append(np.where(unknown, np.inf, values), np.where(unknown, -np.inf, values), ranks)
        for number, level in enumerate(self._levels):
            blocks = len(level) // FACTOR
            if blocks == 0:
                return
            if number + 1 == len(self._levels):
                self._levels.append(_Level(self._memory))
            above = self._levels[number + 1]
            above.append(*level.blocks(np.arange(len(above), blocks)))

    def cut(self, length: int) -> None:
        """Keep the first `length` points, which is no more than there are."""
        for level in self._levels:
            level.cut(length)
            length //= FACTOR

    def put(self, positions: Ints, values: Floats, ranks: Ranks) -> None:
        """Replace the points at `positions`, shape (n,), ascending and each once."""
        unknown = np.isnan(values)
        self._levels[0].put(positions, np.where(unknown, np.inf, values), np.where(unknown, -np.inf, values), ranks)
        for below, above in zip(self._levels, self._levels[1:], strict=False):
            positions = np.unique(positions // FACTOR)
            positions = positions[positions < len(above)]
            above.put(positions, *below.blocks(positions))

    def extremes(self, starts: Ints, stops: Ints) -> Extremes:
        """Of the points start to stop - 1 of each stretch, both of shape (n,)."""
        found = _Found(len(starts))
        lo, hi = starts.astype(np.int64), np.maximum(starts, stops).astype(np.int64)
        for level in self._levels[:-1]:
            before = np.minimum(-(-lo // FACTOR) * FACTOR, hi) - lo
            found.take(level, lo, before)
            lo += before
            after = hi - np.maximum(hi // FACTOR * FACTOR, lo)
            hi -= after
            found.take(level, hi, after)
            lo //= FACTOR
            hi //= FACTOR
        found.take(self._levels[-1], lo, hi - lo)
        return found.extremes()


class _Level:
    """One entry a block: the least, the greatest, the worst. The lowest level has a block a point."""

    def __init__(self, memory: ChunkMemory | None) -> None:
        self.low: Growing[np.float64] = Growing(np.float64, memory)
        self.high: Growing[np.float64] = Growing(np.float64, memory)
        self.worst: Growing[np.uint8] = Growing(np.uint8, memory)

    def __len__(self) -> int:
        return len(self.low)

    def append(self, low: Floats, high: Floats, worst: Ranks) -> None:
        self.low.append(low)
        self.high.append(high)
        self.worst.append(worst)

    def cut(self, length: int) -> None:
        for kept in (self.low, self.high, self.worst):
            kept.cut(length)

    def put(self, positions: Ints, low: Floats, high: Floats, worst: Ranks) -> None:
        self.low.view[positions] = low
        self.high.view[positions] = high
        self.worst.view[positions] = worst

    def blocks(self, numbers: Ints) -> tuple[Floats, Floats, Ranks]:
        """What the level above holds for its entries `numbers`, which are whole."""
        members = numbers[:, None] * FACTOR + np.arange(FACTOR)
        return (
            self.low.view[members].min(axis=1, initial=np.inf),
            self.high.view[members].max(axis=1, initial=-np.inf),
            self.worst.view[members].max(axis=1, initial=0),
        )


class _Found:
    """What was gathered for each stretch so far."""

    def __init__(self, count: int) -> None:
        self._low = np.full(count, np.inf)
        self._high = np.full(count, -np.inf)
        self._worst = np.zeros(count, np.uint8)

    def take(self, level: _Level, firsts: Ints, counts: Ints) -> None:
        """Take in `counts` entries of a level, fewer than `FACTOR`, for each stretch, the first of them `firsts`."""
        taking = np.flatnonzero(counts)
        if not len(taking):
            return
        # What is beyond the count is the last entry again: it changes nothing.
        steps = np.minimum(np.arange(FACTOR - 1)[:, None], counts[taking] - 1)
        own = firsts[taking] + steps
        self._low[taking] = np.minimum(self._low[taking], level.low.view[own].min(axis=0))
        self._high[taking] = np.maximum(self._high[taking], level.high.view[own].max(axis=0))
        self._worst[taking] = np.maximum(self._worst[taking], level.worst.view[own].max(axis=0))

    def extremes(self) -> Extremes:
        unknown = self._low > self._high
        return Extremes(np.where(unknown, np.nan, self._low), np.where(unknown, np.nan, self._high), self._worst)
