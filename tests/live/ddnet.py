"""Debian's DDNet server on loopback, and what has to hold of a capture of a game on it."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from analyzer.engine.capture import Capture
from analyzer.snapshots.status import Status
from analyzer.stats.live import live_sessions
from analyzer.stats.snapshots import RebuiltCounter
from tests.live.player import Player

Address = tuple[str, int]
SERVER = shutil.which("DDNet-Server", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
needs_server = pytest.mark.skipif(SERVER is None, reason="Debian's ddnet-server is not installed")


@contextlib.contextmanager
def game_server(home: Path) -> Iterator[Address]:
    """A server with a map full of things to pick up; it writes into a folder that it makes."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home.mkdir()
    settings = f"sv_port {port}; sv_map ctf1; sv_register 0; sv_max_clients_per_ip 16"
    assert SERVER is not None
    with open(home / "log", "wb") as log:
        process = subprocess.Popen(
            [SERVER, settings], cwd=home, env={**os.environ, "HOME": str(home)}, stdout=log, stderr=log
        )
    try:
        _wait_for_server(process, home / "log")
        yield "127.0.0.1", port
    finally:
        process.terminate()
        process.wait()


def _wait_for_server(process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 30
    while b"server name is" not in log.read_bytes():
        running = process.poll() is None and time.monotonic() < end
        assert running, log.read_text(encoding="utf-8", errors="replace")
        time.sleep(0.05)


def check(capture: Capture, players: list[Player]) -> None:
    """Every snapshot that a player got is there, rebuilt, with the right checksum; and none failed."""
    tables = capture.tables
    counts = RebuiltCounter(tables).counts()
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
