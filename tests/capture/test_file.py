"""Opening and reading capture files: what cannot be opened says why, and reads are positioned."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from analyzer.capture.file import BlockWindow, CaptureFile
from analyzer.capture.frames import CaptureError


def test_reads_are_short_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"0123456789")
    file = CaptureFile.open(path)
    assert file.name == "a.bin"
    assert (file.read(2, 3), file.read(8, 9), file.read(10, 1), file.read(99, 1)) == (b"234", b"89", b"", b"")
    assert file.size() == 10
    with path.open("ab") as writer:
        writer.write(b"ab")
    assert (file.size(), file.read(8, 9)) == (12, b"89ab")
    file.close()
    file.close()
    with pytest.raises(CaptureError, match=r"a\.bin cannot be read"):
        file.read(0, 1)


def test_a_duplicate_outlives_the_original(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(range(256)) * 64)
    file = CaptureFile.open(path)
    other = file.duplicate()
    wrong: list[int] = []

    def check(mine: CaptureFile, first: int) -> None:
        wrong.extend(at for at in range(first, 4000, 7) if mine.read(at, 2) != bytes((at % 256, (at + 1) % 256)))

    threads = [threading.Thread(target=check, args=(mine, first)) for first, mine in enumerate((file, other))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    file.close()
    assert other.read(1, 1) == b"\x01"
    other.close()


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=r"gone\.pcap does not exist\."):
        CaptureFile.open(tmp_path / "gone.pcap")
    with pytest.raises(CaptureError, match="is a directory"):
        CaptureFile.open(tmp_path)
    with pytest.raises(CaptureError, match="cannot be opened"):
        CaptureFile.open("a\0b")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CaptureError, match="a device or a pipe"):
        CaptureFile.open(tmp_path / "pipe")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this user may read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    (tmp_path / "a.bin").touch(mode=0)
    with pytest.raises(CaptureError, match="may not be read"):
        CaptureFile.open(tmp_path / "a.bin")


def test_a_window_moves_only_when_it_must(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"0123456789")
    file = CaptureFile.open(path)
    window = BlockWindow(file, 4)
    assert window.holds(0, 2)
    assert (window.start, window.data) == (0, b"0123")
    assert window.holds(2, 2)
    assert window.start == 0
    assert window.holds(3, 6)
    assert (window.start, window.data) == (3, b"345678")
    assert not window.holds(8, 3)
    assert (window.start, window.data) == (8, b"89")
    file.close()
