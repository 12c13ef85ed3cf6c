"""The Qt model of the packet list: row numbers over the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)

from analyzer.store.journal import Amendment
from ui.document import Document
from ui.marks import Bools, Change, Mark, PacketSet
from ui.models.added_columns import AddedColumn, AddedColumns, FieldView
from ui.models.packet_cells import Column, PacketCells, Rows, TimeFormat
from ui.models.packet_heads import PacketHeads
from ui.models.packet_kept import Judged, Kept
from ui.models.packet_rows import ALL, Order, PacketRows
from ui.models.ready_rows import ReadyRows
from ui.models.related import NOTHING, Related, related
from ui.views.cells import CELL_ROLE, ROW_ROLE
from ui.views.signs import TEXTS

ORDER_TOPIC = "packet list order"
MOST_SNAPSHOTS = 1 << 16
"""New ones that are looked at in one turn."""

Index = QModelIndex | QPersistentModelIndex
COLUMNS = len(Column)
_SHOWN_AMENDMENTS = {
    "sessions": ("player",),
    "flows": ("server", "reading", "recognised"),
    "readings": ("alive",),
}
"""Table -> columns that rows show, beside those of `packets`."""


class PacketModel(QAbstractTableModel):
    """Packets of a document, all or of one session, in capture order or sorted."""

    reordered = Signal()
    """Rows moved or were replaced: what is known by row has to be looked up again."""

    signs_changed = Signal()
    """Packets have other signs before their numbers."""

    editing = Signal(bool)
    """Rows are going to be taken out and put in, or were: by that Qt makes other rows current."""

    related_changed = Signal()
    """Other packets are related to the selected snapshot."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._cells: PacketCells | None = None
        self._rows: PacketRows | None = None
        self._related = NOTHING
        self._signs: dict[int, str] = {}
        self._ready = ReadyRows(self)
        self._ready.noted.connect(self._on_noted)
        self._snapshots = 0
        self._ordered = -1
        """Version of the rows whose order was asked for."""
        self._time_format = TimeFormat.FIRST
        self._view: FieldView | None = None
        self._added_names: tuple[str, ...] = ()
        self._heads = PacketHeads(self)

    def show_document(self, document: Document | None) -> None:
        """Show another document, or none."""
        self.beginResetModel()
        if self._document is not None:
            self._disconnect(self._document)
        self._document = document
        self._cells = None
        self._rows = None
        self._view = None
        self._snapshots = 0
        self._related, self._signs = NOTHING, {}
        if document is not None:
            self._cells = PacketCells(document.tables, document.worker.capture.protocols, document.marks)
            self._cells.decoded = document.is_decoded
            self.look_alike(self._cells)
            self._view = FieldView(document)
            self._heads.show(self._added_names, self._view)
            if self._added_names:
                self._cells.added = AddedColumns(self._view, self._added_names)
            self._snapshots = len(document.tables.snapshots)
            self._rows = PacketRows(document.tables, self._cells, document.selection.session)
            self._connect(document)
        self._ready.show_document(document, self._cells)
        self.endResetModel()
        if document is not None:
            self._show_related(document.selection.place.snapshot)
        self.reordered.emit()

    @property
    def cells(self) -> PacketCells | None:
        """What makes the rows; None without a document."""
        return self._cells

    @property
    def related(self) -> Related:
        """The packets around the selected snapshot."""
        return self._related

    @property
    def taken_in(self) -> int:
        """Packets that are known here, whether they are shown or not; further ones wait."""
        return 0 if self._rows is None else self._rows.count

    @property
    def is_limited(self) -> bool:
        """Not all packets are shown."""
        return self._rows is not None and self._rows.is_limited

    @property
    def most_signs(self) -> int:
        """So many signs a packet may have before its number."""
        marks = None if self._document is None else self._document.marks
        return 0 if marks is None else sum(bool(len(marks.of(kind))) for kind in (Mark.MARKED, Mark.REFERENCE))

    @property
    def in_capture_order(self) -> bool:
        """Rows are not sorted by a column."""
        return self._rows is None or self._rows.column is None

    def set_time_format(self, form: TimeFormat) -> None:
        """What the time column says from now on."""
        self._time_format = self._heads.time_format = form
        if self._cells is not None:
            self._cells.time_format = form
            self._sort_by_time()
        self._repaint()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, Column.TIME, Column.TIME)

    def look_alike(self, cells: PacketCells) -> None:
        """Have other cells say what these say."""
        cells.time_format = self._time_format
        cells.before = self._before

    def _before(self, packets: Rows) -> Rows:
        return packets - 1 if self._rows is None else self._rows.before(packets)

    def packet_at(self, row: int) -> int:
        """The packet in a row."""
        return -1 if self._rows is None else self._rows.packet_at(row)

    def packets(self, start: int, stop: int) -> Rows:
        """The packets in rows start to stop - 1, shape (stop - start,)."""
        return np.arange(0) if self._rows is None else self._rows.packets(start, stop)

    def row_of(self, packet: int) -> int:
        """The row of a packet, -1 if it is not shown."""
        return -1 if self._rows is None else self._rows.row_of(packet)

    def nearest_row(self, packet: int) -> int:
        """The row of a packet, or of the one nearest to it in the capture that is shown; -1: none is."""
        return -1 if self._rows is None else self._rows.nearest_row(packet)

    def next_like(self, column: str, row: int, step: int) -> int:
        """The next row (1), or the one before (-1), with the same value of `packets`, not ignored; -1: none."""
        if self._rows is None or self._document is None:
            return -1
        return self._rows.next_like(column, row, step, self._document.marks.of(Mark.IGNORED))

    def next_in(self, chosen: PacketSet, row: int, step: int) -> int:
        """The next row (step 1) after `row`, or the one before (-1), of a packet in a set; -1 if there is none."""
        return -1 if self._rows is None else self._rows.next_in(chosen, row, step)

    def mask(self, ranges: Iterable[range]) -> Bools:
        """The packets in ranges of rows as a mask over all that were taken in."""
        found = np.zeros(self.taken_in, np.bool_)
        if self._rows is not None:
            for rows in ranges:
                self._rows.choose(rows.start, rows.stop, found)
        return found

    def sign_of(self, packet: int) -> str:
        """How the packet is related to the selected snapshot: part, base, ack, or not at all."""
        return self._signs.get(packet, "")

    def show_severities(self, severities: NDArray[np.uint8], first: int, end: int) -> None:
        """Those of the worst findings, by packet; of packets first to end - 1 they are others than before."""
        if self._cells is not None:
            self._cells.severities = severities
            self._forget(first, end)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self._rows is None else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else COLUMNS + len(self._added_names)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < self.columnCount():
            return None
        return self._heads.data(section, role)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or self._cells is None:
            return None
        packet = self.packet_at(index.row())
        column = index.column()
        if role == CELL_ROLE:
            return self._ready.row(packet).cells[column]
        if role == ROW_ROLE:
            return self._ready.row(packet)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._ready.row(packet).cells[column].text
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._words(packet, column) or None
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """By a column; a column that has no order (-1, the gutter) means capture order."""
        if self._rows is not None:
            by = None if column <= Column.GUTTER else self._sort_column(column)
            descending = order is Qt.SortOrder.DescendingOrder
            rows = self._rows
            self._move_rows(lambda: rows.sort(by, descending=descending))
            self._ask_order()

    def limit_to(self, session: int) -> None:
        """Show the packets of one session only, or of all (-1)."""
        if self._rows is not None and session != self._rows.session:
            self._replace_rows(partial(self._rows.limit_to, session))

    @property
    def added_names(self) -> tuple[str, ...]:
        """Fields that have a column behind the others, in the order in which these are numbered."""
        return self._added_names

    @property
    def view(self) -> FieldView | None:
        """The fields of the capture; None without a document."""
        return self._view

    @property
    def time_format(self) -> TimeFormat:
        """What the time column says."""
        return self._time_format

    def column_title(self, name: str) -> str:
        """What a person calls a column of the layout."""
        return self._heads.title(name)

    def set_added(self, names: Sequence[str]) -> None:
        """Have columns for these fields, each once. Those that stay keep their numbers as far as they can."""
        for place in reversed(range(len(self._added_names))):
            if self._added_names[place] not in names:
                if self._rows is not None and isinstance(self._rows.column, AddedColumn):
                    self.sort(-1)
                self.beginRemoveColumns(QModelIndex(), COLUMNS + place, COLUMNS + place)
                self._take_added((*self._added_names[:place], *self._added_names[place + 1 :]))
                self.endRemoveColumns()
        new = [name for name in dict.fromkeys(names) if name not in self._added_names]
        if new:
            first = self.columnCount()
            self.beginInsertColumns(QModelIndex(), first, first + len(new) - 1)
            self._take_added((*self._added_names, *new))
            self.endInsertColumns()

    def can_sort(self, section: int) -> bool:
        """The column has an order. What is read from bytes or items is not: only of the rows that are looked at."""
        if section < COLUMNS:
            return section > Column.GUTTER
        added = None if self._cells is None else self._cells.added
        info = None if added is None else added.columns[section - COLUMNS].info
        return info is None or info.in_columns

    def _take_added(self, names: tuple[str, ...]) -> None:
        self._added_names = names
        self._heads.show(names, self._view)
        if self._cells is not None and self._view is not None:
            self._cells.added = AddedColumns(self._view, names) if names else None
        self._ready.clear()

    def _sort_column(self, column: int) -> Column | AddedColumn | None:
        if column < COLUMNS:
            return Column(column)
        added = None if self._cells is None else self._cells.added
        return None if added is None else added.columns[column - COLUMNS]

    @Slot()
    def _on_reworded(self) -> None:
        """Schemas name other fields."""
        if self._document is not None:
            self._view = FieldView(self._document)
            self._take_added(self._added_names)
            self._repaint()

    def show_only(self, kept: Kept | None) -> None:
        """Show what a filter lets through, or all. Say by `judge` when it says more."""
        if self._rows is not None:
            self._replace_rows(partial(self._rows.keep, kept))

    def judge(self, judged: Judged) -> None:
        """The filter says more than before."""
        assert self._rows is not None
        shown = self._rows.judged(judged)
        edits = self._rows.edits(shown)
        if edits is None and (len(shown.came) or len(shown.went)):
            self._replace_rows(self._rows.rebuild)
            return
        if edits:
            self.editing.emit(True)
        for row, packet in edits or ():
            (self.beginRemoveRows if packet < 0 else self.beginInsertRows)(QModelIndex(), row, row)
            self._rows.edit(row, packet)
            (self.endRemoveRows if packet < 0 else self.endInsertRows)()
        if edits:
            # Other packets are shown before some.
            self._repaint()
            self.editing.emit(False)
            self.reordered.emit()
        if len(shown.new):
            self._append(shown.new, self._rows.count)
            self._sort_again()

    def _words(self, packet: int, column: int) -> str:
        """The text of a cell, and of one that only shows a sign, what the sign says."""
        cell = self._ready.row(packet).cells[column]
        sign = self.sign_of(packet) if column == Column.GUTTER else cell.sign
        said = ", ".join(TEXTS[one] for one in sign.split())
        return ": ".join(text for text in (said, cell.text) if text)

    def _connect(self, document: Document) -> None:
        document.rows_added.connect(self._catch_up)
        document.amended.connect(self._on_amended)
        document.decoded.connect(self._on_decoded)
        document.selection.session_changed.connect(self.limit_to)
        document.selection.snapshot_changed.connect(self._show_related)
        document.marks.changed.connect(self._on_marks)
        document.reworded.connect(self._on_reworded)

    def _disconnect(self, document: Document) -> None:
        document.rows_added.disconnect(self._catch_up)
        document.amended.disconnect(self._on_amended)
        document.decoded.disconnect(self._on_decoded)
        document.selection.session_changed.disconnect(self.limit_to)
        document.selection.snapshot_changed.disconnect(self._show_related)
        document.marks.changed.disconnect(self._on_marks)
        document.reworded.disconnect(self._on_reworded)

    @Slot()
    def _catch_up(self) -> None:
        """Take in what was published since the last tick of the document's timer."""
        assert self._document is not None
        assert self._rows is not None
        assert self._cells is not None
        before, count = self._rows.count, len(self._document.tables.packets)
        # Whatever row is painted next finds little that is left to look at.
        self._cells.info.follow(MOST_SNAPSHOTS)
        self._look_at_new_snapshots(before)
        if count == before:
            return
        self._append(self._rows.arriving(count), count)
        self._sort_again()

    def _sort_again(self) -> None:
        """So many rows came that all are sorted anew, unless they are being sorted."""
        assert self._rows is not None
        if self._rows.wants_sort and self._ordered != self._rows.version:
            self._move_rows(self._rows.resort)
            self._ask_order()

    def _ask_order(self) -> None:
        """Have many rows sorted on the query thread."""
        document, rows = self._document, self._rows
        if document is None or rows is None or not rows.wants_sort:
            return
        self._ordered = rows.version
        order = rows.ordering()
        document.ask(ORDER_TOPIC, order, lambda found: self._take_order(rows, found))

    def _take_order(self, rows: PacketRows, order: Order) -> None:
        if rows is not self._rows:
            return
        self._ordered = -1
        self._move_rows(lambda: rows.take(order))
        self._sort_again()

    def _append(self, new: Rows, count: int) -> None:
        assert self._rows is not None
        if not len(new):
            self._rows.append(new, count)
            return
        shown = len(self._rows)
        self.beginInsertRows(QModelIndex(), shown, shown + len(new) - 1)
        self._rows.append(new, count)
        self.endInsertRows()

    def _look_at_new_snapshots(self, shown: int) -> None:
        """A snapshot is a row when it is complete: packets that were shown before may carry its parts."""
        assert self._document is not None
        tables = self._document.tables
        before, self._snapshots = self._snapshots, len(tables.snapshots)
        if self._snapshots == before:
            return
        first = tables.snapshots.integers("first_part", before, self._snapshots)
        count = tables.snapshots.integers("part_count", before, self._snapshots)
        first, count = first[first >= 0], count[first >= 0]
        if not len(first):
            return
        messages = tables.parts.integers("message", int(first.min()), int((first + count).max()))
        earliest = int(tables.messages.integers("packet", int(messages.min()), int(messages.max()) + 1).min())
        if earliest < shown:
            self._forget(earliest, shown)

    @Slot(object)
    def _on_amended(self, amendments: tuple[Amendment, ...]) -> None:
        assert self._document is not None
        assert self._rows is not None
        everything = moved = acked = False
        for amendment in amendments:
            if amendment.table == "packets":
                self._forget(amendment.start, min(amendment.stop, self._rows.count))
                moved = moved or (amendment.column == "session" and self._rows.session != ALL)
            acked = acked or (amendment.table, amendment.column) == ("snapshots", "acked_packet")
            everything = everything or amendment.column in _SHOWN_AMENDMENTS.get(amendment.table, ())
        if moved:
            self._look_at_session()
        if everything:
            self._repaint()
        if acked:
            self._show_related(self._document.selection.place.snapshot)

    def _look_at_session(self) -> None:
        """Packets that were shown as nobody's, or as another's, may have become the session's."""
        assert self._rows is not None
        late = self._rows.found_late()
        if late is None:
            self._replace_rows(self._rows.rebuild)
        elif len(late):
            self._append(late, self._rows.count)

    @Slot()
    def _on_decoded(self) -> None:
        assert self._cells is not None
        assert self._rows is not None
        self._cells.decoded = True
        if self._rows.column is not None:
            self._move_rows(self._rows.resort)
            self._ask_order()
        self._repaint()

    def _replace_rows(self, change: Callable[[], None]) -> None:
        """Another set of rows."""
        self.beginResetModel()
        change()
        # What is shown before a packet may be another one.
        self._ready.clear()
        self.endResetModel()
        self.reordered.emit()
        self._ask_order()

    def _move_rows(self, change: Callable[[], None]) -> None:
        """The same rows in another order; views keep what they point to."""
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        packets = [self.packet_at(index.row()) for index in old]
        change()
        new = [self.index(self.row_of(packet), index.column()) for packet, index in zip(packets, old, strict=True)]
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()
        self.reordered.emit()

    def _forget(self, start: int, stop: int) -> None:
        """Packets start to stop - 1 have to be made and painted anew."""
        stale = self._ready.forget(start, stop)
        if self.in_capture_order and not self.is_limited:
            self._announce(start, stop - 1)
        elif stale:
            self._announce(0, self.rowCount() - 1)

    @Slot(object)
    def _on_marks(self, change: Change) -> None:
        if change.kind is Mark.REFERENCE:
            # Of every row behind it the time may count from another packet.
            if self._time_format is TimeFormat.REFERENCE:
                self._sort_by_time()
            self._repaint()
        else:
            self._ready.forget_in(change.mask)
            self._announce(0, self.rowCount() - 1)
        self.signs_changed.emit()

    def _sort_by_time(self) -> None:
        """Times read otherwise now."""
        if self._rows is not None and self._rows.column is Column.TIME:
            self._move_rows(self._rows.resort)
            self._ask_order()

    def _repaint(self) -> None:
        self._ready.clear()
        self._announce(0, self.rowCount() - 1)

    def _announce(self, first: int, last: int) -> None:
        last = min(last, self.rowCount() - 1)
        if first <= last:
            self.dataChanged.emit(self.index(first, 0), self.index(last, self.columnCount() - 1))

    @Slot(object)
    def _on_noted(self, packets: list[int]) -> None:
        rows = [row for row in map(self.row_of, packets) if row >= 0]
        if rows:
            self.dataChanged.emit(self.index(min(rows), Column.INFO), self.index(max(rows), self.columnCount() - 1))

    @Slot(int)
    def _show_related(self, snapshot: int) -> None:
        assert self._document is not None
        found = related(self._document.tables, snapshot)
        if found != self._related:
            self._related, self._signs = found, found.signs
            last = self.rowCount() - 1
            if last >= 0:
                self.dataChanged.emit(self.index(0, Column.GUTTER), self.index(last, Column.GUTTER))
            self.related_changed.emit()
