"""Rows of the packet list that were looked at: made once, and again when the query thread tells of their notes."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from analyzer.engine.query import Query
from ui.document import Document
from ui.marks import Bools
from ui.models.added_columns import AddedColumns, Texts
from ui.models.packet_cells import PacketCells
from ui.views.cells import Row

CACHED_ROWS = 512
NOTES_TOPIC = "packet list notes"
MOST_WANTED = 200
"""Rows whose notes are asked for at a time: the visible ones and some around them."""


class ReadyRows(QObject):
    """By packet, of one document at a time; without one it is not asked."""

    noted = Signal(object)
    """Rows of these packets, a list, read otherwise now."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._cells: PacketCells | None = None
        self._cache: OrderedDict[int, Row] = OrderedDict()
        self._wanted: dict[int, None] = {}
        """Packets whose notes are missing, the one looked at last behind."""
        self._ask_soon = QTimer(self)
        self._ask_soon.setSingleShot(True)
        self._ask_soon.timeout.connect(self._ask_notes)

    def show_document(self, document: Document | None, cells: PacketCells | None) -> None:
        """Another document, and what makes its rows; or none."""
        self._ask_soon.stop()
        self._wanted.clear()
        self._cache.clear()
        self._document, self._cells = document, cells

    def row(self, packet: int) -> Row:
        """The row of a packet; its notes are asked for where it lacks them."""
        assert self._cells is not None
        known = self._cache.get(packet)
        if known is not None:
            self._cache.move_to_end(packet)
            return known
        made = self._cache[packet] = self._cells.row(packet)
        if len(self._cache) > CACHED_ROWS:
            self._cache.popitem(last=False)
        if not self._cells.is_ignored(packet) and self._cells.lacks_notes(packet):
            self._wanted[packet] = None
            self._ask_soon.start(0)
        return made

    def forget(self, start: int, stop: int) -> bool:
        """Packets start to stop - 1 have to be made anew. True: some of them were ready."""
        if self._cells is not None and self._cells.added is not None:
            self._cells.added.forget(start, stop)
        stale = [packet for packet in self._cache if start <= packet < stop]
        for packet in stale:
            del self._cache[packet]
        return bool(stale)

    def forget_in(self, mask: Bools) -> None:
        """Packets of a mask have to be made anew."""
        for packet in [packet for packet in self._cache if packet < len(mask) and mask[packet]]:
            del self._cache[packet]

    def clear(self) -> None:
        """All have to be made anew."""
        self._cache.clear()
        if self._cells is not None and self._cells.added is not None:
            self._cells.added.clear()

    @Slot()
    def _ask_notes(self) -> None:
        """Ask for key values of the rows that were looked at; rows show their names until the answer comes."""
        document = self._document
        if document is None or not self._wanted:
            return
        asked = list(self._wanted)[-MOST_WANTED:]
        added = None if self._cells is None else self._cells.added
        texts = None if added is None else added.question(asked)

        def question(query: Query) -> tuple[dict[int, str], Texts]:
            return query.notes(asked), {} if texts is None else texts(query)

        document.ask(NOTES_TOPIC, question, lambda found: self._take_notes(document, added, asked, *found))

    def _take_notes(
        self, document: Document, added: AddedColumns | None, asked: list[int], notes: dict[int, str], texts: Texts
    ) -> None:
        if self._document is not document or self._cells is None:
            return
        self._cells.add_notes(notes)
        if added is not None:
            added.take(texts)
        for packet in asked:
            self._wanted.pop(packet, None)
        if self._wanted:
            self._ask_soon.start(0)
        packets = document.tables.messages.take("packet", np.fromiter(notes, dtype=np.int64)).tolist() + list(texts)
        for packet in packets:
            self._cache.pop(packet, None)
        self.noted.emit(packets)
