"""The first column of the packet list: the rule's colour at the edge, signs of related packets, and what joins them."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QStyle, QStyleOptionFocusRect, QWidget

from ui import fonts
from ui.models.packets import PacketModel
from ui.theme import Theme
from ui.views.cells import Row
from ui.views.signs import SignPixmaps

EDGE_WIDTH = 3.0
THICK = 2.4
THIN = 1.4


class Gutter:
    """Paints the gutter of a `PacketModel`. Rows that are sorted by a column have no lines: they would mean nothing."""

    def __init__(self, theme: Theme, model: PacketModel) -> None:
        self._model = model
        self._parts = self._base = self._all = (0, -1)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme from now on."""
        self._theme = theme
        self._signs = SignPixmaps(theme)

    def look_up(self) -> None:
        """Find the rows that lines join; to be called when rows moved or the related packets changed."""
        self._parts = self._base = self._all = (0, -1)
        if not self._model.in_capture_order:
            return
        related = self._model.related
        self._parts = self._span(related.parts)
        self._base = self._span(related.base)
        self._all = self._span((*related.parts, *related.base, related.ack))

    def paint(self, painter: QPainter, rect: QRectF, number: int, row: Row) -> None:
        """Paint row `number` into its gutter."""
        if row.edge:
            edge = QRectF(rect.left(), rect.top(), EDGE_WIDTH, rect.height())
            painter.fillRect(edge, self._theme.color(row.edge))
        area = rect.adjusted(EDGE_WIDTH, 0, 0, 0)
        if self._all[0] <= number <= self._all[1]:
            self._paint_lines(painter, area, number)
        sign = self._model.sign_of(self._model.packet_at(number))
        if sign:
            self._signs.paint(painter, sign, area.left(), area.top(), area.width(), area.height())

    def _span(self, packets: tuple[int, ...]) -> tuple[int, int]:
        rows = [row for packet in packets if (row := self._model.row_of(packet)) >= 0]
        return (min(rows), max(rows)) if rows else (0, -1)

    def _paint_lines(self, painter: QPainter, area: QRectF, row: int) -> None:
        middle = area.center()
        if self._all[0] < row <= self._all[1]:
            self._paint_line(painter, QPointF(middle.x(), area.top()), middle, row - 1)
        if self._all[0] <= row < self._all[1]:
            self._paint_line(painter, middle, QPointF(middle.x(), area.bottom()), row)

    def _paint_line(self, painter: QPainter, start: QPointF, end: QPointF, above: int) -> None:
        """The line between rows `above` and `above` + 1, or the half of it that lies in one of them."""
        color = self._theme.color("accent")
        if self._parts[0] <= above < self._parts[1]:
            pen = QPen(color, THICK)
        elif self._base[0] <= above < self._base[1]:
            pen = QPen(color, THIN)
        else:
            pen = QPen(self._theme.color("line2"), THIN, Qt.PenStyle.CustomDashLine)
            pen.setDashPattern([2.0, 2.0])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.drawLine(start, end)


class GutterJump(QAbstractButton):
    """An arrow with a count, at the top or bottom of the gutter: related packets are out of view there."""

    def __init__(self, theme: Theme, *, up: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._up = up
        self._count = 0
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.set_zoom(1.0)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.update()

    def set_zoom(self, zoom: float, *, system: bool = False) -> None:
        """Another size of the count."""
        self.setFont(fonts.font(fonts.Use.AXIS, zoom=zoom, system=system))

    def show_count(self, count: int) -> None:
        """So many packets are out of view; none hides the arrow."""
        self._count = count
        if count:
            where = self.tr("above") if self._up else self.tr("below")
            text = self.tr("%n related packet(s) {where}, click to see", "", count).format(where=where)
            self.setToolTip(text)
            self.setAccessibleName(text)
            self.update()
        self.setVisible(count > 0)

    def sizeHint(self) -> QSize:
        return QSize(27, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect = QRectF(self.rect())
        painter.fillRect(rect, self._theme.color("hover" if self.underMouse() else "raised"))
        accent = self._theme.color("accent")
        painter.setPen(QPen(self._theme.color("line"), 1))
        edge = rect.bottom() - 0.5 if self._up else rect.top() + 0.5
        painter.drawLine(QPointF(rect.left(), edge), QPointF(rect.right(), edge))
        self._paint_arrow(painter, QPointF(rect.left() + 8, rect.center().y()), accent)
        painter.setPen(accent)
        painter.setFont(self.font())
        painter.drawText(rect.adjusted(14, 0, -2, 0), Qt.AlignmentFlag.AlignCenter, str(self._count))
        if self.hasFocus():
            option = QStyleOptionFocusRect()
            option.initFrom(self)
            self.style().drawPrimitive(QStyle.PrimitiveElement.PE_FrameFocusRect, option, painter, self)
        painter.end()

    def _paint_arrow(self, painter: QPainter, middle: QPointF, color: QColor) -> None:
        """Two carets."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color, 1.3))
        step = -1.0 if self._up else 1.0
        for offset in (-2.5, 1.5):
            tip = middle + QPointF(0, step * (offset + 1.5))
            painter.drawLine(tip + QPointF(-3, -3 * step), tip)
            painter.drawLine(tip + QPointF(3, -3 * step), tip)
