"""The Packet tab on real captures: fields and bytes linked both ways, parts, faults, passwords, keys, copies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from capture_files import BUNDLED, SAMPLE
from PySide6.QtCore import QEvent, QModelIndex, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QToolButton, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from analyzer.engine.packet_detail import PacketDetail
from analyzer.wire.reader import Buffer, Field, FieldTree, Span
from tests.cli.cut_capture import without_records
from ui import theme
from ui.document import Document
from ui.models import byte_text, field_text
from ui.models.field_text import MASKED, value_text
from ui.models.fields import VALUE
from ui.views.packet_tab import PacketTab

BOTS = BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz"
CUT = BUNDLED / "ddnet_dm6_snaplen220.pcap"
TWO_PARTS = 2237
"""Completes tick 234, whose first part is in the packet before."""
VEL_Y = Span(2, 83, 2)
"""Of Character 23 in that delta."""
CUT_PACKET = 30
INFO_PACKET = 16
"""NETMSG_INFO of the sample."""
SEVEN = BUNDLED / "tw07_dm7_any_sll2_nano_head.pcap"
SEVEN_INFOS = 55
"""Tells three players' names to one who comes."""
IPV6 = BUNDLED / "ddnet_ctf4_ipv6_head.pcap"
IPV6_INFO = 3
"""NETMSG_INFO, not compressed."""
VERSION = b"0.6 626fce9a778df4d4\0\0"
"""In it: version, and an empty password."""
PASSWORD = "hunter2-and-more!"

Show = Callable[[Path, int], PacketTab]


@pytest.fixture
def documents() -> list[Document]:
    """The captures that a test opened by `show`."""
    return []


@pytest.fixture
def show(qtbot: QtBot, document: Callable[..., Document], documents: list[Document]) -> Iterator[Show]:
    """Opens a capture, and a tab that shows one of its packets."""
    tabs: list[PacketTab] = []

    def open_tab(path: Path, packet: int) -> PacketTab:
        documents.append(document(path))
        tab = PacketTab(theme.LIGHT)
        tabs.append(tab)
        qtbot.addWidget(tab)
        tab.resize(1100, 500)
        tab.show()
        tab.show_document(documents[-1])
        go_to(qtbot, tab, documents[-1], packet)
        return tab

    yield open_tab
    for tab in tabs:
        tab.show_document(None)


def go_to(qtbot: QtBot, tab: PacketTab, document: Document, packet: int) -> None:
    document.selection.select(packet, document.tables.packets.integer("snapshot", packet))
    qtbot.waitUntil(lambda: tab.detail is not None and tab.detail.packet == packet, timeout=10_000)


def named(tab: PacketTab, *names: str) -> QModelIndex:
    for rows, _ in tab.model.walk():
        index = tab.model.index_of(rows)
        if tab.model.names(index) == names:
            return index
    raise AssertionError(f"no field {names}")


def said(tab: PacketTab, index: QModelIndex) -> str:
    return str(tab.model.data(index.siblingAtColumn(VALUE)))


def current(tab: PacketTab) -> Field:
    node = tab.model.field(tab.tree.currentIndex())
    assert node is not None
    return node


@pytest.mark.parametrize(
    ("path", "packets"),
    [(BOTS, (0, 40, TWO_PARTS, TWO_PARTS - 1)), (CUT, (3, CUT_PACKET)), (SAMPLE, (0, INFO_PACKET, 400))],
    ids=["bots", "cut", "sample"],
)
def test_every_field_leads_to_its_bytes_and_back(
    qtbot: QtBot, show: Show, documents: list[Document], path: Path, packets: tuple[int, ...]
) -> None:
    tab = show(path, packets[0])
    for packet in packets:
        go_to(qtbot, tab, documents[0], packet)
        for rows, node in list(tab.model.walk()):
            if node.span is None or not node.span.length:
                continue
            tab.tree.choose(tab.model.index_of(rows))
            reach = range(node.span.offset, node.span.offset + node.span.length)
            assert tab.bytes.buffer == node.span.buffer
            assert (tab.bytes.hex.item_range if node.children else tab.bytes.hex.field_range) == reach
            assert documents[0].selection.span == node.span
            found = tab.model.locate(node.span, tab.tree.currentIndex())
            assert tab.model.rows(found) == rows or len(tab.model.rows(found)) > len(rows)
            assert tab.model.field(found).span == node.span


