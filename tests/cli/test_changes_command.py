"""What a snapshot changed, found by frame or by client and tick."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from capture_files import BUNDLED

from analyzer.cli import main
from tests.cli.cut_capture import SLICES, first_records

SNAPSHOT_FRAME = 44
CLIENT = "127.0.0.1:40072"
"""Of the sample: at frame 44 it gets tick 92 on tick 90, 15 updates and no removals."""


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["changes", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_by_frame(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    found = json.loads(printed(capsys, str(head), "--frame", str(SNAPSHOT_FRAME), "--json"))
    (snapshot,) = found["snapshots"]
    assert (snapshot["client"], snapshot["tick"], snapshot["base_tick"], snapshot["updated"]) == (CLIENT, 92, 90, 15)
    changes = snapshot["changes"]
    kinds = [change["kind"] for change in changes]
    assert kinds.count("added") == snapshot["added"]
    assert kinds.count("changed") == snapshot["changed"]
    assert kinds.count("removed") == snapshot["removed"]
    assert len(kinds) == 15
    for change in changes:
        for field in change["fields"]:
            if change["kind"] == "changed" and not change["event"]:
                assert (field["new"] - field["old"] - field["difference"]) % 2**32 == 0
    assert sum(change["bits"] for change in changes) <= 8 * 8 * snapshot["delta_bytes"]


def test_by_client_and_tick_is_the_same(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    by_frame = printed(capsys, str(head), "--frame", str(SNAPSHOT_FRAME))
    assert printed(capsys, str(head), "--client", CLIENT, "--tick", "92") == by_frame
    assert printed(capsys, str(head), "--client", CLIENT, "--tick", "92", "--session", "0") == by_frame


def test_the_text(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    lines = printed(capsys, str(head), "--frame", str(SNAPSHOT_FRAME)).splitlines()
    assert lines[0] == "Snapshot of tick 92 on tick 90 (frame 29): SNAPSINGLE, ok (OK)"
    assert any(line.startswith("~ ") for line in lines)
    assert any(" -> " in line and line.startswith("    ") for line in lines)


def test_a_frame_that_completes_none(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    assert printed(capsys, str(head), "--frame", "1") == "Frame 1 completes no snapshot.\n"
    assert json.loads(printed(capsys, str(head), "--frame", "1", "--json")) == {
        "frame": 1,
        "snapshots": [],
        "note": "Frame 1 completes no snapshot.",
    }


def test_a_tick_of_several_clients_asks_which(capsys: pytest.CaptureFixture[str], head: Path) -> None:
    assert main(["changes", str(head), "--client", "127.0.0.1", "--tick", "90"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert f"--client {CLIENT} --session 0" in err


@pytest.mark.parametrize("more", [[], ["--session", "7"]])
def test_a_tick_that_is_not_there(capsys: pytest.CaptureFixture[str], head: Path, more: list[str]) -> None:
    assert main(["changes", str(head), "--client", CLIENT, "--tick", "91", *more]) == 1
    assert "has no snapshot of tick 91" in capsys.readouterr().err


def test_a_frame_with_a_part_names_the_frame_that_completes(capsys: pytest.CaptureFixture[str], slices: Path) -> None:
    assert printed(capsys, str(slices), "--frame", "1013").split(". ") == [
        "Frame 1013 completes no snapshot",
        "It carries part 1 of the snapshot of tick 170, which is completed by frame 1016.\n",
    ]
    assert "parts    4 of 4, in frame 1013, 1014, 1015, 1016" in printed(capsys, str(slices), "--frame", "1016")


def test_a_part_whose_snapshot_never_completes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "short.pcap"
    path.write_bytes(first_records(SLICES, 1014))
    assert main(["changes", str(path), "--frame", "1014"]) == 0
    out = capsys.readouterr().out
    assert "Snapshot of tick 170 on the empty snapshot: SNAP, incomplete (P1)" in out
    assert "parts    2 of 4, in frame 1013, 1014" in out


@pytest.mark.parametrize(
    ("name", "frame", "id", "owner"),
    [
        ("tw07_dm7_any_sll2_nano_head.pcap", 344, 1, "bot1"),
        ("ddnet_goldmine_sixup_dummy_head.pcapng.gz", 272, 1, "(1)nameless tee"),
        ("ddnet_goldmine_sixup_dummy_head.pcapng.gz", 272, 0, ""),
        ("ddnet_goldmine_sixup_dummy_head.pcapng.gz", 11, 0, "nameless tee"),
    ],
    ids=["0.7", "sixup", "sixup, never told", "DDNet"],
)
def test_whose_an_item_is(capsys: pytest.CaptureFixture[str], name: str, frame: int, id: int, owner: str) -> None:
    arguments = str(BUNDLED / name), "--frame", str(frame)
    (snapshot,) = json.loads(printed(capsys, *arguments, "--json"))["snapshots"]
    (character,) = (found for found in snapshot["changes"] if (found["name"], found["id"]) == ("Character", id))
    assert (character["kind"], character["owner"]) == ("added", owner)
    title = f"+ Character {id} · {owner}" if owner else f"+ Character {id}"
    assert f"{title}  ({character['bits']} bits)" in printed(capsys, *arguments).splitlines()
