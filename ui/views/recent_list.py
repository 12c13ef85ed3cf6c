"""The list of recent captures: two lines each, with a badge; Enter or a click opens, Delete takes off the list."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import QMenu, QStyleOptionViewItem, QWidget

from ui import fonts
from ui.models.recent import ROW_ROLE, RecentModel, RecentRow
from ui.theme import Theme
from ui.views.card_rows import CardList, CardRows


class _RecentDelegate(CardRows):
    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, RecentRow):
            return
        painter.save()
        icon, tone = ("ph.file-x", "text3") if row.missing else ("ph.file", "text2")
        inner = self.begin(painter, option, icon, tone)
        self.text(painter, inner, row.opened, fonts.Use.HEAD, "text2", Qt.AlignmentFlag.AlignRight)
        left = inner.adjusted(0, 0, -self.width(row.opened) - 16, 0)
        self.lines(painter, left, row.name, row.text, badge=row.badge, severity=row.severity, off=row.missing)
        painter.restore()


class RecentList(CardList):
    """Emits paths. What is missing cannot be opened."""

    opened = Signal(str)
    forgotten = Signal(str)

    def __init__(self, theme: Theme, model: RecentModel, parent: QWidget | None = None) -> None:
        super().__init__(_RecentDelegate(theme), model, parent)
        self._captures = model
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._context_menu)
        self.setAccessibleName(self.tr("Recent captures"))
        self.clicked.connect(lambda index: self.open_row(index.row()))

    def open_row(self, row: int) -> None:
        """Ask for a capture to be opened, if it is still there."""
        capture = self._captures.row_at(row)
        if not capture.missing:
            self.opened.emit(capture.path)

    def capture_menu(self, row: int) -> QMenu:
        """What can be done with a capture; the menu deletes itself when it closes."""
        capture = self._captures.row_at(row)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        open_it = menu.addAction(self.tr("Open"), lambda: self.open_row(row))
        open_it.setEnabled(not capture.missing)
        menu.addAction(self.tr("Remove from the list\tDel"), lambda: self.forgotten.emit(capture.path))
        return menu

    def focusInEvent(self, event: QFocusEvent) -> None:
        """By keys nobody sees where they are until a row is selected; Qt makes the first one current, no more."""
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.selectionModel().select(self.currentIndex(), QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if index.isValid() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.open_row(index.row())
        elif index.isValid() and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.forgotten.emit(self._captures.row_at(index.row()).path)
        else:
            super().keyPressEvent(event)

    def _context_menu(self, at: QPoint) -> None:
        index = self.indexAt(at)
        if not index.isValid():
            # Asked for by a key, the place is the middle of the list.
            index = self.currentIndex()
            at = self.visualRect(index).center()
        if index.isValid():
            self.capture_menu(index.row()).popup(self.viewport().mapToGlobal(at))
