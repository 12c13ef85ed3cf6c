"""One plot: the only place that knows pyqtgraph. Gets arrays and names of colours, and says what time is where."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.charts.drawing import NO_FAULT, Drawn, Fault
from ui.theme import Theme

LEFT_AXIS = 40
AXIS_GAP = 8
RIGHT_MARGIN = 8
BOTTOM_AXIS = 18
BOTTOM_MARGIN = 6
"""Below a chart without times: half the height of its label 0."""
LINE_WIDTH = 1.4
SIGN_SIZE = 8
_NOTHING = np.empty(0)
_PARTS = (("p1", 0.0, 1.0), ("p2", 1.0, 2.0), ("p3", 2.0, np.inf))
"""Colours of bars that count parts: above and up to."""
_SIGNS = {"failed": ("t", "lane_fail", True), "lost": ("t", "lane_late", False), "unknown": ("s", "text3", False)}
"""Sign -> form, colour, filled."""
_WASH = {"failed": ("error_bg", Qt.PenStyle.SolidLine), "lost": ("warn_bg", Qt.PenStyle.DashLine)}
"""What is marked in all charts: tint of a stretch, and form of the thin line at a single one."""


class Canvas(QWidget):
    """A plot with a left axis, and a bottom axis if asked for. It does nothing by itself with the mouse."""

    def __init__(self, theme: Theme, color: str, *, by_parts: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._color = color
        self._x = (0.0, 1.0)
        self._y = (0.0, 1.0)
        self._faults: dict[str, Fault] = {}
        self._shows_signs = False
        self._plot = pg.PlotWidget(self, enableMenu=False)
        self._plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._plot.setFrameShape(self._plot.Shape.NoFrame)
        self._item = self._plot.getPlotItem()
        self._box = self._item.getViewBox()
        self._levels = _PARTS if by_parts else ((color, -np.inf, np.inf),)
        self._make_plain()
        self._make_items()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._plot)
        self.set_theme(theme)

    def _make_plain(self) -> None:
        """Neither menu nor buttons nor dragging of pyqtgraph's own."""
        self._item.setMenuEnabled(False)
        self._item.hideButtons()
        self._item.layout.setContentsMargins(0, 0, RIGHT_MARGIN, 0)
        self._box.setMouseEnabled(x=False, y=False)
        self._box.disableAutoRange()
        self._box.setDefaultPadding(0.0)
        for name in ("left", "bottom"):
            axis = self._item.getAxis(name)
            axis.setStyle(tickLength=0, autoExpandTextSpace=False)
            axis.enableAutoSIPrefix(False)
        self._item.getAxis("left").setWidth(LEFT_AXIS)

    def _make_items(self) -> None:
        self._grid = self._add(pg.PlotCurveItem(connect="pairs"), 0)
        self._wash = {name: self._add(_bar_item(), 1) for name in _WASH}
        self._band = self._add(_bar_item(), 2)
        self._thin = {name: self._add(pg.PlotCurveItem(connect="pairs"), 2) for name in _WASH}
        self._bars = [self._add(_bar_item(), 3) for _ in self._levels]
        self._threshold = self._add(pg.InfiniteLine(angle=0), 4)
        self._curve = self._add(pg.PlotCurveItem(connect="finite"), 5)
        # Separate segments: one stroked path of a crowded line takes Qt a third of a second.
        self._curve.setSegmentedLineMode("on")
        self._points = self._add(pg.ScatterPlotItem(size=4), 5)
        self._full = self._add(pg.ScatterPlotItem(size=SIGN_SIZE, symbol="d"), 6)
        self._signs = {
            name: self._add(pg.ScatterPlotItem(size=SIGN_SIZE, symbol=_SIGNS[name][0]), 7) for name in _SIGNS
        }
        self._region = self._add(pg.LinearRegionItem(values=(0, 0), movable=False), 8)
        self._hover = self._add(pg.InfiniteLine(angle=90), 9)
        self._cursor = self._add(pg.InfiniteLine(angle=90), 9)
        self._ring = self._add(pg.ScatterPlotItem(size=9), 10)
        for item in (self._threshold, self._region, self._cursor, self._hover):
            item.hide()

    def _add(self, item: Any, z: int) -> Any:
        item.setZValue(z)
        self._item.addItem(item, ignoreBounds=True)
        return item

    @property
    def viewport(self) -> QWidget:
        """What gets the mouse."""
        viewport: QWidget = self._plot.viewport()
        return viewport

    @property
    def plot_rect(self) -> QRectF:
        """Where the plot itself lies in the viewport."""
        rect: QRectF = self._box.sceneBoundingRect()
        return rect

    def time_at(self, x: float) -> float:
        """Seconds at a pixel of the viewport."""
        rect = self.plot_rect
        return self._x[0] + (x - rect.left()) / max(1.0, rect.width()) * (self._x[1] - self._x[0])

    def place_of(self, time_s: float, value: float) -> QPointF:
        """Pixel of the viewport where a value stands."""
        rect = self.plot_rect
        x = (time_s - self._x[0]) / (self._x[1] - self._x[0])
        y = (value - self._y[0]) / (self._y[1] - self._y[0])
        return QPointF(rect.left() + x * rect.width(), rect.bottom() - y * rect.height())

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme from now on."""
        self._theme = theme
        color = theme.color
        self._plot.setBackground(color("panel"))
        for name in ("left", "bottom"):
            self._item.getAxis(name).setPen(color("line"))
            self._item.getAxis(name).setTextPen(color("text2"))
        own = color(self._color)
        self._grid.setPen(_pen(color("grid")))
        self._band.setOpts(pen=None, brush=color("line"))
        self._curve.setPen(_pen(own, LINE_WIDTH))
        self._points.setPen(None)
        self._points.setBrush(own)
        self._full.setPen(_pen(color("lane_full"), 1.2))
        self._full.setBrush(color("panel"))
        for item, (name, _, _) in zip(self._bars, self._levels, strict=True):
            item.setOpts(pen=None, brush=color(name))
        for name, item in self._signs.items():
            _, tone, filled = _SIGNS[name]
            item.setPen(_pen(color(tone), 1.2))
            item.setBrush(color(tone if filled else "panel"))
        for name, item in self._thin.items():
            item.setPen(_pen(_faint(color(_SIGNS[name][1]), 0.45), 1.0, _WASH[name][1]))
        for name, item in self._wash.items():
            item.setOpts(pen=None, brush=color(_WASH[name][0]))
        self._threshold.setPen(_pen(color("lane_late"), 1.2, Qt.PenStyle.DashLine))
        self._region.setBrush(_faint(color("accent"), 0.15))
        self._cursor.setPen(_pen(color("mark"), 1.4))
        self._hover.setPen(_pen(color("text3")))
        self._ring.setPen(_pen(own, 1.6))
        self._ring.setBrush(color("panel"))
        self._place_faults()

    def set_font(self, font: QFont) -> None:
        """Font of the axes."""
        for name in ("left", "bottom"):
            self._item.getAxis(name).setStyle(tickFont=font)
        # Five digits with their group, or the axis would leave out labels that do not fit.
        wide = QFontMetricsF(font).horizontalAdvance("00\u202f000") + AXIS_GAP
        self._item.getAxis("left").setWidth(max(LEFT_AXIS, ceil(wide)))

    def set_bottom_axis(self, shown: bool) -> None:
        """Only the last chart of a stack has times."""
        self._item.getAxis("bottom").setHeight(BOTTOM_AXIS if shown else BOTTOM_MARGIN)
        self._item.getAxis("bottom").setStyle(showValues=shown)

    def set_range(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        """Times and values at the edges."""
        self._x, self._y = x, y
        self._box.setRange(xRange=x, yRange=y, padding=0.0, disableAutoRange=True)
        self._place_faults()

    def set_ticks(self, values: Sequence[tuple[float, str]], times: Sequence[tuple[float, str]]) -> None:
        """Labels of both axes; a grid line at each value."""
        self._item.getAxis("left").setTicks([list(values)])
        self._item.getAxis("bottom").setTicks([list(times)])
        lines = np.repeat([value for value, _ in values], 2)
        self._grid.setData(np.tile(self._x, len(values)), lines)

    def set_line(self, drawn: Drawn) -> None:
        """The curve; smooth while it has no more points than pixels, beyond that nobody sees it and it costs double."""
        self._curve.setData(drawn.x, drawn.y, antialias=len(drawn.x) <= self.plot_rect.width())

    def set_points(self, drawn: Drawn) -> None:
        """Single points."""
        self._points.setData(drawn.x, drawn.y)

    def set_bars(self, drawn: Drawn) -> None:
        """Bars from zero."""
        for item, (_, above, most) in zip(self._bars, self._levels, strict=True):
            own = (drawn.high > above) & (drawn.high <= most)
            item.setOpts(x0=drawn.left[own], x1=drawn.right[own], y0=drawn.low[own], y1=drawn.high[own])

    def set_band(self, drawn: Drawn) -> None:
        """The band behind the curve."""
        self._band.setOpts(x0=drawn.left, x1=drawn.right, y0=drawn.low, y1=drawn.high)

    def set_full(self, drawn: Drawn) -> None:
        """Diamonds on full snapshots."""
        self._full.setData(drawn.x, drawn.y)

    def set_faults(self, faults: dict[str, Fault], *, signs: bool) -> None:
        """Where something failed, was lost, is unknown: lines and stretches, and `signs` at the top edge."""
        self._faults, self._shows_signs = faults, signs
        self._place_faults()

    def _place_faults(self) -> None:
        bottom, top = self._y
        half = SIGN_SIZE / 2 / max(1.0, self.plot_rect.height()) * (top - bottom)
        for name in _SIGNS:
            fault = self._faults.get(name, NO_FAULT)
            signs = fault.signs if self._shows_signs else _NOTHING
            self._signs[name].setData(signs, np.full(len(signs), top - half))
            if name in _WASH:
                self._thin[name].setData(np.repeat(fault.lines, 2), np.tile([bottom, top], len(fault.lines)))
                edges = np.full((2, len(fault.left)), ((bottom,), (top,)))
                self._wash[name].setOpts(x0=fault.left, x1=fault.right, y0=edges[0], y1=edges[1])

    def set_threshold(self, value: float | None) -> None:
        """A dashed line across."""
        self._threshold.setVisible(value is not None)
        if value is not None:
            self._threshold.setPos(value)

    def set_cursor(self, time_s: float | None, value: float) -> None:
        """The selected moment, with a ring on the value unless that is NaN."""
        self._cursor.setVisible(time_s is not None)
        ring = time_s is not None and bool(np.isfinite(value))
        self._ring.setData([time_s] if ring else [], [value] if ring else [])
        if time_s is not None:
            self._cursor.setPos(time_s)

    def set_hover(self, time_s: float | None) -> None:
        """Where the pointer is, in whatever chart."""
        self._hover.setVisible(time_s is not None)
        if time_s is not None:
            self._hover.setPos(time_s)

    def set_region(self, region: tuple[float, float] | None) -> None:
        """The range that is being dragged."""
        self._region.setVisible(region is not None)
        if region is not None:
            self._region.setRegion(region)


def _bar_item() -> Any:
    return pg.BarGraphItem(x0=_NOTHING, x1=_NOTHING, y0=_NOTHING, y1=_NOTHING, pen=None, brush=None)


def _pen(color: QColor, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    pen = QPen(color, width, style)
    pen.setCosmetic(True)
    # Other caps would thicken a line where its segments meet.
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def _faint(color: QColor, share: float) -> QColor:
    faint = QColor(color)
    faint.setAlphaF(share)
    return faint
