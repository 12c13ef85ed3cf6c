"""The index of pcap files: samples of every variant, damage, cuts, growth, and any bytes."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.capture.file import BLOCK_BYTES
from analyzer.capture.frames import Interface, Problem
from analyzer.capture.pcap import PcapIndexer
from tests.capture.builders import pcap_file, pcap_header, pcap_record
from tests.capture.indexing import Row, index_growing, index_whole


def index(
    path: Path, data: bytes, *, block_bytes: int = BLOCK_BYTES, limit: int = 1000
) -> tuple[PcapIndexer, list[Row]]:
    return index_whole(path, data, lambda file: PcapIndexer(file, block_bytes=block_bytes), limit)


@pytest.mark.parametrize(
    ("magic", "order", "name", "time_ns"),
    [
        (0xA1B2C3D4, "<", "pcap, microseconds, little-endian", 5_000_007_000),
        (0xA1B2C3D4, ">", "pcap, microseconds, big-endian", 5_000_007_000),
        (0xA1B23C4D, "<", "pcap, nanoseconds, little-endian", 5_000_000_007),
        (0xA1B23C4D, ">", "pcap, nanoseconds, big-endian", 5_000_000_007),
    ],
)
def test_both_resolutions_in_both_orders(tmp_path: Path, magic: int, order: str, name: str, time_ns: int) -> None:
    data = pcap_file([(5, 7, b"abc"), (6, 0, b"")], order=order, magic=magic, link_field=276)
    indexer, found = index(tmp_path / "a.pcap", data)
    assert indexer.format == name
    assert indexer.interfaces == [Interface("", 276, 65535)]
    assert found == [(time_ns, 40, 3, 3, 0), (6_000_000_000, 59, 0, 0, 0)]
    assert indexer.problems == []
    assert indexer.dropped is None
    assert indexer.position == len(data)


def test_modified_header_is_longer(tmp_path: Path) -> None:
    record = bytes.fromhex("01000000 02000000 02000000 02000000 0300 0000 0800 00 00 abcd")
    indexer, found = index(tmp_path / "a.pcap", pcap_header(magic=0xA1B2CD34) + record)
    assert indexer.format == "pcap (modified), microseconds, little-endian"
    assert found == [(1_000_002_000, 48, 2, 2, 0)]
    assert indexer.problems == []


def test_frame_check_sequence_bits_are_no_link_type(tmp_path: Path) -> None:
    indexer, _ = index(tmp_path / "a.pcap", pcap_file([], link_field=0x44000071))
    assert indexer.interfaces == [Interface("", 0x71, 65535)]


def test_largest_times_do_not_overflow(tmp_path: Path) -> None:
    _, found = index(tmp_path / "a.pcap", pcap_file([(0xFFFFFFFF, 0xFFFFFFFF, b"")]))
    assert found[0][0] == 0xFFFFFFFF * 10**9 + 0xFFFFFFFF * 1000


def test_cut_frames_keep_their_original_length(tmp_path: Path) -> None:
    data = pcap_header() + pcap_record(0, 0, b"ab", original=90)
    assert index(tmp_path / "a.pcap", data)[1] == [(0, 40, 2, 90, 0)]


def test_other_versions(tmp_path: Path) -> None:
    indexer, found = index(tmp_path / "a.pcap", pcap_file([(0, 0, b"a")], version=(2, 3)))
    assert len(found) == 1
    assert [problem.offset for problem in indexer.problems] == [4]
    indexer, found = index(tmp_path / "a.pcap", pcap_file([(0, 0, b"a")], version=(3, 1)))
    assert found == []
    assert indexer.problems == [Problem(4, "pcap version 3.1 is not known (2.4 is); no frame was read")]


def test_other_magic(tmp_path: Path) -> None:
    indexer, found = index(tmp_path / "a.pcap", b"Hello" + bytes(100))
    assert found == []
    assert indexer.problems == [Problem(0, "this is no pcap file: it begins with 48 65 6c 6c")]


def test_more_captured_than_original_is_said_once(tmp_path: Path) -> None:
    odd = pcap_record(0, 0, b"abc", original=1)
    indexer, found = index(tmp_path / "a.pcap", pcap_file([(0, 0, b"x")]) + odd + odd, limit=1)
    assert [row[2:4] for row in found] == [(1, 1), (3, 1), (3, 1)]
    assert [problem.offset for problem in indexer.problems] == [24 + 17]
    assert "frame 2 " in indexer.problems[0].text


def test_absurd_length_ends_the_file(tmp_path: Path) -> None:
    good = pcap_file([(0, 0, b"abc")])
    indexer, found = index(tmp_path / "a.pcap", good + pcap_record(0, 0, b"", captured=262_145) + bytes(300_000))
    assert len(found) == 1
    assert [problem.offset for problem in indexer.problems] == [len(good)]
    assert "frame 2 says it has 262145 bytes" in indexer.problems[0].text
    indexer, found = index(tmp_path / "a.pcap", pcap_header() + pcap_record(0, 0, bytes(262_144)), block_bytes=100)
    assert [row[2] for row in found] == [262_144]
    assert indexer.problems == []


def test_end_in_the_middle_says_where(tmp_path: Path) -> None:
    data = pcap_file([(0, 0, bytes(96))] * 17)
    indexer, found = index(tmp_path / "a.pcap", data[:-84])
    assert len(found) == 16
    assert indexer.problems == [
        Problem(len(data) - 112, "the file stops in the middle of frame 17: 12 of 96 bytes are there")
    ]
    indexer, _ = index(tmp_path / "a.pcap", data[: -96 - 11])
    assert indexer.problems == [
        Problem(len(data) - 112, "the file stops in the header of frame 17: 5 of 16 bytes are there")
    ]


def test_cut_at_every_length(tmp_path: Path) -> None:
    frames = [(1, 2, b"abcde"), (3, 4, b""), (5, 6, bytes(30))]
    data = pcap_file(frames)
    ends = [24]
    for _, _, frame in frames:
        ends.append(ends[-1] + 16 + len(frame))
    _, whole = index(tmp_path / "a.pcap", data)
    for length in range(len(data) + 1):
        indexer, found = index(tmp_path / "a.pcap", data[:length])
        assert found == whole[: sum(end <= length for end in ends[1:])]
        assert len(indexer.problems) == (0 if length in (0, *ends) else 1)


@pytest.mark.parametrize("seed", range(8))
def test_growing_file_gives_the_same_frames(tmp_path: Path, seed: int) -> None:
    choose = random.Random(seed)
    data = pcap_file([(i, i, bytes(choose.randrange(60))) for i in range(40)], order="<>"[seed % 2])
    _, whole = index(tmp_path / "whole.pcap", data)
    window = choose.choice([1, 30, 100, 4096])
    indexer, found = index_growing(
        tmp_path / "growing.pcap", data, lambda file: PcapIndexer(file, block_bytes=window), choose, piece=50, limit=4
    )
    assert found == whole
    assert indexer.problems == []


@given(
    tail=st.binary(max_size=200),
    begin=st.sampled_from([b"", pcap_header(), pcap_header(order=">"), pcap_header(magic=0xA1B2CD34)]),
    block_bytes=st.integers(1, 200),
)
def test_any_bytes_end(tail: bytes, begin: bytes, block_bytes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = begin + tail
        indexer, found = index(Path(folder) / "a.pcap", data, block_bytes=block_bytes, limit=2)
        assert len(found) <= len(data) // 16
        assert all(offset + captured <= len(data) for _, offset, captured, _, _ in found)
        assert indexer.position <= len(data)
