"""Every byte of a packet, named: header, chunks, messages, and the delta the packet completes."""

from __future__ import annotations

from dataclasses import replace

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.changes import CODE_LENGTHS, byte_bits
from analyzer.protocols.teeworlds.delta import Delta, read_to_fault
from analyzer.protocols.teeworlds.dialects import DIALECTS, Dialect
from analyzer.protocols.teeworlds.guesses import guesses_of, message_key
from analyzer.protocols.teeworlds.messages import (
    MessageHead,
    explain_body,
    explain_connless,
    fitting,
    message_id,
    read_message,
)
from analyzer.protocols.teeworlds.passwords import guarded, may_hold_password
from analyzer.protocols.teeworlds.schema import Schema
from analyzer.protocols.teeworlds.told_names import told_by
from analyzer.snapshots.model import JoinedDelta
from analyzer.transports.teeworlds import read_packet
from analyzer.transports.teeworlds_huffman import HUFFMAN
from analyzer.transports.teeworlds_packet import PLAIN, SEVEN, Packet, PacketKind
from analyzer.transports.teeworlds_tree import COMPRESSED_PAYLOAD, SURPLUS, ReadMessage
from analyzer.wire import varint
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Buffer, Field, FieldTree, Reader, Span, Trace

CAPTURED, DECOMPRESSED, JOINED = range(3)
CHUNK_HEADER = 2
"""Bytes, one more if the chunk is vital."""


def explain(payload: bytes, facts: SessionFacts, joined: JoinedDelta | None) -> FieldTree:
    """The field tree of a packet. Pure: the same bytes, facts and joined delta give the same tree."""
    dialect = DIALECTS[facts.dialect]
    schema = dialect.schema
    guesses = guesses_of(facts)
    trace = Trace()
    players = facts.players

    def message(reader: Reader) -> None:
        head = read_message(reader, schema, facts.names)
        guessed = guesses.message_types.get(message_key(head.system, head.number, head.uuid))
        if head.type is None and guessed is not None:
            head = replace(head, type=fitting(reader, guessed, schema))
        nonlocal players
        told = _told(reader, head, dialect)
        if told is not None and told[1]:
            players = {**players, told[0]: told[1]}
        with guarded(reader, head, schema):
            explain_body(reader, head, schema, facts.names, players)
        if told is not None and not told[1]:
            players = {client: name for client, name in players.items() if client != told[0]}

    packet = read_packet(payload, dialect.variant, trace, message, find_connless)
    buffers = [Buffer("captured", payload)]
    plain = packet.payload if packet.payload_buffer == DECOMPRESSED else b""
    if plain or joined is not None:
        source = next((field.span for field in trace.fields if field.name == COMPRESSED_PAYLOAD), None)
        buffers.append(Buffer("decompressed", plain, plain.translate(CODE_LENGTHS), source))
    error = packet.error.text if packet.error is not None else ""
    shift = dialect.variant.size_shift
    fields = tuple(
        _with_secret(field, packet.payload if field.span.buffer else payload, schema, shift)
        if field.span is not None and (field.wrong or field.name == SURPLUS)
        else field
        for field in trace.fields
    )
    if packet.compressed and packet.payload_buffer == CAPTURED:
        fields = _cut_compressed(fields, payload, packet, dialect)
    if joined is not None:
        buffers.append(Buffer("joined delta", joined.data, byte_bits(joined)))
        fields += (_explain_delta(joined, facts),)
    return FieldTree(tuple(buffers), fields, error)


def _told(reader: Reader, head: MessageHead, dialect: Dialect) -> tuple[int, str] | None:
    """The client and the name that a message tells of, where snapshots do not."""
    if head.uuid is not None:
        return None
    try:
        return told_by(dialect, head.system, head.number, reader.data, reader.offset, reader.end)
    except DecodeError:
        return None


def find_connless(name: str, kind: PacketKind) -> tuple[str, ReadMessage]:
    """What a connectionless message is, and how to read its body."""
    schema = DIALECTS[SEVEN.name if kind is PacketKind.CONNLESS_07 else PLAIN.name].schema
    known = schema.connless.get(name)
    title = "unknown connectionless message" if known is None else known.title
    return title, lambda reader: explain_connless(reader, known, schema)


