"""The charts pane driven by hand on real captures: what it draws, selects, follows, copies."""

from __future__ import annotations

import csv
import io
import weakref
from pathlib import Path

import numpy as np
import pytest
from capture_files import BUNDLED, SAMPLE
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from analyzer.stats.series import Metric
from analyzer.store.tables import Tables
from tests.ui.charts.conftest import OpenCharts
from ui.charts.chart import Chart
from ui.charts.stack import ChartStack
from ui.document import Document
from ui.theme import DARK, LIGHT

SLICES = BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz"
BADCRC = BUNDLED / "ddnet_tsunami_badcrc_head.pcap"
UNDECODED = BUNDLED / "ddnet_dm6_snaplen220.pcap"


def chart(pane: ChartStack, key: str) -> Chart:
    return next(chart for chart in pane.charts if chart.spec.key == key)


def rows_of(tables: Tables, session: int) -> list[int]:
    return np.flatnonzero(tables.snapshots.array("session") == session).tolist()


def time_of(tables: Tables, row: int) -> float:
    frame = tables.packets.integer("frame", tables.snapshots.integer("packet", row))
    return (tables.frames.integer("time_ns", frame) - tables.frames.integer("time_ns", 0)) / 1e9


def pixel(pane: ChartStack, time_s: float, key: str = "size") -> QPoint:
    """Where a time lies in a chart, in its middle."""
    canvas = chart(pane, key).canvas
    rect = canvas.plot_rect
    return QPoint(round(canvas.place_of(time_s, 0.0).x()), round(rect.center().y()))


def wheel(widget: QWidget, at: QPoint, steps: int, modifiers: Qt.KeyboardModifier) -> None:
    event = QWheelEvent(
        QPointF(at),
        QPointF(widget.mapToGlobal(at)),
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def select(document: Document, row: int) -> None:
    document.selection.select(document.tables.snapshots.integer("packet", row), row)


def test_the_drawn_data_are_the_tables(charts_of: OpenCharts) -> None:
    pane, document = charts_of(SAMPLE)
    tables = document.tables
    rows = rows_of(tables, pane.session)
    start, stop = time_of(tables, rows[100]), time_of(tables, rows[160])
    pane.show_range(start, stop)
    for key, column in (("size", "wire_bytes"), ("items", "items")):
        drawn = chart(pane, key).drawn
        inside = (drawn.x >= start) & (drawn.x <= stop) & np.isfinite(drawn.y)
        assert drawn.x[inside].tolist() == [time_of(tables, row) for row in rows[100:161]]
        assert drawn.y[inside].tolist() == [tables.snapshots.integer(column, row) for row in rows[100:161]]
    bars = chart(pane, "parts").drawn
    assert bars.high.tolist() == [tables.snapshots.integer("parts", row) for row in rows[99:162]]
    pane.set_unit(Metric.DELTA_BYTES)
    drawn = chart(pane, "size").drawn
    inside = (drawn.x >= start) & (drawn.x <= stop)
    assert drawn.y[inside].tolist() == [tables.snapshots.integer("delta_bytes", row) for row in rows[100:161]]
    pane.set_unit(Metric.BASE_AGE_TICKS)
    drawn = chart(pane, "age").drawn
    assert np.nanmax(drawn.y) == max(
        tables.snapshots.integer("tick", row) - tables.snapshots.integer("base_tick", row) for row in rows[99:162]
    )


@pytest.mark.parametrize("key", ["size", "parts", "age", "items", "ack"])
def test_a_click_selects_the_nearest_snapshot(charts_of: OpenCharts, qtbot: QtBot, key: str) -> None:
    pane, document = charts_of(SAMPLE)
    rows = rows_of(document.tables, pane.session)
    times = [time_of(document.tables, row) for row in rows]
    pane.show_range(times[200], times[230])
    wanted = rows[215]
    target = chart(pane, key)
    qtbot.mouseClick(target.canvas, Qt.MouseButton.LeftButton, pos=pixel(pane, times[215], key))
    place = document.selection.place
    assert (place.snapshot, place.packet) == (wanted, document.tables.snapshots.integer("packet", wanted))
    assert chart(pane, "size").header.value.startswith(f"{document.tables.snapshots.integer('wire_bytes', wanted)}")


def test_a_click_among_all_clients_takes_the_one_under_the_pointer(charts_of: OpenCharts, qtbot: QtBot) -> None:
    pane, document = charts_of(SLICES)
    pane.show_all_clients(True)
    pane.show_range(3.0, 3.2)
    sizes = document.tables.snapshots.integers("wire_bytes")
    inside = [row for row in range(len(sizes)) if 3.05 < time_of(document.tables, row) < 3.15]
    wanted = max(inside, key=lambda row: sizes[row])
    canvas = chart(pane, "size").canvas
    place = canvas.place_of(time_of(document.tables, wanted), float(sizes[wanted])).toPoint()
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=place)
    found = document.selection.place.snapshot
    assert sizes[found] == sizes[wanted]
    assert abs(time_of(document.tables, found) - time_of(document.tables, wanted)) < 0.01


