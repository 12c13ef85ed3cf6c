"""The index of pcapng files: samples of every block, damage, cuts, growth, and any bytes."""

from __future__ import annotations

import random
import struct
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.capture.file import BLOCK_BYTES, CaptureFile
from analyzer.capture.frames import Drop, Interface, Problem
from analyzer.capture.pcapng import PcapngIndexer
from analyzer.capture.pcapng_blocks import UNKNOWN_LINK_TYPE
from tests.capture.builders import (
    block,
    enhanced,
    interface,
    lost_before,
    obsolete,
    option,
    section,
    simple,
    statistics,
)
from tests.capture.indexing import Row, index_growing, index_whole

BEGIN = section() + interface()


def index(
    path: Path, data: bytes, *, block_bytes: int = BLOCK_BYTES, limit: int = 1000
) -> tuple[PcapngIndexer, list[Row]]:
    return index_whole(path, data, lambda file: PcapngIndexer(file, block_bytes=block_bytes), limit)


@pytest.mark.parametrize("order", ["<", ">"])
def test_every_packet_block(tmp_path: Path, order: str) -> None:
    named = interface(276, 96, option(2, b"eth0", order=order) + option(1, "é".encode(), order=order), order=order)
    data = section(order=order) + named
    data += enhanced(7_000_001, b"abc", original=40, order=order) + obsolete(8_000_000, b"wxyz", order=order)
    data += simple(bytes(6), order=order)
    indexer, found = index(tmp_path / "a.pcapng", data)
    assert indexer.interfaces == [Interface("eth0", 276, 96, "é")]
    assert indexer.format == f"pcapng, {'little' if order == '<' else 'big'}-endian"
    at = len(section() + named)
    assert found == [
        (7_000_001_000, at + 28, 3, 40, 0),
        (8_000_000_000, at + 36 + 28, 4, 4, 0),
        (8_000_000_000, at + 36 + 36 + 12, 6, 6, 0),
    ]
    assert ["without a time" in problem.text for problem in indexer.problems] == [True]
    assert indexer.position == len(data)


@pytest.mark.parametrize(
    ("options", "units", "time_ns"),
    [
        (b"", 3, 3_000),
        (option(9, b"\x06"), 3, 3_000),
        (option(9, b"\x09"), 3, 3),
        (option(9, b"\x00"), 3, 3_000_000_000),
        (option(9, b"\x0c"), 3_999, 3),
        (option(9, b"\x7f"), 2**64 - 1, 0),
        (option(9, b"\x81"), 3, 1_500_000_000),
        (option(9, b"\x94"), 1 << 19, 500_000_000),
        (option(9, b"\xff"), 2**64 - 1, 0),
        (option(14, struct.pack("<q", 100)), 3, 100_000_003_000),
        (option(14, struct.pack("<q", -100)), 3, -99_999_997_000),
        (option(9, b"\x00"), 2**64 - 1, 2**63 - 1),
        (option(14, struct.pack("<q", -(2**63))), 3, -(2**63)),
        (option(9, b"\x09\x09"), 3, 3_000),
    ],
)
def test_clocks(tmp_path: Path, options: bytes, units: int, time_ns: int) -> None:
    _, found = index(tmp_path / "a.pcapng", section() + interface(options=options) + enhanced(units, b"a"))
    assert [row[0] for row in found] == [time_ns]


def test_sections_have_their_own_order_and_interfaces(tmp_path: Path) -> None:
    data = section() + interface(1) + interface(101, options=option(9, b"\x09")) + enhanced(5, b"a", number=1)
    data += section(order=">") + interface(113, order=">") + enhanced(6, b"b", order=">")
    data += section() + enhanced(7, b"c") + interface(0) + enhanced(8, b"d")
    indexer, found = index(tmp_path / "a.pcapng", data)
    assert [one.link_type for one in indexer.interfaces] == [1, 101, 113, 0]
    assert [(row[0], row[4]) for row in found] == [(5, 1), (6_000, 2), (8_000, 3)]
    # The third section's first frame comes before any description.
    assert ["not described" in problem.text for problem in indexer.problems] == [True]


