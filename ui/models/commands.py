"""The commands and their keys as a table that is searched: grouped for help, flat for running one by its name."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QFont

from ui.actions import COMMANDS, MENUS, OTHER_KEYS, Command, all_keys, title
from ui.theme import ROW_HEIGHT

_NO_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class CommandRow:
    """A command, a key of a single pane, or the title of a group."""

    group: str
    text: str
    keys: str = ""
    name: str = ""
    """Of the command; empty for what cannot be run from here."""
    off: str = ""
    """Why it cannot be run now."""


def command_row(command: Command, off: str = "") -> CommandRow:
    """A command with all its keys; `off` says why it cannot be run now."""
    return CommandRow(command.menu, title(command), "   ".join(all_keys(command)), command.name, off)


def key_rows() -> list[CommandRow]:
    """All that has a key, in the order of the menus."""
    rows = [
        command_row(command) for menu in MENUS for command in COMMANDS if command.menu == menu and all_keys(command)
    ]
    return rows + [CommandRow(group, text, "   ".join(keys.split())) for group, text, keys in OTHER_KEYS]


class CommandModel(QAbstractTableModel):
    """Text and keys; `grouped` puts a title above each group. Every word of the search has to be in a row."""

    def __init__(
        self,
        rows: list[CommandRow],
        *,
        grouped: bool,
        heads: tuple[str, str] | None = None,
        parent: QObject | None = None,
    ) -> None:
        """`heads`: of both columns, where rows are something else than commands."""
        super().__init__(parent)
        self._all = rows
        self._heads = heads or (self.tr("Command"), self.tr("Keys"))
        self._grouped = grouped
        self._heading = QFont()
        self._height = ROW_HEIGHT
        self._rows: list[CommandRow] = []
        self.search("")

    def set_look(self, heading: QFont, row_height: int) -> None:
        """The font of titles, and how high rows are."""
        self._heading, self._height = heading, row_height

    def search(self, text: str) -> None:
        """Show the rows that have every word in their group, text, keys or the name that code gives the command."""
        words = text.casefold().split()
        shown: list[CommandRow] = []
        for row in self._all:
            said = f"{row.group} {row.text} {row.keys} {row.name}".casefold()
            if all(word in said for word in words):
                if self._grouped and (not shown or shown[-1].group != row.group):
                    shown.append(CommandRow(row.group, ""))
                shown.append(row)
        self.beginResetModel()
        self._rows = shown
        self.endResetModel()

    def all_keys(self) -> list[str]:
        """The keys of every row, shown or not."""
        return [row.keys for row in self._all]

    def row_at(self, row: int) -> CommandRow:
        """What stands there."""
        return self._rows[row]

    def is_title(self, row: int) -> bool:
        """The row is the title of a group."""
        return not self._rows[row].text

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else 2

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or self.is_title(index.row()) or self._rows[index.row()].off:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row) if index.column() == 0 else row.keys
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(0, self._height)
        if role == Qt.ItemDataRole.FontRole and not row.text:
            return self._heading
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return self._heads[section]

    def _text(self, row: CommandRow) -> str:
        if not row.text:
            return self.tr(row.group)
        text = self.tr(row.text)
        named = text if self._grouped or not row.group else self.tr("{0}: {1}").format(self.tr(row.group), text)
        return self.tr("{0} \N{EN DASH} {1}").format(named, row.off) if row.off else named
