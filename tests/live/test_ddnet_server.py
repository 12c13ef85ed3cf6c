"""End to end: a real DDNet server and real players on loopback, captured by the real sniffer, decoded live."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from analyzer.capture.live.control import Settings, Sniffer
from analyzer.engine.capture import Capture
from analyzer.snapshots.status import Status
from analyzer.stats.live import live_sessions
from analyzer.stats.snapshots import rebuilt_counts
from tests.capture.live.network import needs_libpcap, needs_right, started
from tests.engine.table_content import table_content
from tests.live.player import Player

SERVER = shutil.which("DDNet-Server", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
SNAPSHOTS = 60
"""Of each player; a server sends 25 a second."""

pytestmark = [
    needs_right,
    needs_libpcap,
    pytest.mark.skipif(SERVER is None, reason="Debian's ddnet-server is not installed"),
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """A server with a map full of things to pick up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home = tmp_path / "server"
    home.mkdir()
    settings = f"sv_port {port}; sv_map ctf1; sv_register 0; sv_max_clients_per_ip 16"
    assert SERVER is not None
    with open(home / "log", "wb") as log:
        process = subprocess.Popen(
            [SERVER, settings], cwd=home, env={**os.environ, "HOME": str(home)}, stdout=log, stderr=log
        )
    try:
        wait_for_server(process, home / "log")
        yield "127.0.0.1", port
    finally:
        process.terminate()
        process.wait()


def wait_for_server(process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 30
    while b"server name is" not in log.read_bytes():
        running = process.poll() is None and time.monotonic() < end
        assert running, log.read_text(encoding="utf-8", errors="replace")
        time.sleep(0.05)


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


def test_real_traffic_is_rebuilt_and_proved(server: tuple[str, int], tmp_path: Path) -> None:
    path = tmp_path / "spool.pcapng"
    players = [Player(server, f"player {number}", number) for number in range(3)]
    with (
        started(Settings("lo", path, f"udp port {server[1]}")) as sniffer,
        Capture.open(path, growing=True, strict=True) as capture,
    ):
        play(players, capture, sniffer)
        # Charts of a live capture draw what is published by now.
        assert rebuilt_counts(capture.tables).rebuilt > 2 * SNAPSHOTS
        for player in players:
            player.leave()
        decode_rest(capture, sniffer)
        assert capture.source.dropped == 0
        check(capture, players)
        found = table_content(capture.tables)
    with Capture.open(path, strict=True) as offline:
        offline.decode()
        assert table_content(offline.tables) == found


def check(capture: Capture, players: list[Player]) -> None:
    """Every snapshot that a player got is there, rebuilt, with the right checksum; and none failed."""
    tables = capture.tables
    counts = rebuilt_counts(tables)
    assert counts.rebuilt == counts.proved
    assert (counts.failed, counts.unproven, counts.unknown) == (0, 0, 0)
    sessions = live_sessions(tables)
    assert len(sessions) == len(players)
    statuses, owners = tables.snapshots.array("status"), tables.snapshots.array("session")
    ticks = tables.snapshots.array("tick")
    by_name = {tables.sessions.text("player", int(row)): int(row) for row in sessions}
    for player in players:
        own = (owners == by_name[player.name]) & (statuses == Status.OK)
        rebuilt = ticks[own].tolist()
        assert rebuilt == sorted(set(rebuilt))
        # One may have come after the player looked for the last time.
        assert rebuilt[: len(player.ticks)] == player.ticks
        assert not np.isin(statuses[owners == by_name[player.name]], [Status.CRC, Status.MALFORMED, Status.BUG]).any()
