"""The snapshots of one session, or of all, in the order of their times, with a pyramid for each number drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.growing import Growing
from analyzer.stats.pyramid import Extremes, Pyramid
from analyzer.stats.series import Metric, Rank, SnapshotSeries, Update

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

LONG = 20_000
"""Points whose quantiles are worth keeping."""
KEPT_SPREADS = 24


@dataclass(frozen=True, slots=True)
class Spread:
    """Of the values in each stretch of time, shape (n,); NaN where there are none. Nearest rank."""

    p10: Floats
    p50: Floats
    p90: Floats


@dataclass(slots=True)
class _Kept:
    """Quantiles of every stretch of a track."""

    spread: Spread
    good: int = 0
    """How many of the stretches, from the first, still hold."""


class Track:
    """Points of one session (-1: of all). `follow` every update of its series."""

    def __init__(self, series: SnapshotSeries, session: int) -> None:
        self.session = session
        self._series = series
        self._rows: Growing[np.int64] = Growing(np.int64)
        self._time: Growing[np.float64] = Growing(np.float64)
        self._places: Growing[np.int64] = Growing(np.int64)
        """Position of each snapshot row, -1 of those of other sessions."""
        self._pyramids: dict[Metric, Pyramid] = {}
        self._spreads: dict[tuple[Metric, float, int], _Kept] = {}
        self._rebuild()

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def rows(self) -> Ints:
        """Snapshot rows in the order of their times, shape (points,)."""
        return self._rows.view

    @property
    def time_s(self) -> Floats:
        """Seconds from the first frame, ascending, shape (points,)."""
        return self._time.view

    def values(self, metric: Metric, start: int = 0, stop: int | None = None) -> Floats:
        """A number of the points start to stop - 1."""
        return self._series.values(metric)[self._rows.view[start:stop]]

    def full(self, start: int, stop: int) -> NDArray[np.bool_]:
        """Which of the points were rebuilt from nothing."""
        return self._series.full[self._rows.view[start:stop]]

    def failed(self, start: int, stop: int) -> int:
        """How many of the points are of rank `FAILED`."""
        return int(np.count_nonzero(self._series.rank[self._rows.view[start:stop]] == Rank.FAILED))

    def between(self, start_s: float, stop_s: float) -> tuple[int, int]:
        """First point at or after `start_s`, and first point after `stop_s`."""
        time = self._time.view
        return int(np.searchsorted(time, start_s, "left")), int(np.searchsorted(time, stop_s, "right"))

    def position(self, row: int) -> int:
        """Where a snapshot row stands, -1 if it is not of this track."""
        return int(self._places.view[row]) if 0 <= row < len(self._places) else -1

    def extremes(self, metric: Metric, starts: Ints, stops: Ints) -> Extremes:
        """Least, greatest, worst rank of each stretch of points, all of shape (n,)."""
        if metric not in self._pyramids:
            pyramid = self._pyramids[metric] = Pyramid()
            pyramid.append(self.values(metric), self._series.rank[self._rows.view])
        return self._pyramids[metric].extremes(starts, stops)

    def spread(self, metric: Metric, width: float, first: int, stop: int, without: int = -1) -> Spread:
        """Quantiles of the stretches of `width` seconds numbered first to stop - 1; number 0 begins at 0 s.

        `without` leaves one session out. Values are compared as 32-bit floats: exact to 16 million. What is long is
        kept, for the whole track: the next look at stretches of this width costs no more than what came since then.
        """
        edges = stretches(first, stop, width)
        begin, end = np.searchsorted(self._time.view, (edges[0], edges[-1])).tolist()
        if end - begin <= LONG:
            return self._spread(metric, edges, without)
        key = metric, width, without
        if key not in self._spreads:
            if len(self._spreads) >= KEPT_SPREADS:
                del self._spreads[next(iter(self._spreads))]
            self._spreads[key] = _Kept(Spread(np.empty(0), np.empty(0), np.empty(0)))
        lowest = self._lowest(width)
        kept = self._spreads[key]
        highest = int(self._time.view[-1] // width) + 2
        if kept.good < highest - lowest:
            rest = self._spread(metric, stretches(lowest + kept.good, highest, width), without)
            kept.spread = _joined(_stretch(kept.spread, 0, kept.good), rest)
            kept.good = highest - lowest
        return _stretch(kept.spread, first - lowest, stop - lowest)

    def _lowest(self, width: float) -> int:
        """Number of the stretch before the first point."""
        return int(self._time.view[0] // width) - 1

    def _spread(self, metric: Metric, edges: Floats, without: int) -> Spread:
        start, stop = int(np.searchsorted(self._time.view, edges[0])), int(np.searchsorted(self._time.view, edges[-1]))
        values = self.values(metric, start, stop).astype(np.float32)
        bins = np.searchsorted(edges, self._time.view[start:stop], "right") - 1
        chosen = ~np.isnan(values)
        if without >= 0:
            chosen &= self._series.session[self._rows.view[start:stop]] != without
        return _spread(bins[chosen], values[chosen], len(edges) - 1)

    def follow(self, update: Update) -> None:
        """Take in what the series found, at the cost of what is new."""
        if update.regrouped or self._moved(update.amended):
            self._rebuild()
            return
        fresh = np.arange(update.first_new, len(self._series), dtype=np.int64)
        fresh = fresh[self._series.counting(fresh, self.session)]
        times = self._series.time_s[fresh]
        order = np.argsort(times, kind="stable")
        fresh, times = fresh[order], times[order]
        if len(fresh) and len(self) and times[0] < self._time.view[-1]:
            self._rebuild()
            return
        self._append(fresh, times)
        self._amend(update.amended)

    def _moved(self, amended: Ints) -> bool:
        """Was a point amended in its time, or in whether it counts?"""
        positions = self._places.view[amended]
        own = positions >= 0
        if (own != self._series.counting(amended, self.session)).any():
            return True
        return bool((self._time.view[positions[own]] != self._series.time_s[amended[own]]).any())

    def _amend(self, amended: Ints) -> None:
        positions = self._places.view[amended]
        positions = np.sort(positions[positions >= 0])
        if not len(positions):
            return
        rows = self._rows.view[positions]
        for metric, pyramid in self._pyramids.items():
            pyramid.put(positions, self._series.values(metric)[rows], self._series.rank[rows])
        self._outdate(float(self._time.view[positions[0]]))

    def _append(self, rows: Ints, times: Floats) -> None:
        first = len(self)
        self._places.append(np.full(len(self._series) - len(self._places), -1, np.int64))
        if not len(rows):
            return
        self._rows.append(rows)
        self._time.append(times)
        self._places.view[rows] = np.arange(first, len(self))
        for metric, pyramid in self._pyramids.items():
            pyramid.append(self._series.values(metric)[rows], self._series.rank[rows])
        self._outdate(float(times[0]))

    def _outdate(self, time_s: float) -> None:
        """The spreads that are kept do not hold from a time on."""
        for (_, width, _), kept in self._spreads.items():
            kept.good = min(kept.good, max(0, int(time_s // width) - self._lowest(width)))

    def _rebuild(self) -> None:
        rows = self._series.rows(self.session)
        rows = rows[np.argsort(self._series.time_s[rows], kind="stable")]
        self._rows, self._time, self._places = Growing(np.int64), Growing(np.float64), Growing(np.int64)
        self._pyramids, self._spreads = {}, {}
        self._append(rows, self._series.time_s[rows])


def stretches(first: int, stop: int, width: float) -> Floats:
    """Edges of the stretches numbered first to stop - 1, shape (stop - first + 1,)."""
    return np.arange(first, stop + 1, dtype=np.float64) * width


def _stretch(whole: Spread, first: int, stop: int) -> Spread:
    """A part of a spread, which may reach beyond both of its ends."""
    length = len(whole.p50)
    begin, end = min(max(first, 0), length), min(max(stop, 0), length)
    before, after = np.full(begin - first, np.nan), np.full(stop - first - (begin - first) - (end - begin), np.nan)
    p10, p50, p90 = (np.concatenate([before, column[begin:end], after]) for column in (whole.p10, whole.p50, whole.p90))
    return Spread(p10, p50, p90)


def _joined(begin: Spread, end: Spread) -> Spread:
    return Spread(
        np.concatenate([begin.p10, end.p10]),
        np.concatenate([begin.p50, end.p50]),
        np.concatenate([begin.p90, end.p90]),
    )


def _spread(bins: Ints, values: NDArray[np.float32], count: int) -> Spread:
    """One sort of (bin, value) pairs packed into integers: many times faster than a sort by two keys."""
    bits = values.view(np.int32).astype(np.int64)
    ordered = np.where(bits < 0, -(bits & 0x7FFF_FFFF), bits)
    keys = np.sort((bins << 33) + ordered + (1 << 32))
    numbers = np.bincount(bins, minlength=count)
    firsts = np.cumsum(numbers) - numbers
    some = numbers > 0

    def quantile(percent: int) -> Floats:
        at = firsts[some] + -(-numbers[some] * percent // 100) - 1
        picked = (keys[at] & ((1 << 33) - 1)) - (1 << 32)
        raw = np.where(picked < 0, -picked | 0x8000_0000, picked).astype(np.uint32)
        result = np.full(count, np.nan)
        result[some] = raw.view(np.float32)
        return result

    return Spread(quantile(10), quantile(50), quantile(90))
