"""Searching packets by keyboard in the real window: text, message, value and bytes; forward, back, around, stopped."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QToolButton
from pytestqt.qtbot import QtBot

from analyzer.engine.filtering import registry, view
from analyzer.filters.parse import parse
from ui.document import Document
from ui.main_window import MainWindow
from ui.marks import Mark
from ui.models.packet_matches import FindBy, read_bytes

Opener = Callable[[str | Path], Document]
SHORT = "ddnet_dm2_reconnect_mapchange"
KEY = Qt.Key
NONE, CONTROL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
WAYS = list(FindBy)


def press(window: MainWindow, qtbot: QtBot, key: Qt.Key) -> None:
    """With Ctrl, in the packet list."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.packets.table.setFocus()
    QTest.keyClick(window.packets.table, key, CONTROL)


def field(window: MainWindow) -> QLineEdit:
    found = window.find_bar.findChild(QLineEdit)
    assert found is not None
    return found


def ask(window: MainWindow, qtbot: QtBot, by: FindBy, text: str) -> None:
    """Open the bar, choose the way by the arrow keys, and type."""
    press(window, qtbot, KEY.Key_F)
    box = window.find_bar.findChild(QComboBox)
    assert box is not None
    assert box.isVisible()
    box.setFocus()
    QTest.keyClick(box, KEY.Key_Home)
    for _ in range(WAYS.index(by)):
        QTest.keyClick(box, KEY.Key_Down)
    assert window.find_bar.by is by
    field(window).setFocus()
    field(window).selectAll()
    QTest.keyClicks(field(window), text)


def ended(window: MainWindow, qtbot: QtBot, act: Callable[[], object]) -> bool:
    with qtbot.waitSignal(window.packets.find_ended) as found:
        act()
    return bool(found.args[0])


def enter(window: MainWindow) -> None:
    QTest.keyClick(field(window), KEY.Key_Return)


def said(window: MainWindow) -> list[str]:
    return [label.text() for label in window.find_bar.findChildren(QLabel)]


def current(window: MainWindow) -> int:
    assert window.document is not None
    return window.document.selection.place.packet


def carriers(document: Document, name: str) -> list[int]:
    """Packets with a message whose name has that in it, the slow way."""
    tables, found = document.tables, set()
    for row in range(len(tables.messages)):
        if name.casefold() in tables.names[tables.messages.integer("name", row)].casefold():
            found.add(tables.messages.integer("packet", row))
    return sorted(found)


