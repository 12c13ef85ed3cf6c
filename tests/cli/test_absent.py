"""Why nothing is listed: said in one line, also of a game that is recognised but not decoded."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.cli import main
from analyzer.cli.absent import not_decoded, note_absence
from analyzer.stats.flows import flow_ends
from tests.capture.builders import pcap_file
from tests.stats.hand_made import tables

SENTENCE = "Recognised, but not decoded by this release: a foreign one (1 packet)"


def test_recognised_but_not_decoded(capsys: pytest.CaptureFixture[str]) -> None:
    assert not_decoded(flow_ends(tables())) == SENTENCE
    note_absence(Path("game.pcap"), tables(), warned=False)
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"snapscope-cli: game.pcap: r{SENTENCE[1:]}\n")


def test_nothing_recognised_is_nothing_to_say() -> None:
    assert not_decoded([]) == ""


@pytest.mark.parametrize("command", ["snapshots", "packets"])
def test_a_header_without_frames(capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str) -> None:
    path = tmp_path / "head.pcap"
    path.write_bytes(pcap_file([]))
    assert main([command, str(path)]) == 0
    assert capsys.readouterr().err == f"snapscope-cli: {path}: no frames\n"
    assert main(["summary", str(path)]) == 0
    assert "  frames    no frames\n" in capsys.readouterr().out
