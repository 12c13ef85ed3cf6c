"""The line above a chart: title, unit, legend, and the value at the cursor."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from ui import fonts
from ui.theme import CELL_PADDING, Theme

HEIGHT = 22
_SWATCH = 14.0
_SPACE = 8.0


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One entry: `form` is line, dash, area, diamond, triangle or hollow."""

    form: str
    color: str
    text: str


class Header(QWidget):
    """Painted in one line; what does not fit of the legend is left out, the last entry first."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title = self._unit = self._value = ""
        self._legend: tuple[LegendEntry, ...] = ()
        self.set_zoom(1.0)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme from now on."""
        self._theme = theme
        self.update()

    def set_zoom(self, zoom: float) -> None:
        """Other font sizes."""
        self._strong = fonts.font(fonts.Use.GROUP_ROW, zoom=zoom)
        self._small = fonts.font(fonts.Use.HEAD, zoom=zoom)
        self._legend_font = fonts.font(fonts.Use.AXIS, zoom=zoom)
        self.setFixedHeight(round(HEIGHT * zoom))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    @property
    def value(self) -> str:
        """The value at the cursor."""
        return self._value

    @property
    def legend(self) -> tuple[LegendEntry, ...]:
        """Every entry, also those that do not fit."""
        return self._legend

    def set_title(self, title: str, unit: str) -> None:
        """What the chart shows."""
        self._title, self._unit = title, unit
        self.update()

    def set_legend(self, entries: tuple[LegendEntry, ...]) -> None:
        """What the signs in the chart mean."""
        if entries != self._legend:
            self._legend = entries
            self.update()

    def set_value(self, text: str) -> None:
        """The value at the cursor."""
        if text != self._value:
            self._value = text
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        strong, small = QFontMetricsF(self._strong), QFontMetricsF(self._small)
        right = area.right() - strong.horizontalAdvance(self._value) - (_SPACE if self._value else 0.0)
        painter.setFont(self._strong)
        painter.setPen(self._theme.color("text"))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, self._value)
        title = strong.elidedText(self._title, Qt.TextElideMode.ElideRight, max(0.0, right - area.left()))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, title)
        left = area.left() + strong.horizontalAdvance(title) + _SPACE
        shown = self._fitting(right - left)
        room = right - left - sum(map(self._width, shown))
        unit = small.elidedText(self._unit, Qt.TextElideMode.ElideRight, max(0.0, room))
        painter.setFont(self._small)
        painter.setPen(self._theme.color("text2"))
        painter.drawText(
            QRectF(left, area.top(), max(0.0, room), area.height()),
            Qt.AlignmentFlag.AlignVCenter,
            unit if room > 20 else "",
        )
        for entry in reversed(shown):
            right -= self._width(entry)
            self._paint_entry(painter, entry, right)
        painter.end()

    def _fitting(self, room: float) -> list[LegendEntry]:
        """The entries that fit beside at least some of the unit; the first ones have the first claim."""
        room -= min(QFontMetricsF(self._small).horizontalAdvance(self._unit), 48.0) + _SPACE
        shown = []
        for entry in self._legend:
            if self._width(entry) <= room:
                room -= self._width(entry)
                shown.append(entry)
        return shown

    def _width(self, entry: LegendEntry) -> float:
        return _SWATCH + 4 + QFontMetricsF(self._legend_font).horizontalAdvance(entry.text) + _SPACE

    def _paint_entry(self, painter: QPainter, entry: LegendEntry, left: float) -> None:
        color = self._theme.color(entry.color)
        middle = QPointF(left + _SWATCH / 2, self.height() / 2)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(color, 1.4))
        match entry.form:
            case "line":
                painter.drawLine(middle - QPointF(6, 0), middle + QPointF(6, 0))
            case "dash":
                painter.setPen(QPen(color, 1.4, Qt.PenStyle.DashLine))
                painter.drawLine(middle - QPointF(7, 0), middle + QPointF(7, 0))
            case "area":
                painter.fillRect(QRectF(middle.x() - 5, middle.y() - 5, 10, 10), color)
            case "diamond":
                painter.drawPolygon(QPolygonF([middle + QPointF(*at) for at in ((0, -4), (4, 0), (0, 4), (-4, 0))]))
            case "square":
                painter.drawRect(QRectF(middle.x() - 3, middle.y() - 3, 6, 6))
            case "triangle" | "hollow":
                if entry.form == "triangle":
                    painter.setBrush(color)
                painter.drawPolygon(QPolygonF([middle + QPointF(*at) for at in ((-4, -3), (4, -3), (0, 4))]))
        painter.setFont(self._legend_font)
        painter.setPen(self._theme.color("text2"))
        width = self._width(entry)
        painter.drawText(QRectF(left + _SWATCH + 4, 0, width, self.height()), Qt.AlignmentFlag.AlignVCenter, entry.text)
