"""Marks, ignored packets and time references by keys in the real window; what they change, and that they are kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from capture_files import capture_paths
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QMenu, QStatusBar
from pytestqt.qtbot import QtBot

from analyzer.engine.capture import Capture
from tests.ui.growing import Growing
from ui import words
from ui.document import Document
from ui.main_window import MainWindow
from ui.marks import Mark
from ui.models.packet_cells import IGNORED, Column
from ui.settings import Settings
from ui.views.cells import ROW_ROLE, Row

Opener = Callable[[str | Path], Document]
SHORT = "ddnet_dm2_reconnect_mapchange"
BADCRC = "ddnet_tsunami_badcrc"
KEY = Qt.Key
NONE, CONTROL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
SHIFT, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier


@pytest.fixture
def press(window: MainWindow) -> Callable[..., None]:
    """`press(key, modifiers)` in the packet list."""

    def press_key(key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
        window.packets.table.setFocus()
        QTest.keyClick(window.packets.table, key, modifiers)

    return press_key


def copied(name: str, folder: Path) -> Path:
    """A capture of its own: settings remember by path."""
    source = next(path for path in capture_paths() if path.name.startswith(name))
    return Path(shutil.copy(source, folder))


def select(window: MainWindow, packet: int) -> None:
    assert window.document is not None
    window.document.selection.select(packet, -1)


def current(window: MainWindow) -> int:
    assert window.document is not None
    return window.document.selection.place.packet


def row_of(window: MainWindow, packet: int) -> Row:
    model = window.packets.model
    row = model.data(model.index(model.row_of(packet), 0), ROW_ROLE)
    assert isinstance(row, Row)
    return row


def members(window: MainWindow, kind: Mark) -> list[int]:
    assert window.document is not None
    return window.document.marks.of(kind).members.tolist()


def status(window: MainWindow) -> str:
    return " ".join(label.text() for label in window.status.findChildren(QLabel))


def said(window: MainWindow) -> str:
    return "".join(bar.currentMessage() for bar in window.status.findChildren(QStatusBar))


def test_marks_by_keys(window: MainWindow, opened: Opener, press: Callable[..., None], qtbot: QtBot) -> None:
    opened(SHORT)
    for packet in (10, 40, 900):
        select(window, packet)
        press(KEY.Key_M, CONTROL)
    assert members(window, Mark.MARKED) == [10, 40, 900]
    assert row_of(window, 40).cells[Column.NUMBER].sign == "mark"
    assert row_of(window, 41).cells[Column.NUMBER].sign == ""
    qtbot.waitUntil(lambda: "Marked 3" in status(window))
    select(window, 20)
    press(KEY.Key_N, CONTROL | SHIFT)
    assert current(window) == 40
    press(KEY.Key_N, CONTROL | SHIFT)
    press(KEY.Key_N, CONTROL | SHIFT)
    assert current(window) == 10
    assert said(window) == "Went on from the first packet"
    press(KEY.Key_B, CONTROL | SHIFT)
    assert current(window) == 900
    press(KEY.Key_M, CONTROL)
    assert members(window, Mark.MARKED) == [10, 40]
    press(KEY.Key_M, CONTROL | ALT)
    assert members(window, Mark.MARKED) == []
    assert not window.actions_by_name["next_mark"].isEnabled()


def test_a_selection_is_marked_whole_then_unmarked(
    window: MainWindow, opened: Opener, press: Callable[..., None]
) -> None:
    opened(SHORT)
    select(window, 5)
    press(KEY.Key_M, CONTROL)
    select(window, 3)
    for _ in range(4):
        press(KEY.Key_Down, SHIFT)
    press(KEY.Key_M, CONTROL)
    assert members(window, Mark.MARKED) == [3, 4, 5, 6, 7]
    press(KEY.Key_M, CONTROL)
    assert members(window, Mark.MARKED) == []


def test_marks_follow_rows_that_are_sorted_or_limited(
    window: MainWindow, opened: Opener, press: Callable[..., None], qtbot: QtBot
) -> None:
    document = opened(SHORT)
    sessions = document.tables.packets.integers("session")
    own, other = int(np.flatnonzero(sessions == 0)[5]), int(np.flatnonzero(sessions != 0)[3])
    for packet in (own, other):
        select(window, packet)
        press(KEY.Key_M, CONTROL)
    model = window.packets.model
    window.packets.table.horizontalHeader().setSortIndicator(Column.LENGTH, Qt.SortOrder.DescendingOrder)
    first, last = sorted((own, other), key=model.row_of)
    select(window, model.packet_at(0))
    press(KEY.Key_N, CONTROL | SHIFT)
    assert current(window) == first
    press(KEY.Key_N, CONTROL | SHIFT)
    assert current(window) == last
    document.selection.limit_to(0)
    qtbot.waitUntil(lambda: model.rowCount() == int((sessions == 0).sum()))
    qtbot.waitUntil(lambda: "Displayed" in status(window))
    press(KEY.Key_N, CONTROL | SHIFT)
    press(KEY.Key_N, CONTROL | SHIFT)
    assert current(window) == own
    press(KEY.Key_M, CONTROL | SHIFT)
    assert members(window, Mark.MARKED) == sorted({*np.flatnonzero(sessions == 0).tolist(), other})


def test_ignored_packets_are_dimmed_and_left_out_of_steps(
    window: MainWindow, opened: Opener, press: Callable[..., None]
) -> None:
    document = opened(SHORT)
    select(window, 0)
    press(KEY.Key_Period, CONTROL)
    following = current(window)
    press(KEY.Key_D, CONTROL)
    cells = row_of(window, following).cells
    assert cells[Column.INFO].text == IGNORED
    assert {cell.tone for cell in cells if cell.text} == {"text3"}
    assert not any(cell.tint for cell in cells)
    flows = document.tables.packets.integers("flow")
    expected = int(np.flatnonzero(flows[following + 1 :] == flows[0])[0]) + following + 1
    select(window, 0)
    press(KEY.Key_Period, CONTROL)
    assert current(window) == expected
    press(KEY.Key_Comma, CONTROL)
    assert current(window) == 0
    press(KEY.Key_D, CONTROL | ALT)
    assert members(window, Mark.IGNORED) == []
    assert row_of(window, following).cells[Column.INFO].text != IGNORED


def test_snapshots_of_ignored_packets_are_left_out_of_steps(
    window: MainWindow, opened: Opener, press: Callable[..., None]
) -> None:
    document = opened(BADCRC)
    window.packets.go_first()
    press(KEY.Key_J, SHIFT)
    failed = [document.selection.place.snapshot]
    press(KEY.Key_J, SHIFT)
    failed.append(document.selection.place.snapshot)
    assert failed[0] != failed[1]
    press(KEY.Key_D, CONTROL)
    press(KEY.Key_K, SHIFT)
    assert document.selection.place.snapshot == failed[0]
    press(KEY.Key_J, SHIFT)
    assert document.selection.place.snapshot not in failed
    before = document.selection.place.snapshot
    press(KEY.Key_J)
    beside = document.selection.place
    press(KEY.Key_D, CONTROL)
    select(window, document.tables.snapshots.integer("packet", before))
    document.selection.select(document.tables.snapshots.integer("packet", before), before)
    press(KEY.Key_J)
    assert document.selection.place.snapshot not in (before, beside.snapshot)


def test_taken_back_by_keys(window: MainWindow, opened: Opener, press: Callable[..., None]) -> None:
    opened(SHORT)
    assert not window.actions_by_name["undo"].isEnabled()
    select(window, 7)
    press(KEY.Key_M, CONTROL)
    press(KEY.Key_D, CONTROL)
    press(KEY.Key_T, CONTROL)
    kinds = (Mark.MARKED, Mark.IGNORED, Mark.REFERENCE)
    assert [members(window, kind) for kind in kinds] == [[7], [7], [7]]
    assert row_of(window, 7).cells[Column.NUMBER].sign == "mark reference"
    spoken = window.packets.model.index(7, Column.NUMBER).data(Qt.ItemDataRole.AccessibleTextRole)
    assert str(spoken).startswith("Marked, Time reference: ")
    press(KEY.Key_Z, CONTROL)
    press(KEY.Key_Z, CONTROL)
    assert [members(window, kind) for kind in kinds] == [[7], [], []]
    press(KEY.Key_Z, CONTROL)
    assert not window.actions_by_name["undo"].isEnabled()
    press(KEY.Key_Z, CONTROL | SHIFT)
    press(KEY.Key_Z, CONTROL | SHIFT)
    assert [members(window, kind) for kind in kinds] == [[7], [7], []]


def test_references_are_gone_to(window: MainWindow, opened: Opener, press: Callable[..., None]) -> None:
    opened(SHORT)
    for packet in (100, 300):
        select(window, packet)
        press(KEY.Key_T, CONTROL)
    press(KEY.Key_N, CONTROL | ALT)
    assert current(window) == 100
    press(KEY.Key_B, CONTROL | ALT)
    assert current(window) == 300
    press(KEY.Key_T, CONTROL | ALT)
    assert members(window, Mark.REFERENCE) == []


def test_remembered_with_the_capture(
    window: MainWindow, opened: Opener, press: Callable[..., None], tmp_path: Path, qtbot: QtBot
) -> None:
    path, other = copied(SHORT, tmp_path), copied(BADCRC, tmp_path)
    opened(path)
    select(window, 3)
    press(KEY.Key_M, CONTROL)
    press(KEY.Key_T, CONTROL)
    select(window, 9)
    press(KEY.Key_D, CONTROL)
    opened(other)
    assert [members(window, kind) for kind in Mark] == [[], [], []]
    assert not window.actions_by_name["undo"].isEnabled()
    opened(path)
    assert [members(window, kind) for kind in Mark] == [[3], [9], [3]]
    assert not window.actions_by_name["undo"].isEnabled()
    press(KEY.Key_D, CONTROL | ALT)
    window.actions_by_name["reload"].trigger()
    qtbot.waitUntil(lambda: [members(window, kind) for kind in Mark] == [[3], [], [3]])
    # Another capture of that name is not the one that was marked.
    window.opening.close()
    shutil.copy(other, path)
    opened(path)
    assert [members(window, kind) for kind in Mark] == [[], [], []]


def test_marks_stay_while_a_file_grows_and_go_with_its_name(
    window: MainWindow, press: Callable[..., None], qtbot: QtBot, tmp_path: Path, settings: Settings
) -> None:
    growing = Growing(tmp_path / "growing.pcapng")
    growing.write(0.4)
    assert window.opening.follow(growing.path, temporary=True)
    document = window.document
    assert document is not None
    qtbot.waitUntil(lambda: window.packets.model.rowCount() > 50)
    select(window, 50)
    press(KEY.Key_M, CONTROL)
    number = row_of(window, 50).cells[Column.NUMBER].text
    growing.write(1.0)
    window.opening.finish()
    qtbot.waitUntil(lambda: document.is_decoded)
    assert members(window, Mark.MARKED) == [50]
    assert row_of(window, 50).cells[Column.NUMBER].text == number
    window.marking.remember()
    assert settings.marks(growing.path) == {}
    kept = Path(shutil.copy(growing.path, tmp_path / "kept.pcapng"))
    window.opening.keep_as(kept)
    assert settings.marks(kept)["marked"] == [[50, 50]]


def test_marked_and_displayed_packets_are_saved(
    window: MainWindow,
    opened: Opener,
    press: Callable[..., None],
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = opened(SHORT)
    # Nothing that comes later needs the last one.
    last = len(document.tables.packets) - 1
    for packet in (0, last):
        select(window, packet)
        press(KEY.Key_M, CONTROL)
    press(KEY.Key_D, CONTROL)
    window.actions_by_name["save_as"].trigger()
    dialog = window.saving.dialog
    assert dialog is not None
    texts = [button.text().replace("&", "") for button in dialog.buttons]
    assert "The 2 marked packets" in texts
    shown = next(number for number, text in enumerate(texts) if text.startswith("The displayed packets"))
    assert texts[shown] == f"The displayed packets without those you ignore, {words.quantity(last)}"
    dialog.buttons[shown].setChecked(True)
    target = tmp_path / "shown.pcapng"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    qtbot.waitUntil(dialog.save.isEnabled)
    dialog.save.click()
    qtbot.waitUntil(lambda: window.saving.dialog is None)
    saved = Capture.open(target)
    saved.decode()
    ignored = document.tables.frames.integer("time_ns", document.tables.packets.integer("frame", last))
    written = saved.tables.frames.integers("time_ns").tolist()
    assert len(written) > last / 2
    assert ignored not in written
    saved.close()


def test_the_menu_marks(window: MainWindow, opened: Opener) -> None:
    opened(SHORT)
    select(window, 12)
    menu = QMenu()
    window.packets.fill_menu(menu, Column.INFO)
    actions = {action.text(): action for action in menu.actions()}
    actions["Mark or unmark"].trigger()
    actions["Ignore or stop ignoring"].trigger()
    actions["Set or take off time reference"].trigger()
    assert [members(window, kind) for kind in Mark] == [[12], [12], [12]]
