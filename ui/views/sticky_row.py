"""The type row that stays over the top of the change tree while the type's items scroll below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from ui.views.current_row import go_to_row

if TYPE_CHECKING:
    from ui.views.change_tree import ChangeTreeView


class StickyRow(QWidget):
    """Lies over the first row of a `ChangeTreeView`, or is hidden."""

    def __init__(self, view: ChangeTreeView) -> None:
        super().__init__(view)
        self._view = view
        self.hide()

    def sizeHint(self) -> QSize:
        return QSize(0, self._view.row_height())

    def follow(self) -> None:
        """Take the place over the first row, or vanish."""
        view = self._view
        pinned = view.pinned_type().isValid()
        height = view.row_height()
        viewport = view.viewport().geometry()
        self.setGeometry(viewport.left(), viewport.top(), viewport.width(), height + 1)
        self.setVisible(pinned)
        self.raise_()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        index = self._view.pinned_type()
        if not index.isValid():
            return
        painter = QPainter(self)
        self._view.paint_pinned(painter, index)
        painter.fillRect(0, self.height() - 1, self.width(), 1, self._view.palette().mid())
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on the pinned row goes to where its type begins."""
        index = self._view.pinned_type()
        if index.isValid():
            go_to_row(self._view, index)
            self._view.setFocus(Qt.FocusReason.MouseFocusReason)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self._view.currentIndex()
        if index.isValid() and not index.parent().isValid():
            self._view.setExpanded(index.siblingAtColumn(0), not self._view.isExpanded(index.siblingAtColumn(0)))
