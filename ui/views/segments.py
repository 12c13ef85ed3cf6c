"""A row of choices of which one is on: two or three words side by side."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from ui import fonts
from ui.theme import RADIUS, Theme

HEIGHT = 24
_PADDING = 10


class Segments(QWidget):
    """Exclusive buttons; `group.idClicked` tells the number that a person chose."""

    def __init__(self, theme: Theme, count: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.group = QButtonGroup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.buttons = [_Segment(theme, self) for _ in range(count)]
        for number, button in enumerate(self.buttons):
            self.group.addButton(button, number)
            layout.addWidget(button)
        self.buttons[0].setChecked(True)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme from now on."""
        for button in self.buttons:
            button.theme = theme
            button.update()

    def set_zoom(self, zoom: float) -> None:
        """Other font sizes."""
        for button in self.buttons:
            button.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))
            button.updateGeometry()

    def choose(self, number: int) -> None:
        """Turn one on without telling anybody."""
        self.buttons[number].setChecked(True)


class _Segment(QPushButton):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setCheckable(True)
        self.setFont(fonts.font(fonts.Use.TABLE))
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        return QSize(metrics.horizontalAdvance(self.text()) + 2 * _PADDING, max(HEIGHT, metrics.height() + 8))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        color = self.theme.color
        painter.setBrush(color("select" if self.isChecked() else "hover" if self.underMouse() else "panel"))
        painter.setPen(QPen(color("accent" if self.isChecked() else "line2"), 1.0))
        painter.drawRoundedRect(box, RADIUS, RADIUS)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(color("focus"), 1.5))
            painter.drawRoundedRect(box.adjusted(2, 2, -2, -2), RADIUS - 1, RADIUS - 1)
        tone = "text3" if not self.isEnabled() else "accent" if self.isChecked() else "text"
        painter.setPen(color(tone))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()
