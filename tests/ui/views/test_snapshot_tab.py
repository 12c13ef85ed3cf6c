"""The Snapshot tab on real captures: a known change, its baseline, failures, and how one moves in the tree."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from capture_files import BUNDLED
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from analyzer.snapshots.status import Status
from tests.cli.cut_capture import SLICES, first_records, without_records
from ui.document import Document
from ui.models.change_cells import BASELINE, BITS, DIFFERENCE, ITEM, NEW
from ui.theme import DARK, LIGHT
from ui.views.snapshot_menu import snapshot_menu
from ui.views.snapshot_tab import SnapshotTab

OpenDocument = Callable[..., Document]
MANY_FRAMES = 2400
LOST_FRAME = 2236
"""From 0: carries the first of the two parts of tick 234 for bot0."""
CHARACTER = 9


@pytest.fixture
def tab(qtbot: QtBot, qtmodeltester: ModelTester) -> Iterator[SnapshotTab]:
    """On the screen, its model under the tester from the first tree on."""
    made = SnapshotTab(LIGHT)
    qtbot.addWidget(made)
    made.resize(955, 380)
    made.show()
    qtmodeltester.check(made.model)
    yield made
    made.show_document(None)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The head of a capture of 24 clients."""
    path = tmp_path_factory.mktemp("many") / "many.pcap"
    path.write_bytes(first_records(SLICES, MANY_FRAMES))
    return path


def row_of(document: Document, player: str, tick: int) -> int:
    tables = document.tables
    ticks = tables.snapshots.integers("tick").tolist()
    return next(
        row
        for row, found in enumerate(ticks)
        if found == tick and tables.sessions.text("player", tables.snapshots.integer("session", row)) == player
    )


def rows_with(document: Document, status: Status) -> list[int]:
    return [row for row, found in enumerate(document.tables.snapshots.integers("status").tolist()) if found == status]


def select(qtbot: QtBot, tab: SnapshotTab, document: Document, row: int) -> None:
    document.selection.select(document.tables.snapshots.integer("packet", row), row)
    wait_for(qtbot, tab, row)


def wait_for(qtbot: QtBot, tab: SnapshotTab, row: int) -> None:
    qtbot.waitUntil(lambda: tab.tree is not None and tab.tree.head.snapshot == row, timeout=60_000)


def texts(index: QModelIndex) -> list[str]:
    return [str(index.siblingAtColumn(column).data()) for column in range(6)]


def current(tab: SnapshotTab) -> str:
    return str(tab.view.currentIndex().siblingAtColumn(ITEM).data())


def test_nothing_selected(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument) -> None:
    assert tab.state.isVisible()
    tab.show_document(document("ddnet_learntoplay"))
    assert tab.state.accessibleName().startswith("No snapshot selected")
    with qtbot.waitSignal(tab.select_first):
        tab.state.chosen.emit()


def test_known_change_and_its_baseline(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument, many: Path) -> None:
    opened = document(many)
    tab.show_document(opened)
    row = row_of(opened, "bot0", 234)
    select(qtbot, tab, opened, row)
    first = tab.model.index(0, 0)
    assert first.data() == "Character 24 changed"
    assert texts(first)[BITS] == "2 277".replace(" ", "\u202f")
    assert tab.view.isExpanded(first)
    assert (tab.head.counts["added"].text, tab.head.counts["changed"].text, tab.head.counts["removed"].text) == (
        "15",
        "58",
        "7",
    )
    assert tab.head.baseline.text() == "baseline 230 · −4 ticks"
    assert (tab.head.proof.sign, tab.head.proof.text) == ("ok", "checksum 17310655")
    assert not tab.notice.isVisible()

    opened.selection.select_item((CHARACTER, 23), "y")
    assert current(tab) == "y"
    assert tab.view.currentIndex().parent().data() == "Character 23 · bot23"
    assert texts(tab.view.currentIndex())[: BITS + 1] == [
        "y",
        "114  3.56 tiles",
        "126  3.94 tiles",
        "+12  +0.38 tiles",
        "7",
    ]

    base = opened.tables.snapshots.integer("base", row)
    qtbot.mouseClick(tab.head.baseline, Qt.MouseButton.LeftButton)
    assert opened.selection.place.snapshot == base
    assert opened.selection.place.packet == opened.tables.snapshots.integer("packet", base)
    wait_for(qtbot, tab, base)
    assert opened.selection.place.item == (CHARACTER, 23)
    assert tab.tree is not None
    assert tab.tree.head.tick == 230
    assert current(tab) == "y"
    assert texts(tab.view.currentIndex())[NEW] == "114  3.56 tiles"


