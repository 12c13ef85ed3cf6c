"""A temporary file that arrays move to: what was in them stays, and can be written."""

from __future__ import annotations

import mmap
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from analyzer.store.spill import SEGMENT_BYTES, SpillFile, spill_folder


@pytest.mark.parametrize("dtype", ["i8", "u4", "u2", "?", "u1"])
def test_a_moved_array_holds_what_it_held_and_takes_more(tmp_path: Path, dtype: str) -> None:
    file = SpillFile(tmp_path)
    values = (np.arange(70_001) % 2).astype(dtype)
    moved = file.move(values)
    assert moved.dtype == values.dtype
    assert np.array_equal(moved, values)
    moved[-1] = 1
    assert moved[-3:].tolist() == [0, 1, 1]
    assert not moved.flags.owndata


def test_arrays_lie_beside_each_other_and_outlive_the_file(tmp_path: Path) -> None:
    file = SpillFile(tmp_path)
    moved = [file.move(np.full(count, count, np.int32)) for count in (1, 0, 3, 5000, 65_536)]
    moved[1:1] = [file.move(np.zeros(SEGMENT_BYTES, np.uint8)), file.move(np.full(2, 9))]
    del file
    assert [(len(one), int(one.sum())) for one in moved] == [
        (1, 1), (SEGMENT_BYTES, 0), (2, 18), (0, 0), (3, 9), (5000, 5000**2), (65_536, 65_536**2),
    ]  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="there the name goes with the last handle")
def test_nobody_sees_the_file(tmp_path: Path) -> None:
    file = SpillFile(tmp_path)
    file.move(np.arange(10))
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        SpillFile(tmp_path / "nowhere")


@pytest.mark.skipif(sys.platform == "win32", reason="a file may be as large as the disk there")
def test_no_room(tmp_path: Path) -> None:
    import resource
    import signal

    file = SpillFile(tmp_path)
    first = file.move(np.arange(mmap.PAGESIZE))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SEGMENT_BYTES, before[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            file.move(np.zeros(SEGMENT_BYTES, np.uint8))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert first.tolist() == list(range(mmap.PAGESIZE))
    assert file.move(np.arange(3)).tolist() == [0, 1, 2]


def test_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert spill_folder() == str(tmp_path)
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(name, raising=False)
    assert os.access(spill_folder(), os.W_OK)


def test_room_that_nobody_looks_at_is_used_again(tmp_path: Path) -> None:
    file = SpillFile(tmp_path)
    size, dtype = SEGMENT_BYTES // 4, np.dtype(np.uint8)
    kept = file.room(size, dtype)
    kept[:] = 7
    for value in range(40):
        room = file.room(size, dtype)
        room[:] = value
        view = room[5:9]
        del room
        assert view.tolist() == [value] * 4, "a part of it still counts"
        # Larger than what is free by then.
        del view
        assert file.size <= 2 * SEGMENT_BYTES
    file.let_go()
    assert (kept == 7).all()
