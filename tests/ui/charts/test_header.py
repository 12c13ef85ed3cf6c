"""The line above a chart: what has room for what, when the legend has a line of its own, and in which order it is."""

from __future__ import annotations

import pytest
from capture_files import BUNDLED
from pytestqt.qtbot import QtBot

from tests.ui.charts.conftest import OpenCharts
from ui.charts.chart import Chart
from ui.charts.header import HEIGHT, LEGEND_HEIGHT, Header, LegendEntry
from ui.charts.stack import ChartStack
from ui.theme import LIGHT

BOTS = BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz"
LINE = LegendEntry("line", "series1", "bot0")
FAILED = LegendEntry("triangle", "lane_fail", "failed")
FULL = LegendEntry("diamond", "lane_full", "full")
OTHERS = LegendEntry("area", "line", "others, p10–p90")
AGAIN = LegendEntry("area", "line", "others, p10–p90", repeated=True)


def header(qtbot: QtBot, width: int, *entries: LegendEntry, zoom: float = 1.0) -> Header:
    made = Header(LIGHT)
    qtbot.addWidget(made)
    made.set_zoom(zoom)
    made.set_title("Snapshot size", "bytes on the wire")
    made.set_legend(entries)
    made.resize(width, made.height())
    made.show()
    return made


def chart(pane: ChartStack, key: str) -> Chart:
    return next(found for found in pane.charts if found.spec.key == key)


def texts(entries: tuple[LegendEntry, ...]) -> list[str]:
    return [entry.text for entry in entries]


def test_where_there_is_room_all_stands_in_one_line(qtbot: QtBot) -> None:
    made = header(qtbot, 700, LINE, FAILED, FULL, OTHERS)
    assert made.height() == HEIGHT
    assert made.shown == (LINE, FAILED, FULL, OTHERS)


@pytest.mark.parametrize(("width", "zoom"), [(340, 1.0), (340, 1.5), (440, 2.0)])
def test_the_legend_has_its_own_line_where_it_does_not_fit(qtbot: QtBot, width: int, zoom: float) -> None:
    made = header(qtbot, width, LINE, FULL, OTHERS, zoom=zoom)
    assert made.height() == round((HEIGHT + LEGEND_HEIGHT) * zoom)
    assert made.shown == (LINE, FULL, OTHERS)
    made.resize(1200, made.height())
    assert made.height() == round(HEIGHT * zoom)


def test_what_an_earlier_chart_says_takes_no_line_and_goes_first(qtbot: QtBot) -> None:
    assert header(qtbot, 340, LINE, AGAIN).height() == HEIGHT
    crowded = header(qtbot, 340, AGAIN, LINE)
    assert crowded.shown == (AGAIN, LINE)
    crowded.set_value("1 999 · 12–3 999 B")
    assert crowded.shown == (LINE,)
    assert header(qtbot, 340, AGAIN).height() == HEIGHT


def test_the_first_entries_have_the_first_claim(qtbot: QtBot) -> None:
    assert header(qtbot, 170, LINE, FAILED, OTHERS).shown == (LINE, FAILED)


def test_what_stands_at_the_cursor_moves_nothing(qtbot: QtBot) -> None:
    for width in range(300, 620, 20):
        made = header(qtbot, width, LINE, FULL, OTHERS)
        height = made.height()
        made.set_value("1 999 · mean 1 555 · 12–3 999 B")
        assert made.height() == height


def test_a_long_name_leaves_room_for_the_rest(qtbot: QtBot) -> None:
    name = LegendEntry("line", "series1", "a player whose name has forty letters....")
    assert header(qtbot, 340, name, FAILED, FULL).shown == (name, FAILED, FULL)


def test_the_legend_is_painted_where_it_is_said_to_be(qtbot: QtBot) -> None:
    """The sign of what failed is found in its colour in the line of the legend, and nowhere without it."""
    failing, fine = header(qtbot, 340, LINE, FAILED, OTHERS), header(qtbot, 340, LINE, FULL, OTHERS)
    colour = LIGHT.color("lane_fail").rgb()

    def rows(made: Header) -> set[int]:
        image = made.grab().toImage()
        return {y for y in range(image.height()) for x in range(image.width()) if image.pixel(x, y) == colour}

    assert rows(failing)
    assert min(rows(failing)) >= HEIGHT
    assert not rows(fine)


def test_the_order_of_the_legend_is_threshold_client_faults_full_others(charts_of: OpenCharts, qtbot: QtBot) -> None:
    pane, document = charts_of(BOTS)
    document.selection.select(document.tables.snapshots.integer("packet", 100), 100)
    qtbot.waitUntil(lambda: not pane.is_stale)
    client = pane.scope.data.client(pane.session) if pane.scope is not None else ""
    assert texts(chart(pane, "size").header.legend) == [client, "full", "others, p10–p90"]
    assert texts(chart(pane, "age").header.legend) == ["delayed over 500 ms", client, "others, p10–p90"]
    assert texts(chart(pane, "parts").header.legend) == []
    assert [entry.repeated for entry in chart(pane, "size").header.legend] == [False] * 3
    assert [entry.repeated for entry in chart(pane, "items").header.legend] == [False, True]
    pane.show_all_clients(True)
    assert texts(chart(pane, "size").header.legend) == ["median", "all, p10–p90"]


def test_faults_stand_in_the_legend_the_worst_first_and_before_the_others(charts_of: OpenCharts) -> None:
    pane, _ = charts_of(BUNDLED / "ddnet_tsunami_badcrc_head.pcap")
    pane.show_all_clients(True)
    said = texts(chart(pane, "size").header.legend)
    faults = [text for text in said if text in ("failed", "lost", "unknown")]
    assert "failed" in faults
    assert faults == sorted(faults)
    assert said.index("median") < said.index(faults[0])
    assert said.index(faults[-1]) < said.index("all, p10–p90")


def test_a_narrow_pane_at_150_percent_says_legend_and_range_and_keeps_its_plots(
    charts_of: OpenCharts, qtbot: QtBot
) -> None:
    pane, document = charts_of(BOTS)
    document.selection.select(document.tables.snapshots.integer("packet", 100), 100)
    pane.set_zoom(1.5)
    pane.resize(340, 600)
    qtbot.waitUntil(lambda: not pane.is_stale)
    size = chart(pane, "size").header
    assert size.shown == size.legend
    assert pane.tools.shown_range == pane.tools.range_text != ""
    for found in pane.shown_charts:
        assert found.canvas.height() >= 54 * 1.5 - 1
        assert found.header.shown[:2] == found.header.legend[:2]
    pane.set_zoom(1.0)
    pane.resize(600, 900)
    qtbot.waitUntil(lambda: not pane.is_stale)
    assert pane.tools.shown_range == pane.tools.range_text
    assert size.height() == HEIGHT


def test_two_lines_stay_while_entries_come_and_go(qtbot: QtBot) -> None:
    made = header(qtbot, 260)
    one = made.height()
    made.keep_lines(True)
    made.set_legend((LINE, FAILED, FULL))
    two = made.height()
    assert two > one
    made.set_legend(())
    assert made.height() == two
    made.keep_lines(False)
    assert made.height() == one