def test_client_ids_of_seven_go_by_the_names_that_messages_told(show: Show) -> None:
    tab = show(SEVEN, SEVEN_INFOS)
    found = [tab.model.index_of(rows) for rows, node in tab.model.walk() if node.name == "client_id"]
    assert [said(tab, index) for index in found] == ["0  bot0", "1  bot1", "2  bot2"]


def test_a_clicked_byte_selects_the_deepest_field(qtbot: QtBot, show: Show, documents: list[Document]) -> None:
    tab = show(BOTS, TWO_PARTS)
    documents[0].selection.select_span(Span(2, 60, 1))
    place = tab.bytes.hex.rect_of(VEL_Y.offset + 1).center().toPoint()
    qtbot.mouseClick(tab.bytes.hex.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert tab.model.names(tab.tree.currentIndex()) == ("delta", "Character 23 · bot23", "vel_y")
    assert said(tab, tab.tree.currentIndex()).startswith("384 → 896  (+512, +2.00 units/tick, +3.12 tiles/s)")
    assert tab.bytes.hex.field_range == range(83, 85)
    assert tab.bytes.hex.item_range == range(77, 102)
    assert documents[0].selection.span == VEL_Y


def test_keys_move_the_byte_cursor_and_shift_chooses_a_range(
    qtbot: QtBot, show: Show, documents: list[Document]
) -> None:
    tab = show(BOTS, TWO_PARTS)
    documents[0].selection.select_span(VEL_Y)
    view = tab.bytes.hex
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert current(tab).name == "vel_y"
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert current(tab).name == "angle"
    qtbot.keyClick(view, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert current(tab).name == "removed count"
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert documents[0].selection.span == Span(2, 0, 2)
    assert view.field_range == range(2)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "07 89"
    qtbot.keyClick(view, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert view.cursor_offset == len(view.data) - 1


def test_a_drag_chooses_bytes(qtbot: QtBot, show: Show, documents: list[Document]) -> None:
    tab = show(BOTS, TWO_PARTS)
    documents[0].selection.select_span(Span(2, 0, 1))
    view = tab.bytes.hex
    first, last = (view.rect_of(offset).center().toPoint() for offset in (33, 38))
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=first)
    qtbot.mouseMove(view.viewport(), pos=last)
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=last)
    assert documents[0].selection.span == Span(2, 33, 6)
    assert view.copied(byte_text.as_dump).startswith("0021  0f aa 03")


def test_a_delta_of_two_parts_says_where_they_begin_and_links_to_their_packets(
    qtbot: QtBot, show: Show, documents: list[Document]
) -> None:
    tab = show(BOTS, TWO_PARTS)
    assert [tab.bytes.tabs.tabText(tab_) for tab_ in range(3)] == [
        "Captured 290 B",
        "Decompressed 343 B",
        "Joined delta 1\u202f224 B",
    ]
    documents[0].selection.select_span(VEL_Y)
    foot = tab.bytes.foot_text()
    assert "Character 23 · bot23 · vel_y" in foot
    assert "2 bytes, 10 bits on the wire" in foot
    assert "difference +512 · varint 80 08 · part 1 of 2 · packet 2237" in foot
    data = tab.bytes.hex.data[VEL_Y.offset : VEL_Y.offset + 2]
    links = [label for label in tab.bytes.findChildren(QLabel) if "href" in label.text()]
    assert len(links) == 1
    links[0].linkActivated.emit("3")
    qtbot.waitUntil(lambda: tab.detail is not None and tab.detail.packet == TWO_PARTS - 1, timeout=10_000)
    span = documents[0].selection.span
    assert span is not None
    assert span.buffer == tab.bytes.buffer == 1
    assert tab.bytes.hex.data[span.offset : span.offset + span.length] == data
    assert current(tab).name == "data"


def test_other_buffers_underline_what_a_field_was_made_from(show: Show, documents: list[Document]) -> None:
    tab = show(BOTS, TWO_PARTS)
    documents[0].selection.select_span(Span(2, 1200, 1))
    tab.bytes.tabs.setCurrentIndex(1)
    (trace,) = tab.bytes.hex.traces
    # the second part begins at 900 and lies at 15 of the decompressed bytes
    assert trace == range(15 + 300, 15 + 301)
    tab.bytes.tabs.setCurrentIndex(0)
    assert tab.bytes.hex.traces == (range(3, 290),)


def test_a_packet_that_breaks_off_says_where(qtbot: QtBot, show: Show) -> None:
    tab = show(CUT, CUT_PACKET)
    texts = [label.text() for label in tab.findChildren(QLabel) if label.isVisible()]
    assert "Reading stopped at byte 164 (captured): chunk 3: 88 bytes announced, 7 left" in texts
    index = named(tab, "unreadable")
    assert tab.model.rows(index)[0] == tab.model.rowCount() - 1
    assert said(tab, index) == "byte 164: chunk 3: 88 bytes announced, 7 left"
    (button,) = [w for w in tab.findChildren(QWidget) if getattr(w, "text", str)() == "Show bytes"]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert tab.bytes.hex.field_range == range(164, 178)


def test_a_part_leads_to_the_packet_that_completes_its_snapshot(
    qtbot: QtBot, show: Show, documents: list[Document]
) -> None:
    tab = show(BOTS, TWO_PARTS - 1)
    assert [tab.bytes.tabs.tabText(number).split()[0] for number in range(3)] == ["Captured", "Decompressed", "Joined"]
    assert said(tab, named(tab, "delta")).endswith("in 2 parts, completed by packet 2238")
    tab.tree.choose(named(tab, "delta", "Character 23 · bot23", "vel_y"))
    parts = tab.bytes.hex.marks.parts
    assert [(part.reach, part.labels[0], part.own) for part in parts] == [
        (range(900), "part 1, this packet", True),
        (range(900, 1224), "part 2, packet 2238", False),
    ]
    (link,) = [button for button in tab.findChildren(QToolButton) if button.text() == "Packet 2238"]
    assert link.isVisible()
    link.setFocus()
    qtbot.keyClick(link, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: tab.detail is not None and tab.detail.packet == TWO_PARTS, timeout=10_000)
    assert tab.model.names(tab.tree.currentIndex()) == ("delta", "Character 23 · bot23", "vel_y")
    assert tab.bytes.hex.field_range == range(83, 85)
    assert [part.own for part in tab.bytes.hex.marks.parts] == [False, True]
    assert not link.isVisible()


def test_a_snapshot_that_never_was_completed_shows_the_parts_that_came(show: Show, tmp_path: Path) -> None:
    path = tmp_path / "lossy.pcap"
    path.write_bytes(without_records(BOTS, range(TWO_PARTS - 1, TWO_PARTS), TWO_PARTS + 100))
    tab = show(path, TWO_PARTS - 1)
    assert tab.bytes.tabs.tabText(2) == "Received parts 324 B"
    assert said(tab, named(tab, "received parts")) == "1 of 2 parts, 324 bytes"
    assert said(tab, named(tab, "received parts", "part 1")) == "never came"
    tab.tree.choose(named(tab, "received parts", "part 2"))
    assert tab.bytes.buffer == 2
    assert tab.bytes.hex.field_range == range(324)
    assert "part 2 of 2 · packet 2237" in tab.bytes.foot_text()
    assert [part.labels[0] for part in tab.bytes.hex.marks.parts] == ["part 1 never came", "part 2, this packet"]
    assert not any(
        button.isVisible() and button.text().startswith("Packet") for button in tab.findChildren(QToolButton)
    )


def test_a_field_of_the_delta_is_underlined_down_to_the_captured_bytes(show: Show, documents: list[Document]) -> None:
    tab = show(BOTS, TWO_PARTS - 1)
    detail = tab.detail
    assert detail is not None
    data = detail.tree.buffers[2].data[83:85]
    for index in (named(tab, "delta", "Character 23 · bot23", "vel_y"), named(tab, "delta", "Character 23 · bot23")):
        tab.tree.choose(index)
        node = current(tab)
        assert node.span is not None
        tab.bytes.next_buffer(-1)
        (plain,) = tab.bytes.hex.traces
        assert len(plain) == node.span.length
        assert data in tab.bytes.hex.data[plain.start : plain.stop]
        tab.bytes.next_buffer(-1)
        assert tab.bytes.hex.traces == (range(3, len(tab.bytes.hex.data)),)
        tab.bytes.next_buffer(-1)
        assert tab.bytes.buffer == 2


def deepest(fields: tuple[Field, ...], buffer: int, offset: int, depth: int = 1) -> int:
    """How deep the deepest field of a byte lies, 0 if there is none."""
    found = 0
    for node in fields:
        span = node.span
        if span is not None and span.buffer == buffer and span.offset <= offset < span.offset + span.length:
            found = max(found, depth)
        found = max(found, deepest(node.children, buffer, offset, depth + 1))
    return found


@pytest.mark.parametrize(("path", "packet"), [(BOTS, TWO_PARTS - 1), (CUT, CUT_PACKET)], ids=["bots", "cut"])
def test_bytes_of_every_buffer_lead_to_their_deepest_field(qtbot: QtBot, show: Show, path: Path, packet: int) -> None:
    tab = show(path, packet)
    view = tab.bytes.hex
    for number in range(tab.bytes.tabs.count()):
        for offset in range(0, len(tab.detail.tree.buffers[number].data), 37):
            tab.bytes.tabs.setCurrentIndex(number)
            buffer = tab.bytes.buffer
            view.scroll_to(offset)
            qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.rect_of(offset).center().toPoint())
            depth = deepest(tab.model.top, buffer, offset)
            if depth:
                span = current(tab).span
                assert span is not None
                assert span.buffer == buffer == tab.bytes.buffer
                assert span.offset <= offset < span.offset + span.length
                assert len(tab.model.rows(tab.tree.currentIndex())) == depth
            assert view.cursor_offset == offset


