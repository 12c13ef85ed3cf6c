"""A tree that paints whole rows of a model that gives them ready (`ROW_ROLE`), instead of asking cell by cell."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QPointF, QRect, Qt
from PySide6.QtGui import QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QStyleOptionViewItem, QTreeView, QWidget

from ui.theme import ROW_HEIGHT, Theme
from ui.views.cells import ROW_ROLE, CellDelegate, Row
from ui.views.hovered_row import HoveredRow
from ui.views.row_painter import RowPainter, row_background

_OPEN = ((-3.0, -1.5), (0.0, 1.5), (3.0, -1.5))
_CLOSED = tuple((y, x) for x, y in _OPEN)


class RowTree(QTreeView):
    """Rows of one height; the caret of a row that opens stands in its indentation."""

    def __init__(
        self, theme: Theme, model: QAbstractItemModel, painter: RowPainter, indent: int, parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._painter = painter
        self._indent = indent
        # Paints nothing here: the view asks it how high a row is.
        self._heights = CellDelegate(theme, self)
        self.setModel(model)
        self.setItemDelegate(self._heights)
        self.setUniformRowHeights(True)
        self.setIndentation(indent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.hovered = HoveredRow(self)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self._painter.set_theme(theme)
        self.viewport().update()

    def set_zoom(self, zoom: float) -> None:
        """Another size of type and rows."""
        self._painter.set_zoom(zoom)
        self._heights.set_row_height(round(ROW_HEIGHT * zoom))
        self.setIndentation(round(self._indent * zoom))
        self.scheduleDelayedItemsLayout()

    def row_height(self) -> int:
        """Pixels of a row."""
        return self._heights.row_height

    def drawRow(
        self, painter: QPainter, options: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        top = options.rect.top()
        selected = self.selectionModel().isSelected(index)
        background = row_background(self, selected=selected, hovered=self.hovered.is_at(index))
        self.paint_row(painter, index, top, background)
        if self.currentIndex().row() == index.row() and self.hasFocus():
            current = self.currentIndex()
            if current.parent() == index.parent():
                self._painter.paint_focus(painter, top, self.viewport().width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A selected row that was in view stays in view."""
        current = self.currentIndex()
        rect = self.visualRect(current)
        was_seen = rect.isValid() and 0 <= rect.top() < event.oldSize().height()
        super().resizeEvent(event)
        if was_seen and self.visualRect(current).bottom() >= self.viewport().height():
            self.scrollTo(current)

    def paint_row(
        self, painter: QPainter, index: QModelIndex | QPersistentModelIndex, top: int, background: str
    ) -> None:
        """Paint a row with its caret, wherever it belongs."""
        row = self.model().data(index, ROW_ROLE)
        if not isinstance(row, Row):
            return
        self._painter.set_columns(self._spans(), self.row_height(), self.indentation())
        self._painter.paint(painter, row, top, self.viewport().width(), background)
        if row.opens:
            left = row.depth * self.indentation()
            caret = QRect(left, top, self.indentation(), self.row_height())
            paint_caret(painter, caret, self._theme, is_open=self.isExpanded(index))

    def _spans(self) -> tuple[tuple[int, int], ...]:
        header = self.header()
        return tuple(
            (header.sectionViewportPosition(column), header.sectionSize(column)) for column in range(header.count())
        )


def paint_caret(painter: QPainter, rect: QRect, theme: Theme, *, is_open: bool) -> None:
    """What says that a row opens, in its indentation."""
    middle = QPointF(rect.right() - rect.width() / 2 + 2, rect.center().y() + 0.5)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.color("text3"), 1.3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawPolyline([middle + QPointF(x, y) for x, y in (_OPEN if is_open else _CLOSED)])
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
