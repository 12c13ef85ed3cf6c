"""The row under the pointer: all of it is tinted, not the cell alone."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QAbstractItemView

Index = QModelIndex | QPersistentModelIndex


class HoveredRow(QObject):
    """Follows the pointer in a view, and has the rows it enters and leaves painted again."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self._index = QPersistentModelIndex()
        view.setMouseTracking(True)
        view.entered.connect(self._move_to)
        view.viewportEntered.connect(self._leave)
        view.verticalScrollBar().valueChanged.connect(self._look_again)
        view.viewport().installEventFilter(self)

    def is_at(self, index: Index) -> bool:
        """Is the pointer in the row of an index?"""
        here = self._index
        return here.isValid() and here.row() == index.row() and here.parent() == index.parent()

    @property
    def row(self) -> int:
        """The row of a table; -1: none."""
        return self._index.row()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._leave()
        return False

    def _move_to(self, index: Index) -> None:
        if not self.is_at(index):
            self._update()
            self._index = QPersistentModelIndex(index)
            self._update()

    def _leave(self) -> None:
        self._update()
        self._index = QPersistentModelIndex()

    def _look_again(self) -> None:
        """Rows moved below a pointer that did not."""
        viewport = self._view.viewport()
        if self._index.isValid() and viewport.underMouse():
            found = self._view.indexAt(viewport.mapFromGlobal(QCursor.pos()))
            if found.isValid():
                self._move_to(found)
            else:
                self._leave()

    def _update(self) -> None:
        if self._index.isValid():
            rect = self._view.visualRect(self._index)
            viewport = self._view.viewport()
            viewport.update(0, rect.top(), viewport.width(), rect.height())
