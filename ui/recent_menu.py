"""The menu of captures that were opened lately; one that is gone stays in it, and cannot be opened."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QMenu, QWidget

from ui.settings import Settings


class RecentMenu(QMenu):
    """Is filled each time it opens."""

    open_requested = Signal(str)

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.setTitle(self.tr("Recent captures"))
        self.aboutToShow.connect(self._fill)

    @Slot()
    def _fill(self) -> None:
        self.clear()
        for entry in self._settings.recent:
            action = self.addAction(Path(entry.path).name)
            action.setToolTip(entry.path)
            action.setEnabled(Path(entry.path).exists())
            action.triggered.connect(lambda checked=False, path=entry.path: self.open_requested.emit(path))
        if self.isEmpty():
            self.addAction(self.tr("None yet")).setEnabled(False)
