"""Ranges, copying, the menu, preferences and decoding states of the charts, driven through the real widgets."""

from __future__ import annotations

import csv
import io

import numpy as np
from capture_files import BUNDLED, SAMPLE
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from analyzer.stats.series import Metric
from tests.ui.charts.conftest import OpenCharts
from ui.charts.chart import Chart
from ui.charts.stack import ChartStack
from ui.document import Document
from ui.settings import Preferences
from ui.theme import LIGHT

SLICES = BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz"


def chart(pane: ChartStack, key: str) -> Chart:
    return next(chart for chart in pane.charts if chart.spec.key == key)


def times_of(document: Document, session: int) -> tuple[list[int], np.ndarray]:
    tables = document.tables
    rows = np.flatnonzero(tables.snapshots.array("session") == session)
    packets = tables.snapshots.integers("packet")[rows]
    nanoseconds = tables.frames.integers("time_ns")
    return rows.tolist(), (nanoseconds[tables.packets.integers("frame")[packets]] - nanoseconds[0]) / 1e9


def drag(qtbot: QtBot, pane: ChartStack, start_s: float, stop_s: float) -> None:
    canvas = chart(pane, "size").canvas
    a, b = (canvas.place_of(at, 0.0).toPoint() + QPoint(0, -20) for at in (start_s, stop_s))
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=a)
    qtbot.mouseMove(canvas, (a + b) / 2)
    qtbot.mouseMove(canvas, b)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=b)


def menu_of(pane: ChartStack, at: QPoint) -> QMenu:
    canvas = chart(pane, "size").canvas
    QApplication.sendEvent(canvas, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, canvas.mapToGlobal(at)))
    return next(menu for menu in pane.findChildren(QMenu) if menu.isVisible())


def choose(menu: QMenu, words: str) -> None:
    next(action for action in menu.actions() if action.text().partition("\t")[0] == words).trigger()
    menu.close()


def test_a_drag_sums_the_range_up_above_each_chart(charts_of: OpenCharts, qtbot: QtBot) -> None:
    pane, document = charts_of(SLICES)
    whole = pane.range_s
    drag(qtbot, pane, 2.0, 6.0)
    assert pane.range_s == whole
    start, stop = pane.region_s or (0.0, 0.0)
    assert abs(start - 2.0) < 0.1
    assert abs(stop - 6.0) < 0.1
    rows, times = times_of(document, pane.session)
    inside = np.array(rows)[(times >= start) & (times <= stop)]
    sizes = document.tables.snapshots.integers("wire_bytes")[inside]
    text = chart(pane, "size").value_text.replace("\u202f", "")
    assert text == f"{len(inside)} · mean {sizes.mean():.0f} · {sizes.min()}–{sizes.max()} B"
    assert pane.tools.range_text == f"{start:.2f} – {stop:.2f} s · {stop - start:.2f} s"
    qtbot.keyClick(pane, Qt.Key.Key_Escape)
    assert pane.region_s is None
    assert " mean " not in chart(pane, "size").value_text
    assert not pane.tools.range_text.endswith(f"{stop - start:.2f} s")


def test_the_range_stays_while_the_view_moves_and_rate_charts_count_packets(
    charts_of: OpenCharts, qtbot: QtBot
) -> None:
    pane, document = charts_of(SAMPLE)
    pane.show_chart("packets", True)
    qtbot.waitUntil(lambda: not pane.is_stale)
    pane.select_range(1.0, 3.0)
    qtbot.keyClicks(pane, "+")
    assert pane.region_s == (1.0, 3.0)
    frames = document.tables.frames.integers("time_ns")[document.tables.packets.integers("frame")]
    times = (frames - document.tables.frames.integer("time_ns", 0)) / 1e9
    own = document.tables.packets.array("session") == pane.session
    number = int((own & (times >= 1.0) & (times < 3.0)).sum())
    assert chart(pane, "packets").value_text.startswith(f"{number} packets · mean {number / 2:.1f}")


def test_r_takes_the_stretch_of_the_delta_and_f_zooms_to_it(charts_of: OpenCharts, qtbot: QtBot) -> None:
    pane, document = charts_of(SAMPLE)
    rows, times = times_of(document, pane.session)
    row = next(row for row in rows[100:] if document.tables.snapshots.integer("base", row) >= 0)
    base = document.tables.snapshots.integer("base", row)
    document.selection.select(document.tables.snapshots.integer("packet", row), row)
    qtbot.keyClicks(pane, "r")
    wanted = (times[rows.index(base)], times[rows.index(row)])
    assert np.allclose(pane.region_s or (), wanted)
    qtbot.keyClicks(pane, "f")
    assert np.allclose(pane.range_s, wanted)
    qtbot.keyClicks(pane, "0")
    assert pane.range_s[0] == 0.0
    assert np.allclose(pane.region_s or (), wanted)


