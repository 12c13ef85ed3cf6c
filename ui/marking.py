"""Marks, ignored packets and time references by command: for what is selected in the list, remembered with the capture.

As in Wireshark, a command takes off what all selected packets have, and attaches it where one lacks it. Unlike there,
marks are remembered, and what is ignored stays decoded: snapshots that rest on it would lose their base.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from ui import words
from ui.document import Document
from ui.marks import Bools, Mark, read_runs
from ui.opening import Opening
from ui.settings import Settings
from ui.views.packet_list import PacketList

REMEMBER_MS = 500
"""Steps that follow each other are written down at once."""
MOST_RUNS = 20_000
"""Of runs of packets that are remembered of a capture."""


@dataclass(frozen=True, slots=True)
class _Words:
    """What a kind of mark is called."""

    put: str
    off: str
    none: str
    """There is nowhere to go."""


class Marking(QObject):
    """Acts on the packet list and writes what a person did into the settings."""

    told = Signal(str)
    """A sentence for the status bar."""
    referenced = Signal()
    """The first time reference was set."""

    def __init__(self, opening: Opening, settings: Settings, packets: PacketList, parent: QObject) -> None:
        super().__init__(parent)
        self._opening = opening
        self._settings = settings
        self._packets = packets
        self._document: Document | None = None
        self._restored = False
        """What was remembered of the document is attached, or there is nothing."""
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(REMEMBER_MS)
        self._soon.timeout.connect(self.remember)
        self._words = {
            Mark.MARKED: _Words(
                self.tr("Mark {0}"), self.tr("Unmark {0}"), self.tr("No packet that is shown is marked")
            ),
            Mark.IGNORED: _Words(self.tr("Ignore {0}"), self.tr("Stop ignoring {0}"), ""),
            Mark.REFERENCE: _Words(
                self.tr("Time reference at {0}"),
                self.tr("Take the time reference off {0}"),
                self.tr("No packet that is shown is a time reference"),
            ),
        }

    def commands(self) -> dict[str, Callable[[], object]]:
        """Command -> what carries it out."""
        return {
            "undo": self.undo,
            "redo": self.redo,
            "mark": lambda: self.toggle(Mark.MARKED),
            "mark_all": lambda: self.put_shown(Mark.MARKED, on=True),
            "unmark_all": lambda: self.put_shown(Mark.MARKED, on=False),
            "next_mark": lambda: self.go(Mark.MARKED, 1),
            "previous_mark": lambda: self.go(Mark.MARKED, -1),
            "ignore": lambda: self.toggle(Mark.IGNORED),
            "ignore_all": lambda: self.put_shown(Mark.IGNORED, on=True),
            "unignore_all": lambda: self.put_shown(Mark.IGNORED, on=False),
            "reference": lambda: self.toggle(Mark.REFERENCE),
            "unreference_all": lambda: self.put_shown(Mark.REFERENCE, on=False),
            "next_reference": lambda: self.go(Mark.REFERENCE, 1),
            "previous_reference": lambda: self.go(Mark.REFERENCE, -1),
        }

    @Slot(object)
    def show_document(self, document: Document | None) -> None:
        """Another capture is shown, or the same one decoded anew."""
        old = self._document
        if old is not None:
            self._soon.stop()
            self.remember()
            old.rows_added.disconnect(self._restore)
            old.decoded.disconnect(self._on_decoded)
            old.renamed.disconnect(self.remember)
            old.marks.changed.disconnect(self._on_changed)
        self._restored = self._restored and old is not None and document is not None and document.marks is old.marks
        self._document = document
        if document is not None:
            document.rows_added.connect(self._restore)
            document.decoded.connect(self._on_decoded)
            document.renamed.connect(self.remember)
            self._restore()
            document.marks.changed.connect(self._on_changed)

    def toggle(self, kind: Mark) -> None:
        """Of the selected packets: on all, or off all if all have it."""
        mask = self._packets.selected_mask()
        document = self._document
        if document is None or not mask.any():
            return
        on = bool((mask & ~document.marks.of(kind).mask(0, len(mask))).any())
        self._put(document, kind, mask, on=on)

    def put_shown(self, kind: Mark, *, on: bool) -> None:
        """On, or off, all packets that the list shows."""
        if self._document is not None:
            self._put(self._document, kind, self._packets.shown_mask(), on=on)

    def go(self, kind: Mark, step: int) -> None:
        """Select the next packet (1) with a mark, or the one before (-1); goes around the end."""
        document, model = self._document, self._packets.model
        if document is None:
            return
        row = self._packets.table.currentIndex().row()
        start = row if row >= 0 or step > 0 else model.rowCount()
        found = model.next_in(document.marks.of(kind), start, step)
        around = found < 0
        if around:
            found = model.next_in(document.marks.of(kind), -1 if step > 0 else model.rowCount(), step)
        if found < 0:
            self.told.emit(self._words[kind].none)
            return
        self._packets.go_to_row(found)
        if around:
            self.told.emit(
                self.tr("Went on from the first packet") if step > 0 else self.tr("Went on from the last one")
            )

    def undo(self) -> None:
        """Take back what was done last."""
        if self._document is not None and (text := self._document.undo.undo()):
            self.told.emit(self.tr("Taken back: {0}").format(text))

    def redo(self) -> None:
        """Do again what was taken back."""
        if self._document is not None and (text := self._document.undo.redo()):
            self.told.emit(self.tr("Done again: {0}").format(text))

    @Slot()
    def remember(self) -> None:
        """Write down what is attached to packets of a capture that has a name."""
        document = self._document
        if document is None or document.temporary or not self._restored:
            return
        self._soon.stop()
        if sum(document.marks.of(kind).run_count for kind in Mark) > MOST_RUNS:
            self.told.emit(self.tr("Too many packets apart from each other are marked to be remembered"))
            return
        runs = {kind.value: document.marks.of(kind).runs() for kind in Mark}
        stored: dict[str, object] = {kind: found for kind, found in runs.items() if found}
        if stored:
            stored["begin_ns"] = document.tables.frames.integer("time_ns", 0)
        self._settings.set_marks(document.path, stored)

    def _put(self, document: Document, kind: Mark, mask: Bools, *, on: bool) -> None:
        were = len(document.marks.of(kind))
        wanted = mask & (document.marks.of(kind).mask(0, len(mask)) ^ on)
        count = int(np.count_nonzero(wanted))
        if not count:
            return
        told = self._words[kind]
        packets = words.count(count, self.tr("packet"), self.tr("packets"))
        document.marks.put(kind, wanted, on, (told.put if on else told.off).format(packets))
        if kind is Mark.REFERENCE and on and not were:
            self.referenced.emit()

    @Slot()
    def _restore(self) -> None:
        """Attach what was remembered, as soon as the capture shows that it is the one that it was remembered of."""
        document = self._document
        if document is None or self._restored or not len(document.tables.frames):
            return
        self._restored = True
        stored = self._settings.marks(document.path)
        if stored.get("begin_ns") == document.tables.frames.integer("time_ns", 0):
            for kind in Mark:
                document.marks.restore(kind, read_runs(stored.get(kind.value)))
            if document.is_decoded:
                self._on_decoded()

    @Slot()
    def _on_decoded(self) -> None:
        if self._document is not None:
            self._document.marks.cut(len(self._document.tables.packets))

    @Slot(object)
    def _on_changed(self, _change: object) -> None:
        self._soon.start()

    def close(self) -> None:
        """The window goes."""
        self._soon.stop()
