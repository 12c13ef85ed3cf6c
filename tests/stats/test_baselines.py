"""The baseline store of known snapshots."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from capture_files import BUNDLED, SAMPLE, oracle_records

from analyzer.engine.capture import Capture
from analyzer.export import selection
from analyzer.snapshots.status import Status
from analyzer.stats.baselines import Baseline, Role, baselines
from analyzer.stats.clients import Clients, client_stats
from analyzer.stats.history import History
from analyzer.stats.live import made_mask
from analyzer.stats.parts import part_packets
from analyzer.stats.series import Metric, SnapshotSeries
from analyzer.store.tables import Tables
from tests.export.excerpts import cut, decoded


@cache
def opened(path: Path, player: str) -> tuple[Tables, History]:
    capture = Capture.open(path)
    try:
        capture.decode()
    finally:
        capture.close()
    clients = client_stats(capture.tables)
    session = next(client.session for client in clients.stats if client.player == player)
    return capture.tables, clients.histories[session]


def store(path: str, player: str, tick: int) -> tuple[Tables, list[Baseline]]:
    tables, history = opened(BUNDLED / path, player)
    return tables, baselines(tables, history, int(np.flatnonzero(history.ticks == tick)[0]))


def test_store_of_a_known_snapshot() -> None:
    tables, found = store("ddnet_ctf1_24bots_slices.pcap.gz", "bot0", 234)
    frames = [tables.packets.integer("frame", row.acked_packet) + 1 if row.acked_packet >= 0 else 0 for row in found]
    rows = [(row.tick, row.items, frame, row.used, row.role) for row, frame in zip(found[:7], frames, strict=False)]
    assert rows == [
        (234, 163, 0, 0, Role.ITSELF),
        (232, 140, 0, 0, Role.WAITS),
        (230, 155, 2213, 1, Role.BASE),
        (228, 138, 0, 0, Role.STORED),
        (226, 138, 0, 0, Role.STORED),
        (224, 170, 0, 0, Role.STORED),
        (222, 141, 2105, 2, Role.STORED),
    ]
    assert [row.age_ms for row in found[:3]] == pytest.approx([0.0, 36.993, 79.862])


def test_a_baseline_that_failed_is_listed() -> None:
    tables, found = store("ddnet_tsunami_badcrc_head.pcap", "bot0", 234)
    base = next(row for row in found if row.role is Role.BASE)
    assert (found[0].role, found[0].items) == (Role.ITSELF, None)
    assert (base.tick, base.items, base.used) == (232, None, 1)
    assert tables.snapshots.integer("tick", base.snapshot) == 232


def test_a_baseline_from_before_the_capture_is_listed_without_a_row() -> None:
    tables, history = opened(BUNDLED / "ddnet_ctf3_midsession_head.pcap.gz", "bot1")
    found = baselines(tables, history, 0)
    assert [(row.role, row.snapshot >= 0) for row in found] == [(Role.ITSELF, True), (Role.BASE, False)]
    assert found[1].tick == history.base_ticks[0]


def test_uses_add_up() -> None:
    tables, history = opened(BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz", "bot0")
    for index in range(0, len(history.rows), 29):
        found = baselines(tables, history, index)
        packet = int(history.packets[index])
        assert [row.tick for row in found] == sorted((row.tick for row in found), reverse=True)
        assert sum(row.role is Role.ITSELF for row in found) == 1
        assert all(row.acked_packet <= packet for row in found)
        bases = [tables.snapshots.integer("base", int(row)) for row in history.rows[: index + 1]]
        assert all(row.used == bases.count(row.snapshot) for row in found)


@pytest.mark.parametrize(
    "name",
    [
        "ddnet_ctf1_24bots_slices.pcap.gz",
        "ddnet_ctf3_midsession_head.pcap.gz",
        "ddnet_dm2_reconnect_mapchange.pcap",
    ],
)
def test_stores_are_what_the_independent_decoder_rebuilt(name: str) -> None:
    """Ticks, items, ages and uses at many moments, also right after a RECOVER and where a session began before."""
    path = BUNDLED / name
    tables, clients = whole(path)
    records: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for record in oracle_records(path):
        records.setdefault((record["client"], record["session"]), []).append(record)
    checked = 0
    for client in clients.stats:
        mine, history = records.get((client.ends.client, client.number), []), clients.histories.get(client.session)
        for record in mine[:: max(1, len(mine) // 9)] + recovered(mine):
            assert history is not None
            row = next(
                int(row)
                for row, tick in zip(history.rows, history.ticks, strict=True)
                if tick == record["tick"] and tables.snapshots.integer("status", int(row)) == Status.OK
            )
            found = baselines(tables, history, history.newest(-1, row))
            shown = [(line.tick, line.items, line.used) for line in found if line.items is not None]
            assert shown == expected(mine, record)
            now = tables.frames.integer("time_ns", record["frame"] - 1)
            frames = {line["tick"]: line["frame"] for line in mine if line["frame"] <= record["frame"]}
            for line in found:
                if line.items is not None:
                    then = tables.frames.integer("time_ns", frames[line.tick] - 1)
                    assert line.age_ms == pytest.approx((now - then) / 1e6)
            checked += 1
    assert checked > 30


@cache
def whole(path: Path) -> tuple[Tables, Clients]:
    capture = Capture.open(path)
    try:
        capture.decode()
    finally:
        capture.close()
    return capture.tables, client_stats(capture.tables)


def recovered(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Snapshots without a base after one that had one, and what followed."""
    at = [
        number
        for number in range(1, len(records))
        if records[number]["base_tick"] < 0 <= records[number - 1]["base_tick"]
    ]
    return [records[number + step] for number in at[:2] for step in (0, 1) if number + step < len(records)]


