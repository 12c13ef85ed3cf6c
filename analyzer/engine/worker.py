"""The threads of one opened capture: one decodes and is the one writer, one answers what a click asks for.

A thread of its own is how the window stays free; nothing here knows a window. Answers are given on the query thread.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from analyzer.capture.frames import CaptureError
from analyzer.engine.capture import Capture
from analyzer.engine.query import Query
from analyzer.protocols import PROTOCOLS
from analyzer.protocols.base import Protocol

T = TypeVar("T")

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Request:
    topic: str
    number: int
    question: Callable[[Query], Any]
    answer: Callable[[Any], None]
    failed: Callable[[Exception], None]


class Worker:
    """Decodes a capture and answers questions about it, each on a thread of its own."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self.failure: Exception | None = None
        """What ended the decoding early: our own mistake, or a file that cannot be read any more."""
        self.decoded = threading.Event()
        """Set when decoding ended: at the end of the file, by `cancel`, or by a failure."""
        self._cancelled = threading.Event()
        self._wake = threading.Condition()
        self._requests: OrderedDict[str, _Request] = OrderedDict()
        self._numbers: dict[str, int] = {}
        self._closing = False
        self._threads = [
            threading.Thread(target=self._decode, name="decode", daemon=True),
            threading.Thread(target=self._answer_all, name="query", daemon=True),
        ]

    @classmethod
    def open(cls, path: str | Path, *, protocols: Sequence[Protocol] = PROTOCOLS) -> Worker:
        """Open a capture; nothing is decoded before `start`. Raises `CaptureError`."""
        return cls(Capture.open(path, protocols=protocols))

    def start(self) -> None:
        """Begin to decode and to answer."""
        for thread in self._threads:
            thread.start()

    def cancel(self) -> None:
        """Stop decoding; what was decoded stays and can be asked about."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """Decoding was stopped by `cancel`."""
        return self._cancelled.is_set()

    def close(self) -> None:
        """Stop both threads, wait for them, and let go of the file."""
        self.cancel()
        # A question that runs long is waited for: it reads the file that is closed here.
        with self._wake:
            self._closing = True
            self._requests.clear()
            self._wake.notify()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()
        self.capture.close()

    def ask(
        self,
        topic: str,
        question: Callable[[Query], T],
        answer: Callable[[T], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Have `question` answered on the query thread, which then calls `answer`, or `failed` with what it raised.

        The newest request of a topic wins: an older one that waits is dropped, and of one that runs the answer is.
        Asked before `start` it waits; asked after `close` it is never answered.
        """
        with self._wake:
            if self._closing:
                return
            number = self._numbers[topic] = self._numbers.get(topic, 0) + 1
            self._requests[topic] = _Request(topic, number, question, answer, failed)
            self._requests.move_to_end(topic)
            self._wake.notify()

    def _decode(self) -> None:
        try:
            while not self._cancelled.is_set() and self.capture.step():
                pass
        except CaptureError as error:
            _LOG.warning("decoding stopped: %s", error)
            self.failure = error
        except Exception as error:
            _LOG.exception("decoding stopped")
            self.failure = error
        finally:
            self.decoded.set()

    def _answer_all(self) -> None:
        query: Query | None = None
        try:
            while (request := self._next()) is not None:
                try:
                    if query is None:
                        query = self.capture.query()
                    answer = request.question(query)
                except Exception as error:
                    if isinstance(error, CaptureError):
                        _LOG.warning("a question about the capture failed: %s", error)
                    else:
                        _LOG.exception("a question about the capture failed")
                    if self._is_newest(request):
                        request.failed(error)
                else:
                    if self._is_newest(request):
                        request.answer(answer)
                # What was asked for last must not stay alive until the next question.
                del request
                answer = None
        finally:
            if query is not None:
                query.close()

    def _next(self) -> _Request | None:
        with self._wake:
            while not self._requests and not self._closing:
                self._wake.wait()
            return None if self._closing else self._requests.popitem(last=False)[1]

    def _is_newest(self, request: _Request) -> bool:
        with self._wake:
            return not self._closing and self._numbers[request.topic] == request.number
