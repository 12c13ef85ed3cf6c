"""Saving what is shown, or an excerpt of it: asks what, counts it, and writes it off the window's thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from analyzer.capture.frames import CaptureError
from analyzer.capture.pcap import MAX_CAPTURED
from analyzer.export import selection
from analyzer.export.excerpt import Excerpt, plan
from analyzer.export.formats import Format
from analyzer.export.save import GZIP_SUFFIX, SaveCancelled, Saved, save
from analyzer.export.selection import Bools
from analyzer.export.target import SaveError
from analyzer.stats.flows import session_flow
from analyzer.store.tables import Tables
from ui import words
from ui.appearance import Appearance
from ui.dialogs.save import Choice, SaveDialog
from ui.document import Document, report
from ui.inquiry import Inquiry
from ui.marks import Mark
from ui.models.packet_cells import Rows
from ui.opening import Opening
from ui.spools import ended, named

POLL_MS = 50
SECOND = 1_000_000_000
ENDINGS = {
    Format.PCAPNG: ("pcapng (*.pcapng *.pcapng.gz)", ".pcapng"),
    Format.PCAP: ("pcap (*.pcap *.pcap.gz)", ".pcap"),
}
"""What the system's dialog lists, and how a name ends."""

Marked = Callable[[], tuple[float, float] | None]
Selected = Callable[[], Rows]
Shown = Callable[[], Bools]


