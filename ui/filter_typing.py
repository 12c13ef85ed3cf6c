"""What the filter field offers while one types: what may stand at the cursor, and what was applied before."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot

from analyzer.filters.complete import Completion, complete
from analyzer.filters.registry import Registry
from ui.document import Document
from ui.models.added_columns import FieldView
from ui.settings import Settings
from ui.views.filter_bar import FilterBar

TOPIC = "filter completion"


class FilterTyping(QObject):
    """Completes, and walks the history."""

    def __init__(
        self,
        settings: Settings,
        bar: FilterBar,
        fields: Callable[[], Registry],
        view: Callable[[], FieldView | None],
        parent: QObject,
    ) -> None:
        """`fields`, `view`: those of the capture that is shown."""
        super().__init__(parent)
        self._settings = settings
        self._bar = bar
        self._fields = fields
        self._view = view
        self._document: Document | None = None
        self._at = -1
        """Place in the history, while it is walked; -1: before the newest."""
        self._typed = ""
        """What stood in the field before the history was walked."""
        bar.field.typed.connect(self._on_typed)
        bar.field.walked.connect(self._walk)
        bar.field.completion_wanted.connect(self._complete)
        bar.forget_wanted.connect(self._forget)
        bar.show_history(settings.filter_history)

    def show_document(self, document: Document | None) -> None:
        """Of which frequent values are offered."""
        self._document = document

    def leave_history(self) -> None:
        """The next walk begins at the newest."""
        self._at = -1

    def remember(self, text: str) -> None:
        """It was applied."""
        self._at = -1
        self._settings.remember_filter(text)
        self._bar.show_history(self._settings.filter_history)

    @Slot(str)
    def _on_typed(self, text: str) -> None:
        self._at, self._typed = -1, text

    @Slot()
    def _forget(self) -> None:
        self._at = -1
        self._settings.forget_filters()
        self._bar.show_history(())

    @Slot(int)
    def _walk(self, step: int) -> None:
        """Through what was applied: up to older ones, down to what was typed."""
        texts, at = self._settings.filter_history, self._at
        if at < 0:
            self._typed = self._bar.field.text()
        wanted = at - step
        if step < 0 and at < 0 and texts and texts[0] == self._typed:
            # It stands there.
            wanted = 1
        if -1 <= wanted < len(texts):
            self._at = wanted
            self._bar.field.put(self._typed if wanted < 0 else texts[wanted])

    @Slot(bool)
    def _complete(self, asked: bool) -> None:
        """Offer what may stand at the cursor, with the values that are frequent in the capture."""
        field = self._bar.field
        text, cursor, fields = field.text(), field.cursorPosition(), self._fields()
        if not asked and not text.strip():
            field.popup.hide()
            return
        self._offer(text, cursor, complete(text, cursor, fields))
        document, view = self._document, self._view()
        if document is not None and view is not None:
            document.ask(
                TOPIC,
                lambda query: complete(text, cursor, fields, view.of(query)),
                lambda found: self._offer(text, cursor, found),
            )

    def _offer(self, text: str, cursor: int, found: Completion) -> None:
        """Unless something else stands there now, or a person goes through what is offered."""
        field = self._bar.field
        if field.text() != text or field.cursorPosition() != cursor or not field.hasFocus():
            return
        if field.popup.is_picked and field.popup.isVisible():
            return
        typed = text[found.start : found.end]
        left = tuple(one for one in found.candidates if one.text != typed)
        field.popup.offer(Completion(found.start, found.end, left))
