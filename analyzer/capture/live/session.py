"""One capture from opening the interface to the last count: the sniffer's threads, signals and messages."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue

from scapy.error import Scapy_Exception
from scapy.sendrecv import AsyncSniffer

import analyzer
from analyzer.capture.live.caller import become_caller
from analyzer.capture.live.faults import CaptureFault
from analyzer.capture.live.messages import Counts, Failed, Fault, Message, Reason, Running, Started, Stopped, say
from analyzer.capture.live.recorder import Limits, Recorder
from analyzer.capture.live.sockets import CaptureSocket, Wanted
from analyzer.capture.spool import FLUSH_MS, Spool, SpoolError, SpoolInterface

TELL_S = 0.25
"""Between two messages about the counts."""
DRAIN_S = 0.5
"""What is left in the system's buffers when a capture stops is waited for no longer than this."""
_STARTING_S = 0.5

# What goes wrong is said in messages.
logging.getLogger("scapy").setLevel(logging.CRITICAL)


def run(open_socket: Callable[[], CaptureSocket], wanted: Wanted, file: str, limits: Limits) -> bool:
    """Capture into a new file until told or limited. False: it failed meanwhile, which has been said.

    Raises CaptureFault where it cannot begin.
    """
    stop: SimpleQueue[Reason] = SimpleQueue()
    _listen(stop)
    source = open_socket()
    try:
        # The right is given back before anything that the caller chose is opened.
        become_caller(os.environ)
        described = SpoolInterface(wanted.interface, source.link_type, wanted.snap_length, wanted.filter)
        try:
            spool = Spool.create(file, [described], f"Snapscope {analyzer.__version__}")
        except SpoolError as error:
            raise CaptureFault(Fault.FULL if error.full else Fault.FILE, str(error)) from error
        try:
            recorder = Recorder(spool, limits, stop, source.drops_known)
            return _Session(source, recorder, stop, limits.seconds).run(wanted, file)
        finally:
            spool.close()
    finally:
        source.close()


class _Session:
    def __init__(
        self, source: CaptureSocket, recorder: Recorder, stop: SimpleQueue[Reason], seconds: float | None
    ) -> None:
        self._source = source
        self._recorder = recorder
        self._stop = stop
        self._seconds = seconds
        self._begin = time.monotonic()
        self._failure: CaptureFault | None = None
        self._counted = (0, 0, 0)

    def run(self, wanted: Wanted, file: str) -> bool:
        running = threading.Event()
        sniffer = AsyncSniffer(
            opened_socket=self._source, prn=self._recorder.record, store=False, started_callback=running.set
        )
        sniffer.start()
        while not running.wait(_STARTING_S) and sniffer.exception is None:
            # A busy machine; what comes meanwhile waits in the system's buffers.
            continue
        self._begin = time.monotonic()
        source = self._source
        self._say(
            Started(
                wanted.interface,
                source.method,
                source.link_type,
                wanted.snap_length,
                str(Path(file).absolute()),
                os.getpid(),
            )
        )
        reason = self._watch(sniffer)
        # It may have ended by itself a moment ago, which it calls a mistake.
        with contextlib.suppress(Scapy_Exception):
            if sniffer.running and sniffer.exception is None:
                sniffer.stop()
        return self._finish(reason)

    def _watch(self, sniffer: AsyncSniffer) -> Reason:
        """Tell the counts until there is a reason to stop."""
        told = self._begin
        while True:
            now = time.monotonic()
            until = told + TELL_S
            if self._seconds is not None:
                until = min(until, self._begin + self._seconds)
            try:
                return self._stop.get(timeout=max(until - now, 0.0))
            except Empty:
                now = time.monotonic()
            if self._seconds is not None and now - self._begin >= self._seconds:
                return Reason.SECONDS
            told = now
            if not self._healthy(sniffer):
                return Reason.FAILED

    def _healthy(self, sniffer: AsyncSniffer) -> bool:
        """Tell how it goes. False: nothing will come any more."""
        try:
            up = self._source.up()
            self._counted = self._source.counts()
        except (CaptureFault, OSError) as error:
            self._failure = _fault(self._source.failure or error)
            return False
        if not sniffer.running or sniffer.exception is not None:
            self._failure = _fault(self._source.failure or sniffer.exception)
            return False
        counts = self._recorder.count(*self._counted)
        self._say(Running(self._elapsed(), up, self._recorder.set_back_ns / 1e9, counts))
        return True

    def _finish(self, reason: Reason) -> bool:
        """Write what has come by now, then the last counts."""
        counts = self._drain()
        error = self._recorder.failure
        if error is not None:
            self._failure = CaptureFault(Fault.FULL if error.full else Fault.FILE, str(error))
        if self._failure is not None:
            reason = Reason.FAILED
            self._say(Failed(self._failure.fault, str(self._failure)))
        self._say(Stopped(reason, self._elapsed(), counts))
        return self._failure is None

    def _drain(self) -> Counts:
        source, recorder = self._source, self._recorder
        end = time.monotonic() + DRAIN_S
        try:
            source.refuse()
            while True:
                while batch := source.read():
                    recorder.record(batch)
                self._counted = received, dropped, _ = source.counts()
                if recorder.delivered + dropped >= received or time.monotonic() > end:
                    break
                # What is in the block that the kernel is filling becomes readable by its age.
                time.sleep(FLUSH_MS / 1000 / 4)
        except (CaptureFault, OSError) as error:
            # What it had given is written.
            self._failure = self._failure or _fault(error)
        return recorder.count(*self._counted, last=True)

    def _elapsed(self) -> float:
        return time.monotonic() - self._begin

    def _say(self, message: Message) -> None:
        if not say(message):
            # With who listened the reason to go on is gone.
            self._stop.put(Reason.ASKED)


def _fault(error: Exception | None) -> CaptureFault:
    if isinstance(error, CaptureFault):
        return error
    return CaptureFault(Fault.BUG, f"The interface cannot be read any more: {error or 'it ended by itself'}.")


def _listen(stop: SimpleQueue[Reason]) -> None:
    """Let signals and the standard input stop the capture."""

    def on_signal(number: int, frame: object) -> None:
        stop.put(Reason.ASKED)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)

    def wait_for_line() -> None:
        with contextlib.suppress(OSError):
            # Unbuffered: at the end of the process nobody may hold the lock of a buffer.
            os.read(0, 1)
        stop.put(Reason.ASKED)

    threading.Thread(target=wait_for_line, name="stdin", daemon=True).start()
