"""`-Y FILTER` on every command that lists something, and what is said of a filter that is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyzer import cli
from tests.modded import write_capture, write_schema


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(list(arguments)) == 0
    return capsys.readouterr().out


def test_packets(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    every = [json.loads(line) for line in output(capsys, "packets", str(head), "--format", "jsonl").splitlines()]
    found = output(capsys, "packets", str(head), "--format", "jsonl", "-Y", "message.name == Input")
    records = [json.loads(line) for line in found.splitlines()]
    assert records == [record for record in every if "NETMSG_INPUT" in record["messages"]]
    assert records


def test_snapshots(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    every = [json.loads(line) for line in output(capsys, "snapshots", str(head), "--format", "jsonl").splitlines()]
    found = output(capsys, "snapshots", str(head), "--format", "jsonl", "--filter", "snapshot.tick > 120")
    assert [json.loads(line) for line in found.splitlines()] == [one for one in every if one["tick"] > 120]


def test_snapshots_that_are_not_listed_are_mentioned(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    assert cli.main(["snapshots", str(head), "--failed", "-Y", "snapshot.status == ok"]) == 0
    assert cli.main(["snapshots", str(head), "-Y", "snapshot.tick < 0"]) == 0
    assert "see --all" not in capsys.readouterr().err


def test_changes(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    found = json.loads(output(capsys, "changes", str(head), "--json", "-Y", "change.Character.added"))
    assert found["frame"] is None
    assert found["snapshots"]
    for snapshot in found["snapshots"]:
        assert any((one["kind"], one["name"]) == ("added", "Character") for one in snapshot["changes"])
    assert output(capsys, "changes", str(head), "-Y", "snapshot.tick < 0") == "The filter is true of no snapshot.\n"


def test_explain(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    found = json.loads(output(capsys, "explain", str(head), "--json", "-Y", "packet.kind == control"))
    alone = [
        json.loads(output(capsys, "explain", str(head), "--json", "--frame", str(packet["frame"])))["packets"][0]
        for packet in found["packets"]
    ]
    assert found["packets"] == alone
    assert len(alone) == 9
    assert "Frame 1," in output(capsys, "explain", str(head), "-Y", "frame.number in {1, 3}")
    assert output(capsys, "explain", str(head), "-Y", "frame.number < 0") == "The filter is true of no packet.\n"


def test_summary(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    every = json.loads(output(capsys, "summary", str(head), "--json"))
    same = json.loads(output(capsys, "summary", str(head), "--json", "-Y", ""))
    assert {**same, "item_types": [], "sessions": []} == {**every, "item_types": [], "sessions": []}
    first = every["sessions"][0]
    found = json.loads(output(capsys, "summary", str(head), "--json", "-Y", f"client == {first['client']}"))
    assert [one["client"] for one in found["sessions"]] == [first["client"]]
    assert [(one["client"], one["packets"]) for one in found["flows"]] == [(first["client"], found["packets"])]
    assert found["rebuilt"] == first["rebuilt"] < every["rebuilt"]
    assert found["packets"] == sum(one["packets"] for one in found["packet_kinds"]) == found["frames"]
    nothing = json.loads(output(capsys, "summary", str(head), "--json", "-Y", "frame.number < 0"))
    assert (nothing["packets"], nothing["frames"], nothing["sessions"], nothing["flows"]) == (0, 0, [], [])
    assert "packets   0 UDP" in output(capsys, "summary", str(head), "-Y", "frame.number < 0")


def test_save(capsys: pytest.CaptureFixture[str], head: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pcap"
    output(capsys, "save", str(head), "--out", str(out), "-Y", "packet.kind == control")
    found = [json.loads(line) for line in output(capsys, "packets", str(out), "--format", "jsonl").splitlines()]
    assert [record["kind"] for record in found] == ["control"] * 9


def test_what_a_mod_names(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path, schema = write_capture(tmp_path / "mod.pcap"), write_schema(tmp_path / "mod.json")
    assert output(capsys, "snapshots", str(path), "--schema", str(schema), "-Y", "item.Turret").count("\n") > 100


def test_a_wrong_filter_is_shown_with_carets_before_the_file_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["packets", "nosuchfile.pcap", "-Y", "client && snapshot.statu == crc"]) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.splitlines() == [
        "snapscope-cli: there is no field snapshot.statu; did you mean snapshot.status or snapshot.parts or "
        "snapshot.state_bytes?",
        "  client && snapshot.statu == crc",
        "            ^^^^^^^^^^^^^^",
    ]


def test_what_is_wrong_in_a_long_filter_is_in_sight(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    text = "client || " * 40 + "nosuch\x01"
    assert cli.main(["packets", str(head), "-Y", text]) == 2
    _, shown, carets = capsys.readouterr().err.splitlines()
    assert len(shown) < 110
    assert shown.isprintable()
    assert carets.index("^") < len(shown)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["explain"], "give either --frame or -Y"),
        (["explain", "--frame", "1", "-Y", "client"], "give either --frame or -Y"),
        (["changes", "--frame", "1", "-Y", "client"], "give either --frame, or --client and --tick, or -Y"),
    ],
)
def test_one_way_to_choose_packets(
    capsys: pytest.CaptureFixture[str], head: Path, arguments: list[str], said: str
) -> None:
    assert cli.main([*arguments, str(head)]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("filter_text", "every"),
    [
        ("udp.port in {8303..8310}", True),
        ("udp.port & 0xffff", True),
        ("udp.port in {1, 2}", False),
        ("len(item.EntityEx.owner) > 3", False),
        ("frame.time_relative < 1e300", True),
    ],
)
def test_values_of_every_shape(capsys: pytest.CaptureFixture[str], head: Path, filter_text: str, every: bool) -> None:
    """Two values of each packet, none at all, and a time beyond all."""
    chosen = output(capsys, "packets", str(head), "--format", "jsonl", "-Y", filter_text)
    assert chosen == (output(capsys, "packets", str(head), "--format", "jsonl") if every else "")
