"""Searches the texts of the packet list, a slice of rows at a time, so that the window stays free."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from ui.models.packet_cells import Column, PacketCells
from ui.models.packets import PacketModel

SLICE_S = 0.008
"""Time a slice may take."""
CHECK_ROWS = 32
"""Rows between two looks at the clock."""
SHARED = (Column.SOURCE, Column.DESTINATION, Column.CLIENT, Column.PROTOCOL)
NUMBERS = (Column.NUMBER, Column.TIME, Column.LENGTH)


NUMERIC = frozenset("0123456789.:- − ")
"""What numbers and times consist of."""


class TextMatch:
    """Does a packet show a text? Columns that all packets of a client share are looked at once."""

    def __init__(self, cells: PacketCells, text: str) -> None:
        self._cells = cells
        self._text = text.casefold()
        self._numeric = set(text) <= NUMERIC
        self._known: dict[tuple[int, int, int], bool] = {}

    def __call__(self, packet: int) -> bool:
        packets = self._cells.tables.packets
        key = (
            packets.integer("flow", packet),
            packets.integer("direction", packet),
            packets.integer("session", packet),
        )
        shared = self._known.get(key)
        if shared is None:
            shared = self._known[key] = self._in(packet, SHARED)
        if shared or (self._numeric and self._in(packet, NUMBERS)):
            return True
        return self._text in self._cells.info.line(packet, self._cells.notes).casefold()

    def _in(self, packet: int, columns: tuple[Column, ...]) -> bool:
        return any(self._text in text.casefold() for text in self._cells.some_texts(packet, columns))


class PacketFind(QObject):
    """One search at a time; a new one ends the old one. Goes around the end once."""

    ended = Signal(int)
    """The row that was found, -1: none."""

    def __init__(self, model: PacketModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self._match: TextMatch | None = None
        self._row = 0
        self._left = 0
        self._step = 1
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._search)
        model.reordered.connect(self.stop)

    def find(self, text: str, row: int, forward: bool) -> bool:
        """Search from the row after (or before) `row`; -1 starts at the first or last. True: found at once."""
        self.stop()
        count = self._model.rowCount()
        cells = self._model.cells
        self._match = None if cells is None or not text else TextMatch(cells, text)
        self._step = 1 if forward else -1
        self._left = count
        self._row = row if row >= 0 or forward else count
        return self._search()

    @Slot()
    def stop(self) -> None:
        """Give the search up, and let go of the tables it read."""
        self._timer.stop()
        self._match = None

    @Slot()
    def _search(self) -> bool:
        end = time.monotonic() + SLICE_S
        count = self._model.rowCount()
        while self._left and self._match is not None:
            self._left -= 1
            self._row = (self._row + self._step) % count
            if self._match(self._model.packet_at(self._row)):
                self._match = None
                self.ended.emit(self._row)
                return True
            if self._left % CHECK_ROWS == 0 and self._left and time.monotonic() > end:
                self._timer.start(0)
                return False
        self._match = None
        self.ended.emit(-1)
        return False
