"""The partly known snapshots of one epoch that later ones may be based on. Spec section 17.6."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.protocols.teeworlds.delta import Delta, read_delta
from analyzer.protocols.teeworlds.partial import UNKNOWN, Followed, PartialState, follow
from analyzer.wire.errors import DecodeError

MAX_STATES = 160
"""A base is at most 150 ticks old (spec section 15.2)."""
MAX_ENTRIES = 1 << 16
"""Keys of all states together: some megabytes. Real states have a hundred."""
NO_CHANGE = Delta(b"", [], [], [], 0)


@dataclass(frozen=True, slots=True)
class _Kept:
    state: PartialState
    local: int
    """Of the snapshot's row."""
    depth: int
    """Deltas since nothing was known or a stored block."""


@dataclass(frozen=True, slots=True)
class Step:
    """A snapshot without a base, as far as its delta and what is known of its base tell."""

    delta: Delta
    followed: Followed
    base: int
    """Local row of the base, -1: nothing is known of it."""
    depth: int

    @property
    def state(self) -> PartialState:
        """What is known of the snapshot."""
        return self.followed.state


class PartialStates:
    """By tick. All of them belong to snapshots that failed for want of a base."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes = sizes
        self._kept: dict[int, _Kept] = {}
        self._entries = 0

    def step(self, base_tick: int, data: bytes) -> Step | None:
        """What a delta makes of what is known of a tick; no bytes mean no difference. None: it cannot be followed."""
        base = self._kept.get(base_tick, _NOTHING)
        try:
            delta = read_delta(data, self._sizes) if data else NO_CHANGE
            followed = follow(base.state, delta)
        except DecodeError:
            return None
        return Step(delta, followed, base.local, base.depth + 1)

    def keep(self, tick: int, step: Step, local: int, *, stored: bool) -> None:
        """The step led to the snapshot of a tick, which has row `local` and was stored whole or not."""
        self._kept[tick] = _Kept(step.state, local, 0 if stored else step.depth)
        self._entries += step.state.entries
        while len(self._kept) > MAX_STATES or (self._entries > MAX_ENTRIES and len(self._kept) > 1):
            self._drop(next(iter(self._kept)))

    def purge(self, oldest: int) -> None:
        """Let go of the ticks before `oldest`."""
        for tick in [tick for tick in self._kept if tick < oldest]:
            self._drop(tick)

    def clear(self) -> None:
        """Let go of everything."""
        self._kept.clear()
        self._entries = 0

    def _drop(self, tick: int) -> None:
        self._entries -= self._kept.pop(tick).state.entries


_NOTHING = _Kept(UNKNOWN, -1, -1)
