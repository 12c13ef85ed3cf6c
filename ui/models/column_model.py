"""What the models of plain tables share: rows that are given whole, and columns that say how each is shown."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ui.views.cells import CELL_ROLE, Cell

R = TypeVar("R")
Value = float | int | str | None
Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


@dataclass(frozen=True, slots=True)
class Column(Generic[R]):
    """One column."""

    name: str
    """Identifies it."""
    head: str
    tip: str
    width: int
    """At 100 % zoom; 0 for the one that takes what is left."""
    text: Callable[[R], str]
    value: Callable[[R], Value]
    """What it is sorted by, and what a file of values gets; None comes last."""
    right: bool = True
    rising: bool = False
    """The first click sorts the least first."""
    signed: bool = False
    """Its numbers may have a sign before them."""

    @property
    def alignment(self) -> Qt.AlignmentFlag:
        """Numbers are read down a column."""
        side = Qt.AlignmentFlag.AlignRight if self.right else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter


class ColumnModel(QAbstractTableModel, Generic[R]):
    """Subclasses change `_rows` between Qt's begin and end, and say what a cell looks like."""

    def __init__(self, columns: Sequence[Column[R]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._rows: list[R] = []

    def row_at(self, row: int) -> R:
        """All of a row."""
        return self._rows[row]

    def column_of(self, name: str) -> int:
        """Number of a column. Raises LookupError."""
        for number, column in enumerate(self.columns):
            if column.name == name:
                return number
        raise LookupError(name)

    def cell(self, row: R, column: Column[R]) -> Cell:
        """A cell ready to paint."""
        raise NotImplementedError

    def tool_tip(self, row: R) -> str:
        """More about a row."""
        raise NotImplementedError

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], self.columns[index.column()]
        if role == CELL_ROLE:
            return self.cell(row, column)
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tool_tip(row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return column.alignment
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.head
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return column.alignment
        if role == Qt.ItemDataRole.InitialSortOrderRole:
            return Qt.SortOrder.AscendingOrder if column.rising else Qt.SortOrder.DescendingOrder
        return None

    def csv(self, numbers: Sequence[int]) -> str:
        """All rows of these columns, with their heads, as comma-separated values; what is unknown is empty."""
        columns = [self.columns[number] for number in numbers]
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        writer.writerow([column.head for column in columns])
        writer.writerows([_plain(column.value(row)) for column in columns] for row in self._rows)
        return written.getvalue()


def _plain(value: Value) -> str:
    """Numbers as programs read them."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
