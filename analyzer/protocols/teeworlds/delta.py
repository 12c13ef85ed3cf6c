"""Reads the packed delta of a snapshot and makes the new snapshot from its base. Spec sections 9, 10, 13 and 19.

Codes D1 to D9 of spec section 17.7 are those of the `DecodeError`s raised here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import add

from analyzer.protocols.teeworlds.state import INT_BYTES, ITEM_BYTES, State, signed
from analyzer.wire import varint
from analyzer.wire.errors import DecodeError

MAX_INTS = 16384
MAX_TYPE = 0x7FFF
MAX_ID = 0xFFFF
MAX_ITEMS = 1024
MAX_STATE_BYTES = 65536
AGREED_TYPES = 64
"""Types from here up always carry their size (spec section 10)."""

SURPLUS_INTS = 1
THIRD_INT_NOT_ZERO = 2
NON_CANONICAL_VARINT = 4
DUPLICATE_KEY = 8
UNKNOWN_REMOVED_KEY = 16
WARNINGS: Mapping[int, str] = {
    SURPLUS_INTS: "ints after the last update",
    THIRD_INT_NOT_ZERO: "third int is not zero",
    NON_CANONICAL_VARINT: "number not in its shortest form",
    DUPLICATE_KEY: "a key occurs twice",
    UNKNOWN_REMOVED_KEY: "removes an item that the base does not have",
}
"""Bits of `warnings`: readable, but no real server writes it (W1)."""
WARNING_RULES: Mapping[int, str] = {DUPLICATE_KEY: "snap.dup_key", UNKNOWN_REMOVED_KEY: "snap.delete_missing"}
"""Expert rules that have one of these for themselves; the others are `snap.odd`."""


@dataclass(slots=True)
class Delta:
    """A delta taken apart; what it means depends on the base."""

    data: bytes
    """The packed delta."""
    ints: list[int]
    removed: list[int]
    """Keys."""
    updates: list[tuple[int, int, int]]
    """Key, index in `ints` of the first value, number of values."""
    warnings: int
    """Bits of `WARNINGS` that show without the base."""


@dataclass(frozen=True, slots=True)
class Applied:
    """The new snapshot, and in what its items differ from the base."""

    state: State
    added: int
    """Items the base does not have."""
    changed: int
    """Items of both with other values."""
    removed: int
    """Items of the base that are gone."""
    warnings: int
    """Bits of `WARNINGS`, those of the delta included."""


def read_delta(data: bytes, sizes: Sequence[int]) -> Delta:
    """Take a packed delta apart. `sizes` has `AGREED_TYPES` entries: the pre-agreed number of ints of each type, or -1.

    Raises `DecodeError` D1 to D7; its offset counts in `data`, its details begin with the update's number for D4 to D7.
    """
    delta, fault = read_to_fault(data, sizes)
    if fault is not None:
        raise fault
    return delta


def read_to_fault(data: bytes, sizes: Sequence[int]) -> tuple[Delta, DecodeError | None]:
    """Like `read_delta`, but for a person: what stands before a fault is in the delta, and the fault beside it."""
    try:
        ints = varint.unpack_all(data, MAX_INTS)
    except DecodeError as error:
        return Delta(data, [], [], [], 0), DecodeError("D1", error.offset, error.text, *error.details)
    count = len(ints)
    delta = Delta(data, ints, [], [], 0)
    if count < 3:
        return delta, DecodeError("D2", len(data), f"{count} of the 3 header numbers", count)
    removed_count, update_count, zero = ints[:3]
    if not 0 <= removed_count <= count - 3:
        text = f"{removed_count} removed keys in {count - 3} numbers"
        return delta, DecodeError("D3", 0, text, removed_count, count - 3)
    index = 3 + removed_count
    delta.removed = ints[3:index]
    try:
        index = _read_updates(delta, index, update_count, sizes)
    except DecodeError as error:
        return delta, error
    if index < count:
        delta.warnings |= SURPLUS_INTS
    if zero:
        delta.warnings |= THIRD_INT_NOT_ZERO
    if not varint.is_canonical(data):
        delta.warnings |= NON_CANONICAL_VARINT
    if len(set(delta.removed)) < removed_count or len({key for key, _, _ in delta.updates}) < len(delta.updates):
        delta.warnings |= DUPLICATE_KEY
    return delta, None


def _read_updates(delta: Delta, index: int, update_count: int, sizes: Sequence[int]) -> int:
    """The updates from `index` on, and where they end. An update takes two ints at least: the data bound the loop."""
    data, ints, append = delta.data, delta.ints, delta.updates.append
    count = len(ints)
    for number in range(update_count):
        start = index + 2
        if start > count:
            raise _fault("D4", data, index, f"update {number} is missing or cut off", number)
        item_type = ints[index]
        item_id = ints[index + 1]
        if not 0 <= item_type <= MAX_TYPE:
            raise _fault("D5", data, index, f"update {number}: type {item_type} is out of range", number, item_type)
        if not 0 <= item_id <= MAX_ID:
            raise _fault("D6", data, index + 1, f"update {number}: id {item_id} is out of range", number, item_id)
        size = sizes[item_type] if item_type < AGREED_TYPES else -1
        if size >= 0:
            if size > count - start:
                text = f"update {number}: {size} values agreed, {count - start} left"
                raise _fault("D4", data, start, text, number, size, count - start)
        else:
            if start >= count:
                raise _fault("D4", data, start, f"update {number}: its size is missing", number)
            size = ints[start]
            start += 1
            if not 0 <= size <= count - start:
                text = f"update {number}: {size} values announced, {count - start} left"
                raise _fault("D7", data, start - 1, text, number, size, count - start)
        append((item_type << 16 | item_id, start, size))
        index = start + size
    return index


def apply(base: State, delta: Delta) -> Applied:
    """Make the new snapshot. `base` stays as it is.

    Raises `DecodeError` D8 (details: key, size, size it should have) and D9 (details: items, bytes).
    """
    ints = delta.ints
    base_items = base.items
    items, crc, size = _without(base, delta.removed)
    warnings = delta.warnings
    if not base_items.keys() >= set(delta.removed):
        warnings |= UNKNOWN_REMOVED_KEY
    added = changed = 0
    for key, start, length in delta.updates:
        wire = ints[start : start + length]
        current = items.get(key)
        old = base_items.get(key)
        if old is None:
            values = tuple(wire)
            added += 1
        else:
            if length != len(old):
                raise size_fault(delta, key, start, length, len(old))
            # the base counts even if step one removed the item
            values = sums(old, wire)
            changed += values is not old
        if current is None:
            size += ITEM_BYTES + INT_BYTES * length
            crc += sum(values)
        elif current is old:
            crc += sum(wire)
        else:
            if length != len(current):
                raise size_fault(delta, key, start, length, len(current))
            crc += sum(values) - sum(current)
        items[key] = values
    if len(items) > MAX_ITEMS or size > MAX_STATE_BYTES:
        text = f"{len(items)} items of {size} bytes are too many"
        raise DecodeError("D9", len(delta.data), text, len(items), size)
    removed = len(base_items) + added - len(items)
    if warnings & DUPLICATE_KEY:
        added, changed, removed = _count(base_items, items)
    return Applied(State(items, signed(crc), size), added, changed, removed, warnings)


def _without(base: State, removed: Sequence[int]) -> tuple[dict[int, tuple[int, ...]], int, int]:
    """Items of the base that stay, their sum and their bytes."""
    items = dict(base.items)
    crc, size = base.crc, base.size
    for key in removed:
        gone = items.pop(key, None)
        if gone is not None:
            crc -= sum(gone)
            size -= ITEM_BYTES + INT_BYTES * len(gone)
    return items, crc, size


def sums(old: tuple[int, ...], wire: list[int]) -> tuple[int, ...]:
    """Old values plus differences modulo 2^32; the very same tuple if nothing differs."""
    if not any(wire):
        return old
    values = tuple(map(add, old, wire))
    if max(values) > 0x7FFFFFFF or min(values) < -0x80000000:
        return tuple(map(signed, values))
    return values


def _count(base: Mapping[int, tuple[int, ...]], new: Mapping[int, tuple[int, ...]]) -> tuple[int, int, int]:
    """Added, changed, removed; for deltas in which keys that occur twice spoil counting along the way."""
    added = sum(key not in base for key in new)
    changed = sum(key in base and base[key] != values for key, values in new.items())
    return added, changed, len(base) + added - len(new)


def _fault(code: str, data: bytes, index: int, text: str, *details: int) -> DecodeError:
    """A fault at an int, which may be the one after the last."""
    return DecodeError(code, varint.offsets(data)[index], text, *details)


def size_fault(delta: Delta, key: int, start: int, size: int, known: int) -> DecodeError:
    text = f"type {key >> 16} id {key & 0xFFFF}: {size} values, but the item has {known}"
    return _fault("D8", delta.data, start, text, key, size, known)
