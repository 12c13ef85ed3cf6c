"""Temporary captures: whose they are, which of them were left behind, and what is in those."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from capture_files import BUNDLED, ROOT

from analyzer.capture.spool import Frame, Spool, SpoolInterface
from analyzer.capture.spools import Spools, delete, spool_folders

NOW = datetime(2026, 11, 30, 13, 38, 15, tzinfo=UTC)
SECOND = 1_000_000_000
LEAVE = """
import os, sys
from datetime import datetime
from pathlib import Path
from analyzer.capture.spools import Spools
spools = Spools(Path(sys.argv[1]))
print(spools.make(sys.argv[2], datetime(2026, 11, 30, 13, 38, 15)), flush=True)
sys.stdin.read()
os.kill(os.getpid(), 9)
"""


class Owner:
    """Another process that has made a temporary file."""

    def __init__(self, folder: Path, name: str = "lo") -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", LEAVE, str(folder), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            text=True,
        )
        assert self._process.stdout is not None
        self.file = Path(self._process.stdout.readline().rstrip("\n"))

    def die(self) -> Path:
        """It is killed; the file that it leaves."""
        self._process.communicate("")
        return self.file


def write(file: Path, frames: int, *, name: str = "lo", time_s: int = 1000) -> Spool:
    spool = Spool.create(file, [SpoolInterface(name, 1, 262144)], "tests")
    spool.append(0, [Frame((time_s + number) * SECOND, 60, bytes(60)) for number in range(frames)])
    return spool


def test_a_name_in_a_folder_of_its_own(tmp_path: Path) -> None:
    spools = Spools(tmp_path)
    one, other = spools.make("eth 0/1", NOW), spools.make("eth 0/1", NOW, ".pcap")
    assert (one.name, other.name) == ("eth_0_1-20261130-133815.pcapng", "eth_0_1-20261130-133815.pcap")
    assert one.parent != other.parent
    assert not one.exists()
    one.write_bytes(b"bytes")
    spools.drop_others(one)
    assert one.exists()
    assert not other.parent.exists()
    spools.drop_others()
    assert list(tmp_path.iterdir()) == []


def test_what_has_an_owner_is_not_found(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    write(owner.file, 3).close()
    spools = Spools(tmp_path)
    own = spools.make("lo", NOW)
    write(own, 3).close()
    assert spools.look().spools == []
    owner.die()
    (found,) = spools.look().spools
    assert (found.file, found.name, found.packets, found.time_ns) == (owner.file, "lo", 3, 1000 * SECOND)
    assert found.size == owner.file.stat().st_size
    assert Spools(tmp_path).look().spools == [], "it is offered once"
    delete(found)
    assert [folder for folder in tmp_path.iterdir() if folder != own.parent] == []


def test_several_the_newest_first_and_empty_ones_go(tmp_path: Path) -> None:
    for name, frames, time_s in (("one", 2, 1000), ("two", 5, 3000), ("three", 1, 2000), ("empty", 0, 0)):
        write(Owner(tmp_path, name).die(), frames, name=name, time_s=time_s).close()
    nothing, cut = Owner(tmp_path, "nothing").die(), Owner(tmp_path, "cut").die()
    cut.write_bytes(bytes.fromhex("0a0d0d0a 1c000000"))
    spools = Spools(tmp_path)
    found = spools.look().spools
    assert [(spool.name, spool.packets) for spool in found] == [("two", 5), ("three", 1), ("one", 2)]
    assert not nothing.parent.exists()
    assert not cut.parent.exists()
    assert len(list(tmp_path.iterdir())) == 3


def test_cut_in_its_last_block(tmp_path: Path) -> None:
    file = Owner(tmp_path).die()
    write(file, 5).close()
    os.truncate(file, file.stat().st_size - 1)
    (found,) = Spools(tmp_path).look().spools
    assert found.packets == 4


def test_still_written_by_a_sniffer(tmp_path: Path) -> None:
    file = Owner(tmp_path).die()
    sniffer = write(file, 2)
    spools = Spools(tmp_path)
    looked = spools.look()
    assert (looked.spools, looked.written) == ([], 1)
    sniffer.append(0, [Frame(0, 60, bytes(60))])
    sniffer.close()
    looked = spools.look()
    assert ([spool.packets for spool in looked.spools], looked.written) == ([3], 0)


def test_what_cannot_be_read_is_left_to_a_person(tmp_path: Path) -> None:
    file = Owner(tmp_path).die()
    file.write_bytes(b"nothing that is known" * 1000)
    (found,) = Spools(tmp_path).look().spools
    assert (found.name, found.packets) == ("lo", None)
    assert file.exists()


def test_another_format_that_came_through_a_pipe(tmp_path: Path) -> None:
    file = Owner(tmp_path, "standard input").die().with_suffix(".pcap")
    shutil.copyfile(BUNDLED / "serverinfo_and_play_head.pcap", file)
    (found,) = Spools(tmp_path).look().spools
    assert found.name == "standard_input"
    assert found.packets


def test_taken_over_it_is_dropped_like_ones_own(tmp_path: Path) -> None:
    file = Owner(tmp_path).die()
    write(file, 2).close()
    spools = Spools(tmp_path)
    (found,) = spools.look().spools
    spools.take_over(found)
    assert spools.known_packets(file) == 2
    spools.drop_others(file)
    assert file.exists()
    spools.drop_others()
    assert not file.parent.exists()


def test_what_was_saved_is_not_offered(tmp_path: Path) -> None:
    spools = Spools(tmp_path)
    file = spools.make("lo", NOW)
    write(file, 2).close()
    spools.is_saved(file)
    assert file.exists()
    del spools
    assert Spools(tmp_path).look().spools == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
def test_what_only_looks_like_one_is_left_alone(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    write(elsewhere / "lo-20261130-133815.pcapng", 2).close()
    place = tmp_path / "place"
    place.mkdir()
    (place / "snapscope-spool-link").symlink_to(elsewhere)
    (place / "snapscope-spool-file").write_bytes(b"bytes")
    (place / "other").mkdir()
    assert Spools(place).look().spools == []
    assert len(list(place.iterdir())) == 3
    assert len(list(elsewhere.iterdir())) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="where the folder lies is named as on Linux")
def test_where_they_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert spool_folders() == [tmp_path / "state" / "snapscope" / "spools", tmp_path]
    assert Spools().make("lo", NOW).parent.parent == spool_folders()[0]
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    monkeypatch.setenv("XDG_STATE_HOME", str(blocked))
    assert spool_folders() == [tmp_path], "there is always a place"
    file = Spools().make("lo", NOW)
    assert file.parent.parent == tmp_path
    write(file, 2).close()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert [spool.file for spool in Spools().look().spools] == [file], "wherever it lies"


def test_nowhere_to_look(tmp_path: Path) -> None:
    assert Spools(tmp_path / "none").look().spools == []
