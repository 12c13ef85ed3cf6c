"""The display filter by hand: typed, completed, applied, refused, remembered, saved, from menus, live, and stopped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from analyzer.engine.filter_runs import Verdicts
from analyzer.filters.parse import parse
from tests.ui.conftest import Opener, find_capture
from tests.ui.growing import Growing
from ui.main_window import MainWindow
from ui.models.filter_judgement import How, Standing
from ui.models.filter_texts import quoted
from ui.models.packet_cells import Column
from ui.models.packet_kept import Kept
from ui.settings import FIRST_FILTERS, Settings

SLICES = "ddnet_ctf1_24bots"
SHORT = "ddnet_learntoplay"
BOT0 = 'session.player == "bot0"'


def typed(window: MainWindow, qtbot: QtBot, text: str) -> None:
    window.filtering.focus()
    qtbot.waitUntil(lambda: window.filter_bar.field.hasFocus())
    qtbot.keyClicks(window.filter_bar.field, text)


def applied(window: MainWindow, qtbot: QtBot, text: str) -> None:
    typed(window, qtbot, text)
    qtbot.keyClick(window.filter_bar.field, Qt.Key.Key_Return)
    settled(window, qtbot)


def settled(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.filtering.is_running)


def shown(window: MainWindow) -> list[int]:
    model = window.packets.model
    return model.packets(0, model.rowCount()).tolist()


def wanted(window: MainWindow, text: str) -> list[int]:
    """By evaluating it at once."""
    document = window.document
    assert document is not None
    view = window.packets.model.view
    assert view is not None
    query = document.worker.capture.query()
    try:
        chosen = parse(text, window.filtering.fields)
        return np.flatnonzero(chosen.packets(view.of(query), 0, len(document.tables.packets))).tolist()
    finally:
        query.close()


def candidates(window: MainWindow) -> list[str]:
    return [one.text for one in window.filter_bar.field.popup.candidates.shown]


def entry(menu: QMenu, *path: str) -> QAction:
    """The action of a menu, by the beginnings of the words on the way to it."""
    found = next(action for action in menu.actions() if action.text().startswith(path[0]))
    if len(path) == 1:
        return found
    inner = found.menu()
    assert isinstance(inner, QMenu)
    return entry(inner, *path[1:])


def test_type_a_filter_and_the_list_obeys_it(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    window.resize(1600, 900)
    document = opened(SLICES)
    count = len(document.tables.packets)
    typed(window, qtbot, BOT0)
    assert window.filter_bar.standing is Standing.GOOD
    assert window.packets.model.rowCount() == count
    qtbot.keyClick(window.filter_bar.field, Qt.Key.Key_Return)
    settled(window, qtbot)
    assert shown(window) == wanted(window, BOT0)
    assert window.filter_bar.reason.text() == "441 of 8\u202f810 packets"
    assert window.packets.model.rowCount() == 441
    qtbot.waitUntil(lambda: window.packets.table.hasFocus())
    qtbot.waitUntil(
        lambda: any("Displayed 441 (5.0 %)" in label.text() for label in window.status.findChildren(QLabel))
    )


def test_ctrl_slash_esc_and_clear(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    field = window.filter_bar.field
    applied(window, qtbot, "message.name == Input")
    filtered = window.packets.model.rowCount()
    assert 0 < filtered < len(document.tables.packets)
    window.actions_by_name["filter"].trigger()
    qtbot.keyClicks(field, "nonsense")
    field.popup.hide()
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    # What was not applied is taken back.
    assert field.text() == "message.name == Input"
    assert window.packets.model.rowCount() == filtered
    qtbot.waitUntil(lambda: window.packets.table.hasFocus())
    qtbot.keyClick(window.packets.table, Qt.Key.Key_Escape)
    assert field.text() == ""
    assert window.packets.model.rowCount() == len(document.tables.packets)
    window.actions_by_name["undo"].trigger()
    settled(window, qtbot)
    assert window.packets.model.rowCount() == filtered
    window.actions_by_name["undo"].trigger()
    assert window.packets.model.rowCount() == len(document.tables.packets)
    window.actions_by_name["redo"].trigger()
    settled(window, qtbot)
    assert window.packets.model.rowCount() == filtered
    window.actions_by_name["filter_clear"].trigger()
    assert window.packets.model.rowCount() == len(document.tables.packets)


def test_a_wrong_filter_never_replaces_the_last_good_one(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    opened(SLICES)
    applied(window, qtbot, BOT0)
    typed(window, qtbot, "snapshot.bsae_tick == 230")
    bar = window.filter_bar
    assert bar.standing is Standing.WRONG
    assert bar.reason.text() == "There is no field snapshot.bsae_tick, did you mean snapshot.base_tick?"
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert window.filtering.applied == BOT0
    assert window.packets.model.rowCount() == 441


@pytest.mark.parametrize(
    ("text", "standing", "reason"),
    [
        ("snapshot.wire_bytes > ", Standing.UNFINISHED, "Needs a value"),
        ("snapshot.wi", Standing.UNFINISHED, ""),
        ("snapshot.status == cr", Standing.UNFINISHED, ""),
        ('session.player == "bo', Standing.UNFINISHED, "Needs the closing quote"),
        ("snapshot.tick > x3", Standing.WRONG, "At 17: snapshot.tick is compared with a number, not x3"),
        ("snapshot.tick > 3", Standing.GOOD, "Enter applies it"),
    ],
)
def test_what_is_said_while_one_types(
    window: MainWindow, opened: Opener, qtbot: QtBot, text: str, standing: Standing, reason: str
) -> None:
    opened(SHORT)
    typed(window, qtbot, text)
    assert (window.filter_bar.standing, window.filter_bar.reason.text()) == (standing, reason)


def test_completion_by_keys(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    opened(SLICES)
    field = window.filter_bar.field
    typed(window, qtbot, "sess")
    assert field.popup.isVisible()
    assert "session.player" in candidates(window)
    steps = candidates(window).index("session.player") + 1
    for _ in range(steps):
        qtbot.keyClick(field, Qt.Key.Key_Down)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.text() == "session.player "
    assert window.filtering.applied == ""
    assert "==" in candidates(window)
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    assert field.text() == "session.player == "
    # Frequent values come from the capture.
    qtbot.waitUntil(lambda: '"bot0"' in candidates(window))
    qtbot.keyClicks(field, "bot0")
    qtbot.waitUntil(lambda: candidates(window) == ['"bot0"'])
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    assert field.text() == 'session.player == "bot0" '
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not field.popup.isVisible()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    settled(window, qtbot)
    assert window.packets.model.rowCount() == 441


def test_no_packet_matches_and_clear_filter(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    window.packets.go_first()
    applied(window, qtbot, "frame.number > 1000000")
    texts = [label.text() for label in window.packets.findChildren(QLabel) if label.isVisible()]
    assert texts[0] == "No packet matches"
    assert document.selection.place.packet == 0
    button = next(one for one in window.packets.findChildren(QPushButton) if one.isVisible())
    assert button.text() == "Clear filter"
    button.click()
    assert window.packets.model.rowCount() == len(document.tables.packets)
    assert window.packets.table.currentIndex().row() == 0


def test_the_nearest_packet_is_selected(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SLICES)
    document.selection.select(4000, -1)
    applied(window, qtbot, BOT0)
    here = document.selection.place.packet
    assert here in shown(window)
    assert abs(here - 4000) == min(abs(packet - 4000) for packet in shown(window))
    window.filtering.clear()
    assert document.selection.place.packet == here
    assert window.packets.table.currentIndex().row() == here


def test_a_row_that_goes_takes_no_selection_along(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    model = window.packets.model
    kept = Kept(document.tables)
    none = np.empty(0, np.int64)
    kept.take(Verdicts(1, 0, np.ones(50, np.bool_), none, none.astype(np.bool_)))
    model.show_only(kept)
    document.selection.select(20, -1)
    gone = Verdicts(1, 50, np.zeros(0, np.bool_), np.array([20, 21]), np.zeros(2, np.bool_))
    model.judge(kept.take(gone))
    assert document.selection.place.packet == 20
    assert not window.packets.table.currentIndex().isValid()
    back = Verdicts(1, 50, np.zeros(0, np.bool_), np.array([20]), np.ones(1, np.bool_))
    model.judge(kept.take(back))
    assert window.packets.table.currentIndex().row() == 20
    model.show_only(None)


def test_a_hidden_packet_that_is_selected_is_told_of(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SLICES)
    applied(window, qtbot, BOT0)
    hidden = next(packet for packet in range(len(document.tables.packets)) if packet not in shown(window))
    said: list[str] = []
    window.packets.step_failed.connect(said.append)
    document.selection.select(hidden, -1)
    number = document.tables.packets.integer("frame", hidden) + 1
    assert said[-1] == f"Packet {number} is selected, and hidden by the filter"


def test_sorted_and_limited_lists_stay_so(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SLICES)
    window.packets.table.sortByColumn(Column.LENGTH, Qt.SortOrder.DescendingOrder)
    applied(window, qtbot, BOT0)
    lengths = document.tables.frames.take("original", document.tables.packets.take("frame", np.array(shown(window))))
    assert (np.diff(lengths.astype(np.int64)) <= 0).all()
    assert sorted(shown(window)) == wanted(window, BOT0)
    session = int(document.tables.packets.integer("session", shown(window)[0]))
    window.filtering.clear()
    document.selection.limit_to(session)
    applied(window, qtbot, "packet.direction == up")
    both = [
        p for p in wanted(window, "packet.direction == up") if document.tables.packets.integer("session", p) == session
    ]
    assert sorted(shown(window)) == both


def test_history_is_walked_and_kept(window: MainWindow, opened: Opener, qtbot: QtBot, settings: Settings) -> None:
    opened(SHORT)
    for text in ("snapshot.tick > 100", "snapshot.tick > 200"):
        applied(window, qtbot, text)
    assert settings.filter_history == ("snapshot.tick > 200", "snapshot.tick > 100")
    field = window.filter_bar.field
    typed(window, qtbot, "frame.number > 1 ")
    field.popup.hide()
    walked = []
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down):
        qtbot.keyClick(field, key)
        walked.append(field.text())
    assert walked == [
        "snapshot.tick > 200",
        "snapshot.tick > 100",
        "snapshot.tick > 100",
        "snapshot.tick > 200",
        "frame.number > 1 ",
    ]
    menu = window.filter_bar.history_menu()
    entry(menu, "Forget").trigger()
    assert settings.filter_history == ()


def test_saved_filters_are_chips(window: MainWindow, opened: Opener, qtbot: QtBot, settings: Settings) -> None:
    opened(SLICES)
    window.resize(1600, 900)
    assert [chip.text() for chip in window.filter_bar.chips] == [one.name for one in FIRST_FILTERS]
    qtbot.waitUntil(lambda: all(chip.isVisible() for chip in window.filter_bar.chips))
    typed(window, qtbot, BOT0)
    window.filter_bar.save.click()
    dialog = window.filtering.saved.dialog
    assert dialog is not None
    dialog.setTextValue("Mine")
    dialog.accept()
    assert settings.saved_filters[-1].text == BOT0
    chip = window.filter_bar.chips[-1]
    assert chip.text() == "Mine"
    window.filtering.clear()
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    settled(window, qtbot)
    assert window.packets.model.rowCount() == 441
    window.filtering.saved.rename("Mine")
    dialog = window.filtering.saved.dialog
    assert dialog is not None
    dialog.setTextValue("Ours")
    dialog.accept()
    assert window.filter_bar.chips[-1].text() == "Ours"
    window.filtering.saved.remove("Ours")
    assert settings.saved_filters == FIRST_FILTERS
    # In a narrow window they are in the menu of the funnel.
    window.resize(1100, 700)
    qtbot.waitUntil(lambda: not any(chip.isVisible() for chip in window.filter_bar.chips))
    entry(window.filter_bar.funnel_menu(), "3+ parts").trigger()
    settled(window, qtbot)
    assert shown(window) == wanted(window, "snapshot.parts >= 3")


def test_a_saved_filter_is_called_as_it_was_named(window: MainWindow, settings: Settings) -> None:
    """An ampersand neither goes from the menu nor takes a key."""
    window.filtering.saved.ask(BOT0)
    dialog = window.filtering.saved.dialog
    assert dialog is not None
    dialog.setTextValue("Hooks & lasers")
    dialog.accept()
    chip = window.filter_bar.chips[-1]
    assert chip.text() == settings.saved_filters[-1].name == "Hooks & lasers"
    assert chip.shortcut().isEmpty()
    menu = window.filter_bar.funnel_menu()
    assert entry(menu, "Hooks && lasers")
    assert entry(menu, "Rename", "Hooks && lasers")
    assert entry(menu, "Remove", "Hooks && lasers")


def test_apply_from_a_cell_of_the_list(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SLICES)
    packet = int(np.flatnonzero(document.tables.packets.array("session") >= 0)[20])
    document.selection.select(packet, -1)
    menu = QMenu()
    window.packets.fill_menu(menu, Column.CLIENT)
    entry(menu, "Apply as filter", "Selected").trigger()
    settled(window, qtbot)
    player = document.tables.sessions.text("player", document.tables.packets.integer("session", packet))
    assert window.filtering.applied == f"session.player == {quoted(player)}"
    menu = QMenu()
    window.packets.fill_menu(menu, Column.DIRECTION)
    entry(menu, "Apply as filter", "... and not selected").trigger()
    settled(window, qtbot)
    assert window.filtering.applied.startswith(f"session.player == {quoted(player)} && !(packet.direction == ")
    assert packet not in shown(window)
    entry(menu, "Prepare as filter", "... or selected").trigger()
    assert window.filter_bar.field.text().startswith("(session.player ==")
    assert window.filter_bar.field.text() != window.filtering.applied


def test_apply_from_the_trees_and_copy(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SLICES)
    inputs = wanted(window, "message.name == Input")
    document.selection.select(inputs[50], -1)
    tree = window.packet_tab.tree
    window.tabs.setCurrentWidget(window.packet_tab)
    qtbot.waitUntil(lambda: tree.find_text("ack_game_tick"))
    text = tree.field_filter()
    assert text.startswith("message.input.ack_game_tick == ")
    tree.setFocus()
    window.actions_by_name["copy_filter"].trigger()
    assert QApplication.clipboard().text() == text
    window.filtering.take(text, How.SELECTED, True)
    settled(window, qtbot)
    assert inputs[50] in shown(window)
    assert shown(window) == wanted(window, text)
    window.filtering.clear()
    snapshot = len(document.tables.snapshots) // 3
    document.selection.select(document.tables.snapshots.integer("packet", snapshot), snapshot)
    window.tabs.setCurrentWidget(window.snapshot_tab)
    qtbot.waitUntil(lambda: window.snapshot_tab.tree is not None and bool(window.snapshot_tab.tree.types))
    assert window.snapshot_tab.find("Character", True)
    assert window.snapshot_tab.cell_filter(0) in ("item.Character", "item.DDNetCharacter")
    window.clients.choose(3)
    assert window.clients.row_filter().startswith("client == ")


def test_a_chart_point_is_a_filter(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SLICES)
    chart = next(chart for chart in window.charts.shown_charts if chart.spec.key == "size")
    qtbot.waitUntil(lambda: chart.nearest(chart.canvas.plot_rect.center()) >= 0)
    place = chart.canvas.plot_rect.center()
    row = chart.nearest(place)
    text = window.charts.commands.point_filter(chart, place)
    assert text == f"snapshot.wire_bytes >= {document.tables.snapshots.integer('wire_bytes', row)}"
    menu = window.charts.commands.show_menu(QPoint(0, 0), chart, 1.0, text)
    assert menu is not None
    entry(menu, "Apply as filter", "Selected").trigger()
    menu.close()
    settled(window, qtbot)
    assert shown(window) == wanted(window, text)


def test_a_filter_of_items_is_stopped_and_goes_on(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    applied_text = "count(item.Character) >= 1 && item.Character.x > 0"
    typed(window, qtbot, applied_text)
    window.filter_bar.field.popup.hide()
    qtbot.keyClick(window.filter_bar.field, Qt.Key.Key_Return)
    window.filtering.stop()
    assert not window.filtering.is_running
    assert "stopped at" in window.filter_bar.reason.text()
    assert not window.filter_bar.stop.isHidden()
    window.filtering.stop()
    settled(window, qtbot)
    assert window.filter_bar.stop.isHidden()
    assert shown(window) == wanted(window, applied_text)
    assert 0 < window.packets.model.rowCount() < len(document.tables.packets)


def test_a_filter_follows_a_growing_capture(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    growing = Growing(tmp_path / "growing.pcapng")
    window.streams.open_path(growing.path, follow=True)
    document = window.document
    assert document is not None
    qtbot.waitUntil(lambda: len(document.tables.snapshots) > 0 and window.packets.model.taken_in > 0)
    text = "snapshot.parts >= 1"
    applied(window, qtbot, text)
    before = window.packets.model.rowCount()
    for share in (0.3, 0.6, 1.0):
        growing.write(share)
        count = window.packets.model.taken_in
        qtbot.waitUntil(lambda count=count: window.packets.model.taken_in > count)
    window.actions_by_name["stop"].trigger()
    qtbot.waitUntil(lambda: document.is_decoded)
    settled(window, qtbot)
    qtbot.waitUntil(lambda: shown(window) == wanted(window, text))
    assert window.packets.model.rowCount() > before


def test_a_filter_that_was_applied_while_decoding_ends_right(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    assert window.opening.open_path(find_capture(SLICES))
    window.filtering.take("snapshot.parts == 2", How.SELECTED, True)
    document = window.document
    assert document is not None
    qtbot.waitUntil(lambda: document.is_decoded)
    qtbot.waitUntil(lambda: not window.filtering.is_running and shown(window) == wanted(window, "snapshot.parts == 2"))
    # Read anew, it keeps its filter; another capture begins without.
    window.opening.reload()
    qtbot.waitUntil(lambda: window.document is not None and window.document.is_decoded)
    assert window.filtering.applied == "snapshot.parts == 2"
    opened(SHORT)
    assert window.filtering.applied == ""
    assert window.filter_bar.field.text() == ""


def test_what_is_displayed_can_be_saved(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    opened(SLICES)
    applied(window, qtbot, BOT0)
    window.saving.ask()
    dialog = window.saving.dialog
    assert dialog is not None
    assert any("displayed packets, 441" in button.text().replace("&", "") for button in dialog.buttons)
    dialog.reject()


def test_esc_leaves_the_field_also_where_the_list_is_empty(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    opened(SHORT)
    applied(window, qtbot, "frame.number > 1000000")
    typed(window, qtbot, "udp")
    window.filter_bar.field.popup.hide()
    qtbot.keyClick(window.filter_bar.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.filter_bar.field.hasFocus())
    assert isinstance(QApplication.focusWidget(), QPushButton)
    assert window.filtering.applied == "frame.number > 1000000"
