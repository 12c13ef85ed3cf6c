"""The change tree of a snapshot as a Qt model of three levels: type, item, field."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from analyzer.engine.change_tree import ChangeTree, FieldNode, ItemNode, TypeNode
from ui.models.change_cells import (
    COLUMNS,
    ITEM,
    SIGNS,
    Fold,
    cell_text,
    field_cell,
    fold_cell,
    item_cell,
    item_remark,
    spoken,
    type_cell,
)
from ui.models.shown_changes import ShownItem, ShownType, shown_types
from ui.views.cells import CELL_ROLE, ROW_ROLE, Cell, Row
from ui.views.signs import TEXTS

Index = QModelIndex | QPersistentModelIndex
Key = int | tuple[int, int]
"""A type, or type and id of an item."""
Node = TypeNode | ItemNode | FieldNode | Fold
_MOST_READY = 4096
"""Rows kept; past that all are made anew."""
_ROOT = QModelIndex()
_ITEM_BITS = 24
"""The internal id of an index holds its type row + 1 and, above that many bits, its item row + 1; a type row has 0."""


class ChangesModel(QAbstractItemModel):
    """Shows one `ChangeTree`: the changes only or the whole state, filtered by a text."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tree: ChangeTree | None = None
        self._types: list[ShownType] = []
        self._whole = False
        self._text = ""
        self._order = "bits"
        self._raw = False
        self._unknown = False
        self._ready: dict[tuple[int, int], Row] = {}
        """Rows that were looked at, by internal id and row."""

    @property
    def tree(self) -> ChangeTree | None:
        """What is shown."""
        return self._tree

    @property
    def order(self) -> str:
        """One of `ORDERS` (shown_changes.py)."""
        return self._order

    @property
    def raw(self) -> bool:
        """Only raw values are shown."""
        return self._raw

    def show_tree(self, tree: ChangeTree | None) -> None:
        """Show another snapshot, or nothing."""
        self._tree = tree
        types = () if tree is None else tree.types
        self._unknown = any(item.kind == "unknown" for node in types for item in node.items)
        self._rebuild()

    def set_whole(self, whole: bool) -> None:
        """Show every item with its values, or what changed."""
        if whole != self._whole:
            self._whole = whole
            self._rebuild()

    def set_filter(self, text: str) -> None:
        """Show only types, items and fields that have the text, with their parents."""
        text = text.strip().lower()
        if text != self._text:
            self._text = text
            self._rebuild()

    @property
    def filter(self) -> str:
        """The text that rows are filtered by, in lower case."""
        return self._text

    def is_shown_for_fields(self, index: Index) -> bool:
        """Does the filter let an item pass for its fields alone?"""
        shown, item = self._at(index)
        return shown is not None and item is None and bool(shown.items[index.row()].text)

    def set_order(self, order: str) -> None:
        """Order the types by `bits`, `name`, or place on the `wire`."""
        if order != self._order:
            self._order = order
            self._rebuild()

    def set_raw(self, raw: bool) -> None:
        """Show raw values without their meaning."""
        if raw == self._raw:
            return
        self._raw = raw
        self._ready.clear()
        for row, shown in enumerate(self._types):
            parent = self.index(row, 0)
            for number, found in enumerate(shown.items):
                if not found.was_asked:
                    continue  # nobody has seen its fields
                item = self.index(number, 0, parent)
                last = self.rowCount(item) - 1
                self.dataChanged.emit(self.index(0, 0, item), self.index(last, COLUMNS - 1, item))

    def node(self, index: Index) -> Node | None:
        """What stands in the row of an index."""
        if not index.isValid():
            return None
        shown, item = self._at(index)
        if shown is None:
            return self._types[index.row()].node
        return shown.items[index.row()].node if item is None else item.rows[index.row()]

    def item(self, index: Index) -> ItemNode | None:
        """The item of an item row or of a field row."""
        if not index.isValid():
            return None
        shown, item = self._at(index)
        if shown is None:
            return None
        return shown.items[index.row()].node if item is None else item.node

    def key(self, index: Index) -> Key | None:
        """What names a row that can be open, whatever snapshot is shown."""
        node = self.node(index)
        if isinstance(node, TypeNode):
            return node.type
        return (node.type, node.id) if isinstance(node, ItemNode) else None

    def place(self, index: Index) -> tuple[tuple[int, int] | None, str]:
        """Item and field of a row, as a selection names them."""
        item, node = self.item(index), self.node(index)
        key = None if item is None else (item.type, item.id)
        return key, node.name if isinstance(node, FieldNode) else ""

    def find_type(self, type: int) -> QModelIndex:
        """The row of a type; invalid if it is not shown."""
        for row, shown in enumerate(self._types):
            if shown.node.type == type:
                return self.index(row, 0)
        return QModelIndex()

    def find_item(self, key: tuple[int, int]) -> QModelIndex:
        """The row of an item; invalid if it is not shown."""
        parent = self.find_type(key[0])
        if parent.isValid():
            for row, item in enumerate(self._types[parent.row()].items):
                if item.node.id == key[1]:
                    return self.index(row, 0, parent)
        return QModelIndex()

    def find_field(self, key: tuple[int, int], name: str) -> QModelIndex:
        """The row of a field, or where it is folded away, that of the fold; else the row of its item."""
        parent = self.find_item(key)
        if not parent.isValid() or not name:
            return parent
        stem = name.partition("[")[0]
        rows = self._types[parent.parent().row()].items[parent.row()].rows
        for wanted in dict.fromkeys((name, stem)):
            for row, node in enumerate(rows):
                if wanted in ([f.name for f in node.fields] if isinstance(node, Fold) else [node.name]):
                    return self.index(row, 0, parent)
        return parent

    def open_rows(self, top: QModelIndex) -> Iterator[QModelIndex]:
        """The types and items from `top` down, of everything if it is invalid: what can be open."""
        if self.key(top) is not None:
            yield top
        if not isinstance(self.node(top), ItemNode):
            for row in range(self.rowCount(top)):
                yield from self.open_rows(self.index(row, 0, top))

    def all_rows(self) -> Iterator[QModelIndex]:
        """Every row from top to bottom, open or not."""
        for row in range(len(self._types)):
            yield from self.below(self.index(row, 0))

    def below(self, index: QModelIndex) -> Iterator[QModelIndex]:
        """A row and all rows in it."""
        yield index
        for row in range(self.rowCount(index)):
            yield from self.below(self.index(row, 0, index))

    def rowCount(self, parent: Index = _ROOT) -> int:
        if not parent.isValid():
            return len(self._types)
        if parent.column() > 0:
            return 0
        shown, item = self._at(parent)
        if shown is None:
            return len(self._types[parent.row()].items)
        return len(shown.items[parent.row()].rows) if item is None else 0

    def columnCount(self, parent: Index = _ROOT) -> int:
        return COLUMNS

    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        # a view asks this for every open row: one look instead of `hasIndex`, which comes back for both counts
        if row < 0 or not 0 <= column < COLUMNS:
            return QModelIndex()
        if not parent.isValid():
            return self.createIndex(row, column, 0) if row < len(self._types) else QModelIndex()
        place, above = parent.internalId(), parent.row()
        if not place:
            inside = row < len(self._types[above].items)
            return self.createIndex(row, column, above + 1) if inside else QModelIndex()
        type_row, item_row = _rows(place)
        if item_row >= 0 or row >= len(self._types[type_row].items[above].rows):
            return QModelIndex()
        return self.createIndex(row, column, place | (above + 1) << _ITEM_BITS)

    def parent(self, index: Index = _ROOT) -> QModelIndex:  # type: ignore[override]  # QObject.parent() has no argument
        if not index.isValid() or not index.internalId():
            return QModelIndex()
        type_row, item_row = _rows(index.internalId())
        if item_row < 0:
            return self.createIndex(type_row, 0, 0)
        return self.createIndex(item_row, 0, type_row + 1)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        if role == ROW_ROLE:
            return self._row(index)
        if role == CELL_ROLE:
            return self._cell(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_text(self._cell(index))
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tool_tip(index)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken(self._cell(index)) if index.column() else self._tool_tip(index)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section == ITEM else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole or not 0 <= section < COLUMNS:
            return None
        new = self.tr("Difference or new") if self._unknown else self.tr("New")
        titles = (self.tr("Item, field"), self.tr("Baseline"), new, self.tr("Difference"), self.tr("Bits"))
        return (*titles, self.tr("Share"))[section]

    def _at(self, index: Index) -> tuple[ShownType | None, ShownItem | None]:
        """The type and the item that a row is in."""
        place = index.internalId()
        if not place:
            return None, None
        type_row, item_row = _rows(place)
        shown = self._types[type_row]
        return shown, None if item_row < 0 else shown.items[item_row]

    def _cell(self, index: Index) -> Cell:
        return self._row(index).cells[index.column()]

    def _row(self, index: Index) -> Row:
        """What stands in a row, made when it is first looked at."""
        key = (index.internalId(), index.row())
        ready = self._ready.get(key)
        if ready is None:
            if len(self._ready) >= _MOST_READY:
                self._ready.clear()
            ready = self._ready[key] = self._make_row(index)
        return ready

    def _make_row(self, index: Index) -> Row:
        shown, item = self._at(index)
        columns = range(COLUMNS)
        if shown is None:
            shown = self._types[index.row()]
            bits = 0 if self._tree is None else self._tree.bits
            node, nodes = shown.node, shown.nodes
            return Row(tuple(type_cell(node, nodes, shown.in_mode, column, bits) for column in columns), opens=True)
        if item is None:
            found = shown.items[index.row()].node
            cells = tuple(item_cell(found, column, shown.dearest) for column in columns)
            return Row(cells, depth=1, opens=bool(found.fields))
        row = item.rows[index.row()]
        if isinstance(row, Fold):
            return Row(tuple(fold_cell(row, column) for column in columns), depth=2)
        return Row(tuple(field_cell(item.node, row, column, self._raw) for column in columns), depth=2)

    def _tool_tip(self, index: Index) -> str:
        text = cell_text(self._cell(index))
        node = self.node(index)
        if index.column() == ITEM and isinstance(node, ItemNode):
            text = f"{text}: {item_remark(node)}"
            return f"{text} ({TEXTS['event'].lower()})" if node.event else f"{text} ({TEXTS[SIGNS[node.kind]].lower()})"
        if index.column() == ITEM and isinstance(node, TypeNode) and node.event:
            return self.tr("{name}: momentary events, which live for one snapshot; differences mean nothing").format(
                name=text
            )
        if index.column() == ITEM and isinstance(node, Fold):
            return ", ".join(field.name for field in node.fields)
        return text

    def _rebuild(self) -> None:
        self.beginResetModel()
        self._ready.clear()
        self._types = [] if self._tree is None else shown_types(self._tree, self._whole, self._order, self._text)
        self.endResetModel()


def _rows(place: int) -> tuple[int, int]:
    """Type row and item row, -1 for none, that an internal id holds."""
    return (place & (1 << _ITEM_BITS) - 1) - 1, (place >> _ITEM_BITS) - 1
