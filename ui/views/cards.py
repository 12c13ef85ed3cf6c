"""Large buttons with an icon and lines of text, and the rounded ground they lie on."""

from __future__ import annotations

import qtawesome
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QEnterEvent, QFontMetricsF, QIcon, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from ui import fonts
from ui.theme import CARD_RADIUS, Theme

_ICON = 24
_MARGIN = 20.0
_GAP = 20.0
_LINES = (fonts.Use.CARD_TITLE, fonts.Use.TABLE, fonts.Use.HEAD)
_TONES = ("text", "text2", "text3")


class Ground(QWidget):
    """A rounded panel for other widgets."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.color("line"), 1))
        painter.setBrush(self._theme.color("panel"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), CARD_RADIUS, CARD_RADIUS)


class Card(QAbstractButton):
    """A title, a line, and a hint. Enter and Space press it. A dashed one asks for something to be dropped."""

    def __init__(
        self,
        theme: Theme,
        icon: str,
        lines: tuple[str, str, str],
        parent: QWidget | None = None,
        *,
        dashed: bool = False,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = icon
        self._lines = lines
        self._dashed = dashed
        self._zoom = 1.0
        self.offered = False
        """Something is being dragged over the window."""
        self.setText(lines[0])
        self.setAccessibleName(lines[0])
        self.setAccessibleDescription(". ".join(lines[1:]))
        self.setToolTip("\n".join(lines))
        # A button's own policy would make the hint the least width.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.update()

    def set_zoom(self, zoom: float) -> None:
        """Another size of type."""
        self._zoom = zoom
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        margin = 24 if self._dashed else 12
        return QSize(320, round(sum(metrics.height() + 3 for metrics in self._metrics()) + 2 * margin))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        area = QRectF(self.rect()).adjusted(_MARGIN, 0, -_MARGIN, 0)
        icon: QIcon = qtawesome.icon(self._icon, color=self._theme.color("accent"))
        side = round(_ICON * self._zoom)
        icon.paint(painter, round(area.left()), round(area.center().y() - side / 2), side, side)
        area.setLeft(area.left() + side + _GAP)
        metrics = self._metrics()
        top = area.center().y() - sum(line.height() + 3 for line in metrics) / 2
        for text, use, tone, line in zip(self._lines, _LINES, _TONES, metrics, strict=True):
            painter.setFont(fonts.font(use, zoom=self._zoom))
            painter.setPen(self._theme.color(tone))
            shown = line.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
            painter.drawText(
                QRectF(area.left(), top, area.width(), line.height() + 3), Qt.AlignmentFlag.AlignVCenter, shown
            )
            top += line.height() + 3

    def _paint_ground(self, painter: QPainter) -> None:
        pen = QPen(self._theme.color("line"), 1)
        ground = "hover" if self.underMouse() or self.offered else "panel"
        if self._dashed:
            ground = "hover" if self.offered else "raised"
            pen = QPen(self._theme.color("accent" if self.offered else "line2"), 1.5, Qt.PenStyle.DashLine)
        if self.hasFocus():
            pen = QPen(self._theme.color("focus"), 1.5)
        painter.setPen(pen)
        painter.setBrush(self._theme.color("select" if self.isDown() else ground))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), CARD_RADIUS, CARD_RADIUS)

    def _metrics(self) -> list[QFontMetricsF]:
        return [QFontMetricsF(fonts.font(use, zoom=self._zoom)) for use in _LINES]
