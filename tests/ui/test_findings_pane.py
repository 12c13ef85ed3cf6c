"""The findings of real captures in their pane: keys, clicks, details, toggles, autopsy, thresholds, growth, states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from capture_files import BUNDLED
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from analyzer.engine.filtering import registry
from analyzer.expert.rule import Severity
from analyzer.protocols import PROTOCOLS
from tests.ui.growing import Growing
from ui.document import Document
from ui.models.filter_texts import FilterTexts
from ui.settings import Preferences
from ui.theme import DARK, LIGHT
from ui.views.filter_menu import AsFilter
from ui.views.findings import FindingsPane

BAD = BUNDLED / "ddnet_tsunami_badcrc_head.pcap"
CUT = BUNDLED / "ddnet_dm6_snaplen220.pcap"
MIDSESSION = BUNDLED / "ddnet_ctf3_midsession_head.pcap.gz"
BOTS = BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz"
OTHER = BUNDLED / "serverinfo_and_play_head.pcap"
OpenDocument = Callable[..., Document]


@pytest.fixture
def pane(qtbot: QtBot) -> Iterator[FindingsPane]:
    """A pane that is shown; before documents are closed it shows none."""
    made = FindingsPane(LIGHT)
    qtbot.addWidget(made)
    made.resize(440, 640)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.show_document(None)
    made.hide()


def judged(qtbot: QtBot, pane: FindingsPane) -> None:
    """Wait until all that is decoded was judged."""
    qtbot.waitUntil(lambda: pane.source.is_complete)


def shown(qtbot: QtBot, pane: FindingsPane, document: Document) -> None:
    pane.show_document(document)
    judged(qtbot, pane)


def rows(pane: FindingsPane) -> list[str]:
    model = pane.findings
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def packet_number(document: Document) -> int:
    """Of the selected packet, as the list counts."""
    return document.tables.packets.integer("frame", document.selection.place.packet) + 1


def row_of(pane: FindingsPane, text: str) -> int:
    return rows(pane).index(text)


def click(pane: FindingsPane, row: int) -> None:
    place = pane.table.visualRect(pane.findings.index(row, 0))
    QTest.mouseClick(pane.table.viewport(), Qt.MouseButton.LeftButton, pos=place.center() + QPoint(20, 0))


def test_root_causes_are_listed_with_what_follows(qtbot: QtBot, document: OpenDocument, pane: FindingsPane) -> None:
    shown(qtbot, pane, document(BAD))
    model = pane.findings
    assert rows(pane)[:4] == ["Checksum differs", "bot0 · tick 164", "bot0 · tick 230", "bot2 · tick 308"]
    assert [model.index(0, column).data() for column in (1, 2)] == ["3", "95"]
    assert pane.source.found.counts[Severity.ERROR] == 3
    assert pane.source.found.worst is Severity.ERROR
    assert pane.toggles.chips[Severity.ERROR].text() == "Errors 3"


def test_a_click_goes_to_the_packet_and_says_what_is_wrong(
    qtbot: QtBot, document: OpenDocument, pane: FindingsPane
) -> None:
    opened = document(BAD)
    shown(qtbot, pane, opened)
    click(pane, row_of(pane, "bot0 · tick 230"))
    assert packet_number(opened) == 715
    assert opened.tables.snapshots.integer("tick", opened.selection.place.snapshot) == 230
    qtbot.waitUntil(lambda: pane.detail.title == "Checksum differs" and "715" in pane.detail.text)
    assert pane.detail.rule == "snap.crc"
    for part in ("What it means: ", "What follows: ", "May be: ", "What to do: "):
        assert part in pane.detail.text
    assert pane.detail.go.text() == "Go to packet 715"
    assert pane.detail.cause.isHidden(), "it is the first cause itself"
    pane.detail.copy.click()
    copied = QApplication.clipboard().text()
    assert copied.startswith("Checksum differs (snap.crc, error)\nddnet_tsunami_badcrc_head.pcap: bot0 · tick 230")


def test_keys_step_findings_and_open_groups(qtbot: QtBot, document: OpenDocument, pane: FindingsPane) -> None:
    opened = document(BAD)
    shown(qtbot, pane, opened)
    pane.table.setFocus()
    visited = []
    for _ in range(4):
        QTest.keyClick(pane.table, Qt.Key.Key_F8)
        visited.append(packet_number(opened))
    assert visited[:3] == [334, 715, 1175]
    assert pane.findings.is_open(pane.findings.group_at(pane.table.currentIndex().row())), "the next group opened"
    QTest.keyClick(pane.table, Qt.Key.Key_F7)
    assert packet_number(opened) == 1175
    QTest.keyClick(pane.table, Qt.Key.Key_Left)
    assert rows(pane)[pane.table.currentIndex().row()] == "Checksum differs"
    QTest.keyClick(pane.table, Qt.Key.Key_Left)
    assert "bot0 · tick 164" not in rows(pane)
    QTest.keyClick(pane.table, Qt.Key.Key_Right)
    QTest.keyClick(pane.table, Qt.Key.Key_Down)
    assert packet_number(opened) == 1175, "arrows read, they select nothing"
    QTest.keyClick(pane.table, Qt.Key.Key_Return)
    assert packet_number(opened) == 334
    QTest.keyClick(pane.table, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert len(rows(pane)) == len(pane.findings.groups)
    QTest.keyClick(pane.table, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert len(rows(pane)) == sum(1 + group.count for group in pane.findings.groups)


def test_steps_from_anywhere_follow_the_packets(qtbot: QtBot, document: OpenDocument, pane: FindingsPane) -> None:
    opened = document(BAD)
    shown(qtbot, pane, opened)
    told: list[str] = []
    pane.told.connect(told.append)
    visited = []
    for _ in range(sum(group.count for group in pane.findings.groups) + 1):
        pane.go_next()
        visited.append(opened.selection.place.packet)
    stepped = list(dict.fromkeys(visited))
    assert stepped == sorted(set(pane.source.found.arranged.packets.tolist()))
    assert told[-1] == "There is no finding after this packet"
    pane.go_previous()
    assert opened.selection.place.packet == stepped[-2]
    for _ in stepped:
        pane.go_previous()
    assert opened.selection.place.packet == stepped[0]
    assert told[-1] == "There is none before it"
    pane.toggles.chips[Severity.NOTE].click()
    judged(qtbot, pane)
    pane.go_next()
    assert packet_number(opened) == 334, "what is hidden is stepped over"


def test_severities_are_hidden_and_shown(qtbot: QtBot, document: OpenDocument, pane: FindingsPane) -> None:
    shown(qtbot, pane, document(BAD))
    whole = rows(pane)
    pane.toggles.chips[Severity.ERROR].click()
    qtbot.waitUntil(lambda: "Checksum differs" not in rows(pane))
    assert pane.toggles.chips[Severity.ERROR].text() == "Errors 3", "counts stay"
    pane.toggles.chips[Severity.NOTE].click()
    pane.toggles.chips[Severity.WARNING].click()
    qtbot.waitUntil(lambda: not rows(pane))
    assert pane.state.startswith("Nothing is shown. ")
    pane._state.chosen.emit()
    qtbot.waitUntil(lambda: rows(pane) == whole)
    assert pane.state == ""


def test_by_client(qtbot: QtBot, document: OpenDocument, pane: FindingsPane) -> None:
    opened = document(BAD)
    shown(qtbot, pane, opened)
    pane.by_client.click()
    qtbot.waitUntil(lambda: pane.findings.groups[0].rule is None)
    heads = [group for group in pane.findings.groups if group.rule is None]
    assert [head.followers for head in heads[:2]] == sorted((head.followers for head in heads[:2]), reverse=True)
    assert rows(pane)[1] == "Checksum differs", "errors are open"
    pane.table.go_to(0)
    assert "Checksum differs: " in pane.detail.text
    click(pane, row_of(pane, "tick 308"))
    assert packet_number(opened) == 1175
    session = opened.tables.packets.integer("session", opened.selection.place.packet)
    opened.selection.limit_to(session)
    qtbot.waitUntil(lambda: {group.session for group in pane.findings.groups} == {session})
    assert rows(pane)[pane.table.currentIndex().row()] == "tick 308", "what was current still is"


def test_the_autopsy_is_made_on_demand_and_leads_to_an_item(
    qtbot: QtBot, document: OpenDocument, pane: FindingsPane
) -> None:
    opened = document(BAD)
    shown(qtbot, pane, opened)
    click(pane, row_of(pane, "bot0 · tick 164"))
    qtbot.waitUntil(lambda: "334" in pane.detail.text)
    assert "Character" not in pane.detail.text
    assert not pane.detail.autopsy.isHidden()
    pane.detail.autopsy.click()
    qtbot.waitUntil(lambda: "player_flags is 2, not 1" in pane.detail.text)
    assert pane.detail.autopsy.isHidden()
    pane.detail.copy.click()
    assert "- Character 1: player_flags is 2, not 1" in QApplication.clipboard().text()
    pane.detail._text.linkActivated.emit("9/1")
    assert opened.selection.place.item == (9, 1)
    pane.table.go_to(row_of(pane, "bot2 · tick 308"))
    qtbot.waitUntil(lambda: "1175" in pane.detail.text)
    assert "player_flags" not in pane.detail.text
    full = next(row for row, text in enumerate(rows(pane)) if text == "A full snapshot after the first")
    pane.findings.set_open(pane.findings.number_at(full), True)
    pane.table.go_to(full + 1)
    qtbot.waitUntil(lambda: pane.detail.rule == "base.full_resync")
    assert pane.detail.autopsy.isHidden(), "its checksum is right"


def test_thresholds_count_at_once(qtbot: QtBot, document: OpenDocument, pane: FindingsPane) -> None:
    opened = document(BOTS)
    shown(qtbot, pane, opened)
    usual = {group.key[0]: group.count for group in pane.findings.groups}
    assert usual["base.stuck"] > 0
    pane.set_preferences(Preferences(thresholds=(("base.stuck.snapshots", 1e6), ("base.stuck.age_ms", 1e6))))
    qtbot.waitUntil(lambda: "base.stuck" not in {group.key[0] for group in pane.findings.groups})
    pane.set_preferences(Preferences())
    qtbot.waitUntil(lambda: {group.key[0]: group.count for group in pane.findings.groups} == usual)


def test_findings_come_as_they_happen_and_the_list_stays(qtbot: QtBot, tmp_path: Path, pane: FindingsPane) -> None:
    growing = Growing(tmp_path / "live.pcap", BAD)
    opened = Document.open(growing.path, growing=True)
    try:
        opened.start()
        pane.show_document(opened)
        qtbot.waitUntil(lambda: bool(pane.state))
        assert pane.state == "Nothing found yet. The capture runs. What is found wrong is listed as it happens."
        growing.write(0.6)
        qtbot.waitUntil(lambda: "bot0 · tick 164" in rows(pane))
        pane.table.setFocus()
        pane.table.go_to(row_of(pane, "bot0 · tick 164"))
        top, seen = pane.table.rowAt(0), rows(pane)
        growing.write(1.0)
        qtbot.waitUntil(lambda: "bot2 · tick 308" in rows(pane))
        assert len(rows(pane)) > len(seen)
        assert rows(pane)[pane.table.currentIndex().row()] == "bot0 · tick 164"
        assert rows(pane)[pane.table.rowAt(0)] == seen[top]
        opened.finish()
        qtbot.waitUntil(lambda: opened.is_decoded)
        judged(qtbot, pane)
        assert pane.source.found.counts[Severity.ERROR] == 3
    finally:
        pane.show_document(None)
        opened.close()
        opened.deleteLater()


def test_a_paused_view_keeps_its_findings(qtbot: QtBot, tmp_path: Path, pane: FindingsPane) -> None:
    growing = Growing(tmp_path / "live.pcap", BAD)
    opened = Document.open(growing.path, growing=True)
    try:
        opened.start()
        pane.show_document(opened)
        growing.write(0.6)
        qtbot.waitUntil(lambda: "bot0 · tick 164" in rows(pane))
        judged(qtbot, pane)
        opened.pause(True)
        before = rows(pane)
        with qtbot.waitSignal(opened.waiting):
            growing.write(1.0)
        assert rows(pane) == before
        opened.pause(False)
        qtbot.waitUntil(lambda: "bot2 · tick 308" in rows(pane))
    finally:
        pane.show_document(None)
        opened.close()
        opened.deleteLater()


def test_states_say_what_is_missing(qtbot: QtBot, document: OpenDocument, pane: FindingsPane) -> None:
    assert pane.state.startswith("No capture open. ")
    assert pane.detail.isHidden()
    pane.show_document(document(BUNDLED / "tw07_dm7_any_sll2_nano_head.pcap"))
    judged(qtbot, pane)
    for severity in (Severity.ERROR, Severity.WARNING):
        assert pane.source.found.counts[severity] == 0
    midsession = document(MIDSESSION)
    shown(qtbot, pane, midsession)
    assert pane.hint.endswith("snapshots cannot be judged: what they rest on was not captured.")
    clean = (
        next(session for session in range(len(midsession.tables.sessions)) if session not in pane.source.found.sessions)
        if len(pane.source.found.sessions) < len(midsession.tables.sessions)
        else -1
    )
    if clean >= 0:
        midsession.selection.limit_to(clean)
        qtbot.waitUntil(lambda: pane.state.startswith("Nothing found here. "))
        pane._state.chosen.emit()
        assert midsession.selection.session == -1


def test_a_menu_copies(qtbot: QtBot, document: OpenDocument, pane: FindingsPane) -> None:
    opened = document(BAD)
    shown(qtbot, pane, opened)
    pane.as_filter = AsFilter(lambda: FilterTexts(registry(PROTOCOLS)))
    menu = pane.table.row_menu(row_of(pane, "bot0 · tick 230"))
    actions = {action.text().partition("\t")[0]: action for action in menu.actions()}
    assert [action.text().partition("\t")[0] for action in menu.actions()] == [
        "Apply as filter",
        "Prepare as filter",
        "Copy as filter",
        "Add finding.rule as column",
        "",
        "Go to packet",
        "",
        "Copy finding as text",
        "Copy row",
        "Copy group as CSV",
        "Copy all as CSV",
    ]
    actions["Copy as filter"].trigger()
    assert QApplication.clipboard().text() == 'finding.rule == "snap.crc"'
    assert pane.row_filter() == 'finding.rule == "snap.crc"'
    actions["Copy group as CSV"].trigger()
    assert len(QApplication.clipboard().text().splitlines()) == 4
    actions["Copy all as CSV"].trigger()
    assert len(QApplication.clipboard().text().splitlines()) == 1 + sum(group.count for group in pane.findings.groups)
    actions["Copy row"].trigger()
    assert QApplication.clipboard().text().startswith("bot0 · tick 230\t")
    actions["Go to packet"].trigger()
    assert packet_number(opened) == 715
    menu.close()


def test_wide_panes_say_the_details_in_the_list(qtbot: QtBot, document: OpenDocument, pane: FindingsPane) -> None:
    pane.resize(1000, 600)
    shown(qtbot, pane, document(BAD))
    row = row_of(pane, "bot0 · tick 164")
    qtbot.waitUntil(lambda: "9574acc0" in str(pane.findings.index(row, 6).data()))
    assert pane.find_text("9574ACC0", forward=True)
    assert pane.table.currentIndex().row() == row
    assert not pane.find_text("no such text", forward=True)
    pane.set_theme(DARK)
    pane.set_zoom(1.5)
    pane.grab()


def test_another_pane_selects_and_the_list_follows(qtbot: QtBot, document: OpenDocument, pane: FindingsPane) -> None:
    opened = document(BAD)
    shown(qtbot, pane, opened)
    pane.table.clearFocus()
    finding = pane.findings.finding_at(row_of(pane, "bot2 · tick 308"))
    assert finding is not None
    opened.selection.select(finding.packet, finding.snapshot)
    assert rows(pane)[pane.table.currentIndex().row()] == "bot2 · tick 308"
