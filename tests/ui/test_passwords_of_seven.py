"""Passwords of 0.7 in the window: nowhere to be seen or copied until clicked, in plain and in compressed packets."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from tests.capture.builders import pcap_file
from tests.encoder import message, pack_varints
from tests.net.builders import ipv4, udp
from tests.protocols.teeworlds.played import CLIENT, SERVER
from tests.protocols.teeworlds.test_seven import Seven
from tests.ui.conftest import Opener
from ui.document import Document
from ui.main_window import MainWindow
from ui.models import byte_text, field_text
from ui.models.field_text import MASKED
from ui.models.packet_cells import Column
from ui.views.packet_tab import PacketTab

RAW = 101
PASSWORD = "XQ7-vJm9"
FIELD_FORMS = (
    *(field_text.row_text, field_text.value_text, field_text.as_text),
    *(field_text.as_csv, field_text.as_json),
)
BYTE_FORMS = (byte_text.as_hex, byte_text.as_text, byte_text.as_c_array, byte_text.as_dump)
LOGIN = message(1, True, b"0.7 802f1be60a05665f\0" + PASSWORD.encode() + b"\0" + pack_varints((0x705,)))
RCON = message(22, True, PASSWORD.encode() + b"\0")


def game() -> tuple[Seven, dict[str, int]]:
    """The packets with a password, by what they are."""
    play, packets = Seven(), {}
    play.handshake()
    for name, body, size in (
        ("login", LOGIN, 0),
        ("long login", LOGIN, 64),
        ("rcon", RCON, 0),
        ("long rcon", RCON, 64),
    ):
        # What grows by compression is sent as it is: zeros behind the message make it worth it.
        packets[name] = play.played
        play.send(CLIENT, play.vital(CLIENT, body + bytes(size)))
        play.send(SERVER)
    return play, packets


@pytest.fixture
def logins(tmp_path: Path) -> Path:
    frames = []
    for sent in game()[0].datagrams:
        ports = (50000, 8303) if sent.direction == CLIENT else (8303, 50000)
        frame = ipv4(udp(sent.payload, source=ports[0], destination=ports[1]))
        if sent.direction == SERVER:
            frame = frame[:12] + frame[16:20] + frame[12:16] + frame[20:]
        frames.append((sent.time_ns // 1_000_000_000, sent.time_ns % 1_000_000_000 // 1000, frame))
    path = tmp_path / "seven.pcap"
    path.write_bytes(pcap_file(frames, link_field=RAW))
    return path


def secret_index(tab: PacketTab) -> QModelIndex:
    return next(tab.model.index_of(rows) for rows, node in tab.model.walk() if node.secret)


def value(tab: PacketTab) -> str:
    return str(tab.model.data(secret_index(tab).siblingAtColumn(1), Qt.ItemDataRole.DisplayRole))


def copies(tab: PacketTab) -> str:
    """All that can be copied of fields and bytes."""
    texts = []
    for rows, _ in tab.model.walk():
        tab.tree.choose(tab.model.index_of(rows))
        for form in FIELD_FORMS:
            tab.tree.copy(form)
            texts.append(QGuiApplication.clipboard().text())
        texts += [*map(tab.bytes.hex.copied, BYTE_FORMS), tab.bytes.foot_text()]
    return "\n".join(texts)


def gives_away(text: str) -> bool:
    squeezed = text.replace(" ", "").replace("0x", "").replace(",", "")
    return PASSWORD[:4] in text or PASSWORD.encode()[:4].hex() in squeezed


def show(window: MainWindow, document: Document, packet: int, qtbot: QtBot) -> PacketTab:
    document.selection.select(packet, -1)
    tab = window.packet_tab
    window.tabs.setCurrentWidget(tab)
    qtbot.waitUntil(lambda: tab.detail is not None and tab.detail.packet == packet, timeout=20_000)
    return tab


@pytest.mark.parametrize("name", ["login", "long login", "rcon", "long rcon"])
def test_a_password_is_shown_when_clicked_and_hidden_again(
    window: MainWindow, opened: Opener, logins: Path, name: str, qtbot: QtBot
) -> None:
    document = opened(logins)
    packet = game()[1][name]
    assert document.tables.sessions.text("dialect", 0) == "0.7"
    tab = show(window, document, packet, qtbot)
    info = str(window.packets.model.index(packet, Column.INFO).data())
    assert info.startswith("Info" if name.endswith("login") else "RconAuth")
    compressed = len(tab.detail.tree.buffers) > 1
    assert compressed == name.startswith("long")
    assert value(tab) == MASKED
    assert not gives_away(info)
    assert not gives_away(copies(tab))
    assert tab.bytes.hex.hidden

    tab.tree.choose(secret_index(tab))
    place = tab.tree.visualRect(secret_index(tab).siblingAtColumn(1)).center()
    qtbot.mouseClick(tab.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert value(tab) == f'"{PASSWORD}"'
    assert not tab.bytes.hex.hidden
    # It is shown, not given away.
    assert not gives_away("".join(map(tab.bytes.hex.copied, BYTE_FORMS)))
    tab.tree.copy(field_text.as_json)
    assert not gives_away(QGuiApplication.clipboard().text())

    tab.tree.choose(secret_index(tab))
    tab.tree.customContextMenuRequested.emit(QPoint(place))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    next(action for action in menu.actions() if action.text() == "Hide password").trigger()
    menu.close()
    assert value(tab) == MASKED
    assert tab.bytes.hex.hidden
    assert not gives_away(copies(tab))
