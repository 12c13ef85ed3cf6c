"""What the time column says in each of its ways, chosen by keys in the real window, and how it sorts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from ui.document import Document
from ui.main_window import MainWindow
from ui.models.packet_cells import Column, TimeFormat

Opener = Callable[[str | Path], Document]
SHORT = "ddnet_dm2_reconnect_mapchange"
KEY = Qt.Key
CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
KEYS = {
    TimeFormat.FIRST: KEY.Key_5,
    TimeFormat.REFERENCE: KEY.Key_6,
    TimeFormat.PREVIOUS: KEY.Key_7,
    TimeFormat.UTC: KEY.Key_8,
}


@pytest.fixture
def choose(window: MainWindow) -> Callable[[TimeFormat], None]:
    def press(form: TimeFormat) -> None:
        window.packets.table.setFocus()
        QTest.keyClick(window.packets.table, KEYS[form], CONTROL | ALT)
        checked = [one for one in TimeFormat if window.actions_by_name[f"time_{one.value}"].isChecked()]
        assert checked == [form]

    return press


def shown_times(window: MainWindow) -> np.ndarray:
    """What the column says, in the order of the rows, in microseconds."""
    model = window.packets.model
    texts = [str(model.index(row, Column.TIME).data()) for row in range(model.rowCount())]
    return np.array([round(float(text.replace("\u2212", "-").replace("\u202f", "")) * 1e6) for text in texts])


def moments(document: Document) -> np.ndarray:
    tables = document.tables
    return tables.frames.integers("time_ns")[tables.packets.integers("frame")]


def close_to(found: np.ndarray, expected_ns: np.ndarray) -> bool:
    return bool((np.abs(found - expected_ns / 1000) <= 1).all())


def reference(window: MainWindow, packet: int) -> None:
    assert window.document is not None
    window.document.selection.select(packet, -1)
    window.packets.table.setFocus()
    QTest.keyClick(window.packets.table, KEY.Key_T, CONTROL)


def test_since_the_first_and_since_the_packet_before(
    window: MainWindow, opened: Opener, choose: Callable[[TimeFormat], None]
) -> None:
    times = moments(opened(SHORT))
    choose(TimeFormat.PREVIOUS)
    assert close_to(shown_times(window), np.diff(times, prepend=times[0]))
    choose(TimeFormat.FIRST)
    assert close_to(shown_times(window), times - times[0])


def test_before_means_what_is_shown(
    window: MainWindow, opened: Opener, choose: Callable[[TimeFormat], None], qtbot: QtBot
) -> None:
    document = opened(SHORT)
    choose(TimeFormat.PREVIOUS)
    own = np.flatnonzero(document.tables.packets.integers("session") == 0)
    document.selection.limit_to(0)
    model = window.packets.model
    qtbot.waitUntil(lambda: model.rowCount() == len(own))
    times = moments(document)[own]
    deltas = np.diff(times, prepend=times[0])
    assert close_to(shown_times(window), deltas)
    window.packets.table.horizontalHeader().setSortIndicator(Column.TIME, Qt.SortOrder.DescendingOrder)
    assert close_to(shown_times(window), np.sort(deltas)[::-1])
    assert model.packet_at(0) == own[int(deltas.argmax())]
    document.selection.limit_to(-1)
    whole = moments(document)
    assert close_to(shown_times(window), np.sort(np.diff(whole, prepend=whole[0]))[::-1])


def test_several_references(window: MainWindow, opened: Opener, choose: Callable[[TimeFormat], None]) -> None:
    times = moments(opened(SHORT))
    choose(TimeFormat.REFERENCE)
    assert close_to(shown_times(window), times - times[0])
    reference(window, 100)
    reference(window, 700)
    rows = np.arange(len(times))
    start = np.where(rows >= 700, times[700], np.where(rows >= 100, times[100], times[0]))
    assert close_to(shown_times(window), times - start)
    window.packets.table.horizontalHeader().setSortIndicator(Column.TIME, Qt.SortOrder.AscendingOrder)
    assert close_to(shown_times(window), np.sort(times - start))
    reference(window, 700)
    start = np.where(rows >= 100, times[100], times[0])
    assert close_to(shown_times(window), np.sort(times - start))


def test_the_first_reference_is_counted_from_at_once(
    window: MainWindow, opened: Opener, choose: Callable[[TimeFormat], None]
) -> None:
    opened(SHORT)
    reference(window, 50)
    assert window.appearance.preferences.time_format == "reference"
    assert window.packets.model.index(50, Column.TIME).data() == "0.000000"
    choose(TimeFormat.UTC)
    reference(window, 50)
    reference(window, 60)
    assert window.appearance.preferences.time_format == "utc"
