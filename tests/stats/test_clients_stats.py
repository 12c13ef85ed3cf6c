"""The numbers of clients against a slow count over the rows, and their signs."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from capture_files import BUNDLED, SAMPLE, oracle_records
from stats.hand_made import tables as hand_made

from analyzer.engine.capture import Capture
from analyzer.snapshots.status import LostBy, Proof, Status
from analyzer.stats.clients import Clients, ClientStats, Concern, Severity, client_stats, judged
from analyzer.stats.parts import part_packets
from analyzer.stats.snapshots import failed_mask, root_statuses
from analyzer.store.tables import Tables

CAPTURES = (
    BUNDLED / "ddnet_tsunami_badcrc_head.pcap",
    BUNDLED / "ddnet_ctf3_midsession_head.pcap.gz",
    BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap",
    BUNDLED / "ddnet_dm6_snaplen220.pcap",
    SAMPLE,
)


@cache
def decoded(path: Path) -> Tables:
    capture = Capture.open(path)
    try:
        capture.decode()
    finally:
        capture.close()
    return capture.tables


@pytest.fixture(params=CAPTURES, ids=lambda path: path.name, scope="module")
def tables(request: pytest.FixtureRequest) -> Tables:
    return decoded(request.param)


Rows = dict[int, list[dict[str, int]]]


@pytest.fixture(scope="module")
def rows(tables: Tables) -> Rows:
    """Snapshots by session, repetitions left out."""
    found: Rows = {}
    columns = {name: tables.snapshots.array(name).astype(int).tolist() for name in tables.snapshots.columns}
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, values, strict=True))
        if row["status"] not in (Status.LATE, Status.DUPLICATE):
            found.setdefault(row["session"], []).append(row)
    return found


def time_ms(tables: Tables, packet: int) -> float:
    return tables.frames.integer("time_ns", tables.packets.integer("frame", packet)) / 1e6


def rank(values: list[float], percent: int) -> float | None:
    return sorted(values)[max(1, math.ceil(percent * len(values) / 100)) - 1] if values else None


def close(left: float | None, right: float | None) -> bool:
    return left == right if left is None or right is None else math.isclose(left, right, abs_tol=1e-3)


def sent_bytes(tables: Tables) -> Counter[int]:
    """What servers sent, by session."""
    total: Counter[int] = Counter()
    for packet in range(len(tables.packets)):
        flow = tables.packets.integer("flow", packet)
        if tables.packets.integer("direction", packet) == tables.flows.integer("server", flow):
            total[tables.packets.integer("session", packet)] += tables.packets.integer("udp_length", packet)
    return total


def test_numbers_are_those_of_a_slow_count(tables: Tables, rows: Rows) -> None:
    clients = client_stats(tables)
    sent = sent_bytes(tables)
    assert clients.stats
    for client in clients.stats:
        mine = rows.get(client.session, [])
        good = [row for row in mine if row["status"] in (Status.OK, Status.CRC)]
        assert (client.snapshots, client.rebuilt) == (len(mine), len(good))
        assert client.proved == sum(row["proof"] != Proof.NONE for row in good)
        lost = Counter(row["lost_by"] for row in mine if row["status"] not in (Status.OK, Status.CRC))
        assert client.lost_by == {loser: lost.get(loser, 0) for loser in LostBy}
        sizes = [float(row["wire_bytes"]) for row in good]
        assert close(client.size_mean, sum(sizes) / len(sizes) if sizes else None)
        assert close(client.size_p95, rank(sizes, 95))
        assert close(client.parts_mean, sum(row["parts"] for row in good) / len(good) if good else None)
        if client.duration_s:
            assert close(client.rate, sent[client.session] / client.duration_s)


def test_times_are_those_of_a_slow_count(tables: Tables, rows: Rows) -> None:
    for client in client_stats(tables).stats:
        mine = rows.get(client.session, [])
        ages = [
            time_ms(tables, row["packet"]) - time_ms(tables, tables.snapshots.integer("packet", row["base"]))
            for row in mine
            if row["base"] >= 0
        ]
        trips = [
            time_ms(tables, row["acked_packet"]) - time_ms(tables, row["packet"])
            for row in mine
            if row["acked_packet"] >= 0
        ]
        assert close(client.base_age_p50, rank(ages, 50))
        assert close(client.base_age_p99, rank(ages, 99))
        assert close(client.ack_p50, rank(trips, 50))
        assert close(client.ack_p99, rank(trips, 99))


def test_histories_hold_every_snapshot_in_order(tables: Tables, rows: Rows) -> None:
    clients = client_stats(tables)
    for client in clients.stats:
        mine = rows.get(client.session, [])
        history = clients.histories.get(client.session)
        if history is None:
            assert not mine
            continue
        assert sorted(history.ticks.tolist()) == sorted(row["tick"] for row in mine)
        assert history.packets.tolist() == sorted(history.packets.tolist())
        middle = len(history.rows) // 2
        at = history.at(int(history.packets[middle]))
        assert history.packets[at] == history.packets[middle]
        assert history.at(-1) == len(history.rows) - 1
        assert history.at(int(history.packets[0]) - 1) in (-1, len(history.rows) - 1)


def stats_of(clients: Clients, player: str) -> ClientStats:
    return next(client for client in clients.stats if client.player == player)


def test_altered_snapshots_are_errors_and_come_first() -> None:
    tables = decoded(BUNDLED / "ddnet_tsunami_badcrc_head.pcap")
    clients = client_stats(tables)
    worst = sorted(clients.stats, key=lambda client: client.badness)
    assert [(client.player, client.severity, client.failed) for client in worst[:3]] == [
        ("bot0", Severity.ERROR, 69),
        ("bot2", Severity.ERROR, 29),
        ("bot3", Severity.PROVED, 0),
    ]
    assert worst[0].concerns == (Concern.WRONG, Concern.LOST)
    first = clients.histories[worst[0].session].first_failed(tables)
    assert tables.snapshots.integer("status", first) == Status.CRC
    status = tables.snapshots.integers("status")
    assert failed_mask(status, root_statuses(tables, np.arange(len(status))))[first]
    last = clients.histories[worst[2].session].first_failed(tables)
    assert last == clients.histories[worst[2].session].rows[-1]


def test_costly_clients_are_warned_of() -> None:
    clients = client_stats(decoded(BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz"))
    assert stats_of(clients, "bot1").concerns == (Concern.FULL,)
    assert stats_of(clients, "bot3").concerns == (Concern.OLD_BASES, Concern.SLOW_ACKS)
    assert stats_of(clients, "bot0").severity is Severity.PROVED


def test_retired_readings_and_empty_tables() -> None:
    assert [client.session for client in client_stats(hand_made()).stats] == [1, 2]
    assert client_stats(Tables()).stats == ()


def test_loss_is_a_warning_and_a_wrong_checksum_an_error() -> None:
    both = {client.session: client for client in client_stats(hand_made()).stats}
    assert both[1].concerns == (Concern.WRONG, Concern.LOST)
    assert both[1].lost_by[LostBy.CAPTURE] == 1
    assert both[2].severity is Severity.UNPROVED


def test_the_beginning_of_a_session_is_no_concern() -> None:
    clients = client_stats(decoded(BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap"))
    by_full = {(client.rebuilt, client.full): client.concerns for client in clients.stats if client.full}
    assert by_full[(2, 1)] == ()
    assert by_full[(45, 44)] == (Concern.FULL,)


def test_jitter_is_that_of_a_slow_count(tables: Tables, rows: Rows) -> None:
    for client in client_stats(tables).stats:
        mine = [row for row in rows.get(client.session, []) if row["status"] in (Status.OK, Status.CRC)]
        mine.sort(key=lambda row: row["packet"])
        whole = mine[-1]["tick"] - mine[0]["tick"] if mine else 0
        found: list[float] = []
        if whole > 1:
            tick_ms = (time_ms(tables, mine[-1]["packet"]) - time_ms(tables, mine[0]["packet"])) / whole
            for before, after in pairwise(mine):
                passed = time_ms(tables, after["packet"]) - time_ms(tables, before["packet"])
                found.append(abs(passed - (after["tick"] - before["tick"]) * tick_ms))
        assert close(client.jitter_p99, rank(found, 99))


def test_sizes_are_those_of_the_datagrams_that_carried_the_parts(tables: Tables, rows: Rows) -> None:
    for client in client_stats(tables).stats:
        sizes = [
            float(sum(tables.packets.integer("udp_length", int(packet)) for packet in carried))
            for number, row in enumerate_rows(tables)
            if row == client.session and tables.snapshots.integer("status", number) in (Status.OK, Status.CRC)
            if (carried := set(part_packets(tables, number).tolist()))
        ]
        assert len(sizes) == client.rebuilt
        assert close(client.size_mean, sum(sizes) / len(sizes) if sizes else None)
        assert close(client.size_p95, rank(sizes, 95))


def enumerate_rows(tables: Tables) -> list[tuple[int, int]]:
    """Snapshot rows, and whose they are."""
    return list(enumerate(tables.snapshots.integers("session").tolist()))


@pytest.mark.parametrize("name", ["ddnet_ctf1_24bots_slices.pcap.gz", "ddnet_dm2_reconnect_mapchange.pcap"])
def test_rebuilt_parts_and_full_are_those_of_the_independent_decoder(name: str) -> None:
    path = BUNDLED / name
    records: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for record in oracle_records(path):
        records.setdefault((record["client"], record["session"]), []).append(record)
    for client in client_stats(decoded(path)).stats:
        mine = records.pop((client.ends.client, client.number), [])
        assert (client.rebuilt, client.lost, client.lost_share) == (len(mine), 0, 0.0 if mine else None)
        assert client.full == sum(record["base_tick"] < 0 for record in mine[1:])
        assert close(client.parts_mean, sum(record["parts"] for record in mine) / len(mine) if mine else None)
    assert not records


def test_loss_is_told_with_the_worst_loser_first() -> None:
    client = stats_of(client_stats(decoded(BUNDLED / "ddnet_tsunami_badcrc_head.pcap")), "bot0")
    assert client.lost_share == client.lost / client.snapshots == 67 / client.snapshots
    mixed = replace(client, lost_by={LostBy.NETWORK: 2, LostBy.CAPTURE: 0, LostBy.GAME: 7})
    assert mixed.losers == [(LostBy.GAME, 7), (LostBy.NETWORK, 2)]


def test_another_age_of_baselines_judges_anew() -> None:
    late = stats_of(client_stats(decoded(BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz")), "bot3")
    age = late.base_age_p50
    assert age is not None
    easier = judged(late, age)
    assert (easier.concerns, easier.severity) == ((Concern.SLOW_ACKS,), Severity.WARNING)
    assert judged(easier, age - 1) == late
    proved = stats_of(client_stats(decoded(BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz")), "bot0")
    strict = judged(proved, 1.0)
    assert (strict.concerns, strict.severity) == ((Concern.OLD_BASES,), Severity.WARNING)
    assert judged(strict, 500.0) == proved
