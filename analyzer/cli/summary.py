"""`summary`: what a capture holds and how much of it could be rebuilt and proved, as JSON or as a page to read."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from analyzer.cli.frame_words import word
from analyzer.cli.opening import code_names, decoded, packet_kinds
from analyzer.cli.options import AsJson, File
from analyzer.cli.output import json_text, write_lines
from analyzer.cli.summary_page import page_lines
from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.net.kinds import FrameKind
from analyzer.stats.capture import CaptureStats, capture_stats
from analyzer.stats.flows import FlowEnds
from analyzer.stats.sessions import SessionStats
from analyzer.stats.snapshots import SnapshotStats

MAX_ITEM_TYPES = 12
NS = 1_000_000_000
Row = dict[str, object]


def summary(
    file: File,
    as_json: AsJson = False,
    memory: Annotated[bool, typer.Option("--memory", help="Also what every table takes.")] = False,
) -> None:
    """Sum a capture up: traffic, sessions, snapshots.

    Packets by protocol and kind, snapshots by status and code, what is proved, sizes, item types.
    """
    with decoded(file, warn=False) as (capture, query):
        stats = capture_stats(capture.tables, packet_kinds(capture), code_names(capture))
        record = summary_record(file, capture, query, stats)
        if memory:
            record["memory"] = _memory(capture)
        write_lines([json_text(record, indent=2)] if as_json else page_lines(record, stats))


def summary_record(file: Path, capture: Capture, query: Query, stats: CaptureStats) -> Row:
    """The summary as JSON has it. Frames are counted from 1, times in seconds since the first frame."""
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
        "packets": stats.packets,
        "cut_packets": stats.cut_packets,
        "packet_kinds": [{**asdict(group), "protocol": group.protocol or "udp"} for group in stats.packet_groups],
        "flows": [_flow(flow, capture) for flow in stats.flows],
        **_snapshot_record(stats.snapshots),
        "item_types": _item_types(query),
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


def _item_types(query: Query) -> list[Row]:
    counts = sorted(query.type_counts(), key=lambda entry: (-entry[1], -entry[2], entry[0]))
    return [{"name": name, "updates": updates, "items": items} for name, updates, items in counts[:MAX_ITEM_TYPES]]


def _memory(capture: Capture) -> Row:
    return {name: {"rows": rows, "bytes": size} for name, (rows, size) in capture.tables.memory().items()}


def _iso(time_ns: int) -> str:
    """UTC with nanoseconds; `datetime` alone keeps micros and knows no year past 9999."""
    seconds, fraction = divmod(time_ns, NS)
    try:
        whole = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return f"{time_ns / NS:.9f} s since 1970"
    return f"{whole:%Y-%m-%dT%H:%M:%S}.{fraction:09d}Z"
