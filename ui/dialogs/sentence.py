"""A sentence with its sign before it, on the colour of its meaning; nothing where there is nothing to say."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from ui import fonts
from ui.theme import RADIUS, Theme
from ui.views.signs import TEXTS, paint_sign

SIGN = 16
GROUNDS = {"ok": "added_bg", "note": "changed_bg", "warn": "warn_bg", "error": "error_bg"}
"""Sign -> colour behind it."""


class Sentence(QLabel):
    """Wraps, and can be selected to be copied."""

    def __init__(self, theme: Theme, zoom: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._sign = "note"
        self.setWordWrap(True)
        self.set_zoom(zoom)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.update()

    def set_zoom(self, zoom: float) -> None:
        """Another size of type."""
        self.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))
        self._side = round(SIGN * zoom)
        self.setContentsMargins(self._side + 12, 4, 8, 4)

    def say(self, text: str, sign: str = "note") -> None:
        """Show a sentence; an empty one hides the line."""
        self._sign = sign
        self.setText(text)
        self.setAccessibleName(f"{TEXTS[sign]}: {text}" if text else "")
        self.setVisible(bool(text))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = self._theme.color(GROUNDS[self._sign])
        painter.setPen(ground)
        painter.setBrush(ground)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        paint_sign(painter, self._sign, QRectF(6, 0, self._side, self.height()), self._theme)
        painter.end()
        super().paintEvent(event)