def test_the_first_wrong_byte_has_a_red_edge(show: Show) -> None:
    tab = show(CUT, CUT_PACKET)
    view = tab.bytes.hex
    assert view.marks.wrong == (164,)
    view.scroll_to(164)
    box = view.rect_of(164)
    picture = view.viewport().grab().toImage()
    red = theme.LIGHT.color("error")
    reds = [
        x
        for x in range(round(box.left()) - 8, round(box.right()))
        if picture.pixelColor(x, round(box.top()) + 2) == red
    ]
    assert len(reds) == 3
    assert box.left() - 6 <= reds[0] < box.left()


def test_hover_marks_a_byte_and_changes_nothing(qtbot: QtBot, show: Show, documents: list[Document]) -> None:
    tab = show(BOTS, TWO_PARTS)
    documents[0].selection.select_span(VEL_Y)
    view, span = tab.bytes.hex, documents[0].selection.span
    qtbot.waitUntil(view.verticalScrollBar().isVisible)
    before = view.viewport().grab().toImage()
    qtbot.mouseMove(view.viewport(), view.rect_of(100).center().toPoint())
    assert view.hovered == 100
    assert view.viewport().grab().toImage() != before
    assert documents[0].selection.span == span
    assert view.field_range == range(83, 85)
    QApplication.sendEvent(view.viewport(), QEvent(QEvent.Type.Leave))
    assert view.hovered == -1
    assert view.viewport().grab().toImage() == before