class Saving(QObject):
    """One dialog at a time."""

    told = Signal(str)
    """What was saved."""
    open_wanted = Signal(str)
    """Open the file that was saved."""
    kept = Signal(object)
    """Path of a temporary capture of which nothing is lost any more when it goes."""
    mistake = Signal(str, str)
    """What failed by a mistake of ours, and its report."""

    def __init__(
        self,
        opening: Opening,
        appearance: Appearance,
        marked: Marked,
        selected: Selected,
        shown: Shown,
        parent: QWidget,
    ) -> None:
        """`marked`: the range that is marked in the charts, in seconds. `selected`: rows of packets in the list.

        `shown`: a mask of those that the list shows.
        """
        super().__init__(parent)
        self._window = parent
        self._opening = opening
        self._appearance = appearance
        self._marked = marked
        self._selected = selected
        self._shown = shown
        self._inquiry = Inquiry(self)
        self._dialog: SaveDialog | None = None
        self._document: Document | None = None
        self._excerpt: Excerpt | None = None
        self._running: _Running | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self._show_progress)
        opening.changed.connect(self._on_changed)

    @property
    def dialog(self) -> SaveDialog | None:
        """The dialog, while it is shown."""
        return self._dialog

    @Slot()
    def ask(self) -> None:
        """Show the dialog."""
        document = self._opening.document
        if document is None or not document.is_decoded:
            return
        if self._dialog is not None:
            self._dialog.activateWindow()
            return
        self._document = document
        choices, first = self._choices(document)
        theme, zoom = self._appearance.theme, self._appearance.preferences.zoom
        dialog = self._dialog = SaveDialog(theme, zoom, choices, first, self._window)
        if document.worker.capture.source.format.startswith(f"{Format.PCAP.value},"):
            dialog.format.setCurrentIndex(0 if first else 1)
        dialog.packed.setChecked(document.path.suffix == GZIP_SUFFIX)
        dialog.changed.connect(self._count)
        dialog.wanted.connect(self._name)
        dialog.stopped.connect(self._stop)
        dialog.finished.connect(self._on_finished)
        dialog.open()
        self._count()

    def close(self) -> None:
        """The window goes: stop what runs, without waiting."""
        self._stop()
        self._timer.stop()
        self._inquiry.forget("plan")
        self._inquiry.forget("save")

    def wait(self, seconds: float) -> bool:
        """After `close`: wait until nothing runs any more. False: something does."""
        return self._inquiry.wait(seconds)

    def _choices(self, document: Document) -> tuple[list[Choice], int]:
        """What there is to choose, and what to begin with."""
        tables, tr = document.tables, self.tr
        packets = words.count(len(tables.frames), tr("packet"), tr("packets"))
        found = [Choice(tr("The &whole capture, {0}").format(packets), lambda: selection.everything(tables))]
        first = 0
        marked = self._marked()
        if marked is not None and len(tables.frames):
            start, stop = sorted(marked)
            text = tr("The &marked time, {0} to {1} s").format(words.decimal(start, 3), words.decimal(stop, 3))
            first = len(found)
            found.append(Choice(text, lambda: _in_seconds(tables, start, stop)))
        session = _session_of(document)
        if session >= 0:
            text = tr("&Session {0}").format(_session_words(tables, session))
            found.append(Choice(text, lambda: selection.of_session(tables, session)))
        found += self._shown_and_marked(document)
        rows = self._selected()
        if len(rows):
            text = tr("The selected pac&ket") if len(rows) == 1 else tr("The {0} selected pac&kets")
            first = len(found) if len(rows) > 1 and not first else first
            found.append(Choice(text.format(words.quantity(len(rows))), lambda: selection.of_packets(tables, rows)))
        return found, first

    def _shown_and_marked(self, document: Document) -> list[Choice]:
        """What the list shows, without what is ignored, where that is not everything; what is marked."""
        tables, marks, tr = document.tables, document.marks, self.tr
        found = []
        shown = self._shown()
        shown &= ~marks.of(Mark.IGNORED).mask(0, len(shown))
        count = int(np.count_nonzero(shown))
        if 0 < count < len(shown):
            text = tr("The &displayed packets, {0}").format(words.quantity(count))
            if len(marks.of(Mark.IGNORED)):
                text = tr("The &displayed packets without those you ignore, {0}").format(words.quantity(count))
            found.append(Choice(text, lambda: selection.of_packets(tables, np.flatnonzero(shown))))
        if len(marks.of(Mark.MARKED)):
            marked = marks.of(Mark.MARKED).members
            text = tr("The ma&rked packet") if len(marked) == 1 else tr("The {0} ma&rked packets")
            found.append(Choice(text.format(words.quantity(len(marked))), lambda: selection.of_packets(tables, marked)))
        return found

    @Slot()
    def _count(self) -> None:
        dialog, document = self._dialog, self._document
        if dialog is None or document is None:
            return
        self._excerpt = None
        dialog.count()
        capture, choice, form = document.worker.capture, dialog.choice, dialog.form
        self._inquiry.ask("plan", lambda: plan(capture, choice.select(), form), self._on_counted, self._on_failed)

    def _on_counted(self, excerpt: Excerpt) -> None:
        self._excerpt = excerpt
        if self._dialog is None:
            return
        if excerpt.baseless:
            text = self.tr("{0} will not decode: pcap has no place for the full snapshots they need. Choose pcapng.")
            lost = words.count(excerpt.baseless, self.tr("snapshot"), self.tr("snapshots"))
            self._dialog.tell(f"{self._what(excerpt)} {text.format(lost)}", "warn", possible=True)
            return
        self._dialog.tell(self._what(excerpt), "note", possible=bool(len(excerpt.frames)) or excerpt.whole)

    def _what(self, excerpt: Excerpt) -> str:
        text = self.tr("{0}.").format(words.count(len(excerpt.frames), self.tr("packet"), self.tr("packets")))
        if excerpt.added:
            added = words.count(excerpt.added, self.tr("is there"), self.tr("are there"))
            text += " " + self.tr("{0} because decoding the others needs them.").format(added)
        if excerpt.bases:
            made = words.count(len(excerpt.bases), self.tr("full snapshot is"), self.tr("full snapshots are"))
            text += " " + self.tr("{0} made for them, so that they decode by themselves.").format(made)
        return text

    @Slot()
    def _name(self) -> None:
        """Ask for the file, and save."""
        dialog, document, excerpt = self._dialog, self._document, self._excerpt
        if dialog is None or document is None or excerpt is None:
            return
        listed, ending = ENDINGS[excerpt.form]
        ending += GZIP_SUFFIX if dialog.packed.isChecked() else ""
        stem = _stem(document.path)
        proposed = self._opening.folder / (f"{stem}{ending}" if excerpt.whole else f"{stem}-part{ending}")
        name, _ = QFileDialog.getSaveFileName(dialog, self.tr("Save as"), str(proposed), listed)
        if not name:
            return
        target = named(name, ending)
        if dialog.packed.isChecked() and target.suffix.lower() != GZIP_SUFFIX:
            target = ended(target, GZIP_SUFFIX)
        running = _Running(document, excerpt, target)
        if not running.keeps_all and target.exists() and document.path.exists() and target.samefile(document.path):
            # A temporary capture that was saved there: the rest of it would go with the window.
            text = self.tr("{0} is the capture that is being read; choose another name.")
            dialog.refuse(text.format(target.name), possible=True)
            return
        self._running = running
        dialog.begin()
        self._timer.start()
        self._inquiry.ask("save", running.run, lambda saved: self._on_saved(document, running, saved), self._on_failed)

    @Slot()
    def _stop(self) -> None:
        if self._running is not None:
            self._running.stop.set()

    @Slot()
    def _show_progress(self) -> None:
        if self._dialog is not None and self._running is not None:
            self._dialog.show_progress(self._running.share)

    def _on_saved(self, document: Document, running: _Running, saved: Saved) -> None:
        opens = self._dialog is not None and self._dialog.opens.isChecked()
        self._end()
        if self._dialog is not None:
            self._dialog.accept()
        if running.keeps_all and document.temporary and self._opening.document is document:
            self.kept.emit(document.worker.capture.path)
            self._opening.keep_as(running.target)
        elif self._opening.document is document:
            self._opening.copied_to(running.target)
        packets = words.count(saved.frames, self.tr("packet"), self.tr("packets"))
        self.told.emit(self.tr("{0} saved in {1}").format(packets, running.target.name))
        if opens:
            self.open_wanted.emit(str(running.target))

    def _on_failed(self, error: Exception) -> None:
        self._end()
        if isinstance(error, SaveCancelled):
            text = self.tr("Stopped. Nothing was written.")
        elif isinstance(error, SaveError | CaptureError):
            text = str(error)
        else:
            text = self.tr("This failed by a mistake of the program. Nothing was written.")
            self.mistake.emit(self.tr("the capture could not be saved"), report(error))
        if self._dialog is not None:
            self._dialog.refuse(text, possible=self._excerpt is not None)

    def _end(self) -> None:
        self._timer.stop()
        self._running = None

    @Slot()
    def _on_finished(self) -> None:
        dialog, self._dialog = self._dialog, None
        self._document = self._excerpt = None
        self._inquiry.forget("plan")
        if dialog is not None:
            dialog.deleteLater()

    @Slot(object)
    def _on_changed(self, document: Document | None) -> None:
        """Another capture is shown: the dialog was about the one before."""
        if self._dialog is not None and document is not self._document:
            self._stop()
            self._inquiry.forget("save")
            self._end()
            self._dialog.done(SaveDialog.DialogCode.Rejected)


