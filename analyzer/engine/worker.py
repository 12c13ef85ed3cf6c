"""The threads of one opened capture: one decodes and is the one writer, one answers what a click asks for.

What nobody waits for is answered by a third one, which stands back for the window as the decoding does.

A thread of its own is how the window stays free; nothing here knows a window. Answers are given on the query thread.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from analyzer.capture.frames import CaptureError
from analyzer.engine.capture import Capture
from analyzer.engine.garbage import set_aside, take_back
from analyzer.engine.pins import NO_PINS, Pins
from analyzer.engine.query import Query
from analyzer.engine.right_of_way import RIGHT_OF_WAY
from analyzer.engine.warm_up import load_kernels
from analyzer.protocols import PROTOCOLS
from analyzer.protocols.base import Protocol

if TYPE_CHECKING:
    from analyzer.expert.findings import Findings

T = TypeVar("T")

BRIEF_S = 0.02
"""What a step of the decoding takes while somebody asks: an answer that comes meanwhile waits no longer."""
ASKING_S = 1.0
"""So long after a question the next one is expected."""
GIVE_WAY_S = 0.1
"""The decoding stands still for a question, but for one step in this time: questions may go on for ever."""
GROWN_S = 0.05
"""So often a file that is still being written is looked at for more; whoever writes it does so about as often."""
NICENESS = 5
"""Of the threads that decode: whoever shows what they decode has the processor first.

More would keep the interpreter from the others where another program wants the processor too.
"""

PATIENCE_S = 0.15
"""So long at most the decoding waits before it begins, until a window has shown what it begins with."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Request:
    topic: str
    number: int
    question: Callable[[Query], Any]
    answer: Callable[[Any], None]
    failed: Callable[[Exception], None]


