"""What the overview strip shows, made on the query thread: lanes in their order and their pixels. Knows no widget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from PySide6.QtGui import QImage

from analyzer.stats.bars import Kind
from analyzer.stats.lane_order import Placed, Sign, lane_order
from analyzer.stats.losses import CaptureLoss, losses
from analyzer.stats.range_stats import RangeStats, range_stats
from analyzer.stats.strip import Window, band_of, bar_near, bar_within, strip_of
from analyzer.stats.timeline import Timeline
from analyzer.store.tables import Tables
from ui.overview import raster
from ui.overview.layout import StripLayout
from ui.theme import Theme
from ui.words import count, quantity

FULL_AGE_US = 1_000_000
"""A baseline of this age is as high as the lane."""
BAND_COLUMN = 3
"""Pixels a column of the byte band."""
NEAR = 3
"""Pixels to each side in which a bar is meant by the pointer."""


@dataclass(frozen=True, slots=True)
class LaneRow:
    """A lane as it is named at the left."""

    flow: int
    sign: Sign
    name: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be shown. Times are nanoseconds from the first frame."""

    start_ns: int
    stop_ns: int
    range_ns: tuple[int, int] | None
    """Lanes are ordered by what they are like in it; None: in what is in view."""
    width: int
    """Of the strip, in pixels that are independent of the device."""
    most: int
    """Height of the strip."""
    small: bool
    scale: float
    ratio: float
    """Device pixels a pixel."""
    scroll: int
    session: int
    """The selected one, -1: none."""
    old_ms: float
    theme: Theme
    order: tuple[int, ...] = ()
    """Flows in the order that is kept while a person points at them; empty: worst first."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What there is."""

    wanted: Wanted | None = None
    layout: StripLayout = field(default_factory=lambda: StripLayout(1, 0))
    lanes: tuple[LaneRow, ...] = ()
    body: QImage | None = None
    """The lanes that are in view."""
    band: QImage | None = None
    peak: float = 0.0
    """Bytes a second in the fullest column of the byte band."""
    losses: tuple[CaptureLoss, ...] = ()
    chosen_text: str = ""
    """The selected lane in words."""
    stats: RangeStats | None = None
    """Of the range, where there is one."""
    behind: bool = False
    """Not all snapshots were taken in."""


@dataclass(frozen=True, slots=True)
class Hit:
    """What is at a place of a lane."""

    lane: int
    snapshot: int
    """Its row, -1: there is none near."""


