"""The list of snapshots: the protocol's records as JSON lines, neutral columns as CSV and text."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from pathlib import Path

import pytest
from capture_files import SAMPLE

from analyzer.cli import main
from tests.cli.cut_capture import IPV6, SLICES, first_records, reconnect_oracle, without_records

Record = dict[str, object]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["snapshots", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def records(capsys: pytest.CaptureFixture[str], capture: Path, *options: str) -> list[Record]:
    out = printed(capsys, str(capture), "--format", "jsonl", *options)
    return [json.loads(line, parse_constant=pytest.fail) for line in out.splitlines()]


def test_records_are_those_of_the_oracle(capsys: pytest.CaptureFixture[str], reconnect: Path) -> None:
    expected = reconnect_oracle()
    found = records(capsys, reconnect, "--items")
    assert len(expected) > 500
    assert [{key: record[key] for key in expected[0]} for record in found] == expected
    assert {record["status"] for record in found} == {"ok"}
    assert {record["client_has"] for record in found} <= {"acked", "later", "never"}
    assert {record["client_kept"] for record in found} == {True}


def test_items_come_only_when_asked_for(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    assert all("items" not in record for record in records(capsys, head))
    for record in records(capsys, head, "--items"):
        text = json.dumps(record["items"], separators=(",", ":"))
        assert record["items_sha256"] == hashlib.sha256(text.encode()).hexdigest()


def test_one_client(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    every = records(capsys, head)
    one = records(capsys, head, "--client", "127.0.0.1:40072")
    assert one == [record for record in every if record["client"] == "127.0.0.1:40072"]
    assert 0 < len(one) < len(every)
    assert records(capsys, head, "--client", "127.0.0.1") == every


def test_an_ipv6_client(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "ipv6.pcap"
    path.write_bytes(first_records(IPV6, 400))
    every = records(capsys, path)
    client = every[-1]["client"]
    assert isinstance(client, str)
    assert client.startswith("[")
    one = records(capsys, path, "--client", client)
    assert one == [record for record in every if record["client"] == client]
    assert records(capsys, path, "--client", client[1:].partition("]")[0]) == [
        record for record in every if str(record["client"]).startswith(client.partition("]")[0])
    ]


def test_all_adds_the_failed_ones_with_their_cause(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Frames that the capture missed hold bases of later snapshots."""
    path = tmp_path / "gap.pcap"
    path.write_bytes(without_records(SAMPLE, range(60, 100), 400))
    rebuilt = records(capsys, path)
    every = records(capsys, path, "--all")
    failed = [record for record in every if record["status"] not in ("ok", "crc")]
    assert failed
    assert [record for record in every if record["status"] in ("ok", "crc")] == rebuilt
    assert [record["frame"] for record in every] == sorted(record["frame"] for record in every)
    for record in failed:
        assert record["reason"]
        assert record["code"]
        assert "cause_frame" in record


def test_csv_has_the_same_snapshots(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(printed(capsys, str(head), "--format", "csv"))))
    expected = records(capsys, head)
    assert [(row["frame"], row["tick"], row["client"]) for row in rows] == [
        (str(record["frame"]), str(record["tick"]), record["client"]) for record in expected
    ]
    assert [int(row["items"]) for row in rows] == [record["num_items"] for record in expected]
    assert {row["status"] for row in rows} == {"ok"}
    assert all(float(row["time"]) >= 0 for row in rows)


def test_text_is_a_title_and_a_line_each(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    lines = printed(capsys, str(head)).splitlines()
    assert len(lines) == len(records(capsys, head)) + 1
    assert lines[0].split()[:3] == ["frame", "time", "client"]


@pytest.fixture
def gap(tmp_path: Path) -> Path:
    """The sample without some frames that hold bases of later snapshots."""
    path = tmp_path / "gap.pcap"
    path.write_bytes(without_records(SAMPLE, range(60, 100), 400))
    return path


def test_failures_alone(capsys: pytest.CaptureFixture[str], gap: Path) -> None:
    every = records(capsys, gap, "--all")
    failed = [record for record in every if record["status"] not in ("ok", "duplicate", "late")]
    assert failed
    assert records(capsys, gap, "--failed") == failed
    assert records(capsys, gap, "--status", "no-base") == [r for r in failed if r["status"] == "no-base"]
    assert records(capsys, gap, "--status", "ok", "--failed") == every


def test_a_status_that_does_not_exist(capsys: pytest.CaptureFixture[str], gap: Path) -> None:
    assert main(["snapshots", str(gap), "--status", "lost"]) == 2
    assert "'lost' is not one of ok, crc, " in capsys.readouterr().err


def test_parts_have_their_frames(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "short.pcap"
    path.write_bytes(first_records(SLICES, 1014))
    record = records(capsys, path, "--status", "incomplete")[-1]
    assert record["part_frames"] == [1013, 1014]
    assert record["reason"] == "parts missing: 3, 4 of 4 (part 1 in frame 1013, part 2 in frame 1014)"


def test_none_rebuilt_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Without its handshake and first full snapshot a client's deltas have no base."""
    path = tmp_path / "late.pcap"
    path.write_bytes(without_records(SAMPLE, range(200), 260))
    assert main(["snapshots", str(path), "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 1
    assert err.endswith(" snapshots, none rebuilt; see --all\n")
