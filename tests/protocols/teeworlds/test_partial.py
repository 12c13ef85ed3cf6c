"""Partial states: every rule of spec section 17.6, and that nothing is claimed which is not so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.delta import MAX_ITEMS, Delta, apply, read_delta
from analyzer.protocols.teeworlds.partial import (
    MAX_ABSENT,
    UNKNOWN,
    Followed,
    PartialState,
    follow,
    pack_partial,
    unpack_partial,
)
from analyzer.protocols.teeworlds.schema import default_schema
from analyzer.protocols.teeworlds.state import make_state
from analyzer.wire.errors import DecodeError
from tests.encoder import Items, crc, delta, key, pack_varints

SIZES = default_schema().sizes
FLAG, NO_SIZE = 5, 70
ONE, TWO, THREE = key(FLAG, 1), key(FLAG, 2), key(NO_SIZE, 3)
DECLARATION = key(0, 0x7FFF)


def read(*ints: int) -> Delta:
    return read_delta(pack_varints(ints), SIZES)


def update(item: int, *values: int) -> list[int]:
    size = [] if SIZES[item >> 16 if item >> 16 < 64 else 0] >= 0 else [len(values)]
    return [item >> 16, item & 0xFFFF, *size, *values]


def after(base: PartialState, removed: list[int], *updates: list[int]) -> Followed:
    return follow(base, read(len(removed), len(updates), 0, *removed, *(value for one in updates for value in one)))


def partial(
    known: dict[int, tuple[int, ...]] | None = None, unknown: dict[int, int] | None = None, absent: tuple[int, ...] = ()
) -> PartialState:
    return PartialState(known or {}, unknown or {}, dict.fromkeys(absent))


class TestRules:
    def test_a_removed_key_becomes_absent(self) -> None:
        base = partial({ONE: (1, 2, 3)}, {TWO: 3})
        assert after(base, [ONE, TWO, THREE]).state == partial(absent=(ONE, TWO, THREE))

    def test_an_update_of_an_absent_key_is_a_new_item(self) -> None:
        made = after(partial(absent=(ONE,)), [], update(ONE, 4, 5, 6))
        assert made.state == partial({ONE: (4, 5, 6)})
        assert (made.added, made.changed, made.removed, made.told) == (1, 0, 0, {ONE})

    def test_an_update_of_a_known_item_stays_known(self) -> None:
        made = after(partial({ONE: (1, 0x7FFFFFFF, 3)}), [], update(ONE, 4, 1, 0))
        assert made.state == partial({ONE: (5, -0x80000000, 3)})
        assert (made.added, made.changed) == (0, 1)

    def test_an_update_of_an_unknown_key_tells_that_the_item_is_there(self) -> None:
        made = after(UNKNOWN, [], update(ONE, 4, 5, 6), update(THREE, 7, 8))
        assert made.state == partial(unknown={ONE: 3, THREE: 2})
        assert not made.told

    def test_what_is_not_sent_stays_as_it_was(self) -> None:
        base = partial({ONE: (1, 2, 3)}, {TWO: 3}, (THREE,))
        assert after(base, []).state == base

    def test_a_key_removed_and_sent_takes_the_base_value_where_it_is_known(self) -> None:
        assert after(partial({ONE: (1, 2, 3)}), [ONE], update(ONE, 1, 1, 1)).state == partial({ONE: (2, 3, 4)})
        assert after(UNKNOWN, [ONE], update(ONE, 1, 1, 1)).state == partial(unknown={ONE: 3})
        assert after(partial(absent=(ONE,)), [ONE], update(ONE, 1, 1, 1)).state == partial({ONE: (1, 1, 1)})

    def test_of_two_updates_the_later_one_wins(self) -> None:
        twice = update(ONE, 1, 1, 1), update(ONE, 2, 2, 2)
        assert after(partial({ONE: (1, 2, 3)}), [], *twice).state == partial({ONE: (3, 4, 5)})
        assert after(partial(absent=(ONE,)), [], *twice).state == partial({ONE: (2, 2, 2)})

    def test_a_declaration_is_exact_where_it_is_sent(self) -> None:
        """It never changes, so it is new (spec section 17.6); libtw2 repeats one with zeros."""
        uuid = (1, -2, 3, 4)
        assert after(UNKNOWN, [], update(DECLARATION, *uuid)).state == partial({DECLARATION: uuid})
        repeated = after(UNKNOWN, [], update(DECLARATION, 0, 0, 0, 0)).state
        assert repeated == partial(unknown={DECLARATION: 4})
        assert after(repeated, [], update(DECLARATION, *uuid)).state == repeated
        short = key(0, 0x4000)
        assert after(UNKNOWN, [], update(short, 1, 2, 3)).state == partial(unknown={short: 3})


class TestContradictions:
    @pytest.mark.parametrize("base", [partial({THREE: (1, 2)}), partial(unknown={THREE: 2})], ids=["known", "there"])
    def test_another_size(self, base: PartialState) -> None:
        with pytest.raises(DecodeError, match="2"):
            after(base, [], update(THREE, 1, 2, 3))

    def test_two_sizes_in_one_delta(self) -> None:
        with pytest.raises(DecodeError) as caught:
            after(partial(absent=(THREE,)), [], update(THREE, 1, 2), update(THREE, 1))
        assert caught.value.code == "D8"

    def test_too_many_items(self) -> None:
        base = partial(unknown={key(NO_SIZE, number): 0 for number in range(MAX_ITEMS)})
        assert after(base, [key(NO_SIZE, 0)], update(ONE, 1, 2, 3)).state.entries == MAX_ITEMS + 1
        with pytest.raises(DecodeError) as caught:
            after(base, [], update(ONE, 1, 2, 3))
        assert caught.value.code == "D9"


def test_what_has_been_absent_longest_is_forgotten() -> None:
    keys = [key(NO_SIZE, number) for number in range(MAX_ABSENT)]
    state = after(after(UNKNOWN, keys).state, [ONE, keys[1]]).state
    assert len(state.absent) == MAX_ABSENT
    assert keys[0] not in state.absent
    assert keys[1] in state.absent
    assert after(state, [], update(keys[0], 1)).state.unknown == {keys[0]: 1}


class TestProof:
    def test_all_known_and_the_sum_is_right(self) -> None:
        assert partial({ONE: (1, 2, 3)}, absent=(TWO,)).is_proved_by(6)
        assert partial({ONE: (0x7FFFFFFF, 1, 0)}).is_proved_by(-0x80000000)

    @pytest.mark.parametrize(
        ("state", "checksum"),
        [
            (partial({ONE: (1, 2, 3)}), 7),
            (partial({ONE: (1, 2, 3)}, {TWO: 3}), 6),
            (UNKNOWN, 0),
            (partial({ONE: (0, 0, 0)}), 0),
        ],
        ids=["something is unseen", "something has no values", "nothing is known", "zero proves nothing"],
    )
    def test_anything_else_proves_nothing(self, state: PartialState, checksum: int) -> None:
        assert not state.is_proved_by(checksum)


KEYS = st.sampled_from([ONE, TWO, THREE, key(FLAG, 4), key(0, 0x7FFE), key(NO_SIZE, 9)])
INTS = st.integers(-0x80000000, 0x7FFFFFFF)


def items_of(keys: frozenset[int], data: st.DataObject) -> Items:
    def size(item: int) -> int:
        return 4 if item >> 16 == 0 else 3 if item >> 16 == FLAG else 2

    # a declaration never changes
    return {
        item: (7, 7, 7, 7)
        if item >> 16 == 0
        else tuple(data.draw(st.lists(INTS, min_size=size(item), max_size=size(item))))
        for item in sorted(keys)
    }


@given(st.lists(st.frozensets(KEYS), min_size=2, max_size=8), st.data())
def test_what_is_claimed_is_so(snapshots: list[frozenset[int]], data: st.DataObject) -> None:
    """Whatever a server sends from an unknown beginning; and what becomes known follows as apply() has it."""
    base: Items = items_of(snapshots[0], data)
    state = UNKNOWN
    for keys in snapshots[1:]:
        new = items_of(keys, data)
        sent = read_delta(pack_varints(delta(base, new, SIZES)), SIZES)
        made = follow(state, sent)
        exact = apply(make_state({item: tuple(values) for item, values in base.items()}), sent)
        assert dict(exact.state.items) == new
        state, base = made.state, new
        assert all(new[item] == values for item, values in state.known.items())
        assert all(len(new[item]) == size for item, size in state.unknown.items())
        assert not state.absent.keys() & new.keys()
        if len(state.known) == len(new) and any(map(any, new.values())) and crc(new):
            assert state.is_proved_by(crc(new))
        assert unpack_partial(pack_partial(state)) == state
        assert list(unpack_partial(pack_partial(state)).absent) == list(state.absent)


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_any_bytes(first: bytes, second: bytes) -> None:
    """Never another exception, and bounded."""
    state = UNKNOWN
    for data in (first, second):
        try:
            state = follow(state, read_delta(data, SIZES)).state
        except DecodeError:
            continue
        assert state.entries <= MAX_ITEMS + MAX_ABSENT
        assert not state.known.keys() & state.unknown.keys()
        assert not (state.known.keys() | state.unknown.keys()) & state.absent.keys()
        assert unpack_partial(pack_partial(state)) == state
