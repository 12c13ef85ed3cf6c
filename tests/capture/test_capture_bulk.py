"""The compiled index gives the rows and problems of the plain one: in growing files, damaged ones, in any windows."""

from __future__ import annotations

import random
import tempfile
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.utils import RawPcapNgReader, RawPcapReader

from analyzer.capture.bulk import BulkPcapIndexer, BulkPcapngIndexer
from analyzer.capture.file import CaptureFile
from analyzer.capture.frames import Drop, Problem
from analyzer.capture.pcap import PcapIndexer
from analyzer.capture.pcapng import PcapngIndexer
from analyzer.capture.source import Source
from tests.capture.builders import (
    block,
    enhanced,
    interface,
    lost_before,
    obsolete,
    option,
    pcap_file,
    pcap_header,
    pcap_record,
    section,
    simple,
    statistics,
)
from tests.capture.indexing import Row, index_growing, rows

Found = tuple[list[Row], list[Problem], str, int | None, int, object, list[Drop]]
WINDOW = 4096


def everything(indexer: PcapIndexer | PcapngIndexer, limit: int, *, closed: bool = True) -> Found:
    """All that an indexer says of a file to its end, or to where it waits."""
    found: list[Row] = []
    while True:
        batch = indexer.read(limit, closed=closed)
        assert len(batch) <= limit
        found += rows(batch)
        if not len(batch):
            break
    drops = indexer.take_drops()
    return found, indexer.problems, indexer.format, indexer.dropped, indexer.position, indexer.interfaces, drops


def same(data: bytes, *, window: int = WINDOW, limit: int = 1000) -> Found:
    """What both indexes say, which must be the same."""
    plain, bulk = (PcapngIndexer, BulkPcapngIndexer) if data[:1] == b"\x0a" else (PcapIndexer, BulkPcapIndexer)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a")
        path.write_bytes(data)
        file = CaptureFile.open(path)
        try:
            expected = everything(plain(file), 1000)
            assert everything(bulk(file, block_bytes=window), limit) == expected
            assert everything(bulk(file, block_bytes=window), limit, closed=False)[0] == expected[0]
            return expected
        finally:
            file.close()


FRAMES = [(5, 7, b"abc"), (6, 0, b""), (0xFFFFFFFF, 0xFFFFFFFF, bytes(300)), (7, 999_999, bytes(70))]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("magic", [0xA1B2C3D4, 0xA1B23C4D])
@pytest.mark.parametrize("window", [1, 40, 400, WINDOW])
def test_pcap(magic: int, order: str, window: int) -> None:
    data = pcap_file(FRAMES, magic=magic, order=order)
    found, problems, *_ = same(data, window=window, limit=3)
    assert [row[2] for row in found] == [3, 0, 300, 70]
    assert problems == []
    scapy = [(frame, meta.sec, meta.usec) for frame, meta in RawPcapReader(BytesIO(data))]
    assert [(data[row[1] : row[1] + row[2]], *divmod(row[0], 10**9)) for row in found[:2]] == [
        (frame, sec, fraction * (1000 if magic == 0xA1B2C3D4 else 1)) for frame, sec, fraction in scapy[:2]
    ]
    assert [data[row[1] : row[1] + row[2]] for row in found] == [frame for frame, _, _ in scapy]


def test_pcap_that_is_cut_anywhere() -> None:
    data = pcap_file(FRAMES, magic=0xA1B2CD34) + pcap_record(1, 2, b"abcd", captured=4, original=2)
    for length in range(len(data)):
        same(data[:length], window=100)


PCAP_TAIL = st.lists(
    st.one_of(
        st.binary(max_size=40),
        st.builds(
            pcap_record,
            st.integers(0, 0xFFFFFFFF),
            st.integers(0, 0xFFFFFFFF),
            st.binary(max_size=60),
            captured=st.none() | st.sampled_from([0, 1, 30, 262_144, 262_145, 0xFFFFFFFF]),
            original=st.none() | st.integers(0, 80),
            order=st.sampled_from("<>"),
        ),
    ),
    max_size=12,
).map(b"".join)


