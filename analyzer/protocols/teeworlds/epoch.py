"""The snapshots of one epoch, one map of one connection: parts, bases, checksums, and why one could not be rebuilt.

Spec sections 17.3 and 17.4. Decodes leniently and marks strictly: what a real client would have dropped is rebuilt all
the same and carries `client_kept` false.
"""

from __future__ import annotations

from collections.abc import Callable

from analyzer.protocols.flow import REACH_NS, Loss
from analyzer.protocols.teeworlds import snapshot_rows
from analyzer.protocols.teeworlds.delta import WARNING_RULES, WARNINGS
from analyzer.protocols.teeworlds.messages import SNAPEMPTY
from analyzer.protocols.teeworlds.outcomes import Outcomes, set_code
from analyzer.protocols.teeworlds.pace import TICKS_PER_SECOND
from analyzer.protocols.teeworlds.partial_outcomes import PartialOutcomes
from analyzer.protocols.teeworlds.partial_states import PartialStates, Step
from analyzer.protocols.teeworlds.rebuilder import PART_BYTES, Rebuilder, Rebuilt
from analyzer.protocols.teeworlds.snapshot_rows import SnapMessage
from analyzer.protocols.teeworlds.state import HEADER_BYTES, make_state, signed
from analyzer.snapshots.status import Proof
from analyzer.snapshots.tracking import acks, parts, ticks
from analyzer.snapshots.tracking.columns import (
    ANY_SEEN,
    C_BASE_TICK,
    C_CRC,
    C_KIND,
    C_PARTS,
    C_TICK,
    COLLECTOR,
    CRC,
    DEPTH,
    DISPUTED,
    DONE,
    ENDED,
    ENDED_OTHERWISE,
    FLAGS,
    GIVEN_UP,
    HELD,
    ITEMS,
    LAST_ACK,
    LENGTH,
    LOCAL,
    LOWEST,
    MAX_DEPTH,
    NONE,
    OPEN,
    OPENS,
    PROVED,
    PURGE_AT,
    REPLACES,
    RETENTION_TICKS,
    SEEN,
    SIZE,
    TOO_LATE,
)
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.rows import PartRow, Rows, SnapshotRow
from analyzer.wire.errors import DecodeError

NOTE, WARNING = 1, 2
NO_CHAIN = -1
"""Depth of a snapshot that must be stored whole, as no deltas lead to it."""