def test_sections_have_their_own_clocks(tmp_path: Path) -> None:
    data = section() + interface(options=option(9, b"\x09")) + enhanced(5, b"ab") + section() + interface()
    _, found = index(tmp_path / "a.pcapng", data + enhanced(5, b"ab") + enhanced(6, b"ab"))
    assert [row[0] for row in found] == [5, 5000, 6000]


def test_simple_packets_are_cut_to_the_snap_length(tmp_path: Path) -> None:
    data = section() + interface(1, 5) + simple(bytes(5), original=70)
    assert index(tmp_path / "a.pcapng", data)[1] == [(0, len(section()) + 20 + 12, 5, 70, 0)]


def test_dropped_frames_are_the_last_count_of_each_interface(tmp_path: Path) -> None:
    def count(code: int, number: int) -> bytes:
        return option(code, struct.pack("<Q", number))

    assert index(tmp_path / "a.pcapng", BEGIN + statistics(0, count(4, 9)))[0].dropped is None
    data = BEGIN + interface() + statistics(0, count(5, 3)) + statistics(0, count(5, 4) + count(7, 10))
    data += statistics(1, count(7, 100)) + statistics(9, count(7, 1000))
    assert index(tmp_path / "a.pcapng", data)[0].dropped == 114


def test_where_frames_were_dropped(tmp_path: Path) -> None:
    def told(interface: int, number: int) -> bytes:
        return statistics(interface, option(7, struct.pack("<Q", number)))

    one = enhanced(1, b"a")
    data = BEGIN + interface() + one + told(0, 2) + told(0, 5) + told(1, 1) + one + one + told(0, 5) + one
    # The last count is one that has begun anew; the one before says exactly where it was.
    data += told(0, 5) + told(0, 9) + one + told(0, 3) + told(1, 4)
    indexer, _ = index(tmp_path / "a.pcapng", data)
    assert indexer.take_drops() == [Drop(0, 1, 0, 5), Drop(0, 1, 1, 1), Drop(4, 4, 0, 4), Drop(1, 5, 1, 3)]
    assert indexer.take_drops() == []


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("block_bytes", [50, BLOCK_BYTES])
def test_frames_that_tell_what_was_lost_before_them(tmp_path: Path, order: str, block_bytes: int) -> None:
    def frame(lost: int, number: int = 0, before: bytes = b"") -> bytes:
        options = before + lost_before(lost, order=order) + option(0, b"", order=order)
        return enhanced(1, b"abc", number=number, options=options, order=order)

    flags, end = option(2, bytes(4), order=order), option(0, b"", order=order)
    data = section(order=order) + interface(order=order) * 2 + frame(0) + frame(2) + frame(3, 1, flags)
    # Behind the end of the options, of another length, more than can be counted, of a kind that has no number for it.
    data += frame(9, 0, end) + enhanced(1, b"a", options=option(4, bytes(3) + b"\1", order=order), order=order)
    data += frame(2**64 - 1) + obsolete(1, b"a", lost=0xFFFF, order=order) + obsolete(1, b"a", lost=7, order=order)
    # A frame in a block that is left out says nothing.
    data += frame(9, 2) + enhanced(1, b"abcd", options=option(1, bytes(70_000)[:65_000], order=order), order=order)
    indexer, found = index(tmp_path / "a.pcapng", data, block_bytes=block_bytes)
    assert len(found) == 9
    assert indexer.take_drops() == [Drop(1, 1, 0, 2), Drop(2, 2, 1, 3), Drop(5, 5, 0, 2**31 - 1), Drop(7, 7, 0, 7)]
    assert indexer.dropped == 2 + 3 + 2**64 - 1 + 7


