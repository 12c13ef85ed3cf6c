"""Makes a snapshot from its base and the packed delta, compiled: the bulk reading of delta.py. Spec sections 9, 10, 13.

A state is a run of int32: number of items; all keys; all sizes; all values: what `pack_state` packs. Every index that
depends on the delta is checked here; results and faults are those of `read_delta` and `apply`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.protocols.teeworlds.delta import (
    AGREED_TYPES,
    DUPLICATE_KEY,
    MAX_ID,
    MAX_INTS,
    MAX_ITEMS,
    MAX_STATE_BYTES,
    MAX_TYPE,
    NON_CANONICAL_VARINT,
    SURPLUS_INTS,
    THIRD_INT_NOT_ZERO,
    UNKNOWN_REMOVED_KEY,
)
from analyzer.protocols.teeworlds.players import CLIENT_INFO, NAME_INTS, PLAYER_INFO
from analyzer.protocols.teeworlds.schema_file import FIRST_UUID_TYPE
from analyzer.protocols.teeworlds.state import HEADER_BYTES, INT_BYTES, ITEM_BYTES
from analyzer.wire.kernels import unpack_all

MAX_UPDATES = MAX_INTS // 2
MAX_STATE_INTS = 1 + (MAX_STATE_BYTES - HEADER_BYTES) // INT_BYTES
"""Room a state needs at most."""
SLOTS = 1 << 15
"""Of each hash table: twice the items and updates there can be at most."""

FAULT, OFFSET, DETAIL, ITEMS, STATE_BYTES, CRC, ADDED, CHANGED, REMOVED, DELETED, UPDATED, WARNINGS, LENGTH = range(13)
"""Results. FAULT: 0, or n for Dn of spec section 17.7, with OFFSET in the delta and DETAIL, its first detail.

