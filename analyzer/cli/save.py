"""`save`: writes a capture or an excerpt of it, which decodes by itself, to a new file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from analyzer.capture.frames import MADE_INTERFACE
from analyzer.cli.chosen import chosen_by
from analyzer.cli.clients import sessions_of
from analyzer.cli.errors import CommandError
from analyzer.cli.opening import decoded
from analyzer.cli.options import DecodeAs, DisplayFilter, File, MemoryLimit, SchemaFiles
from analyzer.cli.output import counted, note, one_line, write_lines
from analyzer.cli.progress import progress
from analyzer.cli.ranges import read_ranges
from analyzer.export import selection
from analyzer.export.excerpt import Excerpt, plan
from analyzer.export.formats import Format, format_of
from analyzer.export.save import Saved
from analyzer.export.save import save as write_excerpt
from analyzer.export.selection import Bools
from analyzer.export.target import SaveError
from analyzer.stats.flows import flow_ends, session_flow
from analyzer.stats.live import live_sessions
from analyzer.store.tables import Tables

MAX_CHOICES = 12
"""Sessions named where several have the number."""
SECOND = 1_000_000_000
MOST_SECONDS = float(2**33)
"""Either way from the first frame; no capture is as long."""


class FormatName(StrEnum):
    """As it is typed."""

    pcapng = "pcapng"
    pcap = "pcap"


def save(
    file: File,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where to; packed with gzip if it ends in .gz.")],
    start: Annotated[
        float | None, typer.Option("--from", metavar="S", help="Only from this time, in seconds since the first frame.")
    ] = None,
    stop: Annotated[
        float | None, typer.Option("--to", metavar="S", help="Only to this time, in seconds since the first frame.")
    ] = None,
    session: Annotated[
        int | None, typer.Option("--session", metavar="N", min=0, help="Only the session of this number.")
    ] = None,
    client: Annotated[
        str | None,
        typer.Option("--client", metavar="ADDR", help="Only this client, or its session: address or address:port."),
    ] = None,
    packets: Annotated[
        str | None, typer.Option("--packets", metavar="N-N,N", help="Only these frames, counted from 1.")
    ] = None,
    display_filter: DisplayFilter = None,
    form: Annotated[
        FormatName | None, typer.Option("--format", help="If not as the name ends; pcapng where that says nothing.")
    ] = None,
    memory_limit: MemoryLimit = None,
    decode_as: DecodeAs = None,
    schema: SchemaFiles = None,
) -> None:
    """Save the capture, or an excerpt of it that decodes by itself.

    An excerpt has all parts of its snapshots. Snapshots they refer to that are not in it are made: in pcapng, on an
    interface of their own.
    """
    ways = (start is not None or stop is not None, session is not None or client is not None, packets is not None)
    if sum(ways) + (display_filter is not None) > 1:
        raise typer.BadParameter("give only one of a time, a client or session, --packets and -Y")
    if str(out) == "-":
        raise typer.BadParameter("a capture is saved in a file, not on the standard output", param_hint="'--out'")
    frames = None if packets is None else read_ranges(packets)
    filtered = chosen_by(display_filter, schema)
    with decoded(file, memory_limit, decode_as, schema) as (capture, query):
        tables = capture.tables
        if filtered is not None:
            chosen = selection.of_packets(tables, np.flatnonzero(filtered.packets(capture, query)))
        elif frames is not None:
            chosen = _frames(tables, frames)
        elif session is not None or client is not None:
            chosen = _session(tables, session, client)
        else:
            chosen = _times(tables, start, stop)
        excerpt = plan(capture, chosen, format_of(out) if form is None else Format(form.value))
        try:
            with progress(f"Saving {out.name}") as show:
                saved = write_excerpt(capture, query, excerpt, out, show)
        except SaveError as error:
            raise CommandError(str(error)) from error
        write_lines(_lines(out, excerpt, saved))
        _warn(excerpt, saved)


def _times(tables: Tables, start: float | None, stop: float | None) -> Bools:
    if not len(tables.frames) or (start is None and stop is None):
        return selection.everything(tables)
    first = tables.frames.integer("time_ns", 0)
    return selection.in_time(tables, _time_ns(first, start), _time_ns(first, stop))


def _time_ns(first: int, seconds: float | None) -> int | None:
    if seconds is None:
        return None
    if not math.isfinite(seconds):
        raise typer.BadParameter("a time is a number of seconds")
    return first + round(min(max(seconds, -MOST_SECONDS), MOST_SECONDS) * SECOND)


def _frames(tables: Tables, ranges: list[range]) -> Bools:
    last = max(one.stop for one in ranges) - 1
    if last > len(tables.frames):
        raise CommandError(f"there is no frame {last}; the capture has {counted(len(tables.frames), 'frame')}")
    chosen = np.zeros(len(tables.frames), dtype=np.bool_)
    for one in ranges:
        chosen[one.start - 1 : one.stop - 1] = True
    return selection.of_frames(tables, np.flatnonzero(chosen))


def _session(tables: Tables, number: int | None, client: str | None) -> Bools:
    rows = sorted(sessions_of(tables, client)) if client is not None else live_sessions(tables).tolist()
    if number is not None:
        rows = [row for row in rows if tables.sessions.integer("number", row) == number]
        if not rows:
            whose = "" if client is None else f" of client {client}"
            raise CommandError(f"there is no session {number}{whose} in this capture")
        if client is None and len(rows) > 1:
            raise CommandError(f"{len(rows)} clients have a session {number}; choose one: {_choices(tables, rows)}")
    found = np.zeros(len(tables.frames), dtype=np.bool_)
    for row in rows:
        found |= selection.of_session(tables, row)
    return found


def _choices(tables: Tables, rows: list[int]) -> str:
    flows = flow_ends(tables)
    names = [f"--client {flows[session_flow(tables, row)].client}" for row in rows[:MAX_CHOICES]]
    more = "" if len(rows) <= MAX_CHOICES else f", and {len(rows) - MAX_CHOICES} more"
    return ", ".join(names) + more


def _lines(out: Path, excerpt: Excerpt, saved: Saved) -> Iterator[str]:
    yield one_line(f"{counted(saved.frames, 'frame')} saved in {out}")
    if excerpt.added:
        yield f"  {counted(excerpt.added, 'frame')} of them because decoding the others needs them"
    if saved.made:
        yield f"  {counted(saved.made, 'full snapshot')} made for them, on the interface '{MADE_INTERFACE}'"


def _warn(excerpt: Excerpt, saved: Saved) -> None:
    if excerpt.baseless:
        note(
            f"warning: {counted(excerpt.baseless, 'snapshot')} of the excerpt will not decode: what they refer to is"
            " not in it, and pcap has no place for full snapshots that are made; pcapng has"
        )
    if saved.unmade:
        note(
            f"warning: {counted(saved.unmade, 'snapshot')} that others refer to could not be made, as no packet could"
            " carry them"
        )
