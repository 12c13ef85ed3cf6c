"""Searches packets in the order of the list, a portion at a time on the query thread, so that the window stays free."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from analyzer.filters.errors import FilterError
from ui.document import Document
from ui.marks import Mark
from ui.models.packet_cells import PacketCells
from ui.models.packet_matches import (
    BytesMatch,
    FilterMatch,
    FindBy,
    Match,
    MessageMatch,
    TextMatch,
    ValueMatch,
    read_bytes,
    search,
)
from ui.models.packets import PacketModel

TOPIC = "packet find"
PORTION = 1 << 14
"""Rows that are asked about at a time, should there be time for so many."""


@dataclass(slots=True)
class _Run:
    """A search that goes on."""

    document: Document
    match: Match
    row: int
    """The next one."""
    step: int
    left: int
    """Rows that were not looked at."""
    around: bool = False
    """It went over the end of the list."""


class PacketFind(QObject):
    """One search at a time; a new one ends the old one. Goes around the end once."""

    ended = Signal(int, int)
    """The row that was found, -1: none; 1 if the search went on from the first row, -1 from the last one, else 0."""
    progressed = Signal(float)
    """The share of the rows that was looked at, 0 to 1."""

    def __init__(self, model: PacketModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self._document: Document | None = None
        self._run: _Run | None = None
        model.reordered.connect(self.stop)

    @property
    def is_running(self) -> bool:
        """A search goes on."""
        return self._run is not None

    def show_document(self, document: Document | None) -> None:
        """Another document is searched from now on."""
        self.stop()
        self._document = document

    def find(self, by: FindBy, text: str, row: int, forward: bool) -> None:
        """Search from the row after (or before) `row`; -1 starts at the first or last.

        Raises ValueError with a sentence: nothing can be searched for so.
        """
        self.stop()
        document, count = self._document, self._model.rowCount()
        if document is None or not text:
            return
        match = self._match(document, by, text)
        step = 1 if forward else -1
        start = row + step if row >= 0 or forward else count - 1
        run = self._run = _Run(document, match, start, step, count)
        self._go_on(run)

    @Slot()
    def stop(self) -> None:
        """Give the search up, and let go of the tables it read."""
        self._run = None

    def _match(self, document: Document, by: FindBy, text: str) -> Match:
        tables = document.tables
        if by is FindBy.TEXT:
            cells = PacketCells(tables, document.worker.capture.protocols)
            cells.decoded = document.is_decoded
            self._model.look_alike(cells)
            return TextMatch(cells, text)
        if by is FindBy.MESSAGE:
            return MessageMatch(tables, text)
        if by is FindBy.FILTER:
            view = self._model.view
            assert view is not None
            try:
                return FilterMatch(tables, view, text)
            except FilterError as error:
                said = str(error)
                raise ValueError(f"{said[:1].upper()}{said[1:]}") from None
        if by is FindBy.VALUE:
            return ValueMatch(text)
        return BytesMatch(read_bytes(text), plain=by is FindBy.PLAIN)

    def _go_on(self, run: _Run) -> None:
        """Ask about the next rows, up to the end that the search goes to."""
        count = self._model.rowCount()
        if not 0 <= run.row < count:
            run.row, run.around = 0 if run.step > 0 else count - 1, True
        if run.left <= 0 or not count:
            self._end(run, -1)
            return
        room = min(run.left, PORTION, count - run.row if run.step > 0 else run.row + 1)
        if run.step > 0:
            packets = self._model.packets(run.row, run.row + room)
        else:
            packets = self._model.packets(run.row - room + 1, run.row + 1)[::-1]
        ignored = run.document.marks.of(Mark.IGNORED)
        match = run.match
        run.document.ask(TOPIC, lambda query: search(match, query, packets, ignored), partial(self._take, run))

    def _take(self, run: _Run, answer: tuple[int, int]) -> None:
        if self._run is not run:
            return
        place, looked = answer
        if place >= 0:
            self._end(run, run.row + run.step * place)
            return
        run.row += run.step * looked
        run.left -= looked
        count = self._model.rowCount()
        self.progressed.emit(1.0 - max(0, run.left) / max(1, count))
        self._go_on(run)

    def _end(self, run: _Run, row: int) -> None:
        step, around = run.step, run.around
        self._run = None
        self.ended.emit(row, step if around else 0)
