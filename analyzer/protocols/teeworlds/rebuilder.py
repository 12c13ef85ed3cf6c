"""What an epoch needs of bytes and states, whichever way they are kept and made. Spec sections 9 to 13."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from analyzer.protocols.teeworlds.delta import Applied, Delta, apply, read_delta
from analyzer.protocols.teeworlds.messages import MAX_PART_LENGTH
from analyzer.protocols.teeworlds.players import name_in_state
from analyzer.protocols.teeworlds.schema import Schema
from analyzer.protocols.teeworlds.schema_tables import FIRST_UUID_TYPE
from analyzer.protocols.teeworlds.state import EMPTY, State, pack_state
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.rows import TypeCount

PART_BYTES = MAX_PART_LENGTH
"""A writer cuts the delta every 900 bytes; part p belongs at 900 * p (spec section 8.1)."""
UUID_INTS = 4
TypeKey = tuple[int, tuple[int, ...] | None]
"""Number of an item type; for those that the server process gives out, what the snapshot declares it to be."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A snapshot that was made, and what its delta did."""

    size: int
    """state_bytes."""
    count: int
    """Items."""
    crc: int
    """Sum of all values, signed 32-bit."""
    added: int = 0
    changed: int = 0
    removed: int = 0
    deleted: int = 0
    """Removed keys on the wire."""
    updated: int = 0
    """Updates on the wire."""
    warnings: int = 0
    """Bits of `delta.WARNINGS`."""


class TypeCounter(ABC):
    """Counts the items that a reading's snapshots sent."""

    @abstractmethod
    def take(self) -> dict[TypeKey, TypeCount]:
        """What was counted since the last time."""


class Rebuilder(ABC):
    """Keeps the parts and the states of one epoch, and makes its snapshots. A base tick below 0: the empty snapshot."""

    sizes: Sequence[int]
    """Ints of an item by type where both peers agreed beforehand, or -1."""

    @abstractmethod
    def hold(self, collector: int, part: int, data: bytes) -> None:
        """Keep the bytes of a part."""

    @abstractmethod
    def held(self, collector: int, part: int) -> bytes:
        """The bytes of a part that is held."""

    @abstractmethod
    def join(self, collector: int, announced: int) -> bytes:
        """The delta of a collector that holds every part announced."""

    @abstractmethod
    def rebuild(self, base_tick: int, delta: bytes, packet: int) -> Rebuilt:
        """Make the next snapshot, completed by row `packet`; `keep` keeps it. Raises `DecodeError` D1 to D9."""

    @abstractmethod
    def adopt(self, state: State, delta: Delta, packet: int) -> None:
        """A snapshot, completed by row `packet`, became known without its base: as if `rebuild` had made it."""

    @abstractmethod
    def keep(self, tick: int) -> None:
        """The snapshot made last is that of a tick which is a base in the track now."""

    @abstractmethod
    def share(self, tick: int, base_tick: int) -> None:
        """The snapshot of a tick is that of its base."""

    @abstractmethod
    def pack(self, tick: int) -> bytes:
        """What `state.unpack_state` unpacks, of a base."""

    @abstractmethod
    def player(self, tick: int) -> str:
        """Name of the receiving client in a base, empty if it is not there."""

    @abstractmethod
    def purge(self) -> None:
        """Let go of the states of ticks that are no bases any more."""


def join_parts(parts: Mapping[int, bytes], announced: int) -> bytes:
    """The delta from its parts. Gaps after a short middle part read as zero bytes, as in a client's buffer."""
    middle = [parts[number].ljust(PART_BYTES, b"\0") for number in range(announced - 1)]
    return b"".join([*middle, parts[announced - 1]])


def _declaration(type: int, state: State) -> tuple[int, ...] | None:
    """The ints of the UUID that the snapshot declares the type to be."""
    declared = state.items.get(type)
    return None if declared is None or len(declared) < UUID_INTS else declared[:UUID_INTS]


