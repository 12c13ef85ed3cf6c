"""How unevenly the snapshots of a session came: what the time between two differs from what their ticks say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.tally import MOST_CELLS, Tally, even, quantiles

Ints = NDArray[np.int64]

MOST_TICKS = 16
"""What is further apart is judged by the time that a tick took until then, once there are many snapshots."""
NO_PAIRS = np.empty((3, 0), np.int64)


class Jitter:
    """One session's deviations, of every two snapshots that follow each other; never negative, in the unit of times.

    How long a tick takes is not on the wire: it is the session's time over its ticks, so it is known better with every
    snapshot, and a session that went through less than two ticks has no deviations. The first `MOST_CELLS` pairs are
    kept as they are. Of more, times are counted by how many ticks they took (`tally.even`): what is told then is within
    a 2,048th of the stretch of time in which nearly all pairs of so many ticks lie.
    """

    def __init__(self) -> None:
        self._first: tuple[int, int] | None = None
        """Time and tick."""
        self._last = 0, 0
        self._pairs = NO_PAIRS
        """Ticks, time, and deviation from what a tick took until then."""
        self._by_ticks: dict[int, Tally] = {}
        self._far = Tally()
        """Deviations of those further apart."""
        self._folded = False

    def __len__(self) -> int:
        """Numbers that are kept."""
        return self._pairs.shape[1] + len(self._far) + sum(map(len, self._by_ticks.values()))

    def add(self, times: Ints, ticks: Ints) -> None:
        """The next snapshots, in the order in which they came, shape (n,)."""
        if not len(times):
            return
        is_begun = self._first is not None
        first = self._first = self._first or (int(times[0]), int(ticks[0]))
        passed, took = np.diff(ticks, prepend=self._last[1]), np.diff(times, prepend=self._last[0])
        until, after = ticks - first[1], times - first[0]
        per_tick = np.where(until > 1, after / np.maximum(until, 1), 0.0)
        pairs = np.stack((passed, took, np.rint(np.abs(took - passed * per_tick)).astype(np.int64)))
        if not is_begun:
            pairs = pairs[:, 1:]
        self._last = int(times[-1]), int(ticks[-1])
        if self._folded:
            self._count(pairs)
            return
        self._pairs = np.concatenate((self._pairs, pairs), axis=1)
        if self._pairs.shape[1] > MOST_CELLS:
            self._count(self._pairs)
            self._pairs, self._folded = NO_PAIRS, True

    def quantile(self, percent: int) -> int | None:
        """The deviation of nearest rank, `percent` from 1 to 100."""
        if self._first is None or self._last[1] - self._first[1] <= 1:
            return None
        per_tick = (self._last[0] - self._first[0]) / (self._last[1] - self._first[1])
        passed, took, _ = self._pairs
        values, counts = [np.abs(took - passed * per_tick)], [np.ones(len(took), np.int64)]
        for ticks, tally in self._by_ticks.items():
            times, often = tally.counted()
            values.append(np.abs(times - ticks * per_tick))
            counts.append(often)
        far, often = self._far.counted()
        every, numbers = np.concatenate([*values, far]), np.concatenate([*counts, often])
        order = np.argsort(every)
        return quantiles(np.rint(every[order]).astype(np.int64), numbers[order], (percent,))[0]

    def _count(self, pairs: Ints) -> None:
        passed, took, deviation = pairs
        near = (passed > 0) & (passed <= MOST_TICKS)
        for ticks in np.unique(passed[near]).tolist():
            self._by_ticks.setdefault(ticks, Tally(even)).add(took[passed == ticks])
        if not near.all():
            self._far.add(deviation[~near])
