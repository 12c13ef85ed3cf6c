"""Did the client have a snapshot, and who lost what is missing (spec section 17.4): evidence from acknowledgements.

Rules for an incomplete snapshot: the client acknowledged it, or the server used it as a base, which it does only after
an acknowledgement: the capture lost the part. The next newer tick that the client acknowledged is one the capture does
not have either: the capture has a hole there. Otherwise a newer acknowledgement says that the client went on without
it: the network lost the part. Without any newer acknowledgement nobody can tell.

A snapshot that arrived whole and was wrong is the game's fault, unless the client acknowledged it: then what is wrong
here is something the capture made us miss.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from analyzer.snapshots.bases import RETENTION_TICKS, Cause
from analyzer.snapshots.status import ClientHas, LostBy
from analyzer.store.rows import Rows, SnapshotRow


@dataclass(frozen=True, slots=True)
class _Ack:
    tick: int
    packet: int
    rebuilt: bool


@dataclass(slots=True)
class _Watched:
    """A snapshot row whose standing may still change."""

    local: int
    tick: int
    has: ClientHas
    cause: Cause | None
    whole: bool


class Attribution:
    """The acknowledgements of one epoch. Rows older than the retention keep the standing they have."""

    def __init__(self, rows: Rows, rebuilt: Callable[[int], bool]) -> None:
        self._rows = rows
        self._rebuilt = rebuilt
        self._acks: dict[int, _Ack] = {}
        self._ordered: list[int] = []
        """The ticks of `_acks`, ascending."""
        self._used: set[int] = set()
        self._watched: dict[int, list[_Watched]] = {}
        self._unpassed: list[int] = []
        """Ticks of watched rows above the newest acknowledgement."""
        self._newest_ack = -1

    def settle(self, row: SnapshotRow, cause: Cause | None, *, whole: bool) -> None:
        """Fill in what is known of a row that is added now. `cause` is its own, where something is missing or wrong.

        `whole`: everything arrived, so whatever is wrong was sent like that.
        """
        ack = self._acks.get(row.tick)
        if ack is not None:
            row.client_has, row.acked_packet = ClientHas.ACKED, ack.packet
        elif self._newest_ack > row.tick:
            row.client_has = ClientHas.LATER
        watched = _Watched(self._rows.next_snapshot, row.tick, row.client_has, cause, whole)
        if cause is not None:
            cause.lost_by = self._loser(watched)
            row.lost_by = cause.lost_by
        if row.client_has is not ClientHas.ACKED or cause is not None:
            self._watched.setdefault(row.tick, []).append(watched)
            if row.tick > self._newest_ack:
                self._unpassed.append(row.tick)

    def acknowledge(self, tick: int, packet: int) -> None:
        """An INPUT of row `packet` acknowledged `tick`."""
        if tick in self._acks:
            return
        self._acks[tick] = _Ack(tick, packet, self._rebuilt(tick))
        position = bisect_left(self._ordered, tick)
        self._ordered.insert(position, tick)
        newest = self._newest_ack
        self._newest_ack = max(newest, tick)
        for watched in self._watched.get(tick, ()):
            watched.has = ClientHas.ACKED
            self._rows.amend_snapshot(watched.local, "client_has", ClientHas.ACKED)
            self._rows.amend_snapshot(watched.local, "acked_packet", packet)
        if tick > newest:
            passed = [older for older in self._unpassed if older < tick]
            self._unpassed = [older for older in self._unpassed if older > tick]
            for older in passed:
                self._pass(older)
        else:
            # INPUTs were reordered: for the ticks below, this one is now the next that the client acknowledged.
            below = self._ordered[position - 1] if position else -1
            for older in [older for older in self._watched if below <= older < tick]:
                self._reconsider(older)
        self._reconsider(tick)

    def use_as_base(self, tick: int) -> None:
        """The server based a snapshot on `tick`: it got an acknowledgement, seen here or not."""
        if tick not in self._used:
            self._used.add(tick)
            self._reconsider(tick)

    def purge(self, newest: int) -> None:
        """Forget what is older than the retention."""
        oldest = newest - RETENTION_TICKS
        forgotten = bisect_left(self._ordered, oldest)
        for tick in self._ordered[:forgotten]:
            del self._acks[tick]
        del self._ordered[:forgotten]
        for tick in [tick for tick in self._watched if tick < oldest]:
            for watched in self._watched.pop(tick):
                if watched.cause is not None:
                    watched.cause.settle()
        self._unpassed = [tick for tick in self._unpassed if tick >= oldest]
        self._used = {tick for tick in self._used if tick >= oldest}

    def forget(self) -> None:
        """Forget everything; rows keep the standing they have."""
        for watched in (watched for rows in self._watched.values() for watched in rows):
            if watched.cause is not None:
                watched.cause.settle()
        self._watched.clear()
        self._unpassed.clear()
        self._acks.clear()
        self._ordered.clear()
        self._used.clear()

    def _pass(self, tick: int) -> None:
        """A newer tick was acknowledged."""
        for watched in self._watched.get(tick, ()):
            if watched.has is ClientHas.NEVER:
                watched.has = ClientHas.LATER
                self._rows.amend_snapshot(watched.local, "client_has", ClientHas.LATER)
        self._reconsider(tick)

    def _reconsider(self, tick: int) -> None:
        for watched in self._watched.get(tick, ()):
            if watched.cause is None:
                continue
            loser = self._loser(watched)
            if loser is not watched.cause.lost_by:
                watched.cause.lost_by = loser
                for local in (watched.local, *watched.cause.waiting):
                    self._rows.amend_snapshot(local, "lost_by", loser)

    def _loser(self, watched: _Watched) -> LostBy:
        had = watched.tick in self._acks
        if watched.whole:
            return LostBy.CAPTURE if had else LostBy.GAME
        if had or watched.tick in self._used:
            return LostBy.CAPTURE
        later = bisect_right(self._ordered, watched.tick)
        if later == len(self._ordered):
            return LostBy.UNKNOWN
        return LostBy.NETWORK if self._acks[self._ordered[later]].rebuilt else LostBy.CAPTURE
