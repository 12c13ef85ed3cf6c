"""What of a plot stands still: grid, axes, band, bars, curve, signs. Painted in pixels, seldom; the canvas keeps it.

Curves and bars are pyqtgraph's, painted without its scene: laying that out and repainting it cost three times as much
as the drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QPolygonF

from ui.charts.drawing import NO_FAULT, Drawn, Fault, Floats
from ui.theme import Theme

LINE_WIDTH = 1.4
SIGN_SIZE = 8.0
POINT_SIZE = 4.0
CROWDED_SIZE = 3.0
"""Side of a point among so many that it is square: as heavy as a round one."""
AXIS_GAP = 6.0
_NOTHING = np.empty(0)
PARTS = (("p1", 0.0, 1.0), ("p2", 1.0, 2.0), ("p3", 2.0, np.inf))
"""Colours of bars that count parts: above and up to."""
SIGNS = {
    "unknown": ("square", "text3", False),
    "lost": ("down", "lane_late", False),
    "warned": ("up", "lane_late", True),
    "wrong": ("down", "lane_fail", True),
    "failed": ("down", "lane_fail", True),
}
"""Sign -> form, colour, filled; the worst last, on top."""
_WASH = {"lost": ("warn_bg", Qt.PenStyle.DashLine), "failed": ("error_bg", Qt.PenStyle.SolidLine)}
"""What is marked in all charts: tint of a stretch, and form of the thin line at a single one."""
_FORMS = {
    "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "down": ((-1, -0.8), (1, -0.8), (0, 1)),
    "up": ((-1, 0.8), (1, 0.8), (0, -1)),
    "diamond": ((0, -1), (1, 0), (0, 1), (-1, 0)),
}


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the plot lies, and which times and values are at its edges. Pixels are independent of the device."""

    rect: QRectF = field(default_factory=lambda: QRectF(0, 0, 1, 1))
    x: tuple[float, float] = (0.0, 1.0)
    y: tuple[float, float] = (0.0, 1.0)
    ratio: float = 1.0
    """Device pixels a pixel."""

    def across(self, times: Floats) -> Floats:
        """Pixels of times."""
        return self.rect.left() + (times - self.x[0]) * (self.rect.width() / (self.x[1] - self.x[0]))

    def down(self, values: Floats) -> Floats:
        """Pixels of values."""
        return self.rect.bottom() - (values - self.y[0]) * (self.rect.height() / (self.y[1] - self.y[0]))

    def x_of(self, time_s: float) -> float:
        """Pixel of one time."""
        return self.rect.left() + (time_s - self.x[0]) * (self.rect.width() / (self.x[1] - self.x[0]))

    def y_of(self, value: float) -> float:
        """Pixel of one value."""
        return self.rect.bottom() - (value - self.y[0]) * (self.rect.height() / (self.y[1] - self.y[0]))

    def time_at(self, x: float) -> float:
        """Seconds at a pixel."""
        return self.x[0] + (x - self.rect.left()) / self.rect.width() * (self.x[1] - self.x[0])

    def place_of(self, time_s: float, value: float) -> QPointF:
        """Pixel where a value stands."""
        return QPointF(self.x_of(time_s), self.y_of(value))

    def snapped(self, position: float) -> float:
        """The next edge of a device pixel."""
        return round(position * self.ratio) / self.ratio

    @property
    def hairline(self) -> float:
        """One pixel, in whole device pixels."""
        return max(1, round(self.ratio)) / self.ratio


@dataclass(slots=True)
class Content:
    """What a plot shows."""

    line: Drawn = field(default_factory=Drawn)
    points: Drawn = field(default_factory=Drawn)
    bars: Drawn = field(default_factory=Drawn)
    band: Drawn = field(default_factory=Drawn)
    full: Drawn = field(default_factory=Drawn)
    faults: dict[str, Fault] = field(default_factory=dict)
    shows_signs: bool = False
    threshold: float | None = None
    values: Sequence[tuple[float, str]] = ()
    """Grid lines with their labels."""
    times: Sequence[tuple[float, str]] = ()
    shows_times: bool = True
    undecoded: float | None = None
    """From this time on nothing is decoded yet."""


