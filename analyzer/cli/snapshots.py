"""`snapshots`: a record for each rebuilt snapshot in frame order, with `--all` also for the others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from analyzer.cli.absent import note_absence
from analyzer.cli.chosen import chosen_by
from analyzer.cli.clients import sessions_of
from analyzer.cli.opening import code_names, decoded
from analyzer.cli.options import Client, DecodeAs, DisplayFilter, File, MemoryLimit, Records, SchemaFiles
from analyzer.cli.output import Column, Format, counted, csv_lines, json_text, note, table_lines, write_lines
from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.snapshots.status import REBUILT, ClientHas, LostBy, Proof, Status
from analyzer.stats.flows import FlowEnds, flow_ends, session_flow
from analyzer.stats.live import Ints, live_snapshots, snapshot_frames
from analyzer.stats.parts import part_frames
from analyzer.stats.snapshots import CodeNames
from analyzer.store.tables import Tables

if TYPE_CHECKING:
    from analyzer.cli.filtering import Filtered

BATCH = 4096
FAILED = (Status.CRC, Status.INCOMPLETE, Status.NO_BASE, Status.MALFORMED, Status.BUG, Status.ERROR)
"""What `--failed` lists."""
WORDS = ", ".join(status.word for status in Status)
PLAIN_COLUMNS = (
    "tick",
    "base_tick",
    "parts",
    "wire_bytes",
    "delta_bytes",
    "state_bytes",
    "items",
    "added",
    "changed",
    "removed",
    "client_kept",
)
COLUMNS = (
    Column("frame", right=True),
    Column("time", right=True),
    Column("client"),
    Column("server"),
    Column("session", right=True),
    Column("tick", right=True),
    Column("base_tick", right=True),
    Column("kind"),
    Column("parts", right=True),
    Column("wire_bytes", right=True),
    Column("delta_bytes", right=True),
    Column("state_bytes", right=True),
    Column("items", right=True),
    Column("added", right=True),
    Column("changed", right=True),
    Column("removed", right=True),
    Column("status"),
    Column("code"),
    Column("proof"),
    Column("client_kept"),
    Column("client_has"),
    Column("lost_by"),
    Column("cause_frame", right=True),
    Column("reason"),
)
Row = dict[str, object]


def snapshots(
    file: File,
    form: Records = Format.text,
    items: Annotated[bool, typer.Option("--items", help="Items too (jsonl only).")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Also those that could not be rebuilt.")] = False,
    failed: Annotated[
        bool, typer.Option("--failed", help="Only failures: not rebuilt, or with a wrong checksum; no repetitions.")
    ] = False,
    status: Annotated[
        list[str] | None,
        typer.Option("--status", metavar="WORD", help=f"Only those that ended so; may be repeated: {WORDS}."),
    ] = None,
    client: Client = None,
    display_filter: DisplayFilter = None,
    memory_limit: MemoryLimit = None,
    decode_as: DecodeAs = None,
    schema: SchemaFiles = None,
) -> None:
    """List the rebuilt snapshots in frame order, or with --all, --failed or --status others.

    jsonl gives the protocol's own records; csv and text the same columns for every protocol: time in seconds since
    the first frame, frames counted from 1.
    """
    if items and form is not Format.jsonl:
        raise typer.BadParameter("--items goes with --format jsonl")
    wanted = _wanted(everything, failed, status or [])
    chosen = chosen_by(display_filter, schema)
    with decoded(file, memory_limit, decode_as, schema) as (capture, query):
        rows = chosen_rows(capture.tables, wanted, client)
        if not len(rows):
            _note_none(file, capture, client)
        elif chosen is not None:
            rows = _filtered(chosen, capture, query, rows, client)
        if form is Format.jsonl:
            write_lines(json_text(_record(capture.tables, query, row, items)) for row in rows.tolist())
            return
        records = neutral_records(capture, query, rows)
        if form is Format.csv:
            write_lines(csv_lines([column.title for column in COLUMNS], records))
        else:
            write_lines(table_lines(COLUMNS, (_text_row(record) for record in records)))


def _wanted(everything: bool, failed: bool, words: Sequence[str]) -> Collection[Status]:
    """Statuses to list. Raises BadParameter for a word that is none."""
    known = {status.word: status for status in Status}
    for word in words:
        if word not in known:
            raise typer.BadParameter(f"'{word}' is not one of {WORDS}", param_hint="'--status'")
    chosen = {known[word] for word in words} | set(FAILED if failed else ())
    return chosen or (tuple(Status) if everything else REBUILT)


def _note_none(file: Path, capture: Capture, client: str | None) -> None:
    """Say why no row was chosen, where that may be a surprise."""
    every = len(chosen_rows(capture.tables, tuple(Status), client))
    if not every:
        note_absence(file, capture.tables, warned=bool(capture.problems))
    elif not len(chosen_rows(capture.tables, REBUILT, client)):
        note(f"{counted(every, 'snapshot')}, none rebuilt; see --all")


def _filtered(chosen: Filtered, capture: Capture, query: Query, rows: Ints, client: str | None) -> Ints:
    """Those of some rows that a filter is true of; where that is none of them, but it is true of others, a note."""
    found = chosen.snapshots(capture, query, rows)
    if not len(found):
        others = chosen.snapshots(capture, query, chosen_rows(capture.tables, tuple(Status), client))
        if len(others):
            note(f"the filter is true of {counted(len(others), 'snapshot')}, none of them listed; see --all")
    return found


def _record(tables: Tables, query: Query, row: int, items: bool) -> Row:
    return {**query.record(row, items), "part_frames": part_frames(tables, row)}


def chosen_rows(tables: Tables, statuses: Collection[Status], client: str | None) -> Ints:
    """Live snapshot rows in frame order that ended in one of `statuses`, of one client or all. Raises CommandError."""
    rows = live_snapshots(tables)
    rows = rows[np.isin(tables.snapshots.take("status", rows), list(statuses))]
    if client is not None:
        sessions = np.array(sorted(sessions_of(tables, client)), dtype=np.int64)
        rows = rows[np.isin(tables.snapshots.take("session", rows), sessions)]
    return rows


def neutral_records(capture: Capture, query: Query, rows: Ints) -> Iterator[Row]:
    """The records of `rows`, shape (n,), with the columns that every protocol has."""
    described = _Described(capture)
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        frames = snapshot_frames(capture.tables, batch)
        times = capture.tables.frames.take("time_ns", frames - 1).tolist()
        for row, frame, time_ns in zip(batch.tolist(), frames.tolist(), times, strict=True):
            record = described.record(capture.tables.snapshots.row(row), frame, time_ns)
            record["reason"] = query.reason(row)
            yield record


class _Described:
    """Names for the numbers in a row of `snapshots`."""

    def __init__(self, capture: Capture) -> None:
        self._tables = capture.tables
        self._flows: list[FlowEnds] = flow_ends(capture.tables)
        self._codes: CodeNames = code_names(capture)
        self._kinds = {protocol.name: protocol.snapshot_kinds for protocol in capture.protocols}
        self._start_ns = capture.tables.frames.integer("time_ns", 0) if len(capture.tables.frames) else 0

    def record(self, row: Mapping[str, object], frame: int, time_ns: int) -> Row:
        session = _integer(row, "session")
        flow = self._flows[session_flow(self._tables, session)]
        cause = _integer(row, "cause")
        causes = snapshot_frames(self._tables, np.array([cause] if cause >= 0 else [], dtype=np.int64))
        record = {column: row[column] for column in PLAIN_COLUMNS}
        record |= {
            "frame": frame,
            "time": f"{(time_ns - self._start_ns) / 1e9:.6f}",
            "client": flow.client,
            "server": flow.server,
            "session": self._tables.sessions.integer("number", session),
            "kind": self._kinds[flow.protocol][_integer(row, "kind")],
            "status": Status(_integer(row, "status")).word,
            "code": self._codes[flow.protocol][_integer(row, "code")],
            "proof": Proof(_integer(row, "proof")).name.lower(),
            "client_has": ClientHas(_integer(row, "client_has")).word,
            "lost_by": LostBy(_integer(row, "lost_by")).word,
            "cause_frame": int(causes[0]) if len(causes) else None,
        }
        return record


def _integer(row: Mapping[str, object], column: str) -> int:
    value = row[column]
    assert isinstance(value, int)
    return value


def _text_row(record: Row) -> list[str]:
    cells = []
    for column in COLUMNS:
        value = record[column.title]
        if isinstance(value, bool):
            cells.append("yes" if value else "no")
        else:
            cells.append("-" if value is None else str(value))
    return cells