def test_control_c_copies_the_values_also_where_the_window_has_that_key(charts_of: OpenCharts, qtbot: QtBot) -> None:
    pane, document = charts_of(SAMPLE)
    taken: list[bool] = []
    QShortcut(QKeySequence("Ctrl+C"), pane).activated.connect(lambda: taken.append(True))
    row = times_of(document, pane.session)[0][200]
    document.selection.select(document.tables.snapshots.integer("packet", row), row)
    pane.setFocus()
    QGuiApplication.clipboard().clear()
    qtbot.keyClick(pane, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = dict(line.split("\t") for line in QGuiApplication.clipboard().text().splitlines())
    assert lines["Snapshot size"] == f"{document.tables.snapshots.integer('wire_bytes', row)} B"
    assert lines["Items"] == str(document.tables.snapshots.integer("items", row))
    assert not taken


def test_the_menu_copies_and_zooms(charts_of: OpenCharts, qtbot: QtBot) -> None:
    pane, document = charts_of(SAMPLE)
    canvas = chart(pane, "size").canvas
    rows, times = times_of(document, pane.session)
    pane.show_range(times[200], times[230])
    at = canvas.place_of(times[215], 0.0).toPoint() + QPoint(0, -10)
    choose(menu_of(pane, at), "Copy value here")
    assert QGuiApplication.clipboard().text() == f"{document.tables.snapshots.integer('wire_bytes', rows[215])} B"
    choose(menu_of(pane, at), "Copy picture")
    assert QGuiApplication.clipboard().image().width() == pane.pages.width()
    pane.select_range(times[205] - 0.001, times[209] + 0.001)
    choose(menu_of(pane, at), "Copy CSV")
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text().startswith("time_s"))
    assert len(list(csv.DictReader(io.StringIO(QGuiApplication.clipboard().text())))) == 5
    choose(menu_of(pane, at), "Zoom to range")
    assert np.allclose(pane.range_s, (times[205] - 0.001, times[209] + 0.001))
    choose(menu_of(pane, at), "Clear range")
    assert pane.region_s is None
    choose(menu_of(pane, at), "Show all")
    assert pane.range_s[0] == 0.0


def test_preferences_are_followed(charts_of: OpenCharts) -> None:
    pane, document = charts_of(SLICES)
    pane.set_preferences(Preferences(size_unit="delta", base_age_limit_ms=120))
    size, age = chart(pane, "size"), chart(pane, "age")
    assert size.spec.metric is Metric.DELTA_BYTES
    assert age.canvas.content.threshold == 120.0
    assert next(entry.text for entry in age.header.legend) == "delayed over 120 ms"
    checked = {action.data() for action in pane.tools.charts_menu.actions() if action.isChecked()}
    assert "delta_bytes" in checked
    assert "wire_bytes" not in checked
    row = times_of(document, pane.session)[0][40]
    document.selection.select(document.tables.snapshots.integer("packet", row), row)
    assert size.value_text.replace("\u202f", "") == f"{document.tables.snapshots.integer('delta_bytes', row)} B"
    pane.set_unit(Metric.BASE_AGE_TICKS)
    assert age.canvas.content.threshold is None
    pane.set_unit(Metric.BASE_AGE_MS)
    assert age.canvas.content.threshold == 120.0
    pane.set_preferences(Preferences())
    assert size.spec.metric is Metric.WIRE_BYTES
    assert age.canvas.content.threshold == 500.0


def test_what_is_not_decoded_yet_is_hatched(qtbot: QtBot, pane: ChartStack) -> None:
    document = Document.open(SLICES)
    pane.show_document(document)
    worker = document.worker.capture
    for _ in range(3):
        worker.step()
    document.rows_added.emit()
    document.progressed.emit(0.2)
    qtbot.waitUntil(lambda: not pane.is_stale)
    last = (document.tables.frames.integers("time_ns").max() - document.tables.frames.integer("time_ns", 0)) / 1e9
    size = chart(pane, "size")
    assert size.canvas.content.undecoded == last
    assert pane.range_s[1] > 4 * last
    assert {chart.sentence for chart in pane.charts if chart.isVisible()} <= {""}
    image, ratio = size.canvas.grab().toImage(), pane.devicePixelRatioF()
    rect = size.canvas.plot_rect
    seen = {
        image.pixelColor(int(x * ratio), int(rect.center().y() * ratio)).name()
        for x in range(int(rect.right()) - 60, int(rect.right()) - 10)
    }
    assert QColor(LIGHT.color("lane_bg")).name() in seen
    assert len(seen) > 1
    pane.show_range(2 * last, 3 * last)
    assert size.sentence == "Not decoded yet"
    pane.show_document(None)
    document.close()


def test_pointer_and_cursor_leave_the_still_layer_alone(charts_of: OpenCharts, qtbot: QtBot) -> None:
    pane, document = charts_of(SLICES)
    pane.grab()
    canvases = [chart.canvas for chart in pane.charts if chart.isVisible()]
    painted = [canvas.still_paints for canvas in canvases]
    rows, _ = times_of(document, pane.session)
    for row in rows[10:20]:
        qtbot.mouseMove(canvases[0], QPoint(60 + row % 100, 40))
        document.selection.select(document.tables.snapshots.integer("packet", row), row)
        pane.grab()
    assert [canvas.still_paints for canvas in canvases] == painted
    assert canvases[0].cursor_at is not None
    pane.show_range(1.0, 2.0)
    pane.grab()
    assert [canvas.still_paints for canvas in canvases] == [number + 1 for number in painted]
