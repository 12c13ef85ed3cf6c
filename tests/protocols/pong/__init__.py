"""Pong, a protocol made up to show what one needs: moves of players, and snapshots of balls as deltas in parts.

bytes 0..3  "PONG"
byte 4      1 move: player u8, x i16, y i16
            2 part: tick i32, base tick i32 (-1: none), parts u8, part u8, and the rest is a piece of the delta
delta       any number of: ball u8, x i16, y i16; a ball at y -32768 is gone. Big-endian throughout.
"""

from __future__ import annotations

import struct
from collections.abc import Container, Iterator, Mapping
from dataclasses import replace

from analyzer.protocols.base import (
    Datagram,
    Detector,
    PartBytes,
    Protocol,
    Reading,
    SessionFacts,
    SnapshotCodec,
    Verdict,
)
from analyzer.snapshots.bases import RETENTION_TICKS, Base, Bases
from analyzer.snapshots.chain import CHAIN_LENGTH
from analyzer.snapshots.collector import Collector, Collectors, HeldPart
from analyzer.snapshots.model import Change, FieldChange, Item, ItemField, JoinedDelta
from analyzer.snapshots.status import Code, Status
from analyzer.store.rows import PartRow, Rows, SessionRow, SnapshotRow
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Buffer, FieldTree, Reader, Span, Trace

MAGIC, MOVE, PART = b"PONG", 1, 2
GONE = -32768
Balls = Mapping[int, tuple[int, int]]
"""A snapshot: ball -> x and y in pixels. Never changed once made."""

# 1. Bytes. The same functions decode a packet and, when the reader has a trace, explain it.


def read_message(reader: Reader) -> int:
    """Number of the message. Raises DecodeError."""
    if reader.raw("magic", len(MAGIC)) != MAGIC:
        raise DecodeError("magic", 0, "not a pong packet")
    return reader.u8("message")


def read_part(reader: Reader) -> tuple[Collector, int]:
    """What a part says of its snapshot, and the part's number. Raises DecodeError."""
    tick, base_tick = (reader.big_endian(name, 4, signed=True) for name in ("tick", "base tick"))
    parts, number = reader.u8("parts"), reader.u8("part")
    if tick <= base_tick or number >= parts:
        raise DecodeError("range", reader.offset, f"tick {tick} on {base_tick}, part {number} of {parts}")
    return Collector(tick, base_tick, parts, checksum=0, kind=0), number


def read_ball(reader: Reader, name: str) -> tuple[int, int, int]:
    """A ball or player, x and y. Raises DecodeError."""
    return reader.u8(name), reader.big_endian("x", 2, signed=True), reader.big_endian("y", 2, signed=True)


def read_delta(reader: Reader) -> Iterator[tuple[int, int, int, int]]:
    """Offset, ball, x and y of every entry. Raises DecodeError."""
    while reader.left:
        offset = reader.offset
        with reader.group("ball"):
            ball, x, y = read_ball(reader, "id")
        yield offset, ball, x, y


def explain(payload: bytes, facts: SessionFacts, joined: JoinedDelta | None) -> FieldTree:
    """Every byte of a packet, and of the delta that it completed, with a name. Never raises."""
    trace, error = Trace(), ""
    delta = joined.data if joined is not None else b""
    reader = Reader(payload, trace=trace)
    try:
        number = read_message(reader)
        if number == MOVE:
            read_ball(reader, "player")
        elif number == PART:
            read_part(reader)
        reader.rest("data")
        list(read_delta(Reader(delta, buffer=2, trace=trace)))
    except DecodeError as fault:
        error = fault.text
    buffers = Buffer("captured", payload), Buffer("decompressed", b""), Buffer("joined delta", delta)
    return FieldTree(buffers, trace.fields, error)


# 2. Recognising a flow.


def probe(payload: bytes) -> float:
    """Is a flow worth a detector?"""
    return 1.0 if payload.startswith(MAGIC) and len(payload) > len(MAGIC) else 0.0


class PongDetector(Detector):
    """One packet is enough; only the server sends parts."""

    server: int | None = None

    def see(self, datagram: Datagram) -> None:
        if probe(datagram.payload):
            from_server = datagram.payload[len(MAGIC)] == PART
            self.server = datagram.direction if from_server else 1 - datagram.direction

    def verdict(self) -> Verdict | None:
        return None if self.server is None else Verdict("1", 1.0, self.server)


# 3. A flow: datagrams in, rows out.

CODES = (
    Code("OK", Status.OK, "rebuilt"),
    Code("P", Status.INCOMPLETE, "parts missing: {missing} of {parts}"),
    Code("B", Status.NO_BASE, "base tick {base_tick} is not known"),
    Code("D", Status.MALFORMED, "the delta ends inside a ball"),
)
OK, PARTS_MISSING, BASE_UNKNOWN, DELTA_CUT = range(len(CODES))
MESSAGE, MALFORMED = 1, 2
"""Indices into packet_kinds; the first is always for packets that nobody has decided on."""


