"""Makes a snapshot from its base and the packed delta, compiled: the bulk reading of delta.py. Spec sections 9, 10, 13.

States are runs of int32, see state_kernels.py. Every index that depends on the delta is checked here; results and
faults are those of `read_delta` and `apply`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.protocols.teeworlds.delta import (
    AGREED_TYPES,
    DUPLICATE_KEY,
    MAX_ID,
    MAX_TYPE,
    NON_CANONICAL_VARINT,
    SURPLUS_INTS,
    THIRD_INT_NOT_ZERO,
    UNKNOWN_REMOVED_KEY,
)
from analyzer.protocols.teeworlds.delta_columns import (
    COUNT,
    DELETED,
    DETAIL,
    FAULT,
    FIRST,
    GONE,
    HINTS,
    ITEM,
    ITEMS,
    KEY,
    MAX_UPDATES,
    MOVED,
    OFFSET,
    STAYS,
    UPDATED,
    WARNINGS,
    Scratch,
)
from analyzer.protocols.teeworlds.state_kernels import make
from analyzer.wire.kernels import offset_of, unpack_all


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
            fault = make(base, base_crc, kept, others, values, scratch, out, result)
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
