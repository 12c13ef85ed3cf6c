"""Opens captures, one at a time: holds the one that is open, says what is wrong with it, remembers the recent ones."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from analyzer.capture.frames import CaptureError
from analyzer.engine.pins import NO_PINS, Pins, parse_pin
from analyzer.protocols import PROTOCOLS
from analyzer.protocols.base import Effect
from analyzer.stats.clients import Clients, client_stats
from analyzer.stats.renewed import session_now, snapshot_now
from ui import words
from ui.document import Document
from ui.models.recent import capture_summary, worst_severity
from ui.settings import RecentCapture, Settings
from ui.views.banner import Banner

MIB = 1 << 20


class Opening(QObject):
    """Whoever shows the capture follows `changed`; the one before it is closed when all have."""

    changed = Signal(object)
    """The `Document` that is open now, or None."""
    recent_changed = Signal()
    state_changed = Signal()
    """More rows, decoding ended, or something is wrong: what can be done now may be something else."""
    mistake = Signal(str, str)
    """What of ours failed, and the report about it."""

    def __init__(self, settings: Settings, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        self._banner = banner
        self.given = NO_PINS
        """How flows of the capture that is opened next are read, whatever is remembered."""
        self._document: Document | None = None
        self._successor: Document | None = None
        """Decodes the same file with kernels, until it has as many rows."""
        self._recent: RecentCapture | None = None
        """What the list of recent captures says of this one."""
        self._found = ("", "")
        self._problems_said = 0
        """Problems of the file when the banner last said so; hidden by a person, it waits for a further one."""
        self._ending: list[threading.Thread] = []
        """Threads of captures that were closed."""

    @property
    def document(self) -> Document | None:
        """The capture that is open."""
        return self._document

    @property
    def folder(self) -> Path:
        """Where what is open is saved unless a person says otherwise: never beside a temporary file, which goes."""
        document, recent = self._document, self._settings.recent[:1]
        if document is not None and not document.temporary:
            return document.path.parent
        return Path(recent[0].path).parent if recent else Path.home()

    def open_path(self, path: str | Path) -> bool:
        """Open a capture in place of the one that is open. False: it cannot be opened; the old one stays."""
        try:
            document = self._open_document(path)
        except CaptureError as error:
            self._banner.say(f"{error} {self._way_on()}", sign="error")
            self.recent_changed.emit()
            return False
        self._show(document)
        self.remember(Path(path))
        document.start()
        return True

    def follow(self, path: Path, *, temporary: bool) -> bool:
        """Show a file that is being written, as it grows, until `finish`. False: it cannot be opened.

        `temporary`: it has no name that a person gave.
        """
        try:
            document = self._open_document(path, growing=True)
        except CaptureError as error:
            self._banner.say(f"{error} {self._way_on()}", sign="error")
            return False
        document.temporary = temporary
        self._show(document)
        document.start()
        return True

    def finish(self) -> None:
        """The file that is followed has stopped growing."""
        for document in (self._document, self._successor):
            if document is not None:
                document.finish()

    def take_schemas(self, effect: Effect) -> None:
        """Other schema files count from now on."""
        for document in (self._document, self._successor):
            if document is not None:
                document.take_schemas(effect)

    def keep_as(self, path: Path) -> None:
        """The capture that is open was copied to a file with a name."""
        for document in (self._document, self._successor):
            if document is not None:
                document.keep_as(path)
        self.remember(path)
        self._remember_pins(path)
        if self._document is not None and self._document.is_decoded:
            self._ask_recent(self._document)
        self.state_changed.emit()

    def copied_to(self, path: Path) -> None:
        """A file was made of the capture that is open, or of some of it: its flows are read alike."""
        if self._document is not None and len(self._document.pins):
            self._settings.set_pins(path, [str(pin) for pin in self._document.pins])

    @Slot()
    def decode_again(self) -> None:
        """The kernels are ready: decode from the first frame again what is being decoded without them.

        What is shown stays until the other has as many rows; what is selected stays too.
        """
        document = self._document
        if document is None or document.is_decoded or document.worker.capture.compiled or self._successor is not None:
            return
        try:
            successor = self._open_document(document.worker.capture.path, growing=document.worker.growing)
        except CaptureError:
            # What is shown reads on from the file that it has open.
            return
        self._successor = successor
        successor.temporary = document.temporary
        successor.succeed(document)
        if document.path != successor.path:
            successor.keep_as(document.path)
        if not successor.worker.capture.compiled:
            self._drop_successor()
            return
        successor.rows_added.connect(self._succeed)
        successor.decoded.connect(self._succeed)
        successor.start()

    def open_dropped(self, paths: list[str]) -> None:
        """Open the first; that the others were left out is said."""
        if paths and self.open_path(paths[0]) and len(paths) > 1:
            others = words.count(len(paths) - 1, self.tr("other file was"), self.tr("other files were"))
            text = self.tr("{0} is open. One capture is shown at a time: {1} left out.")
            self._banner.say(text.format(Path(paths[0]).name, others), sign="warn")

    def close(self) -> None:
        """Show no capture."""
        self._show(None)

    def wait(self, seconds: float) -> bool:
        """Wait until the captures that were closed have let go of their files. False: one still reads."""
        for thread in self._ending:
            thread.join(seconds)
        return not any(thread.is_alive() for thread in self._ending)

    def stop(self) -> None:
        """Stop decoding, or following a file, which is decoded as far as it is there; what is there stays."""
        if self._document is not None and self._document.is_live:
            self.finish()
        elif self._document is not None:
            self._document.cancel()

    def reload(self) -> None:
        """Read the file from its beginning again."""
        if self._document is not None:
            self.open_path(self._document.path)

    def remember(self, path: Path) -> None:
        """Put a capture at the head of the recent ones."""
        self._settings.add_recent(RecentCapture(str(path), _now()))
        self.recent_changed.emit()

    def forget_recent(self, path: str) -> None:
        """Take a capture off the recent ones."""
        self._settings.forget_recent(path)
        self.recent_changed.emit()

    def problem_texts(self) -> list[str]:
        """All that is wrong with the file, the first thirty in full."""
        problems = [] if self._document is None else self._document.worker.capture.problems
        texts = [f"{problem.text} (byte {problem.offset})" for problem in problems]
        more = self.tr("... {0} more").format(words.quantity(len(texts) - 30))
        return texts[:30] + ([more] if len(texts) > 30 else [])

    def _open_document(self, path: str | Path, *, growing: bool = False) -> Document:
        """Open a capture with the memory that is preferred. Raises `CaptureError`."""
        preferred = self._settings.preferences.memory_mib
        pins = self._pins(Path(path))
        document = Document.open(path, self, growing=growing, memory_limit=preferred * MIB or None, pins=pins)
        self.given = NO_PINS
        return document

    def _pins(self, path: Path) -> Pins:
        """How flows of a file are to be read: as they are, where it is open, or as they were."""
        document = self._document
        if document is not None and path in (document.path, document.worker.capture.path):
            pins = document.pins
        else:
            pins = NO_PINS
            for text in self._settings.pins(path):
                # Another version of the program may have known more.
                with suppress(ValueError):
                    pins = pins.with_pin(parse_pin(text, PROTOCOLS))
        for pin in self.given:
            pins = pins.with_pin(pin)
        return pins

    def pin(self, pins: Pins) -> None:
        """Read flows of the capture that is open so, and remember it."""
        # It has the rows of readings as they were.
        again = self._successor is not None
        self._drop_successor()
        if self._document is not None:
            self._document.pin(pins)
            self._remember_pins(self._document.path)
        if again:
            self.decode_again()

    def _remember_pins(self, path: Path) -> None:
        document = self._document
        if document is not None and not document.temporary:
            self._settings.set_pins(path, [str(pin) for pin in document.pins])

    @Slot()
    def _succeed(self) -> None:
        document, successor = self._document, self._successor
        if document is None or successor is None or document.is_paused:
            # What is held stays as it is; the next rows behind the pause come from the other.
            return
        new, old = successor.tables, document.tables
        # Where flows were read anew, there are rows that count no more.
        whole = bool(old.readings.array("alive").all() and new.readings.array("alive").all())
        pairs = zip(new, old, strict=True) if whole else ((new.frames, old.frames), (new.packets, old.packets))
        selection = document.selection

        def snapshot(packet: int, row: int) -> int:
            found = snapshot_now(old, row, new)
            # While a flow is read anew, none may stand for that of its packet.
            return found if found >= 0 or packet < 0 else new.packets.integer("snapshot", packet)

        packet, row = selection.place.packet, selection.place.snapshot
        has_snapshot = row >= 0 or (packet >= 0 and old.packets.integer("snapshot", packet) >= 0)
        enough = all(len(one) >= len(other) for one, other in pairs)
        lacks = has_snapshot and enough and snapshot(packet, row) < 0
        lacks = lacks or (selection.session >= 0 and session_now(old, selection.session, new) < 0)
        if lacks and not successor.is_decoded:
            # The packet that is selected is here; what it completes, or its session, is yet to come.
            return
        if enough:
            successor.rows_added.disconnect(self._succeed)
            successor.decoded.disconnect(self._succeed)
            self._successor = None
            self._show(successor)
            successor.selection.take_over(selection, snapshot, lambda row: session_now(old, row, new))

    def _drop_successor(self) -> None:
        successor, self._successor = self._successor, None
        if successor is not None:
            self._let_go(successor)

    def _let_go(self, document: Document) -> None:
        document.close()
        self._ending = [thread for thread in (*self._ending, *document.worker.threads) if thread.is_alive()]
        document.deleteLater()

    def _show(self, document: Document | None) -> None:
        self._drop_successor()
        old, self._document = self._document, document
        self._banner.say("")
        self._recent, self._found = None, ("", "")
        self._problems_said = 0
        self.changed.emit(document)
        if old is not None:
            self._let_go(old)
        if document is not None:
            document.decoded.connect(self._on_decoded)
            document.unreadable.connect(self._on_unreadable)
            document.question_failed.connect(self._on_question_failed)
            document.rows_added.connect(self._on_rows)

    def _way_on(self) -> str:
        if self._document is None:
            return self.tr("Nothing was opened; choose a pcap or pcapng file, plain or packed with gzip.")
        return self.tr("{0} stays open.").format(self._document.path.name)

    @Slot()
    def _on_rows(self) -> None:
        self._say_problems()
        self.state_changed.emit()

    @Slot()
    def _on_decoded(self) -> None:
        self._drop_successor()
        document = self._document
        if document is None:
            return
        self._say_problems()
        if document.failure_report:
            self.mistake.emit(self.tr("decoding stopped"), document.failure_report)
        elif not document.worker.cancelled and document.worker.failure is None:
            self._ask_recent(document)
            self._say_not_decoded(document)
        self.state_changed.emit()

    @Slot(str)
    def _on_unreadable(self, text: str) -> None:
        self._banner.say(text, sign="error")

    @Slot(str)
    def _on_question_failed(self, details: str) -> None:
        self.mistake.emit(self.tr("a packet could not be shown"), details)

    def _say_problems(self) -> None:
        document = self._document
        problems = [] if document is None else document.worker.capture.problems
        if document is None or len(problems) <= self._problems_said or self._banner.text:
            return
        self._problems_said = len(problems)
        first = problems[0]
        text = f"{first.text[:1].upper()}{first.text[1:]}"
        if document.worker.capture.source.file.size():
            text = self.tr("{0} (byte {1}). All packets that can be read are shown.").format(text, first.offset)
        else:
            text = self.tr("{0}. There is nothing to show; open another capture.").format(text)
        if len(problems) > 1:
            text = self.tr("{0} {1} more.").format(text, words.quantity(len(problems) - 1))
        self._banner.say(text, details=len(problems) > 1)

    def _say_not_decoded(self, document: Document) -> None:
        """A capture of nothing but games that are only recognised looks broken unless the reason is named."""
        tables = document.tables
        recognised = ", ".join(sorted(set(tables.flows.array("recognised").tolist()) - {""}))
        if recognised and not len(tables.readings) and not self._banner.text:
            text = self.tr(
                "Nothing is decoded: this is {0}, which is recognised but not read. Only packets are listed."
            )
            self._banner.say(text.format(recognised), sign="warn")

    def _ask_recent(self, document: Document) -> None:
        if not document.temporary:
            document.ask("recent", lambda _: client_stats(document.tables), self._describe_recent, gives_way=True)

    def _describe_recent(self, clients: Clients) -> None:
        """The list of recent captures says what this one holds."""
        document = self._document
        if document is None:
            return
        protocols = document.worker.capture.protocols
        names = {dialect: name for protocol in protocols for dialect, name in protocol.dialect_names.items()}
        summary = capture_summary(document.tables, clients, names)
        severity = worst_severity(clients, self._settings.preferences.base_age_limit_ms)
        self._recent = RecentCapture(str(document.path), _now(), summary, severity)
        self._remember_recent()

    def note_findings(self, severity: str, text: str) -> None:
        """The worst that was found in the capture, `error`, `warn` or empty, and how many of it in words."""
        if (severity, text) != self._found:
            self._found = severity, text
            self._remember_recent()

    def _remember_recent(self) -> None:
        """Clients and findings are counted one after the other."""
        recent, (severity, text) = self._recent, self._found
        if recent is None:
            return
        if severity == "error" or recent.severity != "error":
            recent = replace(recent, severity=severity or recent.severity, found=text)
        self._settings.add_recent(recent)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