LENGTH: int32 that the state takes. FAULT NO_ROOM: there is no room for it. The rest as in `Applied` and the columns of
`snapshots`.
"""
RESULTS = 13
NO_ROOM = 10


class Scratch(NamedTuple):
    """Working memory of one thread; nothing in it outlives a call."""

    ints: NDArray[np.int32]
    offsets: NDArray[np.int32]
    """Where each int begins in the delta."""
    updates: NDArray[np.int32]
    """Shape (MAX_UPDATES, 3): key, index of the first value in `ints`, number of values."""
    items: NDArray[np.int32]
    """Shape (MAX_ITEMS + MAX_UPDATES, 4): key, index of the update that gave the values or -1, number of values, first
    value in the base or -1."""
    slots: NDArray[np.int64]
    """Shape (2, SLOTS, 3), open addressing: stamp, key, index. A slot with another stamp is free."""
    stamp: NDArray[np.int64]
    """Shape (1,): of the call."""


class TypeCounts(NamedTuple):
    """Items sent, by type; `counts` and `declared` hold something for the types in `types` alone."""

    counts: NDArray[np.int64]
    """Shape (MAX_TYPE + 1, 3): first packet, updates, values; no updates: not in `types`."""
    declared: NDArray[np.int32]
    """Shape (MAX_TYPE + 1, 5): 1 where the snapshot declares the type, else 0, and the UUID as four ints."""
    types: NDArray[np.int32]
    """In the order in which they came first."""
    used: NDArray[np.int64]
    """Shape (1,): how many of `types`."""


def make_type_counts() -> TypeCounts:
    """Nothing counted yet."""
    return TypeCounts(
        np.zeros((MAX_TYPE + 1, 3), dtype=np.int64),
        np.zeros((MAX_TYPE + 1, 5), dtype=np.int32),
        np.zeros(MAX_TYPE + 1, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
    )


def make_scratch() -> Scratch:
    """Working memory for one thread."""
    return Scratch(
        np.empty(MAX_INTS, dtype=np.int32),
        np.empty(MAX_INTS + 1, dtype=np.int32),
        np.empty((MAX_UPDATES, 3), dtype=np.int32),
        np.empty((MAX_ITEMS + MAX_UPDATES, 4), dtype=np.int32),
        np.zeros((2, SLOTS, 3), dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


@kernel
def signed(value: int) -> int:
    """`value` modulo 2^32, as a signed number."""
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


@kernel
def find_slot(slots: NDArray[np.int64], stamp: int, mask: int, key: int) -> int:
    """The slot that holds `key`, or the free one where it belongs. At most half of `mask + 1` slots are in use."""
    at = ((key * 0x9E3779B1) >> 12) & mask
    while slots[np.uint64(at), 0] == stamp and slots[np.uint64(at), 1] != key:
        at = (at + 1) & mask
    return at


@kernel
def rebuild(
    data: NDArray[np.uint8],
    start: int,
    stop: int,
    base: NDArray[np.int32],
    base_crc: int,
    sizes: NDArray[np.int32],
    scratch: Scratch,
    out: NDArray[np.int32],
    result: NDArray[np.int64],
) -> None:
    """The delta `data[start:stop]` on the state `base` makes the state `out`; MAX_STATE_INTS are room enough.

    `base` is the state alone, `base_crc` the sum of its values. `sizes`, shape (64,): the agreed number of ints of each
    type, or -1.
    """
    result[:] = 0
    count, cut, odd = unpack_all(data, start, stop, scratch.ints, scratch.offsets)
    if cut or scratch.offsets[count] != stop - start:
        return _fail(result, 1, scratch.offsets[count], count)
    if not _read_updates(count, stop - start, sizes, scratch, result):
        return None
    if odd:
        result[WARNINGS] |= NON_CANONICAL_VARINT
    _merge(base, base_crc, scratch, out, result, stop - start)
    return None


@kernel
def _fail(result: NDArray[np.int64], fault: int, offset: int, detail: int) -> None:
    result[FAULT] = fault
    result[OFFSET] = offset
    result[DETAIL] = detail


@kernel
def _read_updates(
    count: int, length: int, sizes: NDArray[np.int32], scratch: Scratch, result: NDArray[np.int64]
) -> bool:
    """Header, removed keys and the updates' places. False: a fault."""
    ints, offsets, updates = scratch.ints, scratch.offsets, scratch.updates
    if count < 3:
        _fail(result, 2, length, count)
        return False
    removed = int(ints[0])
    announced = int(ints[1])
    if removed < 0 or removed > count - 3:
        _fail(result, 3, 0, removed)
        return False
    index = 3 + removed
    for number in range(announced):
        first = index + 2
        if first > count:
            _fail(result, 4, offsets[index], number)
            return False
        type = int(ints[np.uint64(index)])
        id = int(ints[np.uint64(index + 1)])
        if type < 0 or type > MAX_TYPE:
            _fail(result, 5, offsets[index], number)
            return False
        if id < 0 or id > MAX_ID:
            _fail(result, 6, offsets[index + 1], number)
            return False
        size = int(sizes[np.uint64(type)]) if type < AGREED_TYPES else -1
        if size >= 0:
            if size > count - first:
                _fail(result, 4, offsets[first], number)
                return False
        else:
            if first >= count:
                _fail(result, 4, offsets[first], number)
                return False
            size = int(ints[np.uint64(first)])
            first += 1
            if size < 0 or size > count - first:
                _fail(result, 7, offsets[first - 1], number)
                return False
        updates[number, 0] = type << 16 | id
        updates[number, 1] = first
        updates[number, 2] = size
        index = first + size
    result[DELETED] = removed
    result[UPDATED] = max(announced, 0)
    if index < count:
        result[WARNINGS] |= SURPLUS_INTS
    if ints[2] != 0:
        result[WARNINGS] |= THIRD_INT_NOT_ZERO
    return True


@kernel
def _merge(
    base: NDArray[np.int32],
    base_crc: int,
    scratch: Scratch,
    out: NDArray[np.int32],
    result: NDArray[np.int64],
    length: int,
) -> None:
    """Step one: the base without the removed keys; step two: the updates, in the order of the wire."""
    items, updates = scratch.items, scratch.updates
    removed, announced = result[DELETED], result[UPDATED]
    scratch.stamp[0] += 1
    stamp = scratch.stamp[0]
    held = int(base[0])
    mask = 64
    while mask < 2 * (held + announced):
        mask *= 2
    mask -= 1
    table = scratch.slots[0]
    value = 1 + 2 * held
    for number in range(held):
        key = int(base[np.uint64(1 + number)])
        size = int(base[np.uint64(1 + held + number)])
        items[number, 0] = key
        items[number, 1] = -1
        items[number, 2] = size
        items[number, 3] = value
        value += size
        slot = find_slot(table, stamp, mask, key)
        table[slot, 0] = stamp
        table[slot, 1] = key
        table[slot, 2] = number
    if removed:
        _remove(scratch, stamp, mask, result)
    total = held
    for number in range(announced):
        key = int(updates[number, 0])
        size = int(updates[number, 2])
        slot = find_slot(table, stamp, mask, key)
        if table[slot, 0] != stamp:
            table[slot, 0] = stamp
            table[slot, 1] = key
            table[slot, 2] = total
            items[total, 0] = key
            items[total, 1] = number
            items[total, 2] = size
            items[total, 3] = -1
            total += 1
            continue
        item = table[slot, 2]
        if size != items[item, 2]:
            return _fail(result, 8, scratch.offsets[updates[number, 1]], key)
        if items[item, 1] >= 0:
            result[WARNINGS] |= DUPLICATE_KEY
        elif items[item, 1] == -2:
            # Removed and sent again: it stands behind the others, and its base values count all the same.
            for column in range(4):
                items[total, column] = items[item, column]
            table[slot, 2] = total
            item = total
            total += 1
        items[item, 1] = number
    _write(base, base_crc, held, total, scratch, out, result, length)
    return None


