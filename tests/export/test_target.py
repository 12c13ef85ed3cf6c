"""A file is written whole or not touched."""

from __future__ import annotations

import gzip
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest
from capture_files import ROOT

from analyzer.export.target import SaveError, written
from tests.file_limit import file_limit

NOWHERE = Path("nowhere.pcap")


def refused(target: Path, source: Path = NOWHERE) -> str:
    with pytest.raises(SaveError) as caught, written(target, source, packed=False) as file:
        file.write(b"new")
    return str(caught.value)


@pytest.mark.parametrize("packed", [False, True])
def test_it_is_there_when_all_is_written(tmp_path: Path, packed: bool) -> None:
    target = tmp_path / "new.pcap"
    with written(target, NOWHERE, packed=packed) as file:
        file.write(b"one ")
        file.write(b"two")
        assert not target.exists()
    data = target.read_bytes()
    assert (gzip.decompress(data) if packed else data) == b"one two"
    assert os.listdir(tmp_path) == ["new.pcap"]


def test_an_older_file_gives_way_and_its_mode_stays(tmp_path: Path) -> None:
    target = tmp_path / "old.pcap"
    target.write_bytes(b"old")
    target.chmod(0o640)
    with written(target, NOWHERE, packed=False) as file:
        file.write(b"new")
        assert target.read_bytes() == b"old"
    assert target.read_bytes() == b"new"
    if os.name == "posix":
        assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.parametrize("packed", [False, True])
def test_an_exception_leaves_the_older_file(tmp_path: Path, packed: bool) -> None:
    target = tmp_path / "old.pcap"
    target.write_bytes(b"old")
    with pytest.raises(TypeError), written(target, NOWHERE, packed=packed) as file:
        file.write(cast(bytes, "no bytes"))
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["old.pcap"]


@pytest.mark.parametrize("packed", [False, True])
def test_no_room(tmp_path: Path, packed: bool) -> None:
    target = tmp_path / "old.pcap"
    target.write_bytes(b"old")
    with file_limit(1000), pytest.raises(SaveError) as caught, written(target, NOWHERE, packed=packed) as file:
        file.write(os.urandom(4_000_000))
    assert str(caught.value) == "There is no room left for old.pcap; it was not written."
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["old.pcap"]


def test_no_room_for_the_last_bytes(tmp_path: Path) -> None:
    """They are in memory until the file is closed."""
    with (
        file_limit(2),
        pytest.raises(SaveError, match="no room"),
        written(tmp_path / "a", NOWHERE, packed=False) as file,
    ):
        file.write(b"four")
    assert os.listdir(tmp_path) == []


def test_another_save_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "new.pcap.part").write_bytes(b"somebody else's")
    with written(tmp_path / "new.pcap", NOWHERE, packed=False) as file:
        file.write(b"new")
    assert (tmp_path / "new.pcap").read_bytes() == b"new"
    assert (tmp_path / "new.pcap.part").read_bytes() == b"somebody else's"


def test_the_capture_itself_under_any_name(tmp_path: Path) -> None:
    source = tmp_path / "game.pcap"
    source.write_bytes(b"old")
    other = tmp_path / "other.pcap"
    os.link(source, other)
    assert refused(source, source) == "game.pcap is the capture that is being read; choose another name."
    assert refused(other, source) == "other.pcap is the capture that is being read; choose another name."
    assert source.read_bytes() == b"old"


def test_what_is_no_file(tmp_path: Path) -> None:
    assert refused(tmp_path) == f"{tmp_path.name} is a folder, not a file."
    assert refused(tmp_path / "absent" / "new.pcap") == f"The folder {tmp_path / 'absent'} does not exist."
    if os.name == "posix":
        assert refused(Path("/dev/full")) == "full is a device or a pipe, not a file."
    assert "cannot be written: " in refused(tmp_path / ("n" * 300))
    assert "cannot be written: " in refused(tmp_path / "n\0")


UNPRIVILEGED = """
import os, sys
from pathlib import Path
from analyzer.export.target import SaveError, written
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
for target in sys.argv[1:]:
    try:
        with written(Path(target), Path("nowhere"), packed=False) as file:
            file.write(b"new")
    except SaveError as error:
        print(error)
"""


@pytest.mark.skipif(os.name != "posix", reason="rights are different there")
def test_no_right(tmp_path: Path) -> None:
    old = tmp_path / "old.pcap"
    old.write_bytes(b"old")
    old.chmod(0o444)
    for folder in tmp_path.parents:
        if folder.name.startswith(("pytest-", "popen-")):
            folder.chmod(0o755)
    tmp_path.chmod(0o555)
    try:
        done = subprocess.run(
            [sys.executable, "-c", UNPRIVILEGED, str(tmp_path / "new.pcap"), str(old)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert done.stdout.splitlines() == [
            f"new.pcap cannot be written: this user may not write to {tmp_path}.",
            "old.pcap may not be changed by this user.",
        ]
    finally:
        tmp_path.chmod(0o755)
    assert old.read_bytes() == b"old"
