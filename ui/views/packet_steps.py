"""Steps through the packet list: from the selected packet or snapshot to another, or a sentence why there is none."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ui.document import Document
from ui.marks import NO_PACKETS, Mark, PacketSet
from ui.models import step_words, steps
from ui.models.packet_cells import Column
from ui.models.packets import PacketModel
from ui.selection import Place
from ui.views.current_row import go_to_row
from ui.views.packet_table import PacketTable


class PacketSteps(QWidget):
    """Its `go_...` methods say by `step_failed` why there is nowhere to go."""

    step_failed = Signal(str)
    """A sentence: why a step leads nowhere. Empty: what was said does not hold any more."""
    model: PacketModel
    table: PacketTable
    _document: Document | None
    _said: str

    def set_following(self, on: bool) -> None:
        """Keep at the end while rows arrive."""
        raise NotImplementedError

    def go_next(self) -> None:
        """Select the next row."""
        self._go_beside(1)

    def go_previous(self) -> None:
        """Select the row before."""
        self._go_beside(-1)

    def go_first(self) -> None:
        """Select the first row."""
        self.go_to_row(0)

    def go_last(self) -> None:
        """Select the last row; while rows arrive, keep at the end."""
        self.go_to_row(self.model.rowCount() - 1)
        if self._document is not None and not self._document.is_decoded:
            self.set_following(True)

    def go_next_in_flow(self) -> None:
        """Select the next row of the same flow."""
        self._go_in_flow(1)

    def go_previous_in_flow(self) -> None:
        """Select the row before of the same flow."""
        self._go_in_flow(-1)

    def go_next_in_session(self) -> None:
        """Select the next row of the same session."""
        self._go_in_session(1)

    def go_previous_in_session(self) -> None:
        """Select the row before of the same session."""
        self._go_in_session(-1)

    def go_next_snapshot(self) -> None:
        """Select the next snapshot of the same client."""
        self._go_step(1)

    def go_previous_snapshot(self) -> None:
        """Select the snapshot before of the same client."""
        self._go_step(-1)

    def go_next_failed(self) -> None:
        """Select the next snapshot that failed: of the session that panes are limited to, or of any client."""
        self._go_failed(1)

    def go_previous_failed(self) -> None:
        """Select the failed snapshot before: of the session that panes are limited to, or of any client."""
        self._go_failed(-1)

    def go_baseline(self) -> None:
        """Select the snapshot's baseline."""
        if self._document is not None:
            tables, snapshot = self._document.tables, self._place.snapshot
            if not self.go_snapshot(steps.baseline(tables, snapshot)):
                self._say(step_words.no_baseline(tables, snapshot))

    def go_acknowledgement(self) -> None:
        """Select the packet that made the baseline one; the snapshot stays selected."""
        if self._document is not None:
            tables, snapshot = self._document.tables, self._place.snapshot
            if not self._go_packet(steps.acknowledgement(tables, snapshot)):
                self._say(step_words.no_acknowledgement(tables, snapshot))

    def go_cause(self) -> None:
        """Select the snapshot that is the first cause of the failure."""
        if self._document is not None:
            tables, snapshot = self._document.tables, self._place.snapshot
            if not self.go_snapshot(steps.cause(tables, snapshot)):
                self._say(step_words.no_cause(tables, snapshot))

    def go_next_part(self) -> None:
        """Select the packet of the snapshot's next part; the snapshot stays selected."""
        if self._document is not None:
            tables = self._document.tables
            if not self._go_packet(steps.next_part(tables, self._place)):
                self._say(step_words.no_part(tables, self._place.snapshot))

    def go_snapshot(self, snapshot: int) -> bool:
        """Select a snapshot by its row, with the packet of its last part. False: -1, there is none."""
        if self._document is None or snapshot < 0:
            return False
        self._document.selection.select(steps.packet_of(self._document.tables, snapshot), snapshot)
        return True

    @property
    def _place(self) -> Place:
        return Place() if self._document is None else self._document.selection.place

    @property
    def _ignored(self) -> PacketSet:
        return NO_PACKETS if self._document is None else self._document.marks.of(Mark.IGNORED)

    def go_to_row(self, row: int) -> None:
        """Select the packet in a row, and show it."""
        if 0 <= row < self.model.rowCount():
            go_to_row(self.table, self.model.index(row, Column.INFO))

    def _go_beside(self, step: int) -> None:
        row = self.table.currentIndex().row() + step
        if self._document is None:
            return
        if row >= self.model.rowCount() or row == -1:
            self._say(step_words.no_packet(step, in_flow=False))
        self.go_to_row(max(0, row))

    def _go_in_flow(self, step: int) -> None:
        row = self.model.next_like("flow", self.table.currentIndex().row(), step)
        if row < 0 and self._document is not None:
            self._say(step_words.no_packet(step, in_flow=True))
        self.go_to_row(row)

    def _go_in_session(self, step: int) -> None:
        document, row = self._document, self.table.currentIndex().row()
        if document is None or row < 0:
            return
        member = document.tables.packets.integer("session", self.model.packet_at(row)) >= 0
        found = self.model.next_like("session", row, step) if member else -1
        if found < 0:
            self._say(step_words.none_in_session(step, member=member))
        self.go_to_row(found)

    def _go_step(self, step: int) -> None:
        if self._document is not None:
            tables = self._document.tables
            if not self.go_snapshot(steps.next_snapshot(tables, self._place, step, self._ignored)):
                self._say(step_words.no_snapshot(tables, step))

    def _go_failed(self, step: int) -> None:
        if self._document is not None:
            session = self._document.selection.session
            found = steps.next_failed(self._document.tables, self._place, step, session, self._ignored)
            if not self.go_snapshot(found):
                self._say(step_words.no_failed(step, limited=session >= 0))

    def _go_packet(self, packet: int) -> bool:
        if self._document is None or packet < 0:
            return False
        self._document.selection.select(packet, self._place.snapshot)
        return True

    def _say(self, text: str) -> None:
        if text != self._said:
            self._said = text
            self.step_failed.emit(text)
