"""End to end: a real DDNet server and real players on loopback, captured by the real sniffer, decoded live."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.capture.live.control import Settings, Sniffer
from analyzer.engine.capture import Capture
from analyzer.stats.snapshots import RebuiltCounter
from tests.capture.live.network import needs_libpcap, needs_right, started
from tests.engine.table_content import table_content
from tests.live.ddnet import Address, check, game_server, needs_server
from tests.live.player import Player

SNAPSHOTS = 60
"""Of each player; a server sends 25 a second."""

pytestmark = [needs_right, needs_libpcap, needs_server]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Address]:
    """A server with a map full of things to pick up."""
    with game_server(tmp_path / "server") as address:
        yield address


def play(players: list[Player], capture: Capture, sniffer: Sniffer) -> None:
    """Until everybody has enough; what is captured is decoded meanwhile."""
    end = time.monotonic() + 60
    while min(len(player.ticks) for player in players) < SNAPSHOTS:
        assert time.monotonic() < end, [len(player.ticks) for player in players]
        for player in players:
            player.step()
        assert capture.step()
        sniffer.next(0.002)


def decode_rest(capture: Capture, sniffer: Sniffer) -> None:
    sniffer.stop()
    while not sniffer.ended:
        sniffer.next(1.0)
    capture.source.finish()
    capture.decode()


def test_real_traffic_is_rebuilt_and_proved(server: Address, tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    players = [Player(server, f"player {number}", number) for number in range(3)]
    with (
        started(Settings("lo", path, f"udp port {server[1]}")) as sniffer,
        Capture.open(path, growing=True, strict=True) as capture,
    ):
        play(players, capture, sniffer)
        # Charts of a live capture draw what is published by now.
        assert RebuiltCounter(capture.tables).counts().rebuilt > 2 * SNAPSHOTS
        for player in players:
            player.leave()
        decode_rest(capture, sniffer)
        assert capture.source.dropped == 0
        check(capture, players)
        found = table_content(capture.tables)
    with Capture.open(path, strict=True) as offline:
        offline.decode()
        assert table_content(offline.tables) == found
