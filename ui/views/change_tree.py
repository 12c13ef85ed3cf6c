"""The tree view of a snapshot's changes: painted rows, a type row that stays while its items scroll, keys, copying."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QStyle, QStyleOptionViewItem, QTreeView, QWidget

from ui import fonts, words
from ui.models.change_cells import BASELINE, BITS, DIFFERENCE, ITEM, NEW, SHARE, GroupCell, ShareCell, ValueCell
from ui.models.changes import ChangesModel, Key
from ui.theme import CELL_PADDING, ROW_HEIGHT, Theme
from ui.views.cells import Cell, CellDelegate
from ui.views.signs import paint_sign

HEADER_HEIGHT = 24
INDENT = 18
_SHARES = {ITEM: 1.55, BASELINE: 0.8, NEW: 0.9, DIFFERENCE: 0.62}
"""How columns divide the width that `_FIXED` leaves."""
_FIXED = {BITS: 58, SHARE: 92}
_UNDER = 2.0
_SIGN = 14.0
_GAP = 6.0
_SWATCH = 10.0
_MEANING = 0.4
"""Share of a cell that is kept for what a value means."""
_KEY = Qt.Key
_CONTROL = Qt.KeyboardModifier.ControlModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier


class ChangeDelegate(CellDelegate):
    """Paints also counts by sign, shares with a bar below, and values with their meaning."""

    def _paint_text(self, painter: QPainter, area: QRectF, cell: Cell) -> None:
        if isinstance(cell, ValueCell):
            area = self._paint_meaning(painter, area, cell)
        super()._paint_text(painter, area, cell)
        if isinstance(cell, GroupCell):
            self._paint_counts(painter, area, cell)
        elif isinstance(cell, ShareCell):
            width = max(1.0, area.width() * min(1.0, cell.under))
            bar = QRectF(area.right() - width, area.bottom() - _UNDER - 1, width, _UNDER)
            painter.fillRect(bar, self._theme.color("p2"))

    def _paint_counts(self, painter: QPainter, area: QRectF, cell: GroupCell) -> None:
        left = area.left() + self._metrics[cell.use].horizontalAdvance(cell.text) + 2 * _GAP
        metrics = self._metrics[fonts.Use.GROUP_ROW]
        painter.setFont(self._fonts[fonts.Use.GROUP_ROW])
        for sign, number in cell.counts:
            text = words.quantity(number)
            width = metrics.horizontalAdvance(text)
            if left + _SIGN + 4 + width > area.right():
                return
            paint_sign(painter, sign, QRectF(left, area.top(), _SIGN, area.height()), self._theme)
            painter.setPen(self._theme.color("text2" if sign == "note" else sign))
            place = QRectF(left + _SIGN + 4, area.top(), width + 1, area.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, text)
            left = place.right() + _GAP + 2

    def _paint_meaning(self, painter: QPainter, area: QRectF, cell: ValueCell) -> QRectF:
        """Paint what a value means, and return the place of the number: its right edge is the same in most rows."""
        if not cell.explained:
            return area
        metrics = self._metrics[fonts.Use.TABLE]
        gap = 1.5 * self._metrics[cell.use].horizontalAdvance(" ")
        swatch = _SWATCH + gap if cell.swatch is not None else 0.0
        wanted = metrics.horizontalAdvance(cell.meaning) + 1 + swatch if cell.meaning else 0.0
        room = area.width() - self._metrics[cell.use].horizontalAdvance(cell.text) - gap
        width = min(max(wanted, area.width() * _MEANING), room)
        if width < min(wanted, 3 * gap) or width <= 0:
            return area
        place = QRectF(area.right() - width, area.top(), width, area.height())
        if cell.swatch is not None:
            self._paint_swatch(painter, QRectF(place.left(), place.center().y() - 5, _SWATCH, _SWATCH), cell.swatch)
            place.setLeft(place.left() + swatch)
        self._paint_words(painter, place, cell.meaning, metrics)
        return area.adjusted(0, 0, -width - gap, 0)

    def _paint_words(self, painter: QPainter, place: QRectF, text: str, metrics: QFontMetricsF) -> None:
        painter.setFont(self._fonts[fonts.Use.TABLE])
        painter.setPen(self._theme.color("text2"))
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)

    def _paint_swatch(self, painter: QPainter, place: QRectF, swatch: tuple[int, int, int]) -> None:
        hue, saturation, lightness = swatch
        painter.setPen(self._theme.color("line2"))
        painter.setBrush(QColor.fromHslF(hue % 360 / 360, saturation / 100, lightness / 100))
        painter.drawRect(place)


class _Head(QHeaderView):
    """Column heads that stand over their columns with the padding of cells."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.theme = theme

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N803
        painter.save()
        painter.fillRect(rect, self.theme.color("raised"))
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, self.theme.color("line"))
        if logicalIndex:
            painter.fillRect(rect.left(), rect.top() + 5, 1, rect.height() - 10, self.theme.color("line"))
        painter.setFont(self.font())
        painter.setPen(self.theme.color("text2"))
        side = Qt.AlignmentFlag.AlignRight if logicalIndex else Qt.AlignmentFlag.AlignLeft
        title = str(self.model().headerData(logicalIndex, Qt.Orientation.Horizontal))
        place = rect.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        text = self.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, side | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()


