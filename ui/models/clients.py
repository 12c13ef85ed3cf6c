"""The Qt model of the table of clients: one row a session, the worst first or sorted by a column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt

from analyzer.expert.rule import Severity
from analyzer.protocols.base import Pace
from analyzer.stats.clients import OLD_BASE_MS, ClientStats
from ui.models.client_cells import ClientColumn, Row, cell_of, columns, tool_tip
from ui.models.client_names import bare_name, told_apart
from ui.models.column_model import ColumnModel
from ui.models.finding_text import WORST_FIRST
from ui.views.cells import CELL_ROLE, Cell
from ui.views.signs import TEXTS

BAR_ROLE = CELL_ROLE + 1
"""0 to 1: what share of the greatest value this one is, for a bar below the number; None: no bar."""

Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


class ClientModel(ColumnModel[Row]):
    """Rows are given whole, by `show`; a row keeps its identity by its session."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(columns(), parent)
        self._places: dict[int, int] | None = None
        """Session -> its row; None while rows have moved and nobody asked."""
        self._cells: dict[tuple[int, str], Cell] = {}
        """By session and column: what was painted of these rows."""
        self._paces: Mapping[int, Pace] = {}
        self._found: Mapping[int, tuple[tuple[Severity, int], ...]] = {}
        self._dialects: Mapping[str, str] = {}
        self._old_base_ms = OLD_BASE_MS
        self._only = -1
        self._column = -1
        self._descending = False
        self._top_rate = 0.0

    def set_dialects(self, names: Mapping[str, str]) -> None:
        """Names of dialects for people, from the next rows on."""
        self._dialects = names

    def session_at(self, row: int) -> int:
        """The session in a row."""
        return self._rows[row].stats.session

    def row_of(self, session: int) -> int:
        """The row of a session, -1 if it is not shown."""
        if self._places is None:
            self._places = {row.stats.session: place for place, row in enumerate(self._rows)}
        return self._places.get(session, -1)

    def show(self, stats: tuple[ClientStats, ...], old_base_ms: float = OLD_BASE_MS) -> None:
        """Show these sessions: rows that went are removed, new ones inserted at once, then all are put in order.

        `old_base_ms`: older baselines were judged to be late.
        """
        self._old_base_ms = old_base_ms
        self._keep({entry.session for entry in stats})
        self._top_rate = max((entry.rate or 0.0 for entry in stats), default=0.0)
        flows = Counter(entry.flow for entry in stats)
        apart = told_apart(stats)
        rows = {
            entry.session: self._row(entry, flows[entry.flow] > 1, apart.get((bare_name(entry), entry.flow), ""))
            for entry in stats
        }
        known = {entry.stats.session for entry in self._rows}
        new = [row for session, row in rows.items() if session not in known]
        self._rows = [rows[entry.stats.session] for entry in self._rows]
        self._cells.clear()
        if new:
            first = len(self._rows)
            self.beginInsertRows(_NO_INDEX, first, first + len(new) - 1)
            self._rows += new
            self._places = None
            self.endInsertRows()
        self._put_in_order()
        self._repaint()

    def show_paces(self, paces: Mapping[int, Pace]) -> None:
        """How often the server sends to each session at the selected time."""
        self._paces = paces
        before = self._rows
        self._rows = [
            row if (pace := paces.get(row.stats.session)) == row.pace else replace(row, pace=pace) for row in before
        ]
        self._cells.clear()
        if self._column >= 0 and self.columns[self._column].name in ("state", "pace"):
            self._put_in_order()
        self._repaint()

    def show_findings(self, found: Mapping[int, Mapping[Severity, int]]) -> None:
        """How many findings each session has, by severity."""
        self._found = {
            session: tuple((severity, counts[severity]) for severity in WORST_FIRST if counts[severity])
            for session, counts in found.items()
        }
        self._rows = [replace(row, found=self._found.get(row.stats.session, ())) for row in self._rows]
        self._cells.clear()
        if self._column >= 0 and self.columns[self._column].name == "findings":
            self._put_in_order()
        self._repaint()

    def limit_to(self, session: int) -> None:
        """The only session that the other panes show, -1: all. The rest is greyed."""
        self._only = session
        self._cells.clear()
        self._repaint()

    def cell(self, row: Row, column: ClientColumn) -> Cell:
        key = row.stats.session, column.name
        found = self._cells.get(key)
        if found is None:
            found = self._cells[key] = cell_of(row, column, left_out=0 <= self._only != row.stats.session)
        return found

    def tool_tip(self, row: Row) -> str:
        return tool_tip(row, self._old_base_ms)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if index.isValid() and role == BAR_ROLE:
            row, column = self._rows[index.row()], self.columns[index.column()]
            return (row.stats.rate or 0.0) / self._top_rate if column.name == "rate" and self._top_rate else None
        if index.isValid() and role == Qt.ItemDataRole.AccessibleTextRole:
            cell = self.cell(self._rows[index.row()], self.columns[index.column()])
            return ", ".join(filter(None, (cell.text, TEXTS.get(cell.sign, ""))))
        return super().data(index, role)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order by a column; -1: the worst first."""
        self._column, self._descending = column, order is Qt.SortOrder.DescendingOrder
        self._put_in_order()

    def _row(self, stats: ClientStats, several: bool, apart: str) -> Row:
        dialect = self._dialects.get(stats.dialect, stats.dialect)
        found = self._found.get(stats.session, ())
        return Row(stats, self._paces.get(stats.session), dialect, several, apart, found)

    def _keep(self, sessions: set[int]) -> None:
        """Rows that go are moved to the end, so that they go at once."""
        kept = [row for row in self._rows if row.stats.session in sessions]
        if len(kept) == len(self._rows):
            return
        self._arrange(kept + [row for row in self._rows if row.stats.session not in sessions])
        self.beginRemoveRows(_NO_INDEX, len(kept), len(self._rows) - 1)
        self._rows, self._places = kept, None
        self.endRemoveRows()

    def _put_in_order(self) -> None:
        self._arrange(self._ordered())

    def _arrange(self, ordered: list[Row]) -> None:
        """The same rows in another order."""
        if ordered == self._rows:
            return
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        sessions = [self.session_at(index.row()) for index in old]
        self._rows, self._places = ordered, None
        new = [self.index(self.row_of(at), index.column()) for at, index in zip(sessions, old, strict=True)]
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
    return (0.0, value.casefold()) if isinstance(value, str) else (float(value), "")
