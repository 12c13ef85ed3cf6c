"""What is counted of every session, from rows as they come: it costs what is new, and is bounded in memory.

Percentiles, which need every value, are told from tallies; what is kept for each row is where the tables are.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from analyzer.snapshots.status import REPEATED, LostBy, Proof, Status
from analyzer.stats.groups import stable_order
from analyzer.stats.history import History
from analyzer.stats.jitter import Jitter
from analyzer.stats.live import Ints, packet_times
from analyzer.stats.session_traffic import SessionTraffic, Totals
from analyzer.stats.snapshots import failed_mask, rebuilt_mask, root_statuses
from analyzer.stats.tally import Tally
from analyzer.store.chunk_memory import ChunkMemory
from analyzer.store.columns import CHUNK_ROWS
from analyzer.store.growing import Growing
from analyzer.store.tables import Tables

Mask = NDArray[np.bool_]

AWAKE_UPDATES = 20
"""After so many updates without a row, a session's tallies move to where the tables are."""
_WRONG = (Status.CRC, Status.MALFORMED, Status.BUG, Status.ERROR)
_FAILED_BIT = 7
"""Of a row's standing; below it who lost it."""
_FIXED = ("session", "packet", "tick", "base_tick", "base", "status", "proof", "wire_bytes", "parts")


class Total(IntEnum):
    """Sums over a session's snapshots; behind them, by `LostBy`, how many of those not rebuilt."""

    SNAPSHOTS = 0
    REBUILT = 1
    PROVED = 2
    FAILED = 3
    WRONG = 4
    FULL = 5
    SIZE = 6
    PARTS = 7


