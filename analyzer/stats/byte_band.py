"""Bytes of snapshots over time, stacked by their parts: what the band above the lanes draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.bars import Bars
from analyzer.stats.live import Ints
from analyzer.stats.time_pyramid import FACTOR, Columns, Level, Measure, Pyramid
from analyzer.store.chunk_memory import ChunkMemory

CLASSES = 3
"""One part, two parts, three and more; what was not read well enough to tell stands with one."""
BIN_NS = 100_000_000
"""Of the sums that are kept."""
PEAK_PERCENT = 99.5
"""What the band's full height stands for, of the columns with any bytes."""
_MEASURES = (Measure("i8", np.add),) * CLASSES


@dataclass(frozen=True, slots=True)
class Band:
    """What the band draws, a value for each pixel column."""

    bytes: Ints
    """UDP payload of the datagrams that carried snapshots, by `class_of` their parts, shape (CLASSES, columns)."""
    column_ns: float
    """Width of a column."""

    @property
    def total(self) -> Ints:
        """Bytes of all classes, shape (columns,)."""
        found: Ints = self.bytes.sum(axis=0)
        return found

    def rate(self, size: float) -> float:
        """Bytes in a column as bytes a second."""
        return size * 1e9 / self.column_ns

    @property
    def peak(self) -> float:
        """Bytes a second in the fullest column."""
        return self.rate(int(self.total.max(initial=0)))

    @property
    def scale(self) -> float:
        """Bytes a second that the full height stands for: nearest rank; 0 where there are no bytes."""
        return self.rate(full_scale(self.total))


def full_scale(totals: Ints) -> int:
    """The 99.5th percentile of those that are not 0, by nearest rank."""
    some = np.sort(totals[totals > 0])
    return int(some[-(-len(some) * int(PEAK_PERCENT * 10) // 1000) - 1]) if len(some) else 0


def class_of(parts: NDArray[np.uint8]) -> Ints:
    """Class of snapshots by the parts they have, from 0, shape (n,)."""
    return np.clip(parts.astype(np.int64), 1, CLASSES) - 1


def sums_by_class(places: Ints, parts: NDArray[np.uint8], sizes: NDArray[np.uint32], count: int) -> tuple[Ints, ...]:
    """Bytes of each class at places 0 to count - 1, shape (count,) each. Of every snapshot: place, parts, bytes."""
    found = np.bincount(places * CLASSES + class_of(parts), weights=sizes, minlength=count * CLASSES)
    return tuple(np.rint(found).astype(np.int64).reshape(count, CLASSES).T)


class ByteBand:
    """Sums of all lanes together. They may be taken back."""

    def __init__(self, memory: ChunkMemory) -> None:
        """`memory`: that of the capture's tables."""
        self._sums = Level(_MEASURES, BIN_NS, memory)
        self._pyramid = Pyramid(_MEASURES, FACTOR, memory)

    @property
    def nbytes(self) -> int:
        """Bytes of what is kept."""
        return self._sums.nbytes + self._pyramid.nbytes

    def add(self, bars: Bars, sign: int = 1) -> None:
        """Count bars; with a sign of -1 take them back."""
        if not len(bars):
            return
        numbers, places = np.unique(bars.time_ns // BIN_NS, return_inverse=True)
        sums = sums_by_class(places, bars.parts, bars.size, len(numbers))
        self._pyramid.forget(int(numbers[0]), self._sums.numbers)
        self._sums.add(numbers, tuple(sign * sums_of for sums_of in sums))

    def level(self, number: int) -> Level:
        """The sums that are kept (0), or those of stretches four times as wide each."""
        if number == 0:
            return self._sums
        return self._pyramid.level(number - 1, self._sums.numbers, self._bottom)

    def width_ns(self, number: int) -> int:
        """Of the stretches of a level."""
        return BIN_NS if number == 0 else self._pyramid.width(number - 1) * BIN_NS

    def _bottom(self) -> Columns:
        return self._sums.values
