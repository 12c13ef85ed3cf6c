"""The whole capture at a glance: a lane of bars for each client, and the bytes of all snapshots over time.

A lane is a flow that a live session belongs to: one client at one server, its sessions one after the other, as the rows
of a client stand together among the clients. A bar is a snapshot; a flow that is read anew gets its lane anew.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.bars import Bars, Kind, bars_of
from analyzer.stats.byte_band import ByteBand
from analyzer.stats.groups import stable_order
from analyzer.stats.lane import Lane
from analyzer.stats.live import Ints
from analyzer.stats.packet_spans import PacketSpans
from analyzer.store.columns import CHUNK_ROWS
from analyzer.store.growing import Growing
from analyzer.store.tables import Tables

_FIXED = ("session", "packet", "first_part", "part_count", "parts", "wire_bytes", "base_tick", "status")
_AMENDED = ("base", "cause", "lost_by")
_NO_FLOWS = np.empty(0, np.int64)


class Timeline:
    """Follows the tables. Call `update` when rows were added or amended; one thread at a time.

    Times are nanoseconds from the first frame.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._journal = tables.journal.reader()
        self.packets = PacketSpans(tables)
        self.version = 0
        """Changes with whatever is drawn."""
        self._flows = _NO_FLOWS
        """Flow of each session; -1: its reading counts no more."""
        self._drops = 0
        self._empty = Lane(tables.chunks)
        self._known = 0
        self._stale = 0
        """Rows from here on may be amended; those known at most."""
        self._begin()

    @property
    def is_current(self) -> bool:
        """Nothing was published or amended that `update` left for the next time."""
        return self._known == len(self.tables.snapshots) and not len(self._journal) and self._stale >= self._known

    @property
    def rows(self) -> int:
        """Snapshot rows taken in."""
        return self._known

    @property
    def flows(self) -> Ints:
        """Flows that have a lane, by their first packets, shape (lanes,)."""
        flows = np.unique(self._flows[self._flows >= 0])
        return flows[np.argsort(self.tables.flows.take("first_packet", flows), kind="stable")]

    def lane(self, flow: int) -> Lane:
        """The lane of a flow; an empty one, if there are no snapshots."""
        return self._lanes.get(flow, self._empty)

    def sessions(self, flow: int) -> Ints:
        """Live sessions of a flow, ascending."""
        return np.flatnonzero(self._flows == flow)

    def flow_of(self, session: int) -> int:
        """The lane that a session is in; -1: none, its reading counts no more or `update` has not met it."""
        return int(self._flows[session]) if 0 <= session < len(self._flows) else -1

    def place_of(self, row: int) -> tuple[int, int] | None:
        """Lane and time of a snapshot row; None: it draws no bar, or none that counts."""
        bars = bars_of(self.tables, np.array([row], np.int64))
        flow = self.flow_of(int(bars.session[0])) if len(bars) else -1
        return None if flow < 0 else (flow, int(bars.time_ns[0]))

    @property
    def nbytes(self) -> int:
        """Bytes of what is kept, room that is not used yet left out."""
        lanes = sum(lane.nbytes for lane in self._lanes.values())
        return lanes + self.band.nbytes + self.packets.nbytes + self._first.view.nbytes

    def update(self, most: int | None = None) -> bool:
        """Take in what was published and amended since the last call, about so many new rows and old ones at most.

        False: nothing that is drawn is otherwise.
        """
        before = self.version
        published = len(self.tables.snapshots)
        self._note_amendments()
        drops = len(self.tables.drops)
        self.version += drops != self._drops
        self._drops = drops
        self.packets.update()
        self._regroup()
        limit = published if most is None else most
        stop = min(self._stale + limit, self._known)
        for start in range(self._stale, stop, CHUNK_ROWS):
            self._put(start, min(start + CHUNK_ROWS, stop))
        self._stale = stop
        stop = min(self._known + limit, published)
        for start in range(self._known, stop, CHUNK_ROWS):
            self._append(start, min(start + CHUNK_ROWS, stop))
        return self.version != before

    def _begin(self) -> None:
        self._lanes: dict[int, Lane] = {}
        self.band = ByteBand(self.tables.chunks)
        self._first: Growing[np.int32] = Growing(np.int32, self.tables.chunks)
        """Of each session its first row with a bar; -1: none yet."""
        self._known = self._stale = 0

    def _note_amendments(self) -> None:
        for amendment in self._journal.take():
            if amendment.table != "snapshots" or amendment.start >= self._known:
                continue
            if amendment.column in _FIXED:
                # No reading does that; so all is taken in anew.
                self._begin()
                self.version += 1
            elif amendment.column in _AMENDED:
                # A snapshot stands as its cause does, which comes before it.
                self._stale = min(self._stale, amendment.start)

    def _regroup(self) -> None:
        """Sessions are in other lanes than before, or in none: have those lanes anew."""
        readings = self.tables.sessions.integers("reading")
        flows = self.tables.readings.integers("flow")[readings]
        # Looked up last: the one writer may have published more readings meanwhile.
        now = np.where(self.tables.readings.array("alive").astype(np.bool_)[readings], flows, -1)
        before, known = self._flows, len(self._flows)
        self._flows = now
        changed = before != now[:known]
        if len(now) > known:
            self.version += 1
        if not changed.any():
            return
        self.version += 1
        affected = np.unique(np.concatenate((before[changed], now[:known][changed])))
        for flow in affected[affected >= 0].tolist():
            lane = self._lanes.pop(flow, None)
            if lane is not None:
                self.band.add(lane.bars(), -1)
        mine = np.isin(now[:known], affected[affected >= 0])
        if mine.any():
            self._take_again(mine)

    def _take_again(self, mine: NDArray[np.bool_]) -> None:
        """Bars of some sessions whose lanes were let go of."""
        for start in range(0, self._known, CHUNK_ROWS):
            stop = min(start + CHUNK_ROWS, self._known)
            sessions = self.tables.snapshots.array("session", start, stop)
            self._insert(self._bars(np.flatnonzero(mine[sessions]) + start))

    def _append(self, start: int, stop: int) -> None:
        bars = bars_of(self.tables, np.arange(start, stop))
        self._known, self._stale = stop, self._stale + (stop - start if self._stale == start else 0)
        if len(bars):
            self._note_firsts(bars)
            self._insert(self._named(bars))

    def _note_firsts(self, bars: Bars) -> None:
        sessions, firsts = np.unique(bars.session, return_index=True)
        more = int(sessions[-1]) + 1 - len(self._first)
        if more > 0:
            self._first.append(np.full(more, -1, np.int32))
        new = self._first.view[sessions] < 0
        self._first.view[sessions[new]] = bars.rows[firsts[new]]

    def _bars(self, rows: Ints) -> Bars:
        return self._named(bars_of(self.tables, rows))

    def _named(self, bars: Bars) -> Bars:
        """The first of each session stand out, and those of no lane are left out."""
        firsts = (bars.kind == Kind.FULL) & (self._first.view[bars.session] == bars.rows)
        bars.kind[firsts] = Kind.FIRST
        return bars.part(self._flows[bars.session] >= 0)

    def _insert(self, bars: Bars) -> None:
        if not len(bars):
            return
        self.version += 1
        self.band.add(bars)
        for flow, own in self._by_lane(bars):
            lane = self._lanes.get(flow)
            if lane is None:
                lane = self._lanes[flow] = Lane(self.tables.chunks)
            lane.insert(own)

    def _put(self, start: int, stop: int) -> None:
        bars = self._bars(np.arange(start, stop))
        for flow, own in self._by_lane(bars):
            self.version += self._lanes[flow].put(own)

    def _by_lane(self, bars: Bars) -> list[tuple[int, Bars]]:
        if not len(bars):
            return []
        flows = self._flows[bars.session]
        order = stable_order(flows)
        starts = np.flatnonzero(np.diff(flows[order], prepend=-1))
        return [(int(flows[own[0]]), bars.part(own)) for own in np.split(order, starts[1:])]
