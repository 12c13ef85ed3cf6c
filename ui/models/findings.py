"""The Qt model of the list of findings: groups that open, over columns. A row is made when it is looked at."""

from __future__ import annotations

from collections import OrderedDict

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal, Slot

from analyzer.engine.query import Query
from analyzer.expert.findings import Finding
from analyzer.expert.rule import Severity
from ui import words
from ui.document import Document
from ui.models.finding_cells import NUMBERS, SIGNS, Column, finding_row, head_row, heads
from ui.models.finding_groups import Arranged, Group, Key
from ui.models.finding_rows import HEAD, FindingRows, Name, grown
from ui.models.finding_text import seconds
from ui.views.cells import CELL_ROLE, ROW_ROLE, Row
from ui.views.signs import TEXTS

MOST_CHANGED = 50
"""Groups that rows are put into one after the other; where more have grown, all rows are new."""
CACHED_ROWS = 512
MOST_SENTENCES = 10_000
MOST_SEARCHED = 20_000
"""Rows that a search looks at: making their texts takes about half a second."""
MOST_WANTED = 100
"""Sentences that are asked for at a time: the visible ones and some around them."""
WORDS_TOPIC = "words of findings"

Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
_CELL_ROLES = (
    CELL_ROLE,
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
)


class FindingModel(QAbstractTableModel):
    """Follows what is arranged; which groups are open is kept here."""

    rearranged = Signal()
    """All rows are new."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._list = FindingRows()
        self._rows: OrderedDict[int, Row] = OrderedDict()
        self._sentences: dict[Name, str] = {}
        self._unsaid: dict[Name, Finding] = {}
        self.wants_sentences = False
        """Somebody sees them."""
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._ask_words)
        self._heads = heads()

    def show_document(self, document: Document | None) -> None:
        """Of another document, or of none."""
        self._soon.stop()
        self._document = document
        self._list.forget()
        self._sentences.clear()
        self._unsaid.clear()
        self._replace([])

    def show(self, arranged: Arranged) -> None:
        """Show these: rows are put in where there are only more of them; else all are new."""
        groups = list(arranged.groups)
        changed = grown(self._list.groups, groups)
        if changed is None or len(changed) > MOST_CHANGED:
            self._replace(groups)
            return
        for place, old in changed:
            self._put(place, groups[place], old)
        self._list.replace(groups)
        self._repaint()

    def forget_words(self) -> None:
        """What sentences say reads differently now."""
        self._sentences.clear()
        self._repaint()

    @property
    def groups(self) -> list[Group]:
        """All of them."""
        return self._list.groups

    def number_at(self, row: int) -> int:
        """Number of the group that a row belongs to."""
        return self._list.place(row)[0]

    def group_at(self, row: int) -> Group:
        """The group that a row belongs to."""
        return self._list.groups[self._list.place(row)[0]]

    def is_head(self, row: int) -> bool:
        """Is it the head of a group?"""
        return self._list.place(row)[1] == HEAD

    def finding_at(self, row: int) -> Finding | None:
        """The finding in a row; None: a head."""
        number, offset = self._list.place(row)
        if offset == HEAD or self._document is None:
            return None
        return self._list.groups[number].finding(offset, self._document.tables)

    def row_of(self, number: int, offset: int) -> int:
        """The row of a finding, or of the head of a group; -1 if it is not shown."""
        return self._list.row_of(number, offset)

    def parent_row(self, row: int) -> int:
        """The head above a row; -1: it is no lower than any."""
        number, offset = self._list.place(row)
        if offset != HEAD:
            return self._list.row_of(number, HEAD)
        above = self._list.parent(number)
        return -1 if above < 0 else self._list.row_of(above, HEAD)

    def name_at(self, row: int) -> tuple[Key, Name | None]:
        """What stands in a row, whatever row it is later."""
        return self._list.name_at(row)

    def row_named(self, name: tuple[Key, Name | None]) -> int:
        """Where that stands now; where the finding is gone or hidden, its head; -1: nowhere."""
        return self._list.row_named(name)

    def beside(self, row: int, step: int) -> tuple[int, int] | None:
        """Group and offset of the next finding in the list (1) or of the one before (-1), whether it is shown or not.
        Row -1: of the first, or of the last."""
        return self._list.beside(row, step)

    def row_with(self, text: str, row: int, *, forward: bool) -> int:
        """The next row after another, or the one before, that shows a text, around the end once; -1: none does."""
        wanted, step, count = text.casefold(), 1 if forward else -1, self._list.count
        start = row if row >= 0 or forward else 0
        for distance in range(1, min(count, MOST_SEARCHED) + 1):
            found = (start + step * distance) % count
            if any(wanted in cell.text.casefold() for cell in self._made(found).cells):
                return found
        return -1

    def longest(self) -> dict[Column, str]:
        """The longest texts of columns of numbers."""
        groups = self._list.groups
        if self._document is None or not groups:
            return {}
        tables = self._document.tables
        last = words.decimal(seconds(tables, max(group.last_ns for group in groups)), 2)
        return {
            Column.COUNT: words.quantity(max(group.count for group in groups)),
            Column.FOLLOW: words.quantity(max(group.followers for group in groups)),
            Column.FIRST: last,
            Column.LAST: last,
            Column.PACKET: words.number(len(tables.frames)),
        }

    def is_open(self, group: Group) -> bool:
        """Is what is below it shown?"""
        return self._list.is_open(group)

    def set_open(self, number: int, opened: bool) -> None:
        """Show what is below a group, or do not; to be seen, what is around it opens too."""
        rows = self._list
        above = rows.parent(number)
        if opened and above >= 0:
            self.set_open(above, True)
        if rows.is_open(rows.groups[number]) == opened:
            return
        top, below = rows.row_of(number, HEAD), rows.below(number)
        if top < 0 or not below:
            rows.set_open(number, opened)
            return
        if opened:
            self.beginInsertRows(_NO_INDEX, top + 1, top + below)
        else:
            self.beginRemoveRows(_NO_INDEX, top + 1, top + below)
        rows.set_open(number, opened)
        self._rows.clear()
        if opened:
            self.endInsertRows()
        else:
            self.endRemoveRows()

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else self._list.count

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(Column)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or self._document is None:
            return None
        if role == ROW_ROLE:
            return self._row(index.row())
        if role not in _CELL_ROLES:
            return None
        cell = self._row(index.row()).cells[index.column()]
        if role == CELL_ROLE:
            return cell
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text
        if role == Qt.ItemDataRole.ToolTipRole:
            return cell.text or None
        first = index.column() == Column.FINDING
        sign = cell.sign or (SIGNS[self._severity(index.row())] if first else "")
        return ": ".join(filter(None, (TEXTS.get(sign, ""), cell.text))) or None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(Column):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._heads.titles[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._heads.tips[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section in NUMBERS else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def _severity(self, row: int) -> Severity:
        finding = self.finding_at(row)
        return self.group_at(row).severity if finding is None else finding.severity

    def _replace(self, groups: list[Group]) -> None:
        self.beginResetModel()
        self._rows.clear()
        self._list.replace(groups)
        self.endResetModel()
        self.rearranged.emit()

    def _put(self, number: int, group: Group, old: int) -> None:
        """A group that is new (-1), or has more than its `old` findings."""
        before = self._list.groups
        added = self._list.put(number, group, old)
        if added:
            # Qt is told first, while the rows are as they were.
            self._list.take_back(before)
            self.beginInsertRows(_NO_INDEX, added.start, added.stop - 1)
            self._list.put(number, group, old)
            self._rows.clear()
            self.endInsertRows()

    def _row(self, row: int) -> Row:
        known = self._rows.get(row)
        if known is not None:
            return known
        made = self._rows[row] = self._made(row)
        if len(self._rows) > CACHED_ROWS:
            self._rows.popitem(last=False)
        return made

    def _made(self, row: int) -> Row:
        assert self._document is not None
        tables, group, finding = self._document.tables, self.group_at(row), self.finding_at(row)
        if finding is None:
            return head_row(group, tables)
        return finding_row(group, finding, tables, self._sentence(finding))

    def _sentence(self, finding: Finding) -> str:
        name = finding.rule, finding.row
        said = self._sentences.get(name)
        if said is None and self.wants_sentences:
            self._unsaid[name] = finding
            self._soon.start(0)
        return said or ""

    @Slot()
    def _ask_words(self) -> None:
        document = self._document
        if document is None or not self._unsaid:
            return
        asked = dict(list(self._unsaid.items())[-MOST_WANTED:])
        self._unsaid.clear()

        def question(query: Query) -> dict[Name, str]:
            says = query.finding_words
            return {name: says.sentence(finding) for name, finding in asked.items()}

        document.ask(WORDS_TOPIC, question, lambda said: self._take_words(document, said))

    def _take_words(self, document: Document, said: dict[Name, str]) -> None:
        if document is not self._document:
            return
        if len(self._sentences) > MOST_SENTENCES:
            self._sentences.clear()
        self._sentences.update(said)
        self._repaint()

    def _repaint(self) -> None:
        self._rows.clear()
        if self._list.count:
            self.dataChanged.emit(self.index(0, 0), self.index(self._list.count - 1, len(Column) - 1))