_WIDTH = len(Total) + len(LostBy)


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Percentiles of a session. Times in nanoseconds; None where nothing was counted."""

    size_p95: int | None
    base_age_p50: int | None
    base_age_p99: int | None
    ack_p50: int | None
    ack_p99: int | None
    jitter_p99: int | None


class ClientCounts:
    """Of every session, of any reading. Call `update` when rows were added or amended; one thread at a time."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._journal = tables.journal.reader()
        self.traffic = SessionTraffic(tables)
        self._begin()

    def __len__(self) -> int:
        """Snapshot rows taken in."""
        return len(self._acked)

    def update(self) -> None:
        """Take in what was published and amended since the last call."""
        stretches = self._amended()
        self.traffic.update()
        for start, stop in stretches:
            for first in range(start, stop, CHUNK_ROWS):
                self._derive_again(first, min(first + CHUNK_ROWS, stop))
        known, published = len(self), len(self._tables.snapshots)
        for start in range(known, published, CHUNK_ROWS):
            self._append(start, min(start + CHUNK_ROWS, published))
        self._park()

    def total(self, session: int, what: Total) -> int:
        """A sum of a session."""
        return self._totals.of(session, what)

    def lost_by(self, session: int) -> dict[LostBy, int]:
        """Snapshots that were not rebuilt, by who lost them."""
        return {loser: self._totals.of(session, len(Total) + loser) for loser in LostBy}

    def quantiles(self, session: int) -> Quantiles:
        """Percentiles of a session."""
        found = self._sessions.get(session)
        return NO_QUANTILES if found is None else found.quantiles()

    def history(self, session: int) -> History | None:
        """The snapshots of a session, repetitions left out; None where there are none."""
        found = self._sessions.get(session)
        return None if found is None else found.history()

    @property
    def cells(self) -> int:
        """Numbers that tallies keep, of all sessions."""
        return sum(len(session) for session in self._sessions.values())

    def _begin(self) -> None:
        memory = self._tables.chunks
        self._acked: Growing[np.int32] = Growing(np.int32, memory)
        self._standing: Growing[np.uint8] = Growing(np.uint8, memory)
        self._totals = Totals(_WIDTH)
        self._sessions: dict[int, _Session] = {}
        self._awake: OrderedDict[int, int] = OrderedDict()
        """Session -> update that had a row of it last, the longest silent first."""
        self._updates = 0

    def _amended(self) -> list[tuple[int, int]]:
        """Stretches of rows that were taken in and amended since, ascending; no longer what they overlap."""
        known, found = len(self), []
        for amendment in self._journal.take():
            if amendment.table != "snapshots":
                continue
            if amendment.column in _FIXED:
                # No reading does that; so all is counted anew.
                self._begin()
                return []
            if amendment.column in ("acked_packet", "lost_by", "cause") and amendment.start < known:
                # A snapshot stands as its cause does, which comes before it.
                stop = min(amendment.stop, known) if amendment.column == "acked_packet" else known
                found.append((amendment.start, stop))
        joined: list[tuple[int, int]] = []
        for start, stop in sorted(found):
            if joined and start <= joined[-1][1]:
                joined[-1] = joined[-1][0], max(joined[-1][1], stop)
            else:
                joined.append((start, stop))
        return joined

    def _append(self, start: int, stop: int) -> None:
        rows = _Rows(self._tables, np.arange(start, stop))
        self._acked.append(rows.acked.astype(np.int32))
        self._standing.append(rows.standing())
        rows = rows.counted()
        if not len(rows.rows):
            return
        session, rebuilt = rows["session"], rows.rebuilt
        full = rebuilt & (rows["base_tick"] < 0)
        numbers, firsts = np.unique(session, return_index=True)
        self._totals.fit(int(numbers[-1]) + 1)
        # The first of a session has nothing that it could be based on.
        full[firsts[self._totals.column(Total.SNAPSHOTS)[numbers] == 0]] = False
        self._totals.add(session, Total.SNAPSHOTS, np.ones(len(session)))
        self._totals.add(session, Total.REBUILT, rebuilt)
        self._totals.add(session, Total.PROVED, rebuilt & (rows["proof"] != Proof.NONE))
        self._totals.add(session, Total.FULL, full)
        self._totals.add(session, Total.SIZE, np.where(rebuilt, rows["wire_bytes"], 0))
        self._totals.add(session, Total.PARTS, np.where(rebuilt, rows["parts"], 0))
        self._stand(rows, rows.lost_by, rows.failed, 1)
        times, bases = packet_times(self._tables, rows["packet"]), rows["base"]
        # Of a snapshot without a base, or without an acknowledgement, anything.
        packets = self._tables.snapshots.take("packet", np.maximum(bases, 0)).astype(np.int64)
        ages, trips = times - packet_times(self._tables, packets), self._trips(rows.acked, times)
        for number, own in _by_session(session):
            mine = self._session(number)
            mine.append(rows, own, times[own])
            mine.ages.add(ages[own][bases[own] >= 0])
            mine.trips.add(trips[own][rows.acked[own] >= 0])

    def _derive_again(self, start: int, stop: int) -> None:
        """Rows start to stop - 1: what came out otherwise is counted so."""
        every = _Rows(self._tables, np.arange(start, stop))
        acked, standing = self._acked.view[start:stop], self._standing.view[start:stop]
        changed = np.flatnonzero((acked != every.acked) | (standing != every.standing()))
        if not len(changed):
            return
        before_acked, before = acked[changed].astype(np.int64), standing[changed].astype(np.int64)
        acked[changed], standing[changed] = every.acked[changed], every.standing()[changed]
        rows = every.part(changed)
        counts = ~rows.repeated
        rows, before_acked, before = rows.part(counts), before_acked[counts], before[counts]
        lost_by, failed = before & ((1 << _FAILED_BIT) - 1), before >> _FAILED_BIT != 0
        self._stand(rows, lost_by, failed, -1)
        self._stand(rows, rows.lost_by, rows.failed, 1)
        times = packet_times(self._tables, rows["packet"])
        gone, come = self._trips(before_acked, times), self._trips(rows.acked, times)
        for number, own in _by_session(rows["session"]):
            mine = self._session(number)
            mine.trips.remove(gone[own][before_acked[own] >= 0])
            mine.trips.add(come[own][rows.acked[own] >= 0])

    def _trips(self, acked: Ints, times: Ints) -> Ints:
        """How long after `times` the packets `acked` came; of -1 anything."""
        return packet_times(self._tables, np.maximum(acked, 0)) - times

    def _stand(self, rows: _Rows, lost_by: Ints, failed: Mask, sign: int) -> None:
        """Count, or with a sign of -1 take back, what may be amended of rows."""
        session, lost = rows["session"], ~rows.rebuilt
        wrong = np.isin(rows["status"], _WRONG) | (lost & (lost_by == LostBy.GAME))
        self._totals.add(session, Total.FAILED, sign * failed.astype(np.int64))
        self._totals.add(session, Total.WRONG, sign * wrong.astype(np.int64))
        for loser in np.unique(lost_by[lost]).tolist():
            mine = lost & (lost_by == loser)
            self._totals.add(session, len(Total) + loser, sign * mine.astype(np.int64))

    def _session(self, number: int) -> _Session:
        found = self._sessions.get(number)
        if found is None:
            found = self._sessions[number] = _Session(self._tables.chunks)
        found.outdate()
        self._awake[number] = self._updates
        self._awake.move_to_end(number)
        return found

    def _park(self) -> None:
        self._updates += 1
        while self._awake:
            number, updated = next(iter(self._awake.items()))
            if updated > self._updates - AWAKE_UPDATES:
                break
            self._sessions[number].park(self._tables.chunks)
            del self._awake[number]


