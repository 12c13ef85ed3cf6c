"""The display filter of the window: what is typed is judged, what is applied is evaluated, and the list obeys it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from analyzer.capture.frames import CaptureError
from analyzer.engine import filtering
from analyzer.engine.filter_runs import FilterRuns, Verdicts
from analyzer.filters.filter import Filter
from analyzer.filters.nodes import Needs
from analyzer.filters.registry import Registry
from analyzer.protocols import PROTOCOLS
from ui import words
from ui.document import Document, report
from ui.filter_typing import FilterTyping
from ui.models.filter_judgement import How, Judgement, Standing, combined, judge
from ui.models.filter_texts import FilterTexts
from ui.models.packet_kept import Kept
from ui.saved_filters import SavedFilters
from ui.settings import Settings
from ui.undo import Step
from ui.views.filter_bar import FilterBar
from ui.views.filter_menu import AsFilter
from ui.views.packet_list import PacketList

PATIENCE_MS = 500
"""What takes longer is said to go on."""


class Filtering(QObject):
    """One filter at a time. A capture that is opened anew keeps its filter, another one begins without."""

    changed = Signal()
    """Another filter counts, or none."""
    told = Signal(str)
    """What has no place in the bar."""
    mistake = Signal(str, str)
    """What failed by a mistake of ours, and its report."""
    _verdicts = Signal(object)
    _failed = Signal(int, object)

    def __init__(self, settings: Settings, packets: PacketList, bar: FilterBar, parent: QWidget) -> None:
        super().__init__(parent)
        self._packets = packets
        self._bar = bar
        self._document: Document | None = None
        self._path: Path | None = None
        self._fields: Registry | None = None
        """Without a capture."""
        self._texts: tuple[Registry, FilterTexts] | None = None
        self.as_filter = AsFilter(lambda: self.texts, self)
        self.as_filter.wanted.connect(self.take)
        self._runs: FilterRuns | None = None
        self._threads: list[threading.Thread] = []
        """Of captures that were closed: they end on their own."""
        self._run = 0
        self._applied: Filter | None = None
        """What a person wants."""
        self._effective: Filter | None = None
        """What the list obeys: that, within the range."""
        self._kept: Kept | None = None
        self._wants_nearest = False
        self._stopped = False
        self._caught_up = False
        """All packets were looked at once."""
        self._behind_since: float | None = None
        """Since when not all were; None: they are."""
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(PATIENCE_MS)
        self._late.timeout.connect(self._say)
        self._judgement = Judgement(Standing.EMPTY)
        self._connect()
        self._typing = FilterTyping(settings, bar, lambda: self.fields, lambda: packets.model.view, self)
        self.saved = SavedFilters(settings, bar, parent)

    def _connect(self) -> None:
        bar, field = self._bar, self._bar.field
        queued = Qt.ConnectionType.QueuedConnection
        self._verdicts.connect(self._take, queued)
        self._failed.connect(self._fail, queued)
        field.textChanged.connect(self._on_text)
        field.applied.connect(self.apply)
        field.left.connect(self._leave)
        bar.cleared.connect(self.clear)
        bar.chosen.connect(self._choose)
        bar.save_wanted.connect(self.save)
        bar.stop_wanted.connect(self.stop)
        bar.range_cleared.connect(self._clear_range)
        self._packets.state_chosen.connect(self._on_state)
        self._packets.escaped.connect(self._escape)

    # What is asked of it

    @property
    def fields(self) -> Registry:
        """All fields that a filter may have now."""
        view = self._packets.model.view
        if view is not None:
            return view.fields
        if self._fields is None:
            self._fields = filtering.registry(PROTOCOLS)
        return self._fields

    @property
    def texts(self) -> FilterTexts:
        """What makes filters of what a person points at."""
        fields = self.fields
        if self._texts is None or self._texts[0] is not fields:
            self._texts = fields, FilterTexts(fields)
        return self._texts[1]

    @property
    def applied(self) -> str:
        """The text of the filter that counts; empty: none does."""
        return "" if self._applied is None else self._applied.text

    @property
    def is_running(self) -> bool:
        """Not all packets were looked at."""
        return self._effective is not None and not self._stopped and self._known < self._packets.model.taken_in

    @property
    def _shows_running(self) -> bool:
        """What takes a moment is not spoken of: of a live capture some packets are new all the time."""
        if not self.is_running or self._effective is None or self._behind_since is None:
            return False
        begins = not self._caught_up and self._effective.needs is not Needs.COLUMNS
        return begins or (time.monotonic() - self._behind_since) * 1000 >= PATIENCE_MS

    def commands(self) -> dict[str, Callable[[], object]]:
        """By the names of the window's commands."""
        return {"filter": self.focus, "filter_clear": self.clear, "filter_save": self.save}

    def focus(self) -> None:
        """Put the cursor into the field."""
        self._bar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._bar.field.selectAll()

    @Slot()
    def apply(self) -> bool:
        """Let the list obey what stands in the field. False: it is no filter, and the one before still counts."""
        if self._judgement.standing is Standing.EMPTY:
            self.clear()
            return True
        self._bar.field.put(self._bar.field.text().strip())
        chosen = self._judgement.filter
        if chosen is None or self._document is None:
            self._bar.show_standing(
                Standing.WRONG, self._judgement.reason or self.tr("This is no filter yet"),
                self._judgement.start, self._judgement.end,
            )  # fmt: skip
            return False
        self._typing.remember(chosen.text)
        self._remember(chosen.text)
        self._begin(chosen)
        self._packets.take_focus()
        return True

    @Slot()
    def clear(self) -> None:
        """Show all packets."""
        self._typing.leave_history()
        self._bar.field.put("")
        if self._applied is not None:
            self._remember("")
            self._begin(None)

    @Slot(str, object, bool)
    def take(self, text: str, how: How, apply: bool) -> None:
        """Join a text with the filter that counts, or that stands in the field; apply it, or only put it there."""
        before = self.applied if apply or not self._bar.field.text() else self._bar.field.text()
        self._choose(combined(before, text, how), apply)

    @Slot()
    def stop(self) -> None:
        """Look at no more packets; what was found stays. Pressed again: go on."""
        if self._runs is not None and self._effective is not None:
            self._stopped = not self._stopped
            (self._runs.hold if self._stopped else self._runs.go_on)()
            self._say()

    @Slot()
    def save(self) -> None:
        """Ask for a name for what stands in the field."""
        chosen = self._judgement.filter
        if chosen is None:
            self.told.emit(self.tr("There is no filter to save"))
        else:
            self.saved.ask(chosen.text.strip())

    def _remember(self, text: str) -> None:
        """Another filter can be taken back."""
        before, document = self.applied, self._document
        if document is not None and before != text:
            done = self.tr("Apply the filter {0}").format(text) if text else self.tr("Clear the filter")
            document.undo.push(Step(done, lambda: self._choose(before, True), lambda: self._choose(text, True)))

    # The capture

    def show_document(self, document: Document | None) -> None:
        """Filter another capture, or none."""
        again = self.applied if document is not None and document.path == self._path else ""
        self._drop()
        if self._runs is not None:
            self._runs.close()
            running = [*self._threads, *self._runs.threads]
            self._threads = [thread for thread in running if thread.is_alive()]
            self._runs = None
        if self._document is not None:
            self._document.rows_added.disconnect(self._look)
            self._document.amended.disconnect(self._look)
            self._document.decoded.disconnect(self._look)
            self._document.reworded.disconnect(self._on_reworded)
            self._document.selection.range_changed.disconnect(self._on_range)
        self._document = document
        self._typing.show_document(document)
        self._bar.setEnabled(document is not None)
        if document is not None:
            self._path = document.path
            self._runs = FilterRuns(document.worker.capture, self._verdicts.emit, self._failed.emit)
            document.rows_added.connect(self._look)
            document.amended.connect(self._look)
            document.decoded.connect(self._look)
            document.reworded.connect(self._on_reworded)
            document.selection.range_changed.connect(self._on_range)
        self._bar.show_range("", "")
        if again:
            self._choose(again, True)
        else:
            self._bar.field.put("")
            self._on_text("")
        if document is not None and document.selection.range is not None:
            self._on_range()
        self.changed.emit()

    def close(self) -> None:
        """The window goes: tell what runs to end, without waiting."""
        self._drop()
        self._late.stop()
        if self._runs is not None:
            self._runs.close()

    def wait(self, seconds: float) -> bool:
        """After `close`: wait until nothing runs any more. False: something does."""
        threads = [*self._threads, *(() if self._runs is None else self._runs.threads)]
        for thread in threads:
            thread.join(seconds)
        return not any(thread.is_alive() for thread in threads)

    @Slot()
    def _look(self) -> None:
        """There is more, or something became known of what there is."""
        if self._effective is not None and self._runs is not None:
            self._runs.look(self._packets.model.taken_in)
            if self._stopped:
                self._say()
            else:
                # More is said when it was looked at.
                self._note_progress()

    @Slot()
    def _on_reworded(self) -> None:
        """Other schema files name other fields."""
        self._on_text(self._bar.field.text())
        if self._applied is not None:
            renewed = judge(self._applied.text, self.fields).filter
            if renewed is not None:
                self._begin(renewed)

    # Evaluating

    def _begin(self, chosen: Filter | None) -> None:
        """The list obeys it, within the range, as soon as something is known."""
        assert self._runs is not None
        self._drop()
        self._applied, self._effective = chosen, self._within_range(chosen)
        if self._effective is None:
            self._packets.model.show_only(None)
        else:
            self._stopped, self._wants_nearest = False, True
            self._caught_up, self._behind_since = False, None
            self._run = self._runs.begin(self._effective, self.fields, self._packets.model.taken_in)
            if not self._packets.model.taken_in:
                self._show_first()
        self._bar.show_applied(chosen is not None)
        self._say()
        self.changed.emit()

    def _within_range(self, chosen: Filter | None) -> Filter | None:
        """A filter and the range that panes are limited to, as one filter."""
        limit = self.range_filter
        if not limit:
            return chosen
        both = combined("" if chosen is None else chosen.text, limit, How.AND)
        return judge(both, self.fields).filter

    @property
    def range_filter(self) -> str:
        """The range that panes are limited to, as a filter; empty: there is none."""
        stretch = None if self._document is None else self._document.selection.range
        return "" if stretch is None else self.texts.times(*stretch)

    @Slot()
    def _on_range(self) -> None:
        """Another stretch of time is wanted."""
        document = self._document
        if document is None or self._runs is None:
            return
        stretch = document.selection.range
        if stretch is None:
            self._bar.show_range("", "")
        else:
            zero = document.tables.frames.integer("time_ns", 0)
            start, stop = ((at - zero) / 1e9 for at in stretch)
            self._bar.show_range(words.stretch(start, stop), self.range_filter)
        self._begin(self._applied)

    @Slot()
    def _escape(self) -> None:
        """The filter goes first, then the range."""
        (self._clear_range if self._applied is None and not self._bar.field.text() else self.clear)()

    @Slot()
    def _clear_range(self) -> None:
        if self._document is not None:
            self._document.selection.limit_time(None)

    def _drop(self) -> None:
        self._applied, self._effective, self._kept, self._run = None, None, None, 0
        self._late.stop()
        if self._runs is not None:
            self._runs.end()
        self._bar.show_applied(False)

    @property
    def _known(self) -> int:
        return 0 if self._kept is None else len(self._kept)

    def _show_first(self) -> Kept:
        assert self._document is not None
        self._kept = Kept(self._document.tables)
        self._packets.model.show_only(self._kept)
        return self._kept

    @Slot(object)
    def _take(self, verdicts: Verdicts) -> None:
        if verdicts.run != self._run or self._document is None:
            return
        if self._kept is None:
            # What was shown before stays until something is known.
            kept = Kept(self._document.tables)
            kept.take(verdicts)
            self._kept = kept
            self._packets.model.show_only(kept)
        else:
            self._packets.model.judge(self._kept.take(verdicts))
        self._say()
        self._go_nearest()

    def _go_nearest(self) -> None:
        """Where the filter hides the selected packet, the nearest one is selected: once, by a person's deed."""
        document, model = self._document, self._packets.model
        if not self._wants_nearest or document is None:
            return
        packet = document.selection.place.packet
        if packet < 0 or model.row_of(packet) >= 0:
            self._wants_nearest = False
        elif model.rowCount() and (not self.is_running or self._known > packet):
            self._wants_nearest = False
            self._packets.go_to_row(model.nearest_row(packet))

    @Slot(int, object)
    def _fail(self, run: int, error: Exception) -> None:
        if run != self._run:
            return
        self._stopped = True
        if isinstance(error, CaptureError):
            self.told.emit(str(error))
        else:
            self.mistake.emit(self.tr("the filter could not be evaluated"), report(error))
        self._say()

    # What is said

    @Slot(str)
    def _on_text(self, text: str) -> None:
        self._judgement = judge(text, self.fields) if text.strip() else Judgement(Standing.EMPTY)
        self._say()

    def _say(self) -> None:
        """Beside the text, in the list where it is empty."""
        self._note_progress()
        judged = self._judgement
        reason = judged.reason
        if judged.standing is Standing.GOOD and judged.filter is not None:
            same = self._applied is not None and judged.filter.text == self._applied.text
            reason = self._count() if same else self.tr("Enter applies it")
        elif judged.standing is Standing.EMPTY and self._applied is not None:
            reason = self.tr("Enter shows all packets")
        self._bar.show_standing(judged.standing, reason, judged.start, judged.end)
        self._bar.show_running(self._shows_running, stopped=self._stopped and self._effective is not None)
        self._say_empty()

    def _note_progress(self) -> None:
        if not self.is_running:
            self._caught_up = self._caught_up or self._effective is not None
            self._behind_since = None
            self._late.stop()
        elif self._behind_since is None:
            self._behind_since = time.monotonic()
            self._late.start()

    def _count(self) -> str:
        """How many match, and of how many that is known."""
        count = self._packets.model.taken_in
        found = words.quantity(self._packets.model.rowCount()) if self._kept is not None else words.UNKNOWN
        if not self._stopped and not self._shows_running:
            return self.tr("{0} of {1}").format(found, words.count(count, self.tr("packet"), self.tr("packets")))
        share = words.quantity(100 * self._known // max(1, count))
        text = self.tr("{0} found, stopped at {1} %") if self._stopped else self.tr("{0} found, {1} % looked at")
        return text.format(found, share)

    def _say_empty(self) -> None:
        """What stands in place of a list without rows."""
        count = self._packets.model.taken_in
        if self._effective is None or not count:
            self._packets.say_filtered(None)
            return
        if self._shows_running:
            text = self.tr("{0} of {1} were looked at.").format(
                words.quantity(self._known), words.count(count, self.tr("packet"), self.tr("packets"))
            )
            self._packets.say_filtered((self.tr("No packet matches so far"), text, self.tr("Stop")))
            return
        limited = self._document is not None and self._document.selection.session >= 0
        hidden = words.count(count, self.tr("packet"), self.tr("packets"))
        text = (
            self.tr("The filter hides all packets of the session that is shown.")
            if limited
            else self.tr("The filter hides all {0}.").format(hidden)
        )
        self._packets.say_filtered((self.tr("No packet matches"), text, self.tr("Clear filter")))

    @Slot()
    def _on_state(self) -> None:
        (self.stop if self._shows_running else self.clear)()

    # Typing

    @Slot()
    def _leave(self) -> None:
        """Esc: take back what was typed and not applied, and go to the list."""
        field = self._bar.field
        field.put(self.applied)
        self._typing.leave_history()
        self._packets.take_focus()

    @Slot(str, bool)
    def _choose(self, text: str, apply: bool) -> None:
        self._bar.field.put(text)
        self._bar.field.popup.hide()
        if apply:
            self.apply()
        else:
            self._bar.field.setFocus(Qt.FocusReason.OtherFocusReason)
