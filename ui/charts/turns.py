"""Work in pieces, one a turn of the event loop, so that the window answers in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Slot

from ui.turn import MOST_PUT_OFF, TURN

WAIT_MS = 40
"""What is asked for within this time is done at once."""
REST = 8
"""Afterwards it rests this many times as long as it took: while rows arrive, the decoder needs the processor."""


class Turns(QObject):
    """Does `work` when it is asked to; each `yield` of it is a place where others may come between.

    It yields True where a person who watches has what matters, and the rest may come a little later.
    """

    def __init__(self, work: Callable[[], Iterator[bool]], parent: QObject) -> None:
        super().__init__(parent)
        self._work = work
        self._left: Iterator[bool] | None = None
        self._again = False
        self._took_ms = 0.0
        self._put_off = 0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._go_on)

    @property
    def busy(self) -> bool:
        """Work is under way, or waits for its turn."""
        return self._left is not None or self._timer.isActive()

    def ask(self) -> None:
        """Work soon, once for all who ask until then."""
        if self._left is not None:
            self._again = True
        elif not self._timer.isActive():
            self._timer.start(max(WAIT_MS, round(REST * self._took_ms)))

    def ask_next(self) -> None:
        """Begin anew when those that also follow the selection have had their turn, whatever rest is due."""
        self.stop()
        self._timer.start(0)

    def begin_now(self) -> None:
        """At once, and on to where the rest may come later: a person zooms, and watches."""
        self.stop()
        left = self._work()
        if any(left):
            self._left, self._took_ms = left, 0.0
            self._timer.start(0)

    def stop(self) -> None:
        """Let go of what is under way."""
        self._timer.stop()
        self._left, self._again = None, False

    @Slot()
    def _go_on(self) -> None:
        if TURN.is_long and self._put_off < MOST_PUT_OFF:
            self._put_off += 1
            self._timer.start(0)
            return
        self._put_off = 0
        TURN.begin()
        clock = QElapsedTimer()
        clock.start()
        if self._left is None:
            self._left, self._took_ms = self._work(), 0.0
        try:
            next(self._left)
            self._timer.start(0)
        except StopIteration:
            self._left = None
        self._took_ms += clock.nsecsElapsed() / 1e6
        if self._left is None and self._again:
            self._again = False
            self.ask()
