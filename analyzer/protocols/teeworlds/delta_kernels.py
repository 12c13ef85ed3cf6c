"""Makes a snapshot from its base and the packed delta, compiled: the bulk reading of delta.py. Spec sections 9, 10, 13.

A state is a run of int32: number of items; all keys; all sizes; all values: what `pack_state` packs. Every index that
depends on the delta is checked here; results and faults are those of `read_delta` and `apply`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.protocols.teeworlds.delta import (
    AGREED_TYPES,
    DUPLICATE_KEY,
    MAX_ID,
    MAX_ITEMS,
    MAX_STATE_BYTES,
    MAX_TYPE,
    NON_CANONICAL_VARINT,
    SURPLUS_INTS,
    THIRD_INT_NOT_ZERO,
    UNKNOWN_REMOVED_KEY,
)
from analyzer.protocols.teeworlds.delta_columns import (
    ADDED,
    CHANGED,
    COUNT,
    CRC,
    DELETED,
    DETAIL,
    FAULT,
    FIRST,
    GONE,
    HINTS,
    ITEM,
    ITEMS,
    KEY,
    LENGTH,
    MAX_UPDATES,
    MOVED,
    NO_ROOM,
    OFFSET,
    REMOVED,
    STATE_BYTES,
    STAYS,
    UPDATED,
    WARNINGS,
    Scratch,
)
from analyzer.protocols.teeworlds.state import HEADER_BYTES, INT_BYTES, ITEM_BYTES
from analyzer.wire.kernels import offset_of, unpack_all


@kernel
def signed(value: int) -> int:
    """`value` modulo 2^32, as a signed number."""
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


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
    count, end, odd = unpack_all(data, start, stop, scratch.ints)
    if end != stop:
        _fail(result, 1, count, count)
    elif _read_header(base, count, scratch, result):
        if odd:
            result[WARNINGS] |= NON_CANONICAL_VARINT
        kept, gone = _remove(base, scratch, result)
        others = _read_updates(base, count, sizes, scratch, result)
        if result[FAULT] == 0:
            values = len(base) - 1 - 2 * int(base[0]) - gone
            fault = _make(base, base_crc, kept, others, values, scratch, out, result)
            if fault:
                _fail(result, fault, count, result[ITEMS])
    if result[FAULT]:
        result[OFFSET] = offset_of(data, start, result[OFFSET])


@kernel
def _fail(result: NDArray[np.int64], fault: int, index: int, detail: int) -> int:
    """OFFSET is the index of an int until the end. Returns 0."""
    result[FAULT] = fault
    result[OFFSET] = index
    result[DETAIL] = detail
    return 0


@kernel
def _read_header(base: NDArray[np.int32], count: int, scratch: Scratch, result: NDArray[np.int64]) -> bool:
    """The three counts and the removed keys. False: a fault."""
    ints = scratch.ints
    if count < 3:
        _fail(result, 2, count, count)
        return False
    removed = int(ints[0])
    if removed < 0 or removed > count - 3:
        _fail(result, 3, 0, removed)
        return False
    result[DELETED] = removed
    result[UPDATED] = max(int(ints[1]), 0)
    if ints[2] != 0:
        result[WARNINGS] |= THIRD_INT_NOT_ZERO
    marks = scratch.marks[: int(base[0])]
    for item in range(len(marks)):
        marks[item] = STAYS
    return True


@kernel
def _read_updates(
    base: NDArray[np.int32], count: int, sizes: NDArray[np.int32], scratch: Scratch, result: NDArray[np.int64]
) -> int:
    """Find the places and the item of each update. Returns how many items stand behind those of the base."""
    ints, updates = scratch.ints, scratch.updates
    scratch.stamp[0] += 1
    others = 0
    index = 3 + result[DELETED]
    for number in range(result[UPDATED]):
        first = index + 2
        if first > count:
            return _fail(result, 4, index, number)
        type = int(ints[np.uint64(index)])
        id = int(ints[np.uint64(index + 1)])
        if type < 0 or type > MAX_TYPE:
            return _fail(result, 5, index, number)
        if id < 0 or id > MAX_ID:
            return _fail(result, 6, index + 1, number)
        size = int(sizes[np.uint64(type)]) if type < AGREED_TYPES else -1
        if size >= 0:
            if size > count - first:
                return _fail(result, 4, first, number)
        else:
            if first >= count:
                return _fail(result, 4, first, number)
            size = int(ints[np.uint64(first)])
            first += 1
            if size < 0 or size > count - first:
                return _fail(result, 7, first - 1, number)
        updates[np.uint64(number), KEY] = type << 16 | id
        updates[np.uint64(number), FIRST] = first
        updates[np.uint64(number), COUNT] = size
        others = _match(base, number, others, scratch, result)
        index = first + size
    if index < count:
        result[WARNINGS] |= SURPLUS_INTS
    return others


@kernel
def _make(
    base: NDArray[np.int32],
    base_crc: int,
    kept: int,
    others: int,
    values: int,
    scratch: Scratch,
    out: NDArray[np.int32],
    result: NDArray[np.int64],
) -> int:
    """Make the state of which so many items are those of the base, with so many values, and so many stand behind them.

    Returns the fault, if there is one.
    """
    left = kept + others
    for other in range(others):
        values += int(scratch.updates[scratch.others[other, 0], COUNT])
    size = HEADER_BYTES + ITEM_BYTES * left + INT_BYTES * values
    result[ITEMS] = left
    if left > MAX_ITEMS or size > MAX_STATE_BYTES:
        return 9
    result[STATE_BYTES] = size
    result[LENGTH] = 1 + 2 * left + values
    if result[LENGTH] > len(out):
        return NO_ROOM
    result[CRC] = signed(base_crc + _write(base, kept, others, scratch, out, result))
    result[REMOVED] = int(base[0]) + result[ADDED] - left
    return 0


@kernel
def find_key(base: NDArray[np.int32], key: int, hints: NDArray[np.int16]) -> int:
    """The item of a state that has a key, or -1."""
    held = int(base[0])
    hint = np.uint64(((key * 0x9E3779B1) >> 20) & (HINTS - 1))
    item = int(hints[hint])
    if item < held and base[np.uint64(1 + item)] == key:
        return item
    keys = base[1 : 1 + held]
    item = -1
    # On to the last of them, as several are compared at a time then.
    for number in range(len(keys)):
        if keys[number] == key:
            item = number
    if item >= 0:
        hints[hint] = item
    return item


@kernel
def _find_slot(scratch: Scratch, mask: int, key: int) -> int:
    """The slot that holds `key`, or the free one where it belongs. At most half of `mask + 1` slots are in use."""
    slots, stamp = scratch.slots, scratch.stamp[0]
    # Of the lower 32 bits of the product, the highest: they depend on all bits of the key.
    at = ((key * int(scratch.factor[0])) & 0xFFFFFFFF) * (mask + 1) >> 32
    while slots[np.uint64(at), 0] == stamp and slots[np.uint64(at), 1] != key:
        at = (at + 1) & mask
    return at


@kernel
def _mask_for(keys: int) -> int:
    mask = 64
    while mask < 2 * keys:
        mask *= 2
    return mask - 1


@kernel
def _remove(base: NDArray[np.int32], scratch: Scratch, result: NDArray[np.int64]) -> tuple[int, int]:
    """Mark the removed items of the base, and note keys that are unknown or occur twice.

    Returns how many items are left of the base, and how many values the others have.
    """
    slots, marks = scratch.slots, scratch.marks
    scratch.stamp[0] += 1
    stamp, mask = scratch.stamp[0], _mask_for(result[DELETED])
    held = int(base[0])
    kept, gone = held, 0
    for number in range(result[DELETED]):
        key = int(scratch.ints[np.uint64(3 + number)])
        item = find_key(base, key, scratch.hints)
        if item >= 0:
            if marks[item] == GONE:
                result[WARNINGS] |= DUPLICATE_KEY
                continue
            marks[item] = GONE
            kept -= 1
            gone += int(base[np.uint64(1 + held + item)])
            continue
        slot = _find_slot(scratch, mask, key)
        result[WARNINGS] |= DUPLICATE_KEY if slots[slot, 0] == stamp else UNKNOWN_REMOVED_KEY
        slots[slot, 0] = stamp
        slots[slot, 1] = key
    return kept, gone


@kernel
def _match(base: NDArray[np.int32], number: int, others: int, scratch: Scratch, result: NDArray[np.int64]) -> int:
    """Find the item of an update. Returns how many items stand behind those of the base with it.

    A size that is not that of the item is the fault, unless there is another in the delta, whatever comes first.
    """
    updates, marks = scratch.updates, scratch.marks
    key = int(updates[np.uint64(number), KEY])
    size = int(updates[np.uint64(number), COUNT])
    item = find_key(base, key, scratch.hints)
    known = int(base[np.uint64(1 + int(base[0]) + item)]) if item >= 0 else size
    if item >= 0 and marks[np.uint64(item)] >= STAYS:
        if marks[np.uint64(item)] != STAYS:
            result[WARNINGS] |= DUPLICATE_KEY
        marks[np.uint64(item)] = number
        updates[np.uint64(number), ITEM] = item
    else:
        updates[np.uint64(number), ITEM] = -1
        other = _find_other(key, others, scratch, result)
        if other < others:
            known = int(updates[scratch.others[other, 0], COUNT])
            result[WARNINGS] |= DUPLICATE_KEY
        else:
            others += 1
            scratch.others[other, 1] = item
            if item >= 0:
                marks[np.uint64(item)] = MOVED
        scratch.others[other, 0] = number
    if size != known and result[FAULT] == 0:
        _fail(result, 8, updates[np.uint64(number), FIRST], key)
    return others


@kernel
def _find_other(key: int, count: int, scratch: Scratch, result: NDArray[np.int64]) -> int:
    """The item with a key of those behind the base; `count`, which is its place from now on, if it is none yet."""
    slots, stamp = scratch.slots, scratch.stamp[0]
    slot = _find_slot(scratch, _mask_for(min(result[UPDATED], MAX_UPDATES)), key)
    if slots[slot, 0] != stamp:
        slots[slot, 0] = stamp
        slots[slot, 1] = key
        slots[slot, 2] = count
    return int(slots[slot, 2])


@kernel
def _write(
    base: NDArray[np.int32],
    kept: int,
    others: int,
    scratch: Scratch,
    out: NDArray[np.int32],
    result: NDArray[np.int64],
) -> int:
    """Put the items that are left into `out`, and count: first those of the base, then the others.

    Returns by how much the sum of the values differs from that of the base.
    """
    held = int(base[0])
    left = kept + others
    out[0] = left
    value, sum = 1 + 2 * left, 0
    if kept == held:
        _copy(base, 1, out, 1, held)
        _copy(base, 1 + held, out, 1 + left, held)
        _copy(base, 1 + 2 * held, out, value, len(base) - 1 - 2 * held)
    else:
        sum -= _copy_kept(base, left, scratch.marks, out)
    for item in range(held):
        scratch.places[np.uint64(item)] = value
        if scratch.marks[np.uint64(item)] >= STAYS:
            value += int(base[np.uint64(1 + held + item)])
    for number in range(result[UPDATED]):
        item = int(scratch.updates[np.uint64(number), ITEM])
        if item >= 0 and scratch.marks[np.uint64(item)] == number:
            sum += _change(number, scratch.places[np.uint64(item)], scratch, out, result)
    for other in range(others):
        update = scratch.others[other, 0]
        size = int(scratch.updates[update, COUNT])
        out[np.uint64(1 + kept + other)] = scratch.updates[update, KEY]
        out[np.uint64(1 + left + kept + other)] = size
        sum += _add(base, other, value, scratch, out, result)
        value += size
    return sum


@kernel
def _copy(source: NDArray[np.int32], at: int, out: NDArray[np.int32], place: int, count: int) -> None:
    for step in range(count):
        out[np.uint64(place + step)] = source[np.uint64(at + step)]


@kernel
def _copy_kept(base: NDArray[np.int32], left: int, marks: NDArray[np.int32], out: NDArray[np.int32]) -> int:
    """Copy the items of the base that are not removed, several at a time; returns the sum of the others' values."""
    held = int(base[0])
    place, value, begin = 1, 1 + 2 * left, 1 + 2 * held
    sum, first = 0, 0
    while first < held:
        last, end = first, begin
        while last < held and marks[np.uint64(last)] >= STAYS:
            end += int(base[np.uint64(1 + held + last)])
            last += 1
        _copy(base, 1 + first, out, place, last - first)
        _copy(base, 1 + held + first, out, place + left, last - first)
        _copy(base, begin, out, value, end - begin)
        place += last - first
        value += end - begin
        first, begin = last, end
        while first < held and marks[np.uint64(first)] < STAYS:
            for _ in range(base[np.uint64(1 + held + first)]):
                sum += int(base[np.uint64(begin)])
                begin += 1
            first += 1
    return sum


