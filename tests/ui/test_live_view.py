"""The view of a capture that grows: paused while it goes on, followed, held where a person looks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.ui.growing import Growing
from ui.document import Document
from ui.main_window import MainWindow
from ui.models.packet_cells import Column


@pytest.fixture
def growing(tmp_path: Path) -> Growing:
    """A capture of which a tenth is written."""
    return Growing(tmp_path / "growing.pcapng")


@pytest.fixture
def live(window: MainWindow, growing: Growing, qtbot: QtBot) -> Document:
    """It is followed in the window, and its packets so far are listed."""
    assert window.opening.follow(growing.path, temporary=False)
    document = window.document
    assert document is not None
    qtbot.waitUntil(lambda: window.packets.model.rowCount() > 100)
    return document


@pytest.fixture
def more(window: MainWindow, live: Document, growing: Growing, qtbot: QtBot) -> Callable[[float], None]:
    """`more(share)`: so much of it is written, and decoded."""

    def write(share: float) -> None:
        before = len(live.tables.packets)
        growing.write(share)
        qtbot.waitUntil(lambda: len(live.tables.packets) > before)

    return write


def waiting(window: MainWindow) -> int:
    """How many packets the bar says are waiting."""
    return int(window.live_bar.waiting.text().partition(" ")[0].replace("\u202f", ""))


def test_a_pause_holds_the_list_and_counts(
    window: MainWindow, live: Document, more: Callable[[float], None], qtbot: QtBot
) -> None:
    bar, model = window.live_bar, window.packets.model
    assert bar.isVisible()
    assert bar.source.text().startswith("growing.pcapng · ")
    assert not bar.waiting.isVisible()
    window.actions_by_name["pause"].trigger()
    shown = model.rowCount()
    assert window.actions_by_name["pause"].isChecked()
    assert bar.pill.text.startswith("Paused ")
    assert bar.pause.text() == "Resume"
    more(0.4)
    qtbot.waitUntil(lambda: waiting(window) > 0)
    first = waiting(window)
    more(0.7)
    qtbot.waitUntil(lambda: waiting(window) > first)
    assert model.rowCount() == shown
    assert waiting(window) == len(live.tables.packets) - shown
    bar.pause.click()
    assert not live.is_paused
    assert not window.actions_by_name["pause"].isChecked()
    assert model.rowCount() == len(live.tables.packets)
    assert not bar.waiting.isVisible()
    scroll = window.packets.table.verticalScrollBar()
    assert scroll.value() == scroll.maximum(), "it follows as before"
    assert window.charts.follows


def test_scrubbing_back_and_follow(window: MainWindow, live: Document, more: Callable[[float], None]) -> None:
    bar = window.live_bar
    assert window.live_view.follows
    assert not bar.follow.isVisible()
    window.charts.show_range(0.0, 0.1)
    assert bar.follow.isVisible()
    assert window.packets.following, "the list goes its own way"
    bar.follow.click()
    assert not bar.follow.isVisible()
    window.packets.table.verticalScrollBar().setValue(5)
    assert bar.follow.isVisible()
    more(0.5)
    assert window.packets.table.verticalScrollBar().value() == 5
    window.charts.show_range(0.0, 0.1)
    window.actions_by_name["last"].trigger()
    assert window.live_view.follows
    assert window.packets.following
    assert window.charts.follows


def test_what_is_sorted_is_not_followed(window: MainWindow, live: Document) -> None:
    head = window.packets.table.horizontalHeader()
    head.setSortIndicator(Column.LENGTH, Qt.SortOrder.DescendingOrder)
    assert not window.packets.following
    window.live_view.follow()
    assert window.packets.following
    assert window.packets.model.in_capture_order
    assert head.sortIndicatorSection() != Column.LENGTH


def test_the_end_leaves_what_is_looked_at(
    window: MainWindow, live: Document, more: Callable[[float], None], growing: Growing, qtbot: QtBot
) -> None:
    window.actions_by_name["pause"].trigger()
    top = window.packets.table.verticalScrollBar().value()
    more(1.0)
    window.opening.finish()
    qtbot.waitUntil(lambda: live.is_decoded)
    assert window.packets.model.rowCount() == len(live.tables.packets)
    assert window.packets.table.verticalScrollBar().value() == top
    assert not window.live_bar.isVisible()
    assert not window.actions_by_name["pause"].isEnabled()
    assert not window.actions_by_name["pause"].isChecked()


def test_another_capture_is_not_paused(
    window: MainWindow, live: Document, opened: Callable[[Path], Document], growing: Growing
) -> None:
    window.actions_by_name["pause"].trigger()
    opened(growing.path)
    assert not window.live_bar.isVisible()
    assert not window.actions_by_name["pause"].isChecked()


def test_a_pause_freezes_the_clients(
    window: MainWindow, live: Document, more: Callable[[float], None], qtbot: QtBot
) -> None:
    more(0.3)
    window.docks[1].raise_()
    source = window.clients.source
    qtbot.waitUntil(lambda: bool(source.clients.stats))
    told: list[None] = []
    window.actions_by_name["pause"].trigger()
    qtbot.waitUntil(lambda: not source._asked and not source._pause.isActive())
    source.changed.connect(lambda: told.append(None))
    more(0.6)
    qtbot.waitUntil(lambda: waiting(window) > 0)
    assert not told
    window.actions_by_name["pause"].trigger()
    qtbot.waitUntil(lambda: bool(told))
