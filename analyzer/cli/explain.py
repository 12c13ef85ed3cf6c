"""`explain`: the field tree of one frame's datagram, every value with the bytes it was read from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated

import numpy as np
import typer

from analyzer.cli.change_lines import raw_text, values_text
from analyzer.cli.chosen import chosen_by
from analyzer.cli.described import Described
from analyzer.cli.errors import CommandError
from analyzer.cli.frame_words import SENTENCES
from analyzer.cli.opening import decoded, packet_kinds
from analyzer.cli.options import AsJson, DecodeAs, DisplayFilter, File, MemoryLimit, SchemaFiles
from analyzer.cli.output import bracketed, counted, json_text, one_line, write_lines
from analyzer.cli.packets import source_and_destination
from analyzer.engine.capture import Capture
from analyzer.engine.packet_detail import PacketDetail, begins_in_hex, packet_detail
from analyzer.engine.query import Query
from analyzer.net.kinds import FrameKind
from analyzer.stats.capture import kind_name
from analyzer.stats.flows import flow_ends
from analyzer.stats.live import ints
from analyzer.stats.parts import parts_in
from analyzer.store.tables import Tables
from analyzer.wire.reader import Buffer, Field, FieldTree, Value
from analyzer.wire.secrets import MASK, Secrets

MAX_SHOWN_BYTES = 32
"""Bytes of a raw field shown in the text tree; JSON has them all."""
DUMP_WIDTH = 16
FrameNumber = Annotated[
    int | None, typer.Option("--frame", metavar="N", help="Frame number, counted from 1.", show_default=False)
]
Row = dict[str, object]


def explain(
    file: File,
    frame: FrameNumber = None,
    display_filter: DisplayFilter = None,
    as_json: AsJson = False,
    memory_limit: MemoryLimit = None,
    decode_as: DecodeAs = None,
    schema: SchemaFiles = None,
) -> None:
    """Explain one frame, or all that a filter is true of, byte by byte.

    Every field with its bytes as buffer:offset+length, its value and meaning; then the snapshots it belongs to.
    """
    if (frame is None) == (display_filter is None):
        raise typer.BadParameter("give either --frame or -Y")
    chosen = chosen_by(display_filter, schema)
    with decoded(file, memory_limit, decode_as, schema) as (capture, query):
        sentence = ""
        if chosen is not None:
            packets = np.flatnonzero(chosen.packets(capture, query)).tolist()
            sentence = "" if packets else "The filter is true of no packet."
        elif frame is not None:
            packets = packets_of_frame(capture.tables, frame)
            sentence = "" if packets else _no_datagram(capture.tables, frame)
        if as_json:
            explained = [_record(capture, query, packet) for packet in packets]
            write_lines([json_text({"frame": frame, "packets": explained, "note": sentence}, indent=2)])
        else:
            write_lines(_all_lines(capture, query, packets) if packets else [sentence])


def packets_of_frame(tables: Tables, frame: int) -> list[int]:
    """Packet rows whose datagram ends in a frame (from 1); most frames have one. Raises CommandError past the end."""
    if not 1 <= frame <= len(tables.frames):
        raise CommandError(f"there is no frame {frame}: the capture has {counted(len(tables.frames), 'frame')}")
    return [int(row) for row in np.flatnonzero(ints(tables.packets, "frame") == frame - 1)]


def _no_datagram(tables: Tables, frame: int) -> str:
    kind = FrameKind(tables.frames.integer("kind", frame - 1))
    text = f"Frame {frame} holds no UDP datagram: {SENTENCES[kind]}."
    packets = tables.fragments.take("packet", np.flatnonzero(ints(tables.fragments, "frame") == frame - 1))
    for packet in packets.astype(np.int64).tolist():
        text += f" Its datagram is whole with frame {tables.packets.integer('frame', packet) + 1}."
    return text


def _head(capture: Capture, packet: int) -> Row:
    tables = capture.tables
    flow = flow_ends(tables)[tables.packets.integer("flow", packet)]
    frame = tables.packets.integer("frame", packet)
    source, destination = source_and_destination(tables, packet)
    return {
        "time": (tables.frames.integer("time_ns", frame) - tables.frames.integer("time_ns", 0)) / 1e9,
        "source": source,
        "destination": destination,
        "protocol": flow.protocol or "udp",
        "dialect": flow.dialect,
        "kind": kind_name(flow, tables.packets.integer("kind", packet), packet_kinds(capture)),
        "length": tables.packets.integer("udp_length", packet),
        "captured": tables.packets.integer("length", packet),
    }


def _record(capture: Capture, query: Query, packet: int) -> Row:
    detail = packet_detail(query, capture.tables, packet)
    tree = detail.tree
    secrets = Secrets(tree)
    places = _buffer_places(tree)
    return {
        "frame": capture.tables.packets.integer("frame", packet) + 1,
        **_head(capture, packet),
        "info": query.info(packet),
        "buffers": [_buffer(tree.buffers[number], secrets.buffer(number)) for number in places],
        "fields": [_node(field, detail, secrets, places) for field in tree.fields],
        "error": tree.error,
        "snapshots": [Described(capture.tables, query, row).record() for row in query.snapshots_of(packet)],
        "parts": _parts(capture.tables, query, packet),
    }


def _buffer_places(tree: FieldTree) -> dict[int, int]:
    """Number of each buffer that is shown -> its place in the list. Left out: an empty one that no field lies in."""
    used = {field.span.buffer for field, _ in _walk(tree.fields, 0) if field.span is not None}
    shown = [number for number, buffer in enumerate(tree.buffers) if number == 0 or buffer.data or number in used]
    return {number: place for place, number in enumerate(shown)}


def _buffer(buffer: Buffer, data: bytes | None) -> Row:
    """A buffer as JSON has it; `data` is None where its bytes are withheld."""
    entry: Row = {"name": buffer.name, "length": len(buffer.data), "hex": None if data is None else data.hex()}
    return entry if data is not None else {**entry, "note": "withheld: these bytes hold a password"}


def _node(field: Field, detail: PacketDetail, secrets: Secrets, places: Mapping[int, int]) -> Row:
    value = secrets.value(field)
    span = field.span
    change = _change_text(field, detail)
    return {
        "name": field.name,
        "value": value.hex() if isinstance(value, bytes) else value,
        "text": secrets.text(field) if change is None else change,
        "span": None if span is None else {**asdict(span), "buffer": places[span.buffer]},
        "mask": field.mask,
        "note": field.note,
        "children": [_node(child, detail, secrets, places) for child in field.children],
    }


def _parts(tables: Tables, query: Query, packet: int) -> list[Row]:
    found: list[Row] = []
    for part in parts_in(tables, packet):
        snapshot = Described(tables, query, part.snapshot)
        found.append(
            {"part": part.number, "tick": snapshot.tick, "frame": snapshot.frame, "status": snapshot.status.word}
        )
    return found


def _all_lines(capture: Capture, query: Query, packets: Sequence[int]) -> Iterator[str]:
    for number, packet in enumerate(packets):
        if number:
            yield ""
        yield from _lines(capture, query, packet)


def _lines(capture: Capture, query: Query, packet: int) -> Iterator[str]:
    head = _head(capture, packet)
    frame = capture.tables.packets.integer("frame", packet) + 1
    yield f"Frame {frame}, {head['time']:.6f} s, {head['source']} -> {head['destination']}"
    length, captured = head["length"], head["captured"]
    cut = "" if length == captured else f", only {captured} of them captured"
    words = " ".join(one_line(str(head[word])) for word in ("protocol", "dialect", "kind") if head[word])
    yield f"{words}, {length} bytes of UDP payload{cut}"
    info = query.info(packet)
    if info:
        yield one_line(info)
    yield ""
    yield from tree_lines(packet_detail(query, capture.tables, packet))
    yield from _snapshot_lines(capture.tables, query, packet)


def tree_lines(detail: PacketDetail) -> Iterator[str]:
    """The tree as indented text: the span of every field in a column at the left."""
    tree = detail.tree
    secrets = Secrets(tree)
    if not tree.fields:
        yield from (line for buffer in tree.buffers for line in _dump(buffer.data))
    nodes = list(_walk(tree.fields, 0))
    spans = [_span_text(field, tree) for field, _ in nodes]
    width = max((len(span) for span in spans), default=0)
    for (field, depth), span in zip(nodes, spans, strict=True):
        words = [f"{span.ljust(width)}  {'  ' * depth}{one_line(field.name)}", _value_text(field, detail, secrets)]
        note = f"[{one_line(field.note)}]" if field.note else ""
        yield "  ".join(word for word in [*words, note] if word)
    if tree.error:
        yield f"Reading stopped: {one_line(tree.error)}"


def _dump(data: bytes) -> Iterator[str]:
    """Bytes that nobody can name: offset, hex, text."""
    for offset in range(0, len(data), DUMP_WIDTH):
        row = data[offset : offset + DUMP_WIDTH]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        yield f"{offset:04x}  {row.hex(' ').ljust(3 * DUMP_WIDTH)} {text}"


def _walk(fields: tuple[Field, ...], depth: int) -> Iterator[tuple[Field, int]]:
    for field in fields:
        yield field, depth
        yield from _walk(field.children, depth + 1)


def _span_text(field: Field, tree: FieldTree) -> str:
    if field.span is None:
        return ""
    name = tree.buffers[field.span.buffer].name
    mask = f" mask 0x{field.mask:0{2 * field.span.length}x}" if field.mask else ""
    return f"{name}:{field.span.offset}+{field.span.length}{mask}"


def _change_text(field: Field, detail: PacketDetail) -> str | None:
    """What a number of a delta did to a field of an item; None for anything else."""
    meaning = detail.meaning(field)
    if meaning is None or meaning.field is None:
        return None
    raw = raw_text(meaning.field)
    return values_text(meaning.field) + (f" ({raw})" if raw else "")


def _value_text(field: Field, detail: PacketDetail, secrets: Secrets) -> str:
    if secrets.hides(field):
        return MASK
    change = _change_text(field, detail)
    if change is not None:
        return one_line(change)
    value, text = _shown(field.value), one_line(bracketed(field.text))
    # Many texts name the number themselves ("7 ms", "0 (everyone)", "f2159e6e").
    said = not value or value in re.findall(r"-?\w+", text) or begins_in_hex(field.value, field.text)
    return text if text and said else f"{value} ({text})" if text else value


def _shown(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        more = f"... ({len(value)} bytes)" if len(value) > MAX_SHOWN_BYTES else ""
        return value[:MAX_SHOWN_BYTES].hex(" ") + more
    if isinstance(value, bool):
        return "yes" if value else "no"
    return one_line(f'"{value}"') if isinstance(value, str) else str(value)


def _snapshot_lines(tables: Tables, query: Query, packet: int) -> Iterator[str]:
    decided = query.snapshots_of(packet)
    carried = parts_in(tables, packet)
    for snapshot in decided:
        yield ""
        yield from (one_line(line) for line in Described(tables, query, snapshot).lines())
        if all(part.snapshot != snapshot for part in carried):
            yield "  here     decided here; none of its parts is in this packet"
    for part in carried:
        if part.snapshot not in decided:
            yield ""
            yield f"The packet {Described(tables, query, part.snapshot).part_sentence(part.number)}"