@kernel
def _remove(scratch: Scratch, stamp: int, mask: int, result: NDArray[np.int64]) -> None:
    """Mark the removed items of the base (-2 for an update), and note keys that are unknown or occur twice."""
    table, twice = scratch.slots[0], scratch.slots[1]
    removed = result[DELETED]
    own = 64
    while own < 2 * removed:
        own *= 2
    own -= 1
    for number in range(removed):
        key = int(scratch.ints[np.uint64(3 + number)])
        slot = find_slot(twice, stamp, own, key)
        if twice[slot, 0] == stamp:
            result[WARNINGS] |= DUPLICATE_KEY
            continue
        twice[slot, 0] = stamp
        twice[slot, 1] = key
        slot = find_slot(table, stamp, mask, key)
        if table[slot, 0] == stamp:
            scratch.items[table[slot, 2], 1] = -2
        else:
            result[WARNINGS] |= UNKNOWN_REMOVED_KEY


@kernel
def _write(
    base: NDArray[np.int32],
    base_crc: int,
    held: int,
    total: int,
    scratch: Scratch,
    out: NDArray[np.int32],
    result: NDArray[np.int64],
    length: int,
) -> None:
    """Put the items that are left into `out`, and count: first those of the base, then the others."""
    items = scratch.items
    kept, gone = _count_kept(held, scratch)
    left = kept + total - held
    values = len(base) - 1 - 2 * held - gone
    for item in range(held, total):
        values += int(items[item, 2])
    size = HEADER_BYTES + ITEM_BYTES * left + INT_BYTES * values
    if left > MAX_ITEMS or size > MAX_STATE_BYTES:
        return _fail(result, 9, length, left)
    if 1 + 2 * left + values > len(out):
        return _fail(result, NO_ROOM, length, left)
    out[0] = left
    place, value = 1, 1 + 2 * left
    crc = base_crc
    first = 0
    while first < held:
        # Runs of items that stay stand side by side in both states.
        if items[first, 1] == -2:
            crc -= _sum(base, items[first, 3], items[first, 2])
            first += 1
            continue
        last = first
        while kept < held and last < held and items[last, 1] != -2:
            last += 1
        if kept == held:
            last = held
        begin = int(items[first, 3])
        end = int(items[last, 3]) if last < held else len(base)
        _copy(base, 1 + first, out, place, last - first)
        _copy(base, 1 + held + first, out, place + left, last - first)
        _copy(base, begin, out, value, end - begin)
        for item in range(first, last):
            if items[item, 1] >= 0:
                crc += _change(item, value - begin, scratch, out, result)
        place += last - first
        value += end - begin
        first = last
    for item in range(held, total):
        out[np.uint64(place)] = items[item, 0]
        out[np.uint64(place + left)] = items[item, 2]
        place += 1
        crc += _add(base, item, value, scratch, out, result)
        value += int(items[item, 2])
    result[ITEMS] = left
    result[STATE_BYTES] = size
    result[CRC] = signed(crc)
    result[REMOVED] = held + result[ADDED] - left
    result[LENGTH] = value
    return None


@kernel
def _count_kept(held: int, scratch: Scratch) -> tuple[int, int]:
    """How many items of the base stay where they are, and how many values the others have."""
    kept, gone = 0, 0
    for item in range(held):
        if scratch.items[item, 1] == -2:
            gone += int(scratch.items[item, 2])
        else:
            kept += 1
    return kept, gone


