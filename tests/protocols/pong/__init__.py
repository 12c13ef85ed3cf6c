"""Pong, a protocol made up to show what one needs: moves of players, and snapshots of balls as deltas in parts.

bytes 0..3  "PONG"
byte 4      1 move: player u8, x i16, y i16
            2 part: tick i32, base tick i32 (-1: none), parts u8, part u8, and the rest is a piece of the delta
delta       any number of: ball u8, x i16, y i16; a ball at y -32768 is gone. Big-endian throughout.
"""

from __future__ import annotations

import struct
from collections.abc import Container, Iterator, Mapping
from zlib import crc32

from analyzer.protocols.base import PartBytes, Protocol, SessionFacts, SnapshotCodec
from analyzer.protocols.flow import Datagram, Detector, Reading, Verdict
from analyzer.snapshots.model import Change, FieldChange, Item, ItemField, JoinedDelta
from analyzer.snapshots.status import Code, Status
from analyzer.snapshots.tracking import parts, ticks
from analyzer.snapshots.tracking.columns import (
    C_BASE_TICK,
    C_PARTS,
    C_TICK,
    COLLECTOR,
    DEPTH,
    GIVEN_UP,
    LOCAL,
    MAX_PARTS,
    OPENS,
    PURGE_AT,
    REPLACES,
    RETENTION_TICKS,
    SEEN,
)
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.rows import PartRow, Rows, SessionRow, SnapshotRow
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Buffer, FieldTree, Reader, Span, Trace

MAGIC, MOVE, PART = b"PONG", 1, 2
GONE, BALL_BYTES = -32768, 5
Balls = Mapping[int, tuple[int, int]]
"""A snapshot: ball -> x and y in pixels. Never changed once made."""

# 1. Bytes. The same functions decode a packet and, when the reader has a trace, explain it.


def read_message(reader: Reader) -> int:
    """Number of the message. Raises DecodeError."""
    if reader.raw("magic", len(MAGIC)) != MAGIC:
        raise DecodeError("magic", 0, "not a pong packet")
    return reader.u8("message")


def read_part(reader: Reader) -> tuple[int, int, int, int]:
    """Tick and base tick, how many parts, and which this one is. Raises DecodeError."""
    tick, base_tick = (reader.big_endian(name, 4, signed=True) for name in ("tick", "base tick"))
    count, part = reader.u8("parts"), reader.u8("part")
    if tick <= base_tick or not part < count <= MAX_PARTS:
        raise DecodeError("range", reader.offset, f"tick {tick} on {base_tick}, part {part} of {count}")
    return tick, base_tick, count, part


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
    """One flow from its first datagram on. The tracker knows its ticks; bytes and balls are kept beside it."""

    def __init__(self, rows: Rows, verdict: Verdict) -> None:
        super().__init__(rows)
        self._facts = SessionFacts(verdict.dialect)
        self._session = -1
        self._tracker = Tracker()
        self._parts: dict[int, dict[int, bytes]] = {}
        """By collector and number."""
        self._balls: dict[int, Balls] = {}
        """By the tick of a base."""

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
        for collector in self._tracker.open_collectors():
            self._add(collector, PARTS_MISSING)

    def _on_part(self, reader: Reader, row: PartRow, datagram: Datagram) -> None:
        tick, base_tick, announced, part = read_part(reader)
        data = reader.rest("delta")
        self._tracker.make_room()
        track, digest = self._tracker.track, crc32(data)
        late = ticks.see(track, tick)
        fate = parts.fate(track, tick, part, digest)
        if fate > REPLACES:
            return  # Its tick has ended.
        if fate == OPENS:
            self._parts[parts.open_collector(track, tick)] = {}
        collector = track.ticks[ticks.find(track, tick), COLLECTOR]
        parts.agree(track, collector, base_tick, announced, 0, 0, late)
        parts.hold(track, collector, part, row.packet, row.ordinal, len(data), datagram.udp_length, digest)
        self._parts[collector][part] = data
        if parts.missing(track, collector) < 0:
            self._complete(collector)
        while (overdue := parts.overdue(track, track.numbers[SEEN] - RETENTION_TICKS)) >= 0:
            self._add(overdue, PARTS_MISSING)
        if track.numbers[SEEN] >= track.numbers[PURGE_AT]:
            self._tracker.purge()
            self._balls = {tick: self._balls[tick] for tick in self._tracker.bases()}

    def _complete(self, collector: int) -> None:
        track = self._tracker.track
        tick, base_tick = (track.collectors[collector, column] for column in (C_TICK, C_BASE_TICK))
        delta, _ = CODEC.join(self._parts[collector], track.collectors[collector, C_PARTS])
        local, depth, balls = -1, 0, CODEC.empty()
        if base_tick >= 0:
            if base_tick not in self._balls:
                self._add(collector, BASE_UNKNOWN)
                return
            base = ticks.find(track, base_tick)
            local, depth, balls = track.ticks[base, LOCAL], track.ticks[base, DEPTH] + 1, self._balls[base_tick]
            ticks.refer(track, base_tick, tick)
        try:
            balls = CODEC.apply(balls, delta, self._facts)
        except DecodeError:
            self._add(collector, DELTA_CUT, local)
            return
        size = BALL_BYTES * len(balls)
        stored = ticks.block_due(track, depth, len(delta), size)
        ticks.pay(track, len(delta), size if stored else 0)
        if stored:
            # Whoever asks for a later snapshot need not go back to the first.
            self.rows.block(self.rows.next_snapshot, CODEC.pack(balls))
            depth = 0
        local = self._add(collector, OK, local, items=len(balls), depth=depth)
        ticks.put_base(track, tick, local, size, depth, proved=True, crc=0, items=len(balls))
        self._balls[tick] = balls

    def _add(self, collector: int, code: int, base: int = -1, items: int = 0, depth: int = -1) -> int:
        """Close the collector and add its row, decided by the packet being read; `base` is the base's row."""
        track, packet = self._tracker.track, self.rows.packet
        tick, base_tick, announced = (track.collectors[collector, column] for column in (C_TICK, C_BASE_TICK, C_PARTS))
        status = CODES[code].status
        row = SnapshotRow(self._session, tick, base_tick, packet.packet, 0, status, code, announced, base)
        row.items, row.depth, row.received = items, depth, self._tracker.received(collector)
        _, row.delta_bytes, row.wire_bytes = parts.bytes_of(track, collector)
        local = self.rows.snapshot(row)
        parts.close_collector(track, collector)
        if code == PARTS_MISSING:
            track.ticks[ticks.find(track, tick), GIVEN_UP] = local
        else:
            parts.end(track, collector, local)
            packet.snapshot = local
        del self._parts[collector]
        return local


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
    dialects={"1": "Pong"},
)
