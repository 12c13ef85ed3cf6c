"""Counts by severity: buttons that show or hide findings, a pill for the tab, and the part of the status bar."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from analyzer.expert.rule import Severity
from ui import fonts
from ui.models.finding_cells import SIGNS
from ui.models.finding_text import WORST_FIRST, counted
from ui.theme import RADIUS, Theme
from ui.views.chips import CHIP_HEIGHT, Chip
from ui.views.signs import paint_sign
from ui.words import quantity

SIGN = 14
MOST_IN_PILL = 999


class ToggleChip(Chip):
    """On or off, with the sign of a severity."""

    def __init__(self, theme: Theme, severity: Severity) -> None:
        super().__init__(theme)
        self._severity = severity
        self.setCheckable(True)
        self.setChecked(True)

    def show_text(self, text: str, name: str) -> None:
        """What stands in it, and what it is called."""
        if (text, name) != (self.text(), self.accessibleName()):
            self.setText(text)
            self.setAccessibleName(name)
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        return super().sizeHint() + QSize(SIGN - 2, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on, theme = self.isChecked(), self._theme
        edge = "focus" if self.hasFocus() else "accent" if on else "line2"
        painter.setPen(QPen(theme.color(edge), 1.5 if self.hasFocus() else 1.0))
        painter.setBrush(theme.color("select" if on else "hover" if self._hovered else "panel"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)
        paint_sign(painter, SIGNS[self._severity], QRectF(7, 0, SIGN, self.height()), theme)
        painter.setFont(self.font())
        painter.setPen(theme.color("text" if on else "text2"))
        area = QRectF(self.rect()).adjusted(7 + SIGN + 4, 0, 0, 0)
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
        painter.end()


class SeverityToggles(QWidget):
    """One button a severity."""

    changed = Signal(object)
    """frozenset[Severity]: what is shown."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._counts: Mapping[Severity, int] = dict.fromkeys(Severity, 0)
        self._short = False
        self.chips = {severity: ToggleChip(theme, severity) for severity in WORST_FIRST}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for chip in self.chips.values():
            chip.toggled.connect(self._on_toggled)
            layout.addWidget(chip)
        self.show_counts(self._counts)

    @property
    def shown(self) -> frozenset[Severity]:
        """Those that are on."""
        return frozenset(severity for severity, chip in self.chips.items() if chip.isChecked())

    def show_all(self) -> None:
        """All on."""
        for chip in self.chips.values():
            chip.setChecked(True)

    def show_counts(self, counts: Mapping[Severity, int], *, short: bool = False) -> None:
        """How many there are of each; `short`: the sign alone stands for the word."""
        self._counts, self._short = counts, short
        titles = {
            Severity.ERROR: self.tr("Errors {0}"),
            Severity.WARNING: self.tr("Warnings {0}"),
            Severity.NOTE: self.tr("Notes {0}"),
        }
        for severity, chip in self.chips.items():
            number = quantity(counts[severity])
            name = counted(severity, counts[severity])
            chip.show_text(number if short else titles[severity].format(number), name)
            hide = self.tr("{0} are shown; click to hide them") if chip.isChecked() else self.tr("{0} are hidden")
            chip.setToolTip(hide.format(name))

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        for chip in self.chips.values():
            chip.set_theme(theme)

    def set_zoom(self, zoom: float) -> None:
        """Another size of type."""
        for chip in self.chips.values():
            chip.setFont(fonts.font(fonts.Use.HEAD, zoom=zoom))
            chip.updateGeometry()

    @Slot()
    def _on_toggled(self) -> None:
        self.show_counts(self._counts, short=self._short)
        self.changed.emit(self.shown)


class SeverityPill(QWidget):
    """How many findings there are of the worst severity; of notes nothing is said."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._severity = Severity.NOTE
        self._text = ""
        self._sized = QSize()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.set_zoom(1.0)

    @property
    def text(self) -> str:
        """7, 999+; empty where there is nothing to say."""
        return self._text

    @property
    def severity(self) -> Severity:
        """Of which that is the count."""
        return self._severity

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.update()

    def set_zoom(self, zoom: float) -> None:
        """Another size of type."""
        self.setFont(fonts.font(fonts.Use.HEAD, zoom=zoom))
        self.setFixedSize(self.sizeHint())

    def show_count(self, severity: Severity | None, count: int) -> bool:
        """True: the pill takes another room now."""
        said = severity is not None and severity > Severity.NOTE
        text = "" if not said else f"{MOST_IN_PILL}+" if count > MOST_IN_PILL else str(count)
        if (text, severity) == (self._text, self._severity):
            return False
        before = self.sizeHint()
        self._text, self._severity = text, severity or Severity.NOTE
        self.setAccessibleName(counted(self._severity, count) if text else "")
        self.setFixedSize(self.sizeHint())
        self.update()
        return self.sizeHint() != before

    def sizeHint(self) -> QSize:
        if not self._text:
            return QSize(0, 0)
        metrics = QFontMetricsF(self.font())
        height = round(metrics.height()) + 2
        return QSize(max(height, round(metrics.horizontalAdvance(self._text)) + 10), height)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._text:
            return
        name = SIGNS[self._severity]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color(f"{name}_bg"))
        painter.drawRoundedRect(QRectF(self.rect()), RADIUS * 2, RADIUS * 2)
        painter.setFont(self.font())
        painter.setPen(self._theme.color(name))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._text)
        painter.end()


class SeverityCounts(QAbstractButton):
    """A sign and a number for each severity that was found. A click asks for the findings."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._counts: Mapping[Severity, int] = {}
        self._short = False
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.update()

    def show_counts(self, counts: Mapping[Severity, int]) -> None:
        """Where nothing was found, nothing is shown."""
        shown = {severity: counts[severity] for severity in WORST_FIRST if counts.get(severity)}
        if shown == self._counts:
            return
        self._counts = shown
        name = ", ".join(counted(severity, count) for severity, count in self._counts.items())
        self.setAccessibleName(name)
        self.setToolTip(self.tr("{0}; click to see them (Alt+6)").format(name))
        self.setVisible(bool(self._counts))
        self.updateGeometry()
        self.update()

    def set_short(self, short: bool) -> None:
        """Say the worst alone, or all."""
        if short != self._short:
            self._short = short
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(sum(self._widths())) + 4, min(CHIP_HEIGHT, round(QFontMetricsF(self.font()).height()) + 4))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _widths(self) -> list[float]:
        metrics = QFontMetricsF(self.font())
        return [SIGN + 4 + metrics.horizontalAdvance(quantity(count)) + 8 for _, count in self._said()]

    def _said(self) -> list[tuple[Severity, int]]:
        return list(self._counts.items())[: 1 if self._short else None]

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self.font())
        left = 2.0
        for (severity, count), width in zip(self._said(), self._widths(), strict=True):
            paint_sign(painter, SIGNS[severity], QRectF(left, 0, SIGN, self.height()), self._theme)
            tone = SIGNS[severity] if severity is not Severity.NOTE else "text"
            painter.setPen(self._theme.color(tone))
            area = QRectF(left + SIGN + 4, 0, width, self.height())
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, quantity(count))
            left += width
        if self.hasFocus():
            painter.setPen(QPen(self._theme.color("focus"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)
        painter.end()
