"""End to end in the window: a real DDNet server and real players on loopback, captured by the real sniffer.

List and charts move with it, are paused and go on; every snapshot is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from analyzer.engine.capture import Capture
from analyzer.stats.snapshots import RebuiltCounter
from tests.capture.live.network import needs_libpcap, needs_right
from tests.engine.table_content import table_content
from tests.live.ddnet import Address, check, game_server, needs_server
from tests.live.player import Player
from ui import app
from ui.document import Document
from ui.main_window import MainWindow
from ui.settings import CaptureOptions

pytestmark = [needs_right, needs_libpcap, needs_server]

PLAYERS = 3
Play = Callable[[Callable[[], bool]], None]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Address]:
    """A server with a map full of things to pick up."""
    with game_server(tmp_path / "server") as address:
        yield address


@pytest.fixture
def document(window: MainWindow, server: Address, qtbot: QtBot) -> Document:
    """What `snapscope -i lo -f "udp port N" -k` shows."""
    options = app._read_arguments(["-i", "lo", "-f", f"udp port {server[1]}", "-k"])
    app.begin_capture(window, options, CaptureOptions())
    qtbot.waitUntil(lambda: window.document is not None)
    assert window.document is not None
    return window.document


@pytest.fixture
def players(document: Document, server: Address) -> list[Player]:
    """Nothing that they send is before the capture."""
    return [Player(server, f"player {number}", number) for number in range(PLAYERS)]


@pytest.fixture
def play(players: list[Player], qtbot: QtBot) -> Play:
    """`play(until)`: everybody plays until something is true."""

    def until(reached: Callable[[], bool]) -> None:
        def step() -> bool:
            for player in players:
                player.step()
            return reached()

        qtbot.waitUntil(step)

    return until


def least(players: list[Player]) -> int:
    """Snapshots of the player who has the fewest."""
    return min(len(player.ticks) for player in players)


def test_a_game_is_seen_as_it_is_played(
    window: MainWindow, document: Document, players: list[Player], play: Play, qtbot: QtBot
) -> None:
    see_it_move(window, document, players, play)
    see_it_paused(window, document, players, play)
    for player in players:
        player.leave()
    live = window.capturing.live
    assert live is not None
    window.actions_by_name["stop"].trigger()
    qtbot.waitUntil(lambda: document.is_decoded)
    assert live.standing.counts.lost == 0
    capture = document.worker.capture
    check(capture, players)
    count(capture, players)
    assert window.packets.model.rowCount() == len(document.tables.packets) == live.standing.counts.frames
    found = table_content(document.tables)
    with Capture.open(capture.path, strict=True) as offline:
        offline.decode()
        assert table_content(offline.tables) == found
    window.actions_by_name["close_capture"].trigger()
    assert window.capturing.question is not None
    window.capturing.question.button(QMessageBox.StandardButton.Discard).click()


def see_it_move(window: MainWindow, document: Document, players: list[Player], play: Play) -> None:
    """Curves grow, the axis moves with the clock, the list keeps at its end."""
    charts, size, rate = window.charts, window.charts.charts[0], window.charts.charts[5]
    charts.show_chart("packets", True)
    play(lambda: len(size.drawn.x) > 10 and len(rate.drawn.high) > 0)
    begun = charts.range_s[1], len(charts.scope.data.series) if charts.scope else 0, window.packets.model.rowCount()
    pictures = size.canvas.still_paints
    ends: set[float] = set()

    def is_enough() -> bool:
        ends.add(charts.range_s[1])
        return least(players) >= 60 and len(ends) > 2

    play(is_enough)
    assert charts.scope is not None
    series = charts.scope.data.series
    play(lambda: charts.range_s[1] > begun[0] + 1.0 and len(series) > begun[1] + 60)
    play(lambda: size.canvas.still_paints > pictures + 5)
    assert size.canvas.newest_at is not None
    assert size.header.value.endswith(" B")
    assert RebuiltCounter(document.tables).counts().failed == 0
    scroll = window.packets.table.verticalScrollBar()
    assert window.packets.model.rowCount() > begun[2]
    assert scroll.value() == scroll.maximum() > 0


def see_it_paused(window: MainWindow, document: Document, players: list[Player], play: Play) -> None:
    """List and charts stand still while more is captured and decoded; then all of it is shown."""
    charts, model, bar = window.charts, window.packets.model, window.live_bar
    window.actions_by_name["pause"].trigger()
    play(lambda: not charts.is_stale)
    shown = model.rowCount(), charts.range_s, charts.charts[0].drawn.x.tolist()
    rebuilt = RebuiltCounter(document.tables).counts().rebuilt
    said: list[str] = []
    enough = least(players) + 40

    def is_enough() -> bool:
        if bar.waiting.text() not in said:
            said.append(bar.waiting.text())
        return least(players) >= enough

    play(is_enough)
    assert (model.rowCount(), charts.range_s, charts.charts[0].drawn.x.tolist()) == shown
    numbers = [int(text.partition(" ")[0].replace("\u202f", "")) for text in said]
    assert numbers == sorted(numbers)
    assert numbers[-1] > 100
    play(lambda: RebuiltCounter(document.tables).counts().rebuilt >= rebuilt + 40 * PLAYERS)
    bar.pause.click()
    assert model.rowCount() > shown[0] + numbers[-1] - 1
    play(lambda: charts.range_s[1] > shown[1][1] + 1.0 and len(charts.charts[0].drawn.x) > 0)
    assert not bar.waiting.isVisible()


def count(capture: Capture, players: list[Player]) -> None:
    """Every datagram of every player was captured once."""
    tables = capture.tables
    flows, directions = tables.packets.array("flow"), tables.packets.array("direction")
    for player in players:
        end = f"127.0.0.1:{player.address[1]}"
        flow = next(
            row
            for row in range(len(tables.flows))
            if end in (tables.flows.text("address_a", row), tables.flows.text("address_b", row))
        )
        assert tables.flows.text("address_a", flow) == end
        assert int(np.sum((flows == flow) & (directions == 0))) == player.sent
        # Some may have come after it looked for the last time.
        assert int(np.sum((flows == flow) & (directions == 1))) >= player.received
