"""One line a session: who, where, how long, and what became of its snapshots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.stats.flows import FlowEnds, session_flow
from analyzer.stats.item_types import ItemType, item_types_by_session
from analyzer.stats.live import Ints
from analyzer.stats.snapshots import CodeNames, SnapshotStats, snapshot_stats
from analyzer.store.tables import Tables


@dataclass(frozen=True, slots=True)
class SessionStats:
    """A client's epoch. Frames are counted from 1, times in seconds since the first frame of the capture."""

    row: int
    client: str
    server: str
    number: int
    dialect: str
    player: str
    map: str
    generation: int
    epoch: int
    first_frame: int
    last_frame: int
    start_s: float
    duration_s: float
    packets: int
    snapshots: SnapshotStats
    item_types: list[ItemType]


def session_stats(
    tables: Tables, flows: list[FlowEnds], snapshots: Ints, code_names: CodeNames, packets: Ints | None = None
) -> list[SessionStats]:
    """Every live session in the order of first packets. `snapshots`: the live snapshot rows.

    `packets`: those that count, where that is not all. Then only sessions with some, without item types.
    """
    by_session = _by_session(tables, snapshots)
    counts = _packet_counts(tables, packets)
    found = []
    for row, every in item_types_by_session(tables).items():
        types = every if packets is None else []
        if packets is not None and not counts[row] and row not in by_session:
            continue
        stats = snapshot_stats(tables, by_session.get(row, snapshots[:0]), code_names)
        found.append(_session(tables, flows[session_flow(tables, row)], row, int(counts[row]), stats, types))
    return sorted(found, key=lambda session: (session.first_frame, session.row))


def _by_session(tables: Tables, snapshots: Ints) -> dict[int, Ints]:
    sessions = tables.snapshots.take("session", snapshots).astype(np.int64)
    order = np.argsort(sessions, kind="stable")
    numbers, starts = np.unique(sessions[order], return_index=True)
    return dict(zip(numbers.tolist(), np.split(snapshots[order], starts[1:]), strict=True)) if len(numbers) else {}


def _packet_counts(tables: Tables, packets: Ints | None) -> Ints:
    rows = np.arange(len(tables.packets)) if packets is None else packets
    sessions = tables.packets.take("session", rows).astype(np.int64)
    return np.bincount(sessions[sessions >= 0], minlength=len(tables.sessions))


def _session(
    tables: Tables, ends: FlowEnds, row: int, packets: int, snapshots: SnapshotStats, item_types: list[ItemType]
) -> SessionStats:
    sessions = tables.sessions
    first = tables.packets.integer("frame", sessions.integer("first_packet", row))
    last_packet = sessions.integer("last_packet", row)
    last = tables.packets.integer("frame", last_packet) if last_packet >= 0 else first
    start_ns, end_ns = (tables.frames.integer("time_ns", frame) for frame in (first, last))
    return SessionStats(
        row=row,
        client=ends.client,
        server=ends.server,
        number=sessions.integer("number", row),
        dialect=sessions.text("dialect", row),
        player=sessions.text("player", row),
        map=sessions.text("map", row),
        generation=sessions.integer("generation", row),
        epoch=sessions.integer("epoch", row),
        first_frame=first + 1,
        last_frame=last + 1,
        start_s=(start_ns - tables.frames.integer("time_ns", 0)) / 1e9,
        duration_s=(end_ns - start_ns) / 1e9,
        packets=packets,
        snapshots=snapshots,
        item_types=item_types,
    )
