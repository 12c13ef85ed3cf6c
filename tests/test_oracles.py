"""Every capture gives the snapshots that the real client's demo or an independent decoder gave: its oracle file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from capture_files import oracle_path, oracle_records

from analyzer import cli

KEYS = (
    "session",
    "ver",
    "base_tick",
    "kind",
    "parts",
    "crc",
    "crc_ok",
    "deleted",
    "updated",
    "num_items",
    "items_sha256",
)


def place(record: dict[str, object]) -> tuple[object, ...]:
    return record["client"], record["server"], record["tick"], record["frame"]


def test_snapshots_are_those_of_the_oracle(capture: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert oracle_path(capture).is_file()
    expected = {place(record): record for record in oracle_records(capture)}
    assert cli.main(["snapshots", str(capture), "--format", "jsonl"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["frame"] for record in records] == sorted(record["frame"] for record in records)
    found = {place(record): record for record in records}
    assert len(found) == len(records)
    assert found.keys() == expected.keys()
    for key, record in expected.items():
        assert {name: found[key][name] for name in KEYS} == {name: record[name] for name in KEYS}
