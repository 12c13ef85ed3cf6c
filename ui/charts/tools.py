"""The row above the charts: one client or all, the range in view, zoom, which charts and units, copying."""

from __future__ import annotations

import qtawesome
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QFontMetrics, QIcon, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from analyzer.stats.series import Metric
from ui import fonts
from ui.charts.specs import ALL
from ui.theme import TOOL_ROW_HEIGHT, Theme
from ui.views.segments import Segments

_WIDE = 430
"""From here on the choice is written out."""
_LONGEST_NAME = 90
GAP = 4
ICON = 16
BUTTON_SIZE = 26, 24
RANGE_HEIGHT = 20
"""Of a line that is the range's own."""
_USUAL_RANGE = "00.0 – 000.0 s"


class ToolRow(QWidget):
    """Says what was asked for; does nothing itself."""

    all_chosen = Signal(bool)
    """All clients, or the one."""
    zoom_asked = Signal(int)
    """1 in, -1 out, 0 all."""
    chart_toggled = Signal(str, bool)
    unit_chosen = Signal(Metric)
    picture_asked = Signal()
    csv_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = ""
        self._client: tuple[str, bool, bool] | None = None
        self._segments = Segments(theme, 2)
        self._segments.group.idClicked.connect(lambda number: self.all_chosen.emit(number == 1))
        self._range_texts = "", ""
        self._range = QLabel()
        self._range.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._range.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._range.setAccessibleName(self.tr("Range in view"))
        self._buttons: list[tuple[QToolButton, str]] = []
        self._zoom = 1.0
        layout = QGridLayout(self)
        layout.setContentsMargins(8, 0, 4, 0)
        layout.setSpacing(0)
        layout.addWidget(self._segments, 0, 0)
        layout.setColumnStretch(1, 1)
        layout.setColumnMinimumWidth(2, GAP)
        self._grid = layout
        for icon, tip, number in (
            ("ph.magnifying-glass-minus", self.tr("Zoom out (-)"), -1),
            ("ph.magnifying-glass-plus", self.tr("Zoom in (+)"), 1),
            ("ph.arrows-out-line-horizontal", self.tr("Show all (0)"), 0),
        ):
            button = self._button(icon, tip)
            button.clicked.connect(lambda _checked=False, number=number: self.zoom_asked.emit(number))
            layout.addWidget(button, 0, 2 + len(self._buttons))
        for icon, tip, menu in (
            ("ph.sliders-horizontal", self.tr("Choose charts and units"), self._charts_menu()),
            ("ph.copy", self.tr("Copy the charts"), self._copy_menu()),
        ):
            button = self._button(icon, tip)
            button.clicked.connect(
                lambda _checked=False, button=button, menu=menu: menu.popup(
                    button.mapToGlobal(button.rect().bottomLeft())
                )
            )
            layout.addWidget(button, 0, 2 + len(self._buttons))
        self.set_theme(theme)
        self.set_zoom(1.0)

    @property
    def range_text(self) -> str:
        """What the range readout says."""
        return self._range_texts[0]

    @property
    def shown_range(self) -> str:
        """What of it there is room for."""
        return self._range.text()

    def set_theme(self, theme: Theme) -> None:
        """Icons and choices in another theme."""
        self._segments.set_theme(theme)
        for button, name in self._buttons:
            icon: QIcon = qtawesome.icon(name, color=theme.color("text2"), color_disabled=theme.color("text3"))
            button.setIcon(icon)

    def set_zoom(self, zoom: float) -> None:
        """Other font sizes."""
        self._segments.set_zoom(zoom)
        self._range.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))
        for button, _ in self._buttons:
            button.setIconSize(QSize(round(ICON * zoom), round(ICON * zoom)))
            button.setFixedSize(round(BUTTON_SIZE[0] * zoom), round(BUTTON_SIZE[1] * zoom))
        self._zoom = zoom
        self._write()

    def set_client(self, name: str, *, shows_all: bool, can_choose: bool) -> None:
        """Name of the one client; empty: there is none yet."""
        if (name, shows_all, can_choose) == self._client:
            return
        self._client = name, shows_all, can_choose
        self._name = name
        self._segments.choose(1 if shows_all else 0)
        for button in self._segments.buttons:
            button.setEnabled(can_choose)
        self._write()

    def set_range_text(self, text: str, short: str = "") -> None:
        """The range in view, or the time the pointer is at; `short` where there is no room for it."""
        self._range_texts = text, short or text
        self._range.setToolTip(text)
        self._write_range()

    def _write_range(self) -> None:
        text, short = self._range_texts
        room = self._range.width() - 2 * GAP
        fitting = (words for words in (text, short) if self._range.fontMetrics().horizontalAdvance(words) <= room)
        # A number of which the first digits are cut would be another number.
        self._range.setText(next(fitting, ""))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._write()
        self._write_range()

    def check_unit(self, metric: Metric) -> None:
        """Another unit was chosen elsewhere."""
        for action in self.charts_menu.actions():
            if action.data() == metric.value:
                action.setChecked(True)

    def _write(self) -> None:
        one, every = self._segments.buttons
        metrics = QFontMetrics(one.font())
        name = metrics.elidedText(self._name, Qt.TextElideMode.ElideRight, _LONGEST_NAME)
        wide = self.width() >= _WIDE
        if not name:
            one.setText(self.tr("Client"))
        else:
            one.setText(self.tr("Client {0}").format(name) if wide else name)
        every.setText(self.tr("All clients") if wide else self.tr("All"))
        one.setToolTip(self.tr("Only the snapshots of client {0}").format(self._name or "–"))
        every.setToolTip(self.tr("The snapshots of all clients"))
        for button in (one, every):
            button.setAccessibleName(button.toolTip())
            button.updateGeometry()
        self._arrange()

    def _arrange(self) -> None:
        """The range has a line of its own where it does not fit beside the rest. Whatever it is, nothing jumps."""
        room = self.width() - self._segments.sizeHint().width() - sum(button.width() for button, _ in self._buttons)
        wraps = self._range.fontMetrics().horizontalAdvance(_USUAL_RANGE) + 5 * GAP > room
        self._range.setContentsMargins(0, 0, 2 * GAP if wraps else 0, 0)
        self._grid.removeWidget(self._range)
        if wraps:
            self._grid.addWidget(self._range, 1, 0, 1, self._grid.columnCount())
        else:
            self._grid.addWidget(self._range, 0, 1)
        self._grid.setRowMinimumHeight(0, round(TOOL_ROW_HEIGHT * self._zoom))
        self.setFixedHeight(round((TOOL_ROW_HEIGHT + (RANGE_HEIGHT if wraps else 0)) * self._zoom))

    def _button(self, icon: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setAutoRaise(True)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        self._buttons.append((button, icon))
        return button

    def _charts_menu(self) -> QMenu:
        menu = QMenu(self)
        for spec in ALL:
            action = QAction(self._title(spec.key), menu, checkable=True, checked=spec.shown)
            action.toggled.connect(lambda on, key=spec.key: self.chart_toggled.emit(key, on))
            action.setData(spec.key)
            menu.addAction(action)
        for entries in (
            (
                (self.tr("Size: bytes on the wire"), Metric.WIRE_BYTES),
                (self.tr("Size: delta bytes"), Metric.DELTA_BYTES),
            ),
            (
                (self.tr("Baseline age: ms"), Metric.BASE_AGE_MS),
                (self.tr("Baseline age: ticks"), Metric.BASE_AGE_TICKS),
            ),
        ):
            menu.addSeparator()
            group = QActionGroup(menu)
            for text, metric in entries:
                action = QAction(text, menu, checkable=True, checked=metric is entries[0][1])
                action.triggered.connect(lambda _on=False, metric=metric: self.unit_chosen.emit(metric))
                action.setData(metric.value)
                group.addAction(action)
                menu.addAction(action)
        self.charts_menu = menu
        return menu

    def _title(self, key: str) -> str:
        return {
            "size": self.tr("Snapshot size"),
            "parts": self.tr("Parts"),
            "age": self.tr("Baseline age"),
            "items": self.tr("Items"),
            "ack": self.tr("Acknowledged after"),
            "packets": self.tr("Packets per second"),
            "bytes": self.tr("Byte rate"),
        }[key]

    def _copy_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.addAction(self.tr("Copy as picture")).triggered.connect(self.picture_asked)
        menu.addAction(self.tr("Copy range as CSV")).triggered.connect(self.csv_asked)
        return menu
