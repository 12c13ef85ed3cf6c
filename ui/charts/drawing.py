"""What a chart of a given width draws: at most two points a pixel column, however many snapshots there are.

Everything here is arrays; nothing paints.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.quantiles import Spread
from analyzer.stats.rates import PacketRates
from analyzer.stats.series import Metric, Rank
from analyzer.stats.track import Track, stretches

Floats = NDArray[np.float64]

GAP_S = 2.0
"""A line stops where there is no snapshot for longer: servers send one a second even to a silent client."""
BIN_PIXELS = 3
SMALLEST_BIN_S = 0.04
"""The time between snapshots at the usual rate: shorter stretches would be empty in turn."""
RATE_STEPS_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 3600.0)
RATE_PIXELS = 4
TOGETHER_PIXELS = 5
"""Faults nearer to each other are shown as one stretch."""
SIGN_PIXELS = 9
FULL_AT_MOST = 0.2
"""Full snapshots are marked up to this share of what is in view: beyond it the marks say nothing."""


_NOTHING: Floats = np.empty(0)


def _none() -> Floats:
    return _NOTHING


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time on so many pixels."""

    start: float
    stop: float
    pixels: int

    @property
    def pixel_s(self) -> float:
        """Seconds a pixel."""
        return (self.stop - self.start) / self.pixels

    def edges(self, width: float) -> Floats:
        """Edges of columns of `width` seconds that cover it; they stay where they are while it moves."""
        return np.arange(np.floor(self.start / width), np.ceil(self.stop / width) + 1) * width


@dataclass(frozen=True, slots=True)
class Drawn:
    """Everything one chart paints. Times in seconds; a NaN in `y` is a gap."""

    x: Floats = field(default_factory=_none)
    y: Floats = field(default_factory=_none)
    left: Floats = field(default_factory=_none)
    """Edges of the bars, or of the band's steps."""
    right: Floats = field(default_factory=_none)
    low: Floats = field(default_factory=_none)
    high: Floats = field(default_factory=_none)

    @property
    def top(self) -> float:
        """Greatest value; 0 of nothing."""
        return max((float(np.nanmax(part)) for part in (self.y, self.high) if np.isfinite(part).any()), default=0.0)

    @property
    def bottom(self) -> float:
        """Least value, at most 0."""
        known = [float(np.nanmin(part)) for part in (self.y, self.low) if np.isfinite(part).any()]
        return min([0.0, *known])

    def seen_in(self, start: float, stop: float) -> bool:
        """Something of it lies between two times, or leads from before the one to behind the other."""
        if len(self.high):
            return bool(((self.right > start) & (self.left < stop)).any())
        known = np.isfinite(self.y)
        if (known & (self.x >= start) & (self.x <= stop)).any():
            return True
        return bool((known[:-1] & known[1:] & (self.x[:-1] < start) & (self.x[1:] > stop)).any())

    @property
    def empty(self) -> bool:
        """Nothing of it can be seen."""
        return not (np.isfinite(self.y).any() or len(self.high))


def line(track: Track, metric: Metric, window: Window) -> Drawn:
    """A line through the values, broken at gaps; the neighbours outside are in it, so that it reaches the edges."""
    start, stop = _around(track, window)
    if stop - start <= 2 * window.pixels:
        x, y = track.time_s[start:stop], track.values(metric, start, stop)
        return _broken(x, y, np.diff(x) > GAP_S)
    first, last, low, high = _columns(track, metric, window, start, stop)
    times = track.time_s
    middle = (times[first] + times[last]) / 2
    x, y = np.repeat(middle, 2), np.stack([low, high], axis=1).ravel()
    apart = np.zeros(max(0, len(x) - 1), np.bool_)
    apart[1::2] = times[first[1:]] - times[last[:-1]] > GAP_S
    return _broken(x, y, apart)


