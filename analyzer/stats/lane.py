"""One lane of the overview strip: the bars of a flow in the order of their times, and pyramids over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.bars import NO_AGE, Bars, Kind
from analyzer.stats.live import Ints
from analyzer.stats.time_pyramid import Columns, Level, Measure, Pyramid
from analyzer.store.chunk_memory import ChunkMemory
from analyzer.store.growing import Growing

FIRST_WIDTH_NS = 80_000_000
"""Of the stretches of level 0; what is finer is looked up among the bars: at 50 snapshots a second four."""
FEW = 32_768
"""Bars that are looked at one by one rather than by stretches."""
BAR_BYTES = 22
"""What is kept of each bar."""
MEASURES = (Measure("u4", np.minimum), Measure("i4", np.maximum), Measure("u1", np.maximum))
"""Least age, as an unsigned number, so that `NO_AGE` is the greatest; greatest age; worst kind."""


@dataclass(frozen=True, slots=True)
class Worst:
    """Of some bars of a lane."""

    kind: Kind
    """Never `OLD`."""
    age_us: int
    """The greatest; `NO_AGE` where none is known."""

    def with_limit(self, old_us: float) -> Kind:
        """The worst kind where a baseline is old when it is older than `old_us`."""
        return max(self.kind, Kind.OLD) if self.age_us > old_us else self.kind


class Lane:
    """Bars of one flow. Times are nanoseconds from the first frame. What is given out holds until the next change."""

    def __init__(self, memory: ChunkMemory) -> None:
        """`memory`: that of the capture's tables."""
        self._rows: Growing[np.int32] = Growing(np.int32, memory)
        self._time: Growing[np.int64] = Growing(np.int64, memory)
        self._kind: Growing[np.uint8] = Growing(np.uint8, memory)
        self._age: Growing[np.int32] = Growing(np.int32, memory)
        self._size: Growing[np.uint32] = Growing(np.uint32, memory)
        self._parts: Growing[np.uint8] = Growing(np.uint8, memory)
        self._firsts: Growing[np.int64] = Growing(np.int64, memory)
        self._pyramid = Pyramid(MEASURES, FIRST_WIDTH_NS, memory)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def rows(self) -> NDArray[np.int32]:
        """Row of `snapshots` of each bar, shape (n,)."""
        return self._rows.view

    @property
    def time_ns(self) -> Ints:
        """Ascending, shape (n,)."""
        return self._time.view

    @property
    def kind(self) -> NDArray[np.uint8]:
        """`Kind` of each bar, never `OLD`."""
        return self._kind.view

    @property
    def age_us(self) -> NDArray[np.int32]:
        """Age of each bar's baseline; see `Bars`."""
        return self._age.view

    @property
    def size(self) -> NDArray[np.uint32]:
        """Bytes on the wire of each bar's snapshot."""
        return self._size.view

    @property
    def parts(self) -> NDArray[np.uint8]:
        """Parts of each bar's snapshot."""
        return self._parts.view

    @property
    def firsts_ns(self) -> Ints:
        """Times of the bars that are `FIRST`, ascending."""
        return self._firsts.view

    @property
    def nbytes(self) -> int:
        """Bytes of what is kept, room that is not used yet left out."""
        return len(self) * BAR_BYTES + self._firsts.view.nbytes + self._pyramid.nbytes

    def bars(self, begin: int = 0, end: int | None = None) -> Bars:
        """Bars from one position to another, without their sessions."""
        rows = self._rows.view[begin:end]
        return Bars(
            rows,
            np.full(len(rows), -1),
            self._time.view[begin:end],
            self._kind.view[begin:end],
            self._age.view[begin:end],
            self._size.view[begin:end],
            self._parts.view[begin:end],
        )

    def between(self, start_ns: int, stop_ns: int) -> tuple[int, int]:
        """First bar at or after `start_ns`, and first at or after `stop_ns`."""
        time = self._time.view
        return int(time.searchsorted(start_ns)), int(time.searchsorted(stop_ns))

    def level(self, number: int) -> Level:
        """A level of the pyramid: `FIRST_WIDTH_NS` and four times as wide each."""
        return self._pyramid.level(number, self._time.view, self._bottom)

    def width_ns(self, number: int) -> int:
        """Of the stretches of a level."""
        return self._pyramid.width(number)

    def worst(self, start_ns: int, stop_ns: int) -> Worst:
        """Of the bars from `start_ns` up to before `stop_ns`."""
        begin, end = self.between(start_ns, stop_ns)
        if end - begin <= FEW:
            return self._worst(begin, end)
        number = 0
        while self.width_ns(number + 1) * FEW < stop_ns - start_ns:
            number += 1
        width = self.width_ns(number)
        first, last = -(-start_ns // width), stop_ns // width
        if last <= first:
            return self._worst(begin, end)
        level = self.level(number)
        inner_begin, inner_end = self.between(first * width, last * width)
        at, stop = level.numbers.searchsorted([first, last]).tolist()
        _, ages, kinds = level.values
        edges = self._worst(begin, inner_begin), self._worst(inner_end, end)
        kind = int(kinds[at:stop].max(initial=Kind.NONE))
        age = int(ages[at:stop].max(initial=NO_AGE))
        return Worst(
            Kind(max(kind, *(edge.kind for edge in edges))),
            max(age, *(edge.age_us for edge in edges)),
        )

    def insert(self, bars: Bars) -> None:
        """More bars, ascending by row, as late as they come."""
        if not len(bars):
            return
        ascends = bool((np.diff(bars.time_ns) >= 0).all())
        ordered = bars if ascends else bars.part(np.argsort(bars.time_ns, kind="stable"))
        start = int(self._time.view.searchsorted(int(ordered.time_ns[0]), "right"))
        if start < len(self):
            ordered = self._merged(start, ordered)
        self._rows.append(ordered.rows)
        self._time.append(ordered.time_ns)
        self._kind.append(ordered.kind)
        self._age.append(ordered.age_us)
        self._size.append(ordered.size)
        self._parts.append(ordered.parts)
        self._firsts.append(ordered.time_ns[ordered.kind == Kind.FIRST])

    def put(self, bars: Bars) -> bool:
        """Bars that are here have other kinds and ages. False: they have the same."""
        positions = self.positions(bars.rows, bars.time_ns)
        changed = (self._kind.view[positions] != bars.kind) | (self._age.view[positions] != bars.age_us)
        if not changed.any():
            return False
        at = positions[changed]
        self._pyramid.forget(int(bars.time_ns[changed].min()), self._time.view)
        self._kind.view[at] = bars.kind[changed]
        self._age.view[at] = bars.age_us[changed]
        return True

    def positions(self, rows: NDArray[np.int32], times: Ints) -> Ints:
        """Where bars stand, of which row and time are given, shape (n,). All of them are here."""
        found = self._time.view.searchsorted(times)
        # Of those at the same time the one with the row.
        wrong = np.flatnonzero(self._rows.view[found] != rows)
        while len(wrong):
            found[wrong] += 1
            wrong = wrong[self._rows.view[found[wrong]] != rows[wrong]]
        return found

    def _merged(self, start: int, bars: Bars) -> Bars:
        """Take back the bars from `start` on; they and some others in the order of their times."""
        joined = Bars.together((self.bars(start), bars))
        self._pyramid.forget(int(bars.time_ns[0]), self._time.view)
        for column in (self._rows, self._time, self._kind, self._age, self._size, self._parts):
            column.cut(start)
        self._firsts.cut(int(self._firsts.view.searchsorted(int(bars.time_ns[0]), "right")))
        return joined.part(np.lexsort((joined.rows, joined.time_ns)))

    def _bottom(self) -> Columns:
        ages = self._age.view
        return ages.view(np.uint32), ages, self._kind.view

    def _worst(self, begin: int, end: int) -> Worst:
        kinds, ages = self._kind.view[begin:end], self._age.view[begin:end]
        return Worst(Kind(int(kinds.max(initial=Kind.NONE))), int(ages.max(initial=NO_AGE)))
