"""The tree view of a snapshot's changes: a type row that stays while its items scroll, what is open, keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from ui.models.change_cells import BASELINE, BITS, DIFFERENCE, ITEM, NEW, SHARE
from ui.models.changes import ChangesModel, Key
from ui.theme import Theme
from ui.views.change_rows import ChangeRowPainter
from ui.views.current_row import show_row
from ui.views.heads import TableHead
from ui.views.row_painter import row_background
from ui.views.row_tree import RowTree
from ui.views.sticky_row import StickyRow

INDENT = 18
_SHARES = {ITEM: 1.27, BASELINE: 0.9, NEW: 0.95, DIFFERENCE: 0.83}
"""How columns divide the width that `_FIXED` leaves."""
_FIXED = {BITS: 64, SHARE: 92}
_KEY = Qt.Key
_CONTROL = Qt.KeyboardModifier.ControlModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier


class ChangeTreeView(RowTree):
    """Shows a `ChangesModel`. Keys of open rows are kept over resets of the model."""

    raw_wanted = Signal(bool)
    """Alt is held, or let go: show raw values only."""
    copy_wanted = Signal()
    copy_value_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._changes = ChangesModel()
        super().__init__(theme, self._changes, ChangeRowPainter(theme), INDENT, parent)
        self._changes.setParent(self)
        self._open: set[Key] = set()
        self._restoring = False
        self._zoom = 1.0
        self._sticky = StickyRow(self)
        self._head = TableHead(theme, self)
        self.setHeader(self._head)
        self._set_up_rows()
        self._set_up_header()
        self.expanded.connect(self._on_expanded)
        self.collapsed.connect(self._on_collapsed)
        self._changes.modelReset.connect(self._restore_open)
        self.verticalScrollBar().valueChanged.connect(self._sticky.follow)

    def _set_up_rows(self) -> None:
        self.setAnimated(False)
        self.setExpandsOnDoubleClick(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAccessibleName(self.tr("Changes of the snapshot"))

    def _set_up_header(self) -> None:
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionsMovable(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    @property
    def changes(self) -> ChangesModel:
        """The model."""
        return self._changes

    def open_first_type(self) -> None:
        """Where nothing was ever opened, open the dearest type."""
        if not self._open and self._changes.rowCount():
            self.expand(self._changes.index(0, 0))

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        super().set_theme(theme)
        self._head.set_theme(theme)
        self._sticky.update()

    def set_zoom(self, zoom: float) -> None:
        """Other font sizes and row heights."""
        self._zoom = zoom
        self._fit_columns()
        super().set_zoom(zoom)
        self._head.set_zoom(zoom)
        self._sticky.follow()

    def go_to(self, index: QModelIndex) -> None:
        """Make a row current, open what it is in, and show it."""
        parent = index.parent()
        while parent.isValid():
            self.expand(parent)
            parent = parent.parent()
        show_row(self, index)

    def scrollTo(
        self,
        index: QModelIndex | QPersistentModelIndex,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        super().scrollTo(index, hint)
        hidden = self._sticky.height() - self.visualRect(index).top()
        if hidden > 0 and index.parent().isValid() and self.visualRect(index).isValid():
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() - hidden)

    def paint_pinned(self, painter: QPainter, index: QModelIndex) -> None:
        """Paint a type row at the top. `drawRow` paints only rows that are laid out within the viewport."""
        selected = self.selectionModel().isSelected(index)
        self.paint_row(painter, index, 0, row_background(self, selected=selected, hovered=False))

    def pinned_type(self) -> QModelIndex:
        """The type whose items are at the top while its own row is scrolled out; invalid if there is none."""
        top = self.indexAt(self.viewport().rect().topLeft())
        while top.parent().isValid():
            top = top.parent()
        return top if top.isValid() and self.visualRect(top).top() < 0 else QModelIndex()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()
        self._sticky.follow()

    def _fit_columns(self) -> None:
        width = self.viewport().width()
        fixed = _FIXED | {BITS: round(_FIXED[BITS] * self._zoom)}
        rest = max(0, width - sum(fixed.values()))
        whole = sum(_SHARES.values())
        for column, pixels in fixed.items():
            self.header().resizeSection(column, pixels)
        for column in (BASELINE, NEW, DIFFERENCE):
            self.header().resizeSection(column, int(rest * _SHARES[column] / whole))
        others = sum(self.header().sectionSize(column) for column in (BASELINE, NEW, DIFFERENCE, BITS, SHARE))
        self.header().resizeSection(ITEM, max(80, width - others))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = event.key(), event.modifiers() & (_CONTROL | _SHIFT)
        if key == _KEY.Key_Alt:
            self.raw_wanted.emit(True)
        elif key == _KEY.Key_C and modifiers == _CONTROL:
            self.copy_wanted.emit()
        elif key == _KEY.Key_V and modifiers == _CONTROL | _SHIFT:
            self.copy_value_wanted.emit()
        elif key == _KEY.Key_Right and modifiers == _SHIFT:
            self.open_below()
        elif key == _KEY.Key_Right and modifiers == _CONTROL:
            self.open_all()
        elif key == _KEY.Key_Left and modifiers == _CONTROL:
            self.close_all()
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == _KEY.Key_Alt:
            self.raw_wanted.emit(False)
        super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.raw_wanted.emit(False)
        super().focusOutEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Single letters belong to the window."""

    def open_all(self) -> None:
        """Open every row."""
        self._silently(self.expandAll)
        self._open.update(self._keys(QModelIndex()))

    def close_all(self) -> None:
        """Close every row."""
        self._silently(self.collapseAll)
        self._open.difference_update(self._keys(QModelIndex()))

    def open_below(self) -> None:
        """Open the current row and all below it."""
        top = self.currentIndex().siblingAtColumn(0)
        if top.isValid():
            self._silently(lambda: self.expandRecursively(top))
            self._open.update(self._keys(top))

    def _keys(self, top: QModelIndex) -> Iterable[Key]:
        keys = (self._changes.key(row) for row in self._changes.open_rows(top))
        return [key for key in keys if key is not None]

    def _silently(self, change: Callable[[], None]) -> None:
        """Open or close many rows at once: the view lays itself out once."""
        self._restoring = True
        try:
            change()
        finally:
            self._restoring = False
        self._sticky.follow()

    def _on_expanded(self, index: QModelIndex) -> None:
        key = self._changes.key(index)
        if self._restoring:
            return
        if key is not None:
            self._open.add(key)
        self._sticky.follow()

    def _on_collapsed(self, index: QModelIndex) -> None:
        key = self._changes.key(index)
        if self._restoring:
            return
        if key is not None:
            self._open.discard(key)
        self._sticky.follow()

    def _restore_open(self) -> None:
        """Open what was open before; of filtered rows, also what holds a match."""
        self._silently(self._restore_types)

    def _restore_types(self) -> None:
        filtered = bool(self._changes.filter)
        for row in range(self._changes.rowCount()):
            type_row = self._changes.index(row, 0)
            if filtered or self._changes.key(type_row) in self._open:
                self.expand(type_row)
                self._restore_items(type_row)

    def _restore_items(self, type_row: QModelIndex) -> None:
        for row in range(self._changes.rowCount(type_row)):
            item = self._changes.index(row, 0, type_row)
            if self._changes.key(item) in self._open or self._changes.is_shown_for_fields(item):
                self.expand(item)
