"""States: packing, sorting, and the digest that makes contents comparable."""

from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.state import (
    EMPTY,
    State,
    items_sha256,
    make_state,
    pack_state,
    signed,
    sorted_items,
    unpack_state,
)

INT32 = st.integers(-0x80000000, 0x7FFFFFFF)
KEYS = st.integers(0, 0x7FFFFFFF)
ITEMS = st.dictionaries(KEYS, st.lists(INT32, max_size=6).map(tuple), max_size=12)

# the first snapshot of a session of ddnet_tutorial_lossy_client_side, and the digest its oracle gives: wire types,
# the four extended ones not declared yet
CAPTURED = [
    [6, 0, [0, 0, 0, 0, 0, 0, 0, 1]],
    [9, 0, [360, 336, 2225, 0, 0, -402, 0, 2, -1, 0, 0, 336, 2225, 0, 0, 0, 10, 10, 0, 1, 5, 0]],
    [10, 0, [1, 0, 0, -9999, 0]],
    [
        11,
        0,
        [
            *(-287183387, -320474125, -1594563099, -2139062272, -2139062144, -2139062144, -2139062272, -1),
            *(-454695199, -169020288, -2139062144, -2139062144, -2139062144, -2139062272, 0, 65408, 65408),
        ],
    ],
    [32764, 0, [49153, 0, -1, 0, 0, 0, 0, 0, 0, -1]],
    [32765, 0, [1, 0]],
    [32766, 0, [1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
    [32767, 0, [247983155, 8, 64]],
]
CAPTURED_SHA256 = "3071deafbd8038f43e94787444d587522b9efe5d9ef287e40358a008d87b930d"
CAPTURED_CRC = 1784561154


def test_the_empty_snapshot() -> None:
    assert State({}, 0, 8) == EMPTY
    assert make_state({}) == EMPTY
    assert unpack_state(pack_state(EMPTY)) == EMPTY


def test_signed_wraps_modulo_32_bits() -> None:
    assert [signed(value) for value in (0, 0x7FFFFFFF, 0x80000000, -0x80000001, 1 << 32)] == [
        0,
        0x7FFFFFFF,
        -0x80000000,
        0x7FFFFFFF,
        0,
    ]


def test_size_counts_8_and_8_an_item_and_4_an_int() -> None:
    assert make_state({1: (5, -7), 2: ()}) == State({1: (5, -7), 2: ()}, -2, 8 + 2 * 8 + 2 * 4)


def test_crc_is_a_wrapping_sum() -> None:
    assert make_state({1: (0x7FFFFFFF,), 2: (1,)}).crc == -0x80000000


def test_items_are_sorted_by_type_and_id() -> None:
    state = make_state({4 << 16 | 3: (1,), 2 << 16 | 0xFFFF: (2, 3), 4 << 16 | 1: ()})
    assert sorted_items(state) == [[2, 0xFFFF, [2, 3]], [4, 1, []], [4, 3, [1]]]


def test_digest_of_a_captured_snapshot() -> None:
    state = make_state({kind << 16 | number: tuple(values) for kind, number, values in reversed(CAPTURED)})
    assert sorted_items(state) == CAPTURED
    assert state.crc == CAPTURED_CRC
    assert items_sha256(state) == CAPTURED_SHA256


def test_packed_form() -> None:
    state = make_state({7: (-1, 2), 5: ()})
    #                                   count    keys             sizes            values
    assert pack_state(state).hex(" ", -4) == "02000000 07000000 05000000 02000000 00000000 ffffffff 02000000"


@given(ITEMS)
def test_what_is_packed_comes_back_in_order(items: dict[int, tuple[int, ...]]) -> None:
    state = make_state(items)
    again = unpack_state(pack_state(state))
    assert again == state
    assert list(again.items) == list(items)


@given(ITEMS)
def test_the_digest_does_not_see_the_order(items: dict[int, tuple[int, ...]]) -> None:
    backwards = dict(reversed(items.items()))
    assert items_sha256(make_state(items)) == items_sha256(make_state(backwards))