def test_selecting_elsewhere_moves_the_cursor_and_the_client(charts_of: OpenCharts, qtbot: QtBot) -> None:
    pane, document = charts_of(SLICES)
    row = rows_of(document.tables, 3)[40]
    select(document, row)
    assert pane.is_stale
    qtbot.waitUntil(lambda: not pane.is_stale)
    assert pane.session == 3
    items = chart(pane, "items")
    assert items.selected == (time_of(document.tables, row), row)
    assert items.header.value == str(document.tables.snapshots.integer("items", row))
    parts = document.tables.snapshots.integer("parts", row)
    assert chart(pane, "parts").header.value == str(parts)
    packet = int(np.flatnonzero(document.tables.packets.array("session") == 5)[0])
    document.selection.select(packet, -1)
    assert pane.session == 5
    assert items.header.value == ""


def test_the_cursor_comes_into_view(charts_of: OpenCharts) -> None:
    pane, document = charts_of(SAMPLE)
    rows = rows_of(document.tables, pane.session)
    pane.show_range(0.0, 2.0)
    select(document, rows[-1])
    start, stop = pane.range_s
    assert start <= time_of(document.tables, rows[-1]) <= stop
    assert stop - start == pytest.approx(2.0)


def test_limiting_to_a_session(charts_of: OpenCharts) -> None:
    pane, document = charts_of(SLICES)
    pane.show_all_clients(True)
    assert pane.session == -1
    document.selection.limit_to(7)
    assert pane.session == 7
    select(document, rows_of(document.tables, 2)[3])
    assert pane.session == 7
    document.selection.limit_to(-1)
    assert pane.session == -1


def test_hover_tells_all_values_at_once(charts_of: OpenCharts, qtbot: QtBot) -> None:
    pane, document = charts_of(SAMPLE)
    tables = document.tables
    rows = rows_of(tables, pane.session)
    pane.show_range(time_of(tables, rows[50]), time_of(tables, rows[70]))
    seen: list[object] = []
    document.selection.hovered.connect(seen.append)
    qtbot.mouseMove(chart(pane, "parts").canvas, pixel(pane, time_of(tables, rows[60]), "parts"))
    qtbot.waitUntil(lambda: bool(seen))
    assert chart(pane, "size").header.value == f"{tables.snapshots.integer('wire_bytes', rows[60])} B"
    assert chart(pane, "items").header.value == str(tables.snapshots.integer("items", rows[60]))
    assert document.selection.place.snapshot == -1
    document.selection.hover(None)
    assert chart(pane, "size").header.value == ""


