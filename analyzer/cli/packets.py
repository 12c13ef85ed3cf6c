"""`packets`: one record for every UDP datagram, with what its protocol says of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from analyzer.cli.absent import note_absence
from analyzer.cli.chosen import chosen_by
from analyzer.cli.opening import decoded, packet_kinds
from analyzer.cli.options import DecodeAs, DisplayFilter, File, MemoryLimit, Records, SchemaFiles
from analyzer.cli.output import Column, Format, csv_lines, json_text, table_lines, write_lines
from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.stats.capture import kind_name
from analyzer.stats.flows import FlowEnds, flow_ends
from analyzer.stats.live import ints
from analyzer.store.tables import Tables

BATCH = 4096
NO_ACK = 65535
COLUMNS = (
    Column("frame", right=True),
    Column("time", right=True),
    Column("source"),
    Column("destination"),
    Column("protocol"),
    Column("dialect"),
    Column("kind"),
    Column("length", right=True),
    Column("flags", right=True),
    Column("ack", right=True),
    Column("chunks", right=True),
    Column("messages"),
    Column("snapshot", right=True),
    Column("code"),
    Column("info"),
)
TEXT_COLUMNS = tuple(
    column for column in COLUMNS if column.title not in ("dialect", "flags", "ack", "chunks", "messages", "snapshot")
)
"""The text table is for reading; `info` says the rest in words."""
Row = dict[str, object]


def packets(
    file: File,
    form: Records = Format.text,
    display_filter: DisplayFilter = None,
    memory_limit: MemoryLimit = None,
    decode_as: DecodeAs = None,
    schema: SchemaFiles = None,
) -> None:
    """List every UDP datagram and what it holds.

    Endpoints, protocol, kind, header, messages, and the snapshot it completed.

    Time is in seconds since the first frame, frames are counted from 1, `length` is the UDP payload in bytes.
    """
    chosen = chosen_by(display_filter, schema)
    with decoded(file, memory_limit, decode_as, schema) as (capture, query):
        if not np.any(ints(capture.tables.flows, "reading") >= 0):
            note_absence(file, capture.tables, warned=bool(capture.problems))
        records = packet_records(capture, query, None if chosen is None else chosen.packets(capture, query))
        if form is Format.jsonl:
            write_lines(json_text(record) for record in records)
        elif form is Format.csv:
            write_lines(csv_lines([column.title for column in COLUMNS], records))
        else:
            rows = ([_text(record[column.title]) for column in TEXT_COLUMNS] for record in records)
            write_lines(table_lines(TEXT_COLUMNS, rows))


def packet_records(capture: Capture, query: Query, chosen: NDArray[np.bool_] | None = None) -> Iterator[Row]:
    """Every packet, or those `chosen`, with the keys of `COLUMNS`, plus `captured` (bytes in the file)."""
    tables = capture.tables
    described = _Described(capture)
    rows = np.arange(len(tables.packets)) if chosen is None else np.flatnonzero(chosen)
    for first in range(0, len(rows), BATCH):
        some = rows[first : first + BATCH]
        frames = tables.packets.take("frame", some).astype(np.int64)
        times = tables.frames.take("time_ns", frames).tolist()
        for packet, time_ns in zip(some.tolist(), times, strict=True):
            yield {**described.record(packet, time_ns), "info": query.info(packet)}


class _Described:
    """Words for the numbers in a row of `packets`."""

    def __init__(self, capture: Capture) -> None:
        self._tables = capture.tables
        self._flows = flow_ends(capture.tables)
        self._kinds = packet_kinds(capture)
        self._codes = {protocol.name: protocol.packet_codes for protocol in capture.protocols}
        self._start_ns = capture.tables.frames.integer("time_ns", 0) if len(capture.tables.frames) else 0

    def record(self, packet: int, time_ns: int) -> Row:
        row = self._tables.packets.row(packet)
        flow = self._flows[_integer(row, "flow")]
        source, destination = source_and_destination(self._tables, packet)
        return {
            "frame": _integer(row, "frame") + 1,
            "time": round((time_ns - self._start_ns) / 1e9, 9),
            "source": source,
            "destination": destination,
            "protocol": flow.protocol or "udp",
            "dialect": flow.dialect,
            "kind": kind_name(flow, _integer(row, "kind"), self._kinds),
            "length": row["udp_length"],
            "captured": row["length"],
            "flags": row["flags"],
            "ack": None if row["ack"] == NO_ACK else row["ack"],
            "chunks": row["chunks"],
            "messages": message_names(self._tables, packet),
            "snapshot": _tick(self._tables, _integer(row, "snapshot")),
            "code": self._code(flow, _integer(row, "code")),
        }

    def _code(self, flow: FlowEnds, code: int) -> str:
        known = self._codes.get(flow.protocol, ("",))
        return known[code].partition(":")[0] if code < len(known) else f"code {code}"


def source_and_destination(tables: Tables, packet: int) -> tuple[str, str]:
    """Sender and receiver of a packet, as address:port."""
    flow = tables.packets.integer("flow", packet)
    ends = tables.flows.text("address_a", flow), tables.flows.text("address_b", flow)
    return ends if tables.packets.integer("direction", packet) == 0 else (ends[1], ends[0])


def message_rows(tables: Tables, packet: int) -> range:
    """Rows of `messages` that a packet's live reading found in it; they are contiguous."""
    first = tables.packets.integer("first_message", packet)
    if first < 0:
        return range(0)
    reading = tables.messages.integer("reading", first)
    last = first
    while last < len(tables.messages) and (
        tables.messages.integer("packet", last) == packet and tables.messages.integer("reading", last) == reading
    ):
        last += 1
    return range(first, last)


def message_names(tables: Tables, packet: int) -> list[str]:
    """Names of the packet's messages in wire order."""
    return [tables.names[tables.messages.integer("name", row)] for row in message_rows(tables, packet)]


def _tick(tables: Tables, snapshot: int) -> int | None:
    return tables.snapshots.integer("tick", snapshot) if snapshot >= 0 else None


def _integer(row: Row, column: str) -> int:
    value = row[column]
    assert isinstance(value, int)
    return value


def _text(value: object) -> str:
    return f"{value:.6f}" if isinstance(value, float) else str(value)
