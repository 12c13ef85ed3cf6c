"""The Qt model of a baseline store: the snapshots that one could be based on, the newest first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from analyzer.stats.baselines import Baseline, Role
from ui import fonts
from ui.views.cells import CELL_ROLE, Cell
from ui.words import UNKNOWN, number, quantity

Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


@dataclass(frozen=True, slots=True)
class _Column:
    head: str
    tip: str
    text: Callable[[Baseline], str]
    right: bool = True


class BaselineModel(QAbstractTableModel):
    """Shows what `show` gives it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Baseline] = []
        self._number: Callable[[int], int] = int
        self._columns = (
            _Column(self.tr("Tick"), self.tr("Tick of the snapshot"), lambda row: number(row.tick)),
            _Column(self.tr("Age [ms]"), self.tr("How long before the selected time it was complete"), _age),
            _Column(self.tr("Items"), self.tr("Items of the snapshot"), _items),
            _Column(
                self.tr("Acked in"), self.tr("Number of the packet that had acknowledged it by then"), self._acked_in
            ),
            _Column(
                self.tr("Used by"),
                self.tr("Snapshots that had it as their baseline until then"),
                lambda row: quantity(row.used) if row.used else UNKNOWN,
            ),
            _Column(self.tr("Remark"), self.tr("What it is to the selected snapshot"), self._remark, right=False),
        )

    def show(self, rows: list[Baseline], packet_number: Callable[[int], int]) -> None:
        """Show a store; `packet_number` says what number the packet list gives a packet."""
        if rows == self._rows:
            return
        self.beginResetModel()
        self._rows, self._number = rows, packet_number
        self.endResetModel()

    def row_at(self, row: int) -> Baseline:
        """The snapshot in a row."""
        return self._rows[row]

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], self._columns[index.column()]
        if role == CELL_ROLE:
            return _cell(row, column, strong=index.column() == 0 and row.role in (Role.ITSELF, Role.BASE))
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tool_tip(row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self._columns):
            return None
        column = self._columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.head
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        return None

    def _acked_in(self, row: Baseline) -> str:
        return number(self._number(row.acked_packet)) if row.acked_packet >= 0 else UNKNOWN

    def _remark(self, row: Baseline) -> str:
        if row.role is Role.ITSELF:
            return self.tr("this snapshot, not rebuilt") if row.items is None else self.tr("this snapshot")
        if row.role is Role.BASE:
            if row.snapshot < 0:
                return self.tr("this baseline, not captured")
            return self.tr("this baseline, not rebuilt") if row.items is None else self.tr("this baseline")
        return self.tr("waits for its acknowledgement") if row.role is Role.WAITS else ""

    def _tool_tip(self, row: Baseline) -> str:
        acked = self.tr("acknowledged in packet {0}").format(self._acked_in(row))
        parts = [
            self.tr("Tick {0}").format(number(row.tick)),
            self._remark(row),
            acked if row.acked_packet >= 0 else self.tr("not acknowledged by then"),
        ]
        return ", ".join(filter(None, parts))


def _age(row: Baseline) -> str:
    return UNKNOWN if row.age_ms is None else number(round(row.age_ms))


def _items(row: Baseline) -> str:
    return UNKNOWN if row.items is None else quantity(row.items)


def _cell(row: Baseline, column: _Column, *, strong: bool) -> Cell:
    text = column.text(row)
    tone = "text3" if text == UNKNOWN else "text"
    if not column.right:
        tone = "accent" if row.role is Role.BASE else "text2"
    use = fonts.Use.GROUP_ROW if strong else fonts.Use.TABLE
    return Cell(text, tone, right=column.right, use=use, tint="changed_bg" if row.role is Role.BASE else "")


def _alignment(column: _Column) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
