"""What is counted of every session, from rows as they come: it costs what is new, and is bounded in memory.

Percentiles, which need every value, are told from tallies; what is kept for each row is where the tables are. Of a
session that has ended little more than its numbers is kept: should more come of it, it is counted again from its rows.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from enum import IntEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from analyzer.snapshots.status import REPEATED, LostBy, Proof, Status
from analyzer.stats.flows import session_flow
from analyzer.stats.groups import stable_order
from analyzer.stats.history import LOOKED_FOR, GrowingHistory, Histories, History, looked_for, rows_of
from analyzer.stats.live import Ints, made_mask, packet_times
from analyzer.stats.session_counts import NO_QUANTILES, Finished, Quantiles, SessionTallies, Spans
from analyzer.stats.session_traffic import SessionTraffic, Totals
from analyzer.stats.snapshots import failed_mask, rebuilt_mask, root_statuses
from analyzer.store.columns import CHUNK_ROWS
from analyzer.store.growing import Growing
from analyzer.store.tables import Tables

Mask = NDArray[np.bool_]

SILENT_NS = 60_000_000_000
"""Without a snapshot for so long, by the capture's clock, a session has ended; so has one when its flow has a later."""
AT_ONCE = 4 * CHUNK_ROWS
"""Rows that are counted together: more of them cost less, and memory meanwhile."""
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


