"""The line above a chart: title, unit, legend, and the value at the cursor."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QWidget

from ui import fonts
from ui.theme import CELL_PADDING, Theme

HEIGHT = 22
LEGEND_HEIGHT = 16
"""Of a line that is the legend's own."""
_USUAL_VALUE = "0\u202f000 ms"
_LEAST_UNIT = 20.0
_SOME_UNIT = 48.0
"""So much of a unit is worth more than an entry of the legend."""
_LONGEST = 120.0
_MOST_MEASURES = 64
_SWATCH = 14.0
_SPACE = 8.0


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One entry: `form` is line, dash, area, diamond, triangle or hollow."""

    form: str
    color: str
    text: str
    repeated: bool = False
    """An earlier chart says the same."""


class Header(QWidget):
    """Painted in one line, the legend below it where both do not fit. What does not fit even there is left out."""

    resized = Signal(int)
    """It takes another height now."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title = self._unit = self._value = ""
        self._legend: tuple[LegendEntry, ...] = ()
        self._wraps = self._keeps = False
        self._zoom = 1.0
        self._measures: dict[str, tuple[str, float]] = {}
        self.set_zoom(1.0)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme from now on."""
        self._theme = theme
        self.update()

    def set_zoom(self, zoom: float) -> None:
        """Other font sizes."""
        self._measures.clear()
        self._strong = fonts.font(fonts.Use.GROUP_ROW, zoom=zoom)
        self._small = fonts.font(fonts.Use.HEAD, zoom=zoom)
        self._legend_font = fonts.font(fonts.Use.AXIS, zoom=zoom)
        self._zoom = zoom
        self._arrange()

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
        self._arrange()

    def set_legend(self, entries: tuple[LegendEntry, ...]) -> None:
        """What the signs in the chart mean."""
        if entries != self._legend:
            self._legend = entries
            self._arrange()

    def keep_lines(self, on: bool) -> None:
        """While on, two lines stay two: entries come and go, and the charts below must not jump each time."""
        if on != self._keeps:
            self._keeps = on
            self._arrange()

    def set_value(self, text: str) -> None:
        """The value at the cursor."""
        if text != self._value:
            self._value = text
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _arrange(self) -> None:
        """One line, or two. What stands at the cursor does not count: charts must not jump below the pointer."""
        strong, small = QFontMetricsF(self._strong), QFontMetricsF(self._small)
        words = strong.horizontalAdvance(self._title) + _SPACE + small.horizontalAdvance(self._unit) + _SPACE
        value = strong.horizontalAdvance(_USUAL_VALUE) + _SPACE
        needed = [self._width(entry) for entry in self._legend if not entry.repeated]
        fits = not needed or words + sum(needed) + value <= self.width() - 2 * CELL_PADDING
        self._wraps = not fits or (self._keeps and self._wraps)
        height = round((HEIGHT + (LEGEND_HEIGHT if self._wraps else 0)) * self._zoom)
        if height != self.height():
            self.setFixedHeight(height)
            self.resized.emit(height)
        self.update()

    @property
    def shown(self) -> tuple[LegendEntry, ...]:
        """The entries for which there is room, from left to right."""
        area = self.rect().width() - 2 * CELL_PADDING
        if self._wraps:
            return tuple(self._fitting(area + _SPACE))
        taken = QFontMetricsF(self._strong).horizontalAdvance(self._title) + _SPACE + self._value_width()
        return tuple(self._fitting(area - taken - self._unit_room()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = QRectF(0, 0, self.width(), round(HEIGHT * self._zoom)).adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        shown = self.shown
        beside = 0.0 if self._wraps else sum(map(self._width, shown))
        self._paint_words(painter, line, beside)
        if self._wraps:
            top, left = line.bottom(), line.left()
        else:
            top, left = line.top(), line.right() - self._value_width() - beside
        for entry in shown:
            self._paint_entry(painter, entry, QRectF(left, top, self._width(entry), self.height() - top))
            left += self._width(entry)
        painter.end()

    def _paint_words(self, painter: QPainter, line: QRectF, beside: float) -> None:
        """Title, unit and value, `beside` of the legend on the same line."""
        strong, small = QFontMetricsF(self._strong), QFontMetricsF(self._small)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(self._strong)
        painter.setPen(self._theme.color("text"))
        painter.drawText(line, middle | Qt.AlignmentFlag.AlignRight, self._value)
        right = line.right() - self._value_width()
        title = strong.elidedText(self._title, Qt.TextElideMode.ElideRight, max(0.0, right - line.left()))
        painter.drawText(line, middle | Qt.AlignmentFlag.AlignLeft, title)
        left = line.left() + strong.horizontalAdvance(title) + _SPACE
        room = right - left - beside
        if room > _LEAST_UNIT:
            painter.setFont(self._small)
            painter.setPen(self._theme.color("text2"))
            unit = small.elidedText(self._unit, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRectF(left, line.top(), room, line.height()), middle, unit)

    def _value_width(self) -> float:
        return QFontMetricsF(self._strong).horizontalAdvance(self._value) + _SPACE if self._value else 0.0

    def _unit_room(self) -> float:
        return min(QFontMetricsF(self._small).horizontalAdvance(self._unit), _SOME_UNIT) + _SPACE

    def _fitting(self, room: float) -> list[LegendEntry]:
        """The first entries have the first claim, those that an earlier chart says the last; none changes its place."""
        chosen = set()
        for entry in sorted(self._legend, key=lambda entry: entry.repeated):
            if self._width(entry) <= room:
                room -= self._width(entry)
                chosen.add(entry)
        return [entry for entry in self._legend if entry in chosen]

    def _width(self, entry: LegendEntry) -> float:
        return _SWATCH + 4 + self._measured(entry)[1] + _SPACE

    def _text(self, entry: LegendEntry) -> str:
        """A long name is cut, so that it does not take the place of all others."""
        return self._measured(entry)[0]

    def _measured(self, entry: LegendEntry) -> tuple[str, float]:
        """What is said of it, and how wide that is: each entry is measured once, and painted 20 times a second."""
        if entry.text not in self._measures:
            if len(self._measures) >= _MOST_MEASURES:
                self._measures.clear()
            metrics = QFontMetricsF(self._legend_font)
            text = metrics.elidedText(entry.text, Qt.TextElideMode.ElideRight, _LONGEST * self._zoom)
            self._measures[entry.text] = text, metrics.horizontalAdvance(text)
        return self._measures[entry.text]

    def _paint_entry(self, painter: QPainter, entry: LegendEntry, place: QRectF) -> None:
        self._paint_sign(painter, entry, QPointF(place.left() + _SWATCH / 2, place.center().y()))
        painter.setFont(self._legend_font)
        painter.setPen(self._theme.color("text2"))
        painter.drawText(place.adjusted(_SWATCH + 4, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self._text(entry))

    def _paint_sign(self, painter: QPainter, entry: LegendEntry, middle: QPointF) -> None:
        color = self._theme.color(entry.color)
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
            case "warning":
                painter.setBrush(color)
                painter.drawPolygon(QPolygonF([middle + QPointF(*at) for at in ((-4, 4), (4, 4), (0, -3))]))
            case "triangle" | "hollow":
                if entry.form == "triangle":
                    painter.setBrush(color)
                painter.drawPolygon(QPolygonF([middle + QPointF(*at) for at in ((-4, -3), (4, -3), (0, 4))]))
