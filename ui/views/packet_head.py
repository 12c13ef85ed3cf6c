"""Flat column heads with a hairline between them; a third click on a head gives up its order."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPolygonF
from PySide6.QtWidgets import QHeaderView, QWidget

from ui import fonts
from ui.theme import CELL_PADDING, Theme

HEAD_HEIGHT = 24
ARROW_WIDTH = 2.0
"""What the arrow takes from the text beyond the padding, in which it stands."""


class PacketHead(QHeaderView):
    """The heads of the packet list."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self._height = HEAD_HEIGHT
        self.setSectionsClickable(True)
        self.setSectionsMovable(True)
        self.setFirstSectionMovable(False)
        self.setHighlightSections(False)
        self.setSortIndicatorShown(True)
        self.setSortIndicatorClearable(True)
        self.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setStretchLastSection(True)
        self.setMinimumSectionSize(20)
        self.set_zoom(1.0)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.viewport().update()

    def set_zoom(self, zoom: float, *, system: bool = False) -> None:
        """Another size of type."""
        self.setFont(fonts.font(fonts.Use.HEAD, zoom=zoom, system=system))
        self._height = round(HEAD_HEIGHT * zoom)
        self.setFixedHeight(self._height)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N803
        area = QRectF(rect)
        painter.save()
        painter.fillRect(area, self._theme.color("raised"))
        painter.fillRect(QRectF(area.left(), area.bottom() - 1, area.width(), 1), self._theme.color("line"))
        painter.fillRect(QRectF(area.right() - 1, area.top() + 5, 1, area.height() - 10), self._theme.color("line"))
        inner = area.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        model = self.model()
        text = str(model.headerData(logicalIndex, Qt.Orientation.Horizontal) or "")
        side = model.headerData(logicalIndex, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
        right = isinstance(side, Qt.AlignmentFlag) and bool(side & Qt.AlignmentFlag.AlignRight)
        painter.setFont(self.font())
        painter.setPen(self._theme.color("text2"))
        if self.sortIndicatorSection() == logicalIndex:
            inner.adjust(*((ARROW_WIDTH, 0, 0, 0) if right else (0, 0, -ARROW_WIDTH, 0)))
        shown = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, round(inner.width()))
        flag = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(inner, flag | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
        if self.sortIndicatorSection() == logicalIndex:
            self._paint_arrow(painter, area, right)
        painter.restore()

    def _paint_arrow(self, painter: QPainter, area: QRectF, right: bool) -> None:
        """A triangle that points where the greatest value is."""
        step = 1.0 if self.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder else -1.0
        middle = QPointF(area.left() + 5 if right else area.right() - 6, area.center().y())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(self._theme.color("text2"))
        painter.setPen(Qt.PenStyle.NoPen)
        corners = (QPointF(0, 3 * step), QPointF(-3.5, -2 * step), QPointF(3.5, -2 * step))
        painter.drawPolygon(QPolygonF([middle + corner for corner in corners]))
