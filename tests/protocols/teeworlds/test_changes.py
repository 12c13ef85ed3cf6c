"""The change tree of spec section 18: kinds, values, spans and costs."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.changes import byte_bits, changes
from analyzer.protocols.teeworlds.delta import read_delta
from analyzer.protocols.teeworlds.state import EMPTY, State, make_state
from analyzer.snapshots.model import Change, FieldChange, JoinedDelta, Part
from analyzer.transports.teeworlds_huffman import HUFFMAN
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Span
from tests.encoder import key, pack_varints

SIZES = tuple(3 if kind == 5 else -1 for kind in range(64))
FLAG, OTHER, EVENT = 5, 30, 31


class PlainNames:
    """Names that show which state they were asked with."""

    def item_name(self, type: int, state: State | None) -> str:
        return f"t{type}" if state is None else f"t{type} of {len(state.items)}"

    def field_names(self, type: int, size: int, state: State | None) -> Sequence[str]:
        return [f"f{index}" for index in range(size)]

    def is_event(self, type: int, state: State | None) -> bool:
        return type == EVENT

    def owner(self, type: int, id: int, state: State | None, *, old: bool = False) -> str:
        return "old owner" if old else ""

    def texts(self, type: int, values: Sequence[int], state: State | None, *, old: bool = False) -> Sequence[str]:
        return [f"{'old ' if old else ''}#{value}" for value in values]

    def differences(self, type: int, olds: Sequence[int], news: Sequence[int], state: State | None) -> Sequence[str]:
        return [f"{old} to {new}" for old, new in zip(olds, news, strict=True)]


def joined(data: bytes, compressed: bool = False) -> JoinedDelta:
    return JoinedDelta(data, (Part(0, 1, 0, len(data), 10, compressed),))


def tree(base: State | None, *ints: int, compressed: bool = False) -> list[Change]:
    data = pack_varints(ints)
    return changes(base, read_delta(data, SIZES), joined(data, compressed), PlainNames())


BASE = make_state({key(FLAG, 0): (100, 200, 300), key(OTHER, 1): (7,)})


def test_added() -> None:
    assert tree(BASE, 0, 1, 0, OTHER, 2, 2, 64, -1) == [
        Change(
            "added",
            OTHER,
            2,
            "t30 of 3",
            (
                FieldChange("f0", None, 64, 64, 16, Span(2, 6, 2), "", "#64"),
                FieldChange("f1", None, -1, -1, 8, Span(2, 8, 1), "", "#-1"),
            ),
            48,
            Span(2, 3, 6),
        )
    ]


def test_changed_with_costs_of_compressed_bytes() -> None:
    lengths = HUFFMAN.code_lengths
    (change,) = tree(BASE, 0, 1, 0, FLAG, 0, 0, -1, 64, compressed=True)
    assert (change.kind, change.span) == ("changed", Span(2, 3, 6))
    assert change.fields == (
        FieldChange("f0", 100, 100, 0, 1, Span(2, 5, 1), "old #100", "#100", "100 to 100"),
        FieldChange("f1", 200, 199, -1, lengths[0x40], Span(2, 6, 1), "old #200", "#199", "200 to 199"),
        FieldChange("f2", 300, 364, 64, lengths[0x80] + lengths[1], Span(2, 7, 2), "old #300", "#364", "300 to 364"),
    )
    assert change.bits == lengths[5] + lengths[0] + sum(field.bits for field in change.fields)


def test_removed() -> None:
    flag = key(FLAG, 0)
    data = pack_varints((2, 0, 0, flag, key(OTHER, 9)))
    first, second = changes(BASE, read_delta(data, SIZES), joined(data), PlainNames())
    assert first == Change(
        "removed",
        FLAG,
        0,
        "t5 of 2",
        tuple(FieldChange(f"f{i}", v, None, None, 0, None, f"old #{v}") for i, v in enumerate((100, 200, 300))),
        8 * 3,
        Span(2, 3, 3),
        owner="old owner",
    )
    assert (second.kind, second.fields, second.span) == ("removed", (), Span(2, 6, 4))


def test_rewritten() -> None:
    (change,) = tree(BASE, 0, 1, 0, OTHER, 1, 1, 0)
    assert change.kind == "rewritten"
    assert change.fields == (FieldChange("f0", 7, 7, 0, 8, Span(2, 6, 1), "old #7", "#7", "7 to 7"),)


def test_a_key_in_both_lists_is_one_change_with_both_costs() -> None:
    (change,) = tree(BASE, 1, 1, 0, key(OTHER, 1), OTHER, 1, 1, 5)
    assert (change.kind, change.span, change.bits) == ("readded", Span(2, 7, 4), 8 * (4 + 4))
    assert change.fields[0] == FieldChange("f0", 7, 12, 5, 8, Span(2, 10, 1), "old #7", "#12", "7 to 12")


def test_without_a_base_only_the_wire_is_told() -> None:
    removed, updated = tree(None, 1, 1, 0, key(OTHER, 1), FLAG, 0, 1, 2, 3)
    assert removed == Change("removed", OTHER, 1, "t30", (), 32, Span(2, 3, 4), owner="old owner")
    assert (updated.kind, updated.name) == ("unknown", "t5")
    assert updated.fields[2] == FieldChange("f2", None, None, 3, 8, Span(2, 11, 1))


def test_a_base_the_delta_does_not_fit_is_no_base() -> None:
    (change,) = tree(BASE, 0, 1, 0, OTHER, 1, 2, 1, 1)
    assert change.kind == "unknown"


def test_differences_wrap() -> None:
    base = make_state({key(OTHER, 0): (0x7FFFFFFF,)})
    (change,) = tree(base, 0, 1, 0, OTHER, 0, 1, 1)
    assert (change.fields[0].old, change.fields[0].new) == (0x7FFFFFFF, -0x80000000)


def test_events_are_marked() -> None:
    assert [change.event for change in tree(EMPTY, 0, 2, 0, EVENT, 0, 0, OTHER, 0, 0)] == [True, False]


def test_bytes_cost_what_their_part_cost() -> None:
    # parts of two bytes: the first plain, the second compressed, a gap of one byte after each
    parts = (Part(0, 1, 0, 2, 0, False), Part(1, 2, 3, 2, 0, True))
    assert list(byte_bits(JoinedDelta(b"\1\2\0\0\1\0", parts))) == [8, 8, 0, 1, 4, 0]


def test_costs_reach_across_parts() -> None:
    data = pack_varints((0, 1, 0, OTHER, 0, 1, 64))
    parts = (Part(0, 1, 0, 7, 0, False), Part(1, 2, 7, 1, 0, True))
    (change,) = changes(EMPTY, read_delta(data, SIZES), JoinedDelta(data, parts), PlainNames())
    # the value's first byte came plain, its second compressed
    assert change.fields[0].bits == 8 + HUFFMAN.code_lengths[1]


@pytest.mark.parametrize("compressed", [False, True])
@given(st.lists(st.integers(-2, 8) | st.sampled_from([64, -65, FLAG << 16, OTHER << 16 | 1]), max_size=40))
def test_any_delta_that_can_be_read_is_told(compressed: bool, ints: list[int]) -> None:
    data = pack_varints(ints)
    try:
        delta = read_delta(data, SIZES)
    except DecodeError:
        return
    bits = HUFFMAN.bits(data) if compressed else 8 * len(data)
    header = sum(byte_bits(joined(data, compressed))[: len(pack_varints(ints[:3]))])
    for base in (None, EMPTY, BASE):
        told = changes(base, delta, joined(data, compressed), PlainNames())
        unique = len(set(delta.removed)) == len(delta.removed) and not delta.warnings
        if unique:
            assert header + sum(change.bits for change in told) == bits
        assert {change.type << 16 | change.id for change in told if change.kind != "removed"} == {
            known for known, _, _ in delta.updates
        }
