"""Writes the state that a base and the updates of a delta make, compiled: the bulk reading of `delta.apply`.

A state is a run of int32: number of items; all keys; all sizes; all values: what `pack_state` packs. Spec sections 9
and 13. What the delta says was checked by delta_kernels.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.protocols.teeworlds.delta import MAX_ITEMS, MAX_STATE_BYTES
from analyzer.protocols.teeworlds.delta_columns import (
    ADDED,
    CHANGED,
    COUNT,
    CRC,
    FIRST,
    ITEM,
    ITEMS,
    KEY,
    LENGTH,
    NO_ROOM,
    REMOVED,
    STATE_BYTES,
    STAYS,
    UPDATED,
    Scratch,
)
from analyzer.protocols.teeworlds.state import HEADER_BYTES, INT_BYTES, ITEM_BYTES


@kernel
def signed(value: int) -> int:
    """`value` modulo 2^32, as a signed number."""
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


@kernel
def make(
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
