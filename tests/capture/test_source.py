"""Opening captures of every format and packing; scapy's raw readers say what is in them."""

from __future__ import annotations

import gzip
import struct
import tempfile
from pathlib import Path

import numpy as np
import pytest
from capture_files import capture_paths
from hypothesis import given
from hypothesis import strategies as st
from scapy.utils import RawPcapNgReader, RawPcapReader

from analyzer.capture.frames import CaptureError, FrameBatch, Interface, Problem, join_batches
from analyzer.capture.source import Source
from tests.capture.builders import (
    enhanced,
    interface,
    obsolete,
    option,
    pcap_file,
    pcap_record,
    section,
    statistics,
)

FRAMES = [(5, 7, b"abc"), (6, 8, bytes(100)), (6, 9, b"")]
PCAPNG = (
    section()
    + interface(1, 90)
    + interface(276, options=option(9, b"\x09"))
    + enhanced(5_000_007, b"abc", original=77)
    + enhanced(6_000_000_008, bytes(100), number=1)
    + obsolete(7_000_000, b"wxyz")
    + statistics(0, option(5, struct.pack("<Q", 3)))
)


def read_all(source: Source, limit: int = 1000) -> FrameBatch:
    batches = []
    while not source.at_end:
        batches.append(source.read(limit))
        assert len(batches[-1]) or source.at_end
    return join_batches(batches)


def frames(path: Path, limit: int = 1000) -> list[tuple[int, bytes, int, int]]:
    """Time, bytes, original length and link type of each."""
    source = Source.open(path)
    batch = read_all(source, limit)
    found = [
        (
            int(batch.time_ns[row]),
            source.data(int(batch.offset[row]), int(batch.captured[row])),
            int(batch.original[row]),
            source.interfaces[batch.interface[row]].link_type,
        )
        for row in range(len(batch))
    ]
    assert source.problems == []
    done, total = source.progress()
    assert done == total == path.stat().st_size
    source.close()
    return found


def scapy_frames(path: Path) -> list[tuple[int, bytes, int, int]]:
    """The same of scapy's readers."""
    found = []
    reader = RawPcapReader(str(path))
    for data, meta in reader:
        if isinstance(reader, RawPcapNgReader):
            units = meta.tshigh << 32 | meta.tslow
            time_ns, link_type = units * 10**9 // meta.tsresol, meta.linktype
        else:
            time_ns = meta.sec * 10**9 + meta.usec * (1 if reader.nano else 1000)
            link_type = reader.linktype
        found.append((time_ns, data, meta.wirelen, link_type))
    reader.close()
    return found


@pytest.mark.parametrize(
    "data",
    [
        pcap_file(FRAMES),
        pcap_file(FRAMES, order=">"),
        pcap_file(FRAMES, magic=0xA1B23C4D),
        pcap_file(FRAMES, order=">", magic=0xA1B23C4D, link_field=113),
        gzip.compress(pcap_file(FRAMES * 50), mtime=0),
        PCAPNG,
        gzip.compress(PCAPNG, mtime=0),
    ],
)
@pytest.mark.parametrize("limit", [1, 2, 1000])
def test_built_files_are_as_scapy_reads_them(tmp_path: Path, data: bytes, limit: int) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(data)
    found = frames(path, limit)
    assert len(found) >= 3
    assert found == scapy_frames(path)


@pytest.mark.parametrize("path", capture_paths(), ids=lambda path: path.name)
def test_recorded_captures_are_as_scapy_reads_them(path: Path) -> None:
    assert frames(path, 1234) == scapy_frames(path)


def test_facts_of_a_source(tmp_path: Path) -> None:
    path = tmp_path / "a.pcapng.gz"
    path.write_bytes(gzip.compress(PCAPNG))
    source = Source.open(path)
    assert source.interfaces == [Interface("", 1, 90), Interface("", 276, 0)]
    assert (source.format, source.compressed, source.closed) == ("pcapng, little-endian", True, True)
    assert not source.at_end
    batch = read_all(source)
    assert batch.time_ns.tolist() == [5_000_007_000, 6_000_000_008, 7_000_000_000]
    assert [column.dtype for column in (batch.time_ns, batch.offset, batch.captured, batch.original)] == [
        np.int64,
        np.int64,
        np.uint32,
        np.uint32,
    ]
    assert batch.interface.dtype == np.uint16
    assert source.dropped == 3
    handle = source.file.duplicate()
    source.close()
    assert handle.read(0, 4) == b"\x0a\x0d\x0d\x0a"
    handle.close()


