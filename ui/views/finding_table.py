"""The list of findings: heads that open and close, columns by its width, and keys as in trees."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from PySide6.QtCore import QModelIndex, QRect, Qt, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QMenu

from ui import fonts
from ui.models.finding_cells import Column
from ui.models.findings import FindingModel
from ui.theme import CELL_PADDING, ROW_HEIGHT, Theme
from ui.views.cells import Row
from ui.views.current_row import go_to_row, show_row
from ui.views.heads import TableHead
from ui.views.row_table import RowTable
from ui.views.row_tree import paint_caret

INDENT = 16
WIDTHS = {Column.COUNT: 48, Column.FOLLOW: 54, Column.FIRST: 60, Column.LAST: 60, Column.PACKET: 56}
"""At 100 % zoom; the finding takes the rest, or beside a detail what it needs."""
LEAST_FINDING = 150
WITH_DETAIL = (240, 340)
"""Of the finding beside a detail: at least, and at most; between them a third of the table."""
NARROWER = {Column.FOLLOW: 400, Column.LAST: 520, Column.DETAIL: 760}
"""Below these widths columns are left out; the detail of the chosen one stands below the list."""


class FindingTable(RowTable):
    """One column is stretched. What rows show is the model's."""

    chosen = Signal(int)
    """A finding was clicked, or Enter was pressed in it."""

    def __init__(self, theme: Theme, model: FindingModel) -> None:
        super().__init__(theme, model)
        self._theme = theme
        self._findings = model
        self._zoom = 1.0
        self._head = TableHead(theme)
        self.fill_menu: Callable[[QMenu, int], None] = lambda menu, row: None
        """Adds to the menu of a row what can be done with it."""
        self.setHorizontalHeader(self._head)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Findings"))
        for changed in (model.modelReset, model.dataChanged):
            changed.connect(self._fit_columns)
        self.set_zoom(1.0)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self._painter.set_theme(theme)
        self._head.set_theme(theme)
        self.viewport().update()

    def set_zoom(self, zoom: float) -> None:
        """Scale type, rows and columns."""
        self._zoom = zoom
        self.indent = round(INDENT * zoom)
        self._painter.set_zoom(zoom)
        self._head.set_zoom(zoom)
        self.verticalHeader().setDefaultSectionSize(round(ROW_HEIGHT * zoom))
        self._fit_columns()

    def go_to(self, row: int) -> None:
        """Make a row current, and have it in view."""
        if row >= 0:
            show_row(self, self._findings.index(row, Column.FINDING))

    def make_current(self, row: int) -> None:
        """Make a row current; what is in view stays. -1: none is current."""
        go_to_row(self, self._findings.index(row, Column.FINDING) if row >= 0 else QModelIndex())

    def top_row(self) -> int:
        """The first row in view, -1: none."""
        return self.rowAt(0)

    def put_on_top(self, row: int) -> None:
        """Scroll so that a row is the first in view."""
        if row >= 0 and row != self.top_row():
            self.scrollTo(self._findings.index(row, Column.FINDING), QAbstractItemView.ScrollHint.PositionAtTop)

    def open_all(self, *, opened: bool) -> None:
        """Open or close every group."""
        for number in range(len(self._findings.groups)):
            self._findings.set_open(number, opened)

    def copy_row(self) -> None:
        """The current row's shown columns into the clipboard, separated by tabs."""
        current = self.currentIndex()
        if current.isValid():
            columns = (column for column in Column if not self.isColumnHidden(column))
            texts = (str(current.siblingAtColumn(column).data() or "") for column in columns)
            QGuiApplication.clipboard().setText("\t".join(texts))

    def copy_value(self) -> None:
        """What the current row is about."""
        if self.currentIndex().isValid():
            QGuiApplication.clipboard().setText(str(self.currentIndex().data() or ""))

    def row_menu(self, row: int) -> QMenu:
        """What can be done with a row; the menu deletes itself when it closes."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill_menu(menu, row)
        return menu

    def paint_over(self, painter: QPainter, number: int, row: Row, top: int) -> None:
        if row.opens:
            area = QRect(row.depth * self.indent, top, self.indent, self.verticalHeader().defaultSectionSize())
            paint_caret(painter, area, self._theme, is_open=self._findings.is_open(self._findings.group_at(number)))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.rowAt(round(event.position().y()))
        super().mousePressEvent(event)
        if row < 0 or event.button() is not Qt.MouseButton.LeftButton:
            return
        if not self._findings.is_head(row):
            self.chosen.emit(row)
        elif event.position().x() < self.indent * (self._findings.group_at(row).depth + 1):
            self._turn(row)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row = self.rowAt(round(event.position().y()))
        on_caret = row >= 0 and event.position().x() < self.indent * (self._findings.group_at(row).depth + 1)
        if row >= 0 and self._findings.is_head(row) and event.button() is Qt.MouseButton.LeftButton:
            self._turn(row)
        elif not on_caret:
            super().mouseDoubleClickEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, control = self.currentIndex().row(), event.modifiers() & Qt.KeyboardModifier.ControlModifier
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Right, Qt.Key.Key_Left) and control:
            self._keeping_current(lambda: self.open_all(opened=key == Qt.Key.Key_Right))
        elif row < 0:
            super().keyPressEvent(event)
        elif key is Qt.Key.Key_Right:
            self._open(row, all_below=bool(shift))
        elif key is Qt.Key.Key_Left:
            self._close(row)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._findings.is_head(row):
                self._turn(row)
            else:
                self.chosen.emit(row)
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Single letters are commands."""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        keyboard = event.reason() is QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if keyboard else self.indexAt(event.pos())
        if index.isValid():
            at = self.viewport().mapToGlobal(self.visualRect(index).bottomLeft()) if keyboard else event.globalPos()
            self.row_menu(index.row()).popup(at)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _turn(self, row: int) -> None:
        number = self._findings.number_at(row)
        self._findings.set_open(number, not self._findings.is_open(self._findings.group_at(row)))

    def _open(self, row: int, *, all_below: bool) -> None:
        """What is below a head; where it is open, go there."""
        if not self._findings.is_head(row):
            return
        number, group = self._findings.number_at(row), self._findings.group_at(row)
        if self._findings.is_open(group) and not all_below:
            self.go_to(row + 1)
        self._findings.set_open(number, True)
        if all_below and group.rule is None:
            for below in range(number + 1, len(self._findings.groups)):
                if self._findings.groups[below].depth <= group.depth:
                    break
                self._findings.set_open(below, True)

    def _close(self, row: int) -> None:
        """Close a head; of anything else go to the head above."""
        if self._findings.is_head(row) and self._findings.is_open(self._findings.group_at(row)):
            self._findings.set_open(self._findings.number_at(row), False)
        else:
            self.go_to(self._findings.parent_row(row))

    def _keeping_current(self, change: Callable[[], None]) -> None:
        """The current row, or the head above it, stays current and in view."""
        row = self.currentIndex().row()
        name = self._findings.name_at(row) if row >= 0 else None
        change()
        if name is not None:
            self.go_to(self._findings.row_named(name))

    def _number_widths(self) -> dict[Column, int]:
        """Numbers are never cut."""
        metrics = QFontMetricsF(fonts.font(fonts.Use.GROUP_ROW, zoom=self._zoom))
        texts = self._findings.longest()
        return {
            column: max(
                round(width * self._zoom), ceil(metrics.horizontalAdvance(texts.get(column, ""))) + 2 * CELL_PADDING + 1
            )
            for column, width in WIDTHS.items()
        }

    @Slot()
    def _fit_columns(self) -> None:
        room, scale = self.viewport().width(), self._zoom
        for column, least in NARROWER.items():
            self.setColumnHidden(column, room < least * scale)
        detailed = not self.isColumnHidden(Column.DETAIL)
        taken = 0
        for column, least in self._number_widths().items():
            self.setColumnWidth(column, least)
            taken += 0 if self.isColumnHidden(column) else least
        left = max(room - taken, round(LEAST_FINDING * scale))
        low, high = WITH_DETAIL
        finding = round(min(max(room / 3, low * scale), high * scale)) if detailed else left
        self.setColumnWidth(Column.FINDING, finding)
        if detailed:
            self.setColumnWidth(Column.DETAIL, left - finding)
        if self._findings.wants_sentences != detailed:
            self._findings.wants_sentences = detailed
            # It has them painted anew, and comes back here: nothing is left to do then.
            self._findings.forget_words()