class StillLayer:
    """Paints the content of one plot."""

    def __init__(self, color: str, *, by_parts: bool) -> None:
        self._color = color
        self._levels = PARTS if by_parts else ((color, -np.inf, np.inf),)
        self._curve: Any = pg.PlotCurveItem(connect="finite")
        # Separate segments: one stroked path of a crowded line takes Qt a third of a second.
        self._curve.setSegmentedLineMode("on")
        self._bars: Any = pg.BarGraphItem(x0=_NOTHING, x1=_NOTHING, y0=_NOTHING, y1=_NOTHING, pen=None, brush=None)

    def paint(self, painter: QPainter, frame: Frame, content: Content, theme: Theme, font: QFont) -> None:
        """Everything, from the back to the front."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._paint_axes(painter, frame, content, theme, font)
        painter.setClipRect(frame.rect)
        self._paint_undecoded(painter, frame, content, theme)
        for name, (tint, style) in _WASH.items():
            fault = content.faults.get(name, NO_FAULT)
            self._paint_fault(painter, frame, fault, theme.color(tint), _pen(theme.color(SIGNS[name][1]), style))
        self._paint_bars(painter, frame, content.band, theme.color("line"))
        for color, above, most in self._levels:
            own = (content.bars.high > above) & (content.bars.high <= most)
            self._paint_bars(painter, frame, _chosen(content.bars, own), theme.color(color))
        self._paint_threshold(painter, frame, content, theme)
        self._paint_line(painter, frame, content.line, theme.color(self._color))
        self._paint_points(painter, frame, content.points, theme.color(self._color))
        painter.setClipping(False)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        places = zip(frame.across(content.full.x).tolist(), frame.down(content.full.y).tolist(), strict=True)
        paint_signs(painter, "diamond", [QPointF(*place) for place in places], theme.color("lane_full"), theme)
        if content.shows_signs:
            for name, (form, color, filled) in SIGNS.items():
                signs = frame.across(content.faults.get(name, NO_FAULT).signs).tolist()
                spots = [QPointF(x, frame.rect.top() + SIGN_SIZE / 2 + 1) for x in signs]
                paint_signs(painter, form, spots, theme.color(color), theme, filled=filled)

    def _paint_axes(self, painter: QPainter, frame: Frame, content: Content, theme: Theme, font: QFont) -> None:
        rect, hair = frame.rect, frame.hairline
        painter.setFont(font)
        painter.setPen(theme.color("text2"))
        height = painter.fontMetrics().height()
        for value, text in content.values:
            y = frame.y_of(value)
            line = QRectF(rect.left(), frame.snapped(y - hair / 2), rect.width(), hair)
            painter.fillRect(line, theme.color("line" if value == 0 else "grid"))
            at = QRectF(0, y - height / 2, rect.left() - AXIS_GAP, height)
            painter.drawText(at, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        painter.fillRect(
            QRectF(frame.snapped(rect.left()) - hair, rect.top(), hair, rect.height()), theme.color("line")
        )
        for time_s, text in content.times if content.shows_times else ():
            x = frame.x_of(time_s)
            wide = painter.fontMetrics().horizontalAdvance(text) + 2.0
            left = min(x - wide / 2, rect.right() + AXIS_GAP - wide)
            painter.fillRect(QRectF(frame.snapped(x - hair / 2), rect.bottom(), hair, 3), theme.color("line2"))
            painter.drawText(QRectF(left, rect.bottom() + 4, wide, height), Qt.AlignmentFlag.AlignCenter, text)

    def _paint_undecoded(self, painter: QPainter, frame: Frame, content: Content, theme: Theme) -> None:
        if content.undecoded is not None and content.undecoded < frame.x[1]:
            left = max(frame.rect.left(), frame.x_of(content.undecoded))
            rest = QRectF(QPointF(left, frame.rect.top()), frame.rect.bottomRight())
            painter.fillRect(rest, theme.color("lane_bg"))
            brush = pg.mkBrush(_faint(theme.color("line2"), 0.4))
            brush.setStyle(Qt.BrushStyle.BDiagPattern)
            painter.fillRect(rest, brush)

    def _paint_fault(self, painter: QPainter, frame: Frame, fault: Fault, tint: QColor, pen: QPen) -> None:
        rect = frame.rect
        for left, right in zip(frame.across(fault.left).tolist(), frame.across(fault.right).tolist(), strict=True):
            painter.fillRect(QRectF(left, rect.top(), max(right - left, frame.hairline), rect.height()), tint)
        if pen.style() is Qt.PenStyle.SolidLine:
            for x in frame.across(fault.lines).tolist():
                painter.fillRect(QRectF(frame.snapped(x), rect.top(), frame.hairline, rect.height()), pen.color())
            return
        painter.setPen(pen)
        for x in frame.across(fault.lines).tolist():
            painter.drawLine(QPointF(frame.snapped(x), rect.top()), QPointF(frame.snapped(x), rect.bottom()))

    def _paint_bars(self, painter: QPainter, frame: Frame, drawn: Drawn, color: QColor) -> None:
        """Edges on whole device pixels; none thinner than one."""
        if not len(drawn.high):
            return
        ratio = frame.ratio
        left, right = np.round(frame.across(drawn.left) * ratio), np.round(frame.across(drawn.right) * ratio)
        top, bottom = np.round(frame.down(drawn.high) * ratio), np.round(frame.down(drawn.low) * ratio)
        right, bottom = np.maximum(right, left + 1), np.maximum(bottom, top + 1)
        self._paint_rects(painter, left / ratio, top / ratio, right / ratio, bottom / ratio, color)

    def _paint_rects(
        self, painter: QPainter, left: Floats, top: Floats, right: Floats, bottom: Floats, color: QColor
    ) -> None:
        self._bars.setOpts(x0=left, x1=right, y0=top, y1=bottom, pen=None, brush=pg.mkBrush(color))
        self._bars.paint(painter)

    def _paint_threshold(self, painter: QPainter, frame: Frame, content: Content, theme: Theme) -> None:
        if content.threshold is not None:
            y = frame.snapped(frame.y_of(content.threshold)) + frame.hairline / 2
            pen = QPen(theme.color("lane_late"), frame.hairline)
            pen.setDashPattern([5, 3])
            painter.setPen(pen)
            painter.drawLine(QPointF(frame.rect.left(), y), QPointF(frame.rect.right(), y))

    def _paint_line(self, painter: QPainter, frame: Frame, drawn: Drawn, color: QColor) -> None:
        """Smooth while it has no more points than pixels: beyond that nobody sees it, and it costs double."""
        if len(drawn.x):
            smooth = len(drawn.x) <= frame.rect.width()
            pen = QPen(color, LINE_WIDTH if smooth else 0)
            # Other caps would thicken a line where its segments meet.
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            self._curve.setPen(pen)
            self._curve.setData(frame.across(drawn.x), frame.down(drawn.y), antialias=smooth)
            self._curve.paint(painter, None, None)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_points(self, painter: QPainter, frame: Frame, drawn: Drawn, color: QColor) -> None:
        if len(drawn.x):
            if len(drawn.x) > frame.rect.width():
                # Nobody sees that these are not round.
                half = CROWDED_SIZE / 2
                left, top = frame.across(drawn.x) - half, frame.down(drawn.y) - half
                self._paint_rects(painter, left, top, left + CROWDED_SIZE, top + CROWDED_SIZE, color)
                return
            pen = QPen(color, POINT_SIZE)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawPoints(pg.functions.arrayToQPolygonF(frame.across(drawn.x), frame.down(drawn.y)))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def paint_signs(
    painter: QPainter, form: str, places: Sequence[QPointF], color: QColor, theme: Theme, *, filled: bool = False
) -> None:
    """The same sign at each place."""
    painter.setPen(QPen(color, 1.2))
    painter.setBrush(color if filled else theme.color("panel"))
    half = SIGN_SIZE / 2
    shape = QPolygonF([QPointF(x * half, y * half) for x, y in _FORMS[form]])
    for place in places:
        painter.drawPolygon(shape.translated(place))


def _chosen(drawn: Drawn, own: Any) -> Drawn:
    return Drawn(left=drawn.left[own], right=drawn.right[own], low=drawn.low[own], high=drawn.high[own])


def _pen(color: QColor, style: Qt.PenStyle) -> QPen:
    return QPen(_faint(color, 0.45), 1.0, style)


def _faint(color: QColor, share: float) -> QColor:
    faint = QColor(color)
    faint.setAlphaF(share)
    return faint
