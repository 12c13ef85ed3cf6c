"""Every byte of a packet of the 0.6 family, named: header, chunks, messages, and the delta the packet completes."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.changes import CODE_LENGTHS, byte_bits
from analyzer.protocols.teeworlds.delta import read_delta
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.messages import explain_body, read_message
from analyzer.snapshots.model import JoinedDelta
from analyzer.transports.teeworlds import read_packet
from analyzer.transports.teeworlds_tree import COMPRESSED_PAYLOAD
from analyzer.wire import varint
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Buffer, Field, FieldTree, Reader, Span, Trace

CAPTURED, DECOMPRESSED, JOINED = range(3)


def explain(payload: bytes, facts: SessionFacts, joined: JoinedDelta | None) -> FieldTree:
    """The field tree of a packet. Pure: the same bytes, facts and joined delta give the same tree."""
    dialect = DIALECTS[facts.dialect]
    schema = dialect.schema
    trace = Trace()

    def message(reader: Reader) -> None:
        head = read_message(reader, schema, facts.names)
        explain_body(reader, head, schema, facts.names)

    packet = read_packet(payload, dialect.variant, trace, message)
    buffers = [Buffer("captured", payload)]
    plain = packet.payload if packet.payload_buffer == DECOMPRESSED else b""
    if plain or joined is not None:
        source = next((field.span for field in trace.fields if field.name == COMPRESSED_PAYLOAD), None)
        buffers.append(Buffer("decompressed", plain, plain.translate(CODE_LENGTHS), source))
    error = packet.error.text if packet.error is not None else ""
    if joined is not None:
        buffers.append(Buffer("joined delta", joined.data, byte_bits(joined)))
        trace.add(_explain_delta(joined, facts))
    return FieldTree(tuple(buffers), trace.fields, error)


def _explain_delta(joined: JoinedDelta, facts: SessionFacts) -> Field:
    """The numbers of a delta in wire order; what they mean against the base is the delta tree's matter."""
    data = joined.data
    whole = Span(JOINED, 0, len(data))
    if not data:
        return Field("delta", None, "empty: nothing changed", whole)
    try:
        delta = read_delta(data, facts.sizes)
    except DecodeError as error:
        note = f"byte {error.offset}: {error.text}"
        return Field("delta", None, f"{len(data)} bytes", whole, tuple(_broken_delta(data, facts, error)), note)
    offsets = varint.offsets(data)
    updates, _ = _updates(delta.ints, 3 + len(delta.removed), len(delta.updates), offsets, facts)
    text = f"{len(data)} bytes in {len(joined.parts)} parts"
    return Field("delta", None, text, whole, (*_head(delta.ints, len(delta.removed), offsets), *updates))


def _broken_delta(data: bytes, facts: SessionFacts, error: DecodeError) -> Iterator[Field]:
    """What was read before the fault, and the bytes from there on."""
    ints: list[int] = []
    offsets = [0]
    try:
        while offsets[-1] < error.offset:
            value, end = varint.unpack(data, offsets[-1], len(data))
            ints.append(value)
            offsets.append(end)
    except DecodeError:
        pass  # the fault itself, where it is a number that is cut off
    removed = min(max(0, ints[0]), len(ints) - 3) if len(ints) > 3 else 0
    yield from _head(ints, removed, offsets)
    if len(ints) > 3:
        updates, index = _updates(ints, 3 + removed, max(0, ints[1]), offsets, facts)
        yield from updates
        yield from (_number(f"int {number}", ints, number, offsets) for number in range(index, len(ints)))
    yield Field("unreadable", span=Span(JOINED, error.offset, len(data) - error.offset), note=error.text, wrong=True)


def _head(ints: list[int], removed: int, offsets: list[int]) -> Iterator[Field]:
    """The three numbers that every delta begins with, as far as they are there, and the removed keys."""
    for index, name in enumerate(("removed count", "updated count", "zero")[: len(ints)]):
        yield _number(name, ints, index, offsets)
    for index in range(3, 3 + removed):
        key = ints[index]
        yield _number("removed", ints, index, offsets, f"type {key >> 16}, id {key & 0xFFFF}")


def _updates(
    ints: list[int], index: int, count: int, offsets: list[int], facts: SessionFacts
) -> tuple[list[Field], int]:
    """Up to `count` updates from an index on, those that are there completely; and the index behind them."""
    fields: list[Field] = []
    while len(fields) < count and index + 2 <= len(ints):
        item_type, item_id = ints[index : index + 2]
        head = [_number("type", ints, index, offsets), _number("id", ints, index + 1, offsets)]
        start = index + 2
        size = facts.sizes[item_type] if 0 <= item_type < len(facts.sizes) else -1
        if size < 0:
            if start == len(ints):
                break
            size = ints[start]
            head.append(_number("size", ints, start, offsets))
            start += 1
        if not 0 <= size <= len(ints) - start:
            break
        values = [_number(f"int {number}", ints, start + number, offsets) for number in range(size)]
        span = Span(JOINED, offsets[index], offsets[start + size] - offsets[index])
        fields.append(Field("update", None, f"type {item_type}, id {item_id}", span, (*head, *values)))
        index = start + size
    return fields, index


def _number(name: str, ints: list[int], index: int, offsets: list[int], text: str = "") -> Field:
    return Field(name, ints[index], text, Span(JOINED, offsets[index], offsets[index + 1] - offsets[index]))
