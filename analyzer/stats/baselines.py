"""Which snapshots of a session could serve as a baseline when another one was sent, and how often each did."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from analyzer.snapshots.tracking.columns import RETENTION_TICKS
from analyzer.stats.history import History
from analyzer.stats.live import Ints, made_mask
from analyzer.stats.snapshots import rebuilt_mask
from analyzer.store.tables import Tables


class Role(Enum):
    """What a stored snapshot is to the one that is looked at."""

    ITSELF = "itself"
    BASE = "base"
    WAITS = "waits"
    """Newer than anything the client had acknowledged by then: it may still become a baseline."""
    STORED = "stored"


@dataclass(frozen=True, slots=True)
class Baseline:
    """One snapshot of the store."""

    snapshot: int
    """Row, -1: a baseline that is not in the capture."""
    tick: int
    age_ms: float | None
    """None: not in the capture, or made for an excerpt."""
    items: int | None
    """None: not rebuilt."""
    acked_packet: int
    """Packet that had acknowledged it by then, -1: none."""
    used: int
    """Snapshots of the session with this baseline, up to the one that is looked at."""
    role: Role


def baselines(tables: Tables, history: History, index: int) -> list[Baseline]:
    """The store when snapshot `index` of `history` was complete, the newest first: it, its baseline, and every snapshot
    rebuilt before it whose tick is at most `RETENTION_TICKS` older."""
    store = _Store(tables, history, index)
    found = store.stored()
    if store.base < 0 <= store.base_tick:
        found.append(store.missing())
    return sorted(found, key=lambda baseline: (-baseline.tick, -baseline.snapshot))


class _Store:
    def __init__(self, tables: Tables, history: History, index: int) -> None:
        self._tables = tables
        self._until = history.rows[: index + 1].astype(np.int64)
        self._ticks = history.ticks[: index + 1].astype(np.int64)
        self._base_ticks = history.base_ticks[: index + 1]
        self._bases = tables.snapshots.take("base", self._until).astype(np.int64)
        self.row = int(self._until[-1])
        self.base = int(self._bases[-1])
        self.base_tick = int(self._base_ticks[-1])
        self._packet = int(history.packets[index])
        self._newest_acked = self._acked_tick()

    def stored(self) -> list[Baseline]:
        tick = self._ticks[-1]
        rows = self._until[(self._ticks <= tick) & (self._ticks >= tick - RETENTION_TICKS)]
        rows = rows[rebuilt_mask(self._column("status", rows))]
        return self._describe(np.union1d(rows, [self.row, *([self.base] if self.base >= 0 else [])]))

    def missing(self) -> Baseline:
        """The baseline that could not be rebuilt, or that the capture does not have."""
        used = int((self._base_ticks == self.base_tick).sum())
        failed = self._until[self._ticks == self.base_tick]
        if not len(failed):
            return Baseline(-1, self.base_tick, None, None, -1, used, Role.BASE)
        return replace(self._describe(failed[-1:])[0], used=used, role=Role.BASE)

    def _describe(self, rows: Ints) -> list[Baseline]:
        """`rows` ascending."""
        used = np.zeros(len(rows), dtype=np.int64)
        places = np.searchsorted(rows, self._bases)
        known = rows[np.minimum(places, len(rows) - 1)] == self._bases
        np.add.at(used, places[known], 1)
        columns = [self._column(name, rows) for name in ("tick", "acked_packet", "items", "status")]
        packets = self._column("packet", rows)
        ages = (self._times(np.array([self._packet])) - self._times(packets)) / 1e6
        made = made_mask(self._tables, packets)
        rebuilt = rebuilt_mask(columns.pop())
        values = zip(rows.tolist(), *(column.tolist() for column in (*columns, rebuilt, ages, made, used)), strict=True)
        return [
            Baseline(
                snapshot=row,
                tick=tick,
                age_ms=None if made_here else age,
                items=items if whole else None,
                acked_packet=acked if acked <= self._packet else -1,
                used=uses,
                role=self._role(row, tick),
            )
            for row, tick, acked, items, whole, age, made_here, uses in values
        ]

    def _role(self, row: int, tick: int) -> Role:
        if row == self.row:
            return Role.ITSELF
        if row == self.base:
            return Role.BASE
        return Role.WAITS if tick > self._newest_acked else Role.STORED

    def _acked_tick(self) -> int:
        """Newest tick that was acknowledged by then, by an INPUT that was seen or as the base that was used."""
        acked = self._column("acked_packet", self._until)
        ticks = self._ticks[(acked >= 0) & (acked <= self._packet)]
        return max(int(ticks.max()) if len(ticks) else -1, int(self._base_ticks.max()))

    def _times(self, packets: Ints) -> Ints:
        frames = self._tables.packets.take("frame", packets).astype(np.int64)
        return self._tables.frames.take("time_ns", frames).astype(np.int64)

    def _column(self, name: str, rows: Ints) -> Ints:
        return self._tables.snapshots.take(name, rows).astype(np.int64)