def test_what_is_open_stays_open(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument, many: Path) -> None:
    opened = document(many)
    tab.show_document(opened)
    row = row_of(opened, "bot0", 234)
    select(qtbot, tab, opened, row)
    tab.view.expand(tab.model.find_item((CHARACTER, 23)))
    tab.view.expand(tab.model.find_item((CHARACTER, 5)))
    tab.view.collapse(tab.model.find_item((CHARACTER, 5)))
    for other in (row_of(opened, "bot0", 236), row_of(opened, "bot0", 238), row):
        select(qtbot, tab, opened, other)
        assert tab.view.isExpanded(tab.model.find_type(CHARACTER))
        assert tab.view.isExpanded(tab.model.find_item((CHARACTER, 23)))
        assert not tab.view.isExpanded(tab.model.find_item((CHARACTER, 5)))


def test_selection_goes_both_ways(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument) -> None:
    opened = document("ddnet_learntoplay")
    tab.show_document(opened)
    select(qtbot, tab, opened, 5)
    item = next(node for node in tab.model.all_rows() if tab.model.place(node)[0] is not None)
    with qtbot.waitSignal(opened.selection.item_changed):
        tab.view.go_to(item)
    assert opened.selection.place.item == tab.model.place(item)[0]
    field = tab.model.index(0, 0, item)
    tab.view.go_to(field)
    assert (opened.selection.place.item, opened.selection.place.field) == tab.model.place(field)
    opened.selection.select_item(tab.model.place(item)[0])
    assert tab.view.currentIndex() == item


def test_whole_state_holds_every_item(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument) -> None:
    opened = document("ddnet_tsunami_head")
    tab.show_document(opened)
    row = rows_with(opened, Status.OK)[-1]
    select(qtbot, tab, opened, row)
    qtbot.mouseClick(tab.head.whole_state, Qt.MouseButton.LeftButton)
    query = opened.worker.capture.query()
    items = query.items(row)
    query.close()
    model = tab.model
    found = {model.place(index)[0]: index for index in model.all_rows() if model.key(index) == model.place(index)[0]}
    assert len(items) == sum(key is not None for key in found) > 0
    for item in items:
        index = found[item.type, item.id]
        fields = [model.index(at, 0, index) for at in range(model.rowCount(index))]
        assert [str(field.data()) for field in fields] == [field.name for field in item.fields]
        shown = [str(field.siblingAtColumn(NEW).data()).replace("−", "-") for field in fields]
        assert shown == [field.text for field in item.fields]
    qtbot.mouseClick(tab.head.changes_only, Qt.MouseButton.LeftButton)
    assert len(list(model.all_rows())) < sum(len(item.fields) for item in items)


def test_unknown_baseline(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument) -> None:
    opened = document("ddnet_ctf3_midsession")
    tab.show_document(opened)
    failed = rows_with(opened, Status.NO_BASE)
    row = next(row for row in failed if opened.tables.snapshots.integer("cause", row) >= 0)
    select(qtbot, tab, opened, row)
    cause = opened.tables.snapshots.integer("cause", row)
    assert tab.notice.isVisible()
    assert tab.tree is not None
    assert tab.tree.head.partial is not None
    known = f"{tab.tree.head.partial.known} item"
    assert tab.notice.text.startswith(f"Known in part, from deltas alone: {known}")
    assert tab.head.proof.text == "known in part"
    assert "frame" not in tab.notice.text
    assert tab.notice.code
    assert tab.notice.code not in tab.notice.text
    assert tab.model.headerData(NEW, Qt.Orientation.Horizontal) == "Difference or new"
    assert tab.head.baseline.isEnabled() == (tab.tree.head.base >= 0)
    assert tab.head.proof.sign == "warn"
    assert tab.head.whole_state.isEnabled()
    field = next(index for index in tab.model.all_rows() if tab.model.place(index)[1])
    assert (texts(field)[BASELINE], texts(field)[DIFFERENCE]) == ("", "")
    assert texts(field)[NEW]
    qtbot.mouseClick(tab.head.whole_state, Qt.MouseButton.LeftButton)
    remarks = {texts(index)[NEW] for index in tab.model.all_rows() if tab.model.key(index) == tab.model.place(index)[0]}
    assert "there, values not known" in remarks
    tick = opened.tables.snapshots.integer("tick", cause)
    assert tab.notice.link.text() == f"Go to tick {tick}"
    qtbot.mouseClick(tab.notice.link, Qt.MouseButton.LeftButton)
    assert opened.selection.place.snapshot == cause
    wait_for(qtbot, tab, cause)


