"""Why nothing is listed: said in one line, also of a game that is recognised but not decoded."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.cli import main
from analyzer.cli.absent import not_decoded
from tests.capture.builders import pcap_file
from tests.cli.cut_capture import udp_capture

SEVEN_REQUEST = bytes.fromhex("040000 ffffffff 05 c1c1c1c1") + bytes(508)
SEVEN_ANSWER = bytes.fromhex("040000 c1c1c1c1 05 12345678")
SENTENCE = "Recognised, but not decoded by this release: Teeworlds / DDNet 0.7 (2 packets)"


@pytest.fixture
def seven(tmp_path: Path) -> Path:
    """The beginning of a connection of Teeworlds 0.7."""
    path = tmp_path / "seven.pcap"
    path.write_bytes(udp_capture([SEVEN_REQUEST, SEVEN_ANSWER], from_server=(1,)))
    return path


@pytest.mark.parametrize(("command", "lines"), [("snapshots", 1), ("packets", 3)])
def test_recognised_but_not_decoded(capsys: pytest.CaptureFixture[str], seven: Path, command: str, lines: int) -> None:
    assert main([command, str(seven)]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == lines
    assert err == f"snapscope-cli: {seven}: r{SENTENCE[1:]}\n"


def test_the_summary_says_it_too(capsys: pytest.CaptureFixture[str], seven: Path) -> None:
    assert main(["summary", str(seven)]) == 0
    out, err = capsys.readouterr()
    assert f"\n{SENTENCE}\n" in out
    assert err == ""


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
