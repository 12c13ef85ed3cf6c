"""What the heads of the packet list say: titles, sides, and the meaning of fields that have a column."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt

from ui.models import column_layout
from ui.models.added_columns import AddedColumn, FieldView
from ui.models.packet_cells import Column, TimeFormat

_RIGHT = (Column.NUMBER, Column.TIME, Column.LENGTH)


class PacketHeads(QObject):
    """Those of one model."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.time_format = TimeFormat.FIRST
        self._added: tuple[AddedColumn, ...] = ()

    def show(self, names: Sequence[str], view: FieldView | None) -> None:
        """Fields have columns behind the others; without a view nothing is known of them."""
        self._added = tuple(AddedColumn(name, None if view is None else view.fields.get(name)) for name in names)

    def title(self, name: str) -> str:
        """What a person calls a column of the layout."""
        own = column_layout.BUILT_IN.get(name)
        if own is None:
            return name
        return self._titles()[own] or self.tr("Direction")

    def data(self, section: int, role: int) -> object:
        """What `headerData` gives for a section that there is."""
        if section >= len(Column):
            return self._of_field(self._added[section - len(Column)], role)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._titles()[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(right=section in _RIGHT)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._titles()[section] or (
                self.tr("Related packets") if section == Column.GUTTER else self.tr("Direction")
            )
        return None

    def _of_field(self, column: AddedColumn, role: int) -> object:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return column.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tr("No schema in use names this field") if column.info is None else column.info.meaning
        return _side(right=column.right) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _titles(self) -> tuple[str, ...]:
        return (
            "",
            self.tr("No."),
            self._time_title(),
            self.tr("Source"),
            self.tr("Destination"),
            self.tr("Client"),
            "",
            self.tr("Protocol"),
            self.tr("Length"),
            self.tr("Info"),
        )

    def _time_title(self) -> str:
        return {
            TimeFormat.FIRST: self.tr("Time [s]"),
            TimeFormat.PREVIOUS: self.tr("Delta [s]"),
            TimeFormat.REFERENCE: self.tr("Since ref. [s]"),
            TimeFormat.UTC: self.tr("Time [UTC]"),
        }[self.time_format]


def _side(*, right: bool) -> Qt.AlignmentFlag:
    """Numbers are read down a column."""
    return (Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter
