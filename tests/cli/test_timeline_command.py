"""The overview as text and as JSON: what it says follows from the list of snapshots."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from capture_files import BUNDLED, ROOT, SAMPLE

from analyzer.cli import main
from analyzer.stats.bars import Kind
from tests.cli.cut_capture import first_records

BADCRC = BUNDLED / "ddnet_tsunami_badcrc_head.pcap"
BIN_S = 0.25


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def glance(capsys: pytest.CaptureFixture[str], path: Path, *options: str) -> dict[str, object]:
    out = printed(capsys, "timeline", str(path), "--json", *options)
    record = json.loads(out, parse_constant=pytest.fail)
    assert isinstance(record, dict)
    return record


def listed(capsys: pytest.CaptureFixture[str], path: Path) -> list[dict[str, str]]:
    """What `snapshots --all` prints, without repetitions."""
    out = printed(capsys, "snapshots", "--all", "--format", "csv", str(path))
    return [row for row in csv.DictReader(io.StringIO(out)) if row["status"] not in ("late", "duplicate")]


@pytest.fixture(scope="module")
def badcrc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first frames of a capture in which checksums are wrong."""
    path = tmp_path_factory.mktemp("badcrc") / "badcrc.pcap"
    path.write_bytes(first_records(BADCRC, 1500))
    return path


def test_json_follows_from_the_list(capsys: pytest.CaptureFixture[str], badcrc: Path) -> None:
    rows = listed(capsys, badcrc)
    record = glance(capsys, badcrc, "--bin", "250ms", "--old", "41ms")
    assert (record["bin_s"], record["old_ms"], record["lost"]) == (BIN_S, 41, [])
    numbers = Counter(int(float(row["time"]) // BIN_S) for row in rows)
    sizes: Counter[tuple[int, int]] = Counter()
    for row in rows:
        sizes[int(float(row["time"]) // BIN_S), min(int(row["parts"]), 3)] += int(row["wire_bytes"])
    assert record["bytes"] == [
        {"bin": number, **{f"parts_{parts}": sizes[number, parts] for parts in (1, 2, 3)}} for number in sorted(numbers)
    ]
    clients = record["clients"]
    assert isinstance(clients, list)
    assert {client["client"] for client in clients} == {row["client"] for row in rows}
    for client in clients:
        own = [row for row in rows if row["client"] == client["client"]]
        assert client["range"]["snapshots"] == len(own)
        assert client["range"]["bytes"] == sum(int(row["wire_bytes"]) for row in own)
        failed = [row for row in own if row["status"] in ("crc", "no-base")]
        assert client["range"]["kinds"]["failed"] == len(failed)
        assert (client["sign"] == "failed") == bool(failed)
        bins = {bar["bin"]: bar for bar in client["bars"]}
        assert {number: bar["snapshots"] for number, bar in bins.items()} == Counter(
            int(float(row["time"]) // BIN_S) for row in own
        )
        for bar in bins.values():
            assert bar["worst"] == max(Kind[word.upper()] for word in bar["kinds"]).word
            assert (bar["age_ms"] is None) == (not {"fine", "old"} & bar["kinds"].keys())
            assert ("old" in bar["kinds"]) == ((bar["age_ms"] or 0) > 41)
    assert sum(client["range"]["kinds"]["old"] for client in clients) > 0
    assert {client["sign"] for client in clients} >= {"failed", "warn"}


def test_text_sums_up(capsys: pytest.CaptureFixture[str], badcrc: Path) -> None:
    rows = listed(capsys, badcrc)
    title, clients, bins = printed(capsys, "timeline", str(badcrc), "--bin", "1s").split("\n\n")
    count = len({row["client"] for row in rows})
    assert title.startswith(f"{len(rows):,} snapshots of {count} clients, in stretches of 1000 ms")
    assert len(clients.splitlines()) == 1 + count
    cells = [line.split() for line in bins.splitlines()[1:]]
    assert [float(line[0]) for line in cells] == sorted({float(row["time"]) // 1 for row in rows})
    assert sum(int(line[1]) for line in cells) == len(rows)
    assert sum(int(line[-1]) for line in cells) == sum(int(row["wire_bytes"]) for row in rows)


def test_one_client(capsys: pytest.CaptureFixture[str], badcrc: Path) -> None:
    every = glance(capsys, badcrc)
    clients = every["clients"]
    assert isinstance(clients, list)
    wanted = clients[1]
    one = glance(capsys, badcrc, "--client", wanted["client"])
    assert one["clients"] == [wanted]
    assert one["range"] == wanted["range"]
    assert main(["timeline", str(badcrc), "--client", "10.9.9.9"]) == 1
    assert "no client 10.9.9.9 in this capture" in capsys.readouterr().err


def test_what_is_wrong_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["timeline", str(SAMPLE), "--bin", "5"]) == 2
    assert "no time such as 100ms" in capsys.readouterr().err
    assert main(["timeline", str(SAMPLE), "--bin", "10us"]) == 2
    assert "1 ms is the least" in capsys.readouterr().err
    assert main(["timeline", str(tmp_path / "missing.pcap")]) == 1
    assert "missing.pcap" in capsys.readouterr().err
    (tmp_path / "empty.pcap").write_bytes(b"")
    assert main(["timeline", str(tmp_path / "empty.pcap")]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("0 snapshots of 0 clients")
    assert "the file is empty" in err


def test_not_decoded_is_not_listed(capsys: pytest.CaptureFixture[str], badcrc: Path) -> None:
    record = glance(capsys, badcrc, "--decode-as", "8303=none")
    assert (record["clients"], record["bytes"], record["scale"]) == ([], [], 0)
    assert record["range"]["packets"] == glance(capsys, badcrc)["range"]["packets"] == 1500  # type: ignore[index]


def test_the_document_shows_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    document = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    example = re.search(r"\$ snapscope-cli (timeline [^\n]*) sample\.pcap\.gz\n(.*?)\n\.\.\.\n```", document, re.DOTALL)
    assert example
    assert printed(capsys, *example[1].split(), str(SAMPLE)).startswith(example[2])
