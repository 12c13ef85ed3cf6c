"""Did the client have a snapshot, and who lost what is missing (spec section 17.4): evidence from acknowledgements.

Rules for an incomplete snapshot: the client acknowledged it, or the server used it as a base, which it does only after
an acknowledgement: the capture lost the part. The capturing program says that it lost packets just then: so it did this
one. The next newer tick that the client acknowledged is one the capture does not have either: the capture has a hole
there. Otherwise a newer acknowledgement says that the client went on without it: the network lost the part. Without any
newer acknowledgement nobody can tell.

A snapshot that arrived whole and was wrong is the game's fault, unless the client acknowledged it: then what is wrong
here is something the capture made us miss.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from analyzer.snapshots.causes import Cause
from analyzer.snapshots.status import ClientHas, LostBy
from analyzer.snapshots.tracking import acks, ticks
from analyzer.snapshots.tracking.columns import (
    ACK_PACKET,
    ACK_REBUILT,
    CAUSES,
    N_ACKS,
    N_UNPASSED,
    NEWEST_ACK,
    RETENTION_TICKS,
    SEEN,
    USED,
)
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.rows import Rows, SnapshotRow

_OPEN = 1 << 40
"""A hole goes on to whatever tick comes next."""
_MAX_PACKETS = 0x7FFFFFFF


@dataclass(slots=True)
class _Hole:
    """Packets that were lost may have been of the ticks `low` to `high`."""

    low: int
    high: int
    packets: int


@dataclass(slots=True)
class _Watched:
    """A failed row whose loser may still change."""

    local: int
    tick: int
    cause: Cause
    whole: bool
    lost: int = 0
    """Packets that the capture says it lost where something of this was."""


class Attribution:
    """What the acknowledgements of one epoch say. Rows older than the retention keep the standing they have.

    The acknowledgements are in the epoch's track; here are the rows that failed, whose causes are objects.
    """

    def __init__(self, rows: Rows, tracker: Tracker) -> None:
        self._rows = rows
        self._tracker = tracker
        self._watched: dict[int, _Watched] = {}
        """By tick."""
        self._holes: deque[_Hole] = deque()

    def settle(self, row: SnapshotRow, cause: Cause | None, *, whole: bool) -> None:
        """Fill in what is known of a row that is added now. `cause` is its own, where something is missing or wrong.

        `whole`: everything arrived, so whatever is wrong was sent like that.
        """
        track, local = self._tracker.track, self._rows.next_snapshot
        has, row.acked_packet = acks.watch(track, row.tick, local, cause is not None)
        row.client_has = ClientHas(has)
        if cause is not None:
            watched = self._watched[row.tick] = _Watched(local, row.tick, cause, whole)
            row.lost_by = cause.lost_by = self._loser(watched)
            watched.lost = self._lost_of(watched)
            row.detail = watched.lost or row.detail
            track.numbers[CAUSES] = len(self._watched)

    def acknowledge(self, tick: int, packet: int) -> None:
        """An INPUT of row `packet` acknowledged `tick`."""
        track = self._tracker.track
        entry = ticks.find(track, tick)
        if entry >= 0 and track.ticks[entry, ACK_PACKET] >= 0:
            return
        newest = track.numbers[NEWEST_ACK]
        room = self._rows.reserve(amendments=2 + track.numbers[N_UNPASSED])
        acks.acknowledge(track, tick, packet, room.amendments.data, room.counts.data)
        if not self._watched:
            return
        # Where INPUTs were reordered, this one is now the next that the client acknowledged for the ticks below.
        position = acks.acks_until(track, tick) - 1
        below = newest + 1 if tick > newest else track.acks[position - 1] if position else -1
        self._reconsider([older for older in self._watched if below <= older < tick])
        self._reconsider([tick])

    def refer(self, base_tick: int, tick: int) -> None:
        """The server based a snapshot on a tick: it got an acknowledgement, seen here or not."""
        if ticks.refer(self._tracker.track, base_tick, tick):
            self._reconsider([base_tick])

    @property
    def holed(self) -> bool:
        """Something was lost, and no further tick has come since."""
        return bool(self._holes) and self._holes[-1].high == _OPEN

    def lose(self, low: int, packets: int) -> None:
        """The capture lost packets, of tick `low` or a later one: what is missing there, it lost."""
        oldest = self._tracker.numbers[SEEN] - 2 * RETENTION_TICKS
        while self._holes and self._holes[0].high < oldest:
            self._holes.popleft()
        if self.holed:
            last = self._holes[-1]
            last.low, last.packets = min(last.low, low), min(last.packets + packets, _MAX_PACKETS)
        else:
            self._holes.append(_Hole(low, _OPEN, packets))
        self._reconsider([tick for tick in self._watched if tick >= low])

    def go_on(self, tick: int) -> None:
        """What was lost was of `tick` at most."""
        self._holes[-1].high = tick
        self._reconsider([later for later in self._watched if later > tick])

    def lost(self, tick: int) -> int:
        """Packets that the capture says it lost when those of a tick would have come."""
        return min(sum(hole.packets for hole in self._holes if hole.low <= tick <= hole.high), _MAX_PACKETS)

    def purge(self) -> None:
        """Let go of the rows older than the retention, before the track forgets their ticks."""
        if self._watched:
            oldest = self._tracker.numbers[SEEN] - RETENTION_TICKS
            for tick in [tick for tick in self._watched if tick < oldest]:
                self._watched.pop(tick).cause.settle()
            self._tracker.numbers[CAUSES] = len(self._watched)

    def forget(self) -> None:
        """Let go of every row; it keeps the standing it has."""
        for watched in self._watched.values():
            watched.cause.settle()
        self._watched.clear()
        self._holes = deque([self._holes[-1]] if self.holed else [])
        self._tracker.numbers[CAUSES] = 0

    def _reconsider(self, ticks: Iterable[int]) -> None:
        for watched in filter(None, map(self._watched.get, ticks)):
            loser = self._loser(watched)
            if loser is not watched.cause.lost_by:
                watched.cause.lost_by = loser
                for local in (watched.local, *watched.cause.waiting):
                    self._rows.amend_snapshot(local, "lost_by", loser)
            lost = self._lost_of(watched)
            if lost != watched.lost:
                watched.lost = lost
                self._rows.amend_snapshot(watched.local, "detail", lost)

    def _lost_of(self, watched: _Watched) -> int:
        return 0 if watched.whole else self.lost(watched.tick)

    def _loser(self, watched: _Watched) -> LostBy:
        track = self._tracker.track
        entry = ticks.find(track, watched.tick)
        had = track.ticks[entry, ACK_PACKET] >= 0
        if watched.whole:
            return LostBy.CAPTURE if had else LostBy.GAME
        if had or track.ticks[entry, USED] or self.lost(watched.tick):
            return LostBy.CAPTURE
        later = acks.acks_until(track, watched.tick)
        if later == track.numbers[N_ACKS]:
            return LostBy.UNKNOWN
        acknowledged = ticks.find(track, track.acks[later])
        return LostBy.NETWORK if track.ticks[acknowledged, ACK_REBUILT] else LostBy.CAPTURE
