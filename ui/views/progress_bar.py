"""A bar that fills as something goes on."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from ui.theme import Theme


class ProgressBar(QWidget):
    """How much is decoded: a filled part in the colour of actions, outlined as controls are."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._zoom = 1.0
        self.share = 0.0

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.update()

    def set_zoom(self, zoom: float) -> None:
        """Another size."""
        self._zoom = zoom
        self.setFixedSize(self.sizeHint())

    def show_share(self, share: float) -> None:
        """0 to 1."""
        if round(share * self.width()) != round(self.share * self.width()):
            self.update()
        self.share = share
        self.setAccessibleName(self.tr("Decoded {0} %").format(int(100 * share)))

    def sizeHint(self) -> QSize:
        return QSize(round(120 * self._zoom), round(10 * self._zoom))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(self._theme.color("line2"), 1))
        painter.setBrush(self._theme.color("panel"))
        painter.drawRoundedRect(area, 3, 3)
        inner = area.adjusted(1.5, 1.5, -1.5, -1.5)
        inner.setWidth(inner.width() * self.share)
        painter.fillRect(inner, self._theme.color("accent"))
