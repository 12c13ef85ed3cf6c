"""Joining fragments: any order, repeats, overlaps, cuts, contradictions, and bounds."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.net.fragments import MAX_AGE_NS, MAX_OPEN_BYTES, MAX_OPEN_PACKETS, JoinedPacket, Reassembly
from analyzer.net.ip import FragmentPosition

WHOLE = bytes(range(40))


def key(identification: int = 7) -> tuple[bytes, bytes, int, int]:
    return b"\1\0\0\1", b"\1\0\0\2", identification, 17


def add(
    reassembly: Reassembly,
    begin: int,
    end: int,
    *,
    frame: int = 0,
    time_ns: int = 0,
    data: bytes = WHOLE,
    captured: int | None = None,
    more: bool | None = None,
    identification: int = 7,
) -> JoinedPacket | None:
    """Give the bytes `begin` to `end` of `data`, found at offset 34 of the frame."""
    position = FragmentPosition(identification, begin, end < len(data) if more is None else more)
    there = data[begin:end][:captured]
    return reassembly.add(key(identification), position, end - begin, there, frame, 34, time_ns)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1), (0, 0, 2, 2, 1)])
def test_any_order_and_repeats(order: tuple[int, ...]) -> None:
    spans = [(0, 16), (16, 32), (32, 40)]
    reassembly = Reassembly()
    *early, last = order
    for part in early:
        assert add(reassembly, *spans[part], frame=part) is None
    pieces = ((0, 34, 16), (1, 34, 16), (2, 34, 8))
    assert add(reassembly, *spans[last], frame=last) == JoinedPacket(WHOLE, 40, pieces)


def test_overlaps_with_the_same_bytes_are_trimmed() -> None:
    reassembly = Reassembly()
    assert add(reassembly, 8, 16, frame=1) is None
    assert add(reassembly, 24, 40, frame=2) is None
    # Covers a gap, what is there, and another gap.
    joined = add(reassembly, 0, 32, frame=3)
    assert joined == JoinedPacket(WHOLE, 40, ((3, 34, 8), (1, 34, 8), (3, 50, 8), (2, 34, 16)))


def test_packets_do_not_mix() -> None:
    reassembly = Reassembly()
    assert add(reassembly, 0, 16, identification=1) is None
    assert add(reassembly, 16, 40, identification=2) is None
    joined = add(reassembly, 16, 40, identification=1)
    assert joined is not None
    assert joined.payload == WHOLE
    assert add(reassembly, 16, 40, identification=1) is None


def test_a_cut_part_ends_the_payload() -> None:
    reassembly = Reassembly()
    assert add(reassembly, 0, 16, frame=1) is None
    assert add(reassembly, 16, 32, frame=2, captured=5) is None
    assert add(reassembly, 32, 40, frame=3) == JoinedPacket(WHOLE[:21], 40, ((1, 34, 16), (2, 34, 5), (3, 34, 0)))


def test_nothing_captured_of_the_first_part() -> None:
    reassembly = Reassembly()
    assert add(reassembly, 0, 16, captured=0) is None
    assert add(reassembly, 16, 40) == JoinedPacket(b"", 40, ((0, 34, 0), (0, 34, 0)))


@pytest.mark.parametrize(
    ("begin", "end", "data", "more"),
    [
        (0, 16, bytes(40), True),  # other bytes at the same place
        (8, 24, bytes(40), True),
        (24, 32, WHOLE, False),  # another end
        (40, 48, bytes(64), True),  # past the end
        (0, 8, WHOLE, False),  # an end before what is there
    ],
)
def test_a_contradiction_begins_another_packet(begin: int, end: int, data: bytes, more: bool) -> None:
    reassembly = Reassembly()
    assert add(reassembly, 8, 16) is None
    assert add(reassembly, 24, 40) is None
    assert add(reassembly, 0, 8, frame=3) is None
    joined = add(reassembly, begin, end, data=data, more=more)
    if (begin, more) == (0, False):
        assert joined == JoinedPacket(WHOLE[:8], 8, ((0, 34, 8),))
    else:
        assert joined is None
        # What was missing of the earlier one does not complete it any more.
        assert add(reassembly, 16, 24) is None


def test_old_parts_are_given_up() -> None:
    reassembly = Reassembly()
    assert add(reassembly, 0, 16, time_ns=1000) is None
    assert add(reassembly, 16, 40, time_ns=1001 + MAX_AGE_NS) is None
    assert add(reassembly, 0, 16, time_ns=1001 + 2 * MAX_AGE_NS) is not None


def test_time_that_runs_backwards_is_no_younger_part() -> None:
    reassembly = Reassembly()
    assert add(reassembly, 0, 16, time_ns=2 * MAX_AGE_NS) is None
    assert add(reassembly, 16, 40, time_ns=0) is None


def test_number_of_open_packets_is_bounded() -> None:
    reassembly = Reassembly()
    for identification in range(MAX_OPEN_PACKETS + 1):
        assert add(reassembly, 0, 16, identification=identification) is None
    assert add(reassembly, 16, 40, identification=1) is not None
    assert add(reassembly, 16, 40, identification=MAX_OPEN_PACKETS) is not None
    assert add(reassembly, 16, 40, identification=0) is None


def test_bytes_of_open_packets_are_bounded() -> None:
    reassembly = Reassembly()
    large = bytes(65_000)
    count = MAX_OPEN_BYTES // 60_000 + 2
    for identification in range(count):
        assert add(reassembly, 0, 60_000, data=large, identification=identification) is None
    assert add(reassembly, 60_000, 65_000, data=large, identification=count - 1) is not None
    assert add(reassembly, 60_000, 65_000, data=large, identification=0) is None


@given(
    whole=st.binary(min_size=1, max_size=300),
    seed=st.integers(0, 1 << 30),
    cuts=st.sets(st.integers(1, 37), max_size=12),
)
def test_every_way_to_cut_and_shuffle_gives_the_whole(whole: bytes, seed: int, cuts: set[int]) -> None:
    bounds = [0, *sorted(cut * 8 for cut in cuts if cut * 8 < len(whole)), len(whole)]
    spans = list(itertools.pairwise(bounds))
    choose = random.Random(seed)
    # Overlapping parts with the same bytes, too.
    overlaps = [tuple(sorted(choose.sample(bounds, 2))) for _ in range(4)] if len(bounds) > 2 else []
    spans += [(begin, end) for begin, end in overlaps]
    choose.shuffle(spans)
    reassembly = Reassembly()
    for frame, (begin, end) in enumerate(spans):
        joined = add(reassembly, begin, end, frame=frame, data=whole)
        if joined is not None:
            break
    else:
        raise AssertionError("the packet never became whole")
    assert joined.payload == whole
    assert joined.length == len(whole)
    where = {frame: begin for frame, (begin, _) in enumerate(spans)}
    parts = [whole[where[at] + offset - 34 :][:size] for at, offset, size in joined.pieces]
    assert b"".join(parts) == whole


@given(
    parts=st.lists(
        st.tuples(
            st.integers(0, 10),
            st.integers(1, 40),
            st.integers(0, 40),
            st.booleans(),
            st.integers(0, 1),
            st.binary(max_size=40),
        ),
        max_size=30,
    )
)
def test_any_parts(parts: list[tuple[int, int, int, bool, int, bytes]]) -> None:
    reassembly = Reassembly()
    for frame, (offset, length, captured, more, identification, data) in enumerate(parts):
        position = FragmentPosition(identification, offset * 8, more)
        there = data[: min(length, captured)]
        joined = reassembly.add(key(identification), position, length, there, frame, 0, frame)
        if joined is not None:
            assert len(joined.payload) == sum(size for _, _, size in joined.pieces) <= joined.length
