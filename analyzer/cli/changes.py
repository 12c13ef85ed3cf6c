"""`changes`: what one snapshot's delta did to each item, field by field: old, new, difference, bits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

import numpy as np
import typer

from analyzer.cli.change_lines import change_lines
from analyzer.cli.chosen import chosen_by
from analyzer.cli.clients import sessions_of
from analyzer.cli.described import Described
from analyzer.cli.errors import CommandError
from analyzer.cli.explain import packets_of_frame
from analyzer.cli.opening import decoded
from analyzer.cli.options import AsJson, DecodeAs, DisplayFilter, File, MemoryLimit, SchemaFiles
from analyzer.cli.output import json_text, one_line, write_lines
from analyzer.cli.partial_lines import partial_lines
from analyzer.engine.capture import Capture
from analyzer.engine.query import Query, partial_record
from analyzer.snapshots.model import Change
from analyzer.stats.flows import flow_ends, session_flow
from analyzer.stats.live import Ints, ints, live_snapshots
from analyzer.stats.parts import parts_in
from analyzer.stats.snapshots import rebuilt_mask
from analyzer.store.tables import Tables
from analyzer.wire.reader import Span

MAX_CHOICES = 12
"""Sessions named where a tick occurs in several."""
Row = dict[str, object]


def changes(
    file: File,
    frame: Annotated[
        int | None, typer.Option("--frame", metavar="N", help="Frame that completed the snapshot, counted from 1.")
    ] = None,
    client: Annotated[
        str | None,
        typer.Option("--client", metavar="ADDR", help="Whose snapshot, with --tick: address or address:port."),
    ] = None,
    tick: Annotated[int | None, typer.Option("--tick", metavar="T", help="Its tick, with --client.")] = None,
    session: Annotated[
        int | None, typer.Option("--session", metavar="S", help="Session number, where the tick occurs in several.")
    ] = None,
    display_filter: DisplayFilter = None,
    as_json: AsJson = False,
    memory_limit: MemoryLimit = None,
    decode_as: DecodeAs = None,
    schema: SchemaFiles = None,
) -> None:
    """Show what a snapshot changed, item by item.

    + added, ~ changed, - removed, = sent but equal, * removed and sent, ? base not known;
    fields as old -> new (raw difference, bits): the difference as it stands on the wire, in the field's own unit, and
    what sending it cost. A byte of a compressed packet costs the bits of its Huffman code, any other 8.
    """
    ways = (frame is not None, client is not None or tick is not None, display_filter is not None)
    if sum(ways) != 1 or (client is None) != (tick is None):
        raise typer.BadParameter("give either --frame, or --client and --tick, or -Y")
    if session is not None and client is None:
        raise typer.BadParameter("--session goes with --client and --tick")
    chosen = chosen_by(display_filter, schema)
    with decoded(file, memory_limit, decode_as, schema) as (capture, query):
        rows: list[int] = []
        sentence = ""
        if frame is not None:
            rows = [row for packet in packets_of_frame(capture.tables, frame) for row in query.snapshots_of(packet)]
            sentence = "" if rows else _no_snapshot(capture.tables, query, frame)
        elif client is not None and tick is not None:
            rows = _snapshots_at(capture, client, tick, session)
        elif chosen is not None:
            rows = chosen.snapshots(capture, query, live_snapshots(capture.tables)).tolist()
            sentence = "" if rows else "The filter is true of no snapshot."
        if as_json:
            found = [_record(capture.tables, query, row) for row in rows]
            write_lines([json_text({"frame": frame, "snapshots": found, "note": sentence}, indent=2)])
        else:
            write_lines([sentence] if sentence else _all_lines(capture.tables, query, rows))


def _no_snapshot(tables: Tables, query: Query, frame: int) -> str:
    text = f"Frame {frame} completes no snapshot."
    for packet in packets_of_frame(tables, frame):
        for part in parts_in(tables, packet):
            text += f" It {Described(tables, query, part.snapshot).part_sentence(part.number)}"
    return text


def _snapshots_at(capture: Capture, client: str, tick: int, session: int | None) -> list[int]:
    """The snapshots of a tick in one session: the rebuilt ones, or where none was, all there are."""
    tables = capture.tables
    sessions = np.array(sorted(sessions_of(tables, client)), dtype=np.int64)
    if session is not None:
        numbers = tables.sessions.take("number", sessions)
        sessions = sessions[numbers == session]
    rows = live_snapshots(tables)
    of_client = np.isin(ints(tables.snapshots, "session")[rows], sessions)
    rows = rows[of_client & (ints(tables.snapshots, "tick")[rows] == tick)]
    if not len(rows):
        of_session = "" if session is None else f" in session {session}"
        raise CommandError(f"client {client} has no snapshot of tick {tick}{of_session}")
    _one_session(tables, rows, tick)
    rebuilt = rows[rebuilt_mask(ints(tables.snapshots, "status")[rows])]
    return [int(row) for row in (rebuilt if len(rebuilt) else rows)]


def _one_session(tables: Tables, rows: Ints, tick: int) -> None:
    sessions = np.unique(tables.snapshots.take("session", rows).astype(np.int64)).tolist()
    if len(sessions) == 1:
        return
    flows = flow_ends(tables)
    names = [
        f"--client {flows[session_flow(tables, row)].client} --session {tables.sessions.integer('number', row)}"
        for row in sessions[:MAX_CHOICES]
    ]
    more = "" if len(sessions) <= MAX_CHOICES else f", and {len(sessions) - MAX_CHOICES} more"
    raise CommandError(f"tick {tick} occurs in {len(sessions)} sessions; choose one: {', '.join(names)}{more}")


def _record(tables: Tables, query: Query, snapshot: int) -> Row:
    found = query.changes(snapshot)
    record = {**Described(tables, query, snapshot).record(), "changes": [_change_record(change) for change in found]}
    partial = query.partial(snapshot)
    return record if partial is None else record | {"partial": partial_record(partial, with_items=True)}


def _change_record(change: Change) -> Row:
    return {
        "kind": change.kind,
        "type": change.type,
        "id": change.id,
        "name": change.name,
        "owner": change.owner,
        "event": change.event,
        "bits": change.bits,
        "span": _span(change.span),
        "fields": [
            {
                "name": field.name,
                "old": field.old,
                "new": field.new,
                "difference": field.difference,
                "bits": field.bits,
                "span": _span(field.span),
                "old_text": field.old_text,
                "new_text": field.new_text,
                "difference_text": field.difference_text,
            }
            for field in change.fields
        ],
    }


def _span(span: Span | None) -> Row | None:
    return None if span is None else asdict(span)


def _all_lines(tables: Tables, query: Query, rows: list[int]) -> Iterator[str]:
    for number, row in enumerate(rows):
        if number:
            yield ""
        yield from (one_line(line) for line in Described(tables, query, row).lines())
        found = query.changes(row)
        if found:
            yield ""
        for change in found:
            yield from change_lines(change)
        partial = query.partial(row)
        if partial is not None:
            yield ""
            yield from partial_lines(partial, {(change.type, change.id) for change in found})
