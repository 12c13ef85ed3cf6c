"""The clients of real captures in the pane: rows, order, limit, baseline store, keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from capture_files import BUNDLED
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QMenu
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from analyzer.snapshots.status import Status
from analyzer.stats.clients import client_stats
from ui.document import Document
from ui.models.clients import BAR_ROLE, ClientModel
from ui.theme import DARK, LIGHT
from ui.views.cells import CELL_ROLE, Cell
from ui.views.clients import ClientsPane

BAD = BUNDLED / "ddnet_tsunami_badcrc_head.pcap"
BOTS = BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz"
RECONNECTS = BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap"
OpenDocument = Callable[..., Document]


@pytest.fixture
def pane(qtbot: QtBot, document: OpenDocument) -> Iterator[ClientsPane]:
    """A pane that is shown; before documents are closed it shows none."""
    made = ClientsPane(LIGHT)
    qtbot.addWidget(made)
    made.resize(440, 640)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.show_document(None)
    made.hide()


def listed(qtbot: QtBot, pane: ClientsPane, document: Document) -> None:
    """Wait until the pane shows the numbers of everything decoded."""
    whole = client_stats(document.tables).stats
    qtbot.waitUntil(
        lambda: pane.source.clients.stats == whole and pane.clients.rowCount() == len(whole), timeout=30_000
    )


def names(model: ClientModel) -> list[str]:
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def column(model: ClientModel, name: str) -> int:
    return next(at for at, entry in enumerate(model.columns) if entry.name == name)


def texts(model: ClientModel, name: str) -> list[str]:
    return [str(model.index(row, column(model, name)).data()) for row in range(model.rowCount())]


def select_tick(document: Document, player: str, tick: int) -> int:
    """Select a snapshot; returns its row."""
    tables = document.tables
    for row in range(len(tables.snapshots)):
        session = tables.snapshots.integer("session", row)
        if tables.snapshots.integer("tick", row) == tick and tables.sessions.text("player", session) == player:
            document.selection.select(tables.snapshots.integer("packet", row), row)
            return row
    raise LookupError(tick)


def test_rows_arrive_while_decoding(
    qtbot: QtBot, document: OpenDocument, pane: ClientsPane, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(pane.clients, force_py=True)
    watch = QAbstractItemModelTester(pane.clients, QAbstractItemModelTester.FailureReportingMode.Warning)
    store = QAbstractItemModelTester(pane.store.model, QAbstractItemModelTester.FailureReportingMode.Warning)
    opened = document(BOTS, wait=False)
    pane.show_document(opened)
    qtbot.waitUntil(lambda: opened.is_decoded, timeout=120_000)
    listed(qtbot, pane, opened)
    assert pane.clients.rowCount() == 24
    assert pane.store.model.rowCount() > 0
    assert watch.model() is pane.clients
    assert store.model() is pane.store.model


def test_worst_first_with_signs(qtbot: QtBot, document: OpenDocument, pane: ClientsPane) -> None:
    opened = document(BAD)
    pane.show_document(opened)
    listed(qtbot, pane, opened)
    assert names(pane.clients) == ["bot0", "bot2", "bot3", "bot1", "bot4", "bot5"]
    cells = [pane.clients.index(row, 0).data(CELL_ROLE) for row in range(3)]
    assert [cell.sign for cell in cells if isinstance(cell, Cell)] == ["error", "error", "ok"]
    assert texts(pane.clients, "failed") == ["69", "29", "0", "0", "0", "0"]
    failed = pane.clients.index(0, column(pane.clients, "failed")).data(CELL_ROLE)
    assert failed == Cell("69", "error", right=True)
    assert pane.clients.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "bot0, Error"
    tip = str(pane.clients.index(0, 0).data(Qt.ItemDataRole.ToolTipRole))
    assert "67 snapshots could not be rebuilt" in tip
    assert "67 by capture" in tip


def test_texts_are_the_numbers(qtbot: QtBot, document: OpenDocument, pane: ClientsPane) -> None:
    opened = document(BAD)
    pane.show_document(opened)
    listed(qtbot, pane, opened)
    model = pane.clients
    for row in range(model.rowCount()):
        stats = model.row_at(row).stats
        assert stats.ack_p50 is not None
        assert stats.rate is not None
        assert texts(model, "ack")[row] == str(round(stats.ack_p50))
        assert texts(model, "rate")[row] == f"{stats.rate / 1000:.1f}"
        assert texts(model, "rebuilt")[row] == str(stats.rebuilt)
        assert texts(model, "address")[row] == stats.ends.client
        assert texts(model, "size-p95")[row] == str(stats.size_p95)
    bars = [model.index(row, column(model, "rate")).data(BAR_ROLE) for row in range(model.rowCount())]
    assert max(bars) == 1.0


def test_sorting_by_heads_and_back(qtbot: QtBot, document: OpenDocument, pane: ClientsPane) -> None:
    opened = document(BAD)
    pane.show_document(opened)
    listed(qtbot, pane, opened)
    head = pane.table.horizontalHeader()
    worst = names(pane.clients)
    chosen = pane.session
    at = column(pane.clients, "rate")
    pane.table.scrollTo(pane.clients.index(0, at))
    place = head.sectionViewportPosition(at) + 10
    orders = []
    for _ in range(3):
        qtbot.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place, 10))
        orders.append(names(pane.clients))
    assert orders == [["bot3", "bot1", "bot4", "bot5", "bot2", "bot0"], orders[0][::-1], worst]
    assert pane.session == chosen == pane.clients.session_at(pane.table.currentIndex().row())


def test_store_of_a_known_snapshot(qtbot: QtBot, document: OpenDocument, pane: ClientsPane) -> None:
    opened = document(BOTS)
    pane.show_document(opened)
    listed(qtbot, pane, opened)
    select_tick(opened, "bot0", 234)
    qtbot.waitUntil(lambda: pane.store.title == "Baselines of bot0 at tick 234")
    shown = [[str(pane.store.model.index(row, at).data()) for at in range(6)] for row in range(3)]
    assert shown == [
        ["234", "0", "163", "–", "–", "this snapshot"],
        ["232", "37", "140", "–", "–", "waits for its acknowledgement"],
        ["230", "80", "155", "2213", "1", "this baseline"],
    ]
    base = pane.store.model.index(2, 0).data(CELL_ROLE)
    assert isinstance(base, Cell)
    assert base.tint == "changed_bg"
    qtbot.waitUntil(lambda: pane.store.pace == "server rate, inferred: FULL, 25/s")


def test_a_click_in_the_store_selects(qtbot: QtBot, document: OpenDocument, pane: ClientsPane) -> None:
    opened = document(BOTS)
    pane.show_document(opened)
    listed(qtbot, pane, opened)
    row = select_tick(opened, "bot0", 234)
    qtbot.waitUntil(lambda: pane.store.title == "Baselines of bot0 at tick 234")
    base = opened.tables.snapshots.integer("base", row)
    place = pane.store.table.visualRect(pane.store.model.index(2, 0)).center()
    with qtbot.waitSignal(opened.selection.snapshot_changed):
        qtbot.mouseClick(pane.store.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert opened.selection.place.snapshot == base
    assert opened.selection.place.packet == opened.tables.snapshots.integer("packet", base)
    qtbot.waitUntil(lambda: pane.store.title == "Baselines of bot0 at tick 230")


def test_choosing_selects_nothing_and_enter_goes_to_the_failure(
    qtbot: QtBot, document: OpenDocument, pane: ClientsPane
) -> None:
    opened = document(BAD)
    pane.show_document(opened)
    listed(qtbot, pane, opened)
    before = opened.selection.place
    pane.table.setFocus()
    qtbot.keyClick(pane.table, Qt.Key.Key_Down)
    assert names(pane.clients)[pane.clients.row_of(pane.session)] == "bot2"
    assert opened.selection.place == before
    qtbot.keyClick(pane.table, Qt.Key.Key_Return)
    snapshots = opened.tables.snapshots
    found = opened.selection.place.snapshot
    assert snapshots.integer("status", found) == Status.CRC
    assert snapshots.integer("session", found) == pane.session
    qtbot.keyClick(pane.table, Qt.Key.Key_Down)
    qtbot.keyClick(pane.table, Qt.Key.Key_Return)
    last = opened.selection.place.snapshot
    assert last == pane.source.clients.histories[pane.session].rows[-1]


def test_only_this_session(qtbot: QtBot, document: OpenDocument, pane: ClientsPane) -> None:
    opened = document(BAD)
    pane.show_document(opened)
    listed(qtbot, pane, opened)
    chosen = pane.session
    with qtbot.waitSignal(opened.selection.session_changed) as limited:
        qtbot.mouseClick(pane.only, Qt.MouseButton.LeftButton)
    assert limited.args == [chosen]
    assert pane.only.isChecked()
    assert pane.title == "Only bot0 of 6 clients"
    tones = [pane.clients.index(row, 0).data(CELL_ROLE).tone for row in range(2)]  # type: ignore[attr-defined]
    assert tones == ["text", "text3"]
    pane.choose(pane.clients.session_at(1))
    assert not pane.only.isChecked()
    menu = pane.table.row_menu(1)
    assert [action.text() for action in menu.actions() if not action.isSeparator()] == [
        *("Go to its first failed snapshot", "Only this session"),
        *("Copy value", "Copy row", "Copy table as CSV"),
    ]
    menu.actions()[1].trigger()
    assert opened.selection.session == pane.session == pane.clients.session_at(1)
    menu.deleteLater()
    qtbot.mouseClick(pane.only, Qt.MouseButton.LeftButton)
    assert opened.selection.session == -1


def test_the_selected_snapshots_client_is_chosen(qtbot: QtBot, document: OpenDocument, pane: ClientsPane) -> None:
    opened = document(BAD)
    row = select_tick(opened, "bot4", 300)
    pane.show_document(opened)
    listed(qtbot, pane, opened)
    assert pane.session == opened.tables.snapshots.integer("session", row)
    qtbot.waitUntil(lambda: pane.store.title == "Baselines of bot4 at tick 300")
    select_tick(opened, "bot5", 300)
    qtbot.waitUntil(lambda: pane.store.title == "Baselines of bot5 at tick 300")


def test_sessions_of_a_client_that_came_back_are_told_apart(
    qtbot: QtBot, document: OpenDocument, pane: ClientsPane
) -> None:
    opened = document(RECONNECTS)
    pane.show_document(opened)
    listed(qtbot, pane, opened)
    shown = names(pane.clients)
    assert len(set(shown)) == len(shown) == 14
    assert {"bot0 (1)", "bot0 (5)", "bot3 (2)"} <= set(shown)
    assert pane.title == "4 clients, 14 sessions"
    silent = pane.clients.index(shown.index("bot3 (2)"), 0)
    assert silent.data(Qt.ItemDataRole.AccessibleTextRole) == "bot3 (2), Note"
    assert "No snapshot was captured" in str(silent.data(Qt.ItemDataRole.ToolTipRole))


def test_columns_can_be_hidden(qtbot: QtBot, document: OpenDocument, pane: ClientsPane) -> None:
    opened = document(BAD)
    pane.show_document(opened)
    listed(qtbot, pane, opened)
    menu: QMenu = pane.table.columns_menu()
    assert len(menu.actions()) == len(pane.clients.columns) - 1
    menu.actions()[0].trigger()
    assert pane.table.isColumnHidden(1)
    assert pane.table.columnWidth(0) >= 88
    menu.deleteLater()


def test_documents_come_and_go(qtbot: QtBot, document: OpenDocument, pane: ClientsPane) -> None:
    first, second = document(BAD), document(RECONNECTS)
    for opened, rows in ((first, 6), (second, 14), (first, 6)):
        pane.show_document(opened)
        listed(qtbot, pane, opened)
        assert pane.clients.rowCount() == rows
    pane.show_document(None)
    assert pane.clients.rowCount() == pane.store.model.rowCount() == 0
    first.selection.limit_to(0)
    select_tick(first, "bot0", 234)
    assert pane.session == -1


def test_nothing_is_computed_while_hidden(qtbot: QtBot, document: OpenDocument, pane: ClientsPane) -> None:
    pane.hide()
    opened = document(BAD)
    pane.show_document(opened)
    assert pane.source.clients.stats == ()
    pane.show()
    listed(qtbot, pane, opened)


def test_theme_zoom_and_narrow(qtbot: QtBot, document: OpenDocument, pane: ClientsPane) -> None:
    opened = document(BAD)
    pane.show_document(opened)
    listed(qtbot, pane, opened)
    pane.set_theme(DARK)
    pane.set_zoom(1.5)
    assert pane.table.verticalHeader().defaultSectionSize() == 33
    pane.set_zoom(1.0)
    pane.resize(340, 640)
    shown = sum(pane.table.columnWidth(column(pane.clients, name)) for name in ("client", "lost", "losers", "failed"))
    assert shown <= pane.table.viewport().width()
    pane.table.selectionModel().select(pane.clients.index(1, 0), QItemSelectionModel.SelectionFlag.Rows)
    assert not pane.grab().isNull()
