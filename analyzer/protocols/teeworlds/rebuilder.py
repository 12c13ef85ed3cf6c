"""What an epoch needs of the making of snapshots, whichever way they are made. Spec sections 9 to 13."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from analyzer.protocols.teeworlds.delta import Applied, Delta, apply, read_delta
from analyzer.protocols.teeworlds.players import name_in_state
from analyzer.protocols.teeworlds.schema import Schema
from analyzer.protocols.teeworlds.schema_file import FIRST_UUID_TYPE
from analyzer.protocols.teeworlds.state import EMPTY, State, pack_state
from analyzer.store.rows import TypeCount

UUID_INTS = 4
TypeKey = tuple[int, tuple[int, ...] | None]
"""Number of an item type; for those that the server process gives out, what the snapshot declares it to be."""


class Snapshot(Protocol):
    """What any form of a rebuilt snapshot can say of itself."""

    @property
    def crc(self) -> int:
        """Sum of all values, signed 32-bit."""

    @property
    def size(self) -> int:
        """state_bytes."""

    @property
    def count(self) -> int:
        """Items."""


S = TypeVar("S", bound=Snapshot)


@dataclass(frozen=True, slots=True)
class Rebuilt(Generic[S]):
    """A snapshot and what its delta did."""

    state: S
    added: int = 0
    changed: int = 0
    removed: int = 0
    deleted: int = 0
    """Removed keys on the wire."""
    updated: int = 0
    """Updates on the wire."""
    warnings: int = 0
    """Bits of `delta.WARNINGS`."""


class Rebuilder(ABC, Generic[S]):
    """Makes the snapshots of one reading and counts the items sent in them."""

    @property
    @abstractmethod
    def empty(self) -> S:
        """The snapshot of no items."""

    @abstractmethod
    def rebuild(self, base: S, delta: bytes, packet: int) -> Rebuilt[S]:
        """The next snapshot, completed by row `packet`. Raises `DecodeError` D1 to D9."""

    @abstractmethod
    def pack(self, state: S) -> bytes:
        """What `state.unpack_state` unpacks."""

    @abstractmethod
    def player(self, state: S) -> str:
        """Name of the receiving client, empty if it is not there."""

    @abstractmethod
    def take_types(self) -> dict[TypeKey, TypeCount]:
        """What was counted since the last time."""


def _declaration(type: int, state: State) -> tuple[int, ...] | None:
    """The ints of the UUID that the snapshot declares the type to be."""
    declared = state.items.get(type)
    return None if declared is None or len(declared) < UUID_INTS else declared[:UUID_INTS]


class PlainRebuilder(Rebuilder[State]):
    """In plain Python, by the readable definition of the format."""

    def __init__(self, schema: Schema) -> None:
        self._sizes = schema.sizes
        self._types: dict[TypeKey, TypeCount] = {}

    @property
    def empty(self) -> State:
        """The snapshot of no items."""
        return EMPTY

    def rebuild(self, base: State, delta: bytes, packet: int) -> Rebuilt[State]:
        """The next snapshot. Raises `DecodeError` D1 to D9."""
        read = read_delta(delta, self._sizes)
        applied: Applied = apply(base, read)
        self._count(read, applied.state, packet)
        return Rebuilt(
            applied.state,
            applied.added,
            applied.changed,
            applied.removed,
            len(read.removed),
            len(read.updates),
            applied.warnings,
        )

    def pack(self, state: State) -> bytes:
        """The state as bytes."""
        return pack_state(state)

    def player(self, state: State) -> str:
        """Name of the receiving client."""
        return name_in_state(state)

    def take_types(self) -> dict[TypeKey, TypeCount]:
        """What was counted since the last time."""
        types, self._types = self._types, {}
        return types

    def _count(self, delta: Delta, state: State, packet: int) -> None:
        types = self._types
        for item, _, size in delta.updates:
            type = item >> 16
            # Numbers above are given by the server process; the snapshot's own declaration says what they mean.
            key = type, (_declaration(type, state) if type >= FIRST_UUID_TYPE else None)
            count = types.get(key)
            if count is None:
                count = types[key] = TypeCount(packet)
            count.updates += 1
            count.values += size
