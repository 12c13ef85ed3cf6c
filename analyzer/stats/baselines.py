"""Which snapshots of a session could serve as a baseline when another one was sent, and how often each did."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from analyzer.snapshots.bases import RETENTION_TICKS
from analyzer.stats.clients import History
from analyzer.stats.live import Ints
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
    found = [store.baseline(row) for row in store.rows()]
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
        self._packet = tables.snapshots.integer("packet", self.row)
        self._time_ns = self._time(self._packet)
        self._newest_acked = self._acked_tick()

    def rows(self) -> list[int]:
        tick = self._ticks[-1]
        near = (self._ticks <= tick) & (self._ticks >= tick - RETENTION_TICKS)
        rows = self._until[near]
        rows = rows[rebuilt_mask(self._tables.snapshots.take("status", rows).astype(np.int64))]
        return sorted({self.row, *rows.tolist(), *([self.base] if self.base >= 0 else [])})

    def baseline(self, row: int) -> Baseline:
        snapshots = self._tables.snapshots
        tick = snapshots.integer("tick", row)
        acked = snapshots.integer("acked_packet", row)
        rebuilt = bool(rebuilt_mask(np.array([snapshots.integer("status", row)]))[0])
        return Baseline(
            snapshot=row,
            tick=tick,
            age_ms=(self._time_ns - self._time(snapshots.integer("packet", row))) / 1e6,
            items=snapshots.integer("items", row) if rebuilt else None,
            acked_packet=acked if 0 <= acked <= self._packet else -1,
            used=int((self._bases == row).sum()),
            role=self._role(row, tick),
        )

    def missing(self) -> Baseline:
        """The baseline that could not be rebuilt, or that the capture does not have."""
        used = int((self._base_ticks == self.base_tick).sum())
        failed = self._until[self._ticks == self.base_tick]
        if not len(failed):
            return Baseline(-1, self.base_tick, None, None, -1, used, Role.BASE)
        return replace(self.baseline(int(failed[-1])), used=used, role=Role.BASE)

    def _role(self, row: int, tick: int) -> Role:
        if row == self.row:
            return Role.ITSELF
        if row == self.base:
            return Role.BASE
        return Role.WAITS if tick > self._newest_acked else Role.STORED

    def _acked_tick(self) -> int:
        """Newest tick that was acknowledged by then, by an INPUT that was seen or as the base that was used."""
        acked: Ints = self._tables.snapshots.take("acked_packet", self._until).astype(np.int64)
        ticks = self._ticks[(acked >= 0) & (acked <= self._packet)]
        return max(int(ticks.max()) if len(ticks) else -1, int(self._base_ticks.max()))

    def _time(self, packet: int) -> int:
        return self._tables.frames.integer("time_ns", self._tables.packets.integer("frame", packet))
