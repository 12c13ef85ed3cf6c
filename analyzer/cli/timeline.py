"""`timeline`: the whole capture at a glance, stretch of time by stretch, as the overview of the window draws it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from analyzer.cli.absent import note_absence
from analyzer.cli.clients import sessions_of
from analyzer.cli.durations import read_duration
from analyzer.cli.opening import decoded
from analyzer.cli.options import AsJson, Client, DecodeAs, File, MemoryLimit, SchemaFiles
from analyzer.cli.output import Column, counted, json_text, table_lines, write_lines
from analyzer.stats.bars import NO_AGE, Kind
from analyzer.stats.binned import BandBins, LaneBins, band_bins, lane_bins
from analyzer.stats.byte_band import full_scale
from analyzer.stats.flows import ends_of
from analyzer.stats.lane_order import Placed, lane_order
from analyzer.stats.losses import CaptureLoss, losses
from analyzer.stats.range_stats import RangeStats, range_stats
from analyzer.stats.timeline import Timeline
from analyzer.store.tables import Tables

LEAST_BIN_NS = 1_000_000
KINDS = tuple(kind for kind in Kind if kind is not Kind.NONE)
CLIENT_COLUMNS = (
    Column("sign"),
    Column("client"),
    Column("server"),
    Column("player"),
    Column("snapshots", right=True),
    *(Column(kind.word, right=True) for kind in KINDS),
    Column("oldest_ms", right=True),
)
BIN_COLUMNS = (
    Column("time", right=True),
    Column("snapshots", right=True),
    *(Column(kind.word, right=True) for kind in KINDS),
    Column("oldest_ms", right=True),
    Column("1 part", right=True),
    Column("2 parts", right=True),
    Column("3+ parts", right=True),
    Column("bytes/s", right=True),
)
Row = dict[str, object]


def timeline(
    file: File,
    as_json: AsJson = False,
    client: Client = None,
    bin_text: Annotated[
        str, typer.Option("--bin", metavar="TIME", help="How long each stretch of time is: 100ms, 2s, 1min.")
    ] = "100ms",
    old_text: Annotated[
        str, typer.Option("--old", metavar="TIME", help="A baseline is old when it is older than this.")
    ] = "500ms",
    memory_limit: MemoryLimit = None,
    decode_as: DecodeAs = None,
    schema: SchemaFiles = None,
) -> None:
    """Show the whole capture at a glance: bytes, and how each client fared, stretch of time by stretch.

    Stretches without snapshots are left out. Times are seconds since the first frame.
    """
    bin_ns, old_ns = read_duration(bin_text, LEAST_BIN_NS), read_duration(old_text, 0)
    with decoded(file, memory_limit, decode_as, schema) as (capture, _):
        glance = _glance(capture.tables, client, bin_ns, old_ns)
        if not glance.stats.snapshots:
            note_absence(file, capture.tables, warned=bool(capture.problems))
        if as_json:
            write_lines([json_text(_record(file, glance), indent=2)])
        else:
            write_lines(_text(glance))


@dataclass(frozen=True, slots=True)
class _Glance:
    """What is printed."""

    bin_ns: int
    old_ns: int
    stats: RangeStats
    band: BandBins
    losses: list[CaptureLoss]
    clients: list[_Client]


@dataclass(frozen=True, slots=True)
class _Client:
    placed: Placed
    client: str
    server: str
    player: str
    first_frame: int
    stats: RangeStats
    bins: LaneBins


def _glance(tables: Tables, client: str | None, bin_ns: int, old_ns: int) -> _Glance:
    """Everything, of one client or all. Raises CommandError."""
    lanes = Timeline(tables)
    lanes.update()
    start, last = lanes.packets.extent()
    stop, old_ms = last + 1, old_ns / 1e6
    placed = lane_order(lanes, start, stop, old_ms)
    if client is not None:
        wanted = {lanes.flow_of(session) for session in sessions_of(tables, client)}
        placed = [lane for lane in placed if lane.flow in wanted]
    flows = [lane.flow for lane in placed]
    return _Glance(
        bin_ns=bin_ns,
        old_ns=old_ns,
        stats=range_stats(lanes, start, stop, None if client is None else flows, old_ms),
        band=band_bins(lanes, flows, bin_ns),
        losses=losses(tables, start, stop),
        clients=[
            _client(lanes, lane, range_stats(lanes, start, stop, [lane.flow], old_ms), bin_ns, old_ms)
            for lane in placed
        ],
    )


def _client(lanes: Timeline, placed: Placed, stats: RangeStats, bin_ns: int, old_ms: float) -> _Client:
    tables, flow = lanes.tables, placed.flow
    ends = ends_of(tables, flow)
    names = [tables.sessions.text("player", session) for session in lanes.sessions(flow).tolist()]
    return _Client(
        placed=placed,
        client=ends.client,
        server=ends.server,
        player=next((name for name in reversed(names) if name), ""),
        first_frame=tables.packets.integer("frame", tables.flows.integer("first_packet", flow)) + 1,
        stats=stats,
        bins=lane_bins(lanes.lane(flow), bin_ns, old_ms),
    )


def _record(file: Path, glance: _Glance) -> Row:
    width_s = glance.bin_ns / 1e9
    band = glance.band
    return {
        "file": str(file),
        "bin_s": width_s,
        "old_ms": glance.old_ns / 1e6,
        "range": _numbers(glance.stats),
        "scale": full_scale(band.bytes.sum(axis=0)) / width_s,
        "lost": [
            {"from": loss.begin_ns / 1e9, "to": loss.end_ns / 1e9, "packets": loss.lost, "vague": loss.vague}
            for loss in glance.losses
        ],
        "bytes": [
            {"bin": number, "parts_1": one, "parts_2": two, "parts_3": more}
            for number, one, two, more in zip(band.numbers.tolist(), *band.bytes.tolist(), strict=True)
        ],
        "clients": [
            {
                "client": client.client,
                "server": client.server,
                "player": client.player,
                "first_frame": client.first_frame,
                "sign": client.placed.sign.name.lower(),
                "range": _numbers(client.stats),
                "bars": list(_bars(client.bins)),
            }
            for client in glance.clients
        ],
    }


def _numbers(stats: RangeStats) -> Row:
    return {
        "from": stats.start_ns / 1e9,
        "to": (stats.stop_ns - 1) / 1e9,
        "packets": stats.packets,
        "packet_bytes": stats.packet_bytes,
        "snapshots": stats.snapshots,
        "bytes": stats.bytes,
        "rate": _rounded(stats.rate),
        "kinds": {kind.word: count for kind, count in stats.kinds.items()},
        "rebuilt": stats.rebuilt,
        "wire_bytes": asdict(stats.sizes),
        "parts": {str(number): count for number, count in stats.parts.items()},
        "lost_by": {loser.word: count for loser, count in stats.lost_by.items()},
    }


def _bars(bins: LaneBins) -> Iterator[Row]:
    columns = (bins.numbers, bins.snapshots, bins.worst, bins.least_us, bins.age_us, bins.counts)
    for number, snapshots, worst, least, age, counts in zip(*(column.tolist() for column in columns), strict=True):
        yield {
            "bin": number,
            "snapshots": snapshots,
            "worst": Kind(worst).word,
            "least_ms": _ms(least),
            "age_ms": _ms(age),
            "kinds": {kind.word: counts[kind] for kind in KINDS if counts[kind]},
        }


def _text(glance: _Glance) -> Iterator[str]:
    clients = glance.clients
    yield (
        f"{counted(glance.stats.snapshots, 'snapshot')} of {counted(len(clients), 'client')}, in stretches of "
        f"{glance.bin_ns / 1e6:g} ms; a baseline is old when it is older than {glance.old_ns / 1e6:g} ms"
    )
    for loss in glance.losses:
        exactly = ", or somewhere near" if loss.vague else ""
        ends = f"from {loss.begin_ns / 1e9:.3f} to {loss.end_ns / 1e9:.3f} s"
        yield f"The capture lost {counted(loss.lost, 'packet')} {ends}{exactly}"
    if clients:
        yield ""
        yield from table_lines(CLIENT_COLUMNS, [_client_cells(client) for client in clients])
        yield ""
        yield from table_lines(BIN_COLUMNS, _bin_rows(glance))


def _client_cells(client: _Client) -> list[str]:
    oldest = int(client.bins.age_us.max(initial=NO_AGE))
    kinds = [str(client.stats.kinds[kind]) for kind in KINDS]
    sign = client.placed.sign.name.lower()
    ends = [client.client, client.server, client.player or "-"]
    return [sign, *ends, str(client.stats.snapshots), *kinds, _ms_text(oldest)]


def _bin_rows(glance: _Glance) -> Iterator[Sequence[str]]:
    """All clients together."""
    band = glance.band
    counts = np.zeros((len(band.numbers), len(Kind)), np.int64)
    oldest = np.full(len(band.numbers), NO_AGE, np.int64)
    for client in glance.clients:
        at = np.searchsorted(band.numbers, client.bins.numbers)
        counts[at] += client.bins.counts
        oldest[at] = np.maximum(oldest[at], client.bins.age_us)
    rows = zip(band.numbers.tolist(), counts.tolist(), oldest.tolist(), band.bytes.T.tolist(), strict=True)
    for number, kinds, age, sizes in rows:
        yield [
            f"{number * glance.bin_ns / 1e9:.3f}",
            str(sum(kinds)),
            *(str(kinds[kind]) for kind in KINDS),
            _ms_text(age),
            *(str(size) for size in sizes),
            f"{sum(sizes) * 1e9 / glance.bin_ns:.0f}",
        ]


def _ms(microseconds: int) -> float | None:
    return None if microseconds == NO_AGE else microseconds / 1000


def _ms_text(microseconds: int) -> str:
    return "-" if microseconds == NO_AGE else f"{microseconds / 1000:.0f}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