def test_by_message_forward_back_and_around(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    names = {document.tables.names[number] for number in range(len(document.tables.names))}
    name, contained = next((name, found) for name in sorted(names) if 1 < len(found := carriers(document, name)) < 10)
    ask(window, qtbot, FindBy.MESSAGE, name)
    assert ended(window, qtbot, lambda: enter(window))
    visited = [current(window)]
    for _ in contained:
        assert ended(window, qtbot, lambda: press(window, qtbot, KEY.Key_N))
        visited.append(current(window))
    assert visited == [*contained, *contained][: len(visited)]
    while current(window) != contained[0]:
        ended(window, qtbot, lambda: press(window, qtbot, KEY.Key_N))
    assert "Went on from the first packet" in said(window)
    assert ended(window, qtbot, lambda: press(window, qtbot, KEY.Key_B))
    assert current(window) == contained[-1]
    assert "Went on from the last one" in said(window)


def test_by_bytes(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    capture = document.worker.capture
    query = capture.query()
    payloads = query.payloads(range(len(document.tables.packets)))
    wanted = payloads[200][3:9]
    expected = [packet for packet, data in enumerate(payloads) if wanted in data]
    query.close()
    ask(window, qtbot, FindBy.BYTES, wanted.hex(" "))
    visited = []
    assert ended(window, qtbot, lambda: enter(window))
    for _ in expected:
        visited.append(current(window))
        ended(window, qtbot, lambda: press(window, qtbot, KEY.Key_N))
    assert visited == expected
    ask(window, qtbot, FindBy.BYTES, "de ad be ef 00 12 34")
    assert not ended(window, qtbot, lambda: enter(window))
    assert "Not found" in said(window)


def test_bytes_that_are_none(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    opened(SHORT)
    ask(window, qtbot, FindBy.BYTES, "xyz")
    enter(window)
    assert "Bytes are written in hex, two digits each: 0a ff 31" in said(window)
    assert current(window) == -1


def test_by_unpacked_bytes(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    query = document.worker.capture.query()
    packet = next(row for row in range(60, len(document.tables.packets)) if len(query.explain(row).buffers) > 1)
    wanted = query.explain(packet).buffers[1].data[2:12]
    expected = next(
        row for row in range(packet + 1) if any(wanted in one.data for one in query.explain(row).buffers[1:])
    )
    query.close()
    ask(window, qtbot, FindBy.PLAIN, wanted.hex())
    assert ended(window, qtbot, lambda: enter(window))
    assert current(window) == expected


def test_by_value(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    ask(window, qtbot, FindBy.VALUE, "ack_game_tick")
    assert ended(window, qtbot, lambda: enter(window))
    query = document.worker.capture.query()
    tree = query.explain(current(window))
    query.close()
    assert "ack_game_tick" in repr(tree.fields)


def test_ignored_packets_are_not_found(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    ask(window, qtbot, FindBy.TEXT, "enterGAME")
    assert ended(window, qtbot, lambda: enter(window))
    first = current(window)
    press(window, qtbot, KEY.Key_D)
    assert first in document.marks.of(Mark.IGNORED)
    press(window, qtbot, KEY.Key_Home)
    assert ended(window, qtbot, lambda: press(window, qtbot, KEY.Key_N))
    assert current(window) > first


def test_a_search_is_stopped_by_escape(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    opened(SHORT)
    ask(window, qtbot, FindBy.VALUE, "nothing of the kind")
    enter(window)
    stop = next(button for button in window.find_bar.findChildren(QToolButton) if button.text() == "Stop")
    qtbot.waitUntil(stop.isVisible)
    assert any(text.startswith("Searching, ") for text in said(window))
    QTest.keyClick(field(window), KEY.Key_Escape)
    assert "Stopped" in said(window)
    assert not stop.isVisible()
    assert window.find_bar.isVisible()
    assert current(window) == -1
    QTest.keyClick(field(window), KEY.Key_Escape)
    assert not window.find_bar.isVisible()


def test_sorted_rows_are_searched_as_they_stand(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    head = window.packets.table.horizontalHeader()
    head.setSortIndicator(8, Qt.SortOrder.DescendingOrder)
    model = window.packets.model
    name = "NETMSG_INPUT"
    found = carriers(document, name)
    assert found
    ask(window, qtbot, FindBy.MESSAGE, name)
    assert ended(window, qtbot, lambda: enter(window))
    assert model.row_of(current(window)) == min(map(model.row_of, found))
    assert not np.array_equal(model.packets(0, model.rowCount()), np.arange(model.rowCount()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0aff31", b"\x0a\xff\x31"), (" 0A ff:31 ", b"\x0a\xff\x31"), ("0x0a, 0xff", b"\x0a\xff"), ("00-01", b"\x00\x01")],
)
def test_bytes_are_read(text: str, expected: bytes) -> None:
    assert read_bytes(text) == expected


@given(st.text(max_size=12) | st.text("0123456789abcdefxX ,:-", max_size=12))
def test_any_text_is_bytes_or_refused(text: str) -> None:
    with suppress(ValueError):
        assert read_bytes(text)


@given(st.binary(min_size=1, max_size=20))
def test_bytes_that_were_written(data: bytes) -> None:
    assert read_bytes(data.hex()) == read_bytes(data.hex(" ")) == data


def matching(document: Document, text: str) -> list[int]:
    """Packets that a filter is true of."""
    fields = registry(document.worker.capture.protocols)
    query = document.worker.capture.query()
    mask = parse(text, fields).packets(view(document.tables, query, fields), 0, len(document.tables.packets))
    query.close()
    return np.flatnonzero(mask).tolist()


@pytest.mark.parametrize(
    "text", ["snapshot.tick in {200..204}", "message.input.ack_game_tick > 120", "count(item.Character) > 0"]
)
def test_by_display_filter(window: MainWindow, opened: Opener, qtbot: QtBot, text: str) -> None:
    document = opened(SHORT)
    expected = matching(document, text)
    assert len(expected) > 2
    ask(window, qtbot, FindBy.FILTER, text)
    assert ended(window, qtbot, lambda: enter(window))
    assert current(window) == expected[0]
    assert ended(window, qtbot, lambda: press(window, qtbot, KEY.Key_N))
    assert current(window) == expected[1]
    window.packets.go_first()
    assert ended(window, qtbot, lambda: press(window, qtbot, KEY.Key_B))
    assert current(window) == expected[-1]


def test_by_a_filter_that_is_none(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    opened(SHORT)
    ask(window, qtbot, FindBy.FILTER, "snapshot.tock == 3")
    enter(window)
    assert any("snapshot.tock" in text for text in said(window))
    assert current(window) == -1


def test_by_a_filter_in_rows_that_are_sorted(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    text = "message.input.ack_game_tick > 120"
    window.packets.table.horizontalHeader().setSortIndicator(8, Qt.SortOrder.DescendingOrder)
    ask(window, qtbot, FindBy.FILTER, text)
    assert ended(window, qtbot, lambda: enter(window))
    model = window.packets.model
    assert model.row_of(current(window)) == min(map(model.row_of, matching(document, text)))