def points(track: Track, metric: Metric, window: Window) -> Drawn:
    """Values as single points; of a crowded column the least and the greatest."""
    start, stop = _around(track, window)
    if stop - start <= 2 * window.pixels:
        x, y = track.time_s[start:stop], track.values(metric, start, stop)
    else:
        first, last, low, high = _columns(track, metric, window, start, stop)
        x = np.repeat((track.time_s[first] + track.time_s[last]) / 2, 2)
        y = np.stack([low, high], axis=1).ravel()
        y[1::2][low == high] = np.nan
    known = np.isfinite(y)
    return Drawn(x[known], y[known])


def bars(track: Track, metric: Metric, window: Window) -> Drawn:
    """A bar a snapshot, or the greatest of a crowded column."""
    start, stop = _around(track, window)
    if 2 * (stop - start) <= window.pixels:
        x, high = track.time_s[start:stop], track.values(metric, start, stop)
        half = window.pixel_s * _bar_pixels(x, window) / 2
        left, right = x - half, x + half
    else:
        edges = window.edges(window.pixel_s)
        at = np.searchsorted(track.time_s, edges)
        high = track.extremes(metric, at[:-1], at[1:]).high
        left, right = edges[:-1], edges[1:]
    known = np.isfinite(high)
    return Drawn(left=left[known], right=right[known], low=np.zeros(int(known.sum())), high=high[known])


def band(track: Track, metric: Metric, window: Window, without: int) -> Drawn:
    """From the 10th to the 90th percentile of the others, in steps; no holes but where there is a gap."""
    edges, spread = _spread(track, metric, window, without)
    some = np.flatnonzero(np.isfinite(spread.p90))
    left, right = edges[some], edges[some + 1]
    if len(some):
        near = left[1:] - right[:-1] <= GAP_S
        right = np.append(np.where(near, left[1:], right[:-1]), right[-1])
    return Drawn(left=left, right=right, low=spread.p10[some], high=spread.p90[some])


def median(track: Track, metric: Metric, window: Window) -> Drawn:
    """The middle of all clients, stretch by stretch."""
    edges, spread = _spread(track, metric, window, -1)
    middle = spread.p50
    some = np.isfinite(middle)
    left, right = edges[:-1][some], edges[1:][some]
    return _broken((left + right) / 2, middle[some], left[1:] - right[:-1] > GAP_S)


def rate(rates: PacketRates, session: int, window: Window, *, in_bytes: bool) -> Drawn:
    """Packets, or kB, a second, in stretches of a round length."""
    wanted = RATE_PIXELS * window.pixel_s
    width = next((step for step in RATE_STEPS_S if step >= wanted), wanted)
    edges = window.edges(width)
    packets, sizes = rates.counts(session, edges)
    high = (sizes / 1000 if in_bytes else packets) / width
    some = high > 0
    gap = min(window.pixel_s, width / 4)
    return Drawn(left=edges[:-1][some], right=edges[1:][some] - gap, low=np.zeros(int(some.sum())), high=high[some])


@dataclass(frozen=True, slots=True)
class Fault:
    """Where snapshots were not fine, in one way: single ones, and stretches full of them."""

    signs: Floats
    """Times of signs that do not cover each other."""
    lines: Floats
    """Times of single ones."""
    left: Floats
    """Edges of the stretches, shape (stretches,)."""
    right: Floats


NO_FAULT = Fault(_none(), _none(), _none(), _none())


def faults(track: Track, window: Window) -> dict[Rank, Fault]:
    """What was not fine, the worst of each pixel column."""
    edges = window.edges(window.pixel_s)
    at = np.searchsorted(track.time_s, edges)
    worst = track.extremes(Metric.WIRE_BYTES, at[:-1], at[1:]).worst
    middle = (edges[:-1] + edges[1:]) / 2
    return {rank: _fault(middle[worst == rank], window.pixel_s) for rank in (Rank.UNKNOWN, Rank.LOST, Rank.FAILED)}


