"""The field tree of one packet as a Qt model. Fields get numbers when a view first asks; no node is a QObject."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from analyzer.engine.packet_detail import Meaning, PacketDetail, bare_text
from analyzer.wire.reader import Field, FieldTree, Span
from analyzer.wire.secrets import Secrets
from ui.fonts import Use
from ui.models.colours import colour_name, colour_of
from ui.models.field_text import MASKED, TITLES, one_line, place_text, value_text
from ui.views.cells import CELL_ROLE, ROW_ROLE, Cell, Row

NAME, VALUE, PLACE = range(3)
ROOT = 0
SIGNS = {
    "added": "added",
    "changed": "changed",
    "removed": "removed",
    "rewritten": "same",
    "readded": "changed",
    "unknown": "unknown",
}
"""Kind of a change -> its sign."""

Index = QModelIndex | QPersistentModelIndex
Rows = tuple[int, ...]
"""A field by its row on each level."""


class FieldModel(QAbstractItemModel):
    """Field, value and bytes of everything in a packet."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._detail: PacketDetail | None = None
        self._secrets = Secrets(FieldTree((), ()))
        self._revealed: frozenset[Span] = frozenset()
        self._top: tuple[Field, ...] = ()
        self._walked: list[tuple[Rows, Field]] | None = None
        """Every field in the order of the tree, once anyone asked."""
        self._number_nothing()

    @property
    def detail(self) -> PacketDetail | None:
        """The packet that is shown."""
        return self._detail

    @property
    def top(self) -> tuple[Field, ...]:
        """The fields at the top."""
        return self._top

    @property
    def secrets(self) -> Secrets:
        """What is hidden now."""
        return self._secrets

    def show(self, detail: PacketDetail | None) -> None:
        """Show another packet. What was revealed is hidden again."""
        self.beginResetModel()
        self._detail = detail
        self._revealed = frozenset()
        self._top = () if detail is None else top_fields(detail.tree)
        self._walked = None
        self._secrets = Secrets(FieldTree((), ()) if detail is None else detail.tree)
        self._number_nothing()
        self.endResetModel()

    def reveal(self, index: QModelIndex, show: bool = True) -> bool:
        """Show or hide the secret of one field; False if it is none, or was shown already."""
        node = self.field(index)
        if node is None or not node.secret or node.span is None or self._detail is None:
            return False
        if (node.span in self._revealed) == show:
            return False
        self._revealed = self._revealed | {node.span} if show else self._revealed - {node.span}
        self._secrets = Secrets(self._detail.tree, self._revealed)
        self._ready.clear()
        last = self.index(len(self._top) - 1, PLACE)
        self.dataChanged.emit(self.index(0, 0), last)
        self.dataChanged.emit(index.siblingAtColumn(NAME), index.siblingAtColumn(PLACE))
        return True

    def field(self, index: Index) -> Field | None:
        """The field of a row."""
        return self._fields[index.internalId()] if index.isValid() else None

    def names(self, index: Index) -> tuple[str, ...]:
        """The names from the top down to a row: what an opened row is remembered by."""
        found: list[str] = []
        number = index.internalId() if index.isValid() else ROOT
        while number != ROOT:
            node = self._fields[number]
            assert node is not None
            found.append(node.name)
            number = self._parents[number]
        return tuple(reversed(found))

    def path(self, index: Index) -> tuple[Field, ...]:
        """The fields from the top down to a row."""
        found: list[Field] = []
        number = index.internalId() if index.isValid() else ROOT
        while number != ROOT:
            node = self._fields[number]
            assert node is not None
            found.append(node)
            number = self._parents[number]
        return tuple(reversed(found))

    def rows(self, index: Index) -> Rows:
        """The row on each level."""
        found: list[int] = []
        number = index.internalId() if index.isValid() else ROOT
        while number != ROOT:
            found.append(self._rows[number])
            number = self._parents[number]
        return tuple(reversed(found))

    def index_of(self, rows: Rows) -> QModelIndex:
        """The index of a field that is known by its rows."""
        index = QModelIndex()
        for row in rows:
            index = self.index(row, NAME, index)
        return index

    def locate(self, span: Span, prefer: Index | None = None) -> QModelIndex:
        """The deepest field that covers bytes, the smallest of several; `prefer` if it is among the deepest."""
        kept = self.rows(prefer) if prefer is not None and prefer.isValid() else None
        best: tuple[int, bool, int] | None = None
        found: Rows = ()
        buffer, start, stop = span.buffer, span.offset, span.offset + span.length
        for rows, node in self._all():
            has = node.span
            if has is None or has.buffer != buffer or has.offset > start or has.offset + has.length < stop:
                continue
            rank = (len(rows), rows == kept, -has.length)
            if best is None or rank > best:
                best, found = rank, rows
        return self.index_of(found)

    def walk(self) -> Iterator[tuple[Rows, Field]]:
        """Every field in the order of the tree."""
        return iter(self._all())

    def _all(self) -> list[tuple[Rows, Field]]:
        if self._walked is None:
            self._walked = list(_walk(self._top, ()))
        return self._walked

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, self._first_child(parent.internalId() if parent.isValid() else ROOT) + row)

    def parent(self, index: Index = QModelIndex()) -> Any:  # noqa: B008
        # QObject.parent and QAbstractItemModel.parent share a name; without an index Qt's own is meant
        if not index.isValid():
            return QModelIndex()
        above = self._parents[index.internalId()]
        return QModelIndex() if above == ROOT else self.createIndex(self._rows[above], NAME, above)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if not parent.isValid():
            return len(self._top)
        return len(self._children(parent.internalId())) if parent.column() == NAME else 0

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(TITLES)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(TITLES):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return (self.tr("Field"), self.tr("Value"), self.tr("Bytes"))[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section == PLACE else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        node = self.field(index)
        if node is None or self._detail is None:
            return None
        if role == ROW_ROLE:
            return self._row(node, index.internalId(), self._detail)
        if role == CELL_ROLE:
            return self._row(node, index.internalId(), self._detail).cells[index.column()]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            text = self._text(node, index.column(), self._detail)
            swatch = self._row(node, index.internalId(), self._detail).cells[index.column()].swatch
            return text if swatch is None else f"{text}, {colour_name(swatch)}"
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._text(node, index.column(), self._detail)
        return None

    def _text(self, node: Field, column: int, detail: PacketDetail) -> str:
        if column == NAME:
            return one_line(node.name)
        return value_text(node, detail, self._secrets) if column == VALUE else place_text(node)

    def _row(self, node: Field, number: int, detail: PacketDetail) -> Row:
        """The row of a field, made when it is first looked at."""
        ready = self._ready.get(number)
        if ready is None:
            depth, above = 0, self._parents[number]
            while above != ROOT:
                depth, above = depth + 1, self._parents[above]
            cells = (
                self._name_cell(node, depth == 0 and bool(node.children), detail),
                self._value_cell(node, detail),
                Cell(self._text(node, PLACE, detail), "text2", right=True),
            )
            ready = self._ready[number] = Row(cells, depth=depth, opens=bool(node.children))
        return ready

    def _name_cell(self, node: Field, title: bool, detail: PacketDetail) -> Cell:
        text, meaning = self._text(node, NAME, detail), detail.meaning(node)
        sign = "error" if node.wrong else ""
        if meaning is not None and meaning.field is None:
            sign = SIGNS.get(meaning.change.kind, "")
        text = text[:1].upper() + text[1:] if title else text
        return Cell(text, "error" if node.wrong else "text", sign=sign, use=Use.GROUP_ROW if title else Use.TABLE)

    def _value_cell(self, node: Field, detail: PacketDetail) -> Cell:
        text, meaning = self._text(node, VALUE, detail), detail.meaning(node)
        tone = "text"
        if node.wrong:
            tone = "error"
        elif node.note:
            tone = "warn"
        elif text == MASKED or (meaning is not None and meaning.field is not None and not meaning.field.difference):
            tone = "text3"
        colour = colour_of(bare_text(*told)) if (told := _told(node, meaning)) is not None else None
        words = node.children or node.wrong or (meaning is not None and meaning.field is None)
        return Cell(text, tone, use=Use.TABLE if words else Use.VALUE, swatch=colour)

    def _children(self, number: int) -> tuple[Field, ...]:
        node = self._fields[number]
        return self._top if node is None else node.children

    def _first_child(self, number: int) -> int:
        """Number of the first of a node's children; all of them get numbers now."""
        first = self._firsts[number]
        if first < 0:
            children = self._children(number)
            first = self._firsts[number] = len(self._fields)
            self._fields.extend(children)
            self._parents.extend([number] * len(children))
            self._rows.extend(range(len(children)))
            self._firsts.extend([-1] * len(children))
        return first

    def _number_nothing(self) -> None:
        self._fields: list[Field | None] = [None]
        self._parents = [ROOT]
        self._rows = [0]
        self._firsts = [-1]
        self._ready: dict[int, Row] = {}


def top_fields(tree: FieldTree) -> tuple[Field, ...]:
    """The fields at the top. Where reading stopped without a field that says so, one that does is added."""
    if tree.error and not any(node.wrong for _, node in _walk(tree.fields, ())):
        return (*tree.fields, Field("unreadable", note=tree.error, wrong=True))
    return tree.fields


def _told(node: Field, meaning: Meaning | None) -> tuple[int, str] | None:
    """A number and its text, as far as the field is one."""
    if meaning is not None:
        part = meaning.field
        return None if part is None or part.new is None else (part.new, part.new_text)
    return (node.value, node.text) if isinstance(node.value, int) else None


def _walk(fields: tuple[Field, ...], above: Rows) -> Iterator[tuple[Rows, Field]]:
    for row, node in enumerate(fields):
        rows = (*above, row)
        yield rows, node
        yield from _walk(node.children, rows)
