"""The packet list by hand: selection both ways, keys, related packets out of view, copying, searching, states."""

from __future__ import annotations

import csv
import json
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from capture_files import BUNDLED
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QMenu
from pytestqt.qtbot import QtBot

from ui import fonts
from ui.document import Document
from ui.models import packet_copy
from ui.models.packet_cells import Column, TimeFormat
from ui.models.related import last_packet
from ui.theme import CELL_PADDING, DARK, LIGHT
from ui.views.cells import ROW_ROLE
from ui.views.packet_list import PacketList

OpenDocument = Callable[..., Document]
SMALL = "serverinfo_and_play"
MIDSESSION = "ddnet_ctf3_midsession"
BADCRC = "ddnet_tsunami_badcrc"
NONE, CONTROL, SHIFT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)


@pytest.fixture
def pane(qtbot: QtBot) -> Iterator[PacketList]:
    made = PacketList(LIGHT)
    qtbot.addWidget(made)
    made.resize(1000, 440)
    made.show()
    yield made
    made.show_document(None)


def press(qtbot: QtBot, pane: PacketList, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
    qtbot.keyClick(pane.table, key, modifier)


def selected_row(pane: PacketList) -> int:
    rows = pane.table.selectionModel().selectedRows()
    return rows[0].row() if rows else -1


def shown_state(pane: PacketList) -> list[str]:
    return [label.text() for label in pane.findChildren(QLabel) if label.isVisible()]


def with_base(document: Document) -> int:
    """A snapshot in the middle with a baseline that was acknowledged."""
    snapshots = document.tables.snapshots
    for row in range(len(snapshots) // 2, len(snapshots)):
        base = snapshots.integer("base", row)
        if base >= 0 and snapshots.integer("status", row) == 0 and snapshots.integer("acked_packet", base) >= 0:
            return row
    raise AssertionError


def test_selecting_a_row_selects_packet_and_snapshot(pane: PacketList, document: OpenDocument, qtbot: QtBot) -> None:
    opened = document(SMALL)
    pane.show_document(opened)
    snapshot = with_base(opened)
    packet = opened.tables.snapshots.integer("packet", snapshot)
    pane.table.scrollTo(pane.model.index(packet, 0))
    where = pane.table.visualRect(pane.model.index(packet, Column.INFO)).center()
    qtbot.mouseClick(pane.table.viewport(), Qt.MouseButton.LeftButton, NONE, where)
    assert opened.selection.place.packet == packet
    assert opened.selection.place.snapshot == snapshot
    assert selected_row(pane) == packet


def test_what_another_pane_selects_is_shown(pane: PacketList, document: OpenDocument) -> None:
    opened = document(MIDSESSION)
    pane.show_document(opened)
    opened.selection.select(1500, -1)
    assert selected_row(pane) == 1500
    seen = pane.table.visible_rows()
    assert abs((seen.start + seen.stop) // 2 - 1500) <= 1
    assert opened.selection.place.snapshot == -1
    opened.selection.select(-1, -1)
    assert selected_row(pane) == -1


def test_keys_step(pane: PacketList, document: OpenDocument, qtbot: QtBot) -> None:
    opened = document(MIDSESSION)
    pane.show_document(opened)
    selection = opened.selection
    packets = opened.tables.packets
    press(qtbot, pane, Qt.Key.Key_Home, CONTROL)
    assert selection.place.packet == 0
    press(qtbot, pane, Qt.Key.Key_Down)
    press(qtbot, pane, Qt.Key.Key_Down, CONTROL)
    assert selection.place.packet == 2
    press(qtbot, pane, Qt.Key.Key_Up, CONTROL)
    assert selection.place.packet == 1
    flow = packets.integer("flow", 1)
    press(qtbot, pane, Qt.Key.Key_Period, CONTROL)
    following = selection.place.packet
    flows = packets.integers("flow")
    assert following == int(np.flatnonzero(flows[2:] == flow)[0]) + 2
    press(qtbot, pane, Qt.Key.Key_Comma, CONTROL)
    assert selection.place.packet == 1
    press(qtbot, pane, Qt.Key.Key_Comma, CONTROL)
    assert selection.place.packet == (1 if not (flows[:1] == flow).any() else 0)
    press(qtbot, pane, Qt.Key.Key_End, CONTROL)
    assert selection.place.packet == len(packets) - 1
    press(qtbot, pane, Qt.Key.Key_X)
    assert selection.place.packet == len(packets) - 1


def test_keys_of_snapshots(pane: PacketList, document: OpenDocument, qtbot: QtBot) -> None:
    opened = document(BADCRC)
    pane.show_document(opened)
    tables, selection = opened.tables, opened.selection
    snapshot = with_base(opened)
    selection.select(last_packet(tables, snapshot), snapshot)
    base = tables.snapshots.integer("base", snapshot)
    press(qtbot, pane, Qt.Key.Key_A)
    assert selection.place.packet == tables.snapshots.integer("acked_packet", base)
    assert selection.place.snapshot == snapshot
    press(qtbot, pane, Qt.Key.Key_B)
    assert selection.place.snapshot == base
    assert selection.place.packet == last_packet(tables, base)
    press(qtbot, pane, Qt.Key.Key_J)
    after = selection.place.snapshot
    assert tables.snapshots.integer("tick", after) > tables.snapshots.integer("tick", base)
    assert tables.snapshots.integer("session", after) == tables.snapshots.integer("session", base)
    press(qtbot, pane, Qt.Key.Key_K)
    assert selection.place.snapshot == base
    selection.select(0, -1)
    press(qtbot, pane, Qt.Key.Key_J, SHIFT)
    failed = selection.place.snapshot
    assert tables.snapshots.integer("status", failed) == 1
    assert pane.table.currentIndex().row() == last_packet(tables, failed)
    press(qtbot, pane, Qt.Key.Key_J, SHIFT)
    cause = selection.place.snapshot
    assert cause > failed
    press(qtbot, pane, Qt.Key.Key_J, SHIFT)
    assert selection.place.snapshot > cause
    pane.go_cause()
    assert selection.place.snapshot == cause
    press(qtbot, pane, Qt.Key.Key_K, SHIFT)
    assert selection.place.snapshot == failed


def test_a_step_that_leads_nowhere_says_why(pane: PacketList, document: OpenDocument, qtbot: QtBot) -> None:
    opened = document(MIDSESSION)
    pane.show_document(opened)
    tables, selection = opened.tables, opened.selection
    said: list[str] = []
    pane.step_failed.connect(said.append)

    def after(key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> str:
        said.clear()
        place = selection.place
        press(qtbot, pane, key, modifier)
        assert selection.place == place
        return "".join(said)

    press(qtbot, pane, Qt.Key.Key_End, CONTROL)
    assert after(Qt.Key.Key_Down, CONTROL) == "This is the last packet"
    assert after(Qt.Key.Key_Period, CONTROL) == "No later packet of this flow"
    assert after(Qt.Key.Key_J, SHIFT) == "No later failed snapshot"
    press(qtbot, pane, Qt.Key.Key_Home, CONTROL)
    assert said[-1] == ""
    assert after(Qt.Key.Key_Up, CONTROL) == "This is the first packet"
    sessions = tables.snapshots.integers("session")
    first = int(np.flatnonzero(sessions == 0)[0])
    selection.select(last_packet(tables, first), first)
    assert after(Qt.Key.Key_K) == "No earlier snapshot of this client"
    assert after(Qt.Key.Key_B) == "This snapshot is full: it has no baseline"
    unknown = (tables.snapshots.integers("base_tick") >= 0) & (tables.snapshots.integers("base") < 0)
    lost = int(np.flatnonzero(unknown)[0])
    selection.select(last_packet(tables, lost), lost)
    tick = tables.snapshots.integer("base_tick", lost)
    assert after(Qt.Key.Key_B) == f"The baseline, tick {tick}, is not in the capture"
    selection.select(last_packet(tables, first), first)
    selection.limit_to(0)
    assert after(Qt.Key.Key_K, SHIFT) == "No earlier failed snapshot of this session"
    single = int(np.flatnonzero(tables.snapshots.integers("parts") == 1)[0])
    selection.select(last_packet(tables, single), single)
    assert after(Qt.Key.Key_P) == "This snapshot has one part"
    selection.select(0, -1)
    assert after(Qt.Key.Key_A) == "No snapshot selected"


def test_a_row_in_view_stays_in_view(pane: PacketList, document: OpenDocument) -> None:
    opened = document(MIDSESSION)
    pane.show_document(opened)
    opened.selection.select(700, -1)
    assert 700 in pane.table.visible_rows()
    pane.resize(1000, 200)
    assert 700 in pane.table.visible_rows()
    pane.table.verticalScrollBar().setValue(0)
    pane.resize(1000, 160)
    assert 700 not in pane.table.visible_rows()


def test_a_row_that_is_gone_to_has_some_around_it(pane: PacketList, document: OpenDocument) -> None:
    opened = document(MIDSESSION)
    pane.show_document(opened)
    opened.selection.select(700, -1)
    before = pane.table.visible_rows()
    opened.selection.select(before.start + 4, -1)
    assert pane.table.visible_rows() == before
    for edge in (before.stop - 1, before.start):
        pane.table.verticalScrollBar().setValue(before.start)
        opened.selection.select(edge, -1)
        seen = pane.table.visible_rows()
        assert seen.start + 2 <= edge < seen.stop - 2
    opened.selection.select(0, -1)
    assert pane.table.visible_rows().start == 0


def test_the_whole_row_under_the_pointer_is_tinted(pane: PacketList, document: OpenDocument, qtbot: QtBot) -> None:
    pane.show_document(document(SMALL))
    table = pane.table
    row = next(row for row in range(20) if not pane.model.index(row, 0).data(ROW_ROLE).edge)
    place = table.visualRect(pane.model.index(row, Column.INFO))
    ends = [QPoint(table.columnViewportPosition(Column.NUMBER) + 2, place.top() + 1), place.topRight() - QPoint(2, -1)]

    def colours() -> list[str]:
        picture = table.viewport().grab().toImage()
        return [picture.pixelColor(end).name() for end in ends]

    assert colours() == [LIGHT.hex("panel").lower()] * 2
    qtbot.mouseMove(table.viewport(), place.center())
    qtbot.waitUntil(lambda: table.hovered.row == row)
    assert colours() == [LIGHT.hex("hover").lower()] * 2
    QApplication.sendEvent(table.viewport(), QEvent(QEvent.Type.Leave))
    assert colours() == [LIGHT.hex("panel").lower()] * 2


def test_next_part(pane: PacketList, document: OpenDocument, qtbot: QtBot) -> None:
    opened = document(MIDSESSION)
    pane.show_document(opened)
    tables, selection = opened.tables, opened.selection
    many = np.flatnonzero((tables.snapshots.integers("parts") == 2) & (tables.snapshots.integers("status") == 0))
    snapshot = int(many[0])
    last = last_packet(tables, snapshot)
    selection.select(last, snapshot)
    press(qtbot, pane, Qt.Key.Key_P)
    other = selection.place.packet
    assert other < last
    assert selection.place.snapshot == snapshot
    press(qtbot, pane, Qt.Key.Key_P)
    assert selection.place.packet == last


def test_the_selected_packet_stays_in_another_order(pane: PacketList, document: OpenDocument) -> None:
    opened = document(MIDSESSION)
    pane.show_document(opened)
    opened.selection.select(700, -1)
    head = pane.table.horizontalHeader()
    head.setSortIndicator(Column.LENGTH, Qt.SortOrder.DescendingOrder)
    assert pane.model.packet_at(selected_row(pane)) == 700 != selected_row(pane)
    assert selected_row(pane) in pane.table.visible_rows()
    opened.selection.limit_to(opened.tables.packets.integer("session", 700))
    assert pane.model.packet_at(selected_row(pane)) == 700
    opened.selection.limit_to(-1)
    head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    assert selected_row(pane) == 700
    assert opened.selection.place.packet == 700


def test_three_clicks_on_a_head(pane: PacketList, document: OpenDocument, qtbot: QtBot) -> None:
    pane.show_document(document(SMALL))
    head = pane.table.horizontalHeader()
    where = QPoint(head.sectionViewportPosition(Column.LENGTH) + 20, head.height() // 2)
    orders = []
    for _ in range(3):
        qtbot.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, NONE, where)
        orders.append([pane.model.packet_at(row) for row in range(pane.model.rowCount())])
    assert sorted(orders[0]) == sorted(orders[1]) == orders[2]
    assert orders[0] != orders[2] != orders[1] != orders[0]


def test_arrows_to_related_packets_out_of_view(pane: PacketList, document: OpenDocument, qtbot: QtBot) -> None:
    opened = document(MIDSESSION)
    pane.show_document(opened)
    snapshot = with_base(opened)
    opened.selection.select(last_packet(opened.tables, snapshot), snapshot)
    related = pane.model.related
    wanted = sorted({*related.parts, *related.base, related.ack})
    pane.table.scrollToTop()
    assert not pane.table.above.isVisible()
    assert pane.table.below.isVisible()
    assert str(len(wanted)) in pane.table.below.toolTip()
    qtbot.mouseClick(pane.table.below, Qt.MouseButton.LeftButton)
    assert wanted[0] in pane.table.visible_rows()
    assert opened.selection.place.snapshot == snapshot
    pane.table.scrollToBottom()
    assert pane.table.above.isVisible()
    qtbot.mouseClick(pane.table.above, Qt.MouseButton.LeftButton)
    assert wanted[-1] in pane.table.visible_rows()


@pytest.mark.parametrize(
    ("width", "hidden"),
    [
        (1000, set()),
        (800, {Column.SOURCE, Column.DESTINATION}),
        (600, {Column.SOURCE, Column.DESTINATION, Column.PROTOCOL}),
    ],
)
def test_a_narrow_list_hides_columns(pane: PacketList, document: OpenDocument, width: int, hidden: set[Column]) -> None:
    pane.show_document(document(SMALL))
    pane.resize(width, 400)
    assert {column for column in Column if pane.table.isColumnHidden(column)} == hidden
    pane.set_zoom(2.0)
    pane.resize(width * 2, 400)
    assert {column for column in Column if pane.table.isColumnHidden(column)} == hidden
    assert pane.table.rowHeight(0) == 40


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_it_is_painted(pane: PacketList, document: OpenDocument, theme: object) -> None:
    opened = document(MIDSESSION)
    pane.show_document(opened)
    pane.set_theme(theme)
    empty = pane.grab().toImage()
    snapshot = with_base(opened)
    opened.selection.select(last_packet(opened.tables, snapshot), snapshot)
    selected = pane.grab().toImage()
    assert selected != empty
    gutter = selected.copy(0, 0, 30, selected.height())
    opened.selection.select(0, -1)
    assert pane.grab().toImage().copy(0, 0, 30, selected.height()) != gutter


def test_copying(pane: PacketList, document: OpenDocument, qtbot: QtBot) -> None:
    opened = document(MIDSESSION)
    pane.show_document(opened)
    opened.selection.select(0, 0)
    press(qtbot, pane, Qt.Key.Key_C, CONTROL)
    copied = QGuiApplication.clipboard().text().split("\t")
    assert copied[0] == "1"
    assert copied[-1] == pane.model.index(0, Column.INFO).data()
    assert len(copied) == 8
    pane.copy_rows(packet_copy.as_csv)
    lines = list(csv.reader(QGuiApplication.clipboard().text().splitlines()))
    assert lines == [["number", "time", "source", "destination", "client", "protocol", "length", "info"], copied]
    pane.copy_rows(packet_copy.as_json)
    (record,) = json.loads(QGuiApplication.clipboard().text())
    assert (record["number"], record["info"]) == (1, copied[-1])
    press(qtbot, pane, Qt.Key.Key_Down, SHIFT)
    press(qtbot, pane, Qt.Key.Key_C, CONTROL)
    assert [line.split("\t")[0] for line in QGuiApplication.clipboard().text().splitlines()] == ["1", "2"]
    press(qtbot, pane, Qt.Key.Key_V, CONTROL | SHIFT)
    assert QGuiApplication.clipboard().text() == pane.model.index(1, Column.INFO).data()
    opened.selection.select(0, 0)
    pane.copy_value(Column.LENGTH)
    assert QGuiApplication.clipboard().text() == copied[-2]


def test_the_menu(pane: PacketList, document: OpenDocument, qtbot: QtBot) -> None:
    opened = document(MIDSESSION)
    pane.show_document(opened)
    snapshot = with_base(opened)
    opened.selection.select(last_packet(opened.tables, snapshot), snapshot)
    menu = QMenu(pane)
    pane.fill_menu(menu, Column.CLIENT)
    actions = {action.text(): action for action in menu.actions() if action.text()}
    assert list(actions) == [
        "Copy value",
        "Copy row",
        "Copy row as CSV",
        "Copy row as JSON",
        "Go to baseline",
        "Go to acknowledgement",
        "Go to cause",
        "Mark or unmark",
        "Ignore or stop ignoring",
        "Set or take off time reference",
        "Only this session",
        "Decode as...",
    ]
    assert not actions["Go to cause"].isEnabled()
    actions["Only this session"].trigger()
    assert opened.selection.session == opened.tables.snapshots.integer("session", snapshot)
    assert 0 < pane.model.rowCount() < len(opened.tables.packets)
    menu.clear()
    pane.fill_menu(menu, Column.CLIENT)
    next(action for action in menu.actions() if action.text() == "Show all sessions").trigger()
    assert pane.model.rowCount() == len(opened.tables.packets)


def test_finding(pane: PacketList, document: OpenDocument, qtbot: QtBot) -> None:
    opened = document(MIDSESSION)
    pane.show_document(opened)
    tables = opened.tables
    snapshot = int(np.flatnonzero(tables.snapshots.integers("status") == 0)[-1])
    text = f"snap {tables.snapshots.integer('tick', snapshot)}"
    with qtbot.waitSignal(pane.find_ended, timeout=30_000) as ended:
        pane.find_text(text)
    assert ended.args == [True]
    first = opened.selection.place.packet
    seen = pane.table.visible_rows()
    assert seen.start + 2 < first < seen.stop - 2
    assert text in str(pane.model.index(first, Column.INFO).data()).lower()
    with qtbot.waitSignal(pane.find_ended, timeout=30_000):
        pane.find_text(text)
    second = opened.selection.place.packet
    assert second > first
    with qtbot.waitSignal(pane.find_ended, timeout=30_000):
        pane.find_text(text, False)
    assert opened.selection.place.packet == first
    with qtbot.waitSignal(pane.find_ended, timeout=30_000) as ended:
        pane.find_text("no row says this")
    assert ended.args == [False]
    assert opened.selection.place.packet == first


@pytest.mark.parametrize(
    "text", ["1799", ":8303", "DDNET", "inputtiming", "bot1"], ids=["number", "address", "protocol", "info", "client"]
)
def test_finding_in_any_column(pane: PacketList, document: OpenDocument, qtbot: QtBot, text: str) -> None:
    opened = document(MIDSESSION)
    pane.show_document(opened)
    texts = [
        " ".join(pane.model.cells.some_texts(packet, tuple(Column))).lower()
        for packet in range(len(opened.tables.packets))
    ]
    first = next(row for row, line in enumerate(texts) if text.lower() in line)
    with qtbot.waitSignal(pane.find_ended, timeout=30_000):
        pane.find_text(text)
    assert selected_row(pane) == first
    last = next(row for row in range(len(texts) - 1, -1, -1) if text.lower() in texts[row])
    with qtbot.waitSignal(pane.find_ended, timeout=30_000):
        pane.find_text(text, False)
    expected = [row for row in range(first) if text.lower() in texts[row]]
    assert selected_row(pane) == (expected[-1] if expected else last)
    assert any(text.lower() in str(pane.model.index(selected_row(pane), column).data()).lower() for column in Column)


def test_going_with_a_modifier_held_selects_one_row(pane: PacketList, document: OpenDocument, qtbot: QtBot) -> None:
    opened = document(MIDSESSION)
    pane.show_document(opened)
    pane.go_first()
    selected = pane.table.selectionModel().selectedRows
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    for key, held in ((Qt.Key.Key_Control, control), (Qt.Key.Key_Shift, shift)):
        # It stays down, as while Ctrl+Down or Shift+J is typed.
        qtbot.keyPress(pane.table, key, held)
        for go in (pane.go_next, pane.go_next, lambda: pane.find_text("inputtiming"), pane.go_previous):
            go()
            assert [index.row() for index in selected()] == [pane.table.currentIndex().row()]
        opened.selection.select(1000, -1)
        assert [index.row() for index in selected()] == [1000]
        qtbot.keyRelease(pane.table, key)


def test_following(pane: PacketList, document: OpenDocument, qtbot: QtBot) -> None:
    opened = document(MIDSESSION, wait=False)
    pane.show_document(opened)
    qtbot.waitUntil(lambda: pane.model.rowCount() > 0)
    pane.set_following(True)
    qtbot.waitUntil(lambda: opened.is_decoded, timeout=60_000)
    assert pane.following
    assert len(opened.tables.packets) - 1 in pane.table.visible_rows()
    pane.table.verticalScrollBar().setValue(10)
    assert not pane.following
    pane.set_following(True)
    press(qtbot, pane, Qt.Key.Key_Home, CONTROL)
    assert not pane.following


def test_states(pane: PacketList, document: OpenDocument, qtbot: QtBot, tmp_path: Path) -> None:
    assert shown_state(pane)[0] == "No packets"
    path = tmp_path / "empty.pcap"
    path.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    opened = document(path, wait=False)
    pane.show_document(opened)
    assert shown_state(pane)[0] == "No packets yet"
    qtbot.waitUntil(lambda: opened.is_decoded, timeout=60_000)
    assert shown_state(pane) == ["No packet in this capture", "The file holds its header and no packet."]
    path.write_bytes(b"")
    pane.show_document(document(path))
    assert shown_state(pane) == ["No packet in this capture", "The file is empty."]


def test_one_capture_after_the_other_while_the_first_is_decoded(
    pane: PacketList, document: OpenDocument, qtbot: QtBot
) -> None:
    first = document(BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap", wait=False)
    pane.show_document(first)
    qtbot.waitUntil(lambda: pane.model.rowCount() > 0, timeout=30_000)
    first.selection.select(3, -1)
    second = document(SMALL)
    pane.show_document(second)
    assert pane.model.rowCount() == len(second.tables.packets)
    first.selection.select(5, -1)
    first.selection.limit_to(0)
    assert selected_row(pane) == -1
    qtbot.waitUntil(lambda: first.is_decoded, timeout=60_000)
    assert pane.model.rowCount() == len(second.tables.packets)


@pytest.mark.parametrize("zoom", [1.0, 1.7])
def test_numbers_are_never_cut(pane: PacketList, document: OpenDocument, zoom: float) -> None:
    pane.show_document(document(SMALL))
    pane.set_zoom(zoom)
    pane.set_time_format(TimeFormat.UTC)
    metrics = QFontMetricsF(fonts.font(fonts.Use.TABLE, zoom=zoom))
    for column in (Column.NUMBER, Column.TIME, Column.LENGTH):
        text = str(pane.model.index(pane.model.rowCount() - 1, column).data())
        assert metrics.horizontalAdvance(text) + 16 <= pane.table.columnWidth(column)


def test_names_are_whole_where_there_is_room(pane: PacketList, document: OpenDocument) -> None:
    opened = document(SMALL)
    opened.tables.sessions.amend("player", [0], ["nameless tee"])
    opened.tables.publish()
    pane.show_document(opened)
    table = pane.table

    def needed(zoom: float) -> float:
        metrics = QFontMetricsF(fonts.font(fonts.Use.TABLE, zoom=zoom))
        return metrics.horizontalAdvance("nameless tee") + 2 * CELL_PADDING

    assert table.columnWidth(Column.CLIENT) >= needed(1.0)
    pane.resize(700, 440)
    assert table.columnWidth(Column.CLIENT) == 62
    pane.resize(1000, 440)
    pane.set_zoom(1.5)
    assert table.columnWidth(Column.CLIENT) == 93
    pane.resize(1400, 440)
    assert table.columnWidth(Column.CLIENT) >= needed(1.5)
    table.setColumnWidth(Column.CLIENT, 70)
    pane.resize(1500, 440)
    assert table.columnWidth(Column.CLIENT) == 70


def test_hovering_says_the_time(pane: PacketList, document: OpenDocument, qtbot: QtBot) -> None:
    opened = document(SMALL)
    pane.show_document(opened)
    times: list[int | None] = []
    opened.selection.hovered.connect(times.append)
    qtbot.mouseMove(pane.table.viewport(), pane.table.visualRect(pane.model.index(2, Column.INFO)).center())
    qtbot.waitUntil(lambda: bool(times))
    frame = opened.tables.packets.integer("frame", 2)
    assert times[-1] == opened.tables.frames.integer("time_ns", frame)
    assert opened.selection.place.packet == -1


def test_the_sorted_head_keeps_its_title(pane: PacketList, document: OpenDocument) -> None:
    """An arrow is added, the title stays: most of the head's ink is still there."""
    pane.show_document(document(SMALL))
    head = pane.table.horizontalHeader()
    left, width = head.sectionViewportPosition(Column.LENGTH), head.sectionSize(Column.LENGTH)

    def ink() -> int:
        image = head.grab().toImage().copy(left + 12, 4, width - 16, head.height() - 8)
        plain = LIGHT.color("raised").rgb()
        return sum(image.pixelColor(x, y).rgb() != plain for x in range(image.width()) for y in range(image.height()))

    before = ink()
    head.setSortIndicator(Column.LENGTH, Qt.SortOrder.DescendingOrder)
    assert ink() > before * 0.8 > 40