class Worker:
    """Decodes a capture and answers questions about it, on threads of its own."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self.failure: Exception | None = None
        """What ended the decoding early: our own mistake, or a file that cannot be read any more."""
        self.decoded = threading.Event()
        """Set when decoding ended: at the end of the file, by `cancel`, or by a failure."""
        self._cancelled = threading.Event()
        self._wake = threading.Condition()
        self._requests: OrderedDict[str, _Request] = OrderedDict()
        self._aside: OrderedDict[str, _Request] = OrderedDict()
        """Those that give way."""
        self._findings: Findings | None = None
        """Of both that answer: one applies rules, the other says in words what was found."""
        self._numbers: dict[str, int] = {}
        self._answering = False
        self._asked_at = -ASKING_S
        self._closing = False
        self._share = 0.0
        self._frames = 0
        """Read when the file was looked at last, while it grows."""
        self.threads = (
            threading.Thread(target=self._run, args=(self._decode,), name="decode", daemon=True),
            threading.Thread(target=self._run, args=(self._answer_all,), name="query", daemon=True),
            threading.Thread(target=self._run, args=(self._answer_aside,), name="aside", daemon=True),
        )
        """They end on their own after `close`; one that ended holds nothing of the capture."""
        self._running = 0
        """Threads that have not ended; the last one that ends lets go of the file, once `close` was called."""

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        protocols: Sequence[Protocol] = PROTOCOLS,
        growing: bool = False,
        memory_limit: int | None = None,
        pins: Pins = NO_PINS,
    ) -> Worker:
        """Open a capture as `Capture.open` does; nothing is decoded before `start`. Raises `CaptureError`.

        `growing`: the file is still being written, and followed until `finish`.
        """
        return cls(Capture.open(path, protocols=protocols, growing=growing, memory_limit=memory_limit, pins=pins))

    def start(self) -> None:
        """Begin to decode and to answer."""
        self._running = len(self.threads)
        for thread in self.threads:
            thread.start()

    def cancel(self) -> None:
        """Stop decoding; what was decoded stays and can be asked about, and read anew."""
        self._cancelled.set()
        with self._wake:
            self._wake.notify_all()

    def finish(self) -> None:
        """The file has stopped growing: decode what is left of it and settle what is open."""
        self.capture.source.finish()
        with self._wake:
            self._wake.notify_all()

    def pin(self, pins: Pins) -> None:
        """A person wants flows read so (`Capture.pin`); also after decoding ended."""
        self.capture.pin(pins)
        with self._wake:
            self._wake.notify_all()

    def reinterpret(self, flows: Collection[int] | None = None, dialects: Container[str] | None = None) -> None:
        """What readings rest on has changed (`Capture.reinterpret`); also after decoding ended."""
        self.capture.reinterpret(flows, dialects)
        with self._wake:
            self._wake.notify_all()

    @property
    def growing(self) -> bool:
        """The file is still being written, as far as anybody said."""
        return not self.capture.source.closed

    @property
    def cancelled(self) -> bool:
        """Decoding was stopped by `cancel`."""
        return self._cancelled.is_set()

    @property
    def progress(self) -> float:
        """The share of the file that is decoded, 0 to 1: it never falls, and is 1 only when decoding ended.

        What a gzip file unpacks to is not known before its end; until then it is taken to be packed alike throughout.
        Raises `CaptureError` when the file cannot be looked at any more.
        """
        if self.decoded.is_set():
            return 1.0
        frames = self.capture.tables.frames
        count = len(frames)
        done = frames.integer("offset", count - 1) + frames.integer("captured", count - 1) if count else 0
        source = self.capture.source
        consumed, whole = source.progress()
        if source.compressed:
            whole = source.file.size() * whole // max(1, consumed)
        self._share = max(self._share, min(0.999, done / whole) if whole else 0.0)
        return self._share

    @property
    def is_rereading(self) -> bool:
        """Something is read anew, or waits for it."""
        return self.capture.is_rereading and self.failure is None and not self._closing

    @property
    def reread(self) -> float:
        """The share that has been read anew of what is, 0 to 1; 1 where nothing is."""
        return self.capture.reread_share

    def close(self) -> None:
        """Tell the threads to end, without waiting; no answer comes afterwards. The last that ends closes the file."""
        self.cancel()
        with self._wake:
            if self._closing:
                return
            self._closing = True
            self._requests.clear()
            self._aside.clear()
            self._wake.notify_all()
            unused = not self._running
        take_back(self.capture)
        if unused:
            self.capture.close()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the threads have ended, each for at most `seconds`. False: one still runs."""
        for thread in self.threads:
            if thread.ident is not None:
                thread.join(seconds)
        return not any(thread.is_alive() for thread in self.threads)

    def ask(
        self,
        topic: str,
        question: Callable[[Query], T],
        answer: Callable[[T], None],
        failed: Callable[[Exception], None],
        *,
        gives_way: bool = False,
    ) -> None:
        """Have `question` answered on the query thread, which then calls `answer`, or `failed` with what it raised.

        `gives_way`: nobody waits for it, so another thread answers it, when a window lets it. It should be short.

        The newest request of a topic wins: an older one that waits is dropped, and of one that runs the answer is.
        Asked before `start` it waits; asked after `close` it is never answered.
        """
        with self._wake:
            if self._closing:
                return
            number = self._numbers[topic] = self._numbers.get(topic, 0) + 1
            requests = self._aside if gives_way else self._requests
            requests[topic] = _Request(topic, number, question, answer, failed)
            requests.move_to_end(topic)
            if not gives_way:
                self._asked_at = time.monotonic()
            self._wake.notify_all()

    def _run(self, work: Callable[[], None]) -> None:
        try:
            work()
        finally:
            with self._wake:
                self._running -= 1
                unused = self._closing and not self._running
            if unused:
                # A step or a question reads the file to its end, so that only the last one may close it.
                self.capture.close()

    def _decode(self) -> None:
        """To the end of the file; then what is read anew, until the capture is closed."""
        try:
            self._attempt(self._decode_all)
        finally:
            self.decoded.set()
        while self._waits_for_rereading():
            self._attempt(self._read_anew)

    def _attempt(self, work: Callable[[], None]) -> None:
        try:
            try:
                work()
            finally:
                self.capture.settle()
        except CaptureError as error:
            _LOG.warning("decoding stopped: %s", error)
            self.failure = error
        except Exception as error:
            _LOG.exception("decoding stopped")
            self.failure = error

    def _decode_all(self) -> None:
        if self.capture.compiled:
            # Loading them holds the interpreter, which a window that opens a capture needs.
            RIGHT_OF_WAY.wait(PATIENCE_S)
            load_kernels()
            # Plain Python gives way by its steps.
            _step_back()
        steps = 1
        while not self._cancelled.is_set() and self.capture.step(self._give_way()):
            if self._waits_for_more():
                continue
            steps += 1
            if steps.bit_count() == 1:
                # What was closed for this capture may be in use a little longer.
                set_aside(patiently=True)
        self.capture.settle()
        set_aside()

    def _waits_for_rereading(self) -> bool:
        """False: there will be nothing, because the capture is closed or decoding failed."""
        with self._wake:
            self._wake.wait_for(lambda: self._closing or self.capture.is_rereading)
            return not self._closing and self.failure is None

    def _read_anew(self) -> None:
        while not self._closing and self.capture.is_rereading:
            self.capture.reread(self._give_way())

    def _waits_for_more(self) -> bool:
        """Everything there is was read: wait until there may be more. False: it was not."""
        source = self.capture.source
        if source.closed:
            return False
        frames = self.capture.tables.frames.appended
        if frames != self._frames or self.capture.is_rereading:
            self._frames = frames
            return False
        with self._wake:
            self._wake.wait_for(lambda: source.closed or self._cancelled.is_set() or self.capture.is_rereading, GROWN_S)
        return True

    def _give_way(self) -> float | None:
        """Let a question have the interpreter; what the next step may take, None where nobody asks.

        Compiled kernels leave it free most of the time.
        """
        if self.capture.compiled:
            return None
        with self._wake:
            self._wake.wait_for(lambda: self._closing or not (self._requests or self._answering), GIVE_WAY_S)
            return BRIEF_S if time.monotonic() - self._asked_at < ASKING_S else None

    def _answer_all(self) -> None:
        self._answer_each(self._next, self._answer_first)

    def _answer_aside(self) -> None:
        _step_back()
        self._answer_each(self._next_aside, self._answer_giving_way)

    def _answer_each(
        self, following: Callable[[], _Request | None], answered: Callable[[_Request, Query], Any]
    ) -> None:
        query: Query | None = None
        try:
            while (request := following()) is not None:
                try:
                    if query is None:
                        query = self._open_query()
                    answer = answered(request, query)
                except Exception as error:
                    if isinstance(error, CaptureError):
                        _LOG.warning("a question about the capture failed: %s", error)
                    else:
                        _LOG.exception("a question about the capture failed")
                    self._tell(request, request.failed, error)
                else:
                    self._tell(request, request.answer, answer)
                # What was asked for last must not stay alive until the next question.
                del request
                answer = None
        finally:
            if query is not None:
                query.close()

    def _open_query(self) -> Query:
        query = self.capture.query()
        with self._wake:
            if self._findings is None:
                self._findings = query.findings
            query.share(self._findings)
        return query

    def _answer_first(self, request: _Request, query: Query) -> Any:
        RIGHT_OF_WAY.take(self)
        try:
            return request.question(query)
        finally:
            RIGHT_OF_WAY.give_back(self)

    def _answer_giving_way(self, request: _Request, query: Query) -> Any:
        with RIGHT_OF_WAY:
            return request.question(query)

    def _next(self) -> _Request | None:
        with self._wake:
            self._answering = False
            self._wake.notify_all()
            while not self._requests and not self._closing:
                self._wake.wait()
            self._answering = bool(self._requests)
            return None if self._closing else self._requests.popitem(last=False)[1]

    def _next_aside(self) -> _Request | None:
        with self._wake:
            while not self._aside and not self._closing:
                self._wake.wait()
            return None if self._closing else self._aside.popitem(last=False)[1]

    def _tell(self, request: _Request, way: Callable[[T], None], what: T) -> None:
        """Give the answer if it was not overtaken. Whoever closes meanwhile waits for the call, and then none comes."""
        with self._wake:
            if not self._closing and self._numbers[request.topic] == request.number:
                way(what)


def _step_back() -> None:
    """Let other threads have the processor first. Threads that this one begins do so too."""
    if sys.platform == "linux":
        # Elsewhere it is the process that is nice.
        with contextlib.suppress(OSError):
            own = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, own, max(NICENESS, os.getpriority(os.PRIO_PROCESS, own)))
            # Whenever such a thread wakes up, and it does so all the time, it does not take the processor from others.
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