class PongReading(Reading):
    """One flow from its first datagram on."""

    def __init__(self, rows: Rows, verdict: Verdict) -> None:
        super().__init__(rows)
        self._facts = SessionFacts(verdict.dialect)
        self._session = -1
        self._newest = -1
        self._collectors = Collectors()
        self._bases: Bases[Balls] = Bases()

    def receive(self, datagram: Datagram) -> None:
        late = self.rows.packet
        if self._session < 0:
            self._session = self.rows.session(SessionRow(0, 0, 0, "1", self._facts, datagram.packet))
        late.session, late.kind = self._session, MESSAGE
        reader = Reader(datagram.payload)
        try:
            number = read_message(reader)
            name = {MOVE: "Move", PART: "Part"}.get(number, f"unknown message {number}")
            row = self.rows.message(name, number, 0, 65535, len(datagram.payload) - len(MAGIC), len(MAGIC))
            if number == PART:
                self._on_part(reader, row, datagram)
        except DecodeError:
            late.kind, late.code = MALFORMED, 1

    def finish(self) -> None:
        for collector in self._collectors.all():
            self._add(collector, PARTS_MISSING)

    def _on_part(self, reader: Reader, row: PartRow, datagram: Datagram) -> None:
        described, number = read_part(reader)
        self._newest = max(self._newest, described.tick)
        if described.tick < self._newest - RETENTION_TICKS or self._bases.get(described.tick) is not None:
            return
        collector = self._collectors.get(described.tick)
        if collector is None:
            self._collectors.open(described)
            collector = described
        collector.hold(HeldPart(replace(row, number=number), reader.rest("delta"), datagram.udp_length))
        if collector.complete:
            self._complete(collector)
        for overdue in self._collectors.overdue(self._newest - RETENTION_TICKS):
            self._add(overdue, PARTS_MISSING)
        self._bases.purge(self._newest)

    def _complete(self, collector: Collector) -> None:
        empty = Base(-1, CODEC.empty(), 0, -1, True)
        known = empty if collector.base_tick < 0 else self._bases.get(collector.base_tick)
        if known is None:
            self._add(collector, BASE_UNKNOWN)
            return
        delta, _ = CODEC.join({number: part.data for number, part in collector.parts.items()}, collector.announced)
        try:
            balls = CODEC.apply(known.state, delta, self._facts)
        except DecodeError:
            self._add(collector, DELTA_CUT, known.local)
            return
        depth = known.depth + 1
        if depth >= CHAIN_LENGTH:
            # Whoever asks for a later snapshot need not go back to the first.
            self.rows.block(self.rows.next_snapshot, CODEC.pack(balls))
            depth = 0
        local = self._add(collector, OK, known.local, items=len(balls), depth=depth)
        self._bases.put(collector.tick, Base(local, balls, 5 * len(balls), depth, True))

    def _add(self, collector: Collector, code: int, local: int = -1, items: int = 0, depth: int = -1) -> int:
        """Close the collector and add its row, decided by the packet being read; `local` is the base's row."""
        self._collectors.close(collector.tick)
        packet, parts, status = self.rows.packet.packet, collector.announced, CODES[code].status
        row = SnapshotRow(self._session, collector.tick, collector.base_tick, packet, 0, status, code, parts, local)
        row.items, row.depth, row.received = items, depth, collector.received
        row.wire_bytes, row.delta_bytes = collector.wire_bytes, collector.delta_bytes
        added = self.rows.snapshot(row)
        if code != PARTS_MISSING:
            self.rows.packet.snapshot = added
        return added


# 4. A snapshot again, whenever somebody looks at it.


class PongCodec(SnapshotCodec[Balls]):
    """Balls, and deltas of balls."""

    def empty(self) -> Balls:
        return {}

    def part(self, payload: bytes, facts: SessionFacts, message_offset: int, message_size: int) -> PartBytes:
        reader = Reader(payload)
        read_message(reader)
        read_part(reader)
        return PartBytes(payload[reader.offset :], reader.offset, compressed=False)

    def apply(self, base: Balls, delta: bytes, facts: SessionFacts) -> Balls:
        balls = {**base, **{ball: (x, y) for _, ball, x, y in read_delta(Reader(delta))}}
        return {ball: place for ball, place in balls.items() if place[1] != GONE}

    def pack(self, state: Balls) -> bytes:
        return b"".join(struct.pack(">Bhh", ball, *place) for ball, place in state.items())

    def unpack(self, block: bytes) -> Balls:
        return self.apply({}, block, SessionFacts("1"))

    def items(
        self, state: Balls, facts: SessionFacts, tick: int, chosen: Container[tuple[int, int]] | None = None
    ) -> tuple[Item, ...]:
        return tuple(
            Item(0, ball, "Ball", place, tuple(ItemField(n, (v,), f"{v} px") for n, v in zip("xy", place, strict=True)))
            for ball, place in state.items()
            if chosen is None or (0, ball) in chosen
        )

    def changes(self, base: Balls | None, joined: JoinedDelta, facts: SessionFacts, tick: int) -> tuple[Change, ...]:
        found: list[Change] = []
        try:
            for offset, ball, *new in read_delta(Reader(joined.data)):
                found.append(_change(base, offset, ball, new))
        except DecodeError:
            pass
        return tuple(found)


def _change(known: Balls | None, offset: int, ball: int, new: list[int]) -> Change:
    old = known.get(ball) if known is not None else None
    gone = new[1] == GONE
    kind = "removed" if gone else "unknown" if known is None else "added" if old is None else "changed"
    fields = tuple(
        FieldChange(name, old and old[at], None if gone else new[at], None, 16, Span(2, offset + 1 + 2 * at, 2))
        for at, name in enumerate("xy")
    )
    return Change(kind, 0, ball, "Ball", fields, 40, Span(2, offset, 5))


CODEC = PongCodec()
PONG = Protocol(
    name="pong",
    title="Pong",
    probe=probe,
    open_detector=PongDetector,
    open_reading=PongReading,
    explain=explain,
    packet_kinds=("undecided", "message", "malformed"),
    packet_codes=("", "malformed: the message could not be read"),
    snapshot_kinds=("part",),
    codes=CODES,
    snapshots=CODEC,
)
