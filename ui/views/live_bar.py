"""The line below the command bar while a capture is live: how long, from where, how fast, and what of it is in view."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from ui import fonts
from ui.theme import CELL_PADDING, Theme
from ui.views.elided import ElidedLabel
from ui.words import DOT

BAR_HEIGHT = 34
PILL_HEIGHT = 20
DOT_SIZE = 8.0


class Pill(QWidget):
    """A rounded sign: the capture runs, for so long; or the view of it is paused."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._zoom = 1.0
        self._text = ""
        self._paused = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    @property
    def text(self) -> str:
        """What it says."""
        return self._text

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.update()

    def set_zoom(self, zoom: float) -> None:
        """Another size of type."""
        self._zoom = zoom
        self.updateGeometry()

    def say(self, text: str, *, paused: bool) -> None:
        """Other words, at once."""
        wider = len(text) != len(self._text)
        self._text, self._paused = text, paused
        self.setAccessibleName(text)
        if wider:
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        # Digits have one width: the pill does not tremble.
        width = QFontMetricsF(self._font()).horizontalAdvance(self._text)
        return QSize(round(width + (DOT_SIZE + 3 * CELL_PADDING) * self._zoom), round(PILL_HEIGHT * self._zoom))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tone = "warn" if self._paused else "error"
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(self._theme.color(tone), 1))
        painter.setBrush(self._theme.color(f"{tone}_bg"))
        painter.drawRoundedRect(area, area.height() / 2, area.height() / 2)
        side = DOT_SIZE * self._zoom
        place = QRectF(CELL_PADDING * self._zoom, (self.height() - side) / 2, side, side)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color(tone))
        if self._paused:
            # Shape before colour: two bars, and a dot.
            for left in (place.left(), place.right() - 0.36 * side):
                painter.drawRect(QRectF(left, place.top(), 0.36 * side, side))
        else:
            painter.drawEllipse(place)
        painter.setFont(self._font())
        painter.setPen(self._theme.color(tone))
        painter.drawText(
            area.adjusted(side + 2 * CELL_PADDING * self._zoom, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self._text
        )
        painter.end()

    def _font(self) -> QFont:
        return fonts.font(fonts.Use.GROUP_ROW, zoom=self._zoom)


class LiveBar(QWidget):
    """Says what it is told; what its buttons mean is for others."""

    pause_asked = Signal()
    """Pause the view, or go on."""
    follow_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._duration = ""
        self.pill = Pill(theme)
        self.source = ElidedLabel()
        """Interface, rates and filter, the filter cut where there is little room."""
        self._paused = False
        self.waiting = QLabel()
        self.pause = QPushButton()
        self.pause.clicked.connect(self.pause_asked)
        self.follow = QPushButton(self.tr("Follow"))
        self.follow.setToolTip(self.tr("Keep the newest in view, in the list and the charts (Ctrl+End)"))
        self.follow.clicked.connect(self.follow_asked)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(12)
        row.addWidget(self.pill)
        row.addWidget(self.source, 1)
        for widget in (self.waiting, self.follow, self.pause):
            row.addWidget(widget)
        self.setAutoFillBackground(True)
        self.set_theme(theme)
        self.set_zoom(1.0)
        self.show_view(paused=False, follows=True)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.pill.set_theme(theme)
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, theme.color("raised"))
        self.setPalette(palette)
        self._tint(self.source, theme.color("text2"))
        self._tint(self.waiting, theme.color("warn"))

    @staticmethod
    def _tint(label: QWidget, color: QColor) -> None:
        palette = QPalette(label.palette())
        palette.setColor(QPalette.ColorRole.WindowText, color)
        label.setPalette(palette)

    def set_zoom(self, zoom: float) -> None:
        """Another size of type."""
        self.pill.set_zoom(zoom)
        for widget in (self.source, self.waiting, self.pause, self.follow):
            widget.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))
        self.setFixedHeight(round(BAR_HEIGHT * zoom))

    def show_capture(self, duration: str, facts: Sequence[str]) -> None:
        """For how long, from where and how fast, the most important first."""
        self._duration = duration
        self.source.setText(DOT.join(facts))
        self._say_pill()

    def _say_pill(self) -> None:
        word = self.tr("Paused") if self._paused else self.tr("Live")
        self.pill.say(f"{word} {self._duration}".strip(), paused=self._paused)

    def show_view(self, *, paused: bool, follows: bool, waiting: str = "") -> None:
        """Whether what comes is shown, and kept in view; `waiting`: how much was not shown yet."""
        self._paused = paused
        self.pause.setText(self.tr("Resume") if paused else self.tr("Pause"))
        self.pause.setToolTip(
            self.tr("Show what came meanwhile, and what comes (Ctrl+Shift+E)")
            if paused
            else self.tr("Hold list and charts as they are; capturing goes on (Ctrl+Shift+E)")
        )
        self.pause.setAccessibleName(self.pause.toolTip())
        self.follow.setVisible(not paused and not follows)
        self.waiting.setText(waiting)
        self.waiting.setVisible(bool(waiting))
        self._say_pill()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), self._theme.color("line"))
