"""The Qt model of the packet list: row numbers over the tables, and a cache of the rows that are looked at."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
    Slot,
)

from analyzer.store.journal import Amendment
from ui.document import Document
from ui.models.packet_cells import Column, PacketCells, PacketRow, TimeFormat
from ui.models.packet_order import Rows, session_rows, sorted_rows
from ui.models.related import NOTHING, Related, related
from ui.views.cells import CELL_ROLE
from ui.views.signs import TEXTS

ROW_ROLE = CELL_ROLE + 1
"""The whole `PacketRow`."""
SEARCH_ROWS = 4096
"""Rows looked through at a time."""
CACHED_ROWS = 512
RESORT_SHARE = 4
"""While decoding, rows stand behind the sorted ones until they are a quarter of these; then all are sorted anew."""
NOTES_TOPIC = "packet list notes"
MOST_WANTED = 200
"""Rows whose notes are asked for at a time: the visible ones and some around them."""
ALL = -1

Index = QModelIndex | QPersistentModelIndex
COLUMNS = len(Column)
_RIGHT = (Column.NUMBER, Column.TIME, Column.LENGTH)
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

    related_changed = Signal()
    """Other packets are related to the selected snapshot."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._cells: PacketCells | None = None
        self._count = 0
        """Packets taken in, whether they are shown or not."""
        self._rows: Rows | None = None
        """Packets by row; None: every packet in capture order."""
        self._places: Rows | None = None
        """Row by packet, made when asked for."""
        self._sorted = 0
        """Rows that are in order; those behind came later."""
        self._column: Column | None = None
        self._descending = False
        self._session = ALL
        self._related = NOTHING
        self._signs: dict[int, str] = {}
        self._cache: OrderedDict[int, PacketRow] = OrderedDict()
        self._wanted: dict[int, None] = {}
        """Packets whose notes are missing, the one looked at last behind."""
        self._snapshots = 0
        self._time_format = TimeFormat.FIRST
        self._ask_soon = QTimer(self)
        self._ask_soon.setSingleShot(True)
        self._ask_soon.timeout.connect(self._ask_notes)

    def show_document(self, document: Document | None) -> None:
        """Show another document, or none."""
        self.beginResetModel()
        if self._document is not None:
            self._disconnect(self._document)
        self._ask_soon.stop()
        self._wanted.clear()
        self._cache.clear()
        self._document = document
        self._cells = None
        self._count = self._snapshots = 0
        self._rows = self._places = self._column = None
        self._session = ALL
        self._related, self._signs = NOTHING, {}
        if document is not None:
            self._cells = PacketCells(document.tables, document.worker.capture.protocols)
            self._cells.decoded = document.is_decoded
            self._cells.time_format = self._time_format
            self._count, self._snapshots = len(document.tables.packets), len(document.tables.snapshots)
            self._session = document.selection.session
            self._rows = None if self._session == ALL else session_rows(document.tables, self._session, self._count)
            self._connect(document)
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
    def in_capture_order(self) -> bool:
        """Rows are not sorted by a column."""
        return self._column is None

    def set_time_format(self, form: TimeFormat) -> None:
        """What the time column says from now on."""
        self._time_format = form
        if self._cells is not None:
            self._cells.time_format = form
        self._repaint()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, Column.TIME, Column.TIME)

    def packet_at(self, row: int) -> int:
        """The packet in a row."""
        return row if self._rows is None else int(self._rows[row])

    def packets(self, start: int, stop: int) -> Rows:
        """The packets in rows start to stop - 1, shape (stop - start,)."""
        return np.arange(start, stop) if self._rows is None else self._rows[start:stop]

    def row_of(self, packet: int) -> int:
        """The row of a packet, -1 if it is not shown."""
        if not 0 <= packet < self._count:
            return -1
        if self._rows is None:
            return packet
        if self._places is None:
            self._places = np.full(self._count, -1, dtype=np.int64)
            self._places[self._rows] = np.arange(len(self._rows))
        return int(self._places[packet])

    def next_in_flow(self, row: int, step: int) -> int:
        """The next row (step 1), or the one before (-1), of the same flow; -1 if there is none."""
        if self._document is None or row < 0:
            return -1
        packets = self._document.tables.packets
        flow = packets.integer("flow", self.packet_at(row))
        count = self.rowCount()
        starts = (
            range(row + 1, count, SEARCH_ROWS) if step > 0 else range(row - SEARCH_ROWS, -SEARCH_ROWS, -SEARCH_ROWS)
        )
        for start in starts:
            first, stop = max(0, start), min(count, start + SEARCH_ROWS)
            found = np.flatnonzero(packets.take("flow", self.packets(first, stop)) == flow)
            if len(found):
                return first + int(found[0 if step > 0 else -1])
        return -1

    def sign_of(self, packet: int) -> str:
        """How the packet is related to the selected snapshot: part, base, ack, or not at all."""
        return self._signs.get(packet, "")

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if parent.isValid():
            return 0
        return self._count if self._rows is None else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else COLUMNS

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(Column):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._titles()[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section in _RIGHT else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._titles()[section] or (
                self.tr("Related packets") if section == Column.GUTTER else self.tr("Direction")
            )
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or self._cells is None:
            return None
        packet = self.packet_at(index.row())
        column = index.column()
        if role == CELL_ROLE:
            return self._row(packet).cells[column]
        if role == ROW_ROLE:
            return self._row(packet)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._row(packet).cells[column].text
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._words(packet, column) or None
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """By a column; a column that has no order (-1, the gutter) means capture order."""
        self._column = None if column <= Column.GUTTER else Column(column)
        self._descending = order is Qt.SortOrder.DescendingOrder
        self._resort()

    def limit_to(self, session: int) -> None:
        """Show the packets of one session only, or of all (-1)."""
        if session != self._session:
            self._session = session
            self._rebuild()

    def _titles(self) -> tuple[str, ...]:
        return (
            "",
            self.tr("No."),
            self.tr("Time [UTC]") if self._time_format is TimeFormat.UTC else self.tr("Time [s]"),
            self.tr("Source"),
            self.tr("Destination"),
            self.tr("Client"),
            "",
            self.tr("Protocol"),
            self.tr("Length"),
            self.tr("Info"),
        )

    def _words(self, packet: int, column: int) -> str:
        """The text of a cell, and of one that only shows a sign, what the sign says."""
        cell = self._row(packet).cells[column]
        sign = self.sign_of(packet) if column == Column.GUTTER else cell.sign
        return ": ".join(text for text in (TEXTS.get(sign, ""), cell.text) if text)

    def _row(self, packet: int) -> PacketRow:
        assert self._cells is not None
        known = self._cache.get(packet)
        if known is not None:
            self._cache.move_to_end(packet)
            return known
        made = self._cache[packet] = self._cells.row(packet)
        if len(self._cache) > CACHED_ROWS:
            self._cache.popitem(last=False)
        if self._cells.lacks_notes(packet):
            self._wanted[packet] = None
            self._ask_soon.start(0)
        return made

    def _connect(self, document: Document) -> None:
        document.rows_added.connect(self._catch_up)
        document.amended.connect(self._on_amended)
        document.decoded.connect(self._on_decoded)
        document.selection.session_changed.connect(self.limit_to)
        document.selection.snapshot_changed.connect(self._show_related)

    def _disconnect(self, document: Document) -> None:
        document.rows_added.disconnect(self._catch_up)
        document.amended.disconnect(self._on_amended)
        document.decoded.disconnect(self._on_decoded)
        document.selection.session_changed.disconnect(self.limit_to)
        document.selection.snapshot_changed.disconnect(self._show_related)

    @Slot()
    def _catch_up(self) -> None:
        """Take in what was published since the last tick of the document's timer."""
        assert self._document is not None
        tables = self._document.tables
        before, count = self._count, len(tables.packets)
        self._look_at_new_snapshots(before)
        if count == before:
            return
        if self._rows is None:
            self.beginInsertRows(QModelIndex(), before, count - 1)
            self._count = count
            self.endInsertRows()
            return
        self._count, self._places = count, None
        new = np.arange(before, count)
        if self._session != ALL:
            new = new[tables.packets.take("session", new) == self._session]
        self._append(new)
        if self._column is not None and (len(self._rows) - self._sorted) * RESORT_SHARE > self._sorted:
            self._resort()

    def _append(self, new: Rows) -> None:
        assert self._rows is not None
        self._places = None
        if len(new):
            self.beginInsertRows(QModelIndex(), len(self._rows), len(self._rows) + len(new) - 1)
            self._rows = np.concatenate([self._rows, new])
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
        parts = np.arange(int(first[0]), int(first[-1] + count[-1]))
        messages = tables.parts.take("message", parts).astype(np.int64)
        packets = tables.messages.take("packet", messages).astype(np.int64)
        old = packets[packets < shown]
        if len(old):
            self._forget(int(old.min()), int(old.max()) + 1)

    @Slot(object)
    def _on_amended(self, amendments: tuple[Amendment, ...]) -> None:
        assert self._document is not None
        everything = moved = acked = False
        for amendment in amendments:
            if amendment.table == "packets":
                self._forget(amendment.start, min(amendment.stop, self._count))
                moved = moved or (amendment.column == "session" and self._session != ALL)
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
        assert self._document is not None
        assert self._rows is not None
        rows = session_rows(self._document.tables, self._session, self._count)
        if self._column is None and np.array_equal(rows[: len(self._rows)], self._rows):
            self._append(rows[len(self._rows) :])
        elif not np.array_equal(rows, np.sort(self._rows)):
            self._rebuild()

    @Slot()
    def _on_decoded(self) -> None:
        assert self._cells is not None
        self._cells.decoded = True
        if self._column is not None:
            self._resort()
        self._repaint()

    def _rebuild(self) -> None:
        """Another set of rows."""
        self.beginResetModel()
        rows = np.arange(self._count)
        if self._document is not None and self._session != ALL:
            rows = session_rows(self._document.tables, self._session, self._count)
        self._rows = self._ordered(rows)
        self._places = None
        self.endResetModel()
        self.reordered.emit()

    def _ordered(self, rows: Rows) -> Rows | None:
        """`rows`, ascending, by the column; None: all in capture order."""
        self._sorted = len(rows)
        if self._column is None or self._document is None or self._cells is None:
            return None if self._session == ALL else rows
        return sorted_rows(self._document.tables, self._cells, rows, self._column, descending=self._descending)

    def _resort(self) -> None:
        """The same rows in another order; views keep what they point to."""
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        packets = [self.packet_at(index.row()) for index in old]
        self._rows = self._ordered(np.arange(self._count) if self._rows is None else np.sort(self._rows))
        self._places = None
        new = [self.index(self.row_of(packet), index.column()) for packet, index in zip(packets, old, strict=True)]
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()
        self.reordered.emit()

    def _forget(self, start: int, stop: int) -> None:
        """Packets start to stop - 1 have to be made and painted anew."""
        stale = [packet for packet in self._cache if start <= packet < stop]
        for packet in stale:
            del self._cache[packet]
        if self._rows is None:
            self._announce(start, stop - 1)
        elif stale:
            self._announce(0, len(self._rows) - 1)

    def _repaint(self) -> None:
        self._cache.clear()
        self._announce(0, self.rowCount() - 1)

    def _announce(self, first: int, last: int) -> None:
        last = min(last, self.rowCount() - 1)
        if first <= last:
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(Column) - 1))

    @Slot()
    def _ask_notes(self) -> None:
        """Ask for key values of the rows that were looked at; rows show their names until the answer comes."""
        document = self._document
        if document is None or not self._wanted:
            return
        asked = list(self._wanted)[-MOST_WANTED:]
        document.ask(
            NOTES_TOPIC, lambda query: query.notes(asked), lambda notes: self._take_notes(document, asked, notes)
        )

    def _take_notes(self, document: Document, asked: list[int], notes: dict[int, str]) -> None:
        if self._document is not document or self._cells is None:
            return
        self._cells.add_notes(notes)
        for packet in asked:
            self._wanted.pop(packet, None)
        if self._wanted:
            self._ask_soon.start(0)
        packets = document.tables.messages.take("packet", np.fromiter(notes, dtype=np.int64)).tolist()
        for packet in packets:
            self._cache.pop(packet, None)
        rows = [row for row in map(self.row_of, packets) if row >= 0]
        if rows:
            self.dataChanged.emit(self.index(min(rows), Column.INFO), self.index(max(rows), Column.INFO))

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