@pytest.mark.parametrize("data", [b"", gzip.compress(b"", mtime=0)])
def test_an_empty_file_has_no_frames(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "empty.pcap"
    path.write_bytes(data)
    source = Source.open(path)
    assert source.at_end
    assert source.problems == [Problem(0, "the file is empty")]
    assert len(source.read(5)) == 0
    assert source.interfaces == []
    source.close()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"Hello, world", r'a\.pcap is not a capture file: it begins with 48 65 6c 6c \("Hell"\)'),
        (b"\xa1\xb2", r'it begins with a1 b2 \("\.\."\)'),
        (b"PK\x03\x04", "it holds a zip archive; unpack it first"),
        (b"\x28\xb5\x2f\xfd", "it holds zstd data"),
        (gzip.compress(b"Hello", mtime=0), "it begins with 48 65 6c 6c"),
        (gzip.compress(gzip.compress(pcap_file([]), mtime=0), mtime=0), "it holds gzip data inside gzip data"),
    ],
)
def test_what_is_not_a_capture_says_what_it_is(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(data)
    with pytest.raises(CaptureError, match=words):
        Source.open(path)


def test_no_room_for_the_unpacked_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.pcap.gz"
    path.write_bytes(gzip.compress(pcap_file(FRAMES)))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(CaptureError, match=r"a\.pcap\.gz cannot be unpacked: No such file"):
        Source.open(path)


def test_opening_unpacks_little(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap.gz"
    path.write_bytes(gzip.compress(pcap_file([(number, 0, bytes(1000)) for number in range(3000)])))
    source = Source.open(path)
    assert source.interfaces
    assert source.file.size() <= 1 << 16
    assert len(read_all(source)) == 3000
    source.close()


def test_cut_gzip_gives_the_frames_before_the_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap.gz"
    packed = gzip.compress(pcap_file([(number, 0, bytes([number])) for number in range(200)]))
    path.write_bytes(packed[: len(packed) * 3 // 4])
    source = Source.open(path)
    batch = read_all(source)
    assert batch.time_ns.tolist() == [number * 10**9 for number in range(len(batch))]
    assert 50 < len(batch) < 200
    assert "the gzip file ends too early" in source.problems[0].text
    source.close()


@pytest.mark.parametrize("packed", [False, True])
def test_a_growing_file_is_followed(tmp_path: Path, packed: bool) -> None:
    data = pcap_file(FRAMES * 3)
    if packed:
        data = gzip.compress(data)
    path = tmp_path / "a.pcap"
    path.write_bytes(data[:2] if packed else b"")
    source = Source.open(path, growing=True)
    assert not source.closed
    count = 0
    with path.open("ab", buffering=0) as writer:
        for at in range(path.stat().st_size, len(data)):
            writer.write(data[at : at + 1])
            count += len(source.read(1))
            assert not source.at_end
    source.finish()
    assert source.closed
    while not source.at_end:
        count += len(source.read(2))
    assert count == 9
    assert source.problems == []
    source.close()


def test_a_growing_gzip_that_is_damaged_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(gzip.compress(pcap_file(FRAMES)) + b"tail")
    source = Source.open(path, growing=True)
    assert len(read_all(source)) == 3
    assert len(source.problems) == 1
    source.close()


def test_a_growing_file_that_is_no_capture(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(b"")
    source = Source.open(path, growing=True)
    assert len(source.read(1)) == 0
    assert not source.at_end
    path.write_bytes(b"Hello")
    with pytest.raises(CaptureError, match="not a capture"):
        source.read(1)
    source.close()


@given(
    data=st.one_of(
        st.binary(max_size=100),
        st.binary(max_size=100).map(lambda tail: PCAPNG[:60] + tail),
        st.binary(max_size=100).map(lambda tail: pcap_file(FRAMES) + pcap_record(1, 1, b"a") + tail),
    ),
    packed=st.booleans(),
    cut=st.integers(0, 20),
)
def test_any_bytes_are_answered(data: bytes, packed: bool, cut: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.pcap"
        whole = gzip.compress(data) if packed else data
        path.write_bytes(whole[: len(whole) - cut])
        try:
            source = Source.open(path)
        except CaptureError:
            return
        batch = read_all(source, 3)
        assert len(batch) <= len(data) // 12
        source.close()
