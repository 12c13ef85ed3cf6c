"""The baseline store of known snapshots."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from capture_files import BUNDLED

from analyzer.engine.capture import Capture
from analyzer.stats.baselines import Baseline, Role, baselines
from analyzer.stats.clients import History, client_stats
from analyzer.store.tables import Tables


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
