"""The packet list."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from analyzer.cli import main
from tests.cli.cut_capture import RECONNECT


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["packets", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_one_record_for_every_datagram(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    found = [json.loads(line) for line in printed(capsys, str(head), "--format", "jsonl").splitlines()]
    assert [record["frame"] for record in found] == list(range(1, 301))
    assert found[0]["time"] == 0
    assert {record["protocol"] for record in found} == {"teeworlds"}
    assert all(record["length"] == record["captured"] for record in found)
    assert all(len(record["messages"]) <= record["chunks"] or record["kind"] == "control" for record in found)
    snapshots = [record for record in found if record["snapshot"] is not None]
    assert snapshots
    assert all("SNAP" in " ".join(record["messages"]).upper() for record in snapshots)
    assert all(record["source"].endswith(":8303") for record in snapshots)


def test_csv_and_text_have_the_same_packets(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    records = [json.loads(line) for line in printed(capsys, str(head), "--format", "jsonl").splitlines()]
    rows = list(csv.DictReader(io.StringIO(printed(capsys, str(head), "--format", "csv"))))
    assert [row["info"] for row in rows] == [record["info"] for record in records]
    lines = printed(capsys, str(head)).splitlines()
    assert len(lines) == 301
    assert lines[1].split()[:3] == ["1", "0.000000", records[0]["source"]]


def test_connectionless_packets_are_rows_too(capsys: pytest.CaptureFixture[str]) -> None:
    found = [json.loads(line) for line in printed(capsys, str(RECONNECT), "--format", "jsonl").splitlines()]
    assert len(found) == 2635
    assert sum(record["kind"] == "connless" for record in found) == 4
