"""The card of the welcome page that captures: interfaces with their traffic, a filter, and what to do for the right."""

from __future__ import annotations

from collections.abc import Sequence

import qtawesome
from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from analyzer.capture.live.messages import NetworkPlace
from analyzer.capture.live.rights import Through, Ways
from ui import fonts
from ui.dialogs.capture_filter import CaptureFilter
from ui.dialogs.sentence import Sentence
from ui.inquiry import Inquiry
from ui.machine import Machine
from ui.models.places import PlaceModel
from ui.settings import CaptureOptions
from ui.theme import Theme
from ui.traffic import Traffic
from ui.views.card_rows import CARD_ROW_HEIGHT
from ui.views.cards import Ground
from ui.views.place_list import PlaceList

ASK_MS = 400
"""The window is painted, and what the command line names is opened, before a child is asked for interfaces."""
LEAST_ROWS = 3
INTERFACES, RIGHT = "interfaces", "right to capture"


class InterfacesCard(Ground):
    """Asks and counts while it is seen."""

    wanted = Signal(str, str)
    """Capture on this interface, through this filter."""

    def __init__(self, theme: Theme, machine: Machine, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._machine = machine
        self._inquiry = Inquiry(self)
        self._last = CaptureOptions()
        self._command = ""
        self._zoom = 1.0
        self.traffic = Traffic(self._inquiry, self)
        self.places = PlaceModel(self.traffic, self)
        self.list = PlaceList(theme, self.places)
        self.filter = CaptureFilter(theme, 1.0, self._inquiry, machine.check_filter)
        self.start = QPushButton(self.tr("Start"))
        self.start.setDefault(True)
        self.start.setToolTip(self.tr("Capture on the chosen interface"))
        self.state = QLabel()
        self.state.setWordWrap(True)
        self.right = Sentence(theme, 1.0)
        self.copy = QPushButton(self.tr("Copy"))
        self.copy.hide()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(ASK_MS)
        self._soon.timeout.connect(self.refresh)
        self._lay_out()
        self._connect()
        self._show_places([])
        self.set_theme(theme)

    def _connect(self) -> None:
        self.start.clicked.connect(self._start)
        self.list.wanted.connect(self._start)
        self.list.selectionModel().currentChanged.connect(self._enable)
        self.filter.changed.connect(self._enable)
        self.filter.field.returnPressed.connect(self._start)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._command))

    def _lay_out(self) -> None:
        self._icon = QLabel()
        self._title = QLabel(self.tr("Interfaces"))
        self._minute = QLabel(self.tr("last 60 s"))
        self._filter_title = QLabel(self.tr("Filter"))
        self._filter_title.setContentsMargins(0, 4, 0, 0)
        head = QHBoxLayout()
        head.setContentsMargins(12, 0, 12, 0)
        head.setSpacing(8)
        head.addWidget(self._icon)
        head.addWidget(self._title)
        head.addStretch()
        head.addWidget(self._minute)
        below = QHBoxLayout()
        below.setContentsMargins(12, 0, 12, 0)
        below.setSpacing(8)
        top = Qt.AlignmentFlag.AlignTop
        below.addWidget(self._filter_title, 0, top)
        below.addWidget(self.filter, 1)
        below.addWidget(self.start, 0, top)
        self._right = QWidget()
        line = QHBoxLayout(self._right)
        line.setContentsMargins(12, 0, 12, 0)
        line.setSpacing(8)
        line.addWidget(self.right, 1)
        line.addWidget(self.copy)
        self.state.setContentsMargins(12, 8, 12, 8)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(8, 12, 8, 12)
        whole.setSpacing(8)
        whole.addLayout(head)
        whole.addWidget(self.list, 1000)
        whole.addWidget(self.state)
        whole.addWidget(self._right)
        whole.addLayout(below)
        whole.addStretch(1)

    def show_last(self, options: CaptureOptions) -> None:
        """What was captured last is proposed."""
        if options != self._last:
            self._last = options
            self.filter.set_text(options.filter)
            self.list.choose(options.interface)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.list.set_theme(theme)
        self.filter.set_theme(theme)
        self.right.set_theme(theme)
        self._icon.setPixmap(qtawesome.icon("ph.broadcast", color=theme.color("text2")).pixmap(16, 16))
        for label, tone in (
            (self._title, "text"),
            (self._minute, "text2"),
            (self.state, "text2"),
            (self._filter_title, "text2"),
        ):
            palette = label.palette()
            palette.setColor(label.foregroundRole(), theme.color(tone))
            label.setPalette(palette)

    def set_zoom(self, zoom: float) -> None:
        """Scale type and rows."""
        self._zoom = zoom
        self.list.set_zoom(zoom)
        self.filter.set_zoom(zoom)
        self.right.set_zoom(zoom)
        for label, use in (
            (self._title, fonts.Use.CARD_TITLE),
            (self._minute, fonts.Use.HEAD),
            (self.state, fonts.Use.TABLE),
            (self._filter_title, fonts.Use.TABLE),
            (self.start, fonts.Use.TABLE),
            (self.copy, fonts.Use.TABLE),
        ):
            label.setFont(fonts.font(use, zoom=zoom))
        # As high as the head of the card beside this one, which has a button.
        self._title.setMinimumHeight(self.start.sizeHint().height())
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._soon.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._soon.stop()
        self.filter.stop()
        self.traffic.watch(self, False)
        for topic in (INTERFACES, RIGHT):
            self._inquiry.forget(topic)

    def wait(self, seconds: float) -> bool:
        """Wait until every question was answered. False: one was not."""
        return self._inquiry.wait(seconds)

    @Slot()
    def refresh(self) -> None:
        """Ask anew which interfaces there are, and for the right."""
        self.traffic.watch(self, True)
        self._inquiry.ask(INTERFACES, self._machine.list_interfaces, self._show_places, self._lack)
        self._inquiry.ask(RIGHT, self._ask_right, self._say_right, lambda error: None)

    def _ask_right(self) -> Ways | None:
        """None: the user has it."""
        return None if self._machine.may_capture() else self._machine.ways()

    def _show_places(self, places: Sequence[NetworkPlace]) -> None:
        kept = self.list.chosen or self._last.interface
        self.places.show(places)
        self.list.choose(kept)
        asked = self.isVisible()
        none = self.tr("This machine has no network interface that can be captured on.")
        self.state.setText(none if asked else self.tr("Asking which interfaces there are..."))
        self._fit()
        self._enable()

    def _lack(self, error: Exception) -> None:
        self.places.show([])
        self.state.setText(str(error))
        self._fit()
        self._enable()

    def _say_right(self, found: Ways | None) -> None:
        text, self._command = "", ""
        if found is not None:
            through = next((way for way in found.ready if way is not Through.SUDO), None)
            text = self.tr("This user may not capture.")
            if through is Through.DUMPCAP:
                text = self.tr("{0} dumpcap, which may, captures in its place.").format(text)
            elif through is not None:
                text = self.tr("{0} Start asks for the administrator's password.").format(text)
            text = f"{text} {found.hint}".strip()
            self._command = found.command or found.hint
        self.right.say(text, "warn" if found is not None and not found.ready else "note")
        self.copy.setVisible(bool(self._command))
        self.copy.setToolTip(self._command)
        self._right.setVisible(bool(text))

    def _fit(self) -> None:
        """As high as its rows; where there is no room, it scrolls."""
        rows = self.places.rowCount()
        self.list.setVisible(rows > 0)
        self.state.setVisible(rows == 0)
        height = round(CARD_ROW_HEIGHT * self._zoom)
        self.list.setMinimumHeight(LEAST_ROWS * height)
        self.list.setMaximumHeight(max(rows, LEAST_ROWS) * height)
        self.state.setFixedHeight(LEAST_ROWS * height)
        self._right.setVisible(bool(self.right.text()))

    @Slot()
    def _enable(self) -> None:
        self.start.setEnabled(bool(self.list.chosen) and not self.filter.is_wrong)

    @Slot()
    def _start(self) -> None:
        if self.start.isEnabled():
            self.wanted.emit(self.list.chosen, self.filter.text)
