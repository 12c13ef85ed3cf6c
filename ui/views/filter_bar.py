"""The bar of the display filter: the field with what is said of it, its history, and saved filters as chips."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import qtawesome
from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QIcon, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from ui import fonts
from ui.models.filter_judgement import Standing
from ui.settings import SavedFilter
from ui.theme import RADIUS, Theme
from ui.views.chips import Chip
from ui.views.elided import ElidedLabel
from ui.views.filter_field import FilterField

HEIGHT = 28
BUTTON = 24
ICON = 16
SIGN = 14
SIGN_GAP = 5
MOST_REASON = 0.55
"""Share of the field that what is said of it may take."""
LEAST_REASON = 60
LEAST_FIELD = 140
"""Pixels that are left for what is typed."""
NARROW = 360
"""Below this width keys alone apply a filter and walk the history."""
WIDE = 1400
"""From this width of the window on saved filters are chips; below, they are in the menu of the funnel."""
MOST_LISTED = 70
"""Characters of a filter in a menu."""


class FilterChip(Chip):
    """A saved filter."""

    def __init__(self, theme: Theme, saved: SavedFilter, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.saved = saved
        self.menu_filler: Callable[[QMenu], None] = lambda menu: None
        self.setText(saved.name)
        # A name is no label with a key in it.
        self.setShortcut("")
        self.setToolTip(saved.text)
        self.setAccessibleName(self.tr("Saved filter {0}").format(saved.name))
        self._side = SIGN

    def sizeHint(self) -> QSize:
        wanted = super().sizeHint()
        return QSize(wanted.width() + self._side + SIGN_GAP, wanted.height())

    def paint_content(self, painter: QPainter) -> None:
        metrics = QFontMetricsF(self.font())
        left = (self.width() - self._side - SIGN_GAP - metrics.horizontalAdvance(self.text())) / 2
        icon = qtawesome.icon("ph.funnel-simple", color=self._theme.hex("text2"))
        icon.paint(painter, round(left), (self.height() - self._side) // 2, self._side, self._side)
        painter.setPen(self._theme.color("text"))
        area = QRectF(left + self._side + SIGN_GAP, 0, self.width(), self.height())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, self.text())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.menu_filler(menu)
        menu.popup(event.globalPos())


class RangeChip(Chip):
    """The stretch of time that all panes are limited to; pressed, it goes."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._side = SIGN
        self.hide()

    def show_range(self, text: str, meaning: str) -> None:
        """`meaning`: the same as a filter. Empty: there is no range."""
        self.setText(text)
        self.setToolTip(self.tr("Show the whole time again (Esc)") + f"\n{meaning}")
        self.setAccessibleName(self.tr("Range {0}, press to clear").format(text))
        self.setVisible(bool(text))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        wanted = super().sizeHint()
        return QSize(wanted.width() + self._side + SIGN_GAP, wanted.height())

    def paint_content(self, painter: QPainter) -> None:
        metrics = QFontMetricsF(self.font())
        left = (self.width() - self._side - SIGN_GAP - metrics.horizontalAdvance(self.text())) / 2
        painter.setPen(self._theme.color("accent"))
        painter.drawText(QRectF(left, 0, self.width(), self.height()), Qt.AlignmentFlag.AlignVCenter, self.text())
        icon = qtawesome.icon("ph.x", color=self._theme.hex("text2"))
        at = round(left + metrics.horizontalAdvance(self.text()) + SIGN_GAP)
        icon.paint(painter, at, (self.height() - self._side) // 2, self._side, self._side)


class FilterBar(QWidget):
    """Says what a person wants; `Filtering` does it."""

    cleared = Signal()
    """No filter is wanted any more."""
    chosen = Signal(str, bool)
    """A text of the history or a saved one: whether to apply it, or only to put it there."""
    save_wanted = Signal()
    rename_wanted = Signal(str)
    """The saved filter of a name."""
    remove_wanted = Signal(str)
    forget_wanted = Signal()
    """The history."""
    stop_wanted = Signal()
    """The evaluation takes too long."""
    range_cleared = Signal()
    """The whole time is to be shown."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._zoom = 1.0
        self._standing = Standing.EMPTY
        self._history: Sequence[str] = ()
        self._saved: Sequence[SavedFilter] = ()
        self._applied = False
        self._stopped = False
        self.chips: list[FilterChip] = []
        self.range = RangeChip(theme)
        self.range.clicked.connect(self.range_cleared)
        self._frame = _Frame(self)
        self.field = FilterField(theme)
        self.reason = ElidedLabel()
        self.reason.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.reason.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.funnel = self._button(self.tr("Saved filters"), self._open_funnel)
        self.stop = self._button(self.tr("Stop looking at packets"), self.stop_wanted.emit)
        self.clear = self._button(self.tr("Clear the filter"), self.cleared.emit)
        self.apply = self._button(self.tr("Apply the filter (Enter)"), self.field.applied.emit)
        self.history = self._button(self.tr("Filters that were applied"), self._open_history)
        self.save = self._button(self.tr("Save the filter as a button"), self.save_wanted.emit)
        self._lay_out()
        self.field.focused.connect(self._frame.update)
        self.field.textChanged.connect(self._on_text)
        self._on_text("")
        self.show_running(False)
        self.set_theme(theme)
        self.set_zoom(1.0)

    # What is shown

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.field.set_theme(theme)
        for button, name in (
            (self.clear, "x-circle"),
            (self.apply, "arrow-right"),
            (self.history, "clock-counter-clockwise"),
            (self.save, "plus"),
        ):
            button.setIcon(self._icon(name))
        self._show_funnel()
        self._show_stop()
        for chip in (self.range, *self.chips):
            chip.set_theme(theme)
        self._tint_reason()
        self._frame.update()

    def set_zoom(self, zoom: float, *, system: bool = False) -> None:
        """Another size of type and icons."""
        self._zoom = zoom
        self.field.set_zoom(zoom, system=system)
        self.reason.setFont(fonts.font(fonts.Use.HEAD, zoom=zoom, system=system))
        self._frame.setFixedHeight(round(HEIGHT * zoom))
        for button in (self.funnel, self.stop, self.clear, self.apply, self.history, self.save):
            button.setIconSize(QSize(round(ICON * zoom), round(ICON * zoom)))
            button.setFixedSize(round(BUTTON * zoom), round(BUTTON * zoom))
        for chip in (self.range, *self.chips):
            chip.setFont(fonts.font(fonts.Use.HEAD, zoom=zoom, system=system))
        self._fit()

    def show_standing(self, standing: Standing, reason: str, start: int = 0, end: int = 0) -> None:
        """What the text is, and what is said of it."""
        self._standing = standing
        wrong = standing is Standing.WRONG
        self.field.show_wrong(*((start, end) if wrong else (0, 0)))
        self.reason.setText(reason)
        self.field.setAccessibleDescription(reason)
        self._tint_reason()
        self._show_funnel()
        self._fit()
        self._frame.update()

    def show_applied(self, applied: bool) -> None:
        """The list obeys a filter now, or shows all."""
        self._applied = applied
        self._show_funnel()
        self._on_text(self.field.text())

    def show_range(self, text: str, meaning: str) -> None:
        """The stretch of time that panes are limited to, and the same as a filter; empty: none."""
        self.range.show_range(text, meaning)
        self._fit()

    def show_running(self, running: bool, *, stopped: bool = False) -> None:
        """The evaluation goes on, and can be stopped; or it was, and can go on."""
        self.stop.setVisible(running or stopped)
        self._fit()
        if stopped != self._stopped:
            self._stopped = stopped
            self._show_stop()

    def _show_stop(self) -> None:
        tip = self.tr("Look at the other packets, too") if self._stopped else self.tr("Stop looking at packets")
        self.stop.setIcon(self._icon("play-fill" if self._stopped else "pause-circle"))
        self.stop.setToolTip(tip)
        self.stop.setAccessibleName(tip)

    def show_history(self, texts: Sequence[str]) -> None:
        """What was applied, the newest first."""
        self._history = texts
        self.history.setEnabled(bool(texts))

    def show_saved(self, saved: Sequence[SavedFilter]) -> None:
        """Make a chip of each."""
        self._saved = saved
        for chip in self.chips:
            self._row.removeWidget(chip)
            chip.deleteLater()
        self.chips = []
        for place, one in enumerate(saved):
            chip = FilterChip(self._theme, one)
            chip.setFont(self.reason.font())
            chip.clicked.connect(partial(self.chosen.emit, one.text, True))
            chip.menu_filler = partial(self._fill_chip_menu, one)
            self._row.insertWidget(2 + place, chip)
            self.chips.append(chip)
        self._fit()

    @property
    def standing(self) -> Standing:
        """What the text is, as it was said."""
        return self._standing

    # Menus

    def funnel_menu(self) -> QMenu:
        """Saved filters and what can be done with them; it deletes itself when it is closed."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for one in self._saved:
            action = menu.addAction(f"{_short(one.name, MOST_LISTED)}\t{_short(one.text, MOST_LISTED // 2)}")
            action.triggered.connect(partial(self._choose, one.text, True))
        if self._saved:
            menu.addSeparator()
        menu.addAction(self.tr("Save the filter as a button..."), self.save_wanted.emit).setEnabled(
            self._standing is Standing.GOOD
        )
        for title, signal in ((self.tr("Rename"), self.rename_wanted), (self.tr("Remove"), self.remove_wanted)):
            inner = menu.addMenu(title)
            inner.setEnabled(bool(self._saved))
            for one in self._saved:
                inner.addAction(_short(one.name, MOST_LISTED)).triggered.connect(partial(_emit, signal, one.name))
        menu.addSeparator()
        menu.addAction(self.tr("Clear the filter"), self.cleared.emit).setEnabled(self.clear.isEnabled())
        return menu

    def history_menu(self) -> QMenu:
        """What was applied; it deletes itself when it is closed."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text in self._history:
            menu.addAction(_short(text, MOST_LISTED)).triggered.connect(partial(self._choose, text, True))
        menu.addSeparator()
        menu.addAction(self.tr("Forget these"), self.forget_wanted.emit)
        return menu

    def _fill_chip_menu(self, one: SavedFilter, menu: QMenu) -> None:
        menu.addAction(self.tr("Apply"), partial(self.chosen.emit, one.text, True))
        menu.addAction(self.tr("Put into the field"), partial(self.chosen.emit, one.text, False))
        menu.addSeparator()
        menu.addAction(self.tr("Rename..."), partial(self.rename_wanted.emit, one.name))
        menu.addAction(self.tr("Remove"), partial(self.remove_wanted.emit, one.name))

    def _choose(self, text: str, apply: bool, _checked: bool = False) -> None:
        self.chosen.emit(text, apply)

    @Slot()
    def _open_funnel(self) -> None:
        self.funnel_menu().popup(self.funnel.mapToGlobal(QPoint(0, self.funnel.height())))

    @Slot()
    def _open_history(self) -> None:
        menu = self.history_menu()
        corner = self.history.mapToGlobal(QPoint(self.history.width(), self.history.height()))
        menu.popup(corner - QPoint(menu.sizeHint().width(), 0))

    # Layout and painting

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _lay_out(self) -> None:
        inner = QHBoxLayout(self._frame)
        inner.setContentsMargins(3, 0, 3, 0)
        inner.setSpacing(0)
        inner.addWidget(self.funnel)
        inner.addSpacing(2)
        inner.addWidget(self.field, 1)
        inner.addSpacing(8)
        inner.addWidget(self.reason)
        inner.addSpacing(4)
        for button in (self.stop, self.clear, self.apply, self.history):
            inner.addWidget(button)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(8, 0, 4, 0)
        self._row.setSpacing(8)
        self._row.addWidget(self._frame, 1)
        self._row.addWidget(self.range)
        self._row.addWidget(self.save)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(1)

    def _fit(self) -> None:
        """Chips where there is room; the reason as wide as it is, but not over half of the field."""
        wide = self.window().width() >= WIDE * self._zoom and self._chips_fit()
        for chip in self.chips:
            chip.setVisible(wide)
        narrow = self._frame.width() < NARROW * self._zoom
        self.apply.setVisible(bool(self.field.text()) and not narrow)
        self.history.setVisible(not narrow)
        text = self.reason.text()
        wanted = self.reason.fontMetrics().horizontalAdvance(text) + 2 if text else 0
        buttons = (self.funnel, self.stop, self.clear, self.apply, self.history)
        taken = sum(button.width() for button in buttons if not button.isHidden()) + LEAST_FIELD * self._zoom
        room = min(self._frame.width() - taken, self._frame.width() * MOST_REASON)
        shown = min(wanted, room)
        # Of a few letters nobody reads anything.
        self.reason.setFixedWidth(round(shown) if shown >= min(wanted, LEAST_REASON * self._zoom) else 0)
        self.field.setToolTip(text)

    def _chips_fit(self) -> bool:
        """The field keeps half of the bar."""
        return sum(chip.sizeHint().width() + self._row.spacing() for chip in self.chips) <= self.width() / 2

    @Slot(str)
    def _on_text(self, text: str) -> None:
        self.clear.setVisible(bool(text) or self._applied)
        self._fit()

    def _tint_reason(self) -> None:
        palette = self.reason.palette()
        palette.setColor(self.reason.foregroundRole(), self._theme.color("text"))
        if self._standing is not Standing.WRONG:
            palette.setColor(self.reason.foregroundRole(), self._theme.color("text2"))
        self.reason.setPalette(palette)

    def _show_funnel(self) -> None:
        good = self._applied and self._standing is Standing.GOOD
        colour = {Standing.GOOD: "added", Standing.WRONG: "error"}.get(self._standing, "text2")
        self.funnel.setIcon(qtawesome.icon("ph.funnel-fill" if good else "ph.funnel", color=self._theme.hex(colour)))

    def _icon(self, name: str) -> QIcon:
        icon: QIcon = qtawesome.icon(
            f"ph.{name}", color=self._theme.hex("text2"), color_disabled=self._theme.hex("line2")
        )
        return icon

    def _button(self, tip: str, call: Callable[[], object]) -> QToolButton:
        button = QToolButton()
        button.setAutoRaise(True)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda _checked=False: call())
        return button

    def paint_frame(self, painter: QPainter, area: QRectF) -> None:
        """The ground and the outline of the field."""
        theme = self._theme
        ground, edge = {
            Standing.GOOD: ("filter_ok", "filter_ok_line"),
            Standing.WRONG: ("error_bg", "error"),
        }.get(self._standing, ("panel", "line2"))
        focused = self.field.hasFocus()
        if focused and edge == "line2":
            edge = "focus"
        painter.setPen(QPen(theme.color(edge), 1.5 if focused else 1.0))
        painter.setBrush(theme.color(ground))
        painter.drawRoundedRect(area.adjusted(1, 1, -1, -1), RADIUS, RADIUS)


class _Frame(QWidget):
    """Holds the field and its buttons."""

    def __init__(self, bar: FilterBar) -> None:
        super().__init__()
        self._bar = bar

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._bar.paint_frame(painter, QRectF(self.rect()))
        painter.end()


def _emit(signal: object, name: str, _checked: bool = False) -> None:
    signal.emit(name)  # type: ignore[attr-defined]


def _short(text: str, most: int) -> str:
    """As much of a text as a menu has room for, with what Qt takes for the mark of a key."""
    shown = " ".join(text.split())
    shown = shown if len(shown) <= most else f"{shown[: most - 3]}..."
    return shown.replace("&", "&&")