def _with_secret(left: Field, data: bytes, schema: Schema, size_shift: int) -> Field:
    """What is left of a packet: secret, where a chunk in it, which may be cut, has a message with a password."""
    if left.span is None:
        return left
    start, end = left.span.offset, left.span.offset + left.span.length
    return replace(left, secret=True) if _some_password(data, start, end, schema, size_shift) else left


def _cut_compressed(fields: tuple[Field, ...], payload: bytes, packet: Packet, dialect: Dialect) -> tuple[Field, ...]:
    """What is left of a packet that cannot be decompressed to its end: secret, if what can be is of a password."""
    start = packet.payload_offset
    plain = HUFFMAN.beginning(payload, start, dialect.variant.max_payload)
    if not _some_password(plain, 0, len(plain), dialect.schema, dialect.variant.size_shift):
        return fields
    span = Span(CAPTURED, start, len(payload) - start)
    note = "cannot be decompressed to its end; a message in it has a password"
    return (*fields[:1], Field(COMPRESSED_PAYLOAD, payload[start:], "", span, note=note, secret=True), *fields[1:])


def _some_password(data: bytes, at: int, end: int, schema: Schema, size_shift: int) -> bool:
    """Does one of the chunks in `data[at:end]`, the last of which may be cut, have a message with a password?"""
    low = (1 << size_shift) - 1
    while end - at >= CHUNK_HEADER:
        start = at + CHUNK_HEADER + (data[at] >> 6 & 1)
        at = start + ((data[at] & 0x3F) << size_shift | data[at + 1] & low)
        if _has_password(data, start, min(at, end), schema):
            return True
    return False


def _has_password(data: bytes, start: int, end: int, schema: Schema) -> bool:
    try:
        number, system, identity, _ = message_id(data, start, end)
    except DecodeError:
        return False
    key = (system, number)
    known = schema.by_message_number.get(key) if identity is None else schema.by_message_uuid.get((system, identity))
    return known is not None and may_hold_password(known)


def _explain_delta(joined: JoinedDelta, facts: SessionFacts) -> Field:
    """The numbers of a delta in wire order; what they mean against the base is the delta tree's matter."""
    data = joined.data
    whole = Span(JOINED, 0, len(data))
    if not data:
        return Field("delta", None, "empty: nothing changed", whole)
    delta, fault = read_to_fault(data, facts.sizes)
    offsets = varint.offsets(data)
    heads = zip(("removed count", "updated count", "zero"), delta.ints, strict=False)
    children = [_number(name, delta.ints, index, offsets) for index, (name, _) in enumerate(heads)]
    children += [
        _number("removed", delta.ints, 3 + index, offsets, f"type {key >> 16}, id {key & 0xFFFF}")
        for index, key in enumerate(delta.removed)
    ]
    updates, index = _updates(delta, offsets)
    children += updates
    rest = "surplus" if fault is None else "unreadable"
    children += [_number(rest, delta.ints, number, offsets) for number in range(index, len(delta.ints))]
    if fault is not None:
        left = Span(JOINED, fault.offset, len(data) - fault.offset)
        children.append(Field("fault", span=left, note=fault.text, wrong=True))
    text = f"{len(data)} bytes in {len(joined.parts)} part{'' if len(joined.parts) == 1 else 's'}"
    note = f"byte {fault.offset}: {fault.text}" if fault is not None else ""
    return Field("delta", None, text, whole, tuple(children), note)


def _updates(delta: Delta, offsets: list[int]) -> tuple[list[Field], int]:
    """The updates, and the index of the int behind the last one."""
    fields = []
    index = 3 + len(delta.removed)
    for key, start, size in delta.updates:
        head = [_number("type", delta.ints, index, offsets), _number("id", delta.ints, index + 1, offsets)]
        if start - index == 3:
            head.append(_number("size", delta.ints, index + 2, offsets))
        values = [_number(f"int {number}", delta.ints, start + number, offsets) for number in range(size)]
        span = Span(JOINED, offsets[index], offsets[start + size] - offsets[index])
        fields.append(Field("update", None, f"type {key >> 16}, id {key & 0xFFFF}", span, (*head, *values)))
        index = start + size
    return fields, index


def _number(name: str, ints: list[int], index: int, offsets: list[int], text: str = "") -> Field:
    return Field(name, ints[index], text, Span(JOINED, offsets[index], offsets[index + 1] - offsets[index]))
