"""The Qt model of the table of clients: one row a session, the worst first or sorted by a column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from analyzer.protocols.base import Pace
from analyzer.stats.clients import ClientStats
from ui.models.client_cells import SIGNS, Column, Row, cell, columns, name_cell, tool_tip
from ui.views.cells import CELL_ROLE
from ui.views.signs import TEXTS

BAR_ROLE = CELL_ROLE + 1
"""0 to 1: what share of the greatest value this one is, for a bar below the number; None: no bar."""

Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


class ClientModel(QAbstractTableModel):
    """Rows are given whole, by `show`; a row keeps its identity by its session."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns: tuple[Column, ...] = columns()
        self._rows: list[Row] = []
        self._paces: Mapping[int, Pace] = {}
        self._dialects: Mapping[str, str] = {}
        self._only = -1
        self._column = -1
        self._descending = False
        self._top_rate = 0.0

    def set_dialects(self, names: Mapping[str, str]) -> None:
        """Names of dialects for people."""
        self._dialects = names

    def session_at(self, row: int) -> int:
        """The session in a row."""
        return self._rows[row].stats.session

    def row_at(self, row: int) -> Row:
        """All of a row."""
        return self._rows[row]

    def row_of(self, session: int) -> int:
        """The row of a session, -1 if it is not shown."""
        return next((row for row, entry in enumerate(self._rows) if entry.stats.session == session), -1)

    def show(self, stats: tuple[ClientStats, ...]) -> None:
        """Show these sessions: rows that went are removed, new ones inserted at once, then all are put in order."""
        found = {entry.session: entry for entry in stats}
        self._remove([row for row, entry in enumerate(self._rows) if entry.stats.session not in found])
        self._top_rate = max((entry.rate or 0.0 for entry in stats), default=0.0)
        flows = Counter(entry.flow for entry in stats)
        rows = {
            session: Row(entry, self._paces.get(session), flows[entry.flow] > 1, self._left_out(entry))
            for session, entry in found.items()
        }
        known = {entry.stats.session for entry in self._rows}
        new = [row for session, row in rows.items() if session not in known]
        self._rows = [rows[entry.stats.session] for entry in self._rows]
        if new:
            first = len(self._rows)
            self.beginInsertRows(_NO_INDEX, first, first + len(new) - 1)
            self._rows += new
            self.endInsertRows()
        self._put_in_order()
        self._repaint()

    def show_paces(self, paces: Mapping[int, Pace]) -> None:
        """How often the server sends to each session at the selected time."""
        self._paces = paces
        self._rows = [replace(row, pace=paces.get(row.stats.session)) for row in self._rows]
        if self._column >= 0 and self.columns[self._column].name == "pace":
            self._put_in_order()
        self._repaint()

    def limit_to(self, session: int) -> None:
        """The only session that the other panes show, -1: all. The rest is greyed."""
        self._only = session
        self._rows = [replace(row, left_out=self._left_out(row.stats)) for row in self._rows]
        self._repaint()

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], self.columns[index.column()]
        if role == CELL_ROLE:
            return cell(column, row) if index.column() else name_cell(row)
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(row)
        if role == BAR_ROLE:
            return (row.stats.rate or 0.0) / self._top_rate if column.name == "rate" and self._top_rate else None
        if role == Qt.ItemDataRole.ToolTipRole:
            return tool_tip(row, self._dialects)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            sign = TEXTS.get(SIGNS[row.stats.severity], "") if not index.column() else ""
            return ", ".join(filter(None, (column.text(row), sign)))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
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
            return _alignment(column)
        if role == Qt.ItemDataRole.InitialSortOrderRole:
            return Qt.SortOrder.AscendingOrder if column.rising else Qt.SortOrder.DescendingOrder
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order by a column; -1: the worst first."""
        self._column, self._descending = column, order is Qt.SortOrder.DescendingOrder
        self._put_in_order()

    def _left_out(self, stats: ClientStats) -> bool:
        return self._only >= 0 and stats.session != self._only

    def _remove(self, rows: list[int]) -> None:
        for row in reversed(rows):
            self.beginRemoveRows(_NO_INDEX, row, row)
            del self._rows[row]
            self.endRemoveRows()

    def _put_in_order(self) -> None:
        ordered = self._ordered()
        if ordered == self._rows:
            return
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        places = {row.stats.session: place for place, row in enumerate(ordered)}
        new = [self.index(places[self._rows[index.row()].stats.session], index.column()) for index in old]
        self._rows = ordered
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()

    def _ordered(self) -> list[Row]:
        worst = sorted(self._rows, key=lambda row: row.stats.badness)
        if self._column < 0:
            return worst
        value = self.columns[self._column].value
        keyed = [(value(row), row) for row in worst]
        known = [(key, row) for key, row in keyed if key is not None]
        known.sort(key=lambda pair: _sort_key(pair[0]), reverse=self._descending)
        return [row for _, row in known] + [row for key, row in keyed if key is None]

    def _repaint(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self.columns) - 1))


def _sort_key(value: float | int | str) -> tuple[float, str]:
    return (0.0, value) if isinstance(value, str) else (float(value), "")


def _alignment(column: Column) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
