"""Has the overview of a document made on the query thread, and made anew as it grows: at most 20 times a second."""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance, Slot

from analyzer.engine.query import Query
from ui.document import Document
from ui.overview.desk import Desk, Hit, Shown, Wanted

FRAME_MS = 50
MOST_REST_MS = 1000
REST = 10
"""What took long rests for this many times as long: decoder and other questions use the same processor."""
ROWS = 1 << 15
"""Snapshots that are taken in in one go."""
_TOPIC = "overview"
_HIT_TOPIC = "overview pointer"


class OverviewSource(QObject):
    """Of one document at a time."""

    changed = Signal()
    """`shown` is new."""

    def __init__(self, wanted: Callable[[], Wanted | None], parent: QObject) -> None:
        """`wanted`: what is to be shown; None while nobody looks."""
        super().__init__(parent)
        self.shown = Shown()
        self._wanted = wanted
        self._document: Document | None = None
        self._desk: Desk | None = None
        self._stale, self._asked = False, False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self._refresh)

    def show_document(self, document: Document | None) -> None:
        """Follow another document, or none."""
        if self._document is not None:
            for signal in self._signals(self._document):
                signal.disconnect(self.outdate)
            self._document.decoded.disconnect(self.ask_now)
            self._document.question_failed.disconnect(self._failed)
            self._document.unreadable.disconnect(self._failed)
        self._pause.stop()
        self._document = document
        self._desk = None if document is None else Desk(document.tables)
        self._asked = False
        self.shown = Shown()
        if document is not None:
            for signal in self._signals(document):
                signal.connect(self.outdate)
            document.decoded.connect(self.ask_now)
            document.question_failed.connect(self._failed)
            document.unreadable.connect(self._failed)
        self.changed.emit()
        self.outdate()

    @staticmethod
    def _signals(document: Document) -> tuple[SignalInstance, ...]:
        return (document.rows_added, document.amended, document.reread, document.paused_changed)

    @Slot()
    def outdate(self) -> None:
        """There is more to show, or something else is wanted."""
        self._stale = True
        self._refresh()

    @Slot()
    def ask_now(self) -> None:
        """A person waits for what is wanted now."""
        self._pause.stop()
        self._stale = True
        self._refresh()

    def point(self, flow: int, lane: int, x: float, answer: Callable[[Hit], None]) -> None:
        """Have the snapshot at a place of a lane found; `x`: pixels from where times begin."""
        wanted = self.shown.wanted
        if wanted is not None:
            self._ask(lambda desk: desk.hit(wanted, flow, lane, x), answer)

    def nearest(self, flow: int, lane: int, time_ns: int, answer: Callable[[Hit], None]) -> None:
        """Have the snapshot found that is nearest to a time, nanoseconds from the first frame."""
        self._ask(lambda desk: desk.nearest(flow, lane, time_ns), answer)

    def beside(self, flow: int, lane: int, snapshot: int, step: int, answer: Callable[[Hit], None]) -> None:
        """Have the one before or behind a snapshot found."""
        self._ask(lambda desk: desk.beside(flow, lane, snapshot, step), answer)

    def _ask(self, question: Callable[[Desk], Hit], answer: Callable[[Hit], None]) -> None:
        document, desk = self._document, self._desk
        if document is None or desk is None:
            return

        def answered(hit: Hit) -> None:
            if document is self._document:
                answer(hit)

        document.ask(_HIT_TOPIC, lambda _query: question(desk), answered)

    @Slot()
    def _refresh(self) -> None:
        document, desk = self._document, self._desk
        if document is None or desk is None or not self._stale or self._asked or self._pause.isActive():
            return
        if document.is_paused and self.shown.wanted is not None:
            return
        wanted = self._wanted()
        if wanted is None:
            return
        self._stale, self._asked = False, True

        def question(_query: Query) -> tuple[Shown | None, float]:
            start = thread_time()
            return desk.show(wanted, ROWS), thread_time() - start

        document.ask(_TOPIC, question, lambda found: self._answered(document, wanted, *found))

    def _answered(self, document: Document, wanted: Wanted, shown: Shown | None, seconds: float) -> None:
        if document is not self._document:
            return
        self._asked = False
        if shown is not None:
            self.shown = shown
            self._stale = self._stale or shown.behind
            self.changed.emit()
        if wanted == self._wanted():
            rest = min(max(FRAME_MS, round(seconds * 1000 * REST)), MOST_REST_MS)
            self._pause.start(FRAME_MS if document.is_decoded else rest)
        else:
            # Meanwhile something else is wanted.
            self._stale = True
        self._refresh()

    @Slot()
    def _failed(self) -> None:
        self._asked = False
