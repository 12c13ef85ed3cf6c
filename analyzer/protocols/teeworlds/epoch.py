"""The snapshots of one epoch, one map of one connection: parts, bases, checksums, and why one could not be rebuilt.

Spec sections 17.3 and 17.4. Decodes leniently and marks strictly: what a real client would have dropped is rebuilt all
the same and carries `client_kept` false.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic

from analyzer.protocols.teeworlds.codes import CODE_NUMBERS, CODES
from analyzer.protocols.teeworlds.delta import WARNINGS
from analyzer.protocols.teeworlds.messages import SNAPEMPTY, SnapFields
from analyzer.protocols.teeworlds.outcomes import Outcomes, set_code
from analyzer.protocols.teeworlds.rebuilder import Rebuilder, Rebuilt, S
from analyzer.protocols.teeworlds.schema import Schema
from analyzer.protocols.teeworlds.state import signed
from analyzer.snapshots.bases import RETENTION_TICKS, Base, Bases
from analyzer.snapshots.chain import MAX_DEPTH, BlockBudget
from analyzer.snapshots.collector import Collector, Collectors, HeldPart
from analyzer.snapshots.status import LostBy, Proof
from analyzer.store.rows import PartRow, Rows, SnapshotRow
from analyzer.wire.errors import DecodeError

PART_BYTES = 900
"""A writer cuts the delta every 900 bytes; part p belongs at 900 * p (spec section 8.1)."""
MAX_TICK = 0x7FFFFFFF
NOTE, WARNING = 1, 2

F1_FIELDS = ("tick", "delta_tick", "parts", "part", "crc", "length", "data")


@dataclass(frozen=True, slots=True)
class SnapMessage:
    """A snapshot message that could be read, and where it came from."""

    fields: SnapFields
    data: bytes
    """The part's bytes."""
    digest: int
    """Checksum of the whole message, to tell a repetition from another content."""
    row: PartRow
    wire_bytes: int


@dataclass(slots=True)
class _Done:
    """A tick that completed, whatever came of it."""

    local: int
    digests: dict[int, int]


def join_parts(parts: Mapping[int, bytes], announced: int) -> bytes:
    """The delta from its parts. Gaps after a short middle part read as zero bytes, as in a client's buffer."""
    if all(len(parts[number]) == PART_BYTES for number in range(announced - 1)):
        return b"".join(parts[number] for number in range(announced))
    joined = bytearray(PART_BYTES * (announced - 1) + len(parts[announced - 1]))
    for number in range(announced):
        joined[PART_BYTES * number : PART_BYTES * number + len(parts[number])] = parts[number]
    return bytes(joined)


