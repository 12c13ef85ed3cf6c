"""What a pane shows when it has nothing to show: what is missing, why, and one way on."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from ui import fonts

MAX_TEXT_WIDTH = 420
"""At 100 % zoom."""
MARGIN = 16


class PaneState(QWidget):
    """A title, a sentence, and at most one button."""

    chosen = Signal()
    """The button was pressed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # The tab above is open, and of the same colour.
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self._title = QLabel()
        self._text = QLabel()
        self._text.setWordWrap(True)
        self._button = QPushButton()
        self._button.clicked.connect(self.chosen)
        self.setFocusProxy(self._button)
        self._button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        layout = QVBoxLayout(self)
        layout.addStretch()
        for widget in (self._title, self._text, self._button):
            if isinstance(widget, QLabel):
                widget.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            layout.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch()
        self.set_zoom(1.0)

    def set_zoom(self, zoom: float, *, system: bool = False) -> None:
        """Another size of type."""
        self._zoom = zoom
        self._title.setFont(fonts.font(fonts.Use.PANE_TITLE, zoom=zoom, system=system))
        for widget in (self._text, self._button):
            widget.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom, system=system))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def show_state(self, title: str, text: str, action: str = "") -> None:
        """Say what is missing; `action` names the button, empty shows none."""
        self._title.setText(title)
        self._text.setText(text)
        self._fit()
        self._button.setText(action)
        self._button.setVisible(bool(action))
        self.setAccessibleName(f"{title}. {text}")

    def _fit(self) -> None:
        """A label that wraps is as narrow as Qt likes, and says how high it is, only for a given width."""
        wanted = self._text.fontMetrics().horizontalAdvance(self._text.text()) + 2
        width = max(1, min(round(MAX_TEXT_WIDTH * self._zoom), wanted, self.width() - 2 * MARGIN))
        # A label never says it needs less than its least height: after a long sentence a short one would stay high.
        self._text.setMinimumHeight(0)
        self._text.setFixedSize(width, max(0, self._text.heightForWidth(width)))