def test_hover_frames_the_field_of_a_byte_and_names_it(qtbot: QtBot, show: Show, documents: list[Document]) -> None:
    tab = show(BOTS, TWO_PARTS)
    documents[0].selection.select_span(VEL_Y)
    pane, view = tab.bytes, tab.bytes.hex
    qtbot.waitUntil(view.verticalScrollBar().isVisible)
    said_before = pane.foot_text()
    assert "vel_y" in said_before
    index = tab.model.locate(Span(VEL_Y.buffer, 100, 1))
    node = tab.model.field(index)
    assert node is not None
    assert node.span is not None
    qtbot.mouseMove(view.viewport(), view.rect_of(100).center().toPoint())
    assert view.framed == range(node.span.offset, node.span.offset + node.span.length)
    assert tab.model.names(index)[-1] in pane.foot_text()
    assert pane.foot_text() != said_before
    qtbot.mouseMove(view.viewport(), view.rect_of(VEL_Y.offset).center().toPoint())
    assert view.framed == range(83, 85)
    assert pane.foot_text() == said_before
    qtbot.mouseMove(view.viewport(), view.rect_of(100).center().toPoint())
    QApplication.sendEvent(view.viewport(), QEvent(QEvent.Type.Leave))
    assert view.framed == range(0)
    assert pane.foot_text() == said_before


