"""Live charts: when they are drawn, and where their time axis ends while what is captured is followed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Slot

FRAME_MS = 50
REST = 2
"""After a frame that took longer than its time there is a rest of so many of it: the decoder needs the processor."""
MARGIN_S = 0.1
"""The axis ends so far behind the moment from which packets come: those of this moment are still on their way."""
MOST_BEHIND_S = 0.5
"""The axis ends no farther before the newest packet."""
SETTLES = 0.05
"""Share of a change in how late packets come that is taken over each time: batches do not shake the axis."""


class LiveEnd:
    """Where the axis ends: it moves as evenly as the clock, whatever clock the packets' times are of.

    How late packets come is learnt from those that come: about always the same, but for a decoder that falls behind.
    While none come the axis moves on.
    """

    def __init__(self) -> None:
        self._lag: float | None = None
        self._newest = -math.inf
        self._end = -math.inf

    def at(self, newest_s: float, now: float) -> float:
        """The end of the axis. It never moves back.

        `newest_s`: time of the newest packet, in seconds from the first; `now`: seconds of a clock that runs evenly.
        """
        lag = now - newest_s
        if self._lag is None:
            self._lag = lag
        elif newest_s > self._newest:
            self._lag += (lag - self._lag) * SETTLES
        self._newest = max(self._newest, newest_s)
        self._end = max(self._end, now - self._lag - MARGIN_S, newest_s - MOST_BEHIND_S)
        return self._end


class LiveFrames(QObject):
    """Draws 20 times a second while that is wanted."""

    def __init__(self, draw: Callable[[], None], wanted: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._draw = draw
        self._wanted = wanted
        self._axis = LiveEnd()
        self._resting = 0
        self.count = 0
        """Frames drawn."""
        self.took_ms = 0.0
        """What the last one took of the window's thread, its painting not counted."""
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._tick)

    @property
    def running(self) -> bool:
        """Frames are drawn as they are due: nobody else has to."""
        return self._timer.isActive() and self._wanted()

    def start(self) -> None:
        """Another live capture is shown."""
        self._axis = LiveEnd()
        self._resting = 0
        self._timer.start()

    def stop(self) -> None:
        """None is, or it has ended."""
        self._timer.stop()

    def end(self, newest_s: float, pixel_s: float) -> float:
        """Where the axis ends now, on a whole pixel: bars and columns move, and do not flicker."""
        return math.floor(self._axis.at(newest_s, time.monotonic()) / pixel_s) * pixel_s

    @Slot()
    def _tick(self) -> None:
        if self._resting > 0:
            self._resting -= 1
            return
        if not self._wanted():
            return
        clock = QElapsedTimer()
        clock.start()
        self._draw()
        self.count += 1
        self.took_ms = clock.nsecsElapsed() / 1e6
        self._resting = int(REST * self.took_ms / FRAME_MS)
