"""Paints the overview strip: pictures that the desk made, with names, axis, cursor, pointer and range over them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from analyzer.stats.lane_order import Sign
from ui import fonts
from ui.charts.scale import seconds as time_labels
from ui.overview import words as said
from ui.overview.desk import Shown
from ui.overview.layout import StripLayout
from ui.theme import Theme
from ui.words import number as number_text

OUTSIDE = 0.65
"""How much of the ground covers what is outside of the range."""
LABEL_ROOM = 90
"""Pixels a label of the axis takes at least."""
LINE = 20
"""Height of the line with the numbers of the range."""
_SIGNS = {Sign.FAILED: "lane_fail", Sign.WARN: "warn", Sign.UNKNOWN: "text2", Sign.FINE: "lane_ok", Sign.NONE: "text3"}


def _tr(text: str) -> str:
    return QCoreApplication.translate("Overview", text)


@dataclass(frozen=True, slots=True)
class StripScene:
    """All that is painted at once. Times are seconds from the first frame, pixels independent of the device."""

    shown: Shown
    layout: StripLayout
    size: QSize
    theme: Theme
    zoom: float
    start_s: float
    stop_s: float
    """What is in view."""
    range_s: tuple[float, float] | None = None
    moment_s: float | None = None
    """Of what is selected."""
    tick: int | None = None
    """Of the selected snapshot."""
    hover_x: float | None = None
    now_s: float | None = None
    """How far a live capture reaches."""
    focused: bool = False

    @property
    def line_height(self) -> int:
        """Of the line below the lanes; 0 without a range."""
        return round(LINE * self.zoom) if self.shown.stats is not None else 0

    def x_of(self, time_s: float) -> float:
        """Pixel of a time."""
        left, right = self.layout.left, self.layout.right
        return left + (time_s - self.start_s) / (self.stop_s - self.start_s) * (right - left)

    def paint(self, painter: QPainter) -> None:
        """Paint all of it."""
        shown, layout = self.shown, self.layout
        painter.fillRect(QRectF(0, 0, self.size.width(), self.size.height()), self.theme.color("panel"))
        if shown.wanted is not None and shown.body is not None and shown.band is not None:
            self._paint_still(painter, shown, layout)
            self._paint_names(painter, shown, layout)
        self._paint_axis(painter, layout)
        self._paint_losses(painter, shown, layout)
        self._paint_range(painter, layout)
        self._paint_cursor(painter, layout)
        self._paint_line(painter, shown, layout)
        if self.focused:
            painter.setPen(self.theme.color("focus"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(0, 0, self.size.width() - 1, self.size.height() - 1))

    def _paint_still(self, painter: QPainter, shown: Shown, layout: StripLayout) -> None:
        """The pictures, moved and stretched to what is in view now until new ones come."""
        assert shown.wanted is not None
        assert shown.body is not None
        assert shown.band is not None
        area = QRectF(layout.left, 0, layout.right - layout.left, self.size.height())
        painter.fillRect(area.adjusted(0, layout.axis, 0, 0), self.theme.color("lane_bg"))
        painter.save()
        painter.setClipRect(area)
        left, right = self.x_of(shown.wanted.start_ns / 1e9), self.x_of(shown.wanted.stop_ns / 1e9)
        for image, top, height in (
            (shown.band, layout.axis, shown.layout.band),
            (shown.body, layout.top, shown.layout.room),
        ):
            painter.drawImage(QRectF(left, top, right - left, height), image)
        painter.restore()

    def _paint_names(self, painter: QPainter, shown: Shown, layout: StripLayout) -> None:
        theme = self.theme
        small, label = fonts.font(fonts.Use.AXIS, zoom=self.zoom), fonts.font(fonts.Use.HEAD, zoom=self.zoom)
        painter.setFont(label)
        painter.setPen(theme.color("text"))
        pad = round(8 * self.zoom)
        band = QRectF(pad, layout.axis, layout.gutter - 2 * pad, layout.band)
        painter.drawText(band, Qt.AlignmentFlag.AlignTop, _tr("Snapshot bytes/s"))
        painter.setFont(small)
        painter.setPen(theme.color("text2"))
        painter.drawText(band, Qt.AlignmentFlag.AlignVCenter, said.peak(shown.peak))
        self._paint_legend(painter, band)
        painter.save()
        painter.setClipRect(QRectF(0, layout.top, layout.gutter, layout.room))
        staggered = layout.pitch < round(11 * self.zoom)
        for number, lane in enumerate(shown.lanes):
            top, height = layout.lane_top(number), layout.lane_height(number)
            if top + height <= layout.top or top >= layout.top + layout.room:
                continue
            chosen = number == layout.chosen
            column = number % 2 if staggered and not chosen else 0
            left = pad + column * (layout.gutter - pad) / 2
            wide = (layout.gutter - 2 * pad) / (2 if staggered and not chosen else 1)
            if chosen:
                painter.fillRect(QRectF(0, top, layout.gutter, height), theme.color("select"))
                painter.fillRect(QRectF(0, top, 3, height), theme.color("accent"))
            middle = top + height / 2
            self._paint_sign(painter, lane.sign, QPointF(left + 4, middle))
            painter.setFont(label if chosen else small)
            painter.setPen(theme.color("text"))
            room = QRectF(left + 12, middle - 10 * self.zoom, wide - 14, 20 * self.zoom)
            if chosen:
                room.setRight(layout.gutter - pad)
                painter.setFont(small)
                painter.setPen(theme.color("text2"))
                painter.drawText(
                    room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, _tr("base age 0\u20131 s")
                )
                room.setRight(room.right() - painter.fontMetrics().horizontalAdvance("base age 0\u20131 s") - 6)
                painter.setFont(label)
                painter.setPen(theme.color("text"))
            name = painter.fontMetrics().elidedText(lane.name, Qt.TextElideMode.ElideRight, int(room.width()))
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, name)
        painter.restore()

    def _paint_legend(self, painter: QPainter, band: QRectF) -> None:
        metrics = painter.fontMetrics()
        if band.height() < 3 * metrics.height():
            return
        x, y = band.left(), band.bottom() - metrics.height() / 2
        for name, text in (("p1", "1"), ("p2", "2"), ("p3", _tr("3+ parts"))):
            painter.fillRect(QRectF(x, y - 3, 6, 6), self.theme.color(name))
            painter.setPen(self.theme.color("text2"))
            painter.drawText(QPointF(x + 10, y + metrics.ascent() / 2 - 1), text)
            x += 10 + metrics.horizontalAdvance(text) + 10

    def _paint_sign(self, painter: QPainter, sign: Sign, at: QPointF) -> None:
        color = self.theme.color(_SIGNS[sign])
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        if sign is Sign.FAILED:
            painter.drawRect(QRectF(at.x() - 3, at.y() - 3, 6, 6))
        elif sign is Sign.WARN:
            corners = ((-3.5, 3), (3.5, 3), (0, -3.5))
            painter.drawPolygon(QPolygonF([at + QPointF(*corner) for corner in corners]))
        elif sign is Sign.UNKNOWN:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(color)
            painter.drawEllipse(at, 2.5, 2.5)
        elif sign is Sign.FINE:
            painter.drawEllipse(at, 2.0, 2.0)
        painter.restore()

    def _paint_axis(self, painter: QPainter, layout: StripLayout) -> None:
        painter.setFont(fonts.font(fonts.Use.AXIS, zoom=self.zoom))
        most = max(2, int((layout.right - layout.left) / (LABEL_ROOM * self.zoom)))
        metrics = painter.fontMetrics()
        for time_s, text in time_labels(self.start_s, self.stop_s, most):
            x = round(self.x_of(time_s))
            painter.setPen(self.theme.color("line2"))
            painter.drawLine(x, layout.axis - 4, x, layout.axis)
            if x + 4 + metrics.horizontalAdvance(text) <= layout.right + 8:
                painter.setPen(self.theme.color("text2"))
                painter.drawText(QPointF(x + 4, layout.axis - 4), text)

    def _paint_losses(self, painter: QPainter, shown: Shown, layout: StripLayout) -> None:
        if not shown.losses:
            return
        painter.save()
        painter.setClipRect(QRectF(layout.left, layout.axis, layout.right - layout.left, layout.band + layout.room))
        for loss in shown.losses:
            left, right = self.x_of(loss.begin_ns / 1e9), self.x_of(loss.end_ns / 1e9)
            area = QRectF(left, layout.axis, max(2.0, right - left), layout.top + layout.room - layout.axis)
            painter.setPen(self.theme.color("lane_late"))
            painter.setBrush(self.theme.color("lane_late"))
            painter.fillRect(area, Qt.BrushStyle.BDiagPattern)
        painter.restore()

    def _paint_range(self, painter: QPainter, layout: StripLayout) -> None:
        stretch = self.range_s
        if stretch is None:
            return
        left, right = (min(max(self.x_of(at), layout.left), layout.right) for at in stretch)
        ground = QColor(self.theme.color("panel"))
        ground.setAlphaF(OUTSIDE)
        height = layout.top + layout.room - layout.axis
        painter.fillRect(QRectF(layout.left, layout.axis, left - layout.left, height), ground)
        painter.fillRect(QRectF(right, layout.axis, layout.right - right, height), ground)
        accent = self.theme.color("accent")
        for x in (left, right):
            painter.fillRect(QRectF(round(x) - 1, layout.axis, 2, height), accent)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(accent)
            painter.setBrush(self.theme.color("panel"))
            painter.drawRoundedRect(QRectF(x - 3.5, layout.axis + 6, 7, 16), 2, 2)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._paint_tag(painter, right + 4, said.stretch(stretch), accent, self.theme.color("on_accent"), layout)

    def _paint_tag(
        self, painter: QPainter, x: float, text: str, ground: QColor, ink: QColor, layout: StripLayout
    ) -> None:
        """A label on the axis."""
        painter.setFont(fonts.font(fonts.Use.HEAD, zoom=self.zoom))
        wide = painter.fontMetrics().horizontalAdvance(text) + 12
        left = max(layout.left, min(x, self.size.width() - wide - 4))
        area = QRectF(left, 0, wide, layout.axis)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(area, 4, 4)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(ink)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_cursor(self, painter: QPainter, layout: StripLayout) -> None:
        theme, bottom = self.theme, layout.top + layout.room
        if self.now_s is not None:
            x = self.x_of(self.now_s)
            if layout.left <= x <= layout.right:
                painter.fillRect(QRectF(round(x) - 1, layout.axis, 1, bottom - layout.axis), theme.color("error"))
                self._paint_tag(painter, x - 18, _tr("now"), theme.color("error"), theme.color("panel"), layout)
        if self.moment_s is not None and self.start_s <= self.moment_s <= self.stop_s:
            x = round(self.x_of(self.moment_s))
            painter.fillRect(QRectF(x - 1, layout.axis, 2, bottom - layout.axis), theme.color("mark"))
            if self.tick is not None:
                text = _tr("tick {0}").format(number_text(self.tick))
                self._paint_tag(painter, x - 26, text, theme.color("mark"), theme.color("panel"), layout)
        if self.hover_x is not None and layout.left <= self.hover_x <= layout.right:
            painter.fillRect(QRectF(round(self.hover_x), layout.axis, 1, bottom - layout.axis), theme.color("text3"))

    def _paint_line(self, painter: QPainter, shown: Shown, layout: StripLayout) -> None:
        if shown.stats is None:
            return
        painter.setFont(fonts.font(fonts.Use.HEAD, zoom=self.zoom))
        painter.setPen(self.theme.color("text2"))
        area = QRectF(8, layout.height, self.size.width() - 16, self.line_height)
        text = painter.fontMetrics().elidedText(said.stats(shown.stats), Qt.TextElideMode.ElideRight, int(area.width()))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, text)
