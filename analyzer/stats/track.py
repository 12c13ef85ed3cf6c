"""The snapshots of one session, or of all, in the order of their times, with a pyramid for each number drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.pyramid import Extremes, Pyramid
from analyzer.stats.quantiles import SortedStretches, Spread, keys_of
from analyzer.stats.series import Metric, Rank, SnapshotSeries, Update
from analyzer.store.growing import Growing

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

LONG = 20_000
"""Points whose quantiles are worth keeping."""
KEPT_SPREADS = 12
"""Of 8 bytes a point."""


_NOBODY = np.empty(0, np.int64)


class Track:
    """Points of one session (-1: of all). `follow` every update of its series."""

    def __init__(self, series: SnapshotSeries, session: int) -> None:
        self.session = session
        self._series = series
        self._memory = series.tables.chunks
        self._rows: Growing[np.int64] = Growing(np.int64, self._memory)
        self._time: Growing[np.float64] = Growing(np.float64, self._memory)
        self._owners: Growing[np.int32] = Growing(np.int32, self._memory)
        self._places: Growing[np.int32] = Growing(np.int32, self._memory)
        """Position of each snapshot row, -1 of those of other sessions."""
        self._pyramids: dict[Metric, Pyramid] = {}
        self._sorted: dict[tuple[Metric, float], SortedStretches] = {}
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
            pyramid = self._pyramids[metric] = Pyramid(self._memory)
            pyramid.append(self.values(metric), self._series.rank[self._rows.view])
        return self._pyramids[metric].extremes(starts, stops)

    def spread(self, metric: Metric, width: float, first: int, stop: int, without: int = -1) -> Spread:
        """Quantiles of the stretches of `width` seconds numbered first to stop - 1; number 0 begins at 0 s.

        `without` leaves one session out. What is long is kept sorted: the next look at stretches of this width costs
        no more than what came since then, whichever session is left out.
        """
        edges = stretches(first, stop, width)
        begin, end = np.searchsorted(self._time.view, (edges[0], edges[-1])).tolist()
        if end - begin <= LONG:
            found = SortedStretches()
            chosen = np.arange(begin, end)
            self._add(found, metric, edges, chosen[self._owners.view[begin:end] != without] if without >= 0 else chosen)
            return found.spread(0, stop - first, _NOBODY)
        self._sort(metric, width, stop, len(self))
        lowest = self._lowest(width)
        left_out = _NOBODY
        if without >= 0:
            own = np.flatnonzero(self._owners.view[begin:end] == without) + begin
            left_out = keys_of(*self._binned(metric, edges, own, first - lowest))
        return self._sorted[metric, width].spread(first - lowest, stop - lowest, left_out)

    def prepare(self, metric: Metric, width: float, first: int, stop: int, most: int) -> bool:
        """Sort what `spread` needs, about `most` points at a time. False: there is more."""
        begin, end = np.searchsorted(self._time.view, (first * width, stop * width)).tolist()
        return end - begin <= LONG or self._sort(metric, width, stop, most)

    def _sort(self, metric: Metric, width: float, stop: int, most: int) -> bool:
        """Sort about `most` points at most, or those of one stretch, before stretch `stop`. False: there is more."""
        lowest, times = self._lowest(width), self._time.view
        if (metric, width) not in self._sorted and len(self._sorted) >= KEPT_SPREADS:
            del self._sorted[next(iter(self._sorted))]
        kept = self._sorted.setdefault((metric, width), SortedStretches(self._memory))
        first, wanted = lowest + len(kept), min(stop, int(times[-1] // width) + 2)
        if first >= wanted:
            return True
        last = int(np.searchsorted(times, first * width)) + most
        end = wanted if last >= len(times) else min(wanted, max(first + 1, int(times[last] // width)))
        edges = stretches(first, end, width)
        begin, stop_at = np.searchsorted(times, (edges[0], edges[-1])).tolist()
        self._add(kept, metric, edges, np.arange(begin, stop_at))
        return end == wanted

    def _add(self, kept: SortedStretches, metric: Metric, edges: Floats, points: Ints) -> None:
        bins, values = self._binned(metric, edges, points, 0)
        kept.add(bins, values, len(edges) - 1)

    def _binned(self, metric: Metric, edges: Floats, points: Ints, number: int) -> tuple[Ints, Floats]:
        """Stretch and value of those points that have a value; the first stretch has this number."""
        values = self._series.values(metric)[self._rows.view[points]]
        bins = np.searchsorted(edges, self._time.view[points], "right") - 1 + number
        known = ~np.isnan(values)
        return bins[known], values[known]

    def _lowest(self, width: float) -> int:
        """Number of the stretch before the first point."""
        return int(self._time.view[0] // width) - 1

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
            self._insert(fresh, times)
        else:
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
        places = self._places.view[amended]
        positions = np.sort(places[places >= 0]).astype(np.int64)
        if not len(positions):
            return
        rows = self._rows.view[positions]
        for metric, pyramid in self._pyramids.items():
            pyramid.put(positions, self._series.values(metric)[rows], self._series.rank[rows])
        self._outdate(float(self._time.view[positions[0]]))

    def _append(self, rows: Ints, times: Floats) -> None:
        first = len(self)
        self._places.append(np.full(len(self._series) - len(self._places), -1, np.int32))
        if not len(rows):
            return
        self._rows.append(rows)
        self._time.append(times)
        self._owners.append(self._series.session[rows])
        self._places.view[rows] = np.arange(first, len(self))
        for metric, pyramid in self._pyramids.items():
            pyramid.append(self._series.values(metric)[rows], self._series.rank[rows])
        self._outdate(float(times[0]))

    def _insert(self, rows: Ints, times: Floats) -> None:
        """New points of which some are older than the last one, as snapshots are that were given up late."""
        start = int(np.searchsorted(self._time.view, times[0], "right"))
        rows = np.concatenate([self._rows.view[start:], rows])
        times = np.concatenate([self._time.view[start:], times])
        order = np.argsort(times, kind="stable")
        self._rows.cut(start)
        self._time.cut(start)
        self._owners.cut(start)
        for pyramid in self._pyramids.values():
            pyramid.cut(start)
        self._append(rows[order], times[order])

    def _outdate(self, time_s: float) -> None:
        """What is kept sorted does not hold from a time on."""
        for (_, width), kept in self._sorted.items():
            # One less: an edge may be rounded otherwise.
            kept.cut(max(0, int(time_s // width) - 1 - self._lowest(width)))

    def _rebuild(self) -> None:
        rows = self._series.rows(self.session)
        rows = rows[np.argsort(self._series.time_s[rows], kind="stable")]
        self._rows, self._time, self._places = (
            Growing(np.int64, self._memory),
            Growing(np.float64, self._memory),
            Growing(np.int32, self._memory),
        )
        self._owners = Growing(np.int32, self._memory)
        self._pyramids, self._sorted = {}, {}
        self._append(rows, self._series.time_s[rows])


def stretches(first: int, stop: int, width: float) -> Floats:
    """Edges of the stretches numbered first to stop - 1, shape (stop - first + 1,)."""
    return np.arange(first, stop + 1, dtype=np.float64) * width
