"""The overview strip as arrays ready to paint: what each pixel column of each lane shows, and of the byte band.

It costs what is to be painted: where a column is narrower than the stretches that lanes keep, its bars are looked up,
else at most four stretches (time_pyramid.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.bars import NO_AGE, Kind
from analyzer.stats.byte_band import BIN_NS, CLASSES, Band, sums_by_class
from analyzer.stats.clients import OLD_BASE_MS
from analyzer.stats.lane import FIRST_WIDTH_NS, Lane
from analyzer.stats.live import Ints
from analyzer.stats.losses import losses
from analyzer.stats.time_pyramid import FACTOR
from analyzer.stats.timeline import Timeline

T = TypeVar("T", bound=np.generic)

_LARGEST = 1 << 62
_AT_ONCE = 1 << 15
_FEW = 8
"""Values of a column that are looked up one after the other."""


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time, nanoseconds from the first frame, as so many columns of equal width: those of pixels."""

    start_ns: int
    stop_ns: int
    """Behind its end; after `start_ns`."""
    columns: int
    """One or more."""

    @property
    def span_ns(self) -> int:
        """How long it is."""
        return self.stop_ns - self.start_ns

    def columns_of(self, times: Ints) -> Ints:
        """The column that each time falls into; `times` within the window, shape (n,)."""
        since = times - self.start_ns
        if self.span_ns <= _LARGEST // self.columns:
            return since * self.columns // self.span_ns
        return np.minimum((since * (self.columns / self.span_ns)).astype(np.int64), self.columns - 1)

    def stretches(self, width_ns: int) -> tuple[int, int, Ints]:
        """First and last number of the stretches that are partly within, and the columns of their middles."""
        first, last = self.start_ns // width_ns, (self.stop_ns - 1) // width_ns
        middles = np.arange(first, last + 1) * width_ns + width_ns // 2
        return first, last, self.columns_of(np.clip(middles, self.start_ns, self.stop_ns - 1))

    def level(self, width_ns: int) -> int:
        """The highest level whose stretches, of this width at the lowest, are no wider than a column; -1: none is."""
        level = -1
        while width_ns * self.columns <= self.span_ns:
            width_ns *= FACTOR
            level += 1
        return level

    def edges(self, first: int, last: int) -> tuple[int, int]:
        """Times from the left edge of column `first` up to before the right edge of column `last`."""
        start, stop = (self.start_ns + -(-column * self.span_ns // self.columns) for column in (first, last + 1))
        return start, stop


@dataclass(frozen=True, slots=True)
class Strip:
    """What to paint; a row for each lane that was asked for, in that order, a column for each of the window's."""

    window: Window
    kind: NDArray[np.uint8]
    """Worst `Kind` in each column, `OLD` included; `NONE`: no bar. Shape (lanes, columns)."""
    age_us: NDArray[np.int32]
    """Greatest age of a baseline of those that are `FINE` or `OLD`, in microseconds; `NO_AGE`: none is known."""
    least_us: NDArray[np.int32] | None
    """Least age of these, where it was asked for."""
    first_lane: Ints
    """Where sessions begin, whatever else falls on the same pixel: index of the lane, shape (n,)."""
    first_column: Ints
    """And column."""
    lost: NDArray[np.bool_]
    """Columns in which the capture lost packets, shape (columns,)."""


def strip_of(
    timeline: Timeline, flows: Sequence[int], window: Window, old_ms: float = OLD_BASE_MS, *, least: bool = False
) -> Strip:
    """The lanes of some flows. A baseline is old when it is older than `old_ms`. `least`: the least ages as well."""
    lanes = [timeline.lane(flow) for flow in flows]
    shape = len(lanes), window.columns
    strip = Strip(
        window,
        np.full(shape, Kind.NONE, np.uint8),
        np.full(shape, NO_AGE, np.int32),
        np.full(shape, NO_AGE, np.int32) if least else None,
        *_firsts(lanes, window),
        _lost(timeline, window),
    )
    level = window.level(FIRST_WIDTH_NS)
    found = _bars_within(lanes, window) if level < 0 else _stretches_within(lanes, window, level)
    for pieces in _groups(found):
        _fill(strip, pieces)
    np.maximum(strip.kind, np.uint8(Kind.OLD), out=strip.kind, where=strip.age_us > old_ms * 1000)
    return strip


def band_of(timeline: Timeline, window: Window) -> Band:
    """The byte band, of all lanes."""
    level = window.level(BIN_NS)
    column_ns = window.span_ns / window.columns
    if level < 0:
        return Band(_bytes_within([timeline.lane(flow) for flow in timeline.flows.tolist()], window), column_ns)
    first, last, columns = window.stretches(timeline.band.width_ns(level))
    kept = timeline.band.level(level)
    begin, end = kept.numbers.searchsorted([first, last + 1]).tolist()
    found = np.zeros((CLASSES, window.columns), np.int64)
    at = columns[kept.numbers[begin:end] - first]
    if len(at):
        starts = np.flatnonzero(np.diff(at, prepend=-1))
        for own, sums in zip(found, kept.values, strict=True):
            own[at[starts]] = np.add.reduceat(sums[begin:end], starts)
    return Band(found, column_ns)


def _bytes_within(lanes: Sequence[Lane], window: Window) -> Ints:
    """Bytes of each class in each column, from every bar within, shape (CLASSES, columns)."""
    found = [(lane, *lane.between(window.start_ns, window.stop_ns)) for lane in lanes]
    times = np.concatenate([np.empty(0, np.int64), *(lane.time_ns[begin:end] for lane, begin, end in found)])
    parts = np.concatenate([np.empty(0, np.uint8), *(lane.parts[begin:end] for lane, begin, end in found)])
    sizes = np.concatenate([np.empty(0, np.uint32), *(lane.size[begin:end] for lane, begin, end in found)])
    return np.stack(sums_by_class(window.columns_of(times), parts, sizes, window.columns))


def bar_within(lane: Lane, start_ns: int, stop_ns: int, old_ms: float = OLD_BASE_MS) -> int:
    """Row of the worst snapshot from `start_ns` up to before `stop_ns`: the bar that a column shows; -1: none.

    Of those equally bad the one with the oldest baseline, then the first.
    """
    begin, end = lane.between(start_ns, stop_ns)
    if begin == end:
        return -1
    ages = lane.age_us[begin:end].astype(np.int64)
    kinds = np.maximum(lane.kind[begin:end], np.where(ages > old_ms * 1000, np.uint8(Kind.OLD), np.uint8(0)))
    return int(lane.rows[begin + int(np.argmax((kinds.astype(np.int64) << 32) + ages))])


def bar_near(lane: Lane, time_ns: int) -> int:
    """Row of the snapshot that is nearest in time, the earlier one of two; -1: the lane is empty."""
    if not len(lane):
        return -1
    at = min(int(lane.time_ns.searchsorted(time_ns)), len(lane) - 1)
    if at and time_ns - int(lane.time_ns[at - 1]) <= int(lane.time_ns[at]) - time_ns:
        at -= 1
    return int(lane.rows[at])


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Bars or stretches of one lane or several, those of each together and ascending, shape (n,)."""

    columns: Ints
    """Lane times the window's columns, and column."""
    least: NDArray[np.uint32]
    age: NDArray[np.int32]
    kind: NDArray[np.uint8]


def _bars_within(lanes: Sequence[Lane], window: Window) -> Iterator[_Pieces]:
    for index, lane in enumerate(lanes):
        begin, end = lane.between(window.start_ns, window.stop_ns)
        if begin < end:
            columns = window.columns_of(lane.time_ns[begin:end]) + index * window.columns
            ages = lane.age_us[begin:end]
            yield _Pieces(columns, ages.view(np.uint32), ages, lane.kind[begin:end])


def _stretches_within(lanes: Sequence[Lane], window: Window, number: int) -> Iterator[_Pieces]:
    first, last, columns = window.stretches(FIRST_WIDTH_NS * FACTOR**number)
    for index, lane in enumerate(lanes):
        level = lane.level(number)
        begin, end = level.numbers.searchsorted([first, last + 1]).tolist()
        if begin < end:
            at = columns[level.numbers[begin:end] - first] + index * window.columns
            least, age, kind = (values[begin:end] for values in level.values)
            yield _Pieces(at, least.view(np.uint32), age.view(np.int32), kind.view(np.uint8))


def _groups(found: Iterable[_Pieces]) -> Iterator[_Pieces]:
    """Lanes together, as many as the processor's cache has room for: a call costs as much as 1,000 pieces."""
    waiting: list[_Pieces] = []
    size = 0
    for pieces in found:
        waiting.append(pieces)
        size += len(pieces.columns)
        if size >= _AT_ONCE:
            yield _together(waiting)
            waiting, size = [], 0
    if waiting:
        yield _together(waiting)


def _together(several: Sequence[_Pieces]) -> _Pieces:
    if len(several) == 1:
        return several[0]
    return _Pieces(
        np.concatenate([pieces.columns for pieces in several]),
        np.concatenate([pieces.least for pieces in several]),
        np.concatenate([pieces.age for pieces in several]),
        np.concatenate([pieces.kind for pieces in several]),
    )


def _fill(strip: Strip, pieces: _Pieces) -> None:
    begins = np.ones(len(pieces.columns), np.bool_)
    np.not_equal(pieces.columns[1:], pieces.columns[:-1], out=begins[1:])
    starts = np.flatnonzero(begins)
    at = pieces.columns[starts]
    counts = np.diff(starts, append=len(begins))
    alike = int(pieces.kind.min()) == int(pieces.kind.max())
    kinds = pieces.kind[:1] if alike else _joined(np.maximum, pieces.kind, starts, counts)
    strip.kind.reshape(-1)[at] = kinds
    strip.age_us.reshape(-1)[at] = _joined(np.maximum, pieces.age, starts, counts)
    if strip.least_us is not None:
        strip.least_us.reshape(-1)[at] = _joined(np.minimum, pieces.least, starts, counts).view(np.int32)


def _joined(join: np.ufunc, values: NDArray[T], starts: Ints, counts: Ints) -> NDArray[T]:
    """Least or greatest of each stretch of values; no stretch is empty."""
    most = int(counts.max())
    if most > _FEW:
        reduced: NDArray[T] = join.reduceat(values, starts)
        return reduced
    # For short ones half as dear. What is beyond a stretch is its last value again, which changes nothing.
    found = values[starts]
    for step in range(1, most):
        join(found, values[starts + np.minimum(step, counts - 1)], out=found)
    return found


def _firsts(lanes: Sequence[Lane], window: Window) -> tuple[Ints, Ints]:
    found = []
    for lane in lanes:
        times = lane.firsts_ns
        begin, end = times.searchsorted([window.start_ns, window.stop_ns]).tolist()
        found.append(times[begin:end])
    numbers = np.repeat(np.arange(len(lanes)), [len(times) for times in found])
    return numbers, window.columns_of(np.concatenate([np.empty(0, np.int64), *found]))


def _lost(timeline: Timeline, window: Window) -> NDArray[np.bool_]:
    lost = np.zeros(window.columns, np.bool_)
    for loss in losses(timeline.tables, window.start_ns, window.stop_ns):
        ends = np.clip([loss.begin_ns, loss.end_ns], window.start_ns, window.stop_ns - 1)
        first, last = window.columns_of(ends).tolist()
        lost[first : last + 1] = True
    return lost