@given(
    tail=PCAP_TAIL,
    begin=st.sampled_from(
        [pcap_header(), pcap_header(order=">"), pcap_header(magic=0xA1B2CD34), pcap_header(magic=0xA1B23C4D)]
    ),
    window=st.integers(1, 200),
    limit=st.integers(1, 5),
)
def test_any_pcap(tail: bytes, begin: bytes, window: int, limit: int) -> None:
    same(begin + tail, window=window, limit=limit)


CLOCKS = [
    b"",
    *(option(9, bytes((resolution,))) for resolution in (0, 3, 6, 9, 10, 12, 0x80, 0x8A, 0xFF)),
    option(14, (1_000_000).to_bytes(8, "little", signed=True)),
    option(14, (-5).to_bytes(8, "little", signed=True)) + option(9, b"\x09"),
    option(14, (1 << 62).to_bytes(8, "little", signed=True)),
]
UNITS = st.integers(0, (1 << 64) - 1) | st.integers(0, 1 << 20) | st.integers(0, 1 << 34)
OPTIONS = st.lists(
    st.builds(lost_before, st.integers(0, 3))
    | st.builds(option, st.integers(0, 5), st.binary(max_size=9))
    | st.binary(max_size=9),
    max_size=4,
).map(b"".join)
BLOCKS = st.lists(
    st.one_of(
        st.builds(enhanced, UNITS, st.binary(max_size=60), number=st.integers(0, 2)),
        st.builds(enhanced, UNITS, st.binary(max_size=60)),
        st.builds(enhanced, UNITS, st.binary(max_size=60), order=st.just(">")),
        st.builds(enhanced, UNITS, st.binary(max_size=60), options=OPTIONS),
        st.builds(obsolete, UNITS, st.binary(max_size=60), number=st.integers(0, 2), lost=st.integers(0, 0xFFFF)),
        st.builds(obsolete, UNITS, st.binary(max_size=60), order=st.just(">")),
        st.builds(simple, st.binary(max_size=60), original=st.none() | st.integers(0, 90)),
        st.builds(block, st.integers(0, 9), st.binary(max_size=60)),
        st.builds(block, st.sampled_from([1, 2, 3, 5, 6]), st.binary(max_size=60), length=st.integers(0, 100)),
        st.builds(interface, st.just(1), st.sampled_from([0, 20, 300_000]), st.sampled_from(CLOCKS)),
        st.builds(statistics, st.integers(0, 1), st.just(option(5, bytes(7) + b"\1"))),
        st.just(section()),
        st.just(section(order=">") + interface(order=">")),
        st.binary(max_size=20),
    ),
    max_size=14,
).map(b"".join)


@given(
    tail=BLOCKS,
    clock=st.sampled_from(CLOCKS),
    window=st.integers(1, 300) | st.just(WINDOW),
    limit=st.integers(1, 5) | st.just(1000),
)
def test_any_pcapng(tail: bytes, clock: bytes, window: int, limit: int) -> None:
    same(section() + interface(options=clock) + tail, window=window, limit=limit)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("window", [50, 2000, 1 << 20])
def test_long_runs_of_pcapng(seed: int, window: int) -> None:
    choose = random.Random(seed)
    data = section() + interface(snap_length=65535) + interface(options=option(9, b"\x09"))
    for number in range(900):
        data += enhanced(number << 20, bytes(choose.randrange(60)), number=number % 2)
        if choose.random() < 0.01:
            data += choose.choice([block(99, b"other"), simple(b"frame"), interface(), statistics(0, b"")])
    found, problems, *_ = same(data, window=window, limit=700)
    assert len(found) >= 900
    assert [problem for problem in problems if "without a time" not in problem.text] == []
    scapy = [frame for frame, _ in RawPcapNgReader(BytesIO(data))]
    assert [data[row[1] : row[1] + row[2]] for row in found] == scapy


