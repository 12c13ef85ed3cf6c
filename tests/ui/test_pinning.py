"""Decode as, in the window: another reading of a flow, with the selection where it was, remembered with the capture."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_files import BUNDLED
from live_content import live_content
from PySide6.QtWidgets import QDialogButtonBox, QLabel, QMenu
from pytestqt.qtbot import QtBot

from analyzer.engine.capture import Capture
from analyzer.engine.pins import NO_PINS, NOT_DECODED, Choice, Pin, Pins, Place
from analyzer.stats.flows import session_flow
from analyzer.stats.live import live_sessions, live_snapshots, session_counts
from tests.ui.conftest import Opener
from tests.ui.growing import GAME, Growing
from ui.app import _read_arguments
from ui.dialogs.decode_as import DecodeAsDialog
from ui.document import Document
from ui.main_window import MainWindow
from ui.models.packet_cells import Column
from ui.settings import MAX_PINNED, Settings

WRONG = Choice("teeworlds", "0.6.5")
RIGHT = Choice("teeworlds", "ddnet")


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A capture of three clients, with a name of its own."""
    path = tmp_path / "game.pcap"
    shutil.copy(BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap", path)
    return path


def ask(window: MainWindow, qtbot: QtBot) -> DecodeAsDialog:
    window.actions_by_name["decode_as"].trigger()
    found = [dialog for dialog in window.findChildren(DecodeAsDialog) if dialog.isVisible()]
    assert len(found) == 1
    return found[0]


def choose(dialog: DecodeAsDialog, flows: int, choice: Choice | None) -> None:
    dialog.flows.setCurrentIndex(flows)
    choices = [dialog.choice.itemData(index) for index in range(dialog.choice.count())]
    dialog.choice.setCurrentIndex(choices.index(choice))
    dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).click()


@pytest.fixture
def pin(window: MainWindow, qtbot: QtBot) -> Callable[..., None]:
    """`pin(choice, flows=0)`: choose in the dialog, and wait until all is read anew."""

    def choose_and_wait(choice: Choice | None, flows: int = 0) -> None:
        document = window.document
        assert document is not None
        with qtbot.waitSignal(document.reread):
            choose(ask(window, qtbot), flows, choice)
        assert not document.worker.is_rereading

    return choose_and_wait