def test_zoom_pan_and_reset(charts_of: OpenCharts, qtbot: QtBot) -> None:
    pane, _ = charts_of(SAMPLE)
    viewport = chart(pane, "size").canvas
    whole = pane.range_s
    at = pixel(pane, whole[1] / 4)
    time_s = chart(pane, "size").canvas.time_at(at.x())
    wheel(viewport, at, 1, Qt.KeyboardModifier.NoModifier)
    start, stop = pane.range_s
    assert stop - start == pytest.approx(whole[1] / 1.25)
    assert chart(pane, "size").canvas.time_at(at.x()) == pytest.approx(time_s)
    wheel(viewport, at, -1, Qt.KeyboardModifier.ShiftModifier)
    assert pane.range_s[0] > start
    qtbot.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=at)
    assert pane.range_s == whole
    a, b = pixel(pane, 5.0), pixel(pane, 10.0)
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=a)
    qtbot.mouseMove(viewport, (a + b) / 2)
    qtbot.mouseMove(viewport, b)
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=b)
    assert pane.range_s == whole
    assert pane.region_s == pytest.approx((5.0, 10.0), abs=0.2)
    qtbot.keyClicks(pane, "f")
    assert pane.range_s == pytest.approx((5.0, 10.0), abs=0.2)
    qtbot.keyClick(pane, Qt.Key.Key_Escape)
    assert pane.tools.range_text == f"{pane.range_s[0]:.1f} – {pane.range_s[1]:.1f} s"
    start, stop = pane.range_s
    qtbot.mousePress(viewport, Qt.MouseButton.MiddleButton, pos=a)
    qtbot.mouseMove(viewport, a + QPoint(100, 0))
    qtbot.mouseRelease(viewport, Qt.MouseButton.MiddleButton, pos=a + QPoint(100, 0))
    moved = 100 / chart(pane, "size").canvas.plot_rect.width() * (stop - start)
    assert pane.range_s == pytest.approx((start - moved, stop - moved))


def test_keys(charts_of: OpenCharts, qtbot: QtBot) -> None:
    pane, document = charts_of(SLICES)
    whole = pane.range_s
    qtbot.keyClicks(pane, "+")
    assert pane.range_s[1] - pane.range_s[0] == pytest.approx((whole[1] - whole[0]) / 1.25**2)
    start = pane.range_s[0]
    qtbot.keyClick(pane, Qt.Key.Key_Left)
    assert pane.range_s[0] < start
    qtbot.keyClicks(pane, "-")
    assert pane.range_s == pytest.approx(whole)
    qtbot.keyClicks(pane, "f")
    times = [time_of(document.tables, row) for row in rows_of(document.tables, pane.session)]
    assert pane.range_s == pytest.approx((times[0], times[-1]))
    qtbot.keyClicks(pane, "0")
    assert pane.range_s == whole


def test_csv_of_the_range(charts_of: OpenCharts, qtbot: QtBot) -> None:
    pane, document = charts_of(SLICES)
    tables = document.tables
    pane.show_range(1.0, 6.0)
    for every in (False, True):
        pane.show_all_clients(every)
        QGuiApplication.clipboard().clear()
        pane.commands.copy_csv()
        qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() != "")
        read = list(csv.DictReader(io.StringIO(QGuiApplication.clipboard().text())))
        start, stop = pane.range_s
        rows = range(len(tables.snapshots)) if every else rows_of(tables, pane.session)
        expected = [row for row in rows if start <= time_of(tables, row) <= stop]
        assert sorted((int(row["session"]), int(row["tick"])) for row in read) == sorted(
            (tables.snapshots.integer("session", row), tables.snapshots.integer("tick", row)) for row in expected
        )
        assert sum(int(row["wire_bytes"]) for row in read) == sum(
            tables.snapshots.integer("wire_bytes", row) for row in expected
        )
        assert {row["status"] for row in read} == {"ok"}
        assert read[0]["client"] == tables.sessions.text("player", int(read[0]["session"]))


def test_picture(charts_of: OpenCharts) -> None:
    pane, _ = charts_of(SAMPLE)
    QGuiApplication.clipboard().clear()
    pane.commands.copy_picture()
    copied = QGuiApplication.clipboard().image()
    assert copied.size() == pane.pages.size() * pane.devicePixelRatioF()


def test_both_themes_live(charts_of: OpenCharts) -> None:
    pane, _ = charts_of(SAMPLE)
    for theme, other in ((DARK, LIGHT), (LIGHT, DARK)):
        pane.set_theme(theme)
        image = pane.grab().toImage()
        names = {
            image.pixelColor(x, y).name() for x in range(0, image.width(), 3) for y in range(40, image.height(), 3)
        }
        assert theme.hex("panel").lower() in names
        assert theme.hex("series3").lower() in names or theme.hex("p1").lower() in names
        assert other.hex("panel").lower() not in names - {theme.hex("on_accent").lower()}


