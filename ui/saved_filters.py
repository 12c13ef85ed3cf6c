"""Filters that a person gave a name: buttons of the filter bar, remembered with the settings."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QInputDialog, QWidget

from ui.settings import SavedFilter, Settings
from ui.views.filter_bar import FilterBar


class SavedFilters(QObject):
    """Adds, renames and removes them."""

    def __init__(self, settings: Settings, bar: FilterBar, window: QWidget) -> None:
        super().__init__(window)
        self._settings = settings
        self._bar = bar
        self._window = window
        self._dialog: QInputDialog | None = None
        bar.rename_wanted.connect(self.rename)
        bar.remove_wanted.connect(self.remove)
        bar.show_saved(settings.saved_filters)

    @property
    def dialog(self) -> QInputDialog | None:
        """Asks for a name, while it is shown."""
        return self._dialog

    def ask(self, text: str) -> None:
        """Ask for a name for a filter."""
        self._ask(self.tr("Save the filter"), text[:24], lambda name: self._save(name, text))

    @Slot(str)
    def rename(self, name: str) -> None:
        """Ask for another name for a saved filter."""
        self._ask(self.tr("Rename the filter"), name, lambda new: self._rename(name, new))

    @Slot(str)
    def remove(self, name: str) -> None:
        """Save a filter no longer."""
        self._set_saved(tuple(one for one in self._settings.saved_filters if one.name != name))

    def _save(self, name: str, text: str) -> None:
        others = tuple(one for one in self._settings.saved_filters if one.name != name)
        self._set_saved((*others, SavedFilter(name, text)))

    def _rename(self, old: str, new: str) -> None:
        kept = [one for one in self._settings.saved_filters if one.name != new or one.name == old]
        self._set_saved(tuple(SavedFilter(new, one.text) if one.name == old else one for one in kept))

    def _set_saved(self, saved: tuple[SavedFilter, ...]) -> None:
        self._settings.saved_filters = saved
        self._bar.show_saved(saved)

    def _ask(self, title: str, proposed: str, answer: Callable[[str], None]) -> None:
        if self._dialog is not None:
            self._dialog.activateWindow()
            return
        dialog = self._dialog = QInputDialog(self._window)
        dialog.setWindowTitle(title)
        dialog.setLabelText(self.tr("Name of the button"))
        dialog.setTextValue(proposed)
        dialog.textValueSelected.connect(lambda name: answer(name.strip()) if name.strip() else None)
        dialog.finished.connect(self._on_asked)
        dialog.open()

    @Slot()
    def _on_asked(self) -> None:
        dialog, self._dialog = self._dialog, None
        if dialog is not None:
            dialog.deleteLater()
