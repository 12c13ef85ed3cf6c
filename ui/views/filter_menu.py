"""What every context menu offers of what is pointed at: apply, prepare or copy it as a filter, have a column of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu

from ui.models.filter_judgement import How
from ui.models.filter_texts import FilterTexts

COPY_KEYS = "Ctrl+Shift+C"


class AsFilter(QObject):
    """One for the window: panes ask it for texts, and to fill their menus."""

    wanted = Signal(str, object, bool)
    """A text, `How` it is joined with the filter there is, and whether to apply it or only to put it into the field."""
    column_wanted = Signal(str)
    """A column for a field."""
    told = Signal(str)

    def __init__(self, texts: Callable[[], FilterTexts], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._texts = texts

    @property
    def texts(self) -> FilterTexts:
        """What makes texts of things."""
        return self._texts()

    def copy(self, text: str) -> None:
        """Put a text into the clipboard, if there is one."""
        if text:
            QGuiApplication.clipboard().setText(text)
            self.told.emit(self.tr("Copied  {0}").format(text))
        else:
            self.told.emit(self.tr("There is no filter for what is selected"))

    def add_to(self, menu: QMenu, text: str, before: QAction | None = None) -> None:
        """Offer a text; of an empty one nothing is offered."""
        if not text:
            return
        made = [
            self._submenu(menu, self.tr("Apply as filter"), text, apply=True).menuAction(),
            self._submenu(menu, self.tr("Prepare as filter"), text, apply=False).menuAction(),
            self._action(menu, f"{self.tr('Copy as filter')}\t{COPY_KEYS}", text, lambda: self.copy(text)),
        ]
        field = self.texts.column_of(text)
        if field:
            made.append(
                self._action(
                    menu, self.tr("Add {0} as column").format(field), text, lambda: self.column_wanted.emit(field)
                )
            )
        line = QAction(menu)
        line.setSeparator(True)
        if before is None:
            menu.addActions([*made, line])
        else:
            menu.insertActions(before, [*made, line])

    def _submenu(self, menu: QMenu, title: str, text: str, *, apply: bool) -> QMenu:
        inner = QMenu(title, menu)
        inner.setToolTipsVisible(True)
        for how, words in (
            (How.SELECTED, self.tr("Selected")),
            (How.NOT_SELECTED, self.tr("Not selected")),
            (How.AND, self.tr("... and selected")),
            (How.OR, self.tr("... or selected")),
            (How.AND_NOT, self.tr("... and not selected")),
            (How.OR_NOT, self.tr("... or not selected")),
        ):
            inner.addAction(
                self._action(inner, words, text, lambda how=how: self.wanted.emit(text, how, apply))  # type: ignore[misc]
            )
        return inner

    def _action(self, menu: QMenu, words: str, text: str, call: Callable[[], object]) -> QAction:
        action = QAction(words, menu)
        action.setToolTip(text)
        action.triggered.connect(lambda _checked=False: call())
        return action
