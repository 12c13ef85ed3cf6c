"""The rebuilt snapshots that later deltas may refer to, and what became of those that could not be rebuilt.

A superset of both peers' stores (spec section 17.4): ticks are unique inside an epoch, so keeping more is harmless.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from analyzer.snapshots.status import LostBy

S = TypeVar("S")

RETENTION_TICKS = 500
"""Ten seconds. Bases in real traffic are at most 150 ticks old."""
MAX_STORE_BYTES = 32 * 1024 * 1024
"""Sum of state_bytes an epoch may hold; hostile traffic reaches it, real traffic stays below a tenth."""
MAX_WAITING = 4096
"""Rows that follow one cause; real traffic has a few per tick of the retention."""


@dataclass(frozen=True, slots=True)
class Base(Generic[S]):
    """A rebuilt snapshot."""

    local: int
    """The reading's number of its row."""
    state: S
    size: int
    """state_bytes."""
    depth: int
    """Deltas since the last stored block or full snapshot."""
    proved: bool


@dataclass(slots=True)
class Cause:
    """The root of a chain of failures. Its row may not exist yet: an incomplete snapshot can still complete."""

    local: int = -1
    lost_by: LostBy = LostBy.UNKNOWN
    waiting: list[int] = field(default_factory=list)
    """Rows that name this cause and follow it while it can change."""
    settled: bool = False
    """Nothing more will be learned about it."""

    def wait(self, local: int) -> None:
        """A further row names this cause."""
        if not self.settled and len(self.waiting) < MAX_WAITING:
            self.waiting.append(local)

    def settle(self) -> None:
        """The cause is final: nobody needs to follow it any more."""
        self.settled = True
        self.waiting.clear()


class Bases(Generic[S]):
    """Store of one epoch: tick -> base, and tick -> cause for ticks that failed."""

    def __init__(self) -> None:
        self._bases: dict[int, Base[S]] = {}
        self._failed: dict[int, Cause] = {}
        self._used: dict[int, int] = {}
        self._bytes = 0
        self._acked: int | None = None
        self._floor = -1

    def get(self, tick: int) -> Base[S] | None:
        """The base of a tick, if it is here."""
        return self._bases.get(tick)

    def cause_of(self, tick: int) -> Cause | None:
        """Why the snapshot of a tick could not be rebuilt, if that is what happened."""
        return self._failed.get(tick)

    def put(self, tick: int, base: Base[S]) -> None:
        """Store a rebuilt snapshot, in place of an older one of the same tick."""
        older = self._bases.get(tick)
        self._bases[tick] = base
        self._bytes += base.size - (older.size if older is not None else 0)
        self._failed.pop(tick, None)

    def fail(self, tick: int, cause: Cause) -> None:
        """Remember that a tick could not be rebuilt."""
        self._failed[tick] = cause

    def replace_cause(self, old: Cause, new: Cause) -> None:
        """What failed by `old` failed by `new`, the first cause of the chain."""
        for tick in [tick for tick, cause in self._failed.items() if cause is old]:
            self._failed[tick] = new

    def use(self, tick: int, by_tick: int) -> None:
        """A delta of tick `by_tick` referred to `tick`, so a later one may again."""
        self._used[tick] = max(by_tick, self._used.get(tick, by_tick))

    def acknowledge(self, tick: int) -> None:
        """The client's last acknowledgement: that base stays, however old."""
        self._acked = tick

    def dropped(self, tick: int) -> bool:
        """The tick lies where this store has let bases go."""
        return tick <= self._floor

    def purge(self, newest: int) -> None:
        """Drop what is older than the retention, and the oldest beyond the bound on memory."""
        oldest = newest - RETENTION_TICKS
        for tick in [tick for tick in self._bases if tick < oldest]:
            if tick != self._acked and self._used.get(tick, oldest - 1) < oldest:
                self._drop(tick)
        for tick in [tick for tick in self._failed if tick < oldest]:
            del self._failed[tick]
        for tick in [tick for tick, by_tick in self._used.items() if by_tick < oldest]:
            del self._used[tick]
        if self._bytes > MAX_STORE_BYTES:
            for tick in sorted(self._bases)[:-1]:
                if self._bytes <= MAX_STORE_BYTES:
                    break
                self._drop(tick)

    def forget(self) -> None:
        """Drop every base and every failure."""
        for tick in list(self._bases):
            self._drop(tick)
        self._failed.clear()
        self._used.clear()

    def _drop(self, tick: int) -> None:
        self._bytes -= self._bases.pop(tick).size
        self._floor = max(self._floor, tick)
