"""The window on packets that cannot be read: every pane says what is wrong, where, and what was kept."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_files import BUNDLED
from PySide6.QtWidgets import QLabel, QStatusBar, QWidget
from pytestqt.qtbot import QtBot

from analyzer.snapshots.status import Status
from ui.document import Document
from ui.main_window import MainWindow
from ui.models.packet_cells import Column
from ui.views.cells import CELL_ROLE

SOURCE = BUNDLED / "ddnet_tsunami_badcrc_head.pcap"
BAD_DELTA = 86
"""Carries a snapshot of one part: bytes near its end make a type that does not exist."""
BAD_PACKET = 103
"""Bytes at its end make chunks that do not fit."""
UNKNOWN = 1500
"""Added at the end, from a port that nothing else uses."""


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A capture with a malformed snapshot, a malformed packet, and a packet of no known protocol."""
    data = bytearray(SOURCE.read_bytes())
    starts, at = [], 24
    while at < len(data):
        starts.append(at)
        at += 16 + struct.unpack_from("<I", data, at + 8)[0]
    for record, back in ((BAD_DELTA, 20), (BAD_PACKET, 20)):
        end = (*starts, at)[record + 1]
        for offset in range(end - back, end - back + 3):
            data[offset] ^= 0x5A
    last = bytearray(data[starts[-1] :])
    udp = bytes(data[starts[0] + 16 :]).find(b"\x20\x6f")  # 8303, the server's port, in the first packet
    client = udp + 2 if last[16 + udp : 18 + udp] == b"\x20\x6f" else udp
    last[16 + client : 18 + client] = b"\x00\x35"
    payload = 16 + udp - udp % 2 + 8
    last[payload + 2 :] = bytes(value * 37 & 0xFF for value in range(len(last) - payload - 2))
    path = tmp_path / "damaged.pcap"
    path.write_bytes(data + last)
    return path


@pytest.fixture
def select(window: MainWindow, qtbot: QtBot, damaged: Path) -> Callable[[int], Document]:
    """Opens the capture and selects a packet in the list as a person does."""
    assert window.opening.open_path(damaged)
    document = window.document
    assert document is not None
    qtbot.waitUntil(lambda: document.is_decoded)

    def go(packet: int) -> Document:
        window.packets.table.setCurrentIndex(window.packets.model.index(packet, Column.INFO))
        qtbot.waitUntil(lambda: window.packet_tab.detail is not None and window.packet_tab.detail.packet == packet)
        return document

    return go


def said(pane: QWidget) -> list[str]:
    """Everything that labels of a pane say where it is looked at."""
    return [label.text() for label in pane.findChildren(QLabel) if label.isVisibleTo(pane) and label.text()]


def info(window: MainWindow, packet: int) -> tuple[str, str]:
    """What the list says of a packet, and with which sign."""
    cell = window.packets.model.index(packet, Column.INFO).data(CELL_ROLE)
    return cell.text, cell.sign


def test_a_malformed_snapshot(window: MainWindow, select: Callable[[int], Document], qtbot: QtBot) -> None:
    document = select(BAD_DELTA)
    snapshot = document.selection.place.snapshot
    assert document.tables.snapshots.integer("status", snapshot) == Status.MALFORMED
    tab = window.snapshot_tab
    qtbot.waitUntil(lambda: tab.tree is not None and tab.tree.head.snapshot == snapshot)
    text, sign = info(window, BAD_DELTA)
    assert text.startswith("update 4 has a type out of range at byte 141")
    assert sign == "error"
    assert tab.notice.text == "Update 4 has a type out of range at byte 141. What stands before it could be read"
    assert tab.notice.code == "D5"
    assert tab.model.rowCount() > 0
    assert "Reading stopped at byte 141 (joined delta): update 4: type -20 is out of range" in said(window.packet_tab)


def test_a_malformed_packet(window: MainWindow, select: Callable[[int], Document]) -> None:
    select(BAD_PACKET)
    text, sign = info(window, BAD_PACKET)
    assert text.startswith("a chunk is longer than the packet")
    assert sign == "error"
    assert said(window.snapshot_tab)[:2] == [
        "This packet carries no snapshot",
        "It could not be read: a chunk is longer than the packet. Its bytes stand in the Packet tab.",
    ]
    where = "Reading stopped at byte 47 (decompressed): chunk 2: 322 bytes announced, 320 left"
    assert where in said(window.packet_tab)


def test_a_packet_of_no_known_protocol(window: MainWindow, select: Callable[[int], Document], qtbot: QtBot) -> None:
    select(BAD_DELTA)
    select(UNKNOWN)
    assert info(window, UNKNOWN) == ("104 bytes", "")
    texts = [window.packets.model.index(UNKNOWN, column).data() for column in (Column.CLIENT, Column.PROTOCOL)]
    assert texts == ["–", "–"]
    sentence = "Nothing reads this flow: only its bytes are known"
    assert said(window.snapshot_tab)[:2] == [
        "This packet carries no snapshot",
        f"{sentence}. They stand in the Packet tab.",
    ]
    assert {"Not decoded", sentence} <= set(said(window.packet_tab))
    assert window.packet_tab.bytes.foot_text().strip().startswith("No fields: nothing reads this flow.")
    (bar,) = window.status.findChildren(QStatusBar)
    window.packets.go_next_snapshot()
    assert bar.currentMessage() == "No later snapshot of this client"
    window.packets.go_first()
    assert bar.currentMessage() == ""


def test_what_was_said_makes_way_for_the_file_again(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bar,) = window.status.findChildren(QStatusBar)
    monkeypatch.setattr("ui.views.status.SAID_MS", 1)
    window.status.say("mod.json was read again.")
    assert bar.currentMessage() == "mod.json was read again."
    qtbot.waitUntil(lambda: bar.currentMessage() == "", timeout=20_000)
