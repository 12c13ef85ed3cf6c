"""Deltas: the rules of spec section 9, the bounds of 19 as codes D1 to D9, and the vectors of 22."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.delta import (
    DUPLICATE_KEY,
    MAX_INTS,
    NON_CANONICAL_VARINT,
    SURPLUS_INTS,
    THIRD_INT_NOT_ZERO,
    UNKNOWN_REMOVED_KEY,
    WARNINGS,
    Applied,
    apply,
    read_delta,
)
from analyzer.protocols.teeworlds.state import EMPTY, State, make_state, signed
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Reader
from tests import encoder
from tests.encoder import key, pack_varints

# spec section 10, 0.6 and DDNet
AGREED = (-1, 10, 6, 5, 4, 3, 8, 4, 15, 22, 5, 17, 3, 2, 2, 2, 2, 3, 3, 3, 3)
SIZES = AGREED + (-1,) * (64 - len(AGREED))

PICKUP, FLAG, GAME_INFO, PLAYER_INFO, EXTENDED = 4, 5, 6, 10, 0x7FFF
NO_SIZE = 30
"""A type without agreed size."""


def delta_of(base: State, *ints: int) -> Applied:
    return apply(base, read_delta(pack_varints(ints), SIZES))


def state_of(items: dict[tuple[int, int], tuple[int, ...]]) -> State:
    return make_state({key(*name): values for name, values in items.items()})


def fault_of(*ints: int, base: State = EMPTY) -> tuple[str, int, tuple[int, ...]]:
    with pytest.raises(DecodeError) as caught:
        delta_of(base, *ints)
    return caught.value.code, caught.value.offset, caught.value.details


BASE = state_of({(PICKUP, 1): (10, 20, 30, 40), (FLAG, 0): (1, 2, 3), (NO_SIZE, 7): (5, 6)})


class TestVectors:
    """Spec section 22."""

    A = state_of(
        {
            (PICKUP, 3): (100, 200, 2, 3),
            (GAME_INFO, 0): (0, 0, 0, 0, 20, 0, 1, 1),
            (PLAYER_INFO, 0): (1, 0, 0, 2147483647, 20),
        }
    )
    A_INTS = (0, 3, 0, 4, 3, 100, 200, 2, 3, 6, 0, 0, 0, 0, 0, 20, 0, 1, 1, 10, 0, 1, 0, 0, 2147483647, 20)
    A_MESSAGE = "0fa401a501e4faffff0f200003000403a40188030203060000000000140001010a00010000bfffffff0f14"
    B = state_of(
        {
            (GAME_INFO, 0): (0, 0, 0, 0, 20, 0, 1, 1),
            (PLAYER_INFO, 0): (1, 0, 0, -2147483648, 20),
            (0, EXTENDED): (1993229659, -102024632, -1378361269, -1810037668),
            (EXTENDED, 0): (1, 0, 2, -1, 0, -1, -1, -1, 50, -60, -1),
        }
    )
    B_INTS = (
        *(1, 3, 0, 262147, 10, 0, 0, 0, 0, 1, 0, 0, 32767, 4, 1993229659, -102024632, -1378361269, -1810037668),
        *(32767, 0, 11, 1, 0, 2, -1, 0, -1, -1, -1, 50, -60, -1),
    )
    B_MESSAGE = (
        "0fa60102a991f3aa06350103008380200a00000000010000bfff03049b95f2ec0ef796a661f4fec0a20ae3ee97be0dbfff03000b0100"
        "024000404040327b40"
    )

    def test_crcs(self) -> None:
        assert (self.A.crc, self.B.crc) == (-2147483301, 850289769)

    @pytest.mark.parametrize(
        ("message", "header", "base", "ints", "new", "counts"),
        [
            (A_MESSAGE, (15, 100, 101, -2147483301, 32), EMPTY, A_INTS, A, (3, 0, 0)),
            (B_MESSAGE, (15, 102, 2, 850289769, 53), A, B_INTS, B, (2, 1, 1)),
        ],
    )
    def test_snapsingle(
        self,
        message: str,
        header: tuple[int, ...],
        base: State,
        ints: tuple[int, ...],
        new: State,
        counts: tuple[int, int, int],
    ) -> None:
        reader = Reader(bytes.fromhex(message))
        assert tuple(reader.varint(name) for name in ("id", "tick", "base", "crc", "length")) == header
        delta = read_delta(reader.rest("delta"), SIZES)
        assert tuple(delta.ints) == ints
        result = apply(base, delta)
        assert result == Applied(new, *counts, 0)
        assert list(result.state.items) == list(new.items)

    def test_the_encoder_writes_the_same_messages(self) -> None:
        assert encoder.delta({}, self.A.items, SIZES) == list(self.A_INTS)
        assert encoder.delta(self.A.items, self.B.items, SIZES) == list(self.B_INTS)
        assert [m.hex() for m in encoder.snapshot(100, -1, {}, self.A.items, SIZES)] == [self.A_MESSAGE]
        assert [m.hex() for m in encoder.snapshot(102, 100, self.A.items, self.B.items, SIZES)] == [self.B_MESSAGE]
        assert [m.hex() for m in encoder.snapshot(104, 102, self.B.items, self.B.items, SIZES)] == ["0da80102"]

    def test_input(self) -> None:
        reader = Reader(bytes.fromhex("21a601ab012801a4017100030001000000"))
        assert [reader.varint(name) for name in ("id", "ack", "intended", "size")] == [33, 102, 107, 40]
        assert [reader.varint("value") for _ in range(10)] == [1, 100, -50, 0, 3, 0, 1, 0, 0, 0]
        assert reader.left == 0

    def test_real_traffic(self) -> None:
        reader = Reader(bytes.fromhex("0f88150494bbb1b90b1b000100090000000000000000000000000000000003000000000000"))
        assert [reader.varint(name) for name in ("id", "tick", "base", "crc", "length")] == [
            15,
            1352,
            4,
            1536569044,
            27,
        ]
        delta = read_delta(reader.rest("delta"), SIZES)
        assert (delta.removed, delta.updates) == ([], [(key(9, 0), 5, 22)])
        assert delta.ints[5:] == [3 if index == 15 else 0 for index in range(22)]

    def test_slices(self) -> None:
        items = {key(PICKUP, i): (1000 * i, -777 * i, i % 4, 31 * i * i) for i in range(200)}
        messages = encoder.snapshot(1000, -1, {}, items, SIZES)
        assert [(len(message), hashlib.sha256(message).hexdigest()) for message in messages] == [
            (913, "228208e23acd3024689df070aff74c08c8e5be94c8f26a7e02de48bd83218a56"),
            (913, "9022fd801b8bf1fd766978e01e01f47ead5af64da3ae3ca5d8e09795cb00c61c"),
            (728, "13ecad5a1df8cfa89eb66220f26bfbe434db9ad858c4e593c7f806ab0058a8f1"),
        ]
        parts = []
        for number, message in enumerate(messages):
            reader = Reader(message)
            names = ("id", "tick", "base", "parts", "part", "crc", "length")
            assert [reader.varint(name) for name in names] == [11, 1000, 1001, 3, number, 86485700, reader.left]
            parts.append(reader.rest("part"))
        data = b"".join(parts)
        assert len(data) == 2515
        assert hashlib.sha256(data).hexdigest() == "230690e5a0574a48c21be2694bf9c2d970f9ee3ad3ba462bf9e3fe27abc3c5ba"
        result = apply(EMPTY, read_delta(data, SIZES))
        assert result == Applied(State(items, 86485700, 8 + 200 * 24), 200, 0, 0, 0)


class TestRules:
    """Spec section 9, one rule a test."""

    def test_nothing_at_all(self) -> None:
        assert delta_of(BASE, 0, 0, 0) == Applied(BASE, 0, 0, 0, 0)

    def test_items_not_removed_stay_in_base_order(self) -> None:
        result = delta_of(BASE, 1, 0, 0, key(FLAG, 0))
        assert result == Applied(state_of({(PICKUP, 1): (10, 20, 30, 40), (NO_SIZE, 7): (5, 6)}), 0, 0, 1, 0)
        assert list(result.state.items) == [key(PICKUP, 1), key(NO_SIZE, 7)]

    def test_removed_keys_the_base_does_not_have_are_ignored(self) -> None:
        assert delta_of(BASE, 2, 0, 0, key(FLAG, 1), -5) == Applied(BASE, 0, 0, 0, UNKNOWN_REMOVED_KEY)

    def test_a_key_removed_twice_is_removed_once(self) -> None:
        flag = key(FLAG, 0)
        result = delta_of(BASE, 2, 0, 0, flag, flag)
        assert (result.removed, result.warnings, flag in result.state.items) == (1, DUPLICATE_KEY, False)

    def test_new_items_are_taken_as_given_and_appended(self) -> None:
        result = delta_of(BASE, 0, 2, 0, FLAG, 9, 7, 8, 9, NO_SIZE, 1, 2, -1, -2)
        assert list(result.state.items.items())[3:] == [(key(FLAG, 9), (7, 8, 9)), (key(NO_SIZE, 1), (-1, -2))]
        assert (result.added, result.changed, result.removed) == (2, 0, 0)

    def test_known_items_add_the_differences_and_keep_their_place(self) -> None:
        result = delta_of(BASE, 0, 1, 0, PICKUP, 1, 1, 0, -5, 2)
        assert next(iter(result.state.items.items())) == (key(PICKUP, 1), (11, 20, 25, 42))
        assert (result.added, result.changed, result.removed) == (0, 1, 0)

    @pytest.mark.parametrize(
        ("old", "difference", "new"),
        [(2147483647, 1, -2147483648), (-2147483648, -1, 2147483647), (-2147483648, -2147483648, 0)],
    )
    def test_differences_wrap(self, old: int, difference: int, new: int) -> None:
        base = state_of({(FLAG, 0): (0, old, 5)})
        result = delta_of(base, 0, 1, 0, FLAG, 0, 0, difference, 0)
        assert result.state == state_of({(FLAG, 0): (0, new, 5)})

    def test_zero_differences_change_nothing(self) -> None:
        result = delta_of(BASE, 0, 1, 0, FLAG, 0, 0, 0, 0)
        assert result == Applied(BASE, 0, 0, 0, 0)
        assert result.state.items[key(FLAG, 0)] is BASE.items[key(FLAG, 0)]

    def test_a_removed_and_updated_item_adds_to_the_base_and_goes_to_the_end(self) -> None:
        result = delta_of(BASE, 1, 1, 0, key(PICKUP, 1), PICKUP, 1, 1, 1, 1, 1)
        assert list(result.state.items) == [key(FLAG, 0), key(NO_SIZE, 7), key(PICKUP, 1)]
        assert result.state.items[key(PICKUP, 1)] == (11, 21, 31, 41)
        assert (result.added, result.changed, result.removed) == (0, 1, 0)
        assert result.state == make_state(result.state.items)

    def test_the_later_of_two_updates_wins_and_both_start_from_the_base(self) -> None:
        result = delta_of(BASE, 0, 2, 0, FLAG, 0, 1, 1, 1, FLAG, 0, 0, 0, 5)
        assert result.state.items[key(FLAG, 0)] == (1, 2, 8)
        assert (result.changed, result.warnings) == (1, DUPLICATE_KEY)
        assert result.state == make_state(result.state.items)

    def test_of_two_new_items_of_a_key_the_later_wins(self) -> None:
        result = delta_of(EMPTY, 0, 2, 0, FLAG, 0, 1, 1, 1, FLAG, 0, 0, 0, 5)
        assert result == Applied(state_of({(FLAG, 0): (0, 0, 5)}), 1, 0, 0, DUPLICATE_KEY)

    def test_a_later_update_may_undo_an_earlier_one(self) -> None:
        result = delta_of(BASE, 0, 2, 0, FLAG, 0, 1, 1, 1, FLAG, 0, 0, 0, 0)
        assert result == Applied(BASE, 0, 0, 0, DUPLICATE_KEY)

    def test_ints_after_the_last_update_are_ignored(self) -> None:
        result = delta_of(EMPTY, 0, 1, 0, FLAG, 0, 1, 2, 3, 99)
        assert result == Applied(state_of({(FLAG, 0): (1, 2, 3)}), 1, 0, 0, SURPLUS_INTS)

    def test_a_negative_update_count_is_none(self) -> None:
        assert delta_of(BASE, 0, -1, 0) == Applied(BASE, 0, 0, 0, 0)
        assert delta_of(BASE, 0, -1, 0, FLAG).warnings == SURPLUS_INTS

    def test_the_third_int_is_ignored(self) -> None:
        assert delta_of(BASE, 0, 0, 8) == Applied(BASE, 0, 0, 0, THIRD_INT_NOT_ZERO)

    def test_longer_varints_are_read(self) -> None:
        delta = read_delta(bytes.fromhex("0001 00 05 8000 01 02 03".replace(" ", "")), SIZES)
        assert apply(EMPTY, delta) == Applied(state_of({(FLAG, 0): (1, 2, 3)}), 1, 0, 0, NON_CANONICAL_VARINT)

    def test_items_without_ints_are_kept(self) -> None:
        result = delta_of(EMPTY, 0, 1, 0, NO_SIZE, 3, 0)
        assert result.state == State({key(NO_SIZE, 3): ()}, 0, 16)
        assert delta_of(result.state, 0, 1, 0, NO_SIZE, 3, 0) == Applied(result.state, 0, 0, 0, 0)

    def test_the_base_stays_as_it_is(self) -> None:
        before = dict(BASE.items)
        delta_of(BASE, 1, 1, 0, key(FLAG, 0), PICKUP, 1, 1, 1, 1, 1)
        assert BASE.items == before

    def test_unchanged_values_are_shared(self) -> None:
        result = delta_of(BASE, 0, 1, 0, PICKUP, 1, 1, 1, 1, 1)
        assert result.state.items[key(FLAG, 0)] is BASE.items[key(FLAG, 0)]

    def test_types_from_64_up_carry_a_size(self) -> None:
        assert delta_of(EMPTY, 0, 1, 0, 64, 0, 1, 9).state == state_of({(64, 0): (9,)})
        assert delta_of(EMPTY, 0, 1, 0, 63, 0, 1, 9).state == state_of({(63, 0): (9,)})

    def test_sizes_are_those_given(self) -> None:
        sizes = tuple(2 if kind == 63 else -1 for kind in range(64))
        delta = read_delta(pack_varints((0, 1, 0, 63, 0, 8, 9)), sizes)
        assert delta.updates == [(key(63, 0), 5, 2)]

    def test_every_warning_has_a_text(self) -> None:
        assert all(WARNINGS.values())
        assert sum(WARNINGS) == 2 ** len(WARNINGS) - 1


class TestFaults:
    """Spec section 19: code, byte offset in the delta, details."""

    def test_d1_ends_inside_a_number(self) -> None:
        with pytest.raises(DecodeError) as caught:
            read_delta(b"\0\0\0\x05\x80", SIZES)
        assert (caught.value.code, caught.value.offset) == ("D1", 4)

    def test_d1_more_ints_than_a_client_takes(self) -> None:
        read_delta(bytes(MAX_INTS), SIZES)
        with pytest.raises(DecodeError) as caught:
            read_delta(bytes(MAX_INTS + 1), SIZES)
        assert (caught.value.code, caught.value.offset) == ("D1", MAX_INTS)

    @pytest.mark.parametrize("count", [0, 1, 2])
    def test_d2_header_missing(self, count: int) -> None:
        assert fault_of(*[0] * count) == ("D2", count, (count,))

    @pytest.mark.parametrize("removed", [-1, -0x80000000, 2, 0x7FFFFFFF])
    def test_d3_removed_count(self, removed: int) -> None:
        assert fault_of(removed, 0, 0, 1) == ("D3", 0, (removed, 1))

    @pytest.mark.parametrize(
        ("ints", "offset", "details"),
        [
            ((0, 1, 0), 3, (0,)),
            ((0, 1, 0, FLAG), 3, (0,)),
            ((0, 1, 0, FLAG, 64, 1, 2), 6, (0, 3, 2)),
            ((0, 2, 0, NO_SIZE, 0, 0, NO_SIZE, 1), 8, (1,)),
            ((0, 0x7FFFFFFF, 0, NO_SIZE, 0, 0), 10, (1,)),
            ((1, 1, 0, 5), 4, (0,)),
        ],
    )
    def test_d4_update_cut_off(self, ints: tuple[int, ...], offset: int, details: tuple[int, ...]) -> None:
        assert fault_of(*ints) == ("D4", offset, details)

    @pytest.mark.parametrize("kind", [-1, 0x8000, 0x7FFFFFFF, -0x80000000])
    def test_d5_type(self, kind: int) -> None:
        assert fault_of(0, 2, 0, NO_SIZE, 0, 0, kind, 0, 0) == ("D5", 6, (1, kind))

    @pytest.mark.parametrize("number", [-1, 0x10000, 0x7FFFFFFF])
    def test_d6_id(self, number: int) -> None:
        assert fault_of(0, 1, 0, FLAG, number, 0, 0, 0) == ("D6", 4, (0, number))

    def test_largest_type_and_id(self) -> None:
        assert list(delta_of(EMPTY, 0, 1, 0, 0x7FFF, 0xFFFF, 0).state.items) == [0x7FFFFFFF]

    @pytest.mark.parametrize("size", [-1, 3, 0x7FFFFFFF])
    def test_d7_size_on_the_wire(self, size: int) -> None:
        assert fault_of(0, 1, 0, NO_SIZE, 0, size, 1, 2) == ("D7", 5, (0, size, 2))

    def test_d8_size_differs_from_the_base(self) -> None:
        item = key(NO_SIZE, 7)
        assert fault_of(0, 1, 0, NO_SIZE, 7, 1, 9, base=BASE) == ("D8", 6, (item, 1, 2))
        assert fault_of(1, 1, 0, item, NO_SIZE, 7, 1, 9, base=BASE) == ("D8", 10, (item, 1, 2))

    def test_d8_size_differs_from_an_earlier_update(self) -> None:
        assert fault_of(0, 2, 0, NO_SIZE, 7, 1, 9, NO_SIZE, 7, 0) == ("D8", 10, (key(NO_SIZE, 7), 0, 1))

    def test_d9_items(self) -> None:
        updates = [number for item_id in range(1024) for number in (NO_SIZE, item_id, 0)]
        full = delta_of(EMPTY, 0, 1024, 0, *updates).state
        assert len(full.items) == 1024
        code, _, details = fault_of(0, 1, 0, FLAG, 0, 1, 2, 3, base=full)
        assert (code, details) == ("D9", (1025, full.size + 20))
        swapped = delta_of(full, 1, 1, 0, key(NO_SIZE, 0), FLAG, 0, 1, 2, 3)
        assert len(swapped.state.items) == 1024

    def test_d9_bytes(self) -> None:
        # 8 + 8 + 4 * 16380 = 65536
        full = delta_of(EMPTY, 0, 1, 0, NO_SIZE, 0, 16376, *[0] * 16376).state
        assert full.size == 65536 - 16
        assert delta_of(full, 0, 1, 0, NO_SIZE, 1, 2, 0, 0).state.size == 65536
        code, _, details = fault_of(0, 1, 0, NO_SIZE, 1, 3, 0, 0, 0, base=full)
        assert (code, details) == ("D9", (2, 65540))


INT32 = st.integers(-0x80000000, 0x7FFFFFFF)
SMALL = st.integers(-3, 40) | INT32


@st.composite
def contents(draw: st.DrawFn) -> dict[int, tuple[int, ...]]:
    """Items whose size follows from the key, as in a session where nobody changes a layout."""
    keys = draw(st.lists(st.tuples(st.sampled_from([0, 4, 5, 12, 30, 0x7FFE]), st.integers(0, 3)), max_size=10))
    items = {}
    for item_type, item_id in keys:
        size = AGREED[item_type] if 0 < item_type < len(AGREED) else item_id
        items[key(item_type, item_id)] = tuple(draw(st.lists(SMALL, min_size=size, max_size=size)))
    return items


@given(contents(), contents())
def test_a_delta_makes_the_new_snapshot_from_its_base(
    base: dict[int, tuple[int, ...]], new: dict[int, tuple[int, ...]]
) -> None:
    data = pack_varints(encoder.delta(base, new, SIZES))
    result = apply(make_state(base), read_delta(data, SIZES))
    assert result == Applied(
        make_state(new),
        len(new.keys() - base.keys()),
        sum(base[known] != new[known] for known in base.keys() & new.keys()),
        len(base.keys() - new.keys()),
        0,
    )


def reference(base: dict[int, tuple[int, ...]], ints: list[int]) -> dict[int, tuple[int, ...]]:
    """Spec section 9 word for word, for deltas without faults."""
    removed = ints[3 : 3 + ints[0]]
    new = {known: values for known, values in base.items() if known not in removed}
    at = 3 + ints[0]
    for _ in range(ints[1]):
        item_type, item_id = ints[at : at + 2]
        size = SIZES[item_type] if item_type < 64 else -1
        at += 2
        if size < 0:
            size = ints[at]
            at += 1
        known = key(item_type, item_id)
        given_values = ints[at : at + size]
        old = base.get(known, (0,) * size)
        new[known] = tuple(signed(a + b) for a, b in zip(old, given_values, strict=True))
        at += size
    return new


@given(contents(), contents(), contents(), st.data())
def test_keys_in_several_places_follow_the_rules(
    base: dict[int, tuple[int, ...]],
    first: dict[int, tuple[int, ...]],
    second: dict[int, tuple[int, ...]],
    data: st.DataObject,
) -> None:
    removed = data.draw(st.lists(st.sampled_from([*base, *first, 77]), max_size=5))
    updates = [number for items in (first, second) for known, values in items.items() for number in (known, values)]
    ints = [len(removed), len(first) + len(second), 0, *removed]
    for known, values in zip(updates[::2], updates[1::2], strict=True):
        ints += encoder.update(known, values, SIZES)
    result = apply(make_state(base), read_delta(pack_varints(ints), SIZES))
    new = reference(base, ints)
    assert list(result.state.items.items()) == list(new.items())
    # counting along the way gives what a full count gives
    assert result.state == make_state(new)
    assert result.added == len(new.keys() - base.keys())
    assert result.changed == sum(base[known] != new[known] for known in base.keys() & new.keys())
    assert result.removed == len(base.keys() - new.keys())


@given(st.lists(st.integers(-2, 8) | INT32, max_size=40), contents())
def test_any_ints_are_applied_or_refused(ints: list[int], base: dict[int, tuple[int, ...]]) -> None:
    check_any(pack_varints(ints), base)


@given(st.binary(max_size=80), contents())
def test_any_bytes_are_applied_or_refused(data: bytes, base: dict[int, tuple[int, ...]]) -> None:
    check_any(data, base)


def check_any(data: bytes, base: dict[int, tuple[int, ...]]) -> None:
    code, offset = "", 0
    try:
        result = apply(make_state(base), read_delta(data, SIZES))
    except DecodeError as error:
        code, offset = error.code, error.offset
    else:
        assert result.state == make_state(result.state.items)
    assert code in ("", *(f"D{number}" for number in range(1, 10)))
    assert 0 <= offset <= len(data)


def test_a_delta_cut_at_any_length_is_refused() -> None:
    data = pack_varints(TestVectors.B_INTS)
    for length in range(len(data)):
        with pytest.raises(DecodeError) as caught:
            read_delta(data[:length], SIZES)
        assert caught.value.code in ("D1", "D2", "D3", "D4", "D7")
