"""A whole snapshot: items, checksum and size, and the forms it is kept and compared in. Spec sections 9, 12 and 13."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

HEADER_BYTES = 8
ITEM_BYTES = 8
INT_BYTES = 4
"""A snapshot's size counts 8 bytes, 8 an item, and 4 an int."""


@dataclass(frozen=True, slots=True)
class State:
    """The items of one snapshot. States share the tuples of items that did not change; nobody changes a state."""

    items: Mapping[int, tuple[int, ...]]
    """Key, which is (type << 16) | id, to values, signed 32-bit; in the order the reference keeps them."""
    crc: int
    """Sum of all values, signed 32-bit."""
    size: int
    """Bytes, as the limit of 65536 counts them."""

    @property
    def count(self) -> int:
        """Items."""
        return len(self.items)


EMPTY = State({}, 0, HEADER_BYTES)


def signed(value: int) -> int:
    """`value` modulo 2^32, as a signed number."""
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


def make_state(items: Mapping[int, tuple[int, ...]]) -> State:
    """A state with checksum and size counted from its items."""
    values = list(chain.from_iterable(items.values()))
    return State(items, signed(sum(values)), HEADER_BYTES + ITEM_BYTES * len(items) + INT_BYTES * len(values))


def pack_state(state: State) -> bytes:
    """Little-endian 32-bit numbers: item count; all keys; all sizes; all values."""
    items = state.items
    numbers = [len(items), *items, *map(len, items.values()), *chain.from_iterable(items.values())]
    return struct.pack(f"<{len(numbers)}i", *numbers)


def unpack_state(packed: bytes) -> State:
    """What `pack_state` packed."""
    numbers = struct.unpack(f"<{len(packed) // INT_BYTES}i", packed)
    count = numbers[0]
    items: dict[int, tuple[int, ...]] = {}
    start = 1 + 2 * count
    for key, size in zip(numbers[1 : 1 + count], numbers[1 + count : 1 + 2 * count], strict=True):
        items[key] = numbers[start : start + size]
        start += size
    return make_state(items)


def sorted_items(state: State) -> list[list[int | list[int]]]:
    """`[type, id, [values]]` for each item, by type and id."""
    return [[key >> 16, key & 0xFFFF, list(values)] for key, values in sorted(state.items.items())]


def items_sha256(state: State) -> str:
    """SHA-256 in hex of `sorted_items` as JSON without spaces: equal for equal content, whatever the order."""
    return hashlib.sha256(json.dumps(sorted_items(state), separators=(",", ":")).encode("ascii")).hexdigest()