class _Running:
    """A saving that runs on a thread of its own."""

    def __init__(self, document: Document, excerpt: Excerpt, target: Path) -> None:
        capture = document.worker.capture
        self.target = target
        self.share = 0.0
        self.stop = threading.Event()
        stays = capture.source.format.startswith(f"{excerpt.form.value},")
        self.keeps_all = excerpt.whole and (stays or excerpt.form is Format.PCAPNG) and _is_read(document)
        """Nothing is lost when the capture itself goes."""
        self._capture = capture
        self._excerpt = excerpt

    def run(self) -> Saved:
        """Save. Raises SaveError, SaveCancelled, CaptureError."""
        query = self._capture.query()
        try:
            return save(self._capture, query, self._excerpt, self.target, self._note)
        finally:
            query.close()

    def _note(self, share: float) -> bool:
        self.share = share
        return not self.stop.is_set()


def _is_read(document: Document) -> bool:
    """The file was read to its end, or to a last frame that is not all there."""
    source = document.worker.capture.source
    try:
        rest = source.file.size() - source.whole_bytes
    except CaptureError:
        return False
    return document.worker.failure is None and not document.worker.cancelled and rest <= MAX_CAPTURED


def _in_seconds(tables: Tables, start: float, stop: float) -> Bools:
    first = tables.frames.integer("time_ns", 0)
    return selection.in_time(tables, first + round(start * SECOND), first + round(stop * SECOND))


def _session_of(document: Document) -> int:
    """The selected packet's, or the only one that is shown; -1: there is none."""
    packet = document.selection.place.packet
    session = document.tables.packets.integer("session", packet) if packet >= 0 else -1
    return session if session >= 0 else document.selection.session


def _session_words(tables: Tables, session: int) -> str:
    """Number, client and player."""
    flow = session_flow(tables, session)
    client = "address_b" if tables.flows.integer("server", flow) == 0 else "address_a"
    player = tables.sessions.text("player", session)
    who = f"{words.number(tables.sessions.integer('number', session))}, {tables.flows.text(client, flow)}"
    return f"{who}, {player}" if player else who


def _stem(path: Path) -> str:
    """The name without what says the format."""
    name = path.name.removesuffix(GZIP_SUFFIX)
    return name.rpartition(".")[0] or name