def a_snapshot(document: Document) -> tuple[int, int]:
    """Packet and row of one in the middle."""
    rows = live_snapshots(document.tables)
    row = int(rows[len(rows) // 2])
    return document.tables.snapshots.integer("packet", row), row


def test_wrong_and_back_keeps_rows_and_selection(
    window: MainWindow, opened: Opener, game: Path, pin: Callable[..., None], qtbot: QtBot
) -> None:
    document = opened(game)
    tables, selection = document.tables, document.selection
    before, count = live_content(tables), len(tables.packets)
    packet, row = a_snapshot(document)
    selection.select(packet, row)
    tick, session = tables.snapshots.integer("tick", row), tables.snapshots.integer("session", row)
    selection.limit_to(session)
    listed = window.packets.model.rowCount()
    qtbot.waitUntil(lambda: window.snapshot_tab.tree is not None)

    pin(WRONG)
    assert selection.place.packet == packet
    assert selection.place.snapshot != row
    assert len(tables.packets) == count
    flow = tables.packets.integer("flow", packet)
    assert tables.readings.text("dialect", tables.flows.integer("reading", flow)) == "0.6.5"

    pin(None)
    assert live_content(tables) == before
    assert selection.place.packet == packet
    assert not session_counts(tables, session)
    assert tables.snapshots.integer("tick", selection.place.snapshot) == tick
    selection.limit_to(-1)
    assert window.packets.model.rowCount() == count >= listed


def test_the_same_tick_in_the_new_reading_is_selected(
    window: MainWindow, opened: Opener, game: Path, qtbot: QtBot
) -> None:
    """Everything is read anew with the same layouts: item, limit and history stay."""
    document = opened(game)
    tables, selection = document.tables, document.selection
    packet, row = a_snapshot(document)
    session = tables.snapshots.integer("session", row)
    selection.limit_to(session)
    other = int(live_snapshots(tables)[3])
    selection.select(tables.snapshots.integer("packet", other), other)
    selection.select(packet, row)
    qtbot.waitUntil(lambda: window.snapshot_tab.tree is not None)
    item = (window.snapshot_tab.tree.types[0].type, window.snapshot_tab.tree.types[0].items[0].id)
    selection.select_item(item)
    listed = window.packets.model.rowCount()
    with qtbot.waitSignal(document.reread):
        document.reinterpret()
    new = selection.place.snapshot
    assert new != row
    assert session_counts(tables, tables.snapshots.integer("session", new))
    for column in ("tick", "packet", "items", "crc_wire", "status"):
        assert tables.snapshots.get(column, new) == tables.snapshots.get(column, row)
    assert selection.place.packet == packet
    assert selection.place.item == item
    assert selection.session == tables.snapshots.integer("session", new)
    assert window.packets.model.rowCount() == listed
    selection.back()
    assert tables.snapshots.integer("tick", selection.place.snapshot) == tables.snapshots.integer("tick", other)
    assert session_counts(tables, tables.snapshots.integer("session", selection.place.snapshot))


def test_views_drop_the_old_rows_and_take_the_new(
    window: MainWindow, opened: Opener, game: Path, pin: Callable[..., None], qtbot: QtBot
) -> None:
    document = opened(game)
    tables = document.tables
    clients = len(live_sessions(tables))
    qtbot.waitUntil(lambda: window.clients.clients.rowCount() == clients)
    packet, row = a_snapshot(document)
    document.selection.select(packet, row)
    scope = window.charts.scope
    assert scope is not None
    qtbot.waitUntil(lambda: not window.charts.is_stale)
    drawn = len(scope.data.track(-1))
    flow = tables.packets.integer("flow", packet)
    sessions = [session for session in live_sessions(tables).tolist() if session_flow(tables, session) == flow]

    pin(NOT_DECODED)
    qtbot.waitUntil(lambda: window.clients.clients.rowCount() == clients - len(sessions))
    qtbot.waitUntil(lambda: not window.charts.is_stale)
    assert 0 < len(scope.data.track(-1)) < drawn
    assert document.selection.place.snapshot == -1
    assert not document.worker.is_rereading
    assert document.selection.place.packet == packet
    assert window.packets.model.index(packet, Column.PROTOCOL).data() != "DDNet"
    assert session_counts(tables, scope.own)
    qtbot.waitUntil(lambda: window.snapshot_tab.tree is None or not window.snapshot_tab.view.isVisible())
    sentence = "You chose not to decode this flow: only its bytes are known"
    qtbot.waitUntil(lambda: sentence in [label.text() for label in window.packet_tab.findChildren(QLabel)])
    assert window.packet_tab.bytes.foot_text().strip().startswith("No fields: you chose not to decode this flow.")
    assert f"{sentence}. They stand in the Packet tab." in [
        label.text() for label in window.snapshot_tab.findChildren(QLabel)
    ]

    pin(None)
    qtbot.waitUntil(lambda: window.clients.clients.rowCount() == clients)
    qtbot.waitUntil(lambda: not window.charts.is_stale and len(scope.data.track(-1)) == drawn)
    assert window.packets.model.index(packet, Column.PROTOCOL).data() == "DDNet"
    assert window.status._pinned.text() == ""


def test_the_dialog_says_what_is_and_the_bar_what_was_chosen(
    window: MainWindow, opened: Opener, game: Path, pin: Callable[..., None], qtbot: QtBot
) -> None:
    document = opened(game)
    assert window.actions_by_name["decode_as"].isEnabled() == (document.selection.place.packet >= 0)
    document.selection.select(*a_snapshot(document))
    qtbot.waitUntil(lambda: window.actions_by_name["decode_as"].isEnabled())
    dialog = ask(window, qtbot)
    assert dialog.now.text() == "DDNet with token, as recognised"
    texts = [dialog.flows.itemText(index) for index in range(3)]
    assert texts[0].endswith("with 127.0.0.1:8303")
    assert texts[1:] == ["All of the server 127.0.0.1:8303", "All of any server on port 8303"]
    assert [dialog.choice.itemText(0), dialog.choice.itemText(dialog.choice.count() - 1)] == [
        "Automatic",
        "Not decoded",
    ]
    dialog.reject()
    pin(WRONG, 2)
    assert [str(one) for one in document.pins] == ["8303=0.6.5"]
    assert window.status._pinned.text() == "Decode as 8303=0.6.5"
    dialog = ask(window, qtbot)
    assert dialog.now.text() == "Teeworlds 0.6.5 with token, as you chose"
    assert (dialog.flows.currentIndex(), dialog.choice.currentData()) == (2, WRONG)
    dialog.reject()
    pin(None, 0)
    assert len(document.pins) == 2, "the flow is an exception"
    pin(None, 2)
    assert len(document.pins) == 1
    pin(None, 0)
    assert document.pins == NO_PINS


def test_remembered_with_the_capture(
    window: MainWindow, opened: Opener, game: Path, pin: Callable[..., None], settings: Settings, qtbot: QtBot
) -> None:
    document = opened(game)
    document.selection.select(*a_snapshot(document))
    pin(WRONG, 2)
    wrong = live_content(document.tables)
    window.actions_by_name["reload"].trigger()
    again = window.document
    assert again is not None
    assert again is not document
    qtbot.waitUntil(lambda: again.is_decoded)
    assert live_content(again.tables) == wrong
    window.opening.close()
    assert live_content(opened(game).tables) == wrong
    window.document.selection.select(0, -1)
    pin(None, 2)
    assert settings.pins(game) == []
    window.opening.close()
    assert opened(game).pins == NO_PINS


def test_while_the_file_grows(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    growing = Growing(tmp_path / "growing.pcapng")
    assert window.opening.follow(growing.path, temporary=False)
    document = window.document
    assert document is not None
    tables = document.tables
    for share, choice in ((0.3, WRONG), (0.5, None), (0.7, NOT_DECODED), (0.9, RIGHT)):
        before = len(tables.packets)
        growing.write(share)
        qtbot.waitUntil(lambda before=before: len(tables.packets) > before)
        with qtbot.waitSignal(document.reread):
            window.opening.pin(Pins((Pin(Place("8303"), choice),)) if choice else NO_PINS)
    growing.write(1.0)
    window.opening.finish()
    qtbot.waitUntil(lambda: document.is_decoded)
    with Capture.open(GAME, pins=document.pins) as whole:
        whole.decode()
        assert live_content(tables) == live_content(whole.tables)


def test_the_menus_have_it(window: MainWindow, opened: Opener, game: Path, qtbot: QtBot) -> None:
    document = opened(game)
    document.selection.select(*a_snapshot(document))
    menu = QMenu()
    window.packets.fill_menu(menu, Column.INFO)
    next(action for action in menu.actions() if action.text() == "Decode as...").trigger()
    dialog = next(dialog for dialog in window.findChildren(DecodeAsDialog) if dialog.isVisible())
    of_packet = dialog.flows.itemText(0)
    dialog.reject()
    qtbot.waitUntil(lambda: window.clients.clients.rowCount() > 0)
    row = window.clients.clients.row_of(document.tables.snapshots.integer("session", document.selection.place.snapshot))
    menu = QMenu()
    window.clients.table.fill_menu(menu, row)
    next(action for action in menu.actions() if action.text() == "Decode as...").trigger()
    dialog = next(dialog for dialog in window.findChildren(DecodeAsDialog) if dialog.isVisible())
    assert dialog.flows.itemText(0) == of_packet
    dialog.reject()


def test_settings_remember_a_bounded_number_of_captures(settings: Settings, tmp_path: Path) -> None:
    for number in range(MAX_PINNED + 3):
        settings.set_pins(tmp_path / f"{number}.pcap", ["8303=ddnet"])
    assert settings.pins(tmp_path / "2.pcap") == []
    assert settings.pins(tmp_path / "3.pcap") == ["8303=ddnet"]
    settings.set_pins(tmp_path / "3.pcap", [])
    assert settings.pins(tmp_path / "3.pcap") == []


def test_on_the_command_line(
    window: MainWindow, opened: Opener, game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = _read_arguments([str(game), "--decode-as", "8303=0.6.5", "--decode-as", "8304=none"])
    window.opening.given = options.pins
    assert [str(pin) for pin in opened(game).pins] == ["8303=0.6.5", "8304=none"]
    window.opening.close()
    assert opened(game).pins == NO_PINS
    with pytest.raises(SystemExit):
        _read_arguments([str(game), "--decode-as", "8303=quake"])
    assert "'quake' is no dialect that can be decoded; there are 0.6, ddnet" in capsys.readouterr().err
