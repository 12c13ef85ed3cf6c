"""Questions to a child process, off the window's thread: what takes long to answer must not stop the window."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

T = TypeVar("T")


class Inquiry(QObject):
    """Answers come on the window's thread. The newest question of a topic wins."""

    _answered = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers: dict[str, int] = {}
        self._threads: list[threading.Thread] = []
        self._answered.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def ask(
        self,
        topic: str,
        question: Callable[[], T],
        answer: Callable[[T], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Have `question` answered on a thread; then `answer` is called here, or `failed` with what it raised."""
        number = self._numbers[topic] = self._numbers.get(topic, 0) + 1

        def run() -> None:
            try:
                value = question()
            except Exception as error:
                told: Callable[[], None] = _bind(failed, error)
            else:
                told = _bind(answer, value)
            with suppress(RuntimeError):
                # Whoever asked may be gone.
                self._answered.emit((topic, number, told))

        thread = threading.Thread(target=run, name=topic, daemon=True)
        self._threads = [*(one for one in self._threads if one.is_alive()), thread]
        thread.start()

    def forget(self, topic: str) -> None:
        """Nobody waits for an answer any more."""
        self._numbers[topic] = self._numbers.get(topic, 0) + 1

    def wait(self, seconds: float) -> bool:
        """Wait until every question was answered. False: one was not."""
        for thread in self._threads:
            thread.join(seconds)
        return not any(thread.is_alive() for thread in self._threads)

    @Slot(object)
    def _deliver(self, answered: tuple[str, int, Callable[[], None]]) -> None:
        topic, number, tell = answered
        if self._numbers.get(topic) == number:
            tell()


def _bind(call: Callable[[T], None], value: T) -> Callable[[], None]:
    return lambda: call(value)