def count_updates(types: dict[TypeKey, TypeCount], delta: Delta, state: State, packet: int) -> None:
    """Add the updates of the delta that made `state` to `types`."""
    for item, _, size in delta.updates:
        type = item >> 16
        # Numbers above are given by the server process; the snapshot's own declaration says what they mean.
        key = type, (_declaration(type, state) if type >= FIRST_UUID_TYPE else None)
        count = types.get(key)
        if count is None:
            count = types[key] = TypeCount(packet)
        count.updates += 1
        count.values += size


class PlainTypeCounter(TypeCounter):
    """By objects."""

    def __init__(self) -> None:
        self._types: dict[TypeKey, TypeCount] = {}

    def take(self) -> dict[TypeKey, TypeCount]:
        """What was counted since the last time."""
        types, self._types = self._types, {}
        return types

    def count(self, delta: Delta, state: State, packet: int) -> None:
        """Count the updates of the delta that made `state`."""
        count_updates(self._types, delta, state, packet)


class PlainRebuilder(Rebuilder):
    """In plain Python, by the readable definition of the format."""

    def __init__(self, schema: Schema, types: PlainTypeCounter, tracker: Tracker) -> None:
        self.sizes = schema.sizes
        self._types = types
        self._tracker = tracker
        self._parts: dict[int, dict[int, bytes]] = {}
        """By collector and number."""
        self._states: dict[int, State] = {}
        """By tick."""
        self._made = EMPTY

    def hold(self, collector: int, part: int, data: bytes) -> None:
        """Keep the bytes of a part."""
        self._parts.setdefault(collector, {})[part] = data

    def held(self, collector: int, part: int) -> bytes:
        """The bytes of a part that is held."""
        return self._parts[collector][part]

    def join(self, collector: int, announced: int) -> bytes:
        """The delta of a collector that holds every part announced."""
        return join_parts(self._parts.pop(collector), announced)

    def rebuild(self, base_tick: int, delta: bytes, packet: int) -> Rebuilt:
        """Make the next snapshot. Raises `DecodeError` D1 to D9."""
        read = read_delta(delta, self.sizes)
        applied: Applied = apply(self._state(base_tick), read)
        state = self._made = applied.state
        self._types.count(read, state, packet)
        return Rebuilt(
            state.size,
            state.count,
            state.crc,
            applied.added,
            applied.changed,
            applied.removed,
            len(read.removed),
            len(read.updates),
            applied.warnings,
        )

    def adopt(self, state: State, delta: Delta, packet: int) -> None:
        """A snapshot that became known without its base."""
        self._made = state
        self._types.count(delta, state, packet)

    def keep(self, tick: int) -> None:
        """The snapshot made last is that of a tick."""
        self._states[tick] = self._made

    def share(self, tick: int, base_tick: int) -> None:
        """The snapshot of a tick is that of its base."""
        self._states[tick] = self._state(base_tick)

    def pack(self, tick: int) -> bytes:
        """The state as bytes."""
        return pack_state(self._states[tick])

    def player(self, tick: int) -> str:
        """Name of the receiving client."""
        return name_in_state(self._states[tick])

    def purge(self) -> None:
        """Let go of the states of ticks that are no bases any more."""
        kept = self._tracker.bases()
        self._states = {tick: state for tick, state in self._states.items() if tick in kept}

    def _state(self, base_tick: int) -> State:
        return EMPTY if base_tick < 0 else self._states[base_tick]


@dataclass(frozen=True, slots=True)
class Tools:
    """How a reading makes snapshots: in plain Python or with compiled code."""

    open_rebuilder: Callable[[Tracker], Rebuilder]
    """For each epoch."""
    types: TypeCounter
    digest: Callable[[bytes], int]
    """Tells two messages apart; 0 or above."""


def plain_tools(schema: Schema) -> Tools:
    """By the readable definitions of the format."""
    types = PlainTypeCounter()
    return Tools(lambda tracker: PlainRebuilder(schema, types, tracker), types, zlib.crc32)
