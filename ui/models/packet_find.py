"""Searches the texts of the packet list, a slice of rows at a time, so that the window stays free."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from ui.models.packets import PacketModel

SLICE_S = 0.008
"""Time a slice may take."""
CHECK_ROWS = 32
"""Rows between two looks at the clock."""


class PacketFind(QObject):
    """One search at a time; a new one ends the old one. Goes around the end once."""

    ended = Signal(int)
    """The row that was found, -1: none."""

    def __init__(self, model: PacketModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self._text = ""
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
        self._text = text.casefold()
        self._step = 1 if forward else -1
        self._left = count if text else 0
        self._row = row if row >= 0 or forward else count
        return self._search()

    @Slot()
    def stop(self) -> None:
        """Give the search up."""
        self._timer.stop()

    @Slot()
    def _search(self) -> bool:
        end = time.monotonic() + SLICE_S
        cells, count = self._model.cells, self._model.rowCount()
        if cells is None or not count:
            self.ended.emit(-1)
            return False
        while self._left:
            self._left -= 1
            self._row = (self._row + self._step) % count
            if any(self._text in text.casefold() for text in cells.texts(self._model.packet_at(self._row))):
                self.ended.emit(self._row)
                return True
            if self._left % CHECK_ROWS == 0 and self._left and time.monotonic() > end:
                self._timer.start(0)
                return False
        self.ended.emit(-1)
        return False
