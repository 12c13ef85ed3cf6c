"""Flat column heads for tables, with a hairline below and an arrow where rows are sorted."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QHeaderView, QWidget

from ui import fonts
from ui.theme import CELL_PADDING, Theme

HEAD_HEIGHT = 24
_ARROW_ROOM = 10.0
"""What the arrow takes from a head, part of it from the padding."""


class TableHead(QHeaderView):
    """Paints the heads of a model by its `DisplayRole` and `TextAlignmentRole`."""

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, *, sortable: bool = False, first_stays: bool = False
    ) -> None:
        """`first_stays`: the first head is painted over the others while they are scrolled below it."""
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._first_stays = first_stays
        self._pressed_first = False
        self._theme = theme
        self._height = HEAD_HEIGHT
        self.setHighlightSections(False)
        self.setMinimumSectionSize(24)
        self.setSectionsClickable(sortable)
        if sortable:
            self.setSortIndicatorShown(True)
            self.setSortIndicatorClearable(True)
            self.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.set_zoom(1.0)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.viewport().update()

    def set_zoom(self, zoom: float, *, system: bool = False) -> None:
        """Another size of type, or the system's family."""
        self.setFont(fonts.font(fonts.Use.HEAD, zoom=zoom, system=system))
        self._height = round(HEAD_HEIGHT * zoom)
        self.setFixedHeight(self._height)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height)

    def sort_by(self, section: int) -> None:
        """As by a click: greatest or least first, then the other way round, then as without sorting."""
        first = self.model().headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.InitialSortOrderRole)
        rising, falling = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
        order = falling if first is falling else rising
        if self.sortIndicatorSection() != section:
            self.setSortIndicator(section, order)
        elif self.sortIndicatorOrder() is order:
            self.setSortIndicator(section, rising if order is falling else falling)
        else:
            self.setSortIndicator(-1, rising)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed_first = event.button() is Qt.MouseButton.LeftButton and self._is_over_first(event)
        if not self._pressed_first:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed_first = self._pressed_first, False
        if not pressed:
            super().mouseReleaseEvent(event)
        elif self._is_over_first(event) and self.sectionsClickable():
            self.sort_by(0)

    def _is_over_first(self, event: QMouseEvent) -> bool:
        """At the head that stays, over others: Qt would take it for one of these."""
        return self._first_stays and self.offset() > 0 and event.position().x() < self.sectionSize(0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._first_stays and self.offset() > 0:
            painter = QPainter(self.viewport())
            self.paintSection(painter, QRect(0, 0, self.sectionSize(0), self.height()), 0)
            painter.end()

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N803
        area = QRectF(rect)
        painter.save()
        painter.fillRect(area, self._theme.color("raised"))
        painter.fillRect(QRectF(area.left(), area.bottom() - 1, area.width(), 1), self._theme.color("line"))
        painter.fillRect(QRectF(area.right() - 1, area.top() + 5, 1, area.height() - 10), self._theme.color("line"))
        model = self.model()
        side = model.headerData(logicalIndex, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
        right = isinstance(side, Qt.AlignmentFlag) and bool(side & Qt.AlignmentFlag.AlignRight)
        inner = area.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        if self.isSortIndicatorShown() and self.sortIndicatorSection() == logicalIndex:
            self._paint_arrow(painter, area, right=right)
            inner.adjust(*((_ARROW_ROOM - CELL_PADDING, 0, 0, 0) if right else (0, 0, -_ARROW_ROOM, 0)))
        painter.setFont(self.font())
        painter.setPen(self._theme.color("text2"))
        text = str(model.headerData(logicalIndex, Qt.Orientation.Horizontal) or "")
        shown = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, round(inner.width()))
        flag = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(inner, flag | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
        painter.restore()

    def _paint_arrow(self, painter: QPainter, area: QRectF, *, right: bool) -> None:
        """A triangle that points where the greatest value is."""
        step = 1.0 if self.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder else -1.0
        middle = QPointF(area.left() + 5 if right else area.right() - 7, area.center().y())
        points = [QPointF(0, -3 * step), QPointF(-3.5, 2 * step), QPointF(3.5, 2 * step)]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(self._theme.color("text2"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawPolygon(QPolygonF([middle + point for point in points]))