def test_wrong_checksum(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument) -> None:
    opened = document("ddnet_tsunami_badcrc")
    tab.show_document(opened)
    row = rows_with(opened, Status.CRC)[0]
    select(qtbot, tab, opened, row)
    wire = opened.tables.snapshots.integer("crc_wire", row) & 0xFFFFFFFF
    assert (tab.head.proof.sign, tab.head.proof.text) == ("error", f"checksum {wire:08x} is wrong")
    assert f"{wire:08x} on the wire" in tab.notice.text
    assert tab.notice.text.endswith(f"{wire + 1:08x} computed, difference +1")
    qtbot.mouseClick(tab.notice.copy, Qt.MouseButton.LeftButton)
    number = opened.tables.packets.integer("frame", opened.selection.place.packet) + 1
    tick, base = (opened.tables.snapshots.integer(name, row) for name in ("tick", "base_tick"))
    place = f"{opened.path.name}, packet {number}, bot0, tick {tick} against {base}: "
    assert QGuiApplication.clipboard().text() == f"{place}{tab.notice.text} (C1)"
    assert tab.model.rowCount() > 0


def test_missing_parts(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument, tmp_path: Path) -> None:
    path = tmp_path / "lossy.pcap"
    path.write_bytes(without_records(SLICES, range(LOST_FRAME, LOST_FRAME + 1), MANY_FRAMES))
    opened = document(path)
    tab.show_document(opened)
    row = rows_with(opened, Status.INCOMPLETE)[0]
    assert row == row_of(opened, "bot0", 234)
    select(qtbot, tab, opened, row)
    assert not tab.view.isVisible()
    number = opened.tables.packets.integer("frame", opened.tables.snapshots.integer("packet", row)) + 1
    assert tab.notice.text.startswith("Part 1 of 2 is missing")
    assert "; part 2 came in packet " in tab.notice.text
    assert int(tab.notice.text.rpartition(" ")[2]) <= number
    assert tab.notice.code == "P1"
    assert tab.unread.accessibleName() == (
        "Parts are missing. A snapshot is rebuilt from all of its 2 parts. Here: 2. Missing: 1."
    )
    assert tab.head.proof.sign == "warn"
    assert tab.tree is not None
    assert [part.packet >= 0 for part in tab.tree.head.parts] == [False, True]


def test_owners_that_only_messages_name(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument) -> None:
    opened = document(BUNDLED / "tw07_dm7_any_sll2_nano_head.pcap")
    tab.show_document(opened)
    select(qtbot, tab, opened, row_of(opened, "bot1", 170))
    assert tab.find("bot1", True)
    assert current(tab) == "Character 1 · bot1"


def test_filter_box(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument, many: Path) -> None:
    opened = document(many)
    tab.show_document(opened)
    select(qtbot, tab, opened, row_of(opened, "bot0", 234))
    everything = tab.model.rowCount()
    with qtbot.waitSignal(tab.head.filter_changed):
        qtbot.keyClicks(tab.head.filter, "hook_y")
    rows = list(tab.model.all_rows())
    assert {tab.model.place(row)[1] for row in rows} == {"", "hook_y"}
    assert all(tab.view.isExpanded(row) for row in rows if tab.model.rowCount(row))
    with qtbot.waitSignal(tab.head.filter_changed):
        qtbot.keyClick(tab.head.filter, Qt.Key.Key_Escape)
    assert tab.model.rowCount() == everything
    assert not tab.view.isExpanded(tab.model.find_item((CHARACTER, 3)))


def test_find(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument, many: Path) -> None:
    opened = document(many)
    tab.show_document(opened)
    select(qtbot, tab, opened, row_of(opened, "bot0", 234))
    assert tab.find("bot2", True)
    forward = [current(tab)]
    assert tab.find("bot2", True)
    forward.append(current(tab))
    assert forward == ["Character 2 · bot2", "Character 20 · bot20"]
    assert tab.find("BOT2", False)
    assert current(tab) == forward[0]
    assert tab.find("gun_fire", True)
    assert current(tab) == "sound_id"
    place, height = tab.view.visualRect(tab.view.currentIndex()), tab.view.viewport().height()
    assert 2 * place.height() < place.top() < height - 3 * place.height()
    assert not tab.find("nothing of the kind", True)
    assert current(tab) == "sound_id"