@kernel
def _copy(source: NDArray[np.int32], at: int, out: NDArray[np.int32], place: int, count: int) -> None:
    for step in range(count):
        out[np.uint64(place + step)] = source[np.uint64(at + step)]


@kernel
def _sum(values: NDArray[np.int32], at: int, count: int) -> int:
    total = 0
    for step in range(count):
        total += int(values[np.uint64(at + step)])
    return total


@kernel
def _change(item: int, shift: int, scratch: Scratch, out: NDArray[np.int32], result: NDArray[np.int64]) -> int:
    """Add the differences that were sent to an item of the base, copied `shift` further; returns their sum."""
    items = scratch.items
    wire = int(scratch.updates[items[item, 1], 1])
    at = int(items[item, 3]) + shift
    differs = False
    total = 0
    for step in range(items[item, 2]):
        difference = int(scratch.ints[np.uint64(wire + step)])
        differs |= difference != 0
        out[np.uint64(at + step)] = signed(int(out[np.uint64(at + step)]) + difference)
        total += difference
    result[CHANGED] += differs
    return total


@kernel
def _add(
    base: NDArray[np.int32],
    item: int,
    value: int,
    scratch: Scratch,
    out: NDArray[np.int32],
    result: NDArray[np.int64],
) -> int:
    """Write an item that was sent and stands behind those of the base; returns the sum of its values.

    One that was removed and sent again counts from its values in the base.
    """
    items = scratch.items
    wire = int(scratch.updates[items[item, 1], 1])
    old = int(items[item, 3])
    differs = False
    total = 0
    for step in range(items[item, 2]):
        sent = int(scratch.ints[np.uint64(wire + step)])
        differs |= sent != 0
        new = sent if old < 0 else signed(int(base[np.uint64(old + step)]) + sent)
        out[np.uint64(value + step)] = new
        total += new
    result[ADDED] += old < 0
    result[CHANGED] += old >= 0 and differs
    return total


@kernel
def find_item(state: NDArray[np.int32], key: int) -> tuple[int, int]:
    """Where the values of an item begin in a state, and how many there are; -1 and 0 if it is not there."""
    count = int(state[0])
    value = 1 + 2 * count
    for item in range(count):
        size = int(state[np.uint64(1 + count + item)])
        if state[np.uint64(1 + item)] == key:
            return value, size
        value += size
    return -1, 0


@kernel
def find_own_info(state: NDArray[np.int32]) -> int:
    """Where the name of the receiving client stands in a state; -1 if it is not there.

    As `players.name_in_state`: the first PlayerInfo that says it is the local one counts.
    """
    count = int(state[0])
    value = 1 + 2 * count
    for item in range(count):
        key = int(state[1 + item])
        size = int(state[1 + count + item])
        if key >> 16 == PLAYER_INFO and size and state[value] == 1:
            info, ints = find_item(state, CLIENT_INFO << 16 | (key & 0xFFFF))
            return info if ints >= NAME_INTS else -1
        value += size
    return -1


@kernel
def count_types(
    state: NDArray[np.int32], updates: NDArray[np.int32], updated: int, packet: int, counts: TypeCounts
) -> bool:
    """Count the updates of the delta that made `state`.

    False, with nothing counted: the snapshot declares one of the types otherwise than those before it.
    """
    last = -1
    for number in range(updated):
        type = int(updates[number, 0]) >> 16
        if type != last and type >= FIRST_UUID_TYPE and not _declares(state, type, counts):
            return False
        last = type
    for number in range(updated):
        type = int(updates[number, 0]) >> 16
        if counts.counts[np.uint64(type), 1] == 0:
            counts.counts[np.uint64(type), 0] = packet
            counts.types[counts.used[0]] = type
            counts.used[0] += 1
        counts.counts[np.uint64(type), 1] += 1
        counts.counts[np.uint64(type), 2] += int(updates[number, 2])
    return True


@kernel
def _declares(state: NDArray[np.int32], type: int, counts: TypeCounts) -> bool:
    """Does the snapshot declare the type as it was counted before? Notes the declaration of one not counted yet."""
    value, size = find_item(state, type)
    own = counts.declared[type]
    known = size >= 4
    if counts.counts[np.uint64(type), 1] == 0:
        own[0] = known
        for step in range(4):
            own[1 + step] = state[value + step] if known else 0
        return True
    if own[0] != known:
        return False
    if known:
        for step in range(4):
            if own[1 + step] != state[value + step]:
                return False
    return True
