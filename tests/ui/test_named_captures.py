"""Names that a person gives captures, and copying to them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from analyzer.export.target import SaveError
from tests.file_limit import file_limit
from ui.spools import copy, ended, named


def test_a_name_with_an_ending_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "game.pcap").touch()
    assert named(str(tmp_path / "game.pcap"), ".pcapng") == tmp_path / "game.pcap"


def test_an_ending_makes_a_name_that_no_file_has(tmp_path: Path) -> None:
    assert named(str(tmp_path / "game"), ".pcapng") == tmp_path / "game.pcapng"
    (tmp_path / "game.pcapng").touch()
    (tmp_path / "game-2.pcapng").touch()
    assert named(str(tmp_path / "game"), ".pcapng") == tmp_path / "game-3.pcapng"
    assert ended(tmp_path / "game.pcapng", ".gz") == tmp_path / "game.pcapng.gz"


def test_a_copy_takes_the_place_of_an_older_file_only_when_it_is_whole(tmp_path: Path) -> None:
    folder = tmp_path / "captures"
    folder.mkdir()
    source, target, other = (folder / name for name in ("spool", "kept.pcapng", "kept.pcapng.part"))
    source.write_bytes(os.urandom(3_000_000))
    target.write_text("old")
    other.write_text("somebody's")
    with file_limit(1000), pytest.raises(SaveError, match=r"^There is no room left for kept.pcapng"):
        copy(source, target)
    assert target.read_text() == "old"
    copy(source, target)
    assert target.read_bytes() == source.read_bytes()
    assert other.read_text() == "somebody's"
    with pytest.raises(SaveError, match="is the capture that is being read"):
        copy(source, source)
    with pytest.raises(SaveError, match="cannot be written"):
        copy(folder / "gone", target)
    assert sorted(os.listdir(folder)) == ["kept.pcapng", "kept.pcapng.part", "spool"]