class Epoch(Generic[S]):
    """State of one epoch. `begun`: its beginning was captured, so an unknown base is a gap and not the past.

    `map_began`: with the MAP_CHANGE, so that the ENTERGAME which belongs to it is still to come.
    """

    def __init__(
        self,
        rows: Rows,
        session: int,
        schema: Schema,
        rebuilder: Rebuilder[S],
        *,
        begun: bool,
        map_began: bool = False,
    ) -> None:
        self.session = session
        self.seen = -1
        """Highest tick of any valid snapshot message, complete or not."""
        self.lowest = MAX_TICK
        """Lowest tick of any valid snapshot message."""
        self.any_seen = False
        """A valid snapshot message came since the epoch or the session began."""
        self.newest: S | None = None
        """The state rebuilt last."""
        self.last_ack: int | None = None
        self._rows = rows
        self._schema = schema
        self._rebuilder = rebuilder
        self._begun = begun
        self._awaits_entergame = map_began
        self._collectors = Collectors()
        self._bases: Bases[S] = Bases()
        self._blocks = BlockBudget()
        self._done: dict[int, _Done] = {}
        self._given_up: dict[int, int] = {}
        self._digests: dict[int, dict[int, int]] = {}
        self._outcomes = Outcomes(rows, self._bases)
        self._purge_at = 0
        self._forgotten = -1
        """Ticks up to here are not remembered any more."""

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
        self.flush_types()
        self.session = session
        self.any_seen = False

    def flush_types(self) -> None:
        """Hand over what was counted of item types since the last time."""
        for (type, declaration), count in self._rebuilder.take_types().items():
            name = self._schema.item_name(type, {} if declaration is None else {type: declaration})
            self._rows.count_type(self.session, name, count.updates, count.values, count.packet)

    def receive(self, message: SnapMessage) -> None:
        """A valid snapshot message that is not vital."""
        fields = message.fields
        tick = fields.tick
        late = tick < self.seen
        self.any_seen = True
        self.lowest = min(self.lowest, tick)
        self.seen = max(self.seen, tick)
        if 0 <= fields.base_tick < tick:
            self._bases.use(fields.base_tick, tick)
            self._outcomes.attribution.use_as_base(fields.base_tick)
        collector = self._collectors.get(tick)
        if self._repeats(message, collector):
            return
        if collector is None and (tick in self._given_up or tick < self._oldest):
            row = self._row(message, "S1")
            row.client_kept = False
            row.cause = self._given_up.get(tick, -1)
            self._rows.snapshot(row)
            return
        if collector is None:
            collector = Collector(tick, fields.base_tick, fields.parts, fields.crc, fields.kind)
            self._collectors.open(collector)
            self._digests[tick] = {}
        else:
            collector.agree(fields.base_tick, fields.parts, fields.crc)
            collector.kind = fields.kind
        collector.late = late
        collector.hold(HeldPart(message.row, message.data, message.wire_bytes))
        self._digests[tick][fields.part] = message.digest
        if collector.complete:
            self._complete(collector, fields)
        self._close_overdue()

    def malformed(self, packet_row: PartRow, tick: int, kind: int, error: DecodeError, wire_bytes: int) -> None:
        """A snapshot message whose fields cannot be read (F1). It says nothing about what came before or after."""
        field = error.text.partition(":")[0]
        row = SnapshotRow(
            self.session,
            tick,
            -1,
            packet_row.packet,
            kind,
            CODES[CODE_NUMBERS["F1"]].status,
            CODE_NUMBERS["F1"],
            0,
            wire_bytes=wire_bytes,
            client_kept=False,
            lost_by=LostBy.GAME,
            detail=F1_FIELDS.index(field) if field in F1_FIELDS else -1,
            received=(packet_row,),
        )
        self._finding("snap.malformed", WARNING, error.text, self._rows.snapshot(row))

    def bug(self, packet_row: PartRow, tick: int, kind: int) -> None:
        """An exception of ours left a snapshot message without a row."""
        code = CODE_NUMBERS["BUG"]
        row = SnapshotRow(self.session, tick, -1, packet_row.packet, kind, CODES[code].status, code, 0)
        row.received = (packet_row,)
        self._rows.snapshot(row)

    def acknowledge(self, tick: int, packet: int) -> None:
        """An INPUT in row `packet` acknowledged `tick`, 0 or above."""
        self.last_ack = tick
        # More than the retention ahead is not believed: no peer of this epoch can have such a snapshot.
        if self.seen < 0 or tick > self.seen + RETENTION_TICKS:
            return
        self._bases.acknowledge(tick)
        if tick >= self.seen - RETENTION_TICKS:
            self._outcomes.attribution.acknowledge(tick, packet)

    def rest(self) -> None:
        """Let go of everything that only the next snapshots would need; what is open stays open."""
        self._bases.forget()
        self._outcomes.attribution.forget()
        self._done.clear()
        self._given_up.clear()
        self._forgotten = self.seen
        self.newest = None

    def close(self) -> None:
        """End of the epoch or of the capture: what is open stays incomplete."""
        self.flush_types()
        for collector in self._collectors.all():
            self._give_up(collector)

    @property
    def _oldest(self) -> int:
        """The lowest tick whose fate is remembered."""
        return max(self.seen - RETENTION_TICKS, self._forgotten + 1)

    def _repeats(self, message: SnapMessage, collector: Collector | None) -> bool:
        """S2 and S3: a tick that completed, or a part that is already held with the same bytes."""
        fields = message.fields
        done = self._done.get(fields.tick)
        if done is not None:
            same = done.digests.get(fields.part) == message.digest
            row = self._row(message, "S2" if same else "S3")
            row.cause = done.local
            self._rows.snapshot(row)
            return True
        held = self._digests.get(fields.tick, {}).get(fields.part)
        if collector is None or held != message.digest:
            return False
        self._outcomes.repeat(self._row(message, "S2"))
        return True

    def _complete(self, collector: Collector, fields: SnapFields) -> None:
        tick = collector.tick
        self._collectors.close(tick)
        data = join_parts({number: part.data for number, part in collector.parts.items()}, collector.announced)
        row = self._row_of(collector, "OK")
        base = self._base(row, fields.delta_tick)
        if base is not None:
            self._rebuild(row, base, data, collector)
        self._done[tick] = _Done(self._rows.next_snapshot - 1, self._digests.pop(tick))
        late = self._rows.packet
        late.snapshot = self._rows.next_snapshot - 1
        self._note_oddities(collector, late.snapshot)

    def _base(self, row: SnapshotRow, delta_tick: int) -> Base[S] | None:
        """The base, or None after a row that says why there is none."""
        tick = row.base_tick
        if tick < 0:
            empty = self._rebuilder.empty
            return Base(-1, empty, empty.size, -1, True)
        if delta_tick <= 0:
            self._outcomes.fail(row, "B5", whole=True)
            return None
        base = self._bases.get(tick)
        if base is not None:
            row.base = base.local
            return base
        collector = self._collectors.get(tick)
        cause = self._outcomes.of_open(tick) if collector is not None else self._bases.cause_of(tick)
        if cause is not None:
            self._outcomes.fail_through(row, cause)
        elif self._bases.dropped(tick):
            self._outcomes.fail(row, "B4", lost_by=LostBy.LIMIT)
        elif self._begun or tick >= self.lowest:
            self._outcomes.fail(row, "B3", lost_by=LostBy.CAPTURE)
        else:
            self._outcomes.fail(row, "B1", lost_by=LostBy.CAPTURE)
        return None

    def _rebuild(self, row: SnapshotRow, base: Base[S], data: bytes, collector: Collector) -> None:
        unchanged = collector.kind == SNAPEMPTY or not data
        try:
            rebuilt = (
                Rebuilt(base.state)
                if unchanged
                else self._rebuilder.rebuild(base.state, data, self._rows.packet.packet)
            )
        except DecodeError as error:
            row.detail = error.offset
            row.detail2 = error.details[0] if error.details else 0
            self._outcomes.fail(row, error.code, whole=True)
            return
        state = rebuilt.state
        row.depth = min(base.depth + 1, MAX_DEPTH)
        row.state_bytes, row.items, row.crc_computed = state.size, state.count, state.crc
        row.added, row.changed, row.removed = rebuilt.added, rebuilt.changed, rebuilt.removed
        row.deleted, row.updated = rebuilt.deleted, rebuilt.updated
        if rebuilt.warnings:
            texts = [text for bit, text in WARNINGS.items() if rebuilt.warnings & bit]
            self._finding("snap.warning", WARNING, "; ".join(texts))
        if collector.kind == SNAPEMPTY:
            row.crc_wire = state.crc
            set_code(row, "OK-E")
            row.proof = Proof.BASE if base.proved else Proof.NONE
        elif collector.checksum != state.crc:
            row.detail = signed(collector.checksum - state.crc)
            self._outcomes.fail(row, "C1", whole=True)
            return
        else:
            row.proof = Proof.OWN
        self._store(row, state)

    def _store(self, row: SnapshotRow, state: S) -> None:
        local = self._rows.next_snapshot
        if self._blocks.stores(row.depth, row.delta_bytes, state.size):
            self._rows.block(local, self._rebuilder.pack(state))
            row.depth = 0
        self._outcomes.rebuilt(row)
        self._bases.put(row.tick, Base(local, state, state.size, row.depth, row.proof is not Proof.NONE))
        self.newest = state

    def _give_up(self, collector: Collector) -> None:
        """P1: the collector is closed with parts missing."""
        tick = collector.tick
        self._collectors.close(tick)
        self._digests.pop(tick, None)
        row = self._row_of(collector, "P1")
        row.client_kept = False
        self._given_up[tick] = self._outcomes.fail(row, "P1")

    def _close_overdue(self) -> None:
        for collector in self._collectors.overdue(self.seen - RETENTION_TICKS):
            self._give_up(collector)
        if self.seen >= self._purge_at:
            self._purge_at = self.seen + RETENTION_TICKS // 10
            self._bases.purge(self.seen)
            self._outcomes.attribution.purge(self.seen)
            oldest = self.seen - RETENTION_TICKS
            self._done = {tick: done for tick, done in self._done.items() if tick >= oldest}
            self._given_up = {tick: local for tick, local in self._given_up.items() if tick >= oldest}

    def _row(self, message: SnapMessage, code: str) -> SnapshotRow:
        fields = message.fields
        number = CODE_NUMBERS[code]
        return SnapshotRow(
            self.session,
            fields.tick,
            fields.base_tick,
            message.row.packet,
            fields.kind,
            CODES[number].status,
            number,
            fields.parts,
            wire_bytes=message.wire_bytes,
            delta_bytes=fields.length,
            crc_wire=fields.crc,
            received=(message.row,),
        )

    def _row_of(self, collector: Collector, code: str) -> SnapshotRow:
        number = CODE_NUMBERS[code]
        return SnapshotRow(
            self.session,
            collector.tick,
            collector.base_tick,
            self._rows.packet.packet,
            collector.kind,
            CODES[number].status,
            number,
            collector.announced,
            wire_bytes=collector.wire_bytes,
            delta_bytes=collector.delta_bytes,
            crc_wire=collector.checksum,
            client_kept=not collector.late,
            received=collector.received,
        )

    def _note_oddities(self, collector: Collector, local: int) -> None:
        for conflict in collector.conflicts:
            self._finding("snap.conflict", WARNING, conflict, local)
        short = [n for n in range(collector.announced - 1) if len(collector.parts[n].data) != PART_BYTES]
        if short:
            self._finding("snap.warning", WARNING, f"middle part {short[0]} is not {PART_BYTES} bytes long", local)

    def _finding(self, rule: str, severity: int, text: str, local: int | None = None) -> None:
        snapshot = self._rows.next_snapshot if local is None else local
        self._rows.finding(rule, severity, text, snapshot=snapshot)


def digest(message: bytes) -> int:
    """A checksum that tells two messages apart."""
    return zlib.crc32(message)
