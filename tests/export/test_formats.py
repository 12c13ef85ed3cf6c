"""Records that are made of columns: times, lengths, names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.capture.frames import FrameBatch, Interface, join_batches
from analyzer.capture.source import Source
from analyzer.export.formats import (
    Format,
    Frames,
    PcapngRecords,
    PcapRecords,
    check_times,
    commented_packet,
    format_of,
)
from analyzer.export.target import SaveError

TIME = 1_700_000_000_123_456_789


def frames(*entries: tuple[int, int, int, bytes]) -> Frames:
    """Of time, original length, interface and bytes."""
    columns = [np.array([entry[at] for entry in entries], dtype=np.int64) for at in range(3)]
    return Frames(*columns, [entry[3] for entry in entries])


def read_back(path: Path, data: bytes) -> tuple[Source, FrameBatch]:
    path.write_bytes(data)
    source, batches = Source.open(path), list[FrameBatch]()
    while not source.at_end:
        batches.append(source.read(100))
    return source, join_batches(batches)


@given(
    entries=st.lists(
        st.tuples(st.integers(0, 2**62), st.integers(0, 2**32 - 1), st.integers(0, 1), st.binary(max_size=9)),
        max_size=20,
    )
)
def test_any_frames_come_back_from_pcapng(
    entries: list[tuple[int, int, int, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    interfaces = [Interface("lo", 1, 96, "a note"), Interface("", 101, 0)]
    records = PcapngRecords(interfaces, "tests", "all of it")
    data = records.header + b"".join(records.records(frames(*entries)))
    source, batch = read_back(tmp_path_factory.mktemp("any") / "any.pcapng", data)
    assert source.interfaces == interfaces
    assert source.problems == []
    found = zip(*(getattr(batch, name).tolist() for name in ("time_ns", "original", "interface")), strict=True)
    assert list(found) == [entry[:3] for entry in entries]
    places = zip(batch.offset.tolist(), batch.captured.tolist(), strict=True)
    assert [source.data(offset, length) for offset, length in places] == [entry[3] for entry in entries]
    source.close()


@pytest.mark.parametrize(("nanoseconds", "step"), [(True, 1), (False, 1000)])
def test_pcap_keeps_times_as_its_header_says(tmp_path: Path, nanoseconds: bool, step: int) -> None:
    records = PcapRecords(113, 0, nanoseconds=nanoseconds)
    written = frames((TIME, 1500, 0, b"abc"), (TIME + 999, 4, 0, b"defg"), (0, 0, 0, b""))
    source, batch = read_back(tmp_path / "a.pcap", records.header + b"".join(records.records(written)))
    assert batch.time_ns.tolist() == [time // step * step for time in written.time_ns.tolist()]
    assert batch.original.tolist() == [1500, 4, 0]
    assert source.interfaces == [Interface("", 113, 262144)]
    assert ("nanoseconds" in source.format) == nanoseconds
    source.close()


def test_a_packet_with_a_comment(tmp_path: Path) -> None:
    records = PcapngRecords([Interface("lo", 1, 0)], "tests", "")
    block = commented_packet(0, TIME, b"abcde", "why it is here")
    source, batch = read_back(tmp_path / "a.pcapng", records.header + block + block)
    assert batch.time_ns.tolist() == [TIME, TIME]
    assert source.data(int(batch.offset[1]), 5) == b"abcde"
    # opt_comment, 14 bytes and 2 of padding; end of options; length of the block
    assert block.endswith(b"\x01\0\x0e\0why it is here\0\0" + bytes(4) + len(block).to_bytes(4, "little"))
    source.close()


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.pcap", Format.PCAP),
        ("a.PCAP.gz", Format.PCAP),
        ("a.pcapng", Format.PCAPNG),
        ("a.pcapng.gz", Format.PCAPNG),
        ("a.pcap.pcapng", Format.PCAPNG),
        ("a.cap", Format.PCAPNG),
        ("a", Format.PCAPNG),
    ],
)
def test_the_format_that_a_name_says(name: str, form: Format) -> None:
    assert format_of(Path(name)) is form


def test_times_that_a_format_cannot_hold() -> None:
    check_times(np.array([0, 2**62]), Format.PCAPNG)
    check_times(np.array([], dtype=np.int64), Format.PCAP)
    with pytest.raises(SaveError, match="before 1970"):
        check_times(np.array([5, -1]), Format.PCAPNG)
    with pytest.raises(SaveError, match="after 2106, which pcap cannot hold; choose pcapng"):
        check_times(np.array([2**32 * 1_000_000_000]), Format.PCAP)
