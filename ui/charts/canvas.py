"""One plot: a still layer, painted when what it shows changes, and over it the cursor, the pointer and the range."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from ui.charts.drawing import Drawn, Fault
from ui.charts.layers import Content, Frame, StillLayer
from ui.theme import Theme
from ui.turn import TURN

LEFT_AXIS = 40
AXIS_ROOM = 8
RIGHT_MARGIN = 8
BOTTOM_AXIS = 18
BOTTOM_MARGIN = 6
"""Below a chart without times: half the height of its label 0."""
RING = 4.5


class Canvas(QWidget):
    """A plot with a left axis, and a bottom axis if asked for. It does nothing by itself with the mouse."""

    def __init__(self, theme: Theme, color: str, *, by_parts: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._color = color
        self._layer = StillLayer(color, by_parts=by_parts)
        self._content = Content()
        self._x, self._y = (0.0, 1.0), (0.0, 1.0)
        self._left, self._bottom = LEFT_AXIS, BOTTOM_AXIS
        self._font = self.font()
        self._still: QPixmap | None = None
        self._cursor: tuple[float, float] | None = None
        self._newest: tuple[float, float] | None = None
        self._hover: float | None = None
        self._region: tuple[float, float] | None = None
        self.still_paints = 0
        """How often the still layer was painted."""
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    @property
    def content(self) -> Content:
        """What the still layer shows."""
        return self._content

    @property
    def cursor_at(self) -> tuple[float, float] | None:
        """The selected moment and the value that is ringed, NaN for none; None: nothing is selected."""
        return self._cursor

    @property
    def newest_at(self) -> tuple[float, float] | None:
        """Time and value of what came last, where that is ringed."""
        return self._newest

    @property
    def region(self) -> tuple[float, float] | None:
        """The chosen range."""
        return self._region

    @property
    def plot_rect(self) -> QRectF:
        """Where the plot itself lies."""
        width, height = self.width() - self._left - RIGHT_MARGIN, self.height() - self._bottom
        return QRectF(self._left, 0, max(1, width), max(1, height))

    @property
    def frame(self) -> Frame:
        """Pixels, times and values."""
        return Frame(self.plot_rect, self._x, self._y, self.devicePixelRatioF())

    def time_at(self, x: float) -> float:
        """Seconds at a pixel."""
        return self.frame.time_at(x)

    def place_of(self, time_s: float, value: float) -> QPointF:
        """Pixel where a value stands."""
        return self.frame.place_of(time_s, value)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme from now on."""
        self._theme = theme
        self.outdate()

    def set_font(self, font: QFont) -> None:
        """Font of the axes."""
        self._font = font
        # Five digits with their group, or the axis would cut labels that do not fit.
        wide = QFontMetricsF(font).horizontalAdvance("00\u202f000") + AXIS_ROOM
        self._left = max(LEFT_AXIS, ceil(wide))
        self.set_bottom_axis(self._content.shows_times)

    def set_bottom_axis(self, shown: bool) -> None:
        """Only the last chart of a stack has times."""
        self._content.shows_times = shown
        height = QFontMetricsF(self._font).height()
        self._bottom = max(BOTTOM_AXIS, ceil(height) + 5) if shown else max(BOTTOM_MARGIN, ceil(height / 2))
        self.outdate()

    def set_range(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        """Times and values at the edges."""
        self._x, self._y = x, y
        self.outdate()

    def set_ticks(self, values: Sequence[tuple[float, str]], times: Sequence[tuple[float, str]]) -> None:
        """Labels of both axes; a grid line at each value."""
        self._content.values, self._content.times = values, times
        self.outdate()

    def set_data(self, *, line: Drawn, points: Drawn, bars: Drawn, band: Drawn, full: Drawn) -> None:
        """The curve, single points, bars from zero, the band behind, and the diamonds on full snapshots."""
        content = self._content
        content.line, content.points, content.bars, content.band, content.full = line, points, bars, band, full
        self.outdate()

    def set_faults(self, faults: dict[str, Fault], *, signs: bool) -> None:
        """Where something failed, was lost, is unknown: lines and stretches, and `signs` at the top edge."""
        self._content.faults, self._content.shows_signs = faults, signs
        self.outdate()

    def set_threshold(self, value: float | None) -> None:
        """A dashed line across."""
        self._content.threshold = value
        self.outdate()

    def set_undecoded(self, time_s: float | None) -> None:
        """From this time on nothing is decoded yet: hatched."""
        self._content.undecoded = time_s
        self.outdate()

    def outdate(self) -> None:
        """Paint the still layer again, with the next repaint."""
        self._still = None
        self.update()

    def set_cursor(self, time_s: float | None, value: float) -> None:
        """The selected moment, with a ring on the value unless that is NaN."""
        cursor = None if time_s is None else (time_s, value)
        for at in (self._cursor, cursor) if cursor != self._cursor else ():
            self._update_around(None if at is None else at[0])
        self._cursor = cursor

    def set_newest(self, place: tuple[float, float] | None) -> None:
        """Time and value of what came last: ringed."""
        if place != self._newest:
            self._newest = place
            self.update()

    def set_hover(self, time_s: float | None) -> None:
        """Where the pointer is, in whatever chart."""
        for at in (self._hover, time_s) if time_s != self._hover else ():
            self._update_around(at)
        self._hover = time_s

    def set_region(self, region: tuple[float, float] | None) -> None:
        """The chosen range."""
        if region != self._region:
            self._region = region
            self.update()

    def _update_around(self, time_s: float | None) -> None:
        if time_s is not None and self._x[0] <= time_s <= self._x[1]:
            x = self.place_of(time_s, 0.0).x()
            self.update(QRect(int(x - RING) - 2, 0, int(2 * RING) + 5, self.height()))

    def paintEvent(self, event: QPaintEvent) -> None:
        frame = self.frame
        if self.size().isEmpty():
            return
        TURN.begin()
        if self._still is None or self._still.size() != self.size() * frame.ratio:
            self._still = self._paint_still(frame)
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._still)
        # Signs at the edges may stand beyond the plot; lines may not.
        self._paint_region(painter, frame)
        color = self._theme.color
        if self._hover is not None:
            self._paint_moment(painter, frame, self._hover, color("text3"), frame.hairline)
        if self._cursor is not None:
            time_s, value = self._cursor
            self._paint_moment(painter, frame, time_s, color("mark"), max(1, round(1.4 * frame.ratio)) / frame.ratio)
            self._paint_ring(painter, frame, time_s, value)
        if self._newest is not None:
            self._paint_ring(painter, frame, *self._newest)
        painter.end()

    def _paint_ring(self, painter: QPainter, frame: Frame, time_s: float, value: float) -> None:
        if np.isfinite(value) and frame.x[0] <= time_s <= frame.x[1]:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self._theme.color(self._color), 1.6))
            painter.setBrush(self._theme.color("panel"))
            painter.drawEllipse(frame.place_of(time_s, value), RING, RING)

    def _paint_still(self, frame: Frame) -> QPixmap:
        self.still_paints += 1
        still = QPixmap(self.size() * frame.ratio)
        still.setDevicePixelRatio(frame.ratio)
        still.fill(self._theme.color("panel"))
        painter = QPainter(still)
        self._layer.paint(painter, frame, self._content, self._theme, self._font)
        painter.end()
        return still

    def _paint_region(self, painter: QPainter, frame: Frame) -> None:
        if self._region is None or (self._region[0] <= frame.x[0] and frame.x[1] <= self._region[1]):
            # All that is in view is in the range.
            return
        left, right = (frame.place_of(max(frame.x[0], min(frame.x[1], at)), 0.0).x() for at in self._region)
        tint = QColor(self._theme.color("accent"))
        tint.setAlphaF(0.15)
        painter.fillRect(QRectF(left, frame.rect.top(), right - left, frame.rect.height()), tint)
        for at in self._region:
            self._paint_moment(painter, frame, at, self._theme.color("accent"), frame.hairline)

    @staticmethod
    def _paint_moment(painter: QPainter, frame: Frame, time_s: float, color: QColor, width: float) -> None:
        if frame.x[0] <= time_s <= frame.x[1]:
            x = frame.snapped(frame.place_of(time_s, 0.0).x() - width / 2)
            painter.fillRect(QRectF(x, frame.rect.top(), width, frame.rect.height()), color)
