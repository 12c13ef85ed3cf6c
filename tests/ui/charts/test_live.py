"""Where the axis of a live capture ends, however packets come, and the newest value above each chart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.ui.conftest import WAIT_MS
from tests.ui.growing import Growing
from ui.charts.live import MARGIN_S, MOST_BEHIND_S, LiveEnd
from ui.charts.stack import LIVE_S, ChartStack
from ui.document import Document

FRAME_S = 0.05


def ends(newest: Callable[[float], float], frames: int, other_clock_s: float = 0.0) -> list[float]:
    """The ends of so many frames; `newest`: time of the newest packet at a time of the clock."""
    axis = LiveEnd()
    times = [frame * FRAME_S for frame in range(frames)]
    return [axis.at(newest(now), now + other_clock_s) for now in times]


def test_batches_do_not_shake_the_axis() -> None:
    found = ends(lambda now: now - now % 0.4, 400)
    steps = [after - before for before, after in pairwise(found[200:])]
    assert min(steps) > 0.6 * FRAME_S
    assert max(steps) < 1.5 * FRAME_S


def test_it_moves_on_while_nothing_comes() -> None:
    found = ends(lambda now: min(now, 5.0), 400)
    assert found[-1] == pytest.approx(399 * FRAME_S - MARGIN_S)


def test_it_ends_behind_what_has_come_by_a_little() -> None:
    for now, end in enumerate(ends(lambda now: now, 100, other_clock_s=1e6)):
        assert end == pytest.approx(now * FRAME_S - MARGIN_S, abs=1e-6)


def test_a_decoder_that_falls_behind_is_followed() -> None:
    """Half as fast as the clock: the right edge stays where packets are."""
    found = ends(lambda now: now / 2, 1000)
    assert found[-1] - 999 * FRAME_S / 2 < 1.0


def test_a_decoder_that_catches_up_is_followed_at_once() -> None:
    found = ends(lambda now: 0.0 if now < 1.0 else 500.0 + now, 40)
    assert found[20] >= 501.0 - MOST_BEHIND_S


@given(st.lists(st.tuples(st.floats(0.0, 5.0), st.floats(-10.0, 10.0)), max_size=50))
def test_it_never_moves_back(steps: list[tuple[float, float]]) -> None:
    axis, now, newest, before = LiveEnd(), 0.0, 0.0, float("-inf")
    for wait, came in steps:
        now, newest = now + wait, max(newest, newest + came)
        end = axis.at(newest, now)
        assert end >= before
        assert end >= newest - MOST_BEHIND_S
        before = end


@pytest.fixture
def growing(tmp_path: Path) -> Growing:
    """A capture of which a tenth is written."""
    return Growing(tmp_path / "growing.pcapng")


@pytest.fixture
def live(pane: ChartStack, growing: Growing) -> Iterator[Document]:
    """A document that follows it, shown."""
    document = Document.open(growing.path, growing=True)
    pane.show_document(document)
    document.start()
    yield document
    pane.show_document(None)
    document.close()
    document.deleteLater()


def test_the_newest_stretch_moves_with_the_clock(
    pane: ChartStack, live: Document, growing: Growing, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: len(live.tables.snapshots) > 0 and pane.frames.count > 3, timeout=WAIT_MS)
    assert pane.follows
    before = pane.range_s
    assert before[1] - before[0] == pytest.approx(LIVE_S)
    # Nothing comes.
    qtbot.waitUntil(lambda: pane.range_s[1] > before[1] + 0.3, timeout=WAIT_MS)
    assert pane.tools.range_text == "last 12 s"
    size = pane.charts[0]
    drawn = len(size.drawn.x)
    growing.write(0.8)
    qtbot.waitUntil(lambda: len(size.drawn.x) > drawn, timeout=WAIT_MS)


def test_the_newest_value_stands_at_the_right(pane: ChartStack, live: Document, growing: Growing, qtbot: QtBot) -> None:
    growing.write(0.6)
    pane.show_all_clients(False)
    size = pane.charts[0]
    qtbot.waitUntil(lambda: size.canvas.newest_at is not None, timeout=WAIT_MS)
    newest = size.canvas.newest_at
    assert newest is not None
    assert size.header.value == f"{newest[1]:,.0f} B".replace(",", "\u202f")
    assert newest[1] in live.tables.snapshots.integers("wire_bytes").tolist()
    # Without anything new it is out of date.
    qtbot.waitUntil(lambda: size.canvas.newest_at is None, timeout=WAIT_MS)
    assert size.header.value == "–"


def test_looking_elsewhere_stops_following_and_follow_goes_on(pane: ChartStack, live: Document, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: pane.frames.count > 3 and pane.range_s[1] > 0.5, timeout=WAIT_MS)
    told: list[bool] = []
    pane.following_changed.connect(told.append)
    pane.zoom_step(1)
    assert pane.follows, "closer, at the same edge"
    pane.show_range(0.0, 0.2)
    assert not pane.follows
    count = pane.frames.count
    end = pane.range_s
    qtbot.wait(200)
    assert pane.range_s == end
    assert pane.frames.count == count
    pane.follow()
    qtbot.waitUntil(lambda: pane.frames.count > count, timeout=WAIT_MS)
    pane.select_range(0.1, 0.2)
    assert not pane.follows
    pane.follow()
    live.selection.select(0, -1)
    assert not pane.follows
    assert told == [False, True, False, True, False]


def test_a_pause_freezes_the_charts(pane: ChartStack, live: Document, growing: Growing, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: len(live.tables.snapshots) > 0 and pane.frames.count > 3, timeout=WAIT_MS)
    live.pause(True)
    qtbot.waitUntil(lambda: not pane.is_stale, timeout=WAIT_MS)
    assert pane.scope is not None
    series, frames = pane.scope.data.series, pane.frames.count
    frozen, rows, shown = pane.range_s, len(live.tables.snapshots), (len(pane.charts[0].drawn.x), len(series))
    with qtbot.waitSignal(live.waiting, timeout=WAIT_MS):
        growing.write(0.8)
    qtbot.waitUntil(lambda: len(live.tables.snapshots) > rows, timeout=WAIT_MS)
    # Whatever has them drawn anew.
    pane.resize(pane.width(), pane.height() + 20)
    qtbot.waitUntil(lambda: not pane.is_stale, timeout=WAIT_MS)
    assert (pane.range_s, (len(pane.charts[0].drawn.x), len(series))) == (frozen, shown)
    assert pane.frames.count == frames
    live.pause(False)
    qtbot.waitUntil(lambda: len(series) > shown[1] and pane.frames.count > frames, timeout=WAIT_MS)


def test_the_end_of_the_capture_ends_pause_and_motion(
    pane: ChartStack, live: Document, growing: Growing, qtbot: QtBot
) -> None:
    live.pause(True)
    growing.write(1.0)
    with qtbot.waitSignal(live.decoded, timeout=WAIT_MS):
        live.finish()
    assert not live.is_paused
    live.pause(True)
    assert not live.is_paused, "nothing comes that could wait"
    qtbot.waitUntil(lambda: not pane.is_stale, timeout=WAIT_MS)
    assert not pane.follows
    assert pane.range_s[0] >= 0.0
    assert pane.range_s[1] == pytest.approx(pane.scope.data.last_s if pane.scope else 0.0)


def test_a_pointer_that_rests_reads_what_passes_below_it(pane: ChartStack, live: Document, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: pane.frames.count > 3 and pane.isVisible(), timeout=WAIT_MS)
    hovered: list[int | None] = []
    live.selection.hovered.connect(hovered.append)
    canvas = pane.charts[0].canvas
    qtbot.mouseMove(canvas, QPoint(canvas.width() // 2, 20))
    qtbot.waitUntil(lambda: len(set(hovered)) > 3, timeout=WAIT_MS)
    assert hovered == sorted(hovered, key=lambda time_ns: time_ns or 0)
    QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))
    assert hovered[-1] is None