@kernel
def _change(number: int, place: int, scratch: Scratch, out: NDArray[np.int32], result: NDArray[np.int64]) -> int:
    """Add the differences of an update to the values at `place`, which are those of the base; returns their sum."""
    first, size = int(scratch.updates[np.uint64(number), FIRST]), int(scratch.updates[np.uint64(number), COUNT])
    differs = 0
    total = 0
    for step in range(size):
        difference = int(scratch.ints[np.uint64(first + step)])
        differs |= difference
        out[np.uint64(place + step)] = signed(int(out[np.uint64(place + step)]) + difference)
        total += difference
    result[CHANGED] += differs != 0
    return total


@kernel
def _add(
    base: NDArray[np.int32],
    other: int,
    value: int,
    scratch: Scratch,
    out: NDArray[np.int32],
    result: NDArray[np.int64],
) -> int:
    """Write the values of an item behind those of the base; returns their sum.

    One that was removed and sent again counts from its values in the base.
    """
    update, item = scratch.others[other, 0], int(scratch.others[other, 1])
    wire, size = int(scratch.updates[update, FIRST]), int(scratch.updates[update, COUNT])
    old = _place_in(base, item) if item >= 0 else -1
    differs = False
    total = 0
    for step in range(size):
        sent = int(scratch.ints[np.uint64(wire + step)])
        differs |= sent != 0
        new = sent if old < 0 else signed(int(base[np.uint64(old + step)]) + sent)
        out[np.uint64(value + step)] = new
        total += new
    result[ADDED] += old < 0
    result[CHANGED] += old >= 0 and differs
    return total


@kernel
def _place_in(state: NDArray[np.int32], item: int) -> int:
    """Where the values of an item begin in a state."""
    held = int(state[0])
    place = 1 + 2 * held
    for number in range(item):
        place += int(state[np.uint64(1 + held + number)])
    return place
