"""The overview as exact series: what lies in each stretch of time of any width, of every lane and of the byte band.

Unlike what is painted it looks at every bar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.bars import Bars, Kind
from analyzer.stats.byte_band import sums_by_class
from analyzer.stats.clients import OLD_BASE_MS
from analyzer.stats.lane import Lane
from analyzer.stats.live import Ints
from analyzer.stats.timeline import Timeline


@dataclass(frozen=True, slots=True)
class LaneBins:
    """The stretches of a lane in which there are bars, arrays of shape (n,)."""

    numbers: Ints
    """Time divided by the width, ascending."""
    counts: Ints
    """Bars of each `Kind`, shape (n, kinds)."""
    worst: NDArray[np.uint8]
    """Greatest `Kind`."""
    least_us: NDArray[np.int32]
    """Least age of a baseline of those that are `FINE` or `OLD`; `bars.NO_AGE`: none is known."""
    age_us: NDArray[np.int32]
    """Greatest age of these."""

    @property
    def snapshots(self) -> Ints:
        """Bars in each stretch."""
        found: Ints = self.counts.sum(axis=1)
        return found


@dataclass(frozen=True, slots=True)
class BandBins:
    """The stretches in which there are snapshots of some lanes."""

    numbers: Ints
    """Ascending, shape (n,)."""
    bytes: Ints
    """By class of their parts, shape (classes, n)."""


def lane_bins(lane: Lane, width_ns: int, old_ms: float = OLD_BASE_MS) -> LaneBins:
    """The bars of a lane by stretches that are `width_ns` wide, of which number 0 begins with the first frame."""
    kinds = np.where(lane.age_us > old_ms * 1000, np.uint8(Kind.OLD), lane.kind)
    numbers, starts = np.unique(lane.time_ns // width_ns, return_index=True)
    if not len(numbers):
        empty = np.empty(0, np.int32)
        return LaneBins(numbers, np.zeros((0, len(Kind)), np.int64), np.empty(0, np.uint8), empty, empty)
    places = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(lane)))
    counts = np.bincount(places * len(Kind) + kinds, minlength=len(starts) * len(Kind)).reshape(-1, len(Kind))
    high = np.maximum.reduceat(lane.age_us, starts)
    low = np.minimum.reduceat(lane.age_us.view(np.uint32), starts).view(np.int32)
    return LaneBins(numbers, counts, np.maximum.reduceat(kinds, starts), low, high)


def band_bins(timeline: Timeline, flows: Sequence[int], width_ns: int) -> BandBins:
    """The bytes of the snapshots of some lanes by such stretches."""
    bars = Bars.together([timeline.lane(flow).bars() for flow in flows])
    numbers, places = np.unique(bars.time_ns // width_ns, return_inverse=True)
    return BandBins(numbers, np.stack(sums_by_class(places, bars.parts, bars.size, len(numbers))))
