"""The welcome page asks for captures by click, key and drop, and says the truth about its samples."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from capture_files import BUNDLED, SAMPLE
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from analyzer.resources import resource
from analyzer.snapshots.status import Status
from analyzer.stats.clients import Severity, client_stats
from tests.ui.conftest import WAIT_MS
from ui.document import Document
from ui.icons import product_icon
from ui.machine import Machine
from ui.models.recent import RecentModel, capture_summary, worst_severity
from ui.settings import RecentCapture
from ui.theme import DARK, LIGHT
from ui.views.welcome import WelcomePage

OpenDocument = Callable[..., Document]
MACHINE = Machine(list_interfaces=list)
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
BAD_CRC = "ddnet_tsunami_badcrc_head.pcap"
MID_SESSION = "ddnet_ctf3_midsession_head.pcap.gz"


def recent(
    path: Path | str, *, severity: str = "", opened: datetime = NOW, summary: str = "8 packets"
) -> RecentCapture:
    return RecentCapture(str(path), opened.isoformat(), summary, severity)


@pytest.fixture
def page(qtbot: QtBot) -> Iterator[WelcomePage]:
    made = WelcomePage(LIGHT, MACHINE)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.hide()
    assert made.interfaces.wait(WAIT_MS / 1000)


def test_recent_rows(qtmodeltester: ModelTester) -> None:
    model = RecentModel()
    qtmodeltester.check(model)
    captures = [
        recent(SAMPLE, severity="error", opened=NOW - timedelta(minutes=78)),
        recent(BUNDLED / BAD_CRC, severity="warn", opened=NOW - timedelta(days=1)),
        recent("/nowhere/report.pcapng", severity="error", opened=NOW - timedelta(days=2)),
        recent(SAMPLE, opened=NOW - timedelta(days=400)),
        RecentCapture(str(SAMPLE), "no time", "", "odd"),
    ]
    model.show(captures, NOW)
    rows = [model.row_at(row) for row in range(model.rowCount())]
    assert [(row.badge, row.opened, row.missing) for row in rows] == [
        ("errors", "today 10:42", False),
        ("warnings", "yesterday", False),
        ("", "27 Feb", True),
        ("", "25 Jan 2025", False),
        ("", "", False),
    ]
    assert rows[2].text == "Not found where it was"
    spoken = model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == f"{SAMPLE.name}, errors, 8 packets, today 10:42"


def test_recent_captures_open_by_click_and_key(qtbot: QtBot, page: WelcomePage) -> None:
    page.show_recent([recent(SAMPLE), recent("/nowhere/gone.pcap")])
    place = page.list.visualRect(page.recent.index(0, 0)).center()
    with qtbot.waitSignal(page.open_requested) as asked:
        qtbot.mouseClick(page.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert asked.args == [str(SAMPLE)]
    page.list.setFocus()
    with qtbot.waitSignal(page.open_requested) as asked:
        qtbot.keyClick(page.list, Qt.Key.Key_Return)
    assert asked.args == [str(SAMPLE)]


def test_who_comes_by_tab_sees_where_they_are(qtbot: QtBot, page: WelcomePage) -> None:
    page.show_recent([recent(SAMPLE), recent("/nowhere/gone.pcap")])
    page.activateWindow()
    page.drop_area.setFocus()
    qtbot.waitUntil(page.drop_area.hasFocus)
    before = page.list.grab().toImage()
    for _ in range(3):
        if not page.list.hasFocus():
            qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert page.list.hasFocus()
    assert [index.row() for index in page.list.selectedIndexes()] == [0]
    assert page.list.grab().toImage() != before


def test_a_missing_capture_is_only_removed(qtbot: QtBot, page: WelcomePage) -> None:
    page.show_recent([recent(SAMPLE), recent("/nowhere/gone.pcap")])
    page.list.setCurrentIndex(page.recent.index(1, 0))
    with qtbot.assertNotEmitted(page.open_requested):
        qtbot.keyClick(page.list, Qt.Key.Key_Return)
    with qtbot.waitSignal(page.forget_requested) as asked:
        qtbot.keyClick(page.list, Qt.Key.Key_Delete)
    assert asked.args == ["/nowhere/gone.pcap"]
    menu = page.list.capture_menu(1)
    assert [action.isEnabled() for action in menu.actions()] == [False, True]
    with qtbot.waitSignal(page.forget_requested):
        menu.actions()[1].trigger()
    menu.deleteLater()


def test_browse_by_button_and_drop_area(qtbot: QtBot, page: WelcomePage) -> None:
    with qtbot.waitSignal(page.browse_requested):
        qtbot.mouseClick(page.browse, Qt.MouseButton.LeftButton)
    page.drop_area.setFocus()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
        with qtbot.waitSignal(page.browse_requested):
            qtbot.keyClick(page.drop_area, key)


def test_a_dropped_file_is_opened(qtbot: QtBot, page: WelcomePage) -> None:
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/x.pcap"), QUrl.fromLocalFile(str(SAMPLE))])
    action, button, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(9, 9), action, data, button, none)
    QApplication.sendEvent(page, enter)
    assert enter.isAccepted()
    assert page.drop_area.offered
    QApplication.sendEvent(page, QDragLeaveEvent())
    assert not page.drop_area.offered
    QApplication.sendEvent(page, QDragEnterEvent(QPoint(9, 9), action, data, button, none))
    with qtbot.waitSignal(page.dropped) as asked:
        QApplication.sendEvent(page, QDropEvent(QPointF(9, 9), action, data, button, none))
    assert asked.args == [[str(SAMPLE)]]
    text = QMimeData()
    text.setText("no file")
    refused = QDragEnterEvent(QPoint(9, 9), action, text, button, none)
    refused.ignore()
    QApplication.sendEvent(page, refused)
    assert not refused.isAccepted()


def test_samples_open_and_are_reached_by_tab(qtbot: QtBot, page: WelcomePage) -> None:
    page.show_recent([recent(SAMPLE)])
    page.drop_area.setFocus()
    reached = []
    for _ in range(12):
        qtbot.keyClick(QApplication.focusWidget() or page, Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    assert {*page.samples, page.list, page.browse} <= set(reached)
    asked: list[str] = []
    page.open_requested.connect(asked.append)
    for card in page.samples:
        qtbot.keyClick(card, Qt.Key.Key_Return)
    assert [Path(path).name for path in asked] == [SAMPLE.name, BAD_CRC + ".gz", MID_SESSION]
    assert all(Path(path).is_file() for path in asked)


def test_samples_are_what_their_cards_say(document: OpenDocument, page: WelcomePage) -> None:
    healthy = client_stats(document(SAMPLE).tables).stats
    assert [client.severity for client in healthy] == [Severity.PROVED] * 3
    broken = document(resource(f"samples/{BAD_CRC}.gz")).tables
    status = broken.snapshots.array("status").tolist()
    assert len(client_stats(broken).stats) == 6
    assert (status.count(Status.CRC), status.count(Status.NO_BASE)) == (3, 95)
    begun = client_stats(document(resource(f"samples/{MID_SESSION}")).tables).stats
    assert len(begun) == 8
    assert sum(client.lost > 0 for client in begun) == 4
    lines = [card.accessibleDescription() for card in page.samples]
    assert [line.split(".")[0] for line in lines] == [
        "3 clients, every snapshot proved",
        "6 clients, 3 snapshots altered, 95 rest on them",
        "8 clients, 4 with baselines from before the capture",
    ]


def test_samples_are_the_captures_that_are_tested() -> None:
    assert gzip.decompress(resource(f"samples/{BAD_CRC}.gz").read_bytes()) == (BUNDLED / BAD_CRC).read_bytes()
    assert resource(f"samples/{MID_SESSION}").read_bytes() == (BUNDLED / MID_SESSION).read_bytes()
    assert sum(path.stat().st_size for path in resource("samples").glob("*.pcap*")) < 400_000


def test_what_a_capture_holds(document: OpenDocument) -> None:
    opened = document(BUNDLED / BAD_CRC)
    clients = client_stats(opened.tables)
    assert capture_summary(opened.tables, clients, {"ddnet": "DDNet"}) == "1\u202f500 packets · 6 clients · 5 s · DDNet"
    assert worst_severity(clients) == "error"
    healthy = document(SAMPLE).tables
    assert worst_severity(client_stats(healthy)) == ""
    assert worst_severity(client_stats(healthy), 1.0) == "warn"


def test_theme_zoom_icon(qtbot: QtBot, page: WelcomePage) -> None:
    page.show_recent([recent(SAMPLE, severity="error"), recent("/nowhere/gone.pcap")])
    page.set_theme(DARK)
    page.set_zoom(1.5)
    assert not page.grab().isNull()
    image = product_icon().pixmap(64, 64).toImage()
    assert image.pixelColor(32, 4).name() == LIGHT.color("accent").name()
    assert image.pixelColor(49, 40).name() == "#ffffff"
