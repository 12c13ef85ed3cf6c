"""What is wrong, as text and JSON, and the exit code for CI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from capture_files import BUNDLED, SAMPLE

from analyzer.cli import main
from analyzer.expert.rule import Severity
from analyzer.filters.view import SEVERITIES

BAD = BUNDLED / "ddnet_tsunami_badcrc_head.pcap"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(["findings", *arguments]) == code
    out, err = capsys.readouterr()
    assert err == ""
    return out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["findings", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed(capsys, *arguments, "--json"), parse_constant=pytest.fail)
    return found


def test_root_causes_with_what_follows(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, str(BAD))
    assert found["counts"] == {"note": 5, "warn": 0, "error": 3}
    assert [rule for rule in found["rules"] if rule["rule"] == "snap.crc"] == [
        {"rule": "snap.crc", "title": "Checksum differs", "severity": "error", "count": 3, "followers": 95}
    ]
    wrong = [finding for finding in found["findings"] if finding["rule"] == "snap.crc"]
    assert [(one["frame"], one["tick"], one["player"], one["followers"]) for one in wrong] == [
        (334, 164, "bot0", 0),
        (715, 230, "bot0", 67),
        (1175, 308, "bot2", 28),
    ]
    assert wrong[0]["text"] == "crc mismatch: 9574acc0 on the wire, 9574acc1 computed, difference +1"
    assert {key for one in found["findings"] for key in one} == {
        *("rule", "severity", "frame", "time", "client", "server", "session", "player", "tick", "followers", "text"),
    }
    assert [one["frame"] for one in found["findings"]] == sorted(one["frame"] for one in found["findings"])


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, str(BAD)).splitlines()
    assert lines[0] == "3 errors, 0 warnings, 5 notes"
    assert lines[2] == "error  snap.crc  Checksum differs: 3, 95 snapshots failed because of them"
    assert lines[4].split() == ["334", "1.197487", "bot0", "0", "164", "-", "error", *lines[4].split()[7:]]


def test_all_or_the_first_of_each_rule(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap")
    few = printed(capsys, path, "--rule", "base.full_resync").splitlines()
    every = printed(capsys, path, "--rule", "base.full_resync", "--all").splitlines()
    assert few[-1] == "  ... 136 more (--all)"
    assert len(every) == 4 + 146
    assert [line.split() for line in every[:14]] == [line.split() for line in few[:14]]


def test_an_autopsy(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, str(BAD), "--rule", "snap.crc", "--autopsy")
    first = found["findings"][0]
    assert first["verdict"].startswith("One explanation fits best: Character 1: player_flags is 2, not 1")
    assert first["explanations"][0] == {
        "kind": "other-client",
        "rank": 1,
        "text": "Character 1: player_flags is 2, not 1, as bot2 was told of the same tick",
        "type": 9,
        "id": 1,
    }
    lines = printed(capsys, str(BAD), "--rule", "snap.crc", "--autopsy").splitlines()
    assert f"  frame 334: {first['verdict']}" in lines


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--fail-on", "error"], 3),
        (["--fail-on", "warn"], 3),
        (["--fail-on", "snap.crc"], 3),
        (["--fail-on", "base.stuck"], 0),
        (["--fail-on", "base.stuck", "--fail-on", "note"], 3),
        (["--fail-on", "error", "--rule", "base.full_resync"], 0),
        (["--fail-on", "error", "--client", "127.0.0.1:36879"], 3),
        ([], 0),
    ],
)
def test_exit_codes(capsys: pytest.CaptureFixture[str], options: list[str], code: int) -> None:
    printed(capsys, str(BAD), *options, code=code)


def test_a_clean_capture(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, str(SAMPLE), "--fail-on", "warn", "--least", "warn")
    assert out == "0 errors, 0 warnings, 0 notes\n"


def test_thresholds(capsys: pytest.CaptureFixture[str]) -> None:
    assert not document(capsys, str(SAMPLE), "--rule", "base.stuck")["findings"]
    options = ["--set", "base.stuck.snapshots=2", "--set", "base.stuck.age_ms=1e6", "--set", "base.stuck.worst_ticks=2"]
    found = document(capsys, str(SAMPLE), "--rule", "base.stuck", *options)["findings"]
    assert {one["severity"] for one in found} == {"warn"}


def test_without_items(capsys: pytest.CaptureFixture[str]) -> None:
    rules = [{one["rule"] for one in document(capsys, str(SAMPLE), *more)["rules"]} for more in ([], ["--no-items"])]
    assert rules[0] - rules[1] == {"snap.ext_unregistered"}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--fail-on", "bad"], "'bad' is not one of note, warn, error or a rule (snap.crc, "),
        (["--rule", "snap"], "'snap' is no rule; there are snap.crc, "),
        (["--least", "bad"], "'bad' is not one of note, warn, error"),
        (["--set", "base.stuck"], "'base.stuck' is not THRESHOLD=NUMBER"),
        (["--set", "base.stuck=3"], "'base.stuck' is no threshold; there are "),
        (["--set", "base.stuck.snapshots=1"], "base.stuck.snapshots must be at least 2"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], options: list[str], text: str) -> None:
    assert text in refused(capsys, str(BAD), *options)


def test_a_filter_is_about_the_packets(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = document(capsys, str(BAD), "-Y", 'finding.severity >= warn && session.player == "bot2"')["findings"]
    every = document(capsys, str(BAD))["findings"]
    assert chosen == [one for one in every if one["player"] == "bot2" and one["severity"] != "note"]
    assert [one["frame"] for one in chosen] == [1175]
    assert main(["findings", str(BAD), "-Y", "frame.number < 300", "--fail-on", "error"]) == 0
    assert main(["findings", str(BAD), "-Y", "frame.number", "--fail-on", "error"]) == 3
    capsys.readouterr()
    assert main(["findings", str(BAD), "-Y", "frame.numbr"]) == 2
    assert "did you mean frame.number" in capsys.readouterr().err


def test_severities_have_the_words_of_filters() -> None:
    assert SEVERITIES[1:] == tuple(severity.word for severity in Severity)


def test_a_client_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["findings", str(BAD), "--client", "10.0.0.1"]) == 1
    assert "no client 10.0.0.1 in this capture" in capsys.readouterr().err


def test_an_empty_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "empty.pcap"
    path.write_bytes(BAD.read_bytes()[:24])
    assert main(["findings", str(path), "--fail-on", "note"]) == 0
    out, err = capsys.readouterr()
    assert out == "0 errors, 0 warnings, 0 notes\n"
    assert err