def test_charts_are_chosen(charts_of: OpenCharts) -> None:
    pane, document = charts_of(SAMPLE)
    assert not chart(pane, "packets").isVisible()
    for action in pane.tools.charts_menu.actions():
        if action.data() in ("packets", "bytes", "parts"):
            action.trigger()
    assert chart(pane, "packets").isVisible()
    assert not chart(pane, "parts").isVisible()
    pane.show_all()
    bars = chart(pane, "packets").drawn
    owners = document.tables.packets.array("session")
    width = float(np.diff(bars.left).min())
    assert np.isclose(bars.high * width, np.round(bars.high * width)).all()
    assert round(float((bars.high * width).sum())) == int((owners == pane.session).sum())


def test_sentences(charts_of: OpenCharts) -> None:
    pane, _ = charts_of(UNDECODED)
    assert chart(pane, "items").sentence == "No snapshot in this range could be rebuilt"
    assert chart(pane, "size").sentence == ""
    pane.show_document(None)
    assert pane.state.isVisible()


def test_a_capture_without_a_frame(charts_of: OpenCharts, qtbot: QtBot, tmp_path: Path) -> None:
    empty = tmp_path / "empty.pcap"
    empty.write_bytes(bytes.fromhex("d4c3b2a1 0200 0400 00000000 00000000 ffff0000 01000000"))
    pane, document = charts_of(empty)
    assert pane.state.accessibleName().startswith("No packets. ")
    assert not pane.tools.isEnabled()
    qtbot.keyClicks(pane, "+-0f")
    for every in (True, False):
        pane.show_all_clients(every)
    assert document.selection.place.packet == -1
    assert pane.state.isVisible()
    assert not any(chart.isVisible() for chart in pane.charts)
    pane.show_document(None)
    assert pane.state.accessibleName().startswith("No capture. ")


def test_text_twins(charts_of: OpenCharts) -> None:
    pane, document = charts_of(SAMPLE)
    number = len(rows_of(document.tables, pane.session))
    twin = chart(pane, "size").accessibleName()
    assert twin.startswith("Snapshot size, bytes on the wire: ")
    assert f", {number} snapshots, " in twin
    assert twin.endswith(" full, none failed")


def test_faults_are_named_in_the_legend(charts_of: OpenCharts) -> None:
    pane, document = charts_of(BADCRC)
    wrong = int(np.flatnonzero(document.tables.snapshots.array("status") == 1)[0])
    select(document, wrong)
    assert "failed" in [entry.text for entry in chart(pane, "size").header.legend]
    assert "failed" not in [entry.text for entry in chart(pane, "items").header.legend]


def test_a_hidden_pane_draws_when_it_is_shown(qtbot: QtBot, pane: ChartStack) -> None:
    pane.hide()
    document = Document.open(SAMPLE)
    pane.show_document(document)
    with qtbot.waitSignal(document.decoded, timeout=120_000):
        document.start()
    assert pane.is_stale
    assert chart(pane, "size").drawn.empty
    pane.show()
    qtbot.waitUntil(lambda: not pane.is_stale)
    assert not chart(pane, "size").drawn.empty
    pane.show_document(None)
    document.close()


def test_documents_come_and_go(qtbot: QtBot, pane: ChartStack) -> None:
    """Switched while decoding; nothing reaches the pane from a document it let go of, and nothing keeps that alive."""
    kept = []
    for path in (SAMPLE, BADCRC, SAMPLE):
        document = Document.open(path)
        pane.show_document(document)
        document.start()
        qtbot.waitUntil(lambda document=document: len(document.tables.snapshots) > 50, timeout=60_000)
        document.selection.hover(0)
        kept.append(weakref.ref(document.tables))
        pane.show_document(None)
        document.selection.select(0, 0)
        document.close()
        document.deleteLater()
        assert pane.state.isVisible()
    del document
    QApplication.sendPostedEvents(None, 52)
    qtbot.waitUntil(lambda: all(reference() is None for reference in kept), timeout=10_000)
