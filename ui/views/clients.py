"""The clients of a capture, the worst first, and the baseline store of the chosen one at the selected time."""

from __future__ import annotations

from collections.abc import Mapping

import qtawesome
from PySide6.QtCore import (
    QItemSelection,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    Qt,
    QTimer,
    Slot,
)
from PySide6.QtGui import QAction, QHideEvent, QIcon, QPainter, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QSplitter,
    QStackedLayout,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from analyzer.protocols.base import Pace
from analyzer.stats.baselines import baselines
from ui import fonts
from ui.document import Document
from ui.models.baselines import BaselineModel
from ui.models.client_cells import client_name, pace_text
from ui.models.client_source import ClientSource
from ui.models.clients import BAR_ROLE, ClientModel
from ui.models.related import last_packet
from ui.theme import CELL_PADDING, ICON_ROW_HEIGHT, PANE_HEADER_HEIGHT, ROW_HEIGHT, TOOL_ROW_HEIGHT, Theme
from ui.views.cells import CellDelegate
from ui.views.heads import TableHead
from ui.views.pane_state import PaneState
from ui.views.plain_table import PlainTable
from ui.words import count

LEAST_NAME = 80
SHOWN_FIRST = 6
"""Columns that share the width; the rest is reached by scrolling, or chosen in the menu of the heads."""
NARROW = 400
"""Below this width the mean of parts and the use of baselines are hidden."""
BASELINE_WIDTHS = (48, 68, 52, 66, 62, 0)
USED_BY = 4
LEAST_REMARK = 80


