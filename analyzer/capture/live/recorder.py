"""Puts batches into the spool until a limit is reached, and counts; the reading thread and the main one share it."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from queue import SimpleQueue

from analyzer.capture.live.messages import Counts, Reason
from analyzer.capture.live.sockets import Batch, DropsKnown
from analyzer.capture.spool import InterfaceCounts, Spool, SpoolError


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop; None: never."""

    packets: int | None = None
    """Frames in the file."""
    bytes: int | None = None
    """Size of the file; the batch that reaches it is written whole."""
    seconds: float | None = None


SET_BACK_NS = 1_000_000_000
"""Times of frames that came on different processors may differ a little without any clock being set."""


class Recorder:
    """Writes what comes from one interface."""

    def __init__(
        self,
        spool: Spool,
        limits: Limits,
        stop: SimpleQueue[Reason],
        drops_known: DropsKnown = DropsKnown.MEANWHILE,
    ) -> None:
        """`stop` gets the reason where a limit is reached or the file cannot be written."""
        self.failure: SpoolError | None = None
        """Why nothing is written any more."""
        self.delivered = 0
        """Frames that came, also those past the limit."""
        self.set_back_ns = 0
        """How far the system's clock was set back, in all."""
        self._spool = spool
        self._limits = limits
        self._stop = stop
        self._drops_known = drops_known
        self._full = False
        self._lock = threading.Lock()
        self._start_ns = time.time_ns()
        self._told: tuple[int, int] | None = None
        """Drops, of the system and of the interface, that stand in the file."""
        self._told_at = 0
        """Frames in the file then."""
        self._last_ns = 0

    def record(self, batch: Batch) -> None:
        """Append a batch, as far as the limits let it."""
        with self._lock:
            self.delivered += len(batch)
            self._follow_clock(batch)
            if self._full or self.failure is not None:
                return
            if not self._tell_before(batch.dropped, self.delivered - len(batch)):
                return
            room = len(batch) if self._limits.packets is None else self._limits.packets - self._spool.frames
            try:
                self._spool.append(0, batch[:room])
            except SpoolError as error:
                self._fail(error)
                return
            if room <= len(batch) and self._limits.packets is not None:
                self._end(Reason.PACKETS)
            elif self._limits.bytes is not None and self._spool.size >= self._limits.bytes:
                self._end(Reason.BYTES)

    def count(self, received: int, dropped: int, interface_dropped: int, *, last: bool = False) -> Counts:
        """Note in the file what was counted, so often that it says between which frames some were dropped.

        Where batches say it themselves, drops that none has told of may be of frames yet to come.
        """
        with self._lock:
            before = self._told[0] if self._told is not None else 0
            exact = self._drops_known is DropsKnown.EXACTLY
            told = before if exact and not last else dropped, interface_dropped
            is_new = self._told != told or self._spool.frames > self._told_at
            is_new &= self._drops_known is not DropsKnown.AT_END
            if self.failure is None and (last or is_new):
                self._tell(received, *told, self.delivered)
            unwritten = self.delivered - self._spool.frames if self.failure is not None else 0
            return Counts(self._spool.frames, self._spool.size, received, dropped, interface_dropped, unwritten)

    def _tell_before(self, dropped: int, delivered: int) -> bool:
        """The system dropped frames just now: say until when none was, and then how many. False: not written."""
        before, interface_dropped = self._told or (0, 0)
        if dropped > before:
            if self._spool.frames > self._told_at:
                self._tell(delivered + before, before, interface_dropped, delivered)
            self._tell(delivered + dropped, dropped, interface_dropped, delivered)
        return self.failure is None

    def _tell(self, received: int, dropped: int, interface_dropped: int, delivered: int) -> None:
        counts = InterfaceCounts(self._start_ns, time.time_ns(), received, dropped, interface_dropped, delivered)
        try:
            self._spool.append_counts(0, counts)
        except SpoolError as error:
            self._fail(error)
            return
        self._told, self._told_at = (dropped, interface_dropped), self._spool.frames

    def _follow_clock(self, batch: Batch) -> None:
        for frame in (batch[0], batch[-1]) if batch else ():
            if frame.time_ns < self._last_ns - SET_BACK_NS:
                self.set_back_ns += self._last_ns - frame.time_ns
            self._last_ns = frame.time_ns

    def _end(self, reason: Reason) -> None:
        self._full = True
        self._stop.put(reason)

    def _fail(self, error: SpoolError) -> None:
        self.failure = error
        self._stop.put(Reason.FAILED)
