"""What charts plot of each snapshot: sizes, parts, items, age of its base, time until it was acknowledged.

Derived from published rows only, as they come, and again where the journal says that rows were amended.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum

import numpy as np
from numpy.typing import NDArray

from analyzer.snapshots.status import REPEATED, LostBy, Status
from analyzer.stats.live import packet_times
from analyzer.stats.moments import sent_bases, standing_packets
from analyzer.stats.snapshots import rebuilt_mask
from analyzer.store.growing import Growing
from analyzer.store.tables import Tables

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_NO_ROWS: Ints = np.empty(0, np.int64)


class Metric(Enum):
    """A number of a snapshot. NaN where it has none."""

    WIRE_BYTES = "wire_bytes"
    """UDP payload of the datagrams that carried its parts."""
    DELTA_BYTES = "delta_bytes"
    """Sum of part lengths."""
    PARTS = "parts"
    """Parts announced."""
    ITEMS = "items"
    """Items; only of a snapshot that was rebuilt."""
    BASE_AGE_MS = "base_age_ms"
    """From the packet that completed its base to its own; none without a base, or where the base was not seen."""
    BASE_AGE_TICKS = "base_age_ticks"
    """Its tick minus its base's, known also where the base was not seen."""
    ACK_MS = "ack_ms"
    """From its packet to the one that acknowledged it."""


class Rank(IntEnum):
    """How bad a snapshot is, for marks: where several fall on one pixel, the worst shows."""

    FINE = 0
    UNKNOWN = 1
    """Not rebuilt, because of what the capture lacks."""
    LOST = 2
    """Not rebuilt, because the network lost something, or may have."""
    FAILED = 3
    """Wrong checksum, malformed, the game's or our own mistake, or its base failed so."""


_WRONG = (Status.CRC, Status.MALFORMED, Status.BUG, Status.ERROR)
_DEPENDS_ON = {
    "tick",
    "base_tick",
    "base",
    "packet",
    "first_part",
    "part_count",
    "parts",
    "wire_bytes",
    "delta_bytes",
    "items",
    "status",
    "cause",
    "lost_by",
    "acked_packet",
}


@dataclass(frozen=True, slots=True)
class Update:
    """What `SnapshotSeries.update` found."""

    first_new: int
    """Rows from here on are new."""
    amended: Ints
    """Older rows with another number or rank than before, ascending."""
    regrouped: bool
    """Readings were replaced: which rows count is another question now."""


