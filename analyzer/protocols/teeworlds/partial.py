"""What is known of a snapshot whose base is not: items with values, items without, keys that are absent.

Spec section 17.6. A key that is in none of the three is unknown. Everything follows from deltas alone, so nothing is
guessed: what is said to be known is so, as far as the sender keeps to the format.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from analyzer.protocols.teeworlds.delta import MAX_ITEMS, MAX_STATE_BYTES, Delta, size_fault, sums
from analyzer.protocols.teeworlds.schema_tables import FIRST_UUID_TYPE
from analyzer.protocols.teeworlds.state import HEADER_BYTES, INT_BYTES, ITEM_BYTES, signed
from analyzer.wire.errors import DecodeError

UUID_INTS = 4
MAX_ABSENT = 1024
"""Absent keys that are remembered; what has been absent longest becomes unknown again."""
MAX_KEY = 0x7FFFFFFF


@dataclass(frozen=True, slots=True)
class PartialState:
    """A snapshot as far as it is known. Nobody changes one."""

    known: Mapping[int, tuple[int, ...]]
    """Key, which is (type << 16) | id, to values."""
    unknown: Mapping[int, int]
    """Key to number of values, of items that are there and whose values nobody can tell."""
    absent: Mapping[int, None]
    """Keys that no item has; what has been absent longest comes first."""

    @property
    def entries(self) -> int:
        """Keys that something is known of."""
        return len(self.known) + len(self.unknown) + len(self.absent)

    def is_proved_by(self, checksum: int) -> bool:
        """Are these all items of a snapshot with this checksum?

        A checksum of zero proves nothing: any number of items that nobody has seen would fit.
        """
        if self.unknown or not self.known or not checksum:
            return False
        return signed(sum(map(sum, self.known.values()))) == checksum


UNKNOWN = PartialState({}, {}, {})
"""Nothing is known."""


@dataclass(frozen=True, slots=True)
class Followed:
    """What a delta made of a partial state, and what it did as far as that can be told."""

    state: PartialState
    added: int = 0
    changed: int = 0
    removed: int = 0
    told: frozenset[int] = field(default_factory=frozenset)
    """Keys of updates whose values are known."""


def follow(base: PartialState, delta: Delta) -> Followed:
    """Apply a delta to what is known. Raises `DecodeError` D8 and D9 where the two contradict each other."""
    known, unknown, absent = dict(base.known), dict(base.unknown), dict(base.absent)
    gone = dict.fromkeys(delta.removed)
    for key in gone:
        known.pop(key, None)
        unknown.pop(key, None)
        if 0 <= key <= MAX_KEY:
            absent.setdefault(key)
    told: dict[int, bool] = {}
    sizes = dict(base.unknown)
    for key, start, size in delta.updates:
        wire = delta.ints[start : start + size]
        expected = len(base.known[key]) if key in base.known else sizes.setdefault(key, size)
        if expected != size:
            raise size_fault(delta, key, start, size, expected)
        values = _values(base, key, wire, is_removed=key in gone)
        told.pop(key, None)
        known.pop(key, None) if values is None else unknown.pop(key, None)
        absent.pop(key, None)
        if values is None:
            unknown[key] = size
        else:
            known[key] = values
            told[key] = key not in base.known
    _check_limits(known, unknown)
    changed = sum(not new and known[key] != base.known[key] for key, new in told.items())
    removed = sum(key in absent and key not in base.absent for key in gone)
    for key in list(absent)[: max(0, len(absent) - MAX_ABSENT)]:
        del absent[key]
    return Followed(PartialState(known, unknown, absent), sum(told.values()), changed, removed, frozenset(told))


def _values(base: PartialState, key: int, wire: list[int], *, is_removed: bool) -> tuple[int, ...] | None:
    """The values that an update gives its item; None where the base's are missing."""
    old = base.known.get(key)
    if old is not None:
        return sums(old, wire)
    if key in base.absent or (_declares(key, wire) and not is_removed and key not in base.unknown):
        return tuple(wire)
    return None


def _declares(key: int, wire: Sequence[int]) -> bool:
    """Is it a declaration of a type? One never changes, so what is sent of it is all of it, or no difference."""
    return FIRST_UUID_TYPE <= key <= 0x7FFF and len(wire) >= UUID_INTS and any(wire)


def _check_limits(known: Mapping[int, tuple[int, ...]], unknown: Mapping[int, int]) -> None:
    count = len(known) + len(unknown)
    values = sum(map(len, known.values())) + sum(unknown.values())
    size = HEADER_BYTES + ITEM_BYTES * count + INT_BYTES * values
    if count > MAX_ITEMS or size > MAX_STATE_BYTES:
        raise DecodeError("D9", 0, f"{count} items of {size} bytes are too many", count, size)


def pack_partial(state: PartialState) -> bytes:
    """Little-endian 32-bit numbers: counts of known, unknown, absent; keys and sizes of each known and unknown item;
    absent keys; values."""
    known, unknown, absent = state.known, state.unknown, state.absent
    pairs = chain(((key, len(values)) for key, values in known.items()), unknown.items())
    numbers = [len(known), len(unknown), len(absent), *chain.from_iterable(pairs), *absent]
    numbers += chain.from_iterable(known.values())
    return struct.pack(f"<{len(numbers)}i", *numbers)


def unpack_partial(packed: bytes) -> PartialState:
    """What `pack_partial` packed."""
    numbers = struct.unpack(f"<{len(packed) // INT_BYTES}i", packed)
    known_count, unknown_count, absent_count = numbers[:3]
    edges = (3, 3 + 2 * known_count, 3 + 2 * (known_count + unknown_count))
    start = edges[2] + absent_count
    known: dict[int, tuple[int, ...]] = {}
    for key, size in zip(numbers[edges[0] : edges[1] : 2], numbers[edges[0] + 1 : edges[1] : 2], strict=True):
        known[key] = numbers[start : start + size]
        start += size
    unknown = dict(zip(numbers[edges[1] : edges[2] : 2], numbers[edges[1] + 1 : edges[2] : 2], strict=True))
    return PartialState(known, unknown, dict.fromkeys(numbers[edges[2] : edges[2] + absent_count]))