def test_an_interface_after_every_frame() -> None:
    described = [interface(options=option(9, bytes((number % 10,)))) for number in range(300)]
    frames = [enhanced(number, b"x", number=number) for number in range(300)]
    data = section() + b"".join(map(bytes.__add__, described, frames))
    found, problems, *_ = same(data + data)
    assert [row[4] for row in found] == list(range(600))
    assert problems == []


@pytest.mark.parametrize("window", [500, 1 << 20])
@pytest.mark.parametrize("order", ["<", ">"])
def test_statistics_before_every_frame(order: str, window: int) -> None:
    choose = random.Random(window)
    data = section(order=order) + interface(order=order) + interface(order=order)
    last = [0, 0]
    for number in range(700):
        for counted in range(choose.choice([0, 1, 1, 9])):
            which, value = choose.randrange(3), choose.choice([b"", bytes(8), counted.to_bytes(8, "big")])
            # Of an interface that is not described nothing is known.
            if value and which < 2:
                last[which] = int.from_bytes(value, "big" if order == ">" else "little")
            data += statistics(which, option(5, value, order=order) if value else b"", order=order)
        data += enhanced(number, b"x", number=number % 2, order=order)
    _, problems, _, dropped, *_ = same(data, window=window, limit=300)
    assert (problems, dropped) == ([], sum(last))


@pytest.mark.parametrize("window", [500, 1 << 20])
@pytest.mark.parametrize("order", ["<", ">"])
def test_frames_that_tell_what_was_lost_before_them(order: str, window: int) -> None:
    choose = random.Random(window)
    data, expected = section(order=order) + interface(order=order) * 2, []
    for number in range(9000):
        which, lost, old = choose.randrange(2), choose.choice([0, 1, 2, 400]), choose.random() < 0.1
        if lost:
            expected.append(Drop(number, number, which, lost))
        if old:
            data += obsolete(number, bytes(number % 7), number=which, lost=lost, order=order)
            continue
        options = choose.choice([b"", option(2, bytes(4), order=order)])
        if lost or choose.random() < 0.5:
            options += lost_before(lost, order=order)
        data += enhanced(number, bytes(number % 7), number=which, options=options, order=order)
    found, problems, _, dropped, _, _, drops = same(data, window=window, limit=7000)
    assert (len(found), problems, drops) == (9000, [], expected)
    assert dropped == sum(drop.lost for drop in expected)


def test_more_statistics_than_one_call_passes() -> None:
    many = [statistics(0, option(5, number.to_bytes(8, "little"))) for number in range(9000)]
    data = section() + interface() + b"".join(many) + enhanced(1, b"x")
    found, problems, _, dropped, *_ = same(data)
    assert (len(found), problems, dropped) == (1, [], 8999)


@pytest.mark.parametrize("seed", range(8))
def test_growing_files(tmp_path: Path, seed: int) -> None:
    choose = random.Random(seed)
    ng = seed % 2 == 0
    data = section() + interface() if ng else pcap_header()
    for number in range(300):
        payload = bytes(choose.randrange(60))
        data += enhanced(number, payload) if ng else pcap_record(number, number, payload)
    expected = same(data)
    window = choose.choice([1, 30, 100, 4096, 1 << 20])
    kind = BulkPcapngIndexer if ng else BulkPcapIndexer
    indexer, found = index_growing(
        tmp_path / "growing", data, lambda file: kind(file, block_bytes=window), choose, piece=2000, limit=40
    )
    assert found == expected[0]
    assert indexer.problems == []


def test_captures(capture: Path) -> None:
    found = []
    for compiled in (False, True):
        source = Source.open(capture, compiled=compiled)
        own: list[tuple[Row, bytes]] = []
        while not source.at_end:
            batch = source.read(300)
            if not len(batch):
                continue
            block_, begin = source.block(batch)
            for row in rows(batch):
                frame = block_[row[1] - begin : row[1] - begin + row[2]]
                assert frame == source.data(row[1], row[2])
                own.append((row, frame))
        found.append((own, source.problems, source.format, source.interfaces, source.dropped))
        source.close()
    assert found[0] == found[1]
    assert found[0][0]