class ClientCounts:
    """Of every session, of any reading. Call `update` when rows were added or amended; one thread at a time."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._journal = tables.journal.reader()
        self.traffic = SessionTraffic(tables)
        self._changed: set[int] = set()
        self._begin()

    def __len__(self) -> int:
        """Snapshot rows taken in."""
        return len(self._acked)

    def update(self, most: int | None = None) -> bool:
        """Take in what was published and amended since the last call, `most` new snapshots. False: there are more."""
        stretches = self._amended()
        self.traffic.update()
        for start, stop in stretches:
            for first in range(start, stop, CHUNK_ROWS):
                self._derive_again(first, min(first + CHUNK_ROWS, stop))
        known, published = len(self), len(self._tables.snapshots)
        stop = published if most is None else min(published, known + most)
        for start in range(known, stop, AT_ONCE):
            self._append(start, min(start + AT_ONCE, stop))
        return stop == published

    def take_changed(self) -> set[int]:
        """Sessions of which something was counted since the last time, or not any more."""
        changed, self._changed = self._changed | self.traffic.take_changed(), set()
        return changed

    def total(self, session: int, what: Total) -> int:
        """A sum of a session."""
        return self._totals.of(session, what)

    def lost_by(self, session: int) -> dict[LostBy, int]:
        """Snapshots that were not rebuilt, by who lost them."""
        return {loser: self._totals.of(session, len(Total) + loser) for loser in LostBy}

    def quantiles(self, session: int) -> Quantiles:
        """Percentiles of a session."""
        if self._spans.of(session) is None:
            return NO_QUANTILES
        tallies = self._tallies.get(session)
        return self._finished.of(session) if tallies is None else tallies.quantiles()

    def history(self, session: int) -> History | None:
        """The snapshots of a session, repetitions left out; None where there are none."""
        span, growing = self._spans.of(session), self._growing.get(session)
        if span is None or growing is not None:
            return None if growing is None else growing.history
        return looked_for(self._tables, session, *span)

    def histories(self, sessions: Ints) -> Histories:
        """What there is now of `sessions`, which are ascending."""
        kept = {session: growing.history for session, growing in self._growing.items()}
        return Histories(self._tables, kept, *self._spans.known(sessions))

    @property
    def cells(self) -> int:
        """Numbers that tallies keep, of all sessions."""
        return sum(len(tallies) for tallies in self._tallies.values())

    @property
    def awake(self) -> int:
        """Sessions that have not ended."""
        return len(self._tallies)

    def _begin(self) -> None:
        memory = self._tables.chunks
        self._acked: Growing[np.int32] = Growing(np.int32, memory)
        self._standing: Growing[np.uint8] = Growing(np.uint8, memory)
        self._totals = Totals(_WIDTH)
        self._spans, self._finished = Spans(), Finished()
        self._tallies: OrderedDict[int, SessionTallies] = OrderedDict()
        """Of those that have not ended, the longest silent first."""
        self._growing: dict[int, GrowingHistory] = {}
        """Of these, and of those with many rows."""
        self._last_ns: dict[int, int] = {}
        """When the last snapshot of those that have not ended came."""
        self._newest: dict[int, int] = {}
        """By flow, the last session that began."""
        self._left: set[int] = set()
        """Sessions that are not the last of their flow, and have not ended."""

    def _amended(self) -> list[tuple[int, int]]:
        """Stretches of rows that were taken in and amended since, ascending; no longer what they overlap."""
        known, found = len(self), []
        for amendment in self._journal.take():
            if amendment.table != "snapshots":
                continue
            if amendment.column in _FIXED:
                # No reading does that; so all is counted anew.
                self._changed.update(range(len(self._totals)))
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
        order = stable_order(session)
        bounds = np.flatnonzero(np.diff(session[order], prepend=-1))
        firsts = order[bounds]
        numbers = session[firsts]
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
        busy = numbers.tolist()
        for number in busy:
            self._wake(number)
        self._spans.extend(numbers, rows.rows[firsts], rows.rows[order[np.append(bounds[1:], len(order)) - 1]])
        last_ns = self._tally(rows, order, bounds)
        for number in sorted(busy, key=self._last_ns.__getitem__):
            self._tallies.move_to_end(number)
        self._rest(set(busy), last_ns)

    def _tally(self, rows: _Rows, order: Ints, bounds: Ints) -> int:
        """Count rows of sessions that are awake, each from one of `bounds` to the next; when the last of them came.

        `order` has the rows of each session together.
        """
        times, bases = packet_times(self._tables, rows["packet"]), rows["base"]
        # Of a snapshot without a base, or without an acknowledgement, anything.
        packets = self._tables.snapshots.take("packet", np.maximum(bases, 0)).astype(np.int64)
        ages, trips = times - packet_times(self._tables, packets), self._trips(rows.acked, times)
        # Put in order only now: rows that lie near each other are found faster.
        kept = [column[order] for column in (rows.rows, rows["packet"], rows["tick"], rows["base_tick"])]
        ages, trips, sizes = (values[order] for values in (ages, trips, rows["wire_bytes"]))
        last_ns, times = int(times[-1]), times[order]
        sent = (bases >= 0) & ~made_mask(self._tables, packets)
        based, acked, rebuilt = sent[order], rows.acked[order] >= 0, rows.rebuilt[order]
        numbers = rows["session"][order[bounds]].tolist()
        for number, (start, stop) in zip(numbers, pairwise([*bounds.tolist(), len(order)]), strict=True):
            own = slice(start, stop)
            good, growing, tallies = rebuilt[own], self._growing[number], self._tallies[number]
            if growing.last < kept[0][start]:
                growing.append(*(column[own] for column in kept))
            tallies.sizes.add(sizes[own][good])
            tallies.jitter.add(times[own][good], kept[2][own][good])
            tallies.ages.add(ages[own][based[own]])
            tallies.trips.add(trips[own][acked[own]])
            self._last_ns[number] = int(times[stop - 1])
        return last_ns

    def _wake(self, number: int) -> bool:
        """More comes of a session: have its tallies. True if they had to be counted again."""
        self._changed.add(number)
        if number in self._tallies:
            return False
        self._tallies[number] = SessionTallies()
        growing = self._growing.setdefault(number, GrowingHistory(self._tables.chunks))
        span = self._spans.of(number)
        if span is None:
            flow = session_flow(self._tables, number)
            before = self._newest.get(flow, number)
            self._newest[flow] = max(before, number)
            if before != number and min(before, number) in self._tallies:
                self._left.add(min(before, number))
            return False
        every = growing.history.rows.astype(np.int64) if len(growing) else rows_of(self._tables, number, *span)
        for start in range(0, len(every), AT_ONCE):
            rows = _Rows(self._tables, every[start : start + AT_ONCE])
            rows.acked = self._acked.view[rows.rows].astype(np.int64)
            self._tally(rows, np.arange(len(rows.rows)), np.zeros(1, np.int64))
        if self._newest[session_flow(self._tables, number)] != number:
            self._left.add(number)
        return True

    def _rest(self, busy: set[int], now_ns: int) -> None:
        """Of sessions that ended keep little more than their numbers.

        Those that were left are kept while they are busy: acknowledgements may follow.
        """
        ended = self._left - busy
        for number in self._tallies:
            if now_ns - self._last_ns[number] < SILENT_NS:
                # Those behind it were heard of later.
                break
            ended.add(number)
        for number in ended:
            self._left.discard(number)
            self._finished.keep(number, self._tallies.pop(number).quantiles())
            del self._last_ns[number]
            if len(self._growing[number]) < LOOKED_FOR:
                del self._growing[number]

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
            if not self._wake(number):
                tallies = self._tallies[number]
                tallies.trips.remove(gone[own][before_acked[own] >= 0])
                tallies.trips.add(come[own][rows.acked[own] >= 0])

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


def _by_session(sessions: Ints) -> Iterator[tuple[int, Ints]]:
    """Each session, and which rows are its own, in their order."""
    order = stable_order(sessions)
    ordered = sessions[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    yield from zip(ordered[starts].tolist(), np.split(order, starts[1:]), strict=True)
