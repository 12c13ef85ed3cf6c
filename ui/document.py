"""One opened capture as the window sees it: what was decoded so far, announced by a timer, and answers to questions."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Container
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from analyzer.capture.frames import CaptureError
from analyzer.engine.pins import NO_PINS, Pins
from analyzer.engine.query import Query
from analyzer.engine.worker import Worker
from analyzer.protocols.base import Effect
from analyzer.stats.renewed import session_now, snapshot_now
from analyzer.store.tables import Tables
from ui.marks import Marks
from ui.selection import Selection
from ui.turn import MOST_PUT_OFF, TURN
from ui.undo import UndoStack

T = TypeVar("T")
POLL_MS = 50
MOST_WAITED = 20
"""Of a flow that is read otherwise there may be no session any more."""


class Document(QObject):
    """A capture that is being decoded, or was. Lives on the window's thread; close it before dropping it."""

    rows_added = Signal()
    """More rows of any table are published; models compare lengths with what they showed."""
    amended = Signal(object)
    """tuple[Amendment, ...]: published rows whose values changed."""
    paused_changed = Signal(bool)
    """Rows wait, or are announced as they come."""
    waiting = Signal()
    """More rows came while paused."""
    reworded = Signal()
    """What answers say reads differently now, though no row changed: ask again."""
    renamed = Signal()
    """The file was kept under another name."""
    progressed = Signal(float)
    """The share of the file that is decoded, 0 to 1; it never falls. Of a file that grows nothing is said."""
    decoded = Signal()
    """Decoding ended: at the end of the file, cancelled, or by `failure`."""
    pinned = Signal()
    """A person wants flows read otherwise."""
    rereading = Signal(float)
    """The share that has been read anew of what is, 0 to 1."""
    reread = Signal()
    """All that was to be read anew is; what is selected stands in the new readings."""
    question_failed = Signal(str)
    """An exception of ours while answering, as a report that a person can copy."""
    unreadable = Signal(str)
    """The file itself cannot be read any more, as a sentence for a person; what was decoded stays."""
    _answered = Signal(object)

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.worker = worker
        self.selection = Selection(self)
        self.undo = UndoStack()
        self.marks = Marks(self.undo)
        self._lengths: tuple[int, ...] = ()
        self._journal = worker.capture.tables.journal.reader()
        self._counted = 0
        self._kept_as: Path | None = None
        self.temporary = False
        """The file goes when it is closed: nobody has given it a name yet."""
        self._open = True
        self._put_off = False
        """The look at what there is waits for the next turn."""
        self._paused = False
        self._done = False
        self._rereading = False
        self._waited = 0
        """How often what is selected was waited for."""
        self._topics: dict[str, int] = {}
        self._answered.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self._poll)

    @classmethod
    def open(
        cls,
        path: str | Path,
        parent: QObject | None = None,
        *,
        growing: bool = False,
        memory_limit: int | None = None,
        pins: Pins = NO_PINS,
    ) -> Document:
        """Open a capture as `Worker.open` does; `start` begins to decode it. Raises `CaptureError`."""
        return cls(Worker.open(path, growing=growing, memory_limit=memory_limit, pins=pins), parent)

    def succeed(self, other: Document) -> None:
        """Take over what a person did with the packets of another document of the same file."""
        self.undo, self.marks = other.undo, other.marks

    @property
    def path(self) -> Path:
        """The capture file, or the one it was kept as."""
        return self._kept_as or self.worker.capture.path

    def keep_as(self, path: Path) -> None:
        """There is a copy of the file with a name that a person gave: from now on it is the capture."""
        self._kept_as = path
        self.temporary = False
        self.renamed.emit()

    @property
    def is_live(self) -> bool:
        """The file is still being written, and followed."""
        return self.worker.growing and not self._done

    @property
    def is_paused(self) -> bool:
        """Nothing is announced, though decoding goes on."""
        return self._paused

    def pause(self, on: bool) -> None:
        """Announce no rows from now on, or all that came meanwhile. The end of decoding ends a pause."""
        if on != self._paused and not (on and self._done):
            self._paused = on
            self.paused_changed.emit(on)
            if not on:
                self._announce()

    @property
    def pins(self) -> Pins:
        """How a person wants flows read."""
        return self.worker.capture.pins

    def pin(self, pins: Pins) -> None:
        """Read flows otherwise from now on, and anew: `rereading` says how it goes, `reread` that it is done."""
        self.worker.pin(pins)
        self._expect_rereading()
        self.pinned.emit()

    def reinterpret(self, dialects: Container[str] | None = None) -> None:
        """What readings of some dialects, or of all, rest on has changed: read their flows anew."""
        self.worker.reinterpret(dialects=dialects)
        self._expect_rereading()

    def _expect_rereading(self) -> None:
        self._rereading = True
        if self._open:
            self._timer.start()

    @property
    def tables(self) -> Tables:
        """The tables; read published rows only."""
        return self.worker.capture.tables

    @property
    def is_decoded(self) -> bool:
        """`decoded` was emitted."""
        return self._done

    @property
    def failure_report(self) -> str:
        """What mistake of ours ended decoding early, as text to copy; empty if none did."""
        failure = self.worker.failure
        return "" if failure is None or isinstance(failure, CaptureError) else report(failure)

    def take_schemas(self, effect: Effect) -> None:
        """Other schema files count from now on: flows are read anew where rows rest on them."""
        if effect is Effect.ROWS:
            self.reinterpret()
        if effect is not Effect.NONE:
            self.ask("guesses", lambda query: query.forget_guesses(), lambda _: self.reworded.emit())

    def start(self) -> None:
        """Begin to decode, and to announce what was decoded."""
        self.worker.start()
        self._timer.start()

    def cancel(self) -> None:
        """Stop decoding; what is there stays."""
        self.worker.cancel()

    def finish(self) -> None:
        """The file has stopped growing: `decoded` follows when what is left is decoded."""
        self.worker.finish()

    def close(self) -> None:
        """Stop the timer and tell the threads to end, which they do on their own. No signal comes afterwards."""
        self._open = False
        self._timer.stop()
        self.worker.close()

    def ask(
        self, topic: str, question: Callable[[Query], T], answer: Callable[[T], None], *, gives_way: bool = False
    ) -> None:
        """Have a question answered on the query thread; `answer` is called here, on the window's thread.

        The newest question of a topic wins; an answer that was overtaken never comes. `gives_way`: nobody waits for it.
        """
        number = self._topics[topic] = self._topics.get(topic, 0) + 1

        def deliver(value: T) -> None:
            self._answered.emit((topic, number, lambda: answer(value)))

        def fail(error: Exception) -> None:
            self._answered.emit((topic, number, lambda: self._fail(error)))

        self.worker.ask(topic, question, deliver, fail, gives_way=gives_way)

    @Slot(object)
    def _deliver(self, answered: tuple[str, int, Callable[[], None]], put_off: int = 0) -> None:
        topic, number, call = answered
        if TURN.is_long and self._open and put_off < MOST_PUT_OFF:
            QTimer.singleShot(0, self, lambda: self._deliver(answered, put_off + 1))
            return
        TURN.begin()
        if self._open and self._topics.get(topic) == number:
            call()

    def _fail(self, error: Exception) -> None:
        if isinstance(error, CaptureError):
            self.unreadable.emit(str(error))
        else:
            self.question_failed.emit(report(error))

    @Slot()
    def _poll(self) -> None:
        if TURN.is_long and not self._put_off:
            self._put_off = True
            QTimer.singleShot(0, self, self._poll)
            return
        self._put_off = False
        if not self._open:
            return
        TURN.begin()
        ended, rereading = self.worker.decoded.is_set(), self.worker.is_rereading
        if ended:
            self.pause(False)
        if self._paused:
            self._count_waiting()
        else:
            self._announce()
        if not self._done and (ended or not self.worker.growing):
            with suppress(CaptureError):
                # Of a medium that is gone the decoder says so, once.
                self.progressed.emit(self.worker.progress)
        if ended and not rereading:
            self._timer.stop()
        if ended and not self._done:
            self._done = True
            if isinstance(self.worker.failure, CaptureError):
                self.unreadable.emit(str(self.worker.failure))
            self.decoded.emit()
        if self._rereading and not self._paused:
            self._tell_rereading(rereading)

    def _tell_rereading(self, goes_on: bool) -> None:
        if goes_on or (not self._done and self._waits_for_session()):
            self.rereading.emit(self.worker.reread)
            return
        self._rereading, self._waited = False, 0
        self._renew_selection()
        self.reread.emit()
        if self.worker.failure is not None:
            self._fail(self.worker.failure)

    def _waits_for_session(self) -> bool:
        """Nothing stands yet for the session that panes are limited to: its flow may not have got there."""
        session = self.selection.session
        self._waited += 1
        return session >= 0 and session_now(self.tables, session) < 0 and self._waited <= MOST_WAITED

    def _renew_selection(self) -> None:
        """Packets stay selected, of snapshots and sessions what stands for them now.

        Where no snapshot was selected, that which the packet completes now is.
        """
        tables = self.tables

        @cache
        def snapshot(packet: int, row: int) -> int:
            found = snapshot_now(tables, row)
            return found if found >= 0 or packet < 0 else tables.packets.integer("snapshot", packet)

        self.selection.renew(snapshot, session_now(tables, self.selection.session))

    def _announce(self) -> None:
        tables = self.tables
        lengths = tuple(len(table) for table in tables)
        self._counted = len(tables.packets)
        if lengths != self._lengths:
            self._lengths = lengths
            self.rows_added.emit()
        amendments = self._journal.take()
        if amendments:
            self.amended.emit(amendments)

    def _count_waiting(self) -> None:
        count = len(self.tables.packets)
        if count != self._counted:
            self._counted = count
            self.waiting.emit()


def report(error: BaseException) -> str:
    """An exception of ours as text that a person can send."""
    return "".join(traceback.format_exception(error))
