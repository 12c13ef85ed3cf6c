"""What is shown as it comes and no sniffer of ours captures: pipes, and files that another program still writes to."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from analyzer.capture.frames import CaptureError
from analyzer.capture.pipe import Pipe, PipeError, is_pipe
from ui.capturing import Capturing
from ui.document import Document
from ui.opening import Opening
from ui.piping import PipeCapture
from ui.views.banner import Banner

LOOK_MS = 1_000


class Streams(QObject):
    """Opens whatever has a path."""

    told = Signal(str)
    """Where what comes comes from; empty: nothing comes, or from a sniffer."""

    def __init__(self, opening: Opening, capturing: Capturing, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._opening = opening
        self._capturing = capturing
        self._banner = banner
        self._path: Path | None = None
        """What is followed."""
        self._capture: PipeCapture | None = None
        """What is read from, or waited for."""
        self._size = 0
        """Bytes of the file that is open, when it was read to its end."""
        self._look = QTimer(self)
        self._look.setInterval(LOOK_MS)
        self._look.timeout.connect(self._look_for_more)
        opening.changed.connect(self._on_changed)
        capturing.state_changed.connect(self._on_capturing)

    def open_path(self, path: str | Path, *, follow: bool = False) -> None:
        """Read a pipe as it comes, else open a file; `follow`: and what is still written to it, as that comes."""
        if is_pipe(path):
            self._capturing.when_stopped(lambda: self._read_pipe(path))
        elif follow:
            self._follow(Path(path))
        else:
            self._opening.open_path(path)

    @Slot()
    def follow(self) -> None:
        """Read the file that is open from its beginning again, and follow what is still written to it."""
        document = self._opening.document
        if document is not None:
            self._follow(document.path)

    def _follow(self, path: Path) -> None:
        self._path = path
        self.told.emit(self.tr("Following the file"))
        if self._opening.follow(path, temporary=False):
            self._opening.remember(path)
        else:
            self._forget()

    def _read_pipe(self, path: str | Path) -> None:
        try:
            pipe = Pipe(path)
        except PipeError as error:
            text = str(error)
            self._banner.say(f"{text[:1].upper()}{text[1:]}.", sign="error")
            return
        except OSError as error:
            self._banner.say(self.tr("{0} cannot be read: {1}.").format(path, error.strerror), sign="error")
            return
        capture = self._capture = PipeCapture(pipe, self._capturing.spools.make, self)
        capture.began.connect(lambda: self._on_began(capture, pipe.name))
        capture.refused.connect(self._on_refused)
        self.told.emit(self.tr("Waiting for the {0}").format(pipe.name))
        self._capturing.take(capture)

    def _on_began(self, capture: PipeCapture, name: str) -> None:
        self._path = capture.settings.file
        self.told.emit(self.tr("Reading from the {0}").format(name))

    @Slot(str)
    def _on_refused(self, text: str) -> None:
        self._capturing.stop()
        self._banner.say(text, sign="error")

    @Slot(object)
    def _on_changed(self, document: Document | None) -> None:
        self._look.stop()
        if document is None or document.worker.capture.path != self._path:
            self._forget()
        if document is not None and not document.is_live:
            document.decoded.connect(self._on_decoded)

    @Slot()
    def _on_capturing(self) -> None:
        """What was read from has ended, or was given up."""
        if self._capture is not None and self._capturing.live is not self._capture:
            self._capture = None
            self._forget()

    def _forget(self) -> None:
        self._path = None
        self.told.emit("")

    @Slot()
    def _on_decoded(self) -> None:
        """The whole file was read, as it was."""
        document = self._opening.document
        if document is not None and not document.temporary and not document.worker.cancelled:
            self._size = self._size_of(document)
            self._look.start()

    @Slot()
    def _look_for_more(self) -> None:
        document = self._opening.document
        if document is not None and self._size_of(document) > self._size and not self._banner.text:
            self._look.stop()
            text = self.tr("{0} is still being written. Follow the file (Ctrl+Shift+R) to see what comes.")
            self._banner.say(text.format(document.path.name))

    @staticmethod
    def _size_of(document: Document) -> int:
        try:
            return document.worker.capture.source.progress()[1]
        except CaptureError:
            return 0
