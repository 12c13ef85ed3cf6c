"""The overview strip by mouse and by keys: the range that list, charts and filter bar obey, lanes, bars, zoom, live."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from analyzer.snapshots.status import Status
from analyzer.stats.lane_order import Sign
from tests.ui.conftest import Opener
from tests.ui.growing import Growing
from ui.document import Document
from ui.main_window import MainWindow
from ui.overview.strip import OverviewStrip
from ui.theme import DARK, LIGHT

SLICES = "ddnet_ctf1_24bots"
BAD_CRC = "ddnet_tsunami_badcrc_head"
SHORT = "ddnet_learntoplay"


def ready(window: MainWindow, opened: Opener, qtbot: QtBot, name: str) -> tuple[OverviewStrip, Document]:
    document = opened(name)
    strip = window.overview
    times = document.tables.frames.integers("time_ns")
    last = int(times.max() - times[0])

    def is_all_there() -> bool:
        shown = strip.shown
        return bool(shown.lanes) and not shown.behind and shown.wanted is not None and shown.wanted.stop_ns >= last

    qtbot.waitUntil(is_all_there)
    return strip, document


def place(strip: OverviewStrip, time_s: float, lane: int = -1) -> QPoint:
    """Pixel of a time, in a lane or in the byte band."""
    layout = strip.shown.layout
    x = layout.left + (time_s - strip.view.start) / strip.view.width * (layout.right - layout.left)
    y = layout.axis + layout.band // 2 if lane < 0 else layout.lane_top(lane) + layout.lane_height(lane) // 2
    return QPoint(round(x), y)


def drag(strip: OverviewStrip, qtbot: QtBot, start_s: float, stop_s: float) -> None:
    a, b = place(strip, start_s), place(strip, stop_s)
    qtbot.mousePress(strip, Qt.MouseButton.LeftButton, pos=a)
    qtbot.mouseMove(strip, (a + b) / 2)
    qtbot.mouseMove(strip, b)
    qtbot.mouseRelease(strip, Qt.MouseButton.LeftButton, pos=b)


def seconds(document: Document, packets: np.ndarray) -> np.ndarray:
    times = document.tables.frames.integers("time_ns")
    return (times[document.tables.packets.integers("frame")[packets]] - times[0]) / 1e9


def listed(window: MainWindow) -> np.ndarray:
    model = window.packets.model
    return model.packets(0, model.rowCount())


def test_a_drag_limits_list_and_charts_and_is_cleared(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    strip, document = ready(window, opened, qtbot, SLICES)
    every = seconds(document, np.arange(len(document.tables.packets)))
    drag(strip, qtbot, 1.0, 2.0)
    found = strip.range_s()
    assert found is not None
    assert found == pytest.approx((1.0, 2.0), abs=0.05)
    qtbot.waitUntil(lambda: not window.filtering.is_running and 0 < window.packets.model.rowCount() < len(every))
    assert np.array_equal(listed(window), np.flatnonzero((every >= found[0]) & (every <= found[1])))
    assert window.charts.range_s == pytest.approx(found)
    assert window.charts.region_s == pytest.approx(found)
    qtbot.waitUntil(lambda: (stats := strip.shown.stats) is not None and stats.stop_ns == round(found[1] * 1e9) + 1)
    stats = strip.shown.stats
    assert stats is not None
    assert stats.packets == window.packets.model.rowCount()
    chip = window.filter_bar.range
    assert chip.isVisible()
    assert "frame.time >=" in chip.toolTip()
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    assert document.selection.range is None
    qtbot.waitUntil(lambda: window.packets.model.rowCount() == len(every))
    assert window.charts.shows_all
    assert not chip.isVisible()
    qtbot.waitUntil(lambda: strip.shown.stats is None)


def test_an_edge_of_the_range_is_moved(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    strip, _ = ready(window, opened, qtbot, SHORT)
    drag(strip, qtbot, 4.0, 6.0)
    drag(strip, qtbot, 6.0, 8.0)
    assert strip.range_s() == pytest.approx((4.0, 8.0), abs=0.15)
    drag(strip, qtbot, 4.0, 9.0)
    assert strip.range_s() == pytest.approx((8.0, 9.0), abs=0.15)


def test_range_and_filter_count_together(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    strip, document = ready(window, opened, qtbot, SHORT)
    window.filtering.focus()
    qtbot.keyClicks(window.filter_bar.field, "udp.length > 100 || frame.number == 1")
    qtbot.keyClick(window.filter_bar.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not window.filtering.is_running and window.packets.model.is_limited)
    without = listed(window)
    drag(strip, qtbot, 2.0, 5.0)
    low, high = strip.range_s() or (0.0, 0.0)
    times = seconds(document, without)
    within = without[(times >= low) & (times <= high)]
    qtbot.waitUntil(lambda: np.array_equal(listed(window), within))
    assert window.filtering.applied == "udp.length > 100 || frame.number == 1"
    window.packets.table.setFocus()
    qtbot.keyClick(window.packets.table, Qt.Key.Key_Escape)
    assert window.filtering.applied == ""
    assert document.selection.range is not None, "the filter goes first"
    qtbot.keyClick(window.packets.table, Qt.Key.Key_Escape)
    assert document.selection.range is None
    qtbot.waitUntil(lambda: window.packets.model.rowCount() == len(document.tables.packets))


def test_a_red_bar_leads_to_its_snapshot(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    strip, document = ready(window, opened, qtbot, BAD_CRC)
    assert strip.shown.lanes[0].sign is Sign.FAILED
    assert [lane.sign for lane in strip.shown.lanes] == sorted(lane.sign for lane in strip.shown.lanes)
    tables = document.tables
    wrong = np.flatnonzero(tables.snapshots.integers("status") == Status.CRC)
    flows = tables.readings.integers("flow")[tables.sessions.integers("reading")]
    own = [
        row for row in wrong.tolist() if flows[tables.snapshots.integer("session", row)] == strip.shown.lanes[0].flow
    ]
    at = float(seconds(document, tables.snapshots.integers("packet")[own[:1]])[0])
    strip.view.show(at - 0.5, at + 0.5)
    strip.zoom_step(1)
    qtbot.waitUntil(lambda: strip.shown.wanted is not None and strip.shown.wanted.stop_ns < 1e9 * (at + 0.6))
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=place(strip, at, 0))
    qtbot.waitUntil(lambda: document.selection.place.snapshot == own[0])
    window.layout_keeper.show_pane(window.findings)
    qtbot.waitUntil(lambda: strip.shown.layout.chosen >= 0)
    assert "failed" in strip.accessibleDescription()


def test_by_keys_alone(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    strip, document = ready(window, opened, qtbot, SLICES)
    for _ in range(12):
        qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_F6)
        if strip.hasFocus():
            break
    assert strip.hasFocus()
    qtbot.keyClick(strip, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: strip.shown.layout.chosen >= 0)
    first = document.selection.place.snapshot
    qtbot.keyClick(strip, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: document.selection.place.snapshot not in (-1, first))
    second = document.selection.place.snapshot
    session = document.tables.snapshots.integers("session")
    assert session[second] == session[first]
    qtbot.keyClick(strip, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: document.selection.place.snapshot != second)
    qtbot.keyClick(strip, Qt.Key.Key_R)
    assert document.selection.range is not None
    qtbot.keyClick(strip, Qt.Key.Key_F)
    assert (strip.view.start, strip.view.stop) == pytest.approx(strip.range_s())
    qtbot.waitUntil(lambda: strip.shown.stats is not None)
    qtbot.keyClick(strip, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert "snapshot" in QGuiApplication.clipboard().text()
    qtbot.keyClick(strip, Qt.Key.Key_0)
    assert strip.view.shows_all
    qtbot.keyClick(strip, Qt.Key.Key_Plus)
    assert not strip.view.shows_all
    qtbot.keyClick(strip, Qt.Key.Key_Escape)
    assert document.selection.range is None


def test_the_wheel_zooms_at_the_pointer(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    strip, _ = ready(window, opened, qtbot, SHORT)
    at = QPointF(place(strip, 5.0))
    none, up = Qt.MouseButton.NoButton, QPoint(0, 120)
    plain, shift = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
    for modifier in (plain, plain, shift):
        glob = QPointF(strip.mapToGlobal(at.toPoint()))
        event = QWheelEvent(at, glob, QPoint(), up, none, modifier, Qt.ScrollPhase.NoScrollPhase, False)
        before = strip.view.start, strip.view.width
        QApplication.sendEvent(strip, event)
        if modifier == plain:
            assert strip.view.width == pytest.approx(before[1] / 1.25)
            assert place(strip, 5.0).x() == pytest.approx(at.x(), abs=1)
        else:
            assert strip.view.start < before[0]
            assert strip.view.width == pytest.approx(before[1])


def test_a_low_window_leaves_room_for_the_list(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    strip, _ = ready(window, opened, qtbot, SLICES)
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: strip.shown.wanted is not None and strip.shown.wanted.most == 252)
    before = strip.height()
    window.resize(1440, 560)
    qtbot.waitUntil(lambda: strip.height() < before)
    assert strip.height() <= 0.28 * window.height() + 2


def test_pictures_are_of_this_theme(window: MainWindow, opened: Opener, qtbot: QtBot) -> None:
    strip, _ = ready(window, opened, qtbot, SLICES)

    def colours() -> set[str]:
        body = strip.shown.body
        assert body is not None
        return {body.pixelColor(x, y).name() for x in range(0, body.width(), 3) for y in range(body.height())}

    for theme in (DARK, LIGHT):
        strip.set_theme(theme)
        qtbot.waitUntil(lambda theme=theme: strip.shown.wanted is not None and strip.shown.wanted.theme == theme)
        assert {theme.hex(name).lower() for name in ("lane_ok", "lane_late", "lane_full")} <= colours()


def test_the_strip_grows_with_a_capture_and_the_range_stays(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    growing = Growing(tmp_path / "growing.pcapng")
    growing.write(0.4)
    window.streams.open_path(growing.path, follow=True)
    strip = window.overview
    qtbot.waitUntil(lambda: bool(strip.shown.lanes) and strip.view.capture[1] > 0.1)
    end = strip.view.capture[1]
    strip.select_range(0.0, end / 2)
    chosen = strip.range_s()
    growing.write(1.0)
    qtbot.waitUntil(lambda: strip.view.capture[1] > end)
    assert strip.view.shows_all
    assert strip.range_s() == chosen
    window.actions_by_name["stop"].trigger()
    document = window.document
    assert document is not None
    qtbot.waitUntil(lambda: document.is_decoded and not strip.shown.behind)
