"""Hours of capture: what the tables, and what a window counts from them, keep in memory does not grow with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analyzer.snapshots.status import LostBy, Status
from analyzer.stats.rates import PacketRates
from analyzer.stats.series import Metric, Rank, SnapshotSeries
from analyzer.stats.snapshots import RebuiltCounter, RebuiltCounts
from analyzer.stats.track import Track
from analyzer.store.chunk_memory import ChunkMemory
from analyzer.store.columns import CHUNK_ROWS, Table
from analyzer.store.journal import MOST_WAITING
from analyzer.store.tables import Tables

LIMIT = 4 << 20
STEP = 8192
"""Rows that come at once."""
STEPS = 48


def extend(table: Table, count: int, **columns: NDArray[np.int64] | list[object]) -> int:
    """Add rows, 0 in whatever is not named."""
    plain = {spec.name: [0] * count for spec in table.specs if spec.unset is None}
    return table.append({**plain, **columns}, count)


def begun(tables: Tables) -> None:
    extend(tables.flows, 1, address_a=["a"], address_b=["b"])
    extend(tables.readings, 1, protocol=[""], dialect=[""], number=[0])
    extend(tables.sessions, 1, dialect=[""], facts=[None])


def come(tables: Tables, step: int) -> None:
    """A batch: every packet carries a snapshot; every other one of those before is acknowledged only now."""
    first = step * STEP
    rows = np.arange(first, first + STEP)
    extend(tables.frames, STEP, time_ns=rows * 1_000_000)
    extend(tables.packets, STEP, frame=rows, session=np.zeros(STEP, np.int64), udp_length=rows % 1000)
    failed = rows % 100 == 0
    extend(
        tables.snapshots,
        STEP,
        tick=rows,
        base=rows - 1,
        packet=rows,
        wire_bytes=rows % 1000,
        status=np.where(failed, Status.INCOMPLETE, Status.OK),
        lost_by=np.where(failed, LostBy.UNKNOWN, LostBy.NOBODY),
    )
    for local in rows[::64].tolist():
        tables.blocks.put(local, bytes(200))
    tables.publish()
    if step:
        older = rows[1::2] - STEP
        tables.snapshots.amend("acked_packet", older, older + 5)
        for one in (rows[failed] - STEP).tolist():
            tables.snapshots.amend("lost_by", [max(one, 0)], [LostBy.NETWORK])


def test_what_is_kept_in_memory_is_bounded() -> None:
    tables = Tables(LIMIT)
    begun(tables)
    idle = tables.journal.reader()
    """Of a chart that is hidden."""
    series, rates = SnapshotSeries(tables), PacketRates(tables)
    track = Track(series, -1)
    held: list[int] = []
    for step in range(STEPS):
        come(tables, step)
        track.follow(series.update())
        rates.update()
        for metric in (Metric.WIRE_BYTES, Metric.ACK_MS):
            track.extremes(metric, np.array([0]), np.array([len(track)]))
        rates.counts(-1, np.arange(3.0))
        held.append(tables.chunks.held)
        assert len(idle) <= MOST_WAITING
    chunks = sum(
        CHUNK_ROWS * np.dtype(column.spec.dtype).itemsize for table in tables for column in table.columns.values()
    )
    assert max(held) <= LIMIT + chunks
    assert max(held[STEPS // 2 :]) <= max(held[: STEPS // 2]), "it does not grow with what has come"
    assert tables.chunks.moved > 6 * LIMIT
    count = STEP * STEPS
    assert series.values(Metric.WIRE_BYTES).tolist() == (np.arange(count) % 1000).tolist()
    acked = series.values(Metric.ACK_MS)[1 : count - STEP : 2]
    assert (acked == 5.0).all()
    ranks = series.rank[: count - STEP : 100]
    assert (ranks[: len(ranks) // 2] == Rank.LOST).all()
    assert tables.blocks.get(64 * 100) == bytes(200)
    assert RebuiltCounter(tables).counts() == RebuiltCounts(
        count - count // 100 - 1, 0, count - count // 100 - 1, count // 100 + 1, 0
    )


def test_what_nobody_keeps_any_more_is_not_counted(tmp_path: Path) -> None:
    memory = ChunkMemory(1 << 20, tmp_path)
    for _ in range(50):
        room = memory.room(1 << 18, np.dtype(np.int64))
        room[:] = 1
    assert memory.held + memory.moved == room.nbytes
    del room
    assert (memory.held, memory.moved) == (0, 0)
