"""What percentiles of a session are told from: tallies while snapshots come, six numbers once it has ended."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np

from analyzer.stats.jitter import Jitter
from analyzer.stats.live import Ints
from analyzer.stats.session_traffic import Totals
from analyzer.stats.tally import Tally

_NONE = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Percentiles of a session. Times in nanoseconds; None where nothing was counted."""

    size_p95: int | None
    base_age_p50: int | None
    base_age_p99: int | None
    ack_p50: int | None
    ack_p99: int | None
    jitter_p99: int | None


NO_QUANTILES = Quantiles(None, None, None, None, None, None)


class SessionTallies:
    """Of one session."""

    def __init__(self) -> None:
        self.sizes = Tally()
        self.ages = Tally()
        """How long before a snapshot its base came."""
        self.trips = Tally()
        """How long after a snapshot its acknowledgement came."""
        self.jitter = Jitter()

    def __len__(self) -> int:
        """Numbers that are kept."""
        return len(self.sizes) + len(self.ages) + len(self.trips) + len(self.jitter)

    def quantiles(self) -> Quantiles:
        """As of now."""
        age_p50, age_p99 = self.ages.quantiles(50, 99)
        ack_p50, ack_p99 = self.trips.quantiles(50, 99)
        return Quantiles(self.sizes.quantiles(95)[0], age_p50, age_p99, ack_p50, ack_p99, self.jitter.quantile(99))


class Finished:
    """The percentiles of sessions that ended."""

    def __init__(self) -> None:
        self._values = Totals(6)

    def keep(self, session: int, quantiles: Quantiles) -> None:
        """Until they are kept anew."""
        self._values.fit(session + 1)
        self._values.row(session)[:] = [_NONE if value is None else value for value in astuple(quantiles)]

    def of(self, session: int) -> Quantiles:
        """Of a session whose percentiles are kept."""
        return Quantiles(*(None if value == _NONE else value for value in self._values.row(session).tolist()))


class Spans:
    """First and last snapshot row of every session."""

    def __init__(self) -> None:
        self._rows = Totals(2)
        """One more than each row: 0 where there is none."""

    def extend(self, sessions: Ints, firsts: Ints, lasts: Ints) -> None:
        """Rows of sessions, each once, that come after those known, shape (n,)."""
        self._rows.fit(int(sessions.max()) + 1)
        first, last = self._rows.column(0), self._rows.column(1)
        first[sessions] = np.where(first[sessions] == 0, firsts + 1, first[sessions])
        last[sessions] = lasts + 1

    def of(self, session: int) -> tuple[int, int] | None:
        """First and last row; None where there are none."""
        last = self._rows.of(session, 1)
        return (self._rows.of(session, 0) - 1, last - 1) if last else None

    def known(self, sessions: Ints) -> tuple[Ints, Ints]:
        """Those of `sessions` that have rows, and first and last row of each, shape (n, 2)."""
        sessions = sessions[sessions < len(self._rows)]
        sessions = sessions[self._rows.column(1)[sessions] > 0]
        return sessions, np.stack((self._rows.column(0), self._rows.column(1)), axis=1)[sessions] - 1