def test_what_frames_tell_is_not_counted_again(tmp_path: Path) -> None:
    def count(number: int) -> bytes:
        return statistics(0, option(7, struct.pack("<Q", number)))

    one, told = enhanced(1, b"a"), enhanced(1, b"a", options=lost_before(2))
    indexer, _ = index(tmp_path / "a.pcapng", BEGIN + one + told + told + one + count(5) + told + count(7) + told)
    # The first count has one more than was told, somewhere before frame 4, the second nothing that was not told.
    assert indexer.take_drops() == [Drop(1, 1, 0, 2), Drop(2, 2, 0, 2), Drop(0, 4, 0, 3), Drop(5, 5, 0, 2)]
    assert indexer.dropped == 9
    # Statistics that count only some of it.
    assert index(tmp_path / "a.pcapng", BEGIN + told + told + count(1))[0].dropped == 4
    assert index(tmp_path / "a.pcapng", BEGIN + one)[0].dropped is None


def test_other_blocks_are_skipped(tmp_path: Path) -> None:
    others = block(4, b"names") + block(0xBAD, b"custom") + block(10, b"secrets") + block(0x12345678, bytes(5000))
    indexer, found = index(tmp_path / "a.pcapng", BEGIN + others + enhanced(1, b"a"), block_bytes=100)
    assert len(found) == 1
    assert indexer.problems == []


def test_frame_larger_than_the_window(tmp_path: Path) -> None:
    large = enhanced(1, bytes(262_144), options=option(1, bytes(50_000)))
    indexer, found = index(tmp_path / "a.pcapng", BEGIN + large + enhanced(2, b"b"), block_bytes=64)
    assert [row[2] for row in found] == [262_144, 1]
    assert indexer.problems == []


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (enhanced(1, b"abcd", captured=9), "says it has 9 bytes"),
        (enhanced(1, bytes(262_145)), "says it has 262145 bytes"),
        (enhanced(1, b"a", number=1), "of interface 1, which is not described"),
        (block(6, bytes(16)), "too short"),
        (block(3, b""), "too short"),
        (block(2, bytes(16)), "too short"),
    ],
)
def test_a_bad_frame_in_a_whole_block_is_left_out(tmp_path: Path, bad: bytes, words: str) -> None:
    indexer, found = index(tmp_path / "a.pcapng", BEGIN + enhanced(1, b"a") + bad + enhanced(2, b"b"))
    assert [row[0] for row in found] == [1000, 2000]
    assert [problem.offset for problem in indexer.problems] == [len(BEGIN) + 36]
    assert words in indexer.problems[0].text


def test_a_bad_description_keeps_its_number(tmp_path: Path) -> None:
    data = section() + block(1, b"\1\0\0\0") + interface(101) + enhanced(1, b"a", number=1)
    indexer, found = index(tmp_path / "a.pcapng", data)
    assert [one.link_type for one in indexer.interfaces] == [UNKNOWN_LINK_TYPE, 101]
    assert found[0][4] == 1
    assert len(indexer.problems) == 1


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (block(6, bytes(20), again=36), "32 bytes long at its beginning and 36 at its end"),
        (block(6, bytes(20), length=8), "less than the smallest block"),
        (block(6, bytes(20), length=0), "less than the smallest block"),
        (block(6, bytes(20), length=0xFFFFFFFC), "stops in the middle of frame 2"),
        (block(5, bytes(20), length=0x7FFFFFFC), "stops in the middle of a block"),
        (block(0x0A0D0D0A, bytes(16)), "byte order mark is 00 00 00 00"),
        (section(version=(2, 0)), "version 2.0 is not known"),
        (block(0x0A0D0D0A, struct.pack("<II", 0x1A2B3C4D, 1)), "too short"),
    ],
)
def test_broken_structure_ends_the_file(tmp_path: Path, bad: bytes, words: str) -> None:
    indexer, found = index(tmp_path / "a.pcapng", BEGIN + enhanced(1, b"a") + bad + enhanced(2, b"b"))
    assert [row[0] for row in found] == [1000]
    assert [problem.offset for problem in indexer.problems] == [len(BEGIN) + 36]
    assert words in indexer.problems[0].text


