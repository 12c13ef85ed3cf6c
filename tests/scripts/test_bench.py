"""The benchmark's arithmetic, its parts of captures, and that all of it runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from capture_files import ROOT, capture_paths

from analyzer.engine.capture import Capture
from analyzer.snapshots.status import REBUILT
from scripts.benchmarks import live, measures, peers, table
from scripts.benchmarks.children import Cost, run_task
from scripts.benchmarks.decoding import jump, jump_targets
from scripts.benchmarks.live import highest
from scripts.benchmarks.measures import Rounds
from scripts.benchmarks.samples import payloads, prefix
from scripts.benchmarks.sending import read_frames
from scripts.benchmarks.table import Row
from tests.capture.builders import pcap_header, pcap_record
from tests.capture.live.network import needs_libpcap, needs_right

CAPTURES = {path.name: path for path in capture_paths()}
PCAPNG = CAPTURES["ddnet_tsunami_head.pcapng"]


@pytest.mark.parametrize(
    ("value", "reach", "at_most", "met"),
    [
        (2.0, 2.0, False, True),
        (1.9, 2.0, False, False),
        (16.0, 16.0, True, True),
        (16.1, 16.0, True, False),
        (None, 2.0, False, None),
        (3.0, None, False, None),
    ],
)
def test_a_row_knows_whether_it_reached(value: float | None, reach: float | None, at_most: bool, met: object) -> None:
    row = Row("x", value, "ms", 5, reach, at_most)
    assert row.met is met
    assert table.records([row])[0]["met"] is met


def test_table_is_aligned_and_says_what_is_missing() -> None:
    rows = [Row("decode", 123456.0, "packets/s", 5, 100_000), Row("peer", None, "x", reach=2, remark="not there")]
    assert table.text([*rows, Row("delay", 20.04, "ms", 1, 16, True)]).splitlines() == [
        "| what   | measured          | reach             |        | runs | remark    |",
        "| ------ | ----------------- | ----------------- | ------ | ---- | --------- |",
        "| decode | 123,456 packets/s | 100,000 packets/s | met    | 5    |           |",
        "| peer   | not measured      | 2.00 x            |        |      | not there |",
        "| delay  | 20.0 ms           | at most 16.0 ms   | missed | 1    |           |",
    ]


def test_numbers_have_three_digits() -> None:
    assert [table.number(value) for value in (98765.4, 100, 12.34, 1.234, 0.05)] == [
        "98,765",
        "100",
        "12.3",
        "1.23",
        "0.05",
    ]


def test_percentiles_and_spread() -> None:
    values = [float(value) for value in range(100, 0, -1)]
    assert [table.percentile(values, share) for share in (0.5, 0.99, 1.0)] == [50.0, 99.0, 100.0]
    assert table.percentile([7.0], 0.5) == 7.0
    assert table.spread([2.0, 2.5, 2.2]) == pytest.approx(25.0)
    assert table.ratios([6.0, 8.0], [2.0, 4.0]) == [3.0, 2.0]


@pytest.mark.parametrize(("first_s", "count"), [(0.0, 5), (10.0, 5), (20.0, 5), (30.0, 3), (99.0, 1), (500.0, 1)])
def test_what_is_slow_gets_fewer_rounds_but_one(first_s: float, count: int) -> None:
    assert table.rounds(first_s, 100.0, 5) == count


@pytest.mark.parametrize(
    "name", ["ddnet_tsunami_head.pcapng", "ddnet_dm6_snaplen220.pcap", "ddnet_ctf1_24bots_slices.pcap.gz"]
)
def test_a_beginning_is_a_capture_of_its_own(name: str, tmp_path: Path) -> None:
    target = tmp_path / "first"
    assert prefix(CAPTURES[name], 300, target) == 300
    with Capture.open(target) as first, Capture.open(CAPTURES[name]) as whole:
        first.decode()
        whole.decode()
        assert first.problems == []
        for column in ("time_ns", "captured", "original", "offset"):
            one, other = first.tables.frames.array(column), whole.tables.frames.array(column)
            assert one.tolist() == other[:300].tolist()


def test_more_than_there_is_is_everything(tmp_path: Path) -> None:
    assert prefix(PCAPNG, 10**9, tmp_path / "all") == 1200
    # What else the file holds stands behind the last frame.
    assert PCAPNG.read_bytes().startswith((tmp_path / "all").read_bytes())


def test_payloads_are_from_all_over_the_capture() -> None:
    with Capture.open(PCAPNG) as capture:
        capture.decode()
        query = capture.query()
        expected = [query.payload(row) for row in (0, 399, 799, 1199)]
        query.close()
    assert payloads(PCAPNG, 4) == expected
    assert len(payloads(PCAPNG, 10**6)) == 1200


def test_jumps_go_anywhere_and_deep() -> None:
    with Capture.open(PCAPNG) as capture:
        capture.decode()
        targets = list(jump_targets(capture, 40))
        snapshots = capture.tables.snapshots
        assert len(targets) == 40
        assert all(snapshots.integer("status", row) in REBUILT for row in targets)
        depth = snapshots.array("depth")
        assert min(depth[targets[-10:]]) >= sorted(depth.tolist())[-10]
        assert jump(capture, targets[0]) >= 0


def answer(packets: int, wall: float, cpu: float, jumps: list[float]) -> dict[str, Any]:
    counts = {"packets": packets, "snapshots": 9, "rebuilt": 8, "peak": 3 * 1024 * 1024}
    return {**counts, "tables": {"frames": 27_000, "types": 3}, "wall": wall, "cpu": cpu, "jumps": jumps}


def rounds(tshark: list[tuple[Cost, Cost]]) -> Rounds:
    """Two rounds of 1000 packets."""
    return Rounds(
        all_cores=[answer(1000, 2.0, 4.0, [0.001]), answer(1000, 4.0, 4.0, [0.06, 0.002])],
        one_core=[answer(1000, 8.0, 4.0, []), answer(1000, 9.0, 6.0, [])],
        tshark=tshark,
        bytes_cpu=[0.5, 0.5],
        parser_cpu=[0.04, 0.06],
    )


def figures(rows: list[Row]) -> dict[str, float | None]:
    return {row.what: row.value for row in rows}


def test_ratios_are_taken_round_by_round() -> None:
    start = Cost(0.5, 0.25)
    found = rounds([(Cost(4.5, 2.25), start), (Cost(8.5, 6.25), start)])
    assert figures(measures.decode_rows(found)) == {"decode, all cores": 1000 / 3, "decode, one core": 200.0}
    assert figures(measures.peer_rows(found)) == {
        "tshark": 250.0,
        "all cores against tshark": 2.0,
        "one core against tshark": 0.75,
        "twnet-parser": 20.0,
        "one core against twnet-parser": 10.0,
        "one core, in times of the lower limit": 10.0,
    }
    assert [row.value for row in measures.jump_rows(found)] == [2.0, 60.0]
    tables, peak = measures.memory_rows(found)
    assert (tables.value, tables.remark, peak.value) == (27.003, "frames 27.0", 3.0)


def test_absent_peers_are_said() -> None:
    found = rounds([])
    found.parser_cpu = []
    remarks = {row.what: (row.value, row.remark) for row in measures.peer_rows(found)}
    assert remarks["all cores against tshark"] == (None, "tshark is not installed")
    assert remarks["one core against twnet-parser"] == (None, "twnet-parser is not installed")


def test_a_start_up_is_not_taken_for_a_rate() -> None:
    start = Cost(0.5, 0.5)
    (row,) = measures.tshark_rows(rounds([(Cost(0.51, 0.51), start), (Cost(9.0, 9.0), start)]))
    assert row.value is None
    assert "too short" in row.remark


def test_twnet_parser_reads_what_we_read() -> None:
    seconds, failed = peers.twnet_parser([*payloads(PCAPNG, 50), b""])
    assert seconds > 0
    assert failed == 1


def test_quick_measures_everything(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    command = [sys.executable, str(ROOT / "scripts" / "bench"), "--quick", "--json", str(path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    figures = json.loads(path.read_text(encoding="utf-8"))
    rows = {row["what"]: row for row in figures["rows"]}
    for what, row in rows.items():
        assert what in done.stdout
        assert row["value"] is not None or row["remark"]
    measured = {what for what, row in rows.items() if row["value"] is not None}
    assert {
        "decode, all cores",
        "one core against twnet-parser",
        "time a packet, 500 packets",
        "time a packet, longest over shortest",
        "memory of the tables a packet, spread",
        "jump to a snapshot and its delta tree, worst",
        "start of snapscope-cli summary, tiny file",
        "lateness of the event loop, 99 %",
    } <= measured
    assert figures["machine"]["capture"] == "made.pcap"


def test_a_file_that_is_no_capture_is_said(tmp_path: Path) -> None:
    path = tmp_path / "notes.pcap"
    path.write_text("nothing of the kind")
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "bench"), str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("bench: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("limit", "found"),
    [(1e9, 80_000), (50_000, (45_000, 50_000)), (30_000, (26_000, 30_000)), (2000, (1800, 2000)), (1000, 0)],
)
def test_the_highest_rate_that_is_kept(limit: float, found: float | tuple[float, float]) -> None:
    offered: list[float] = []

    def kept(rate: float) -> bool:
        offered.append(rate)
        return rate <= limit

    rate = highest(kept, 30_000, 80_000)
    assert max(offered) <= 80_000
    if isinstance(found, tuple):
        assert found[0] <= rate <= found[1]
    else:
        assert rate == 0 if found == 0 else found / live.FINER < rate <= found


@needs_right
@needs_libpcap
def test_quick_measures_live_capture(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    command = [sys.executable, str(ROOT / "scripts" / "bench"), "--live", "--quick", "--json", str(path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    assert [row["what"] for row in rows] == [
        "live, loss-free with full decode",
        "sniffer alone, without drops",
        "sniffer, share of a core",
    ]
    # How fast a busy machine is does not matter here.
    assert all(row["value"] is not None or row["remark"] for row in rows)


@needs_right
@needs_libpcap
def test_what_is_sent_live_is_captured_and_decoded(tmp_path: Path) -> None:
    small = tmp_path / "small.pcapng"
    prefix(PCAPNG, 100, small)
    sent = 700
    found = run_task("live", path=str(PCAPNG), warm=str(small), rate=2000.0, count=sent, decode=True)
    assert (found["sent"], found["captured"] + found["dropped"]) == (sent, sent)
    assert found["decoded"] == found["captured"]
    assert found["seconds"] > 0.3


def test_frames_of_another_kind_are_not_sent(tmp_path: Path) -> None:
    path = tmp_path / "raw.pcap"
    path.write_bytes(pcap_header(link_field=101) + pcap_record(0, 0, bytes(20)))
    with pytest.raises(ValueError, match=r"raw\.pcap does not hold Ethernet frames"):
        read_frames(path, 10)
