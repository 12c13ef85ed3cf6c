"""`summary`: what a capture holds and how much of it could be rebuilt and proved, as JSON or as a page to read."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from analyzer.cli.chosen import chosen_by
from analyzer.cli.frame_words import word
from analyzer.cli.opening import code_legends, code_names, decoded, packet_kinds
from analyzer.cli.options import AsJson, DecodeAs, DisplayFilter, File, MemoryLimit, SchemaFiles
from analyzer.cli.output import json_text, write_lines
from analyzer.cli.summary_page import page_lines
from analyzer.engine.capture import Capture
from analyzer.engine.machine import resident_bytes
from analyzer.engine.query import Query
from analyzer.net.kinds import FrameKind
from analyzer.stats.capture import CaptureStats, Chosen, capture_stats
from analyzer.stats.flows import FlowEnds
from analyzer.stats.live import live_snapshots
from analyzer.stats.sessions import SessionStats
from analyzer.stats.snapshots import SnapshotStats
from analyzer.store.memory import TableSize, memory_sizes

if TYPE_CHECKING:
    from analyzer.cli.filtering import Filtered

NS = 1_000_000_000
Row = dict[str, object]


def summary(
    file: File,
    display_filter: DisplayFilter = None,
    as_json: AsJson = False,
    memory: Annotated[bool, typer.Option("--memory", help="Also what every table takes.")] = False,
    memory_limit: MemoryLimit = None,
    decode_as: DecodeAs = None,
    schema: SchemaFiles = None,
) -> None:
    """Sum a capture up: traffic, sessions, snapshots.

    Packets by protocol and kind, snapshots by status and code, what is proved, sizes, item types.
    """
    filtered = chosen_by(display_filter, schema)
    with decoded(file, memory_limit, decode_as, schema, warn=False) as (capture, query):
        chosen = None if filtered is None else _chosen(filtered, capture, query)
        stats = capture_stats(capture.tables, packet_kinds(capture), code_names(capture), chosen)
        record = summary_record(file, capture, stats)
        if memory:
            record["memory"] = {name: _table_size(size) for name, size in memory_sizes(capture.tables).items()}
            chunks = capture.tables.chunks
            record["memory_limit"] = chunks.limit
            record["memory_held"], record["memory_moved"] = chunks.held, chunks.moved
            record["memory_resident"] = resident_bytes()
        write_lines([json_text(record, indent=2)] if as_json else page_lines(record, stats, code_legends(capture)))


def _chosen(filtered: Filtered, capture: Capture, query: Query) -> Chosen:
    """Packets that a filter is true of, and snapshots that it is true of by themselves."""
    packets = np.flatnonzero(filtered.packets(capture, query))
    return Chosen(packets, filtered.snapshots(capture, query, live_snapshots(capture.tables)))


def summary_record(file: Path, capture: Capture, stats: CaptureStats) -> Row:
    """The summary as JSON has it.

    Frames are counted from 1, times in seconds since the first frame, sizes in bytes.
    file, format, compressed, interfaces, problems, dropped, start (UTC): the file.
    duration_s, frames, frame_kinds (kind -> frames), frame_bytes, made_frames (not captured, but made for an excerpt),
    packets (UDP datagrams), cut_packets: what it holds.
    packet_kinds: packets and bytes by protocol, dialect and kind. flows: both ends, what was recognised, packets.
    snapshots (status -> count, every status), snapshot_codes (status -> code -> count), rebuilt, failed, partial
    (of the failed ones: without a base, but with items that deltas made known), repeated, proved, unproven, not_kept,
    client_has, lost_by, sizes (wire_bytes, delta_bytes, state_bytes), parts (announced -> rebuilt snapshots):
    `SnapshotStats`. item_types: name, updates, values; most values first.
    sessions: the same of each client's epoch, with client, server, number, player, map, frames and times.
    memory (on demand): rows, bytes and those in the temporary file of every table, and of its groups of columns.
    memory_limit: bytes of tables that stay in memory. memory_held, memory_moved: bytes in memory and in the temporary
    file, with room that is not used yet. memory_resident: bytes of the whole program, null where nobody tells.
    """
    source = capture.source
    return {
        "file": str(file),
        "format": source.format,
        "compressed": source.compressed,
        "interfaces": [asdict(interface) for interface in source.interfaces],
        "problems": [{"offset": problem.offset, "text": problem.text} for problem in capture.problems],
        "dropped": source.dropped,
        "start": None if stats.start_ns is None else _iso(stats.start_ns),
        "duration_s": stats.duration_s,
        "frames": stats.frames,
        "frame_kinds": {word(FrameKind(kind)): count for kind, count in stats.frame_kinds.items()},
        "frame_bytes": stats.frame_bytes,
        "made_frames": stats.made_frames,
        "packets": stats.packets,
        "cut_packets": stats.cut_packets,
        "packet_kinds": [{**asdict(group), "protocol": group.protocol or "udp"} for group in stats.packet_groups],
        "flows": [_flow(flow, capture) for flow in stats.flows],
        **_snapshot_record(stats.snapshots),
        "item_types": [asdict(entry) for entry in stats.item_types],
        "sessions": [_session(session) for session in stats.sessions],
    }


def _snapshot_record(stats: SnapshotStats) -> Row:
    record: Row = asdict(stats)
    return {"snapshots": record.pop("statuses"), "snapshot_codes": record.pop("codes"), **record}


def _session(session: SessionStats) -> Row:
    record: Row = asdict(session)
    del record["row"], record["snapshots"]
    return {**record, **_snapshot_record(session.snapshots)}


def _flow(flow: FlowEnds, capture: Capture) -> Row:
    return {
        "client": flow.client,
        "server": flow.server,
        "server_known": flow.server_known,
        "protocol": flow.protocol or "udp",
        "dialect": flow.dialect,
        "packets": flow.packets,
        "first_frame": capture.tables.packets.integer("frame", flow.first_packet) + 1,
    }


def _table_size(size: TableSize) -> Row:
    groups = {name: asdict(group) for name, group in size.groups.items()}
    return {"rows": size.rows, **asdict(size.whole), "groups": groups}


def _iso(time_ns: int) -> str:
    """UTC with nanoseconds; `datetime` alone keeps micros and knows no year past 9999."""
    seconds, fraction = divmod(time_ns, NS)
    try:
        whole = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return f"{time_ns / NS:.9f} s since 1970"
    return f"{whole:%Y-%m-%dT%H:%M:%S}.{fraction:09d}Z"
