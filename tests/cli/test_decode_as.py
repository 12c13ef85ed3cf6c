"""`--decode-as`: a flow is read as a person says, by every command; what is possible is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyzer.cli import main


def records(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    assert main([*arguments, "--format", "jsonl"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_the_right_dialect_changes_nothing_and_a_wrong_one_all(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    games = {"dialect": "ddnet"}.items()
    detected = [record for record in records(capsys, "packets", str(head)) if games <= record.items()]
    pinned = records(capsys, "packets", str(head), "--decode-as", "8303=ddnet")
    assert detected
    assert [record for record in pinned if record in detected] == detected
    assert all(games <= record.items() for record in pinned)
    wrong = records(capsys, "packets", str(head), "--decode-as", "8303=0.6.5")
    assert {record["dialect"] for record in wrong} == {"0.6.5"}


def test_the_closest_counts_and_none_is_not_decoded(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    source = next(
        record for record in records(capsys, "packets", str(head)) if str(record["destination"]).endswith("8303")
    )
    one = f"{source['source']}-{source['destination']}=none"
    found = records(capsys, "packets", str(head), "--decode-as", one, "--decode-as", "8303=DDNet")
    own = [record for record in found if source["source"] in (record["source"], record["destination"])]
    assert 0 < len(own) < len(found)
    assert {record["protocol"] for record in own} == {"udp"}
    assert {record["dialect"] for record in found if record not in own} == {"ddnet"}


@pytest.mark.parametrize("command", ["summary", "changes", "explain", "timeline", "save"])
def test_every_command_takes_it(capsys: pytest.CaptureFixture[str], head: Path, tmp_path: Path, command: str) -> None:
    more = {"changes": ["--frame", "1"], "explain": ["--frame", "60"], "save": ["--out", str(tmp_path / "x.pcap")]}.get(
        command, []
    )
    main([command, str(head), *more, "--decode-as", "9999=ddnet"])
    assert "no flow is meant by --decode-as 9999=ddnet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("8303", "'8303' is no PORT=DIALECT or ADDRESS:PORT=DIALECT"),
        ("8303=0.9", "'0.9' is no dialect that can be decoded; there are 0.6, ddnet, 0.6.5"),
        ("70000=ddnet", "70000 is no port; ports are 1 to 65535"),
        ("host:1=ddnet", "'host:1' is no PORT, ADDRESS:PORT or [IPV6]:PORT"),
    ],
)
def test_what_is_wrong_is_said(capsys: pytest.CaptureFixture[str], head: Path, text: str, says: str) -> None:
    assert main(["packets", str(head), "--decode-as", text]) == 2
    assert says in capsys.readouterr().err