class Desk:
    """Of one capture, for the query thread alone."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._timeline = Timeline(tables)
        self._last: tuple[int, Wanted, bool] | None = None

    def show(self, wanted: Wanted, most: int | None) -> Shown | None:
        """What is to be shown, after about `most` more snapshots were taken in; None: what was shown last."""
        timeline = self._timeline
        timeline.update(most)
        now = timeline.version, wanted, timeline.is_current
        if self._last == now and timeline.is_current:
            return None
        self._last = now
        return self._shown(wanted)

    def hit(self, wanted: Wanted, flow: int, lane: int, x: float) -> Hit:
        """The worst snapshot at a place of a lane, or the nearest one in sight; `x`: pixels from where times begin."""
        layout = StripLayout(wanted.width, 1, scale=wanted.scale)
        span, wide = wanted.stop_ns - wanted.start_ns, max(1, layout.right - layout.left)
        own = self._timeline.lane(flow)
        first, last = (wanted.start_ns + round((x + step) / wide * span) for step in (-0.5, 0.5))
        found = bar_within(own, first, max(first + 1, last), wanted.old_ms)
        if found < 0:
            near = bar_near(own, (first + last) // 2)
            at = int(own.time_ns[own.rows == near][0]) if near >= 0 else 0
            within = abs(at - (first + last) // 2) <= NEAR / wide * span
            found = near if near >= 0 and within else -1
        return Hit(lane, found)

    def nearest(self, flow: int, lane: int, time_ns: int) -> Hit:
        """The snapshot of a lane that is nearest in time."""
        return Hit(lane, bar_near(self._timeline.lane(flow), time_ns))

    def beside(self, flow: int, lane: int, snapshot: int, step: int) -> Hit:
        """The snapshot of a lane before (-1) or behind (1) one of its own; the first or the last, if it is none."""
        own = self._timeline.lane(flow)
        if not len(own):
            return Hit(lane, -1)
        here = np.flatnonzero(own.rows == snapshot)
        at = int(here[0]) + step if len(here) else (0 if step > 0 else len(own) - 1)
        return Hit(lane, int(own.rows[at]) if 0 <= at < len(own) else -1)

    def _shown(self, wanted: Wanted) -> Shown:
        timeline = self._timeline
        placed = self._ordered(wanted)
        flow = timeline.flow_of(wanted.session)
        chosen = next((at for at, lane in enumerate(placed) if lane.flow == flow), -1)
        layout = StripLayout(
            wanted.width,
            len(placed),
            chosen,
            wanted.scroll,
            small=wanted.small,
            scale=wanted.scale,
            most=wanted.most,
        )
        layout = replace(layout, scroll=min(layout.scroll, layout.most_scroll))
        return Shown(
            wanted,
            layout,
            tuple(LaneRow(lane.flow, lane.sign, self._name(lane.flow)) for lane in placed),
            self._body(wanted, layout, placed),
            *self._band(wanted, layout),
            tuple(losses(self._tables, wanted.start_ns, wanted.stop_ns)),
            self._text(flow, wanted) if chosen >= 0 else "",
            None if wanted.range_ns is None else range_stats(timeline, *wanted.range_ns, old_ms=wanted.old_ms),
            not timeline.is_current,
        )

    def _ordered(self, wanted: Wanted) -> list[Placed]:
        start, stop = wanted.range_ns or (wanted.start_ns, wanted.stop_ns)
        placed = lane_order(self._timeline, start, max(stop, start + 1), wanted.old_ms)
        if wanted.order:
            places = {flow: at for at, flow in enumerate(wanted.order)}
            placed.sort(key=lambda lane: places.get(lane.flow, len(places)))
        return placed

    def _body(self, wanted: Wanted, layout: StripLayout, placed: Sequence[Placed]) -> QImage:
        ratio = wanted.ratio
        width, height = round((layout.right - layout.left) * ratio), round(layout.room * ratio)
        seen = [
            number
            for number in range(len(placed))
            if layout.lane_top(number) < layout.top + layout.room
            and layout.lane_top(number) + layout.lane_height(number) > layout.top
        ]
        window = Window(wanted.start_ns, wanted.stop_ns, max(1, width))
        strip = strip_of(self._timeline, [placed[number].flow for number in seen], window, wanted.old_ms)
        ages = np.clip(strip.age_us / FULL_AGE_US, 0.0, 1.0).astype(np.float32)
        kinds, ages = raster.widened(strip.kind, ages)
        for step in range(round(2 * ratio)):
            within = strip.first_column + step < window.columns
            kinds[strip.first_lane[within], strip.first_column[within] + step] = Kind.FIRST
        places = [
            raster.LanePlace(
                round((layout.lane_top(number) - layout.top) * ratio),
                round(layout.lane_height(number) * ratio),
                chosen=number == layout.chosen,
            )
            for number in seen
        ]
        return raster.image(raster.lanes(kinds, ages, places, height, wanted.theme), ratio)

    def _band(self, wanted: Wanted, layout: StripLayout) -> tuple[QImage, float]:
        ratio = wanted.ratio
        column = max(1, round(BAND_COLUMN * ratio))
        count_of = max(1, round((layout.right - layout.left) * ratio) // column)
        band = band_of(self._timeline, Window(wanted.start_ns, wanted.stop_ns, count_of))
        rates = band.bytes * (1e9 / band.column_ns)
        shares = (rates / band.scale if band.scale else rates).astype(np.float32)
        pixels = raster.band(shares, round(layout.band * ratio), column, wanted.theme)
        return raster.image(pixels, ratio), band.peak

    def _name(self, flow: int) -> str:
        """What a person calls a client: the player's name, `:port` until it is known."""
        sessions = self._timeline.sessions(flow).tolist()
        names = [name for session in reversed(sessions) if (name := self._tables.sessions.text("player", session))]
        if names:
            return names[0]
        end = "address_b" if self._tables.flows.integer("server", flow) == 0 else "address_a"
        return ":" + self._tables.flows.text(end, flow).rpartition(":")[2]

    def _text(self, flow: int, wanted: Wanted) -> str:
        lane = self._timeline.lane(flow)
        start, stop = wanted.range_ns or (wanted.start_ns, wanted.stop_ns)
        kinds = lane.kind[slice(*lane.between(start, stop))]
        full, failed = (int(np.count_nonzero(kinds == kind)) for kind in (Kind.FULL, Kind.FAILED))
        failures = quantity(failed) if failed else "none"
        return f"{self._name(flow)}, {count(len(kinds), 'snapshot')}, {quantity(full)} full, {failures} failed"
