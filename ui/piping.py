"""A capture that comes through a pipe as the window sees it: a thread takes it into a spool, which is followed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, SignalInstance, Slot

from analyzer.capture.gz import GZIP_MAGIC
from analyzer.capture.live.control import Settings
from analyzer.capture.live.messages import Failed, Fault
from analyzer.capture.pcapng import SECTION_HEADER
from analyzer.capture.pipe import Pipe, write_all

MAGIC_BYTES = 4
"""Enough to see which format it is."""
MakeSpool = Callable[[str, datetime, str], Path]


class PipeCapture(QObject):
    """From the first byte to the last. Lives on the window's thread; `close` it before dropping it."""

    began = Signal()
    """The first bytes have come: there is a file."""
    ended = Signal()
    """The file will not grow any more; `failed` says whether that was its end."""
    refused = Signal(str)
    """Nothing came, or there is no room for it; as a sentence for a person."""
    _came = Signal(object)
    _through = Signal(str)
    """The thread has ended; why, if that was not the end of the pipe."""

    def __init__(self, pipe: Pipe, make_spool: MakeSpool, parent: QObject) -> None:
        super().__init__(parent)
        self.settings = Settings(pipe.name, Path())
        """Where it comes from; the file, once it has begun."""
        self.failed: Failed | None = None
        """Why it could not go on."""
        self.begun = False
        self._pipe = pipe
        self._make_spool = make_spool
        self._open = True
        self._file = -1
        self._made = threading.Event()
        """There is a file, or there will be none."""
        self._came.connect(self._on_first, Qt.ConnectionType.QueuedConnection)
        self._through.connect(self._on_through, Qt.ConnectionType.QueuedConnection)
        self._thread = threading.Thread(target=self._run, name="pipe", daemon=True)
        self._thread.start()

    @property
    def way_on(self) -> str:
        """What follows on a failure."""
        return self.tr("All that came until then is shown.")

    def stop(self) -> None:
        """Take nothing more; `ended` follows."""
        self._pipe.call_off()

    def close(self) -> None:
        """Stop without waiting. No signal comes afterwards."""
        self._open = False
        self._pipe.call_off()
        self._made.set()

    def wait(self, seconds: float) -> bool:
        """After `close`: wait until the thread has ended. False: it still reads."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        why = ""
        try:
            first = b""
            while len(first) < MAGIC_BYTES and (data := self._pipe.read()):
                first += data
            if first and self._tell(self._came, first):
                self._made.wait()
                why = self._take()
        except OSError as error:
            why = self.tr("The {0} cannot be read: {1}.").format(self._pipe.name, error.strerror or error)
        finally:
            self._pipe.close()
            if self._file >= 0:
                os.close(self._file)
        self._tell(self._through, why)

    @staticmethod
    def _tell(signal: SignalInstance, value: object) -> bool:
        """False: the window has gone meanwhile."""
        try:
            signal.emit(value)
        except RuntimeError:
            return False
        return True

    def _take(self) -> str:
        """Write what comes; why that ended, if not with the pipe. Raises OSError where the pipe cannot be read."""
        while self._file >= 0 and (data := self._pipe.read()):
            try:
                write_all(self._file, data)
            except OSError as error:
                why = error.strerror or str(error)
                return self.tr("What comes through the {0} cannot be kept: {1}.").format(self._pipe.name, why)
        return ""

    @Slot(object)
    def _on_first(self, data: bytes) -> None:
        """Spools are made on the window's thread."""
        if not self._open:
            return
        try:
            file = self._make_spool(self._pipe.name, datetime.now(), _suffix(data))
            self._file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
            write_all(self._file, data)
        except OSError as error:
            self._open = False
            self.refused.emit(self.tr("There is no room for the capture: {0}.").format(error.strerror or error))
        else:
            self.settings = Settings(self._pipe.name, file)
            self.begun = True
            self.began.emit()
        finally:
            self._made.set()

    @Slot(str)
    def _on_through(self, why: str) -> None:
        if not self._open:
            return
        self._open = False
        if self.begun:
            self.failed = Failed(Fault.FILE, why) if why else None
            self.ended.emit()
        else:
            nothing = self.tr("Nothing came through the {0}.").format(self._pipe.name)
            self.refused.emit(why or nothing)


def _suffix(data: bytes) -> str:
    """By the first bytes; what is no capture at all is refused by who reads it."""
    if data.startswith(GZIP_MAGIC):
        return ".pcap.gz"
    is_pcapng = int.from_bytes(data[:MAGIC_BYTES], "big") == SECTION_HEADER
    return ".pcapng" if is_pcapng else ".pcap"
