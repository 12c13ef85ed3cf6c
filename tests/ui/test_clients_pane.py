"""The clients of real captures in the pane: rows, order, limit, baseline store, keyboard."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from capture_files import BUNDLED
from PySide6.QtCore import QEvent, QItemSelectionModel, QPoint, QRect, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from analyzer.snapshots.status import Status
from analyzer.stats.clients import client_stats
from ui.document import Document
from ui.models.clients import BAR_ROLE, ClientModel
from ui.models.related import last_packet
from ui.settings import Preferences
from ui.theme import CELL_PADDING, DARK, LIGHT
from ui.views.cells import CELL_ROLE, SIGN_WIDTH, Cell
from ui.views.client_table import LEAST_NAME, ClientTable
from ui.views.clients import ClientsPane

BAD = BUNDLED / "ddnet_tsunami_badcrc_head.pcap"
BOTS = BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz"
CUT = BUNDLED / "ddnet_dm6_snaplen220.pcap"
RECONNECTS = BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap"
OpenDocument = Callable[..., Document]
Show = Callable[[Path], Document]


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


@pytest.fixture
def shown(qtbot: QtBot, document: OpenDocument, pane: ClientsPane) -> Show:
    """Opens a capture and shows it in the pane, with the numbers of all of it."""

    def show(path: Path) -> Document:
        opened = document(path)
        pane.show_document(opened)
        listed(qtbot, pane, opened)
        return opened

    return show


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
    qtbot.waitUntil(lambda: pane.store.model.rowCount() > 0)
    assert watch.model() is pane.clients
    assert store.model() is pane.store.model


def test_worst_first_with_signs(pane: ClientsPane, shown: Show) -> None:
    shown(BAD)
    assert names(pane.clients) == ["bot0", "bot2", "bot3", "bot1", "bot4", "bot5"]
    cells = [pane.clients.index(row, 0).data(CELL_ROLE) for row in range(3)]
    assert [cell.sign for cell in cells if isinstance(cell, Cell)] == ["error", "error", "ok"]
    assert texts(pane.clients, "failed") == ["69", "29", "0", "0", "0", "0"]
    failed = pane.clients.index(0, column(pane.clients, "failed")).data(CELL_ROLE)
    assert failed == Cell("69", "error", right=True)
    assert pane.clients.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "bot0, Error"
    tip = str(pane.clients.index(0, 0).data(Qt.ItemDataRole.ToolTipRole))
    assert "67 snapshots could not be rebuilt" in tip
    assert "67 by the capture" in tip


def test_texts_are_the_numbers(pane: ClientsPane, shown: Show) -> None:
    shown(BAD)
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


def test_sorting_by_heads_and_back(qtbot: QtBot, pane: ClientsPane, shown: Show) -> None:
    shown(BAD)
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


def test_store_of_a_known_snapshot(qtbot: QtBot, pane: ClientsPane, shown: Show) -> None:
    opened = shown(BOTS)
    select_tick(opened, "bot0", 234)
    qtbot.waitUntil(lambda: pane.store.title == "Baselines of bot0 at tick 234")
    shown = [[str(pane.store.model.index(row, at).data()) for at in range(6)] for row in range(3)]
    assert shown == [
        ["234", "0", "163", "–", "–", "this snapshot"],
        ["232", "37", "140", "–", "–", "waits for its ack"],
        ["230", "80", "155", "2213", "1", "this baseline"],
    ]
    base = pane.store.model.index(2, 0).data(CELL_ROLE)
    assert isinstance(base, Cell)
    assert base.tint == "changed_bg"
    qtbot.waitUntil(lambda: pane.store.pace == "server rate, inferred: FULL, 25/s")


def test_a_click_in_the_store_selects(qtbot: QtBot, pane: ClientsPane, shown: Show) -> None:
    opened = shown(BOTS)
    row = select_tick(opened, "bot0", 234)
    qtbot.waitUntil(lambda: pane.store.title == "Baselines of bot0 at tick 234")
    base = opened.tables.snapshots.integer("base", row)
    place = pane.store.table.visualRect(pane.store.model.index(2, 0)).center()
    with qtbot.waitSignal(opened.selection.snapshot_changed):
        qtbot.mouseClick(pane.store.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert opened.selection.place.snapshot == base
    assert opened.selection.place.packet == opened.tables.snapshots.integer("packet", base)
    qtbot.waitUntil(lambda: pane.store.title == "Baselines of bot0 at tick 230")


def test_choosing_selects_nothing_and_enter_goes_to_the_failure(qtbot: QtBot, pane: ClientsPane, shown: Show) -> None:
    opened = shown(BAD)
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


def test_only_this_session(qtbot: QtBot, pane: ClientsPane, shown: Show) -> None:
    opened = shown(BAD)
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
        *("Go to its first failed snapshot", "Only this session", "Decode as..."),
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


def test_sessions_of_a_client_that_came_back_are_told_apart(pane: ClientsPane, shown: Show) -> None:
    shown(RECONNECTS)
    shown = names(pane.clients)
    assert len(set(shown)) == len(shown) == 14
    assert {"bot0 (1)", "bot0 (5)", "bot3 (2)"} <= set(shown)
    assert pane.title == "4 clients, 14 sessions"
    silent = pane.clients.index(shown.index("bot3 (2)"), 0)
    assert silent.data(Qt.ItemDataRole.AccessibleTextRole) == "bot3 (2), Note"
    assert "No snapshot was captured" in str(silent.data(Qt.ItemDataRole.ToolTipRole))


def test_columns_can_be_hidden(pane: ClientsPane, shown: Show) -> None:
    shown(BAD)
    menu: QMenu = pane.table.columns_menu()
    assert len(menu.actions()) == len(pane.clients.columns) - 1
    menu.actions()[0].trigger()
    assert pane.table.isColumnHidden(1)
    assert pane.table.columnWidth(0) >= LEAST_NAME
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


def test_theme_zoom_and_narrow(pane: ClientsPane, shown: Show) -> None:
    shown(BAD)
    pane.set_theme(DARK)
    pane.set_zoom(1.5)
    assert pane.table.verticalHeader().defaultSectionSize() == 33
    pane.set_zoom(1.0)
    pane.resize(340, 640)
    shown = sum(pane.table.columnWidth(column(pane.clients, name)) for name in ("client", "lost", "losers", "failed"))
    assert shown <= pane.table.viewport().width()
    pane.table.selectionModel().select(pane.clients.index(1, 0), QItemSelectionModel.SelectionFlag.Rows)
    assert not pane.grab().isNull()


def test_an_incomplete_snapshots_own_store_is_shown(qtbot: QtBot, pane: ClientsPane, shown: Show) -> None:
    opened = shown(CUT)
    tables = opened.tables
    row = tables.snapshots.integers("status").tolist().index(Status.INCOMPLETE)
    opened.selection.select(last_packet(tables, row), row)
    tick = tables.snapshots.integer("tick", row)
    remark = pane.store.model.column_of("remark")
    qtbot.waitUntil(lambda: pane.store.model.index(0, remark).data() == "this snapshot, not rebuilt")
    assert pane.store.title.endswith(f"at tick {tick}")
    assert pane.store.model.index(0, 0).data() == str(tick)
    assert pane.store.model.row_at(0).snapshot == row


def test_nothing_selected_is_not_said_to_be_this_snapshot(qtbot: QtBot, pane: ClientsPane, shown: Show) -> None:
    opened = shown(BOTS)
    row = select_tick(opened, "bot0", 234)
    base = opened.tables.snapshots.integer("base", row)
    remarks = pane.store.model.column_of("remark")
    qtbot.waitUntil(lambda: pane.store.title == "Baselines of bot0 at tick 234")
    opened.selection.select(opened.tables.snapshots.integer("packet", base) + 1, -1)
    qtbot.waitUntil(lambda: pane.store.title == "Baselines of bot0 at tick 230")
    assert pane.store.model.index(0, remarks).data() == "the newest then"
    assert "its baseline" in [pane.store.model.index(row, remarks).data() for row in range(9)]
    opened.selection.select(0, -1)
    qtbot.waitUntil(lambda: pane.store.title == "No snapshot for bot0 yet at the selected packet")
    assert pane.store.model.rowCount() == 0
    assert pane.store.pace == ""


def test_the_usual_dock_shows_what_is_wrong_without_scrolling(qtbot: QtBot, pane: ClientsPane, shown: Show) -> None:
    shown(BAD)
    table, model = pane.table, pane.clients
    wanted = [column(model, name) for name in ("client", "lost", "losers", "failed", "ack", "state")]
    for zoom, width in ((1.0, 440), (0.8, 440), (1.5, 660)):
        pane.set_zoom(zoom)
        pane.resize(width, 640)
        right = max(table.columnViewportPosition(at) + table.columnWidth(at) for at in wanted)
        assert right <= table.viewport().width()
        metrics = table.horizontalHeader().fontMetrics()
        for at, entry in enumerate(model.columns):
            assert metrics.horizontalAdvance(entry.head) + 2 * CELL_PADDING <= table.columnWidth(at)
    qtbot.waitUntil(lambda: pane.store.pace != "")
    texts_of_worst = [str(model.index(0, at).data()) for at in wanted]
    assert texts_of_worst == ["bot0", "52.3", "capture", "69", "21", "FULL"]


def test_long_names_are_whole_where_there_is_room(pane: ClientsPane, shown: Show) -> None:
    shown(BAD)
    stats = pane.source.clients.stats
    name = "Wonderful player"
    pane.clients.show((replace(stats[0], player=name), *stats[1:]))
    pane.table.rows_changed()
    needed = pane.table.fontMetrics().horizontalAdvance(name) + round(SIGN_WIDTH) + 2 * CELL_PADDING
    pane.resize(600, 640)
    assert pane.table.columnWidth(0) >= needed
    pane.resize(440, 640)
    assert pane.table.columnWidth(0) >= LEAST_NAME


def test_the_name_stays_while_the_rest_is_scrolled(qtbot: QtBot, pane: ClientsPane, shown: Show) -> None:
    shown(BAD)
    table, head = pane.table, pane.table.horizontalHeader()
    names_seen = QRect(0, 0, table.columnWidth(0) - 2, 6 * table.rowHeight(0))
    scrolled = []
    for value in (0, 240, 90, 91):
        table.horizontalScrollBar().setValue(value)
        scrolled.append(table.viewport().grab(names_seen).toImage())
    assert scrolled == [scrolled[0]] * 4
    worst = names(pane.clients)
    orders = []
    for _ in range(3):
        qtbot.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
        orders.append(names(pane.clients))
    assert orders == [sorted(worst), sorted(worst, reverse=True), worst]
    place = head.sectionViewportPosition(column(pane.clients, "full")) + 10
    qtbot.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place, 10))
    assert head.sortIndicatorSection() == column(pane.clients, "full")


def test_the_name_is_tinted_with_its_row_wherever_the_pointer_is_in_it(
    qtbot: QtBot, pane: ClientsPane, shown: Show
) -> None:
    shown(BAD)
    table = pane.table
    tint, ground = LIGHT.color("hover").rgb(), LIGHT.color("panel").rgb()
    row = (table.currentIndex().row() + 2) % table.model().rowCount()
    middle = table.rowViewportPosition(row) + table.rowHeight(row) // 2
    for scrolled, x in ((0, 20), (240, 20), (240, table.columnWidth(0) + 30), (90, 20)):
        table.horizontalScrollBar().setValue(scrolled)
        QTest.mouseMove(table.viewport(), QPoint(x, middle))
        QTest.mouseMove(table.viewport(), QPoint(x + 1, middle))
        qtbot.waitUntil(lambda: edge_of(table, middle) == tint)
        QApplication.sendEvent(table.viewport(), QEvent(QEvent.Type.Leave))
        qtbot.waitUntil(lambda: edge_of(table, middle) == ground)


def edge_of(table: ClientTable, y: int) -> int:
    """Colour of the ground at the left edge."""
    return table.viewport().grab(QRect(0, y, 4, 1)).toImage().pixel(2, 0)


def test_a_narrow_dock_shows_what_matters_most_without_scrolling(
    qtbot: QtBot, document: OpenDocument, pane: ClientsPane
) -> None:
    opened = document(BOTS)
    pane.resize(340, 700)
    pane.show_document(opened)
    listed(qtbot, pane, opened)
    pane.resize(340, 400)
    table = pane.table
    qtbot.waitUntil(lambda: table.verticalScrollBar().maximum() > 0)
    assert table.columnWidth(0) >= LEAST_NAME
    for name in ("lost", "losers", "failed", "ack"):
        number = column(pane.clients, name)
        assert table.columnViewportPosition(number) + table.columnWidth(number) <= table.viewport().width(), name


def test_hidden_columns_can_be_told_and_given_back(pane: ClientsPane) -> None:
    assert pane.hidden_columns == ()
    pane.hidden_columns = ("parts", "client", "no such column", "ack")
    assert pane.hidden_columns == ("ack", "parts")
    assert not pane.table.isColumnHidden(0)
    menu = pane.table.columns_menu()
    states = {action.text(): action.isChecked() for action in menu.actions()}
    assert [text for text, shown in states.items() if not shown] == ["Ack [ms]", "Parts"]
    menu.deleteLater()
    pane.hidden_columns = ()
    assert pane.hidden_columns == ()


def test_every_column_sorts_and_equal_rows_stay_worst_first(pane: ClientsPane, shown: Show) -> None:
    shown(BOTS)
    model = pane.clients
    places = {name: place for place, name in enumerate(names(model))}
    for at, entry in enumerate(model.columns):
        for order, step in ((Qt.SortOrder.AscendingOrder, 1), (Qt.SortOrder.DescendingOrder, -1)):
            model.sort(at, order)
            rows = [(entry.value(model.row_at(row)), places[names(model)[row]]) for row in range(model.rowCount())]
            known = [pair for pair in rows if pair[0] is not None]
            assert rows[: len(known)] == known
            for (left, first), (right, second) in pairwise(known):
                if left == right:
                    assert first < second
                elif isinstance(left, str):
                    assert (left.casefold() < str(right).casefold()) == (step > 0)
                else:
                    assert (left < right) == (step > 0)  # type: ignore[operator]
    model.sort(-1)
    assert names(model) == list(places)


def test_dialects_are_said_as_in_the_list(pane: ClientsPane, shown: Show) -> None:
    shown(BAD)
    assert set(texts(pane.clients, "dialect")) == {"DDNet"}
    assert "DDNet" in str(pane.clients.index(0, 0).data(Qt.ItemDataRole.ToolTipRole))


def test_the_preferred_age_of_baselines_counts_at_once(qtbot: QtBot, pane: ClientsPane, shown: Show) -> None:
    opened = shown(BOTS)
    model, store = pane.clients, pane.store.model
    select_tick(opened, "bot0", 234)
    qtbot.waitUntil(lambda: pane.store.title == "Baselines of bot0 at tick 234")

    def signs() -> tuple[str, str, str]:
        row = model.row_of(pane.session)
        cells = (
            model.index(row, 0).data(CELL_ROLE),
            model.index(row, column(model, "base-age")).data(CELL_ROLE),
            store.index(2, store.column_of("age")).data(CELL_ROLE),
        )
        first, second, third = (cell.sign for cell in cells if isinstance(cell, Cell))
        return first, second, third

    assert signs() == ("ok", "", "")
    order = names(model)
    pane.set_preferences(Preferences(base_age_limit_ms=60))
    assert signs() == ("warn", "warn", "warn")
    assert names(model) != order
    row = model.row_of(pane.session)
    assert "Half of the baselines are older than 60 ms" in str(model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole))
    shown = model.index(row, column(model, "base-age"))
    assert str(shown.data(Qt.ItemDataRole.AccessibleTextRole)).endswith(", Warning")
    assert "older than 60 ms" in str(store.index(2, 0).data(Qt.ItemDataRole.ToolTipRole))
    pane.set_preferences(Preferences())
    assert signs() == ("ok", "", "")
    assert names(model) == order


def test_rows_values_and_the_table_are_copied(qtbot: QtBot, pane: ClientsPane, shown: Show) -> None:
    shown(BAD)
    qtbot.waitUntil(lambda: pane.store.model.rowCount() > 0)
    table, model = pane.table, pane.clients
    table.setCurrentIndex(model.index(1, column(model, "failed")))
    actions = {action.text(): action for action in table.row_menu(1).actions()}
    clipboard = QApplication.clipboard()
    actions["Copy table as CSV"].trigger()
    lines = list(csv.DictReader(io.StringIO(clipboard.text())))
    assert [line["Client"] for line in lines] == names(model)
    for row, line in enumerate(lines):
        stats = model.row_at(row).stats
        assert int(line["Failed"]) == stats.failed
        assert float(line["Loss [%]"]) == pytest.approx(100 * stats.lost / stats.snapshots, rel=1e-5)
        assert float(line["Size mean [B]"]) == pytest.approx(stats.size_mean, rel=1e-5)
    table.setColumnHidden(column(model, "map"), True)
    table.copy_csv()
    assert "Map" not in clipboard.text().splitlines()[0].split(",")
    table.setCurrentIndex(model.index(1, column(model, "failed")))
    table.copy_value()
    assert clipboard.text() == texts(model, "failed")[1]
    pane.store.table.copy_csv()
    assert clipboard.text().startswith("Tick,Age [ms],Items,Acked in,Used by,Remark\n")
    assert len(clipboard.text().splitlines()) == 1 + pane.store.model.rowCount()


def test_the_keyboards_menu_is_that_of_the_current_row(qtbot: QtBot, pane: ClientsPane, shown: Show) -> None:
    opened = shown(BAD)
    pane.table.setCurrentIndex(pane.clients.index(4, 0))
    middle = pane.table.viewport().rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, middle, pane.table.viewport().mapToGlobal(middle))
    QApplication.sendEvent(pane.table.viewport(), event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert opened.selection.session == pane.clients.session_at(4) == pane.session
    pane.only.setFocus()
    qtbot.keyClick(pane.only, Qt.Key.Key_Space)
    assert opened.selection.session == -1


def test_what_is_missing_is_said(qtbot: QtBot, document: OpenDocument, pane: ClientsPane) -> None:
    assert pane.state.startswith("No capture open. ")
    opened = Document.open(BAD)
    pane.show_document(opened)
    assert pane.state.startswith("Decoding. ")
    pane.show_document(None)
    opened.close()
    opened.deleteLater()
    assert pane.state.startswith("No capture open. ")
    decoded = document(BAD)
    pane.show_document(decoded)
    listed(qtbot, pane, decoded)
    assert pane.state == ""


def test_the_worst_client_of_all_is_chosen_unless_a_person_chose(pane: ClientsPane, shown: Show) -> None:
    """Which one it is may change as long as more is decoded."""
    shown(BAD)
    worst, last = pane.clients.session_at(0), pane.clients.session_at(5)
    assert pane.session == worst
    pane.choose(last)
    pane.source.changed.emit()
    assert pane.session == worst
    QTest.mouseClick(
        pane.table.viewport(),
        Qt.MouseButton.LeftButton,
        pos=pane.table.visualRect(pane.clients.index(5, 0)).center(),
    )
    assert pane.session == last
    pane.source.changed.emit()
    assert pane.session == last


def test_the_tool_tip_says_only_what_is_known(pane: ClientsPane, shown: Show) -> None:
    shown(CUT)
    tips = [str(pane.clients.index(row, 0).data(Qt.ItemDataRole.ToolTipRole)) for row in range(pane.clients.rowCount())]
    assert tips
    assert not any("–" in tip or "None" in tip or "by unknown" in tip for tip in tips)
