"""One live capture as the window sees it: a sniffer that runs in a process of its own, followed by a timer."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from analyzer.capture.live.control import Settings, Sniffer
from analyzer.capture.live.messages import Counts, Failed, Fault, Running, Started
from analyzer.capture.live.rights import Through

POLL_MS = 50
FORCE_MS = 5_000
RATE_S = 1.0
"""Over how long a rate is counted."""


@dataclass(frozen=True, slots=True)
class LiveStanding:
    """How a live capture goes."""

    seconds: float
    """Since it began."""
    packets_s: float
    """Packets per second, lately."""
    counts: Counts
    up: bool
    """The interface is up."""
    set_back_s: float
    """How far the system's clock was set back meanwhile."""


class LiveCapture(QObject):
    """A sniffer from its start to its end. Lives on the window's thread; `close` it before dropping it."""

    began = Signal()
    """It captures: the file is there."""
    told = Signal(object)
    """A `LiveStanding`, several times a second."""
    set_back = Signal(float)
    """The system's clock was set back by so many seconds in all, more than when it was said last."""
    ended = Signal()
    """The file will not grow any more; `failed` says whether that was wanted."""

    def __init__(self, settings: Settings, through: Through | None, parent: QObject) -> None:
        """Start the sniffer. Raises SnifferError where there is none."""
        super().__init__(parent)
        self.settings = settings
        self.standing = LiveStanding(0.0, 0.0, Counts(), True, 0.0)
        self._sniffer = Sniffer.start(settings, through)
        self._told: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])
        self._closing: threading.Thread | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self._poll)
        self._timer.start()
        self._force = QTimer(self)
        """A sniffer that does not stop is ended by force."""
        self._force.setSingleShot(True)
        self._force.setInterval(FORCE_MS)
        self._force.timeout.connect(self._end)

    @property
    def running(self) -> bool:
        """It has begun and not ended."""
        return self._sniffer.started is not None and not self._sniffer.ended

    @property
    def begun(self) -> bool:
        """`began` was emitted: there is a file."""
        return self._sniffer.started is not None

    @property
    def failed(self) -> Failed | None:
        """Why it could not begin or go on, as a sentence for a person."""
        sniffer = self._sniffer
        if sniffer.ended and sniffer.failed is None and sniffer.started is None:
            return Failed(Fault.ENDED, self.tr("The sniffer ended before it began."))
        return sniffer.failed

    @property
    def way_on(self) -> str:
        """What follows on a failure after it had begun."""
        return self.tr("All that was captured until then is shown; Ctrl+E starts again.")

    @property
    def process_id(self) -> int:
        """Of the child."""
        return self._sniffer.process_id

    def stop(self) -> None:
        """Ask it to stop; `ended` follows when everything is written."""
        self._sniffer.stop()
        self._force.start()

    def close(self) -> None:
        """Stop it, if need be by force, without waiting. No signal comes afterwards."""
        self._timer.stop()
        self._force.stop()
        self._end()

    @Slot()
    def _end(self) -> None:
        if self._closing is None:
            self._closing = threading.Thread(target=self._sniffer.close, name="end of sniffer", daemon=True)
            self._closing.start()

    def wait(self, seconds: float) -> bool:
        """After `close`: wait until the process has ended. False: it still runs."""
        if self._closing is not None:
            self._closing.join(seconds)
        return self._closing is not None and not self._closing.is_alive()

    @Slot()
    def _poll(self) -> None:
        sniffer = self._sniffer
        # What its attributes follow is emitted once all that it said has been taken.
        began, ran = False, None
        while (message := sniffer.next(0.0)) is not None:
            began = began or isinstance(message, Started)
            ran = message if isinstance(message, Running) else ran
        if began:
            self.began.emit()
        if ran is not None:
            self._tell(ran.seconds)
        if sniffer.ended:
            self._timer.stop()
            self._tell(sniffer.stopped.seconds if sniffer.stopped else self.standing.seconds)
            self.ended.emit()

    def _tell(self, seconds: float) -> None:
        sniffer, now = self._sniffer, time.monotonic()
        self._told.append((now, sniffer.counts.frames))
        while len(self._told) > 2 and now - self._told[1][0] >= RATE_S:
            self._told.popleft()
        since, frames = self._told[0]
        rate = (sniffer.counts.frames - frames) / (now - since) if now > since else 0.0
        further_back = sniffer.set_back_s >= self.standing.set_back_s + 1
        self.standing = LiveStanding(seconds, rate, sniffer.counts, sniffer.up, sniffer.set_back_s)
        self.told.emit(self.standing)
        if further_back:
            self.set_back.emit(sniffer.set_back_s)
