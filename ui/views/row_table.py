"""A table that paints whole rows of a model that gives them ready (`ROW_ROLE`), instead of asking cell by cell."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QTableView

from ui.theme import Theme
from ui.turn import TURN
from ui.views.cells import ROW_ROLE, Row
from ui.views.hovered_row import HoveredRow
from ui.views.plain_table import make_plain
from ui.views.row_painter import RowPainter, row_background


class RowTable(QTableView):
    """Qt asks a delegate for each cell, which costs as much again as all that is drawn; here it asks for none."""

    indent = 0
    """Pixels by which the first cell moves in for each level of rows that open."""

    def __init__(self, theme: Theme, model: QAbstractItemModel) -> None:
        super().__init__()
        self._painter = RowPainter(theme)
        self.setModel(model)
        make_plain(self)
        self.hovered = HoveredRow(self)

    def set_type(self, zoom: float) -> None:
        """Another size of type."""
        self._painter.set_zoom(zoom)

    def paintEvent(self, event: QPaintEvent) -> None:
        TURN.begin()
        area = event.rect()
        first = self.rowAt(area.top())
        if first < 0:
            return
        painter = QPainter(self.viewport())
        height, width = self.verticalHeader().defaultSectionSize(), self.viewport().width()
        self._painter.set_columns(self._spans(), height, self.indent)
        model, top = self.model(), self.rowViewportPosition(first)
        count = min(model.rowCount() - first, (area.bottom() - top) // height + 1)
        selection = self.selectionModel().selection()
        ranges = [(found.top(), found.bottom()) for found in map(selection.at, range(selection.size()))]
        hovered, current = self.hovered.row, self.currentIndex().row() if self.hasFocus() else -1
        for number in range(first, first + count):
            row = model.data(model.index(number, 0), ROW_ROLE)
            selected = any(start <= number <= stop for start, stop in ranges)
            background = row_background(self, selected=selected, hovered=number == hovered)
            if isinstance(row, Row):
                self._painter.paint(painter, row, top, width, background)
                self.paint_over(painter, number, row, top)
            if number == current:
                self._painter.paint_focus(painter, top, width)
            top += height
        painter.end()

    def paint_over(self, painter: QPainter, number: int, row: Row, top: int) -> None:
        """What a table shows beside the cells of a row."""

    def _spans(self) -> tuple[tuple[int, int], ...]:
        return tuple(
            (self.columnViewportPosition(column), self.columnWidth(column))
            for column in range(self.model().columnCount())
        )
