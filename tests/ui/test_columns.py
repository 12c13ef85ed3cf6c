"""Columns of the packet list by keyboard and mouse in the real window: shown, hidden, moved, added, sorted, kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QStatusBar
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from ui.dialogs.colours import ColoursDialog, ColoursModel
from ui.dialogs.columns import ColumnsDialog
from ui.dialogs.command_search import CommandSearch
from ui.document import Document
from ui.main_window import MainWindow
from ui.models import column_layout
from ui.models.column_layout import BUILT_IN, DEFAULT, read_layout, stored_layout
from ui.models.packet_cells import Column
from ui.settings import Settings
from ui.views.column_menu import fill_head_menu

Opener = Callable[[str | Path], Document]
SHORT = "ddnet_dm2_reconnect_mapchange"
KEY = Qt.Key
NONE, CONTROL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
SHIFT, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier


def press(window: MainWindow, qtbot: QtBot, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.packets.table.setFocus()
    QTest.keyClick(window.packets.table, key, modifiers)


def opened_dialog(window: MainWindow, qtbot: QtBot) -> ColumnsDialog:
    press(window, qtbot, KEY.Key_L, CONTROL | SHIFT)
    dialog = window.findChild(ColumnsDialog)
    assert dialog is not None
    return dialog


def heads(window: MainWindow) -> list[str]:
    """Titles from left to right."""
    head, model = window.packets.table.horizontalHeader(), window.packets.model
    shown = [head.logicalIndex(place) for place in range(head.count())]
    return [
        str(model.headerData(section, Qt.Orientation.Horizontal))
        for section in shown
        if not head.isSectionHidden(section) and section not in (Column.GUTTER, Column.DIRECTION)
    ]


def texts(window: MainWindow, section: int) -> list[str]:
    model = window.packets.model
    return [str(model.index(row, section).data()) for row in range(model.rowCount())]


def settle(window: MainWindow, qtbot: QtBot, section: int, row: int = 0) -> str:
    model = window.packets.model
    qtbot.waitUntil(lambda: str(model.index(row, section).data()) != "...")
    return str(model.index(row, section).data())


def add(window: MainWindow, qtbot: QtBot, field: str) -> int:
    """Through the dialogs, by keys: the number of the new column."""
    dialog = opened_dialog(window, qtbot)
    QTest.keyClick(dialog.add, KEY.Key_Space)
    search = dialog.findChild(CommandSearch)
    assert search is not None
    QTest.keyClicks(search.field, field)
    QTest.keyClick(search.field, KEY.Key_Return)
    qtbot.waitUntil(lambda: field in window.packets.model.added_names)
    dialog.accept()
    qtbot.waitUntil(lambda: window.findChild(ColumnsDialog) is None)
    return len(Column) + window.packets.model.added_names.index(field)


def test_shown_hidden_and_moved_by_keys(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    opened(SHORT)
    window.resize(1700, 800)
    qtbot.waitUntil(lambda: "Source" in heads(window))
    assert heads(window) == ["No.", "Time [s]", "Source", "Destination", "Client", "Protocol", "Length", "Info"]
    dialog = opened_dialog(window, qtbot)
    dialog.list.setCurrentRow(2)
    QTest.keyClick(dialog.list, KEY.Key_Space)
    assert "Source" not in heads(window)
    QTest.keyClick(dialog.list, KEY.Key_Down)
    QTest.keyClick(dialog.list, KEY.Key_Up, ALT)
    QTest.keyClick(dialog.list, KEY.Key_Up, ALT)
    assert heads(window)[:3] == ["No.", "Destination", "Time [s]"]
    assert dialog.list.currentItem().text() == "Destination"
    dialog.accept()
    press(window, qtbot, KEY.Key_Z, CONTROL)
    press(window, qtbot, KEY.Key_Z, CONTROL)
    press(window, qtbot, KEY.Key_Z, CONTROL)
    assert heads(window)[:4] == ["No.", "Time [s]", "Source", "Destination"]
    press(window, qtbot, KEY.Key_Z, CONTROL | SHIFT)
    assert "Source" not in heads(window)


def test_info_is_always_there(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    opened(SHORT)
    dialog = opened_dialog(window, qtbot)
    dialog.list.setCurrentRow(dialog.list.count() - 1)
    assert dialog.list.currentItem().text() == "Info"
    QTest.keyClick(dialog.list, KEY.Key_Space)
    dialog.accept()
    assert "Info" in heads(window)


def test_a_field_as_a_column(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    tables = document.tables
    section = add(window, qtbot, "snapshot.tick")
    assert heads(window)[-2:] == ["snapshot.tick", "Info"]
    snapshot = len(tables.snapshots) // 2
    packet = tables.snapshots.integer("packet", snapshot)
    document.selection.select(packet, snapshot)
    assert str(tables.snapshots.integer("tick", snapshot)) in settle(window, qtbot, section, packet)
    assert settle(window, qtbot, section, 0) == ""
    window.packets.table.horizontalHeader().setSortIndicator(section, Qt.SortOrder.DescendingOrder)
    model = window.packets.model
    best = int(tables.snapshots.integers("tick").max())
    qtbot.waitUntil(lambda: model.packet_at(0) != 0)
    assert str(best) in settle(window, qtbot, section, 0)
    press(window, qtbot, KEY.Key_Z, CONTROL)
    assert "snapshot.tick" not in heads(window)
    assert model.in_capture_order


def test_values_that_no_table_holds(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    window.packets.table.choose_columns(column_layout.with_field(DEFAULT, "message.input.ack_game_tick"))
    section = len(Column)
    query = document.worker.capture.query()
    packets = range(len(document.tables.packets))
    inputs = [packet for packet in packets if re.search(r"Input, acks \d", query.info(packet))][:3]
    query.close()
    assert inputs
    for packet in inputs:
        said = settle(window, qtbot, section, packet)
        info = str(window.packets.model.index(packet, Column.INFO).data())
        assert said
        assert f"acks {said.split(', ')[0]}" in info
    head = window.packets.table.horizontalHeader()
    head.setSortIndicator(section, Qt.SortOrder.AscendingOrder)
    assert head.sortIndicatorSection() == -1
    assert window.packets.model.in_capture_order
    bars = window.status.findChildren(QStatusBar)
    assert any(bar.currentMessage().startswith("Rows cannot be sorted") for bar in bars)


def test_remembered_and_reset(window: MainWindow, opened: Opener, qtbot: QtBot, settings: Settings) -> None:
    opened(SHORT)
    add(window, qtbot, "udp.length")
    layout = window.packets.table.columns
    assert read_layout(settings.packet_columns) == layout
    other = MainWindow(settings)
    qtbot.addWidget(other)
    assert other.packets.table.columns == layout
    other.close()
    window.actions_by_name["columns_reset"].trigger()
    assert window.packets.table.columns == DEFAULT
    assert settings.packet_columns is None


def test_a_dragged_head_is_a_choice(window: MainWindow, opened: Opener, qtbot: QtBot, settings: Settings) -> None:
    opened(SHORT)
    head = window.packets.table.horizontalHeader()
    head.moveSection(head.visualIndex(Column.LENGTH), 1)
    assert window.packets.table.columns[0].name == "length"
    assert read_layout(settings.packet_columns)[0].name == "length"
    press(window, qtbot, KEY.Key_Z, CONTROL)
    assert head.visualIndex(Column.NUMBER) == 1


def test_the_menu_of_heads(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    opened(SHORT)
    add(window, qtbot, "udp.length")
    menu = QMenu()
    fill_head_menu(menu, window.packets, Column.TIME)
    actions = {action.text().partition("\t")[0]: action for action in menu.actions() if action.text()}
    assert actions["Time since the first packet"].isChecked()
    actions["Time of day (UTC)"].trigger()
    assert "Time [UTC]" in heads(window)
    actions["Hide this column"].trigger()
    assert "Time [UTC]" not in heads(window)
    assert not actions["Info"].isEnabled()
    actions["Length"].trigger()
    assert "Length" not in heads(window)
    menu = QMenu()
    fill_head_menu(menu, window.packets, len(Column))
    next(action for action in menu.actions() if action.text() == "Remove this column").trigger()
    assert "udp.length" not in heads(window)


def test_added_columns_are_copied(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    window.packets.table.choose_columns(column_layout.with_field(DEFAULT, "udp.length"))
    QGuiApplication.clipboard().clear()
    document.selection.select(900, -1)
    press(window, qtbot, KEY.Key_C, CONTROL)
    qtbot.waitUntil(lambda: bool(QGuiApplication.clipboard().text()))
    copied = QGuiApplication.clipboard().text().split("\t")
    assert copied[-2] == str(document.tables.packets.integer("udp_length", 900))


def test_a_field_that_no_schema_names(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    opened(SHORT)
    window.packets.table.choose_columns(column_layout.with_field(DEFAULT, "message.gone.away"))
    assert settle(window, qtbot, len(Column)) == ""
    head = window.packets.model.headerData(len(Column), Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert head == "No schema in use names this field"
    window.packets.table.horizontalHeader().setSortIndicator(len(Column), Qt.SortOrder.AscendingOrder)
    qtbot.waitUntil(lambda: not window.packets.model.in_capture_order)


def test_columns_stay_when_another_capture_is_opened(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    opened(SHORT)
    window.packets.table.choose_columns(column_layout.with_field(DEFAULT, "udp.length"))
    document = opened("ddnet_tsunami_badcrc")
    assert settle(window, qtbot, len(Column), 3) == str(document.tables.packets.integer("udp_length", 3))


def test_session_steps_by_keys(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    sessions = document.tables.packets.integers("session")
    own = np.flatnonzero(sessions == sessions[sessions >= 0][0])
    document.selection.select(int(own[0]), -1)
    press(window, qtbot, KEY.Key_Period, CONTROL | ALT)
    assert document.selection.place.packet == own[1]
    press(window, qtbot, KEY.Key_Comma, CONTROL | ALT)
    assert document.selection.place.packet == own[0]


def test_the_legend(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_by_name["colours"].trigger()
    dialog = window.findChild(ColoursDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.isVisible)
    meanings = [str(dialog.model.index(row, 1).data()) for row in range(dialog.model.rowCount())]
    assert [meaning[:2] for meaning in meanings[:4]] == ["1.", "2.", "3.", "4."]
    QTest.keyClick(dialog, KEY.Key_Escape)
    qtbot.waitUntil(lambda: window.findChild(ColoursDialog) is None)


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=4), st.lists, max_leaves=10)
    | st.lists(st.tuples(st.sampled_from([*BUILT_IN, "udp.length", "x"]), st.none() | st.booleans()).map(list))
)
def test_whatever_was_remembered_is_a_layout(stored: object) -> None:
    layout = read_layout(stored)
    names = [place.name for place in layout]
    assert len(set(names)) == len(names)
    assert set(BUILT_IN) <= set(names)
    assert next(place for place in layout if place.name == "info").shown is None
    assert read_layout([list(entry) for entry in stored_layout(layout)]) == layout


@pytest.mark.parametrize("step", [-1, 1])
def test_moving_stops_at_the_ends(step: int) -> None:
    layout = DEFAULT
    name = layout[0 if step < 0 else -1].name
    assert column_layout.moved(layout, name, step) == layout
    assert column_layout.moved(column_layout.moved(layout, name, -step), name, step) == layout


def test_the_model_is_one_while_columns_come_and_go(
    window: MainWindow, opened: Opener, qtmodeltester: ModelTester, qtbot: QtBot
) -> None:
    opened("serverinfo_and_play")
    model = window.packets.model
    qtmodeltester.check(model)
    model.set_added(("udp.length", "snapshot.tick", "ip.src"))
    model.set_added(("ip.src", "flow"))
    assert model.added_names == ("ip.src", "flow")
    assert model.columnCount() == len(Column) + 2
    assert settle(window, qtbot, len(Column)) == str(model.index(0, Column.SOURCE).data())
    model.set_added(())
    assert model.columnCount() == len(Column)


def test_the_model_of_the_legend(qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(ColoursModel())
