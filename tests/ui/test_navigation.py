"""Where a number, a tick or a time leads, asked by keyboard in the real window; and what is said where nothing is."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from capture_files import capture_paths
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from ui.dialogs.go_to import GoToDialog, Target, read_target
from ui.document import Document
from ui.main_window import MainWindow

Opener = Callable[[str | Path], Document]
SHORT = "ddnet_dm2_reconnect_mapchange"
NS = 1_000_000_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2238", Target(packet=2238)),
        (" #7 ", Target(packet=7)),
        ("tick 234", Target(tick=234)),
        ("T-1", Target(tick=-1)),
        ("3.12 s", Target(seconds=3.12)),
        ("3.12", Target(seconds=3.12)),
        ("250ms", Target(seconds=0.25)),
        ("+20", Target(step=20)),
        ("\u22125", Target(step=-5)),
        ("-1.5 s", Target(since=-1.5)),
        ("+ 40 ms", Target(since=0.04)),
        ("14:05:10.5", Target(day_s=50710.5)),
        ("0:30", Target(day_s=1800)),
        ("24:00", None),
        ("", None),
        ("s", None),
        ("tick", None),
        ("1.2.3", None),
        ("\u0663", None),
        ("9" * 40, None),
    ],
)
def test_what_is_read(text: str, expected: Target | None) -> None:
    assert read_target(text) == expected


@given(st.text(max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    found = read_target(text)
    assert found is None or found != Target()


def ask(window: MainWindow, qtbot: QtBot, text: str) -> GoToDialog:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.packets.table.setFocus()
    QTest.keyClick(window.packets.table, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    dialog = window.findChild(GoToDialog)
    assert dialog is not None
    field = dialog.findChild(QLineEdit)
    assert field is not None
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)
    return dialog


def go(window: MainWindow, qtbot: QtBot, text: str) -> int:
    ask(window, qtbot, text)
    qtbot.waitUntil(lambda: window.findChild(GoToDialog) is None)
    assert window.document is not None
    return window.document.selection.place.packet


def refusal(window: MainWindow, qtbot: QtBot, text: str) -> str:
    dialog = ask(window, qtbot, text)
    label = dialog.findChild(QLabel)
    assert label is not None
    hint = label.text()
    qtbot.waitUntil(lambda: label.text() != hint)
    assert dialog.isVisible()
    said = label.text()
    dialog.reject()
    qtbot.waitUntil(lambda: window.findChild(GoToDialog) is None)
    return said


def test_packets_ticks_and_times(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    tables = opened(SHORT).tables
    times = tables.frames.integers("time_ns")[tables.packets.integers("frame")]
    assert tables.packets.integer("frame", go(window, qtbot, "100")) == 99
    here = go(window, qtbot, "+20")
    assert tables.packets.integer("frame", here) == 119
    assert go(window, qtbot, "-20") == here - 20
    later = go(window, qtbot, "+500 ms")
    assert later == int(np.abs(times - times[here - 20] - NS // 2).argmin())
    found = go(window, qtbot, "3.5")
    assert found == int(np.abs(times - times[0] - round(3.5 * NS)).argmin())
    second = int(times[found]) // NS % 86_400
    clock = f"{second // 3600}:{second // 60 % 60:02d}:{second % 60:02d}"
    assert go(window, qtbot, clock) == int(np.abs(times - int(times[found]) // NS * NS).argmin())
    packet = go(window, qtbot, "tick 200")
    assert window.document is not None
    snapshot = window.document.selection.place.snapshot
    assert tables.snapshots.integer("tick", snapshot) == 200
    assert tables.snapshots.integer("packet", snapshot) == packet


def test_sentences_where_there_is_nothing(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    last = len(document.tables.frames)
    assert refusal(window, qtbot, "+1") == "No packet is selected to count from"
    assert refusal(window, qtbot, str(last + 1)) == f"There is no packet {last + 1}: the last one is {last}"
    assert refusal(window, qtbot, "0") == "Packets are numbered from 1"
    assert refusal(window, qtbot, "tick 999999").startswith("No snapshot of tick 999999 was seen; the nearest is ")
    assert refusal(window, qtbot, "9999 s").startswith("That is behind the end: the last packet is at ")
    go(window, qtbot, "10")
    assert refusal(window, qtbot, "-500 s").startswith("That is before the capture: the first packet is at ")
    before = document.selection.place.packet
    assert refusal(window, qtbot, "-9999") == f"There are only {before} packets before the selected one"


def test_a_packet_that_is_not_displayed(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    sessions = document.tables.packets.integers("session")
    document.selection.limit_to(0)
    qtbot.waitUntil(lambda: window.packets.model.rowCount() == int((sessions == 0).sum()))
    other = int(np.flatnonzero(sessions != 0)[-1])
    number = document.tables.packets.integer("frame", other) + 1
    said = refusal(window, qtbot, str(number))
    assert said == f"Packet {number} is not displayed: the list is limited to others"


def test_a_frame_that_is_no_packet_names_its_neighbours(
    window: MainWindow, opened: Opener, qtbot: QtBot, tmp_path: Path
) -> None:
    data = next(path for path in capture_paths() if path.name.startswith(SHORT)).read_bytes()
    captured = struct.unpack_from("<I", data, 24 + 8)[0]
    behind = 24 + 16 + captured
    other = data[24:32] + struct.pack("<II", 60, 60) + bytes(60)
    path = tmp_path / "other.pcap"
    path.write_bytes(data[:behind] + other + data[behind:])
    opened(path)
    assert refusal(window, qtbot, "2") == "Packet 2 is no UDP datagram; the nearest ones are 1 and 3"