class Epoch:
    """State of one epoch. `begun`: its beginning was captured, so an unknown base is a gap and not the past.

    `map_began`: with the MAP_CHANGE, so that the ENTERGAME which belongs to it is still to come.
    """

    def __init__(
        self,
        rows: Rows,
        session: int,
        open_rebuilder: Callable[[Tracker], Rebuilder],
        *,
        begun: bool,
        map_began: bool = False,
    ) -> None:
        self.session = session
        self.tracker = Tracker()
        self.rebuilder = open_rebuilder(self.tracker)
        self.wants_player = False
        """Nobody told the receiving client's name yet, so look for it in what is rebuilt."""
        self.player = ""
        """The name, once it was found."""
        self._rows = rows
        self._awaits_entergame = map_began
        self._outcomes = Outcomes(rows, self.tracker)
        states = PartialStates(self.rebuilder.sizes)
        self._partial = PartialOutcomes(rows, self.tracker, self._outcomes, states, begun=begun)
        self._conflicts: dict[int, list[str]] = {}
        """By tick that is being collected: what later parts disagreed about with earlier ones."""
        self._lost_until_ns = 0
        """The capture's clock when it had everything again."""

    @property
    def seen(self) -> int:
        """Highest tick of any valid snapshot message, complete or not; -1: there was none."""
        return self.tracker.numbers[SEEN]

    @property
    def lowest(self) -> int:
        """Lowest tick of any valid snapshot message."""
        return self.tracker.numbers[LOWEST]

    @property
    def any_seen(self) -> bool:
        """A valid snapshot message came since the epoch or the session began."""
        return bool(self.tracker.numbers[ANY_SEEN])

    @property
    def last_ack(self) -> int | None:
        """Tick of the last acknowledgement."""
        tick = self.tracker.numbers[LAST_ACK]
        return tick if tick >= 0 else None

    def enters(self) -> bool:
        """Is an ENTERGAME that comes now the one that follows the MAP_CHANGE of this epoch?

        The server may send snapshots between the two (15.4), and a client that had sent its ENTERGAME before they
        arrived keeps and acknowledges them, although a capture near the server sees the ENTERGAME behind them. Once a
        snapshot is acknowledged the client has entered: then it is another ENTERGAME, whose MAP_CHANGE was lost.
        """
        expected = self._awaits_entergame and self.last_ack is None
        self._awaits_entergame = False
        return expected

    def go_on_as(self, session: int) -> None:
        """The same store under another session row: the client has entered."""
        self.session = session
        self.tracker.numbers[ANY_SEEN] = 0

    def receive(self, message: SnapMessage) -> None:
        """A valid snapshot message that is not vital."""
        self.tracker.make_room()
        track, fields = self.tracker.track, message.fields
        tick = fields.tick
        late = ticks.see(track, tick)
        if 0 <= fields.base_tick < tick:
            self._outcomes.attribution.refer(fields.base_tick, tick)
        fate = parts.fate(track, tick, fields.part, message.digest)
        if fate in (ENDED, ENDED_OTHERWISE, TOO_LATE):
            self._repeats(message, fate)
            return
        if fate == HELD:
            self._outcomes.repeat(snapshot_rows.of_message(self.session, message, "S2"))
            return
        if fate == OPENS:
            collector = parts.open_collector(track, tick)
        else:
            collector = track.ticks[ticks.find(track, tick), COLLECTOR]
            self._compare(message, collector, fate)
        parts.agree(track, collector, fields.base_tick, fields.parts, fields.crc, fields.kind, late)
        row = message.row
        parts.hold(
            track,
            collector,
            fields.part,
            row.packet,
            row.ordinal,
            len(message.data),
            message.wire_bytes,
            message.digest,
        )
        self.rebuilder.hold(collector, fields.part, message.data)
        if parts.missing(track, collector) < 0:
            self.complete(collector)
        self.close_overdue()

    def malformed(self, packet_row: PartRow, tick: int, kind: int, error: DecodeError, wire_bytes: int) -> None:
        """A snapshot message whose fields cannot be read (F1). It says nothing about what came before or after."""
        row = snapshot_rows.of_malformed(self.session, packet_row, tick, kind, error, wire_bytes)
        self._finding("snap.malformed", WARNING, error.text, self._rows.snapshot(row))

    def bug(self, packet_row: PartRow, tick: int, kind: int) -> None:
        """An exception of ours left a snapshot message without a row."""
        self._rows.snapshot(snapshot_rows.of_bug(self.session, packet_row, tick, kind))

    def bug_in(self, collector: int) -> None:
        """The same, while the last part of a tick, in the current packet, was taken in."""
        track = self.tracker.track
        last = max(self.tracker.received(collector), key=lambda part: part.packet)
        if track.collectors[collector, OPEN]:
            parts.close_collector(track, collector)
        self.bug(last, track.collectors[collector, C_TICK], track.collectors[collector, C_KIND])

    def acknowledge(self, tick: int, packet: int) -> None:
        """An INPUT in row `packet` acknowledged `tick`, 0 or above."""
        self.tracker.make_room()
        if acks.believe(self.tracker.track, tick):
            self._outcomes.attribution.acknowledge(tick, packet)

    @property
    def holed(self) -> bool:
        """The capture lost something, and no further tick has come since; `go_on` is to be told of the next."""
        return self._outcomes.attribution.holed

    def lose(self, loss: Loss, last_ns: int) -> None:
        """The capture lost something after the datagram that it saw at `last_ns`, or, as it says, even before."""
        low = self.seen
        if loss.begin_ns < last_ns:
            low -= 1 - (loss.begin_ns - last_ns) * TICKS_PER_SECOND // 1_000_000_000
        elif loss.begin_ns > last_ns + REACH_NS:
            # Of the newest tick nothing was to come any more.
            low += 1
        self._lost_until_ns = loss.end_ns
        self._outcomes.attribution.lose(low, loss.packets)

    def go_on(self, tick: int, now_ns: int) -> None:
        """After a loss, a message of `tick` comes, which is not below `seen`."""
        near = now_ns <= self._lost_until_ns + REACH_NS
        self._outcomes.attribution.go_on(tick if near else tick - 1)

    def rest(self) -> None:
        """Let go of everything that only the next snapshots would need; what is open stays open."""
        self._outcomes.forget()
        self._partial.forget()
        self.tracker.rest()
        self.rebuilder.purge()

    def close(self) -> None:
        """End of the epoch or of the capture: what is open stays incomplete."""
        for collector in self.tracker.open_collectors():
            self._give_up(collector)

    def complete(self, collector: int) -> None:
        """The last part of a tick has come, in the current packet."""
        track = self.tracker.track
        tick, announced = track.collectors[collector, C_TICK], track.collectors[collector, C_PARTS]
        short = [n for n in range(announced - 1) if track.parts[collector, n, LENGTH] != PART_BYTES]
        parts.close_collector(track, collector)
        data = self.rebuilder.join(collector, announced)
        row, checksum = self._row_of(collector, "OK"), track.collectors[collector, C_CRC]
        if self._find_base(row):
            self._rebuild(row, data, checksum)
        elif row.base_tick >= tick:
            self._outcomes.fail(row, "B5", whole=True)
        elif (step := self._partial.follow(row, data, checksum)) is not None:
            self._promote(row, step)
        local = self._rows.next_snapshot - 1
        parts.end(track, collector, local)
        self._rows.packet.snapshot = local
        for conflict in self._conflicts.pop(tick, ()):
            self._finding("snap.parts_inconsistent", WARNING, conflict, local)
        if short:
            self._finding("snap.odd", WARNING, f"middle part {short[0]} is not {PART_BYTES} bytes long", local)

    def close_overdue(self) -> None:
        """Give up what waits for too long, and forget what is too old."""
        track = self.tracker.track
        while (collector := parts.overdue(track, self.seen - RETENTION_TICKS)) >= 0:
            self._give_up(collector)
        if self.seen >= track.numbers[PURGE_AT]:
            self._outcomes.purge()
            self._partial.purge()
            self.tracker.purge()
            self.rebuilder.purge()

    def _repeats(self, message: SnapMessage, fate: int) -> None:
        """S1 to S3: a part of a tick that has ended."""
        code = {ENDED: "S2", ENDED_OTHERWISE: "S3"}.get(fate, "S1")
        track = self.tracker.track
        entry = ticks.find(track, message.fields.tick)
        row = snapshot_rows.of_message(self.session, message, code)
        row.client_kept = code != "S1"
        if entry >= 0:
            row.cause = track.ticks[entry, GIVEN_UP if code == "S1" else DONE]
        self._rows.snapshot(row)

    def _compare(self, message: SnapMessage, collector: int, fate: int) -> None:
        """Note where a further part disagrees with those before it."""
        fields, collectors = message.fields, self.tracker.track.collectors
        conflicts = [
            f"{what} {old} then {new}"
            for what, old, new in (
                ("base tick", collectors[collector, C_BASE_TICK], fields.base_tick),
                ("number of parts", collectors[collector, C_PARTS], fields.parts),
                ("crc", collectors[collector, C_CRC], fields.crc),
            )
            if old != new
        ]
        if fate == REPLACES and self.rebuilder.held(collector, fields.part) != message.data:
            conflicts.append(f"part {fields.part} twice with different bytes")
        if conflicts:
            self._conflicts.setdefault(fields.tick, []).extend(conflicts)
            track = self.tracker.track
            track.ticks[ticks.find(track, fields.tick), FLAGS] |= DISPUTED

    def _find_base(self, row: SnapshotRow) -> bool:
        """False: there is none."""
        tick, track = row.base_tick, self.tracker.track
        if tick < 0:
            return True
        entry = ticks.find(track, tick) if tick < row.tick else -1
        if entry < 0 or track.ticks[entry, LOCAL] < 0:
            return False
        row.base = track.ticks[entry, LOCAL]
        return True

    def _promote(self, row: SnapshotRow, step: Step) -> None:
        """All items became known, and the checksum proves it: from here on it is a base like any other."""
        state, did = make_state(step.state.known), step.followed
        self.rebuilder.adopt(state, step.delta, row.packet)
        row.state_bytes, row.items, row.crc_computed, row.proof = state.size, state.count, state.crc, Proof.OWN
        row.added, row.changed, row.removed = did.added, did.changed, did.removed
        set_code(row, "OK-P")
        row.depth = NO_CHAIN
        self._store(row, Rebuilt(state.size, state.count, state.crc), is_unchanged=False)

    def _rebuild(self, row: SnapshotRow, data: bytes, checksum: int) -> None:
        depth, proved, unchanged = NONE, True, Rebuilt(HEADER_BYTES, 0, 0)
        if row.base >= 0:
            known = self.tracker.track.ticks
            base = ticks.find(self.tracker.track, row.base_tick)
            depth, proved = known[base, DEPTH], bool(known[base, PROVED])
            unchanged = Rebuilt(known[base, SIZE], known[base, ITEMS], known[base, CRC])
        is_unchanged = row.kind == SNAPEMPTY or not data
        try:
            made = unchanged if is_unchanged else self.rebuilder.rebuild(row.base_tick, data, row.packet)
        except DecodeError as error:
            row.detail = error.offset
            row.detail2 = error.details[0] if error.details else 0
            self._outcomes.fail(row, error.code, whole=True)
            return
        row.depth = min(depth + 1, MAX_DEPTH)
        row.state_bytes, row.items, row.crc_computed = made.size, made.count, made.crc
        row.added, row.changed, row.removed = made.added, made.changed, made.removed
        row.deleted, row.updated = made.deleted, made.updated
        if made.warnings:
            self._warn(made.warnings)
        if row.kind == SNAPEMPTY:
            row.crc_wire = made.crc
            set_code(row, "OK-E")
            row.proof = Proof.BASE if proved else Proof.NONE
        elif checksum != made.crc:
            row.detail = signed(made.crc - checksum)
            self._outcomes.fail(row, "C1", whole=True)
            return
        else:
            row.proof = Proof.OWN
        self._store(row, made, is_unchanged)

    def _store(self, row: SnapshotRow, made: Rebuilt, is_unchanged: bool) -> None:
        track, local = self.tracker.track, self._rows.next_snapshot
        # Nothing before a snapshot that became known without its base could be rebuilt.
        stored = row.depth == NO_CHAIN or ticks.block_due(track, row.depth, row.delta_bytes, made.size)
        ticks.pay(track, row.delta_bytes, made.size if stored else 0)
        if stored:
            row.depth = 0
        self._outcomes.rebuilt(row)
        proved = row.proof is not Proof.NONE
        ticks.put_base(track, row.tick, local, made.size, row.depth, proved, made.crc, made.count)
        if is_unchanged:
            self.rebuilder.share(row.tick, row.base_tick)
        else:
            self.rebuilder.keep(row.tick)
        if stored:
            self._rows.block(local, self.rebuilder.pack(row.tick))
        if self.wants_player and not self.player:
            self.player = self.rebuilder.player(row.tick)

    def _give_up(self, collector: int) -> None:
        """P1: the collector is closed with parts missing."""
        track = self.tracker.track
        tick = track.collectors[collector, C_TICK]
        parts.close_collector(track, collector)
        self._conflicts.pop(tick, None)
        row = self._row_of(collector, "P1")
        row.client_kept = False
        track.ticks[ticks.find(track, tick), GIVEN_UP] = self._outcomes.fail(row, "P1")

    def _row_of(self, collector: int, code: str) -> SnapshotRow:
        packet = self._rows.packet.packet
        return snapshot_rows.of_collector(self.session, self.tracker, collector, packet, code)

    def _warn(self, warnings: int) -> None:
        """A finding for each rule that bits of `WARNINGS` are for."""
        texts: dict[str, list[str]] = {}
        for bit, text in WARNINGS.items():
            if warnings & bit:
                texts.setdefault(WARNING_RULES.get(bit, "snap.odd"), []).append(text)
        for rule, told in texts.items():
            self._finding(rule, WARNING, "; ".join(told))

    def _finding(self, rule: str, severity: int, text: str, local: int | None = None) -> None:
        snapshot = self._rows.next_snapshot if local is None else local
        self._rows.finding(rule, severity, text, snapshot=snapshot)