def test_keys_of_the_tree(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument, many: Path) -> None:
    opened = document(many)
    tab.show_document(opened)
    select(qtbot, tab, opened, row_of(opened, "bot0", 234))
    view, model = tab.view, tab.model
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert all(view.isExpanded(row) for row in model.all_rows() if model.rowCount(row))
    qtbot.keyClick(view, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert not any(view.isExpanded(row) for row in model.all_rows())
    view.setCurrentIndex(model.index(0, 0))
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert all(view.isExpanded(row) for row in model.below(model.index(0, 0)) if model.rowCount(row))
    assert not view.isExpanded(model.index(1, 0))


def test_alt_shows_raw_values(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument) -> None:
    opened = document("ddnet_learntoplay")
    tab.show_document(opened)
    select(qtbot, tab, opened, 0)
    field = next(row for row in tab.model.all_rows() if tab.model.place(row)[1] == "x")
    both = texts(field)[NEW]
    number, _, meaning = both.partition("  ")
    assert meaning.endswith(" tiles")
    qtbot.keyPress(tab.view, Qt.Key.Key_Alt)
    assert texts(field)[NEW] == number
    qtbot.keyRelease(tab.view, Qt.Key.Key_Alt)
    assert texts(field)[NEW] == both


def test_type_row_is_pinned(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument, many: Path) -> None:
    opened = document(many)
    tab.show_document(opened)
    select(qtbot, tab, opened, row_of(opened, "bot0", 234))
    assert not tab.view.pinned_type().isValid()
    tab.view.go_to(tab.model.find_item((CHARACTER, 23)))
    assert tab.view.pinned_type() == tab.model.find_type(CHARACTER)
    tab.view.go_to(tab.model.find_item((CHARACTER, 0)))
    top = tab.view.visualRect(tab.view.currentIndex()).top()
    assert top >= tab.view.row_height()


def test_copy(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument, many: Path) -> None:
    opened = document(many)
    tab.show_document(opened)
    select(qtbot, tab, opened, row_of(opened, "bot0", 234))
    opened.selection.select_item((CHARACTER, 23), "y")
    qtbot.keyClick(tab.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    clipboard = QGuiApplication.clipboard()
    assert clipboard.text().strip() == "y\t114  3.56 tiles\t126  3.94 tiles\t+12  +0.38 tiles\t7"
    opened.selection.select_item((CHARACTER, 23))
    menu = snapshot_menu(tab, NEW)
    titles = {action.text().partition("\t")[0]: action for action in menu.actions()}
    assert [title for title in titles if title.startswith("Copy")] == [
        "Copy value",
        "Copy row",
        "Copy with all below as text",
        "Copy with all below as CSV",
        "Copy with all below as JSON",
    ]
    titles["Copy value"].trigger()
    assert clipboard.text() == "4 of 22 fields changed"
    titles["Copy with all below as CSV"].trigger()
    assert len(clipboard.text().splitlines()) == 23
    titles["Copy with all below as JSON"].trigger()
    (record,) = json.loads(clipboard.text())
    assert (record["owner"], len(record["fields"])) == ("bot23", 22)
    menu.close()
    QApplication.sendPostedEvents(menu)


def test_another_document(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument) -> None:
    first, second = document("ddnet_learntoplay"), document("ddnet_tsunami_head")
    tab.show_document(first)
    select(qtbot, tab, first, 5)
    tab.show_document(second)
    assert tab.tree is None
    assert tab.state.isVisible()
    select(qtbot, tab, second, 3)
    first.selection.select(-1, 9)
    assert tab.tree is not None
    assert tab.tree.head.snapshot == 3
    tab.show_document(None)
    assert tab.tree is None
    second.selection.select(-1, 4)
    assert tab.tree is None


def test_newest_selection_wins(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument, many: Path) -> None:
    opened = document(many)
    tab.show_document(opened)
    seen: list[int] = []
    tab.shown.connect(seen.append)
    for row in range(200, 230):
        opened.selection.select(opened.tables.snapshots.integer("packet", row), row)
    wait_for(qtbot, tab, 229)
    assert seen == [229]


def test_themes_zoom_and_narrow(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument) -> None:
    opened = document("ddnet_learntoplay")
    tab.show_document(opened)
    select(qtbot, tab, opened, 5)
    assert tab.head.filter.isVisible()
    light = tab.grab().toImage().pixelColor(4, tab.height() - 4)
    tab.set_theme(DARK)
    tab.set_zoom(1.5)
    assert tab.view.row_height() == 30
    tab.resize(420, 300)
    assert not tab.head.filter.isVisible()
    assert tab.head.whole_state.isVisible()
    assert not tab.grab().isNull()
    assert light.isValid()


def test_a_snapshot_without_a_change_says_so(qtbot: QtBot, tab: SnapshotTab, document: OpenDocument) -> None:
    """It is not the filter that hides everything; the whole state is one click away."""
    opened = document(BUNDLED / "tw07_dm7_any_sll2_nano_head.pcap")
    tab.show_document(opened)
    columns = ("items", "added", "changed", "removed")
    items, *changes = (opened.tables.snapshots.integers(name) for name in columns)
    row = next(row for row, count in enumerate(items.tolist()) if count and not any(own[row] for own in changes))
    select(qtbot, tab, opened, row)
    assert tab.unread.isVisible()
    assert tab.unread.accessibleName().startswith("Nothing changed")
    tab.unread.chosen.emit()
    assert tab.view.isVisible()
    assert tab.model.rowCount()
    tab.head.filter.setText("no such item")
    qtbot.waitUntil(lambda: tab.unread.accessibleName().startswith("No item matches"), timeout=60_000)
    tab.unread.chosen.emit()
    qtbot.waitUntil(tab.view.isVisible, timeout=60_000)
