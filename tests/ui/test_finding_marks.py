"""Findings outside of their dock: badge, status bar, signs in list and charts, clients, notice, recent captures."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDoubleSpinBox, QTabBar
from pytestqt.qtbot import QtBot

from analyzer.expert.rule import Severity
from tests.ui.conftest import Opener
from ui.dialogs.preferences import PreferencesDialog
from ui.document import Document
from ui.main_window import MainWindow
from ui.models.packet_cells import Column
from ui.settings import Preferences, Settings
from ui.views.cells import CELL_ROLE, Cell
from ui.views.severity_chips import SeverityPill

BAD_CRC = "ddnet_tsunami_badcrc_head"
BOTS = "ddnet_ctf1_24bots"
CLEAN = "tw07_dm7_any_sll2_nano_head"


@pytest.fixture
def bad(window: MainWindow, opened: Opener, qtbot: QtBot) -> Document:
    """A capture with wrong checksums, all of it judged."""
    document = opened(BAD_CRC)
    qtbot.waitUntil(lambda: window.findings.source.is_complete)
    return document


def number(document: Document) -> int:
    return document.tables.packets.integer("frame", document.selection.place.packet) + 1


def pill_in_tabs(window: MainWindow) -> SeverityPill | None:
    """What stands in the tab of the findings."""
    for bar in window.findChildren(QTabBar):
        for tab in range(bar.count()):
            if bar.tabText(tab) == "Findings":
                found = bar.tabButton(tab, QTabBar.ButtonPosition.RightSide)
                return found if isinstance(found, SeverityPill) else None
    return None


def test_the_tab_counts_the_worst(window: MainWindow, bad: Document, opened: Opener, qtbot: QtBot) -> None:
    pill = pill_in_tabs(window)
    assert pill is not None
    assert pill.isVisible()
    assert (pill.text, pill.accessibleName()) == ("3", "3 errors")
    window.docks[2].hide()
    window.docks[2].show()
    qtbot.waitUntil(lambda: (found := pill_in_tabs(window)) is not None and found.isVisible() and found.text == "3")
    opened(CLEAN)
    qtbot.waitUntil(lambda: window.findings.source.is_complete)
    assert window.finding_marks.badge == "", "of notes it says nothing"
    again = pill_in_tabs(window)
    assert again is not None
    assert again.width() == 0


def test_a_badge_never_counts_beyond_three_digits(qtbot: QtBot, window: MainWindow) -> None:
    pill = SeverityPill(window.appearance.theme)
    qtbot.addWidget(pill)
    pill.show_count(Severity.WARNING, 999)
    assert pill.text == "999"
    pill.show_count(Severity.WARNING, 1000)
    assert pill.text == "999+"


def test_the_status_bar_counts_and_leads_to_the_dock(window: MainWindow, bad: Document) -> None:
    counts = window.status.findings
    assert counts.isVisible()
    assert counts.accessibleName().startswith("3 errors, ")
    counts.click()
    assert window.findings.isVisible()
    assert window.findings.table.hasFocus()


def test_what_the_status_bar_says_stands_alone(window: MainWindow, bad: Document) -> None:
    window.show()
    assert window.status.findings.isVisible()
    window.status.say("Time reference at 1 packet")
    window.status.show_findings(dict.fromkeys(Severity, 0))
    window.status.show_findings(dict.fromkeys(Severity, 3))
    assert not window.status.findings.isVisible()
    window.status.say("")
    assert window.status.findings.isVisible()


def test_packets_carry_the_sign_of_their_worst_finding(window: MainWindow, bad: Document, qtbot: QtBot) -> None:
    found, model = window.findings.source.found, window.packets.model

    def sign(packet: int) -> str:
        cell = model.index(model.row_of(packet), Column.INFO).data(CELL_ROLE)
        assert isinstance(cell, Cell)
        return cell.sign

    notes = [packet for packet in range(len(found.severities)) if found.severities[packet] == Severity.NOTE]
    assert notes
    assert {sign(packet) for packet in notes} == {"note"}
    errors = [packet for packet in range(len(found.severities)) if found.severities[packet] == Severity.ERROR]
    assert {sign(packet) for packet in errors} == {"error"}
    assert len(errors) == 3


def test_clients_say_the_worst_of_their_sessions(window: MainWindow, bad: Document, qtbot: QtBot) -> None:
    window.layout_keeper.show_pane(window.clients)
    model = window.clients.clients
    qtbot.waitUntil(lambda: model.rowCount() == 6 and any(model.row_at(row).found for row in range(6)))
    column = model.column_of("findings")
    said = {str(model.index(row, 0).data()): model.index(row, column).data(CELL_ROLE) for row in range(6)}
    signs = {name: (cell.sign, cell.text) for name, cell in said.items() if isinstance(cell, Cell)}
    assert signs["bot0"] == ("error", "2")
    assert signs["bot2"] == ("error", "1")
    assert {sign for sign, _ in signs.values()} <= {"error", "note", ""}
    assert "Findings: 2 errors" in model.tool_tip(model.row_at(0)) + model.tool_tip(model.row_at(1))


def test_commands_step_through_findings_from_any_pane(window: MainWindow, bad: Document) -> None:
    window.findings.toggles.chips[Severity.NOTE].click()
    window.packets.setFocus()
    visited = []
    for _ in range(3):
        QTest.keyClick(window.packets.table, Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
        visited.append(window.findings.source.found.severities[bad.selection.place.packet])
    assert len(visited) == 3
    window.actions_by_name["previous_finding"].trigger()
    assert window.findings.source.found.severities[bad.selection.place.packet] > 0


def test_f8_steps_packets_in_the_list_and_findings_in_their_dock(window: MainWindow, bad: Document) -> None:
    window.packets.go_first()
    window.packets.setFocus()
    QTest.keyClick(window.packets.table, Qt.Key.Key_F8)
    assert bad.selection.place.packet == 1
    window.actions_by_name["show_findings"].trigger()
    assert QApplication.focusWidget() is window.findings.table
    QTest.keyClick(window.findings.table, Qt.Key.Key_F8)
    assert number(bad) == 334
    QTest.keyClick(window.findings.table, Qt.Key.Key_F8)
    assert number(bad) == 715
    QTest.keyClick(window.findings.table, Qt.Key.Key_F7)
    assert number(bad) == 334
    window.actions_by_name["copy"].trigger()
    assert QApplication.clipboard().text().startswith("bot0 · tick 164")


def test_the_notice_leads_to_the_finding_of_the_first_cause(window: MainWindow, bad: Document, qtbot: QtBot) -> None:
    tables = bad.tables
    follower = next(row for row in range(len(tables.snapshots)) if tables.snapshots.integer("cause", row) >= 0)
    tick = tables.snapshots.integer("tick", tables.snapshots.integer("cause", follower))
    window.packets.go_snapshot(follower)
    qtbot.waitUntil(lambda: window.snapshot_tab.tree is not None and window.snapshot_tab.notice.finding.isVisible())
    window.snapshot_tab.notice.finding.click()
    assert window.findings.isVisible()
    assert str(window.findings.table.currentIndex().data()).endswith(f"tick {tick}")
    healthy = next(row for row in range(len(tables.snapshots)) if tables.snapshots.integer("status", row) == 0)
    window.packets.go_snapshot(healthy)
    qtbot.waitUntil(lambda: not window.snapshot_tab.notice.isVisible())


def test_charts_mark_warnings_that_are_no_failures(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(BOTS)
    qtbot.waitUntil(lambda: window.findings.source.is_complete)
    found = window.findings.source.found
    stuck = next(group for group in found.arranged.groups if group.key[0] == "base.stuck")
    assert len(found.warnings.times_s) >= stuck.count
    assert list(found.warnings.times_s) == sorted(found.warnings.times_s)
    session = int(stuck.hits[0, 3])
    document.selection.limit_to(session)
    own = found.warnings.times_s[found.warnings.sessions == session]
    assert len(own)


def test_recent_captures_say_how_many_were_found(
    window: MainWindow, bad: Document, settings: Settings, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: settings.recent[0].found == "3 errors")
    assert settings.recent[0].severity == "error"
    window.opening.close()
    assert window.welcome.recent.row_at(0).badge == "3 errors"


def test_thresholds_are_preferences(window: MainWindow, opened: Opener, qtbot: QtBot, settings: Settings) -> None:
    opened(BOTS)
    qtbot.waitUntil(lambda: window.findings.source.is_complete)
    usual = window.findings.source.found.counts
    dialog = PreferencesDialog(window.appearance.preferences, lambda paths: "", window)
    dialog.changed.connect(window.appearance.prefer)
    page = dialog.thresholds
    assert not page.reset.isEnabled()
    page.fields["base.stuck.snapshots"].setValue(1_000_000)
    page.fields["base.stuck.age_ms"].setValue(1_000_000)
    assert dict(settings.preferences.thresholds)["base.stuck.snapshots"] == 1_000_000
    qtbot.waitUntil(lambda: window.findings.source.found.counts != usual)
    page.reset.click()
    assert settings.preferences.thresholds == ()
    qtbot.waitUntil(lambda: window.findings.source.found.counts == usual)
    assert all(isinstance(field, QDoubleSpinBox) for field in page.fields.values())
    dialog.deleteLater()


def test_thresholds_that_no_rule_has_are_left_out() -> None:
    preferences = Preferences(
        thresholds=(("base.stuck.snapshots", 30.0), ("gone.rule", 1.0), ("base.stuck.age_ms", -1))
    )
    assert preferences.usable_thresholds.changed == {"base.stuck.snapshots": 30.0}