def test_end_in_the_middle_says_where(tmp_path: Path) -> None:
    data = BEGIN + enhanced(1, b"a") + enhanced(2, bytes(96))
    indexer, _ = index(tmp_path / "a.pcapng", data[: -4 - 84])
    assert indexer.problems == [
        Problem(len(BEGIN) + 36, "the file stops in the middle of frame 2: 12 of 96 bytes are there")
    ]


def test_more_interfaces_than_can_be_numbered(tmp_path: Path) -> None:
    data = section() + interface() * 65_538 + enhanced(1, b"a", number=65_535) + enhanced(1, b"a", number=65_536)
    indexer, found = index(tmp_path / "a.pcapng", data)
    assert len(indexer.interfaces) == 65_536
    assert [row[4] for row in found] == [65_535]
    assert ["65536 interfaces" in problem.text for problem in indexer.problems] == [True, False]


def test_problems_of_a_damaged_file_are_bounded(tmp_path: Path) -> None:
    indexer, found = index(tmp_path / "a.pcapng", BEGIN + enhanced(1, b"a", number=7) * 5000 + enhanced(1, b"a"))
    assert len(found) == 1
    assert len(indexer.problems) == 1001


def test_cut_at_every_length(tmp_path: Path) -> None:
    blocks = [section(), interface(), enhanced(1, b"abcde"), block(4, b"name"), simple(b"xyz"), obsolete(2, b"")]
    data = b"".join(blocks)
    ends = [sum(map(len, blocks[:count])) for count in range(len(blocks) + 1)]
    _, whole = index(tmp_path / "a.pcapng", data)
    for length in range(len(data) + 1):
        indexer, found = index(tmp_path / "a.pcapng", data[:length])
        assert found == [row for row in whole if row[1] < max(end for end in ends if end <= length)]
        cut = [problem for problem in indexer.problems if "stops" in problem.text]
        assert len(cut) == (0 if length in ends else 1)


@pytest.mark.parametrize("seed", range(8))
def test_growing_file_gives_the_same_frames(tmp_path: Path, seed: int) -> None:
    choose = random.Random(seed)
    data = BEGIN
    for number in range(40):
        payload = bytes(choose.randrange(60))
        data += choose.choice([enhanced(number, payload), simple(payload), block(99, payload), section() + interface()])
    whole_indexer, whole = index(tmp_path / "whole.pcapng", data)
    window = choose.choice([1, 30, 100, 4096])
    indexer, found = index_growing(
        tmp_path / "growing.pcapng",
        data,
        lambda file: PcapngIndexer(file, block_bytes=window),
        choose,
        piece=50,
        limit=4,
    )
    assert found == whole
    assert indexer.problems == whole_indexer.problems


def test_a_reserved_block_counts_once_it_is_filled_in(tmp_path: Path) -> None:
    path = tmp_path / "reserved.pcapng"
    late = enhanced(1, b"abcd")
    path.write_bytes(BEGIN + late[:-4] + bytes(4))
    file = CaptureFile.open(path)
    indexer = PcapngIndexer(file)
    assert not len(indexer.read(9, closed=False))
    path.write_bytes(BEGIN + late)
    assert len(indexer.read(9, closed=False)) == 1
    file.close()


ANY_BLOCKS = st.lists(
    st.one_of(
        st.binary(max_size=40),
        st.builds(block, st.integers(0, 7), st.binary(max_size=60)),
        st.builds(block, st.sampled_from([1, 2, 3, 5, 6]), st.binary(max_size=60), length=st.integers(0, 100)),
        st.just(section()),
        st.just(section(order=">")),
    ),
    max_size=8,
).map(b"".join)


@given(tail=ANY_BLOCKS, begin=st.sampled_from([b"", section(), BEGIN]), block_bytes=st.integers(1, 200))
def test_any_bytes_end(tail: bytes, begin: bytes, block_bytes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = begin + tail
        indexer, found = index(Path(folder) / "a.pcapng", data, block_bytes=block_bytes, limit=2)
        whole_indexer, whole = index(Path(folder) / "a.pcapng", data)
        assert found == whole
        assert indexer.problems == whole_indexer.problems
        assert all(offset + captured <= len(data) for _, offset, captured, _, _ in found)