class SnapshotSeries:
    """Numbers of every snapshot row, in row order. Call `update` when rows were added or amended."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._journal = tables.journal.reader()
        self._stale: list[tuple[int, int]] = []
        """Stretches of rows that were amended and not looked at since."""
        memory = tables.chunks
        self._values: dict[Metric, Growing[np.float64]] = {metric: Growing(np.float64, memory) for metric in Metric}
        self._time: Growing[np.float64] = Growing(np.float64, memory)
        self._rank: Growing[np.uint8] = Growing(np.uint8, memory)
        self._session: Growing[np.int32] = Growing(np.int32, memory)
        self._full: Growing[np.bool_] = Growing(np.bool_, memory)
        self._drawn: Growing[np.bool_] = Growing(np.bool_, memory)

    def __len__(self) -> int:
        return len(self._time)

    @property
    def time_s(self) -> Floats:
        """Time of the packet that decided it, in seconds from the first frame, shape (rows,)."""
        return self._time.view

    @property
    def rank(self) -> NDArray[np.uint8]:
        """`Rank` of each row."""
        return self._rank.view

    @property
    def session(self) -> NDArray[np.int32]:
        """Session row of each row."""
        return self._session.view

    @property
    def full(self) -> NDArray[np.bool_]:
        """Which were rebuilt from nothing."""
        return self._full.view

    def values(self, metric: Metric) -> Floats:
        """A number of each row."""
        return self._values[metric].view

    def rows(self, session: int = -1) -> Ints:
        """Rows that count, of a session or (-1) of all, ascending: of live readings, without late and double parts."""
        if session < 0:
            return np.flatnonzero(self.counting(slice(None)))
        own = np.flatnonzero(self._session.view == session)
        return own[self.counting(own)]

    def counting(self, rows: Ints | slice, session: int = -1) -> NDArray[np.bool_]:
        """Which of `rows` are among those of `rows(session)`, shape like `rows`."""
        sessions = self._session.view[rows]
        readings = self.tables.sessions.integers("reading")
        alive = self.tables.readings.array("alive").astype(np.bool_)
        chosen: NDArray[np.bool_] = self._drawn.view[rows] & alive[readings[sessions]]
        return chosen if session < 0 else chosen & (sessions == session)

    @property
    def is_current(self) -> bool:
        """Nothing was published or amended that `update` left for the next time."""
        return len(self) == len(self.tables.snapshots) and not len(self._journal) and not self._stale

    def update(self, most: int | None = None) -> Update:
        """Take in what was published and amended since the last call, about so many new rows and old ones at most."""
        known, published = len(self), len(self.tables.snapshots)
        if most is not None:
            published = min(published, known + most)
        regrouped = self._note_amendments(known)
        amended = self._replace(self._take_stale(most))
        for start in range(known, published, 65_536):
            self._append(start, min(start + 65_536, published))
        return Update(known, amended, regrouped)

    def _note_amendments(self, known: int) -> bool:
        """Note which rows are to be derived again. Were readings replaced?"""
        regrouped = False
        for amendment in self._journal.take():
            if amendment.table == "snapshots" and amendment.column in _DEPENDS_ON:
                # The rank of a snapshot rests on the status of another.
                everything = amendment.column == "status"
                start, stop = (0, known) if everything else (amendment.start, min(amendment.stop, known))
                if start < stop:
                    self._stale.append((start, stop))
            elif (amendment.table, amendment.column) in (("readings", "alive"), ("sessions", "reading")):
                regrouped = True
        return regrouped

    def _take_stale(self, most: int | None) -> Ints:
        """Rows to derive again, ascending, about `most`; what is left of a stretch waits."""
        found: list[Ints] = []
        left: list[tuple[int, int]] = []
        end, room = 0, sys.maxsize if most is None else most
        for start, stop in sorted(self._stale):
            first = max(start, end)
            end = max(end, min(stop, first + room))
            found.append(np.arange(first, end))
            room -= len(found[-1])
            if end < stop:
                left.append((max(start, end), stop))
        self._stale = left
        return np.concatenate(found) if found else _NO_ROWS

    def _append(self, start: int, stop: int) -> None:
        derived = _Derived(self.tables, slice(start, stop))
        self._time.append(derived.time_s)
        self._rank.append(derived.rank)
        self._session.append(self.tables.snapshots.array("session", start, stop).astype(np.int32))
        self._full.append(derived.full)
        self._drawn.append(derived.drawn)
        for metric, values in derived.values():
            self._values[metric].append(values)

    def _replace(self, rows: Ints) -> Ints:
        """Derive older rows again; those that came out otherwise."""
        if not len(rows):
            return rows
        derived = _Derived(self.tables, rows)
        differs = np.not_equal(self._rank.view[rows], derived.rank)
        differs |= self._time.view[rows] != derived.time_s
        differs |= self._drawn.view[rows] != derived.drawn
        self._time.view[rows] = derived.time_s
        self._rank.view[rows] = derived.rank
        self._full.view[rows] = derived.full
        self._drawn.view[rows] = derived.drawn
        for metric, values in derived.values():
            old = self._values[metric].view
            differs |= ~((old[rows] == values) | (np.isnan(old[rows]) & np.isnan(values)))
            old[rows] = values
        changed: Ints = rows[differs]
        return changed


class _Derived:
    """The numbers of some snapshot rows, shape (n,) each; a stretch of them costs least."""

    def __init__(self, tables: Tables, rows: Ints | slice) -> None:
        self._tables = tables
        self._rows = rows
        status = self._column("status")
        self._time_ns = packet_times(tables, standing_packets(tables, self._column, status))
        self.time_s: Floats = (self._time_ns - tables.frames.integer("time_ns", 0)) / 1e9
        self._rebuilt = rebuilt_mask(status)
        self.rank = self._rank(status)
        self.full: NDArray[np.bool_] = self._rebuilt & (self._column("base_tick") < 0)
        self.drawn: NDArray[np.bool_] = ~np.isin(status, REPEATED)

    def values(self) -> Iterator[tuple[Metric, Floats]]:
        for metric in (Metric.WIRE_BYTES, Metric.DELTA_BYTES, Metric.PARTS):
            yield metric, self._column(metric.value).astype(np.float64)
        yield Metric.ITEMS, np.where(self._rebuilt, self._column("items"), np.nan)
        yield Metric.BASE_AGE_MS, 0.0 - self._until(sent_bases(self._tables, self._column("base")))
        base_tick = self._column("base_tick")
        yield Metric.BASE_AGE_TICKS, np.where(base_tick >= 0, self._column("tick") - base_tick, np.nan)
        yield Metric.ACK_MS, self._until(self._column("acked_packet"))

    def _until(self, packets: Ints) -> Floats:
        """Milliseconds from each snapshot's packet to another; NaN for packet -1."""
        known = packets >= 0
        result = np.full(len(packets), np.nan)
        result[known] = (packet_times(self._tables, packets[known]) - self._time_ns[known]) / 1e6
        return result

    def _rank(self, status: Ints) -> NDArray[np.uint8]:
        lost_by, cause = self._column("lost_by"), self._column("cause")
        root = status.copy()
        root[cause >= 0] = self._tables.snapshots.take("status", cause[cause >= 0])
        rank = np.full(len(status), Rank.LOST, np.uint8)
        rank[np.isin(lost_by, (LostBy.CAPTURE, LostBy.LIMIT))] = Rank.UNKNOWN
        rank[np.isin(root, _WRONG) | (lost_by == LostBy.GAME)] = Rank.FAILED
        rank[(status == Status.OK) | np.isin(status, REPEATED)] = Rank.FINE
        return rank

    def _column(self, name: str) -> Ints:
        if isinstance(self._rows, slice):
            return self._tables.snapshots.integers(name, self._rows.start, self._rows.stop)
        return self._tables.snapshots.take(name, self._rows).astype(np.int64)
