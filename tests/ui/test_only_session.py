"""Limiting all panes of the real window to one session, and back: by the button, the menu and the keyboard."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.ui.conftest import WAIT_MS, find_capture
from ui.document import Document
from ui.main_window import MainWindow
from ui.views.cells import CELL_ROLE, Cell

CAPTURE = "ddnet_tsunami_badcrc_head"
Limit = Callable[[QtBot, MainWindow], None]


def by_button(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.mouseClick(window.clients.only, Qt.MouseButton.LeftButton)


def by_menu(_qtbot: QtBot, window: MainWindow) -> None:
    menu = window.clients.table.row_menu(window.clients.table.currentIndex().row())
    next(action for action in menu.actions() if action.text() == "Only this session").trigger()


def by_keyboard(qtbot: QtBot, window: MainWindow) -> None:
    window.clients.only.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(window.clients.only, Qt.Key.Key_Space)


def opened(qtbot: QtBot, window: MainWindow) -> Document:
    """The capture, all decoded, with the clients in view."""
    assert window.opening.open_path(find_capture(CAPTURE))
    document = window.document
    assert document is not None
    qtbot.waitUntil(lambda: document.is_decoded, timeout=WAIT_MS)
    window.docks[1].raise_()
    qtbot.waitUntil(lambda: window.clients.clients.rowCount() == 6, timeout=WAIT_MS)
    return document


def greyed(window: MainWindow) -> set[int]:
    model = window.clients.clients
    cells = {model.session_at(row): model.index(row, 0).data(CELL_ROLE) for row in range(model.rowCount())}
    return {session for session, cell in cells.items() if isinstance(cell, Cell) and cell.tone == "text3"}


@pytest.mark.parametrize("limit", [by_button, by_menu, by_keyboard])
def test_all_panes_follow_and_come_back(qtbot: QtBot, window: MainWindow, limit: Limit) -> None:
    document = opened(qtbot, window)
    sessions = document.tables.packets.integers("session")
    every = document.tables.packets.array("session").shape[0]
    chosen = window.clients.clients.session_at(2)
    window.clients.choose(chosen)
    limit(qtbot, window)
    assert document.selection.session == chosen
    qtbot.waitUntil(lambda: window.packets.model.rowCount() == np.count_nonzero(sessions == chosen))
    qtbot.waitUntil(lambda: window.charts.session == chosen)
    assert greyed(window) == set(range(6)) - {chosen}
    assert window.actions_by_name["all_sessions"].isEnabled()
    limit(qtbot, window)
    assert document.selection.session == -1
    qtbot.waitUntil(lambda: window.packets.model.rowCount() == every)
    assert greyed(window) == set()
    limit(qtbot, window)
    window.actions_by_name["all_sessions"].trigger()
    qtbot.waitUntil(lambda: window.packets.model.rowCount() == every)
    assert not window.clients.only.isChecked()
    assert greyed(window) == set()
