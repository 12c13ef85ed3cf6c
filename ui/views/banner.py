"""A line on top of the panes: what is wrong with the file, and what was kept."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from ui import fonts
from ui.theme import Theme
from ui.views.signs import paint_sign


class Banner(QWidget):
    """Hidden while there is nothing to say."""

    details_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._sign = "warn"
        self._text = QLabel()
        self._text.setWordWrap(True)
        self._details = QToolButton()
        self._details.setText(self.tr("Details"))
        self._details.clicked.connect(self.details_wanted)
        self._close = QToolButton()
        self._close.setText(self.tr("Hide"))
        self._close.clicked.connect(self.hide)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(32, 4, 8, 4)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._details)
        layout.addWidget(self._close)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.update()

    def set_zoom(self, zoom: float) -> None:
        """Another size of type."""
        font = fonts.font(fonts.Use.TABLE, zoom=zoom)
        for widget in (self._text, self._details, self._close):
            widget.setFont(font)

    def say(self, text: str, *, sign: str = "warn", details: bool = False) -> None:
        """Show a sentence; an empty one hides the line."""
        self._sign = sign
        self._text.setText(text)
        self._details.setVisible(details)
        self.setVisible(bool(text))
        self.update()

    @property
    def text(self) -> str:
        """What it says, empty while hidden."""
        return "" if self.isHidden() else self._text.text()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color(f"{self._sign}_bg"))
        paint_sign(painter, self._sign, QRectF(8, 0, 16, self.height()), self._theme)
