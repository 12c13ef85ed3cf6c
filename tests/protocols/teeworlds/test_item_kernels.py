"""Compiled looking for items in a state against the plain ways, and what is counted of those that were sent."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from analyzer.protocols.teeworlds.item_kernels import count_types, find_item, find_own_info, make_type_counts
from analyzer.protocols.teeworlds.players import CLIENT_INFO, NAME_INTS, PLAYER_INFO, name_in_state, name_of
from analyzer.protocols.teeworlds.state import make_state, pack_state

KEYS = st.builds(
    lambda type, id: type << 16 | id, st.sampled_from([0, PLAYER_INFO, CLIENT_INFO, 70]), st.integers(0, 3)
)
ITEMS = st.dictionaries(KEYS, st.lists(st.integers(0, 2), max_size=6).map(tuple), max_size=12)
UUID_TYPE = 0x4001


def packed(items: dict[int, tuple[int, ...]]) -> NDArray[np.int32]:
    return np.frombuffer(pack_state(make_state(items)), dtype=np.int32)


@given(ITEMS, KEYS)
def test_an_item_is_where_it_was_packed(items: dict[int, tuple[int, ...]], key: int) -> None:
    state = packed(items)
    at, size = find_item(state, key)
    assert (at >= 0) == (key in items)
    assert tuple(state[at : at + size].tolist()) == items.get(key, ())


@given(ITEMS)
def test_the_own_name_is_that_of_plain_reading(items: dict[int, tuple[int, ...]]) -> None:
    state = packed(items)
    at = find_own_info(state)
    assert (name_of(state[at : at + NAME_INTS].tolist()) if at >= 0 else "") == name_in_state(make_state(items))


def test_types_are_counted_in_the_order_in_which_they_came() -> None:
    counts = make_type_counts()
    updates = np.array([[70 << 16, 0, 2, 0], [3 << 16 | 1, 0, 1, 0], [70 << 16 | 1, 0, 0, 0]], dtype=np.int32)
    assert count_types(packed({}), updates, len(updates), 9, counts)
    assert counts.types[: counts.used[0]].tolist() == [70, 3]
    assert counts.counts[[70, 3]].tolist() == [[9, 2, 2], [9, 1, 1]]


def test_another_declaration_of_a_type_is_not_counted() -> None:
    counts = make_type_counts()
    updates = np.array([[UUID_TYPE << 16, 0, 1, 0]], dtype=np.int32)
    assert count_types(packed({UUID_TYPE: (1, 2, 3, 4)}), updates, 1, 9, counts)
    assert count_types(packed({UUID_TYPE: (1, 2, 3, 4)}), updates, 1, 10, counts)
    assert not count_types(packed({UUID_TYPE: (1, 2, 3, 5)}), updates, 1, 11, counts)
    assert not count_types(packed({}), updates, 1, 12, counts)
    assert counts.counts[UUID_TYPE].tolist() == [9, 2, 2]
