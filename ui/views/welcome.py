"""What the window shows while nothing is open: where to drop a capture, recent ones, interfaces, samples to try."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import qtawesome
from PySide6.QtCore import QMimeData, QRect, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QIcon,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from analyzer.resources import resource
from ui import fonts
from ui.icons import product_icon
from ui.machine import Machine
from ui.models.recent import RecentModel
from ui.settings import RecentCapture
from ui.theme import Theme
from ui.views.card_rows import CARD_ROW_HEIGHT
from ui.views.cards import Card, Ground
from ui.views.interfaces_card import InterfacesCard
from ui.views.recent_list import RecentList

WIDEST = 1296
PRODUCT_ICON = 44
LEAST_ROWS = 4
"""Recent captures that are always in view."""


class WelcomePage(QWidget):
    """Asks for captures to be opened; remembers nothing itself."""

    open_requested = Signal(str)
    """Path of a capture."""
    dropped = Signal(list)
    """Paths of files that were dropped here."""
    browse_requested = Signal()
    forget_requested = Signal(str)
    """Take this path off the recent captures."""

    capture_requested = Signal(str, str)
    """Capture on this interface, through this filter."""

    def __init__(self, theme: Theme, machine: Machine, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._zoom = 1.0
        self.interfaces = InterfacesCard(theme, machine)
        self.recent = RecentModel(self)
        self.list = RecentList(theme, self.recent)
        self.drop_area = Card(theme, "ph.file-arrow-down", self._drop_lines(), dashed=True)
        self.samples = [Card(theme, icon, lines) for _, icon, lines in self._samples()]
        self.browse = QPushButton(self.tr("Open\N{HORIZONTAL ELLIPSIS}"))
        self._ground = Ground(theme)
        self._labels: list[tuple[QLabel, fonts.Use, str]] = []
        self._icons: list[tuple[_Icon, str]] = []
        self._empty = self._label(self.tr("Captures that you open are listed here."), fonts.Use.TABLE, "text2")
        self._lay_out()
        self._connect()
        self.setAcceptDrops(True)
        self.set_theme(theme)
        self.set_zoom(1.0)
        self.show_recent([])

    def show_recent(self, captures: Sequence[RecentCapture]) -> None:
        """Show captures that were opened before, the newest first. Looks whether they are still there."""
        self.recent.show(captures, datetime.now(UTC).astimezone())
        self.list.setVisible(bool(captures))
        self._empty.setVisible(not captures)
        self._fit_list()

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        for card in (self.drop_area, *self.samples):
            card.set_theme(theme)
        self._ground.set_theme(theme)
        self.interfaces.set_theme(theme)
        self.list.set_theme(theme)
        for label, _, tone in self._labels:
            palette = label.palette()
            palette.setColor(label.foregroundRole(), theme.color(tone))
            label.setPalette(palette)
        for icon, name in self._icons:
            icon.show_icon(qtawesome.icon(name, color=theme.color("text2")))
        self.browse.setIcon(qtawesome.icon("ph.folder-open", color=theme.color("text2")))

    def set_zoom(self, zoom: float) -> None:
        """Scale type and rows."""
        for card in (self.drop_area, *self.samples):
            card.set_zoom(zoom)
        self.list.set_zoom(zoom)
        self.interfaces.set_zoom(zoom)
        self._zoom = zoom
        self._fit_list()
        for label, use, _ in self._labels:
            label.setFont(fonts.font(use, zoom=zoom))
        self.browse.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))
        for icon in self.findChildren(_Icon):
            icon.set_zoom(zoom)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()):
            self.drop_area.offered = True
            self.drop_area.update()
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._offer_ends()

    def dropEvent(self, event: QDropEvent) -> None:
        self._offer_ends()
        paths = local_files(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self.dropped.emit(paths)

    def _fit_list(self) -> None:
        """Some rows at least; where there is no room for the others, it scrolls."""
        height = round(CARD_ROW_HEIGHT * self._zoom)
        self.list.setMinimumHeight(LEAST_ROWS * height)
        self._empty.setMinimumHeight(LEAST_ROWS * height)

    def _offer_ends(self) -> None:
        self.drop_area.offered = False
        self.drop_area.update()

    def _drop_lines(self) -> tuple[str, str, str]:
        return (
            self.tr("Drop a capture here"),
            self.tr(".pcap, .pcapng and .gz of either; a click chooses one"),
            self.tr("Game traffic is recognised on any port, also in the middle of a session"),
        )

    def _samples(self) -> list[tuple[str, str, tuple[str, str, str]]]:
        """File, icon and lines of each sample. A test holds the lines against the files."""
        return [
            (
                "ddnet_learntoplay.pcap.gz",
                "ph.play-circle",
                (
                    self.tr("Healthy match"),
                    self.tr("3 clients, every snapshot proved"),
                    self.tr("Learn the window in two minutes"),
                ),
            ),
            (
                "ddnet_tsunami_badcrc_head.pcap.gz",
                "ph.warning-circle",
                (
                    self.tr("Broken checksums"),
                    self.tr("6 clients, 3 snapshots altered, 95 rest on them"),
                    self.tr("Find the first failure and what followed from it"),
                ),
            ),
            (
                "ddnet_ctf3_midsession_head.pcap.gz",
                "ph.clock-counter-clockwise",
                (
                    self.tr("Begun in mid-session"),
                    self.tr("8 clients, 4 with baselines from before the capture"),
                    self.tr("See what can still be read, and when a client recovers"),
                ),
            ),
        ]

    def _connect(self) -> None:
        self.drop_area.clicked.connect(self.browse_requested)
        self.browse.clicked.connect(self.browse_requested)
        self.interfaces.wanted.connect(self.capture_requested)
        refresh = QShortcut(QKeySequence("F5"), self)
        refresh.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        refresh.activated.connect(self.interfaces.refresh)
        self.list.opened.connect(self.open_requested)
        self.list.forgotten.connect(self.forget_requested)
        for card, (name, _, _) in zip(self.samples, self._samples(), strict=True):
            card.clicked.connect(lambda _checked=False, name=name: self._open_sample(name))

    def _open_sample(self, name: str) -> None:
        self.open_requested.emit(str(resource(f"samples/{name}")))

    def _lay_out(self) -> None:
        content = QWidget()
        content.setMaximumWidth(WIDEST)
        grid = QGridLayout(content)
        grid.setContentsMargins(48, 32, 48, 32)
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(20)
        grid.addLayout(self._head(), 0, 0, 1, 2)
        grid.addWidget(self.drop_area, 1, 0, 1, 2)
        grid.addWidget(self._recent_card(), 2, 0)
        grid.addWidget(self.interfaces, 2, 1)
        grid.addLayout(self._sample_row(), 3, 0, 1, 2)
        for column in range(2):
            grid.setColumnStretch(column, 1)
        grid.setRowStretch(2, 1000)
        grid.setRowStretch(4, 1)
        middle = QWidget()
        row = QHBoxLayout(middle)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        row.addWidget(content, 1000)
        row.addStretch(1)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(middle)
        around = QVBoxLayout(self)
        around.setContentsMargins(0, 0, 0, 0)
        around.addWidget(scroll)

    def _head(self) -> QHBoxLayout:
        icon = _Icon(PRODUCT_ICON)
        icon.show_icon(product_icon())
        texts = QVBoxLayout()
        texts.setSpacing(0)
        texts.addWidget(self._label(self.tr("Snapscope"), fonts.Use.PRODUCT, "text"))
        texts.addWidget(
            self._label(self.tr("What the server told each client, tick by tick"), fonts.Use.TABLE, "text2")
        )
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(icon)
        row.addLayout(texts)
        row.addStretch()
        keys = QGridLayout()
        keys.setHorizontalSpacing(16)
        keys.setVerticalSpacing(4)
        for line, (words, key) in enumerate(
            ((self.tr("Open a capture"), self.tr("Ctrl+O")), (self.tr("Capture live"), self.tr("Ctrl+K")))
        ):
            keys.addWidget(self._label(words, fonts.Use.TABLE, "text2"), line, 0)
            keys.addWidget(self._label(key, fonts.Use.GROUP_ROW, "text"), line, 1)
        row.addLayout(keys)
        return row

    def _recent_card(self) -> QWidget:
        head = QHBoxLayout()
        head.setContentsMargins(12, 0, 4, 0)
        head.setSpacing(8)
        head.addWidget(self._small_icon("ph.clock-counter-clockwise"))
        head.addWidget(self._label(self.tr("Recent captures"), fonts.Use.CARD_TITLE, "text"))
        head.addStretch()
        self.browse.setFlat(True)
        self.browse.setToolTip(self.tr("Open a capture (Ctrl+O)"))
        head.addWidget(self.browse)
        self._empty.setContentsMargins(12, 8, 12, 8)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self._ground)
        column.setContentsMargins(8, 12, 8, 8)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        column.addWidget(self._empty, 1)
        return self._ground

    def _sample_row(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(12)
        column.addWidget(self._label(self.tr("Sample captures"), fonts.Use.CARD_TITLE, "text"))
        row = QHBoxLayout()
        row.setSpacing(16)
        for card in self.samples:
            row.addWidget(card, 1)
        column.addLayout(row)
        return column

    def _label(self, text: str, use: fonts.Use, tone: str) -> QLabel:
        label = QLabel(text)
        self._labels.append((label, use, tone))
        return label

    def _small_icon(self, name: str) -> _Icon:
        icon = _Icon(16)
        self._icons.append((icon, name))
        return icon


class _Icon(QWidget):
    """Paints an icon at the screen's own resolution."""

    def __init__(self, side: int) -> None:
        super().__init__()
        self._icon = QIcon()
        self._side = side
        self.set_zoom(1.0)

    def set_zoom(self, zoom: float) -> None:
        self.setFixedSize(round(self._side * zoom), round(self._side * zoom))

    def show_icon(self, icon: QIcon) -> None:
        self._icon = icon
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        self._icon.paint(QPainter(self), QRect(0, 0, self.width(), self.height()))


def local_files(data: QMimeData) -> list[str]:
    """Paths of the local files that are dragged."""
    return [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
