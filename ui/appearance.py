"""What a person prefers, applied to the whole window at once: theme, type, zoom, time format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from ui import fonts
from ui.settings import ZOOM_RANGE, Preferences, Settings
from ui.theme import DARK, LIGHT, Theme


class Themed(Protocol):
    """Paints in colours of a theme."""

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""


class Zoomed(Protocol):
    """Has text or rows of its own."""

    def set_zoom(self, zoom: float) -> None:
        """Other sizes."""


class Appearance(QObject):
    """Holds the preferences and the theme that follows from them, and the system's scheme while it changes."""

    applied = Signal()
    """Preferences or theme are others now."""

    def __init__(self, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        self.preferences = settings.preferences
        self.theme = self._wanted_theme()
        self._themed: list[Themed] = []
        self._zoomed: list[Zoomed] = []
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_scheme)

    def look_after(self, themed: Iterable[Themed], zoomed: Iterable[Zoomed]) -> None:
        """Theme and zoom these from now on, beginning now."""
        self._themed, self._zoomed = list(themed), list(zoomed)
        self._apply()

    @Slot(object)
    def prefer(self, preferences: Preferences) -> None:
        """Take other preferences, and remember them."""
        self._settings.preferences = self.preferences = preferences
        self._apply()

    def zoom_by(self, step: float) -> None:
        """Larger or smaller, within what is allowed; `step` is added to the factor."""
        low, high = ZOOM_RANGE
        zoom = min(high, max(low, round(self.preferences.zoom + step, 2)))
        self.prefer(replace(self.preferences, zoom=zoom))

    def _apply(self) -> None:
        zoom, system = self.preferences.zoom, self.preferences.system_fonts
        QApplication.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom, system=system))
        for part in self._zoomed:
            part.set_zoom(zoom)
        self._paint()

    def _paint(self) -> None:
        self.theme = self._wanted_theme()
        QApplication.setPalette(self.theme.palette())
        for part in self._themed:
            part.set_theme(self.theme)
        self.applied.emit()

    def _wanted_theme(self) -> Theme:
        chosen = self.preferences.theme
        if chosen == "system":
            dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
            return DARK if dark else LIGHT
        return DARK if chosen == "dark" else LIGHT

    @Slot()
    def _on_scheme(self) -> None:
        self._paint()
