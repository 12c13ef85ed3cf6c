"""A plain table of a column model: its first column stays while the rest is scrolled, and columns fill the width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QGuiApplication, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QStyle, QStyleOptionViewItem

from ui import fonts
from ui.models.column_model import Column, ColumnModel, R
from ui.theme import CELL_PADDING, Theme
from ui.views.cells import SIGN_WIDTH, CellDelegate
from ui.views.heads import TableHead
from ui.views.plain_table import PlainTable

MOST_NAME = 200
"""No more of the width is kept for the first column for the sake of its texts."""
_DIGITS = "0123456789"
_LOOKED_AT = 8
"""Texts that are measured: the longest by their letters."""


class ColumnTable(PlainTable):
    """Where the first column stretches, it leaves to others what its own texts do not need."""

    def __init__(
        self, theme: Theme, model: ColumnModel[R], delegate: CellDelegate, head: TableHead, *, row_height: int
    ) -> None:
        self._columns = model
        self._theme = theme
        self._longest: tuple[str, ...] = ()
        self._at_100 = 1.0
        self.fill_menu: Callable[[QMenu, int], None] = lambda menu, row: None
        """Adds to the menu of a row what can be done beside copying."""
        super().__init__(theme, model, delegate, head, row_height=row_height)
        self.horizontalScrollBar().valueChanged.connect(self._scrolled)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        super().set_theme(theme)

    def set_zoom(self, zoom: float) -> None:
        self._at_100 = zoom
        super().set_zoom(zoom)

    def set_widths(self, widths: Sequence[int], *, stretched: int, least: int, fit: int) -> None:
        super().set_widths(widths, stretched=stretched, least=least, fit=fit)
        for number in range(len(widths)):
            if number != stretched:
                self.setColumnWidth(number, self._width(self._columns.columns[number]))
        self.fit_columns()

    def rows_changed(self) -> None:
        """Make room for the texts of the first column."""
        texts = {self._columns.columns[0].text(self._columns.row_at(row)) for row in range(self._columns.rowCount())}
        longest = tuple(sorted(texts, key=lambda text: (-len(text), text))[:_LOOKED_AT])
        if longest != self._longest:
            self._longest = longest
            self.fit_columns()

    def fit_columns(self) -> None:
        if self._stretched != 0 or not self._widths:
            super().fit_columns()
            return
        head = self.horizontalHeader()
        places = [head.logicalIndex(place) for place in range(head.count())]
        room, used = self.viewport().width(), 0
        least, wanted = round(self._least * self._at_100), self._wanted()
        shown = [column for column in places if column and not self.isColumnHidden(column)]
        for number, column in enumerate(shown, 1):
            width = self.columnWidth(column)
            if used + width + (least if number < self._fit else wanted) > room:
                break
            used += width
        self.setColumnWidth(0, max(least, room - used))

    def shown_columns(self) -> list[int]:
        """Columns that are not hidden, from left to right."""
        head = self.horizontalHeader()
        places = (head.logicalIndex(place) for place in range(head.count()))
        return [column for column in places if not self.isColumnHidden(column)]

    def copy_csv(self) -> None:
        """All rows of the shown columns into the clipboard, as comma-separated values."""
        QGuiApplication.clipboard().setText(self._columns.csv(self.shown_columns()))

    def row_menu(self, row: int) -> QMenu:
        """What can be done with a row; the menu deletes itself when it closes."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill_menu(menu, row)
        menu.addSeparator()
        value = menu.addAction(self.tr("Copy value"), self.copy_value)
        whole = menu.addAction(self.tr("Copy row"), self.copy_row)
        for action, keys in ((value, "Ctrl+Shift+V"), (whole, "Ctrl+C")):
            action.setShortcut(QKeySequence(keys))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.setShortcutVisibleInContextMenu(True)
        menu.addAction(self.tr("Copy table as CSV"), self.copy_csv)
        return menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        keyboard = event.reason() is QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if keyboard else self.indexAt(event.pos())
        if index.isValid():
            at = self.viewport().mapToGlobal(self._name_area(index.row()).bottomLeft()) if keyboard else None
            self.row_menu(index.row()).popup(at or event.globalPos())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.horizontalScrollBar().value() > 0:
            self._paint_first(event.rect())

    def _paint_first(self, area: QRect) -> None:
        """The first column over what was scrolled below it."""
        first, last = self.rowAt(area.top()), self.rowAt(area.bottom())
        if first < 0 or area.left() > self.columnWidth(0):
            return
        last = last if last >= 0 else self._columns.rowCount() - 1
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        plain = option.state & ~QStyle.StateFlag.State_Selected
        current = self.currentIndex().row()
        painter = QPainter(self.viewport())
        for row in range(first, last + 1):
            place = self._name_area(row)
            painter.fillRect(place, self.palette().base())
            option.rect = place
            option.state = plain | QStyle.StateFlag.State_Selected if row == current else plain
            self.itemDelegate().paint(painter, option, self._columns.index(row, 0))
            painter.fillRect(QRectF(place.right(), place.top(), 1, place.height()), self._theme.color("line"))
        painter.end()

    def _name_area(self, row: int) -> QRect:
        """Where the first column of a row is seen, however far the rest is scrolled."""
        corner = QPoint(0, self.rowViewportPosition(row))
        return QRect(corner.x(), corner.y(), self.columnWidth(0), self.rowHeight(row))

    def _scrolled(self) -> None:
        """Pixels that were moved show the first column where it no longer is."""
        self.viewport().update()
        self.horizontalHeader().viewport().update()

    def _width(self, column: Column[R]) -> int:
        """Padding and signs do not grow with the type, and a head is never cut."""
        fixed = 2 * CELL_PADDING + (SIGN_WIDTH if column.signed else 0)
        cells, plain = (QFontMetricsF(fonts.font(fonts.Use.TABLE, zoom=zoom)) for zoom in (self._at_100, 1.0))
        text = (column.width - fixed) * cells.horizontalAdvance(_DIGITS) / plain.horizontalAdvance(_DIGITS)
        head = QFontMetricsF(self.horizontalHeader().font()).horizontalAdvance(column.head)
        return ceil(max(fixed + text, 2 * CELL_PADDING + head + 1))

    def _wanted(self) -> int:
        metrics = QFontMetricsF(fonts.font(fonts.Use.TABLE, zoom=self._at_100))
        widest = max((metrics.horizontalAdvance(text) for text in self._longest), default=0.0)
        whole = round(widest + SIGN_WIDTH + 2 * CELL_PADDING) + 2
        return min(max(whole, round(self._least * self._at_100)), round(MOST_NAME * self._at_100))
