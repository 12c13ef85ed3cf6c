"""The baseline store of one client at one moment: whose, when, and how often the server sends."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QVBoxLayout, QWidget

from analyzer.protocols.base import Pace
from analyzer.stats.baselines import Baseline, baselines
from analyzer.stats.history import History
from ui import fonts
from ui.document import Document
from ui.models.baselines import BaselineModel
from ui.models.client_cells import pace_text
from ui.theme import PANE_HEADER_HEIGHT, ROW_HEIGHT, Theme
from ui.views.cells import CellDelegate
from ui.views.column_table import ColumnTable
from ui.views.elided import ElidedLabel
from ui.views.heads import TableHead

LEAST_REMARK = 80
_TOPIC = "baselines"
NARROW = 400
"""Below this width the use of baselines is hidden, and only the rate itself is said."""


class BaselineStore(QWidget):
    """Shows what it is told to, as soon as it is known; a click or Enter in a row asks for that snapshot."""

    chosen = Signal(int)
    """Row of a snapshot."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._zoom = 1.0
        self._wanted: object = None
        """What was asked for last: an answer to anything else is too late."""
        self._inferred: Pace | None = None
        self.model = BaselineModel(self)
        self.table = ColumnTable(theme, self.model, CellDelegate(theme), TableHead(theme), row_height=ROW_HEIGHT)
        self._title = ElidedLabel()
        self._pace = QLabel()
        self._head = QWidget()
        head = QHBoxLayout(self._head)
        head.setContentsMargins(8, 0, 8, 0)
        head.setSpacing(8)
        head.addWidget(self._title, 1)
        head.addWidget(self._pace)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._head)
        column.addWidget(self.table)
        self.table.setAccessibleName(self.tr("Baselines"))
        widths = [entry.width for entry in self.model.columns]
        self.table.set_widths(widths, stretched=len(widths) - 1, least=LEAST_REMARK, fit=len(widths))
        self.table.fill_menu = self._fill_menu
        self.table.clicked.connect(lambda index: self._choose(index.row()))
        self.table.chosen.connect(self._choose)
        self.set_theme(theme)
        self.set_zoom(1.0)

    @property
    def title(self) -> str:
        """Whose store is shown, at which tick."""
        return self._title.text()

    @property
    def pace(self) -> str:
        """What is said of the server's rate."""
        return self._pace.text()

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self.table.set_theme(theme)
        palette = self._pace.palette()
        palette.setColor(self._pace.foregroundRole(), theme.color("text2"))
        self._pace.setPalette(palette)

    def set_zoom(self, zoom: float) -> None:
        """Scale type, rows and columns."""
        self._zoom = zoom
        self.table.set_zoom(zoom)
        self._pace.setFont(fonts.font(fonts.Use.HEAD, zoom=zoom))
        self._title.setFont(fonts.font(fonts.Use.GROUP_ROW, zoom=zoom))
        self._head.setFixedHeight(round(PANE_HEADER_HEIGHT * zoom))

    def show_nothing(self, name: str = "") -> None:
        """There is no snapshot of client `name` yet; without a name, no client is chosen."""
        self._wanted = None
        self.model.show([], int)
        self._title.setText(self.tr("No snapshot for {0} yet at the selected packet").format(name) if name else "")
        self._say_pace()

    def show_store(self, document: Document, history: History, index: int, name: str, *, selected: bool) -> None:
        """Show the store when snapshot `index` of a history of client `name` was complete.

        `selected`: that is the snapshot which is selected. It is worked out off the window's thread.
        """
        tables = document.tables
        wanted = self._wanted = object()
        title = self.tr("Baselines of {0} at tick {1}").format(name, history.ticks[index])

        def show(rows: list[Baseline]) -> None:
            if wanted is self._wanted:
                self.model.show(rows, lambda packet: tables.packets.integer("frame", packet) + 1, selected=selected)
                self._title.setText(title)
                self._say_pace()

        document.ask(_TOPIC, lambda _query: baselines(tables, history, index), show)

    def show_pace(self, pace: Pace | None) -> None:
        """How often the server sends, as far as it can be inferred."""
        self._inferred = pace
        self._say_pace()

    def _say_pace(self) -> None:
        pace, text = self._inferred, ""
        if pace is not None and self.model.rowCount() and (pace.state or pace.per_second):
            rate = pace_text(pace) if pace.state else self.tr("{0:g}/s").format(pace.per_second)
            text = rate if self._is_narrow() else self.tr("server rate, inferred: {0}").format(rate)
        self._pace.setText(text)
        tip = self.tr("Server rate, inferred: {0}")
        self._pace.setToolTip(tip.format(pace.reason) if text and pace is not None else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.table.setColumnHidden(self.model.column_of("used"), self._is_narrow())
        self.table.fit_columns()
        self._say_pace()

    def _is_narrow(self) -> bool:
        return self.width() < round(NARROW * self._zoom)

    def _fill_menu(self, menu: QMenu, row: int) -> None:
        if self.model.row_at(row).snapshot >= 0:
            menu.addAction(self.tr("Go to the snapshot"), lambda: self._choose(row))

    def _choose(self, row: int) -> None:
        snapshot = self.model.row_at(row).snapshot
        if snapshot >= 0:
            self.chosen.emit(snapshot)
