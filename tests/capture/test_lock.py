"""Locks end with their owner, however it ends, and are not handed down."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from capture_files import ROOT

from analyzer.capture.lock import Lock, is_written, mark_written

HOLD = """
import subprocess, sys, time
from pathlib import Path
from analyzer.capture.lock import Lock
lock = Lock.take(Path(sys.argv[1]))
child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
print(lock is not None, flush=True)
time.sleep(600)
"""


def test_one_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "owner"
    lock = Lock.take(path)
    assert lock is not None
    assert Lock.take(path) is None, "also this process only once"
    lock.release()
    lock.release()
    again = Lock.take(path)
    assert again is not None
    del again
    assert Lock.take(path) is not None, "a lock that nobody has goes"


def test_it_ends_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "owner"
    owner = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == "True\n"
    assert Lock.take(path) is None
    owner.kill()
    owner.wait()
    owner.stdout.close()
    assert Lock.take(path) is not None


def test_a_file_in_a_folder_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Lock.take(tmp_path / "none" / "owner")


def test_who_still_writes(tmp_path: Path) -> None:
    path = tmp_path / "spool"
    with path.open("wb", buffering=0) as file:
        mark_written(file.fileno())
        assert is_written(path)
        file.write(b"bytes")
        assert path.read_bytes() == b"bytes"
    assert not is_written(path)