def test_hover_does_not_tell_what_is_hidden(qtbot: QtBot, show: Show, documents: list[Document]) -> None:
    tab = show(SAMPLE, INFO_PACKET)
    hidden = next(iter(tab.bytes.hex.marks.hidden))
    index = tab.model.locate(Span(tab.bytes.buffer, hidden.start, 1))
    secret = tab.bytes.hex.data[hidden.start : hidden.stop].decode("latin-1").rstrip("\0")
    tab.bytes.hex.scroll_to(hidden.start)
    place = tab.bytes.hex.rect_of(hidden.start).center().toPoint()
    qtbot.mouseMove(tab.bytes.hex.viewport(), place)
    assert MASKED in tab.bytes.foot_text()
    assert said(tab, index) in tab.bytes.foot_text()
    assert not secret or secret not in tab.bytes.foot_text()


def test_every_key_of_the_bytes(qtbot: QtBot, show: Show, documents: list[Document]) -> None:
    tab = show(BOTS, TWO_PARTS)
    view = tab.bytes.hex
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    tab.tree.setFocus()
    qtbot.keyClick(tab.tree, Qt.Key.Key_PageUp, control)
    assert tab.bytes.tabs.tabText(tab.bytes.tabs.currentIndex()).startswith("Joined")
    documents[0].selection.select_span(Span(2, 100, 1))
    columns = next(offset for offset in (8, 16) if view.rect_of(offset).top() > view.rect_of(0).top())
    row = 100 // columns * columns
    for key, offset in (
        (Qt.Key.Key_Home, row),
        (Qt.Key.Key_End, row + columns - 1),
        (Qt.Key.Key_Up, row - 1),
        (Qt.Key.Key_Down, row + columns - 1),
        (Qt.Key.Key_Left, row + columns - 2),
    ):
        qtbot.keyClick(view, key)
        assert view.cursor_offset == offset
    qtbot.keyClick(view, Qt.Key.Key_PageDown)
    paged = view.cursor_offset
    assert paged > row + 4 * columns
    assert (paged - (row + columns - 2)) % columns == 0
    qtbot.keyClick(view, Qt.Key.Key_PageUp)
    assert view.cursor_offset == row + columns - 2
    qtbot.keyClick(view, Qt.Key.Key_Down, shift)
    assert view.field_range == range(row + columns - 2, row + 2 * columns - 1)
    qtbot.keyClick(view, Qt.Key.Key_PageDown, control)
    assert tab.bytes.buffer == 0


def test_the_menu_key_offers_every_way_to_copy(qtbot: QtBot, show: Show, documents: list[Document]) -> None:
    tab = show(BOTS, TWO_PARTS)
    documents[0].selection.select_span(VEL_Y)
    view = tab.bytes.hex
    place = view.viewport().rect().center()
    for number, text in enumerate(("80 08", "unsigned char bytes[2] = {\n    0x80, 0x08,\n};", "0053  80 08", "..")):
        event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, place, view.mapToGlobal(place))
        QApplication.sendEvent(view.viewport(), event)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        for _ in range(number + 1):
            qtbot.keyClick(menu, Qt.Key.Key_Down)
        qtbot.keyClick(menu, Qt.Key.Key_Return)
        assert QGuiApplication.clipboard().text() == text


def password_index(tab: PacketTab) -> QModelIndex:
    for rows, node in tab.model.walk():
        if node.secret:
            return tab.model.index_of(rows)
    raise AssertionError("no password")


