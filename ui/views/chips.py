"""Small painted controls above a pane: an outlined button, a sign with a text, a bar that says what is wrong."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QLabel, QSizePolicy, QWidget

from ui import fonts
from ui.theme import RADIUS, TOOL_ROW_HEIGHT, Theme
from ui.views.signs import TEXTS, paint_sign

CHIP_HEIGHT = 24
_PADDING = 10
_SIGN = 14


class Chip(QAbstractButton):
    """A button with an outline."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._hovered = False
        self.setFont(fonts.font(fonts.Use.TABLE))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(self.font())
        height = max(CHIP_HEIGHT, round(metrics.height()) + 8)
        return QSize(round(metrics.horizontalAdvance(self.text())) + 2 * _PADDING + 1, height)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._hovered = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = False
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill = "hover" if self._hovered and self.isEnabled() else "panel"
        edge = "line" if not self.isEnabled() else "focus" if self.hasFocus() else "line2"
        painter.setPen(QPen(self._theme.color(edge), 1.5 if self.hasFocus() else 1.0))
        painter.setBrush(self._theme.color(fill))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)
        painter.setFont(self.font())
        self.paint_content(painter)
        painter.end()

    def paint_content(self, painter: QPainter) -> None:
        """What stands within the outline."""
        painter.setPen(self._theme.color("text" if self.isEnabled() else "text2"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())


class SignLabel(QWidget):
    """A sign and a text beside it."""

    def __init__(self, theme: Theme, use: fonts.Use, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._sign = ""
        self._text = ""
        self._tone = "text"
        self.setFont(fonts.font(use))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    @property
    def text(self) -> str:
        """The text beside the sign."""
        return self._text

    @property
    def sign(self) -> str:
        """A name of `signs.TEXTS`, or empty."""
        return self._sign

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.update()

    def show_text(self, sign: str, text: str, tone: str = "text2") -> None:
        """Show a sign (empty: none) and a text."""
        self._sign, self._text, self._tone = sign, text, tone
        name = f"{TEXTS[sign]}: {text}" if sign else text
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(self.font())
        left = _SIGN + 5 if self._sign else 0
        return QSize(left + round(metrics.horizontalAdvance(self._text)) + 2, round(metrics.height()))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        left = 0
        if self._sign:
            paint_sign(painter, self._sign, QRectF(0, 0, _SIGN, self.height()), self._theme)
            left = _SIGN + 5
        painter.setFont(self.font())
        painter.setPen(self._theme.color(self._tone))
        painter.drawText(QRectF(left, 0, self.width() - left, self.height()), Qt.AlignmentFlag.AlignVCenter, self._text)
        painter.end()


class NoticeBar(QWidget):
    """Says above a pane what is wrong, with one link to where it began, and offers to copy it."""

    link_clicked = Signal()
    copy_clicked = Signal()
    finding_clicked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._severity = "warn"
        self._text = QLabel()
        self._text.setWordWrap(True)
        self._text.setFont(fonts.font(fonts.Use.TABLE))
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._code = QLabel()
        self._code.setFont(fonts.font(fonts.Use.HEAD))
        self._code.setToolTip(self.tr("The rule that was broken, as reports name it"))
        self._code.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._link = Chip(theme)
        self._link.clicked.connect(self.link_clicked)
        self._finding = Chip(theme)
        self._finding.setText(self.tr("Finding"))
        self._finding.setToolTip(self.tr("Show what it means, what may be the cause, and what to do"))
        self._finding.clicked.connect(self.finding_clicked)
        self._finding.hide()
        self._copy = Chip(theme)
        self._copy.setText(self.tr("Copy"))
        self._copy.setToolTip(self.tr("Copy what is wrong, and where, as one line"))
        self._copy.clicked.connect(self.copy_clicked)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(32, 4, 8, 4)
        layout.setSpacing(8)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._code)
        layout.addWidget(self._link)
        layout.addWidget(self._finding)
        layout.addWidget(self._copy)
        self.setMinimumHeight(TOOL_ROW_HEIGHT)
        self.hide()

    @property
    def text(self) -> str:
        """What the bar says."""
        return self._text.text()

    @property
    def code(self) -> str:
        """The rule's id, at the right."""
        return self._code.text()

    @property
    def link(self) -> Chip:
        """The button to where it began; hidden if there is nowhere to go."""
        return self._link

    @property
    def finding(self) -> Chip:
        """The button to the finding; hidden where there is none."""
        return self._finding

    @property
    def copy(self) -> Chip:
        """The button that copies."""
        return self._copy

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self._copy.set_theme(theme)
        self._finding.set_theme(theme)
        self._link.set_theme(theme)
        self.update()

    def set_zoom(self, zoom: float) -> None:
        """Other font sizes."""
        self._text.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))
        for chip in (self._link, self._finding, self._copy):
            chip.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))
        self._code.setFont(fonts.font(fonts.Use.HEAD, zoom=zoom))

    def show_notice(self, severity: str, text: str, link: str = "", code: str = "") -> None:
        """Show a text of severity `note`, `warn` or `error` with a rule's id; empty text hides the bar."""
        self._severity = severity
        self._text.setText(text)
        self._code.setText(code)
        self._code.setVisible(bool(code))
        self._link.setText(link)
        self._link.updateGeometry()
        self._link.setVisible(bool(link))
        self.setAccessibleName(text)
        self.setVisible(bool(text))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tint = {"note": "changed_bg", "warn": "warn_bg", "error": "error_bg"}[self._severity]
        painter.fillRect(self.rect(), self._theme.color(tint))
        paint_sign(painter, self._severity, QRectF(10, 0, _SIGN, self.height()), self._theme)
        painter.end()
