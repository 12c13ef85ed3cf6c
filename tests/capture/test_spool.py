"""The spool is a pcapng file whose every byte is as written down here, and stays whole when there is no room left."""

from __future__ import annotations

import errno
import os
import stat
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from capture_files import ROOT
from hypothesis import given
from hypothesis import strategies as st

from analyzer.capture.source import Source
from analyzer.capture.spool import Frame, InterfaceCounts, Spool, SpoolError, SpoolInterface
from tests.file_limit import file_limit

LOOPBACK = SpoolInterface("lo", 1, 262144, "udp port 8303")
TIME = 1_700_000_000_123_456_789


def read_back(path: Path) -> tuple[Source, list[Frame]]:
    source = Source.open(path)
    frames = []
    while len(batch := source.read(1000)):
        for row in range(len(batch)):
            data = source.data(int(batch.offset[row]), int(batch.captured[row]))
            frames.append(Frame(int(batch.time_ns[row]), int(batch.original[row]), data))
    source.close()
    return source, frames


def test_bytes_of_every_block(tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    spool = Spool.create(path, [LOOPBACK], "tests")
    spool.append(0, [Frame(0x1122334455667788, 9, b"\x01\x02\x03\x04\x05")])
    spool.append_counts(0, InterfaceCounts(1, 0x1122334455667788, 7, 2, 3, 5))
    spool.close()
    expected = (
        "0a0d0d0a 2c000000 4d3c2b1a 0100 0000 ffffffffffffffff"  # section header, length unknown
        "0400 0500 7465737473 000000"  # shb_userappl
        "00000000 2c000000"
        "01000000 3c000000 0100 0000 00000400"  # interface description: Ethernet, snap length
        "0200 0200 6c6f 0000"  # if_name
        "0900 0100 09 000000"  # if_tsresol: nanoseconds
        "0b00 0e00 00 75647020706f72742038333033 0000"  # if_filter
        "00000000 3c000000"
        "06000000 28000000 00000000 44332211 88776655 05000000 09000000"  # enhanced packet
        "0102030405 000000 28000000"
        "05000000 70000000 00000000 44332211 88776655"  # interface statistics
        "0200 0800 00000000 01000000"  # isb_starttime
        "0300 0800 44332211 88776655"  # isb_endtime
        "0400 0800 0700000000000000"  # isb_ifrecv
        "0500 0800 0300000000000000"  # isb_ifdrop
        "0600 0800 0700000000000000"  # isb_filteraccept
        "0700 0800 0200000000000000"  # isb_osdrop
        "0800 0800 0500000000000000"  # isb_usrdeliv
        "00000000 70000000"
    )
    assert path.read_bytes() == bytes.fromhex(expected)
    assert spool.frames == 1
    assert spool.size == path.stat().st_size


def test_the_reader_finds_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    frames = [Frame(TIME + number, 1500, bytes([number]) * number) for number in range(40)]
    spool = Spool.create(path, [LOOPBACK], "tests")
    spool.append(0, frames[:7])
    spool.append(0, [])
    spool.append(0, frames[7:])
    spool.append_counts(0, InterfaceCounts(TIME, TIME + 40, 60, 20, 1, 40))
    spool.close()
    source, found = read_back(path)
    assert found == frames
    assert source.problems == []
    assert source.dropped == 21
    assert [(one.name, one.link_type, one.snap_length) for one in source.interfaces] == [("lo", 1, 262144)]


@given(
    batches=st.lists(
        st.lists(st.builds(Frame, st.integers(0, 2**63 - 1), st.integers(0, 2**32 - 1), st.binary(max_size=9)))
    )
)
def test_any_frames_come_back(batches: list[list[Frame]], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("any") / "spool.pcapng"
    spool = Spool.create(path, [LOOPBACK], "tests")
    for batch in batches:
        spool.append(0, batch)
    spool.close()
    source, found = read_back(path)
    assert found == [frame for batch in batches for frame in batch]
    assert source.problems == []


def test_only_the_owner_may_read_it_and_no_file_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    Spool.create(path, [LOOPBACK], "tests").close()
    before = path.read_bytes()
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(SpoolError, match=r"^spool\.pcapng exists already; it is not overwritten\.$"):
        Spool.create(path, [LOOPBACK], "tests")
    assert path.read_bytes() == before


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SpoolError, match=r"^spool\.pcapng cannot be made: No such file or directory\.$") as caught:
        Spool.create(tmp_path / "absent" / "spool.pcapng", [LOOPBACK], "tests")
    assert not caught.value.full


@pytest.mark.parametrize("room", [0, 1, 31, 32, 71, 72, 73, 150])
def test_no_room_left_keeps_what_was_written(tmp_path: Path, room: int) -> None:
    path = tmp_path / "spool.pcapng"
    frames = [Frame(TIME + number, 40, bytes([number]) * 40) for number in range(4)]
    spool = Spool.create(path, [LOOPBACK], "tests")
    spool.append(0, frames[:1])
    with file_limit(spool.size + room), pytest.raises(SpoolError) as caught:
        spool.append(0, frames[1:])
    kept = 1 + room // 72
    assert caught.value.full
    assert str(caught.value) == (
        "spool.pcapng cannot be written any further: there is no room left for it; what was written is whole."
    )
    assert spool.frames == kept
    assert spool.size == path.stat().st_size
    # There is room again: the file goes on where it was cut.
    spool.append(0, frames[kept:])
    spool.close()
    source, found = read_back(path)
    assert found == frames
    assert source.problems == []


def test_no_room_for_the_beginning_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    with file_limit(20), pytest.raises(SpoolError) as caught:
        Spool.create(path, [LOOPBACK], "tests")
    assert caught.value.full
    assert not path.exists()


def test_a_medium_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    spool = Spool.create(path, [LOOPBACK], "tests")
    spool.close()
    with pytest.raises(SpoolError) as caught:
        spool.append(0, [Frame(TIME, 1, b"1")])
    assert not caught.value.full
    assert os.strerror(errno.EBADF) in str(caught.value)


WRITER = """
import sys
from analyzer.capture.spool import Frame, Spool, SpoolInterface
spool = Spool.create(sys.argv[1], [SpoolInterface("lo", 1, 262144)], "tests")
print("ready", flush=True)
number = 0
while True:
    spool.append(0, [Frame(number + at, 600, (number + at).to_bytes(4, "little") * 150) for at in range(400)])
    number += 400
"""


@pytest.mark.parametrize("read_first", [1 << 18, 1 << 20, 3 << 20, 9 << 20])
def test_killed_while_it_writes(tmp_path: Path, read_first: int) -> None:
    """Whatever the moment, all blocks but the last are whole, and their frames those that were written, in order."""
    path = tmp_path / "spool.pcapng"
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"ready\n"
    while path.stat().st_size < read_first:
        pass
    writer.kill()
    writer.wait()
    writer.stdout.close()
    source, found = read_back(path)
    assert len(found) > 300
    assert [frame.time_ns for frame in found] == list(range(len(found)))
    assert all(frame.data == struct.pack("<I", frame.time_ns) * 150 for frame in found)
    assert [problem for problem in source.problems if "the file stops in the middle of" not in problem.text] == []