def everything_said(tab: PacketTab) -> str:
    """What a person or a screen reader can get out of the tab, copies included."""
    texts = []
    for rows, _ in tab.model.walk():
        index = tab.model.index_of(rows)
        roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
        texts.extend(str(tab.model.data(index.siblingAtColumn(at), role)) for at in range(3) for role in roles)
        tab.tree.choose(index)
        for form in (field_text.row_text, value_text, field_text.as_text, field_text.as_csv, field_text.as_json):
            tab.tree.copy(form)
            texts.append(QGuiApplication.clipboard().text())
        texts.append(tab.bytes.foot_text())
        texts.append(tab.bytes.hex.accessibleDescription())
    for number in range(tab.bytes.tabs.count()):
        tab.bytes.tabs.setCurrentIndex(number)
        forms = (byte_text.as_hex, byte_text.as_c_array, byte_text.as_dump, byte_text.as_text)
        texts.extend(tab.bytes.hex.copied(form) for form in forms)
    return "\n".join(texts)


@pytest.fixture
def with_password(tmp_path: Path) -> Path:
    """The IPv6 capture, with a password in place of most of the version. The UDP checksum does not fit any more."""
    data = IPV6.read_bytes()
    login = b"0.6\0" + PASSWORD.encode() + b"\0"
    assert len(login) == len(VERSION)
    assert VERSION in data
    path = tmp_path / "password.pcap"
    path.write_bytes(data.replace(VERSION, login))
    return path