class _RateDelegate(CellDelegate):
    """Also draws a bar below a number that has one."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, row_height=ICON_ROW_HEIGHT)
        self._colours = theme

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._colours = theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        share = index.data(BAR_ROLE)
        if isinstance(share, float) and share > 0.0:
            area = QRectF(option.rect).adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
            width = max(1.0, area.width() * min(1.0, share))
            painter.fillRect(QRectF(area.right() - width, area.bottom() - 2, width, 2), self._colours.color("p2"))


class ClientsPane(QWidget):
    """Reads the selection for the time; writes to it the session limit, and a snapshot that was asked for."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._theme = theme
        self._session = -1
        self._zoom = 1.0
        self._narrow = False
        self._paces: Mapping[int, Pace] = {}
        self.source = ClientSource(self)
        self.clients = ClientModel(self)
        self.store = BaselineModel(self)
        self._title = QLabel()
        self.only = QToolButton()
        self._columns_button = QToolButton()
        self._store_title = QLabel()
        self._pace = QLabel()
        self.table = PlainTable(
            theme, self.clients, _RateDelegate(theme), TableHead(theme, sortable=True), row_height=ICON_ROW_HEIGHT
        )
        self.store_table = PlainTable(theme, self.store, CellDelegate(theme), TableHead(theme), row_height=ROW_HEIGHT)
        self._state = PaneState()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._show_store)
        self._lay_out()
        self._set_up()
        self.set_theme(theme)
        self.set_zoom(1.0)
        self.show_document(None)

    def show_document(self, document: Document | None) -> None:
        """Show another document, or none."""
        if self._document is not None:
            selection = self._document.selection
            selection.snapshot_changed.disconnect(self._snapshot_changed)
            selection.packet_changed.disconnect(self._store_outdated)
            selection.session_changed.disconnect(self._limited)
            self._document.decoded.disconnect(self._say_state)
        self._document = document
        self._session, self._paces = -1, {}
        self._soon.stop()
        if document is not None:
            selection = document.selection
            selection.snapshot_changed.connect(self._snapshot_changed)
            selection.packet_changed.connect(self._store_outdated)
            selection.session_changed.connect(self._limited)
            document.decoded.connect(self._say_state)
            names: dict[str, str] = {}
            for protocol in document.worker.capture.protocols:
                names.update(protocol.dialect_names)
            self.clients.set_dialects(names)
        self.source.show_document(document)
        self._limited(document.selection.session if document is not None else -1)
        self._snapshot_changed()
        self._say_state()

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.table.set_theme(theme)
        self.store_table.set_theme(theme)
        for button, name in ((self.only, "ph.user-focus"), (self._columns_button, "ph.sliders-horizontal")):
            icon: QIcon = qtawesome.icon(name, color=theme.color("text2"), color_disabled=theme.color("text3"))
            button.setIcon(icon)
        palette = self._pace.palette()
        palette.setColor(self._pace.foregroundRole(), theme.color("text2"))
        self._pace.setPalette(palette)
        self._title.setPalette(palette)

    def set_zoom(self, zoom: float) -> None:
        """Scale type, rows and columns."""
        self._zoom = zoom
        self.table.set_zoom(zoom)
        self.store_table.set_zoom(zoom)
        self._title.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))
        self._pace.setFont(fonts.font(fonts.Use.HEAD, zoom=zoom))
        self._store_title.setFont(fonts.font(fonts.Use.GROUP_ROW, zoom=zoom))
        self.only.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))
        self._tools.setFixedHeight(round(TOOL_ROW_HEIGHT * zoom))
        self._store_head.setFixedHeight(round(PANE_HEADER_HEIGHT * zoom))

    @property
    def session(self) -> int:
        """The chosen session, -1: none. Choosing selects nothing."""
        return self._session

    @property
    def store_title(self) -> str:
        """Whose store is shown, at which tick."""
        return self._store_title.text()

    @property
    def pace_text(self) -> str:
        """What the pane says of the server's rate."""
        return self._pace.text()

    def choose(self, session: int) -> None:
        """Make a session's row current."""
        row = self.clients.row_of(session)
        if row >= 0:
            self.table.setCurrentIndex(self.clients.index(row, 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = event.size().width() < round(NARROW * self._zoom)
        if narrow != self._narrow:
            self._narrow = narrow
            parts = next(at for at, column in enumerate(self.clients.columns) if column.name == "parts")
            self._show_column(parts, not narrow)
            self.store_table.setColumnHidden(USED_BY, narrow)
            self.store_table.fit_columns()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.source.switch(True)
        self._show_store()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.source.switch(False)
        self._soon.stop()

    def _lay_out(self) -> None:
        self._tools = QWidget()
        tools = QHBoxLayout(self._tools)
        tools.setContentsMargins(8, 0, 4, 0)
        tools.setSpacing(4)
        tools.addWidget(self._title, 1)
        tools.addWidget(self.only)
        tools.addWidget(self._columns_button)
        self._store_head = QWidget()
        head = QHBoxLayout(self._store_head)
        head.setContentsMargins(8, 0, 8, 0)
        head.setSpacing(8)
        head.addWidget(self._store_title, 1)
        head.addWidget(self._pace)
        lower = QWidget()
        below = QVBoxLayout(lower)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addWidget(self._store_head)
        below.addWidget(self.store_table)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setHandleWidth(5)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.table)
        splitter.addWidget(lower)
        splitter.setStretchFactor(0, 2)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([400, 220])
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._tools)
        column.addWidget(splitter)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(content)
        self._stack.addWidget(self._state)

    def _set_up(self) -> None:
        self.only.setText(self.tr("Only this session"))
        self.only.setToolTip(self.tr("Limit every pane to the chosen session; again: show all"))
        self.only.setCheckable(True)
        self.only.setAutoRaise(True)
        self.only.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.only.clicked.connect(self._toggle_limit)
        self._columns_button.setAutoRaise(True)
        self._columns_button.setToolTip(self.tr("Choose the columns"))
        self._columns_button.setAccessibleName(self.tr("Choose the columns"))
        self._columns_button.clicked.connect(
            lambda: self._choose_columns(self._columns_button.mapToGlobal(self._columns_button.rect().bottomLeft()))
        )
        self.table.setAccessibleName(self.tr("Clients"))
        self.store_table.setAccessibleName(self.tr("Baselines"))
        self.table.set_widths(
            [column.width for column in self.clients.columns], stretched=0, least=LEAST_NAME, fit=SHOWN_FIRST
        )
        self.store_table.set_widths(
            BASELINE_WIDTHS, stretched=len(BASELINE_WIDTHS) - 1, least=LEAST_REMARK, fit=len(BASELINE_WIDTHS)
        )
        head = self.table.horizontalHeader()
        head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head.customContextMenuRequested.connect(lambda at: self._choose_columns(head.mapToGlobal(at)))
        head.sortIndicatorChanged.connect(self.clients.sort)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._context_menu)
        self.table.selectionModel().selectionChanged.connect(self._chosen)
        self.table.chosen.connect(self._select_worst)
        self.store_table.clicked.connect(lambda index: self._select_stored(index.row()))
        self.store_table.chosen.connect(self._select_stored)
        self.source.changed.connect(self._show_clients)
        self.source.paced.connect(self._show_paces)

    @Slot()
    def _show_clients(self) -> None:
        self.clients.show(self.source.clients.stats)
        if self.clients.row_of(self._session) < 0:
            self._session = -1
        self._follow_selection()
        self._say_state()
        self._show_store()

    @Slot(object)
    def _show_paces(self, paces: Mapping[int, Pace]) -> None:
        self._paces = paces
        self.clients.show_paces(paces)
        self._say_pace()

    def _follow_selection(self) -> None:
        """The client of the selected snapshot becomes the chosen one; without a snapshot the worst is, at first."""
        if self._document is None:
            return
        snapshot = self._document.selection.place.snapshot
        if snapshot >= 0 and self._session < 0:
            self.choose(self._document.tables.snapshots.integer("session", snapshot))
        if self._session < 0 and self.clients.rowCount():
            self.choose(self.clients.session_at(0))

    @Slot()
    def _snapshot_changed(self) -> None:
        if self._document is not None:
            snapshot = self._document.selection.place.snapshot
            if snapshot >= 0:
                self.choose(self._document.tables.snapshots.integer("session", snapshot))
        self._store_outdated()

    @Slot()
    def _store_outdated(self) -> None:
        """Packet and snapshot change together: the store is shown once for both."""
        if self.isVisible():
            self._soon.start(0)

    @Slot()
    def _show_store(self) -> None:
        history = self.source.clients.histories.get(self._session)
        document = self._document
        index = -1 if history is None or document is None else history.at(document.selection.place.packet)
        stats = self.clients.stats_of(self._session)
        if document is None or history is None or index < 0 or stats is None:
            self.store.show([], int)
            self._store_title.setText("" if stats is None else self._nothing_yet(client_name(stats)))
        else:
            tables = document.tables
            rows = baselines(tables, history, index)
            self.store.show(rows, lambda packet: tables.packets.integer("frame", packet) + 1)
            row = self.clients.row_at(self.clients.row_of(self._session))
            name = client_name(stats, several=row.several)
            self._store_title.setText(self.tr("Baselines of {0} at tick {1}").format(name, history.ticks[index]))
        self._say_pace()
        self._say_limit()

    def _nothing_yet(self, name: str) -> str:
        return self.tr("No snapshot for {0} yet at the selected packet").format(name)

    def _say_pace(self) -> None:
        pace = self._paces.get(self._session) if self.store.rowCount() else None
        known = pace is not None and bool(pace.state or pace.per_second)
        text = ""
        if pace is not None and known:
            rate = pace_text(pace) if pace.state else self.tr("{0:g}/s").format(pace.per_second)
            text = self.tr("server rate, inferred: {0}").format(rate)
        self._pace.setText(text)
        self._pace.setToolTip(pace.reason if pace is not None else "")

    def _say_state(self) -> None:
        if self._document is None:
            self._state.show_state(self.tr("No capture open"), self.tr("Clients are listed as soon as one is open."))
        elif not self.clients.rowCount() and not self._document.is_decoded:
            self._state.show_state(self.tr("Decoding"), self.tr("Clients are listed as they are found."))
        elif not self.clients.rowCount():
            self._state.show_state(
                self.tr("No clients"), self.tr("The capture holds no session of a game that is decoded.")
            )
        self._stack.setCurrentIndex(0 if self.clients.rowCount() else 1)
        self._say_limit()

    def _say_limit(self) -> None:
        limit = self._document.selection.session if self._document is not None else -1
        self.only.setEnabled(self._session >= 0)
        self.only.setChecked(limit >= 0 and limit == self._session)
        clients = count(self.clients.rowCount(), self.tr("client"))
        stats = self.clients.stats_of(limit)
        only = self.tr("Only {0} of {1}")
        self._title.setText(clients if stats is None else only.format(client_name(stats), clients))

    @Slot(int)
    def _limited(self, session: int) -> None:
        self.clients.limit_to(session)
        self._say_limit()

    @Slot()
    def _toggle_limit(self) -> None:
        if self._document is not None and self._session >= 0:
            selection = self._document.selection
            selection.limit_to(-1 if selection.session == self._session else self._session)
        self._say_limit()

    @Slot(QItemSelection, QItemSelection)
    def _chosen(self, _selected: QItemSelection, _deselected: QItemSelection) -> None:
        index = self.table.currentIndex()
        session = self.clients.session_at(index.row()) if index.isValid() else -1
        if session != self._session:
            self._session = session
            self._show_store()

    def _select_worst(self, row: int) -> None:
        """The first failed snapshot of a client, or its last."""
        session = self.clients.session_at(row)
        history = self.source.clients.histories.get(session)
        if self._document is not None and history is not None:
            self._select(history.first_failed(self._document.tables))

    def _select_stored(self, row: int) -> None:
        self._select(self.store.row_at(row).snapshot)

    def _select(self, snapshot: int) -> None:
        if self._document is not None and snapshot >= 0:
            self._document.selection.select(last_packet(self._document.tables, snapshot), snapshot)

    def _context_menu(self, at: QPoint) -> None:
        index = self.table.indexAt(at)
        if not index.isValid():
            return
        menu = self.client_menu(index.row())
        menu.popup(self.table.viewport().mapToGlobal(at))

    def client_menu(self, row: int) -> QMenu:
        """What can be done with a client; the menu deletes itself when it closes."""
        self.table.selectRow(row)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        failed = bool(self.clients.row_at(row).stats.failed)
        go = self.tr("Go to its first failed snapshot") if failed else self.tr("Go to its last snapshot")
        menu.addAction(go, lambda: self._select_worst(row))
        only = menu.addAction(self.tr("Only this session"), self._toggle_limit)
        only.setCheckable(True)
        only.setChecked(self.only.isChecked())
        return menu

    def _choose_columns(self, at: QPoint) -> None:
        self.columns_menu().popup(at)

    def columns_menu(self) -> QMenu:
        """Which columns are shown; the menu deletes itself when it closes."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for number, column in enumerate(self.clients.columns):
            if number:
                action = QAction(column.head, menu, checkable=True, checked=not self.table.isColumnHidden(number))
                action.setToolTip(column.tip)
                action.toggled.connect(lambda shown, number=number: self._show_column(number, shown))
                menu.addAction(action)
        return menu

    def _show_column(self, column: int, shown: bool) -> None:
        self.table.setColumnHidden(column, not shown)
        self.table.fit_columns()
