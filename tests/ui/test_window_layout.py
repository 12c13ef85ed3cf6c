"""Docks have the width that is theirs, in whatever order a person fills the window, opens, resizes and resets."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDockWidget
from pytestqt.qtbot import QtBot

from tests.ui.conftest import Opener, find_capture
from ui.docks import ROUNDING, default_width
from ui.main_window import MainWindow
from ui.settings import Settings

SHORT = "ddnet_learntoplay"


def front(window: MainWindow) -> QDockWidget:
    return next(dock for dock in window.docks if dock.isVisible() and dock.geometry().right() > 0)


def beside(window: MainWindow) -> bool:
    """The docks are as wide as they are by default, and all else is there."""
    width = default_width(window.width())
    shown = window.packets.isVisible() and window.tabs.isVisible() and window.packets.width() < window.width() - 100
    return shown and abs(front(window).width() - width) <= ROUNDING


def open_at_once(window: MainWindow) -> None:
    """No event is handled between opening and what comes next."""
    assert window.opening.open_path(find_capture(SHORT))


def fill(window: MainWindow) -> None:
    window.actions_by_name["fill"].trigger()


STRIP = "Overview of all clients"


def turn(window: MainWindow) -> None:
    """All that is queued by now."""
    QApplication.processEvents()


def charts(window: MainWindow) -> None:
    window.layout_keeper.show_pane(window.charts)


def clients(window: MainWindow) -> None:
    window.layout_keeper.show_pane(window.clients)


def packets(window: MainWindow) -> None:
    window.layout_keeper.show_pane(window.packets)


def reset(window: MainWindow) -> None:
    window.actions_by_name["reset_layout"].trigger()


def reopen(window: MainWindow) -> None:
    window.actions_by_name["close_capture"].trigger()
    open_at_once(window)


def widen(window: MainWindow) -> None:
    window.resize(1920, 900)


Step = Callable[[MainWindow], None]
ORDERS: dict[str, tuple[Step, ...]] = {
    "opened": (),
    "filled at once": (charts, fill, turn, fill),
    "filled and back at once": (charts, fill, fill),
    "the other dock, never laid out": (clients, fill, turn, fill),
    "filled after one turn": (turn, charts, fill, fill, turn),
    "twice": (charts, fill, fill, fill, fill),
    "twice, slowly": (clients, fill, turn, fill, turn, fill, turn, fill),
    "the list": (packets, fill, turn, fill),
    "reset while filled": (charts, fill, turn, reset),
    "reset while the list fills": (packets, fill, reset),
    "another capture while filled": (charts, fill, turn, reopen),
    "widened": (turn, widen),
    "widened at once": (widen,),
    "widened while filled": (charts, fill, turn, widen, turn, fill),
    "widened at the welcome page": (turn, lambda window: window.opening.close(), widen, open_at_once),
}


@pytest.mark.parametrize("order", ORDERS)
def test_docks_have_their_width_after_any_order(window: MainWindow, qtbot: QtBot, order: str) -> None:
    open_at_once(window)
    for step in ORDERS[order]:
        step(window)
    qtbot.waitUntil(lambda: beside(window))
    turn(window)
    assert beside(window)


def test_docks_are_right_before_anything_is_painted(window: MainWindow) -> None:
    open_at_once(window)
    assert beside(window)


@pytest.mark.parametrize("step", [charts, clients])
def test_a_width_that_a_person_drew_outlives_filling(
    window: MainWindow, opened: Opener, qtbot: QtBot, step: Step
) -> None:
    opened(SHORT)
    window.resize(1600, 900)
    qtbot.waitUntil(lambda: beside(window))
    turn(window)
    window.resizeDocks([front(window)], [530], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: front(window).width() == 530)
    step(window)
    fill(window)
    qtbot.waitUntil(lambda: front(window).width() > window.width() - 40)
    window.resize(1920, 900)
    turn(window)
    fill(window)
    qtbot.waitUntil(lambda: abs(front(window).width() - 530) <= ROUNDING)
    assert front(window) is window.docks[step is clients]
    reopen(window)
    qtbot.waitUntil(lambda: abs(front(window).width() - 530) <= ROUNDING)


@pytest.mark.parametrize(("before", "after"), [(1280, 1500), (1500, 1280), (1500, 1920), (1920, 1300)])
def test_docks_follow_the_window_unless_a_person_drew_them(
    window: MainWindow, opened: Opener, qtbot: QtBot, before: int, after: int
) -> None:
    opened(SHORT)
    window.resize(before, 900)
    qtbot.waitUntil(lambda: beside(window))
    window.resize(after, 900)
    qtbot.waitUntil(lambda: abs(front(window).width() - default_width(after)) <= ROUNDING)
    turn(window)
    window.resizeDocks([front(window)], [470], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: front(window).width() == 470)
    window.resize(before, 900)
    turn(window)
    assert abs(front(window).width() - 470) <= ROUNDING


def test_a_capture_given_at_the_start_has_docks_of_their_width(settings: Settings, qtbot: QtBot) -> None:
    window = MainWindow(settings)
    # The smallest window squeezes docks and middle; here there is room for both.
    window.resize(1024, 700)
    open_at_once(window)
    window.show()
    qtbot.waitUntil(lambda: beside(window))
    window.close()
    assert window.opening.wait(60.0)
    window.deleteLater()


def test_docks_that_had_no_room_have_their_width_when_the_window_grows(settings: Settings, qtbot: QtBot) -> None:
    window = MainWindow(settings)
    window.resize(800, 700)
    window.show()
    open_at_once(window)
    qtbot.waitUntil(lambda: window.document is not None and window.document.is_decoded)
    turn(window)
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: beside(window))
    window.close()
    assert window.opening.wait(60.0)
    window.deleteLater()


def test_the_next_start_does_not_know_that_a_pane_filled_the_window(
    window: MainWindow, opened: Opener, settings: Settings, qtbot: QtBot
) -> None:
    opened(SHORT)
    qtbot.waitUntil(lambda: bool(window.overview.shown.lanes))
    turn(window)
    sizes = window.splitter.sizes()
    charts(window)
    fill(window)
    turn(window)
    window.close()
    again = MainWindow(settings)
    # As wide as the first; a screen of 800 pixels squeezes docks and middle.
    again.resize(window.size())
    again.show()
    open_at_once(again)
    qtbot.waitUntil(lambda: beside(again))
    qtbot.waitUntil(lambda: bool(again.overview.shown.lanes))
    turn(again)
    assert not any(dock.isHidden() for dock in again.docks)
    assert again.splitter.sizes() == pytest.approx(sizes, abs=4)
    again.close()
    assert again.opening.wait(60.0)
    again.deleteLater()


def focused_name() -> str:
    focused = QApplication.focusWidget()
    return "" if focused is None else focused.accessibleName()


def walked(window: MainWindow, command: str, steps: int) -> list[str]:
    names = []
    for _ in range(steps):
        window.actions_by_name[command].trigger()
        names.append(focused_name())
    return names


def test_both_halves_of_the_packet_tab_are_reached_by_key(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    document = opened(SHORT)
    packets(window)
    window.tabs.setCurrentWidget(window.packet_tab)
    document.selection.select(40, -1)
    qtbot.waitUntil(lambda: window.packet_tab.detail is not None and window.clients.clients.rowCount() > 0)
    packets(window)
    around = ["Fields of the packet", "Bytes: captured", "Charts", "Clients", "Findings", STRIP, "Packets"]
    assert walked(window, "next_pane", 7) == around
    assert walked(window, "previous_pane", 7) == [*reversed(around[:-1]), "Packets"]
    window.packet_tab.bytes.tabs.setFocus()
    assert walked(window, "next_pane", 1) == ["Charts"]
    window.packet_tab.bytes.tabs.setFocus()
    assert walked(window, "previous_pane", 1) == ["Fields of the packet"]


def test_without_a_packet_its_tab_is_one_stop(window: MainWindow, opened: Opener) -> None:
    opened(SHORT)
    window.tabs.setCurrentWidget(window.packet_tab)
    packets(window)
    window.actions_by_name["next_pane"].trigger()
    focused = QApplication.focusWidget()
    assert focused is not None
    assert window.packet_tab.isAncestorOf(focused) or focused is window.packet_tab
    assert walked(window, "next_pane", 1) == ["Charts"]


def test_hidden_columns_are_remembered_and_shown_again_by_reset(
    window: MainWindow, opened: Opener, settings: Settings
) -> None:
    opened(SHORT)
    window.clients.hidden_columns = ("parts", "map")
    window.close()
    again = MainWindow(settings)
    assert again.clients.hidden_columns == ("parts", "map")
    again.actions_by_name["reset_layout"].trigger()
    assert again.clients.hidden_columns == ()
    again.close()
    third = MainWindow(settings)
    assert third.clients.hidden_columns == ()
    for made in (again, third):
        made.close()
        made.deleteLater()