def _fault(times: Floats, pixel_s: float) -> Fault:
    begins = np.flatnonzero(np.diff(times, prepend=-np.inf) > TOGETHER_PIXELS * pixel_s)
    ends = np.append(begins[1:], len(times))[: len(begins)] - 1
    alone = begins == ends
    _, apart = np.unique(np.floor(times / (SIGN_PIXELS * pixel_s)), return_index=True)
    return Fault(
        times[apart],
        times[begins[alone]],
        times[begins[~alone]] - pixel_s / 2,
        times[ends[~alone]] + pixel_s / 2,
    )


@dataclass(frozen=True, slots=True)
class Marked:
    """Moments at which something was found, ascending, each with its session; -1: it is in none."""

    times: Floats = field(default_factory=_none)
    sessions: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    def signs(self, window: Window, session: int, most: float) -> Fault:
        """Where signs stand for one session, or for all (-1); nowhere where there are more than `most` moments."""
        start, stop = np.searchsorted(self.times, [window.start, window.stop]).tolist()
        times = self.times[start:stop]
        if session >= 0:
            times = times[self.sessions[start:stop] == session]
        if len(times) > most:
            return NO_FAULT
        _, apart = np.unique(np.floor(times / (SIGN_PIXELS * window.pixel_s)), return_index=True)
        return Fault(times[apart], _NOTHING, _NOTHING, _NOTHING)


def full(track: Track, metric: Metric, window: Window) -> Drawn:
    """The full snapshots in view; nothing where there are too many of them."""
    start, stop = track.between(window.start, window.stop)
    chosen = np.flatnonzero(track.full(start, stop)) + start
    if not len(chosen) or len(chosen) > FULL_AT_MOST * (stop - start) or len(chosen) > window.pixels:
        return Drawn()
    return Drawn(track.time_s[chosen], track.values(metric, start, stop)[chosen - start])


def prepare(track: Track, metric: Metric, window: Window, most: int) -> bool:
    """Sort about `most` of the values that `band` and `median` need. False: there are more."""
    width, first, stop = _steps(window)
    return track.prepare(metric, width, first, stop, most)


def _spread(track: Track, metric: Metric, window: Window, without: int) -> tuple[Floats, Spread]:
    """Quantiles of stretches, with their edges."""
    width, first, stop = _steps(window)
    return stretches(first, stop, width), track.spread(metric, width, first, stop, without)


def _steps(window: Window) -> tuple[float, int, int]:
    """Seconds of a stretch of 3 to 6 pixels, and which are in view. Few widths occur, so that a track can keep them."""
    doublings = np.ceil(np.log2(max(BIN_PIXELS * window.pixel_s / SMALLEST_BIN_S, 1.0)))
    width = SMALLEST_BIN_S * 2.0 ** int(doublings)
    return width, int(np.floor(window.start / width)), int(np.ceil(window.stop / width))


def _around(track: Track, window: Window) -> tuple[int, int]:
    """The points in view, and one more on each side."""
    start, stop = track.between(window.start, window.stop)
    return max(0, start - 1), min(len(track), stop + 1)


def _columns(
    track: Track, metric: Metric, window: Window, start: int, stop: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats]:
    """First and last point, least and greatest value of each pixel column that has points."""
    at = np.searchsorted(track.time_s, window.edges(window.pixel_s))
    at = np.unique(np.clip(np.concatenate([[start], at, [stop]]), start, stop)).astype(np.int64)
    found = track.extremes(metric, at[:-1], at[1:])
    return at[:-1], at[1:] - 1, found.low, found.high


def _broken(x: Floats, y: Floats, apart: NDArray[np.bool_]) -> Drawn:
    """Put a gap behind every point that is `apart` from the next."""
    behind = np.flatnonzero(apart) + 1
    return Drawn(np.insert(x, behind, x[behind - 1]), np.insert(y, behind, np.nan))


def _bar_pixels(x: Floats, window: Window) -> float:
    """As wide as leaves a gap, 1 to 3 pixels."""
    if len(x) < 2:
        return 3.0
    return float(np.clip(0.6 * np.median(np.diff(x)) / window.pixel_s, 1.0, 3.0))