def expected(records: list[dict[str, Any]], record: dict[str, Any]) -> list[tuple[int, int, int]]:
    """Tick, items and uses, the newest first, of what could be a baseline when a snapshot was complete."""
    before = [line for line in records if line["frame"] <= record["frame"]]
    near = [line for line in before if record["tick"] - 500 <= line["tick"] <= record["tick"]]
    uses = [line["base_tick"] for line in before]
    return sorted(((line["tick"], line["num_items"], uses.count(line["tick"])) for line in near), reverse=True)


def test_the_selected_snapshot_is_found_where_a_part_of_it_is_missing() -> None:
    """It is decided when a newer tick begins: by the packet of its own last part alone an older one is the newest."""
    tables, clients = whole(BUNDLED / "ddnet_dm6_snaplen220.pcap")
    row = tables.snapshots.integers("status").tolist().index(Status.INCOMPLETE)
    history = clients.histories[tables.snapshots.integer("session", row)]
    packet = int(part_packets(tables, row).max())
    assert packet < tables.snapshots.integer("packet", row)
    assert history.at(packet) < history.newest(packet, row)
    found = baselines(tables, history, history.newest(packet, row))
    assert [(line.snapshot, line.items) for line in found if line.role is Role.ITSELF] == [(row, None)]
    other = next(other for session, other in clients.histories.items() if other is not history)
    assert other.newest(packet, row) == other.at(packet)


def test_before_the_first_and_after_the_last_snapshot() -> None:
    tables, history = opened(BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz", "bot0")
    assert history.newest(0, -1) == -1
    assert history.newest(len(tables.packets) - 1, -1) == history.newest(-1, -1) == len(history.rows) - 1


def test_a_made_baseline_has_no_age(tmp_path: Path) -> None:
    with decoded(SAMPLE) as whole:
        times = whole.capture.tables.frames.array("time_ns")
        cut(whole, selection.in_time(whole.capture.tables, int(times[600]), int(times[700])), tmp_path / "part.pcapng")
    with decoded(tmp_path / "part.pcapng") as part:
        tables = part.capture.tables
        client = client_stats(tables).stats[0]
        history = client_stats(tables).histories[client.session]
        bases = tables.snapshots.take("base", history.rows).astype(np.int64)
        made = made_mask(tables, tables.snapshots.take("packet", np.maximum(bases, 0)).astype(np.int64)) & (bases >= 0)
        assert made.any()
        assert not made.all()
        first = int(np.flatnonzero(made)[0])
        assert next(row.age_ms for row in baselines(tables, history, first) if row.role is Role.BASE) is None
        series = SnapshotSeries(tables)
        series.update()
        ages = series.values(Metric.BASE_AGE_MS)[history.rows]
        assert np.isnan(ages[made]).all()
        assert client.base_age_p50 == pytest.approx(np.nanpercentile(ages, 50, method="inverted_cdf"), rel=0.1)
