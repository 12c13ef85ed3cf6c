"""Looks for items in a state, and counts those that were sent, compiled. Spec sections 9, 12 and 13.

A state is a run of int32: see state_kernels.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.protocols.teeworlds.delta import MAX_TYPE
from analyzer.protocols.teeworlds.players import CLIENT_INFO, NAME_INTS, PLAYER_INFO
from analyzer.protocols.teeworlds.schema_tables import FIRST_UUID_TYPE


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
def take_items(
    states: NDArray[np.int32],
    ends: NDArray[np.int64],
    kinds: NDArray[np.int32],
    places: NDArray[np.int64],
    values: NDArray[np.int32],
) -> tuple[int, int]:
    """The items of one type in states that lie one behind the other, as far as there is room for them.

    `ends`, shape (n,), says where each state ends. `kinds`, shape (k, 5), is what the type may be: its number, or -1
    and the four ints of the UUID that the state declares. Into `places`, shape (m, 3): number of the state, id, ints;
    into `values`, shape (m, w): the first ints, with 0 behind them. Returns how many items there are, and the most
    ints that one has.
    """
    found, widest, start = 0, 0, 0
    for number in range(len(ends)):
        state = states[start : ends[number]]
        start = ends[number]
        count = int(state[0])
        value = 1 + 2 * count
        last, matches = -1, False
        for item in range(count):
            key, size = int(state[np.uint64(1 + item)]), int(state[np.uint64(1 + count + item)])
            if key >> 16 != last:
                last = key >> 16
                matches = _is_of(state, last, kinds)
            if matches:
                if found < len(places):
                    places[found, 0], places[found, 1], places[found, 2] = number, key & 0xFFFF, size
                    for step in range(values.shape[1]):
                        values[found, step] = state[np.uint64(value + step)] if step < size else 0
                found += 1
                widest = max(widest, size)
            value += size
    return found, widest


@kernel
def _is_of(state: NDArray[np.int32], type: int, kinds: NDArray[np.int32]) -> bool:
    """Is a type of this state one of `kinds`?"""
    for kind in range(len(kinds)):
        if kinds[kind, 0] >= 0:
            if kinds[kind, 0] == type:
                return True
        elif type >= FIRST_UUID_TYPE:
            value, size = find_item(state, type)
            if size >= 4:
                same = True
                for step in range(4):
                    same = same and kinds[kind, 1 + step] == state[value + step]
                if same:
                    return True
    return False


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