class _Rows:
    """Columns of some snapshot rows, shape (n,) each."""

    def __init__(self, tables: Tables, rows: Ints) -> None:
        snapshots = tables.snapshots
        self.rows = rows
        self._columns = {name: snapshots.take(name, rows).astype(np.int64) for name in _FIXED}
        self.acked = snapshots.take("acked_packet", rows).astype(np.int64)
        self.lost_by = snapshots.take("lost_by", rows).astype(np.int64)
        status = self["status"]
        self.rebuilt: Mask = rebuilt_mask(status)
        self.repeated: Mask = np.isin(status, REPEATED)
        self.failed: Mask = failed_mask(status, root_statuses(tables, rows))

    def __getitem__(self, column: str) -> Ints:
        return self._columns[column]

    def standing(self) -> NDArray[np.uint8]:
        """What may be amended, but for the acknowledgement, in one number."""
        return (self.lost_by | self.failed.astype(np.int64) << _FAILED_BIT).astype(np.uint8)

    def counted(self) -> _Rows:
        """Those that do not repeat another."""
        return self.part(~self.repeated)

    def part(self, which: Mask | Ints) -> _Rows:
        """Some of them."""
        part = object.__new__(_Rows)
        part.rows, part.acked, part.lost_by = self.rows[which], self.acked[which], self.lost_by[which]
        part.rebuilt, part.repeated, part.failed = self.rebuilt[which], self.repeated[which], self.failed[which]
        part._columns = {name: column[which] for name, column in self._columns.items()}
        return part


class _Session:
    """What is kept of one session."""

    def __init__(self, memory: ChunkMemory) -> None:
        self.ages = Tally()
        """How long before a snapshot its base came."""
        self.trips = Tally()
        """How long after a snapshot its acknowledgement came."""
        self._sizes, self._jitter = Tally(), Jitter()
        self._rows: Growing[np.int32] = Growing(np.int32, memory)
        self._packets: Growing[np.int32] = Growing(np.int32, memory)
        self._ticks: Growing[np.int32] = Growing(np.int32, memory)
        self._base_ticks: Growing[np.int32] = Growing(np.int32, memory)
        self._quantiles: Quantiles | None = None

    def __len__(self) -> int:
        return len(self._sizes) + len(self.ages) + len(self.trips) + len(self._jitter)

    def append(self, rows: _Rows, own: Ints, times: Ints) -> None:
        """The next snapshots: those of `rows` that are the session's, and the times of their packets."""
        self._rows.append(rows.rows[own].astype(np.int32))
        self._packets.append(rows["packet"][own].astype(np.int32))
        self._ticks.append(rows["tick"][own].astype(np.int32))
        self._base_ticks.append(rows["base_tick"][own].astype(np.int32))
        good = rows.rebuilt[own]
        self._sizes.add(rows["wire_bytes"][own][good])
        self._jitter.add(times[good], rows["tick"][own][good])

    def quantiles(self) -> Quantiles:
        """As they were the last time, where nothing has come since."""
        if self._quantiles is None:
            ages, trips = self.ages, self.trips
            self._quantiles = Quantiles(
                self._sizes.quantile(95),
                *(ages.quantile(50), ages.quantile(99)),
                *(trips.quantile(50), trips.quantile(99)),
                self._jitter.quantile(99),
            )
        return self._quantiles

    def outdate(self) -> None:
        """More comes."""
        self._quantiles = None

    def history(self) -> History:
        return History(self._rows.view, self._packets.view, self._ticks.view, self._base_ticks.view)

    def park(self, memory: ChunkMemory) -> None:
        """Leave memory to others."""
        for tally in (self._sizes, self.ages, self.trips, self._jitter):
            tally.park(memory)


NO_QUANTILES = Quantiles(None, None, None, None, None, None)


def _by_session(sessions: Ints) -> Iterator[tuple[int, Ints]]:
    """Each session, and which rows are its own, in their order."""
    order = stable_order(sessions)
    ordered = sessions[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    yield from zip(ordered[starts].tolist(), np.split(order, starts[1:]), strict=True)
