"""`save`: the whole capture and excerpts of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyzer.capture.frames import MADE_INTERFACE
from analyzer.cli import main


def saved(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[list[str], str]:
    """Lines of output, and the errors."""
    assert main(["save", *arguments]) == 0
    out, err = capsys.readouterr()
    return out.splitlines(), err


def failed(capsys: pytest.CaptureFixture[str], code: int, *arguments: str) -> str:
    assert main(["save", *arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    return err.removeprefix("snapscope-cli: ").rstrip()


def snapshots(capsys: pytest.CaptureFixture[str], file: Path) -> list[dict[str, object]]:
    """What they are, without where they stand."""
    assert main(["snapshots", "--format", "jsonl", "--items", "--all", str(file)]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [{key: record.get(key) for key in ("client", "tick", "base_tick", "status", "items")} for record in found]


def test_the_whole(capsys: pytest.CaptureFixture[str], head: Path, tmp_path: Path) -> None:
    for name in ("all.pcap", "all.pcapng", "all.pcap.gz"):
        out = tmp_path / name
        assert saved(capsys, str(head), "--out", str(out)) == ([f"300 frames saved in {out}"], "")
        assert snapshots(capsys, out) == snapshots(capsys, head)
    assert (tmp_path / "all.pcap").read_bytes() == head.read_bytes()


def test_a_time_range_decodes_by_itself(capsys: pytest.CaptureFixture[str], head: Path, tmp_path: Path) -> None:
    out = tmp_path / "part.pcapng"
    lines, err = saved(capsys, str(head), "--out", str(out), "--from", "0.8", "--to", "1.1")
    assert err == ""
    assert lines[0].endswith(f" frames saved in {out}")
    assert lines[1:] == [f"  3 full snapshots made for them, on the interface '{MADE_INTERFACE}'"]
    found = [record for record in snapshots(capsys, out) if record["base_tick"] != -1]
    assert len(found) > 10
    assert {record["status"] for record in found} == {"ok"}
    assert all(record in snapshots(capsys, head) for record in found[:5])
    assert main(["summary", str(out)]) == 0
    assert "  made      3 frames by snapscope for an excerpt; counted with the others\n" in capsys.readouterr().out
    assert main(["summary", "--json", str(head)]) == 0
    assert json.loads(capsys.readouterr().out)["made_frames"] == 0


def test_pcap_warns(capsys: pytest.CaptureFixture[str], head: Path, tmp_path: Path) -> None:
    _, err = saved(capsys, str(head), "--out", str(tmp_path / "part.pcap"), "--from", "0.8", "--to", "1.1")
    assert "of the excerpt will not decode" in err
    assert "pcapng has" in err
    words = {record["status"] for record in snapshots(capsys, tmp_path / "part.pcap")}
    assert words == {"no-base"}
    # The name says pcap, but the format is given.
    out = str(tmp_path / "part.pcap")
    assert saved(capsys, str(head), "--out", out, "--from", "0.8", "--to", "1.1", "--format", "pcapng")[1] == ""
    assert (tmp_path / "part.pcap").read_bytes()[:4] == b"\x0a\x0d\x0d\x0a"


def test_one_session_and_one_client(capsys: pytest.CaptureFixture[str], head: Path, tmp_path: Path) -> None:
    out = tmp_path / "one.pcapng"
    text = failed(capsys, 1, str(head), "--out", str(out), "--session", "0")
    assert text.startswith("3 clients have a session 0; choose one: --client 127.0.0.1:")
    client = text.rpartition("--client ")[2]
    saved(capsys, str(head), "--out", str(out), "--session", "0", "--client", client)
    expected = [record for record in snapshots(capsys, head) if record["client"] == client]
    assert snapshots(capsys, out) == expected != []
    saved(capsys, str(head), "--out", str(out), "--client", client)
    assert snapshots(capsys, out) == expected
    assert failed(capsys, 1, str(head), "--out", str(out), "--session", "7") == "there is no session 7 in this capture"


def test_chosen_frames(capsys: pytest.CaptureFixture[str], head: Path, tmp_path: Path) -> None:
    out = tmp_path / "some.pcapng"
    lines, _ = saved(capsys, str(head), "--out", str(out), "--packets", "1-10, 42,5")
    assert lines[0] == f"11 frames saved in {out}"
    assert failed(capsys, 1, str(head), "--out", str(out), "--packets", "301") == (
        "there is no frame 301; the capture has 300 frames"
    )
    for wrong in ("0", "5-1", "-3", "1,", "x", "1-2-3", "9" * 20):
        text = failed(capsys, 2, str(head), "--out", str(out), f"--packets={wrong}")
        assert "is no frame number and no range such as 1-10" in text


@pytest.mark.parametrize(
    "arguments",
    [
        ["--from", "1", "--session", "0"],
        ["--packets", "1", "--to", "2"],
        ["--packets", "1", "--client", "127.0.0.1"],
        ["--packets", "1", "-Y", "client"],
    ],
)
def test_one_way_to_choose(
    capsys: pytest.CaptureFixture[str], head: Path, tmp_path: Path, arguments: list[str]
) -> None:
    text = failed(capsys, 2, str(head), "--out", str(tmp_path / "a"), *arguments)
    assert text.startswith("Invalid value: give only one of a time, a client or session, --packets and -Y")


def test_what_cannot_be_written(capsys: pytest.CaptureFixture[str], head: Path, tmp_path: Path) -> None:
    absent = tmp_path / "absent" / "a.pcap"
    assert failed(capsys, 1, str(head), "--out", str(absent)) == f"The folder {absent.parent} does not exist."
    assert failed(capsys, 1, str(head), "--out", str(head)) == (
        "head.pcap is the capture that is being read; choose another name."
    )
    assert failed(capsys, 1, str(head), "--out", str(tmp_path / "a"), "--from", "900") == "No packet was chosen."
    assert "a time is a number of seconds" in failed(
        capsys, 2, str(head), "--out", str(tmp_path / "a"), "--from", "nan"
    )
    assert "saved in a file, not on the standard output" in failed(capsys, 2, str(head), "--out", "-")
    assert list(tmp_path.iterdir()) == []
