"""The summary, as JSON and as a page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from capture_files import SAMPLE

from analyzer.cli import main
from tests.cli.cut_capture import first_records, reconnect_oracle, without_records


def summary(capsys: pytest.CaptureFixture[str], capture: Path, *options: str) -> dict[str, object]:
    assert main(["summary", str(capture), "--json", *options]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    found = json.loads(out, parse_constant=pytest.fail)
    assert isinstance(found, dict)
    return found


def test_the_sample_is_rebuilt_and_proved(capsys: pytest.CaptureFixture[str]) -> None:
    found = summary(capsys, SAMPLE)
    assert (found["frames"], found["packets"], found["compressed"]) == (1752, 1752, True)
    assert (found["rebuilt"], found["proved"], found["unproven"]) == (881, 881, 0)
    snapshots = found["snapshots"]
    assert isinstance(snapshots, dict)
    assert {status: count for status, count in snapshots.items() if count} == {"ok": 881}
    assert isinstance(found["duration_s"], float)
    sessions = found["sessions"]
    assert isinstance(sessions, list)
    assert sum(session["rebuilt"] for session in sessions) == 881
    assert len({session["client"] for session in sessions}) == 3
    assert all(session["player"] for session in sessions)


def test_packets_add_up(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    found = summary(capsys, head)
    kinds, flows = found["packet_kinds"], found["flows"]
    assert isinstance(kinds, list)
    assert isinstance(flows, list)
    assert sum(group["packets"] for group in kinds) == found["packets"] == 300
    assert sum(flow["packets"] for flow in flows) == 300
    assert {group["protocol"] for group in kinds} == {"teeworlds"}


def test_item_types_are_named_and_ordered(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    found = summary(capsys, head)
    types, sessions = found["item_types"], found["sessions"]
    assert isinstance(types, list)
    assert isinstance(sessions, list)
    assert sum(entry["updates"] for entry in types) == sum(
        entry["updates"] for session in sessions for entry in session["item_types"]
    )
    values = [entry["values"] for entry in types]
    assert values == sorted(values, reverse=True)
    assert any("Character" in entry["name"] for entry in types)


def test_memory_names_every_table(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    found = summary(capsys, head, "--memory")
    memory, held = found["memory"], found["memory_held"]
    assert isinstance(memory, dict)
    assert isinstance(held, int)
    assert held >= sum(size["bytes"] for size in memory.values()) - memory["sessions"]["groups"]["objects"]["bytes"]
    assert found["memory_moved"] == 0
    assert memory["frames"]["rows"] == 300
    assert {"packets", "messages", "snapshots", "blocks"} <= set(memory)
    assert "memory" not in summary(capsys, head)


def test_problems_are_part_of_the_summary(capsys: pytest.CaptureFixture[str], cut: Path) -> None:
    found = summary(capsys, cut)
    assert found["frames"] == 59
    assert isinstance(found["problems"], list)
    assert len(found["problems"]) == 1


def test_the_page(capsys: pytest.CaptureFixture[str], reconnect: Path) -> None:
    assert main(["summary", str(reconnect), "--memory"]) == 0
    out = capsys.readouterr().out
    rebuilt = len(reconnect_oracle())
    assert f"Snapshots: {rebuilt} seen, {rebuilt} rebuilt, 0 failed, 0 repeated\n" in out
    assert f"of the rebuilt ones {rebuilt} are proved, 0 unproven\n" in out
    assert "--failed" not in out
    titles = ("Packets", "Flows", "Sizes of rebuilt snapshots", "Most sent item types", "Sessions", "Memory")
    for title in titles:
        assert f"\n{title}" in out


def test_an_empty_capture(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "empty.pcap"
    path.touch()
    found = summary(capsys, path)
    assert (found["frames"], found["packets"], found["duration_s"], found["sessions"]) == (0, 0, 0.0, [])
    assert main(["summary", str(path)]) == 0
    assert "No snapshots." in capsys.readouterr().out


def test_failures_are_told_from_repetitions(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Frames that hold bases are missing; frame 44, the end of a snapshot, is there twice."""
    frame = first_records(SAMPLE, 44)[len(first_records(SAMPLE, 43)) :]
    path = tmp_path / "gap.pcap"
    path.write_bytes(without_records(SAMPLE, range(60, 100), 400) + frame)
    found = summary(capsys, path)
    assert isinstance(found["snapshots"], dict)
    total = sum(found["snapshots"].values())
    assert found["repeated"] == found["snapshots"]["duplicate"] == 1
    assert found["failed"] == found["snapshots"]["no-base"] > 0
    assert isinstance(found["sessions"], list)
    assert [sum(session[key] for session in found["sessions"]) for key in ("failed", "repeated")] == [
        found["failed"],
        1,
    ]
    assert main(["summary", str(path)]) == 0
    out = capsys.readouterr().out
    assert f"Snapshots: {total} seen, {found['rebuilt']} rebuilt, {found['failed']} failed, 1 repeated\n" in out
    assert "(base never seen: the capture has a gap)\n" in out
    assert "(repeats what was received before)\n" in out
    assert f"  failures put down to: capture {found['failed']}\n" in out
    assert "  see: snapscope-cli snapshots FILE --all" in out