class ChangeTreeView(QTreeView):
    """Shows a `ChangesModel`. Keys of open rows are kept over resets of the model."""

    raw_wanted = Signal(bool)
    """Alt is held, or let go: show raw values only."""
    copy_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._open: set[Key] = set()
        self._restoring = False
        self._zoom = 1.0
        self._changes = ChangesModel(self)
        self._cells = ChangeDelegate(theme, self)
        self._sticky = _StickyRow(self)
        self.setModel(self._changes)
        self.setItemDelegate(self._cells)
        self._head = _Head(theme, self)
        self.setHeader(self._head)
        self._set_up_rows()
        self._set_up_header()
        self.expanded.connect(self._on_expanded)
        self.collapsed.connect(self._on_collapsed)
        self._changes.modelReset.connect(self._restore_open)
        self.verticalScrollBar().valueChanged.connect(self._sticky.follow)

    def _set_up_rows(self) -> None:
        self.setUniformRowHeights(True)
        self.setIndentation(INDENT)
        self.setAnimated(False)
        self.setExpandsOnDoubleClick(True)
        self.setMouseTracking(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAccessibleName(self.tr("Changes of the snapshot"))

    def _set_up_header(self) -> None:
        header = self.header()
        header.setFont(fonts.font(fonts.Use.HEAD))
        header.setFixedHeight(HEADER_HEIGHT)
        header.setMinimumSectionSize(24)
        header.setStretchLastSection(False)
        header.setSectionsMovable(False)
        header.setSectionsClickable(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    @property
    def changes(self) -> ChangesModel:
        """The model."""
        return self._changes

    @property
    def open_keys(self) -> frozenset[Key]:
        """Keys of the rows that are open wherever they occur."""
        return frozenset(self._open)

    def open_first_type(self) -> None:
        """Where nothing was ever opened, open the dearest type."""
        if not self._open and self._changes.rowCount():
            self.expand(self._changes.index(0, 0))

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self._cells.set_theme(theme)
        self._head.theme = theme
        self._head.viewport().update()
        self.viewport().update()
        self._sticky.update()

    def set_zoom(self, zoom: float) -> None:
        """Other font sizes and row heights."""
        self._zoom = zoom
        self._fit_columns()
        self._cells.set_zoom(zoom)
        self._cells.set_row_height(round(ROW_HEIGHT * zoom))
        self.header().setFont(fonts.font(fonts.Use.HEAD, zoom=zoom))
        self.header().setFixedHeight(round(HEADER_HEIGHT * zoom))
        self.setIndentation(round(INDENT * zoom))
        self.scheduleDelayedItemsLayout()
        self._sticky.follow()

    def go_to(self, index: QModelIndex) -> None:
        """Make a row current, open what it is in, and show it."""
        parent = index.parent()
        while parent.isValid():
            self.expand(parent)
            parent = parent.parent()
        self.setCurrentIndex(index)
        self.scrollTo(index)

    def scrollTo(
        self,
        index: QModelIndex | QPersistentModelIndex,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        super().scrollTo(index, hint)
        hidden = self._sticky.height() - self.visualRect(index).top()
        if hidden > 0 and index.parent().isValid() and self.visualRect(index).isValid():
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() - hidden)

    def drawBranches(self, painter: QPainter, rect: QRect, index: QModelIndex | QPersistentModelIndex) -> None:
        row = self._changes.index(index.row(), 0, index.parent())
        if self.selectionModel().isSelected(row):
            painter.fillRect(rect, self._theme.color("select" if self.isActiveWindow() else "select_off"))
        elif not row.parent().isValid():
            painter.fillRect(rect, self._theme.color("sunken"))
        if self._changes.rowCount(row):
            self._paint_caret(painter, rect, self.isExpanded(row))

    def _paint_caret(self, painter: QPainter, rect: QRect, is_open: bool) -> None:
        middle = QPointF(rect.right() - self.indentation() / 2 + 2, rect.center().y() + 0.5)
        steps = ((-3.0, -1.5), (0.0, 1.5), (3.0, -1.5))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.color("text3"), 1.3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPolyline([middle + (QPointF(x, y) if is_open else QPointF(y, x)) for x, y in steps])
        painter.restore()

    def paint_pinned(self, painter: QPainter, index: QModelIndex, height: int) -> None:
        """Paint a type row at the top. `drawRow` paints only rows that are laid out within the viewport."""
        selected = self.selectionModel().isSelected(index)
        painter.fillRect(0, 0, self.viewport().width(), height, self._theme.color("select" if selected else "sunken"))
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        if selected:
            option.state |= QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_Active
        for column in range(self._changes.columnCount()):
            left = self.header().sectionViewportPosition(column) + (0 if column else self.indentation())
            right = self.header().sectionViewportPosition(column) + self.header().sectionSize(column)
            option.rect = QRect(left, 0, right - left, height)
            self._cells.paint(painter, option, index.siblingAtColumn(column))
        self._paint_caret(painter, QRect(0, 0, self.indentation(), height), self.isExpanded(index))

    def pinned_type(self) -> QModelIndex:
        """The type whose items are at the top while its own row is scrolled out; invalid if there is none."""
        top = self.indexAt(self.viewport().rect().topLeft())
        while top.parent().isValid():
            top = top.parent()
        return top if top.isValid() and self.visualRect(top).top() < 0 else QModelIndex()

    def row_height(self) -> int:
        """Pixels of a row."""
        return self._cells.sizeHint(QStyleOptionViewItem(), QModelIndex()).height()

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
        elif key == _KEY.Key_Right and modifiers == _SHIFT:
            self._open_below(self.currentIndex())
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

    def _open_below(self, index: QModelIndex) -> None:
        top = index.siblingAtColumn(0)
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


class _StickyRow(QWidget):
    """The type row over the top of the view, while the type's items scroll below it."""

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
        self._view.paint_pinned(painter, index, self.height() - 1)
        painter.fillRect(0, self.height() - 1, self.width(), 1, self._view.palette().mid())
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on the pinned row goes to where its type begins."""
        index = self._view.pinned_type()
        if index.isValid():
            self._view.setCurrentIndex(index)
            self._view.setFocus(Qt.FocusReason.MouseFocusReason)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self._view.currentIndex()
        if index.isValid() and not index.parent().isValid():
            self._view.setExpanded(index.siblingAtColumn(0), not self._view.isExpanded(index.siblingAtColumn(0)))