def test_a_password_is_never_told_before_it_is_clicked(qtbot: QtBot, show: Show, with_password: Path) -> None:
    tab = show(with_password, IPV6_INFO)
    index = password_index(tab)
    assert said(tab, index) == MASKED
    hidden = everything_said(tab)
    assert "Sv_" in hidden or "NETMSG_INFO" in hidden
    assert PASSWORD not in hidden
    assert PASSWORD.encode().hex(" ") not in hidden
    assert PASSWORD.encode().hex() not in hidden
    tab.tree.choose(index)
    place = tab.tree.visualRect(index.siblingAtColumn(VALUE)).center()
    qtbot.mouseClick(tab.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert said(tab, index) == f'"{PASSWORD}"'
    assert not tab.bytes.hex.hidden


def test_a_password_that_is_shown_is_not_copied(show: Show, with_password: Path) -> None:
    tab = show(with_password, IPV6_INFO)
    index = password_index(tab)
    tab.tree.reveal(index)
    assert said(tab, index) == f'"{PASSWORD}"'
    for rows, _ in tab.model.walk():
        tab.tree.choose(tab.model.index_of(rows))
        for form in (field_text.row_text, value_text, field_text.as_text, field_text.as_csv, field_text.as_json):
            tab.tree.copy(form)
            copied = QGuiApplication.clipboard().text()
            assert PASSWORD not in copied
            assert PASSWORD.encode().hex() not in copied.replace(" ", "")
    for number in range(tab.bytes.tabs.count()):
        tab.bytes.tabs.setCurrentIndex(number)
        assert PASSWORD not in tab.bytes.hex.copied(byte_text.as_text)
        assert PASSWORD.encode().hex(" ") not in tab.bytes.hex.copied(byte_text.as_hex)


def test_find_does_not_betray_a_password(show: Show, with_password: Path) -> None:
    tab = show(with_password, IPV6_INFO)
    assert not tab.find(PASSWORD)
    assert not tab.find(PASSWORD[:6])


def test_a_click_on_its_bytes_shows_a_password_and_another_packet_hides_it_again(
    qtbot: QtBot, show: Show, documents: list[Document], with_password: Path
) -> None:
    tab = show(with_password, IPV6_INFO)
    span = tab.model.field(password_index(tab)).span
    assert span is not None
    documents[0].selection.select_span(Span(0, 0, 1))
    place = tab.bytes.hex.rect_of(span.offset + 3).center().toPoint()
    qtbot.mouseClick(tab.bytes.hex.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert said(tab, password_index(tab)) == f'"{PASSWORD}"'
    go_to(qtbot, tab, documents[0], IPV6_INFO + 1)
    go_to(qtbot, tab, documents[0], IPV6_INFO)
    assert said(tab, password_index(tab)) == MASKED


def test_the_cursor_passes_over_a_password_and_enter_shows_it(
    qtbot: QtBot, show: Show, documents: list[Document], with_password: Path
) -> None:
    tab = show(with_password, IPV6_INFO)
    span = tab.model.field(password_index(tab)).span
    assert span is not None
    view = tab.bytes.hex
    documents[0].selection.select_span(Span(0, span.offset - 1, 1))
    for _ in range(3):
        qtbot.keyClick(view, Qt.Key.Key_Right)
        assert current(tab).secret
        assert said(tab, password_index(tab)) == MASKED
        assert PASSWORD[:4] not in view.copied(byte_text.as_text)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert said(tab, password_index(tab)) == f'"{PASSWORD}"'
    assert PASSWORD[:4] not in view.copied(byte_text.as_text)


def test_what_a_password_was_unpacked_from_is_hidden_with_it(qtbot: QtBot) -> None:
    plain = b"\x01secret\0"
    password = Field("password", "secret", span=Span(1, 1, 7), secret=True)
    tree = FieldTree(
        (Buffer("captured", b"\x90\x41\x42"), Buffer("decompressed", plain, b"\x04" * 8, Span(0, 1, 2))),
        (Field("chunk 0", span=Span(1, 0, 8), children=(Field("id", 1, span=Span(1, 0, 1)), password)),),
    )
    tab = PacketTab(theme.DARK)
    qtbot.addWidget(tab)
    tab.tree.show_detail(PacketDetail(0, 1, "test", tree))
    tab.bytes.show_detail(tab.detail, tab.model.secrets)
    assert tab.bytes.hex.copied(byte_text.as_hex) == "** ** **"
    index = named(tab, "chunk 0", "password")
    assert tab.bytes.hex.hidden
    tab.tree.reveal(index)
    assert not tab.bytes.hex.hidden
    assert tab.bytes.hex.copied(byte_text.as_hex) == "** ** **"
    tab.tree.reveal(index, False)
    assert tab.bytes.hex.hidden
    assert tab.bytes.hex.copied(byte_text.as_c_array).count("'*'") == 3


def test_opened_fields_stay_open_and_the_field_stays_chosen(
    qtbot: QtBot, show: Show, documents: list[Document]
) -> None:
    tab = show(BOTS, TWO_PARTS)
    tab.tree.collapse(named(tab, "header"))
    tab.tree.expand(named(tab, "delta", "Character 23 · bot23"))
    tab.tree.choose(named(tab, "delta", "Character 23 · bot23", "vel_y"))
    session = documents[0].tables.packets.integer("session", TWO_PARTS)
    packets = documents[0].tables.packets
    later = next(
        packet
        for packet in range(TWO_PARTS + 1, len(packets))
        if packets.integer("session", packet) == session and packets.integer("snapshot", packet) >= 0
    )
    go_to(qtbot, tab, documents[0], later)
    assert not tab.tree.isExpanded(named(tab, "header"))
    assert tab.tree.isExpanded(named(tab, "delta"))
    assert tab.tree.isExpanded(named(tab, "delta", "Character 23 · bot23"))
    assert tab.model.names(tab.tree.currentIndex()) == ("delta", "Character 23 · bot23", "vel_y")
    assert documents[0].selection.span == current(tab).span


def test_keys_open_and_close_the_tree(qtbot: QtBot, show: Show) -> None:
    tab = show(BOTS, TWO_PARTS)
    item, tree = named(tab, "delta", "Character 23 · bot23"), tab.tree
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(tree, Qt.Key.Key_Right, control)
    assert tree.isExpanded(item)
    qtbot.keyClick(tree, Qt.Key.Key_Left, control)
    assert not tree.isExpanded(named(tab, "delta"))
    tree.choose(named(tab, "delta"))
    qtbot.keyClick(tree, Qt.Key.Key_Right, shift)
    assert tree.isExpanded(item)
    tree.choose(item)
    qtbot.keyClick(tree, Qt.Key.Key_Left)
    assert not tree.isExpanded(item)
    qtbot.keyClick(tree, Qt.Key.Key_Right)
    assert tree.isExpanded(item)
    tree.choose(named(tab, "delta", "Character 23 · bot23", "vel_y"))
    qtbot.keyClick(tree, Qt.Key.Key_C, control)
    assert QGuiApplication.clipboard().text().startswith("vel_y\t384 → 896  (+512, +2.00 units/tick, +3.12 tiles/s)")
    qtbot.keyClick(tree, Qt.Key.Key_V, control | shift)
    assert QGuiApplication.clipboard().text().startswith("384 → 896")


def test_find_goes_round_in_both_directions(show: Show) -> None:
    tab = show(BOTS, TWO_PARTS)
    assert tab.find("VEL_Y")
    first = tab.model.rows(tab.tree.currentIndex())
    assert tab.find("vel_y")
    second = tab.model.rows(tab.tree.currentIndex())
    assert second > first
    assert tab.find("vel_y", forward=False)
    assert tab.model.rows(tab.tree.currentIndex()) == first
    assert tab.find("netmsg_snap")
    assert not tab.find("no such field")


def test_nothing_selected_offers_the_first_packet(qtbot: QtBot) -> None:
    tab = PacketTab(theme.LIGHT)
    qtbot.addWidget(tab)
    tab.show()
    (button,) = [w for w in tab.findChildren(QWidget) if getattr(w, "text", str)() == "Select the first"]
    with qtbot.waitSignal(tab.wants_first):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_an_undecided_packet_is_bytes(qtbot: QtBot) -> None:
    tab = PacketTab(theme.LIGHT)
    qtbot.addWidget(tab)
    detail = PacketDetail(0, 1, "", FieldTree((Buffer("captured", b"\0\1\2"),), ()))
    tab._show(detail)
    assert tab.bytes.tabs.count() == 1
    assert tab.bytes.hex.data == b"\0\1\2"
    tab._on_byte(0, 1)
    assert tab.bytes.hex.field_range == range(1, 2)


def test_the_newest_selection_wins(qtbot: QtBot, show: Show, documents: list[Document]) -> None:
    tab = show(BOTS, 0)
    selection = documents[0].selection
    for packet in range(200, 240):
        selection.select(packet, -1)
    qtbot.waitUntil(lambda: tab.detail is not None and tab.detail.packet == 239, timeout=10_000)
    tab.show_document(None)
    selection.select(3, -1)
    QApplication.processEvents()
    assert tab.detail is None


def test_a_delta_says_what_its_numbers_mean(show: Show, documents: list[Document]) -> None:
    tab = show(BOTS, TWO_PARTS)
    assert said(tab, named(tab, "delta", "Character 23 · bot23")) == "4 of 22 fields changed"
    assert said(tab, named(tab, "delta", "Death 1")) == "removed"
    tables = documents[0].tables
    assert np.count_nonzero(tables.snapshots.array("packet") == TWO_PARTS) == 1
    kinds = [tab.model.data(named(tab, "header", name).siblingAtColumn(2)) for name in ("compression", "ack")]
    assert kinds == ["0, bit 7", "0, bits 0–1; 1"]


def test_the_item_of_the_selection_is_followed_and_written(qtbot: QtBot, show: Show, documents: list[Document]) -> None:
    tab = show(BOTS, TWO_PARTS)
    selection = documents[0].selection
    selection.select_item((9, 23), "vel_y")
    assert tab.model.names(tab.tree.currentIndex()) == ("delta", "Character 23 · bot23", "vel_y")
    assert selection.span == VEL_Y
    tab.tree.choose(named(tab, "delta", "Character 15 · bot15"))
    assert (selection.place.item, selection.place.field) == ((9, 15), "")
    selection.select_item((9, 999))
    assert tab.model.names(tab.tree.currentIndex()) == ("delta", "Character 15 · bot15")


def test_the_model_under_the_tester_while_packets_change(
    qtbot: QtBot, show: Show, documents: list[Document], qtmodeltester: ModelTester
) -> None:
    tab = show(BOTS, 0)
    qtmodeltester.check(tab.model)
    for packet in (TWO_PARTS, TWO_PARTS - 1, 60):
        go_to(qtbot, tab, documents[0], packet)
        tab.tree.open_all()
    tab.show_document(None)
    assert tab.model.rowCount() == 0
