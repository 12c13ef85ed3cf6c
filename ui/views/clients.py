"""The clients of a capture, the worst first, and the baseline store of the chosen one at the selected time."""

from __future__ import annotations

from collections.abc import Mapping

import qtawesome
from PySide6.QtCore import QItemSelection, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QIcon, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSplitter, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from analyzer.expert.rule import Severity
from analyzer.protocols.base import Pace
from ui import fonts
from ui.document import Document
from ui.models.client_source import ClientSource
from ui.models.clients import ClientModel
from ui.models.related import last_packet
from ui.selection import Place
from ui.settings import Preferences
from ui.theme import TOOL_ROW_HEIGHT, Theme
from ui.views.baseline_store import BaselineStore
from ui.views.client_table import ClientTable
from ui.views.current_row import go_to_row
from ui.views.elided import ElidedLabel
from ui.views.filter_menu import AsFilter
from ui.views.pane_state import PaneState
from ui.words import count


class ClientsPane(QWidget):
    """Reads the selection for the time; writes to it the session limit, and a snapshot that was asked for."""

    decode_as_wanted = Signal(int)
    """Of the flow of a session."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._session = -1
        self._counted = ""
        """How many clients and sessions there are, in words."""
        self.as_filter: AsFilter | None = None
        """Set by the window: what rows are offered as filters by."""
        self._picked = False
        """A person, or the selection, chose the session; else it is the worst one."""
        self._zoom = 1.0
        self._paces: Mapping[int, Pace] = {}
        self.source = ClientSource(self)
        self.clients = ClientModel(self)
        self.store = BaselineStore(theme)
        self._title = ElidedLabel()
        self.only = QToolButton()
        self._columns_button = QToolButton()
        self.table = ClientTable(theme, self.clients)
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
        self._session, self._picked, self._paces = -1, False, {}
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
        self.table.set_theme(theme)
        self.store.set_theme(theme)
        for button, name in ((self.only, "ph.user-focus"), (self._columns_button, "ph.sliders-horizontal")):
            icon: QIcon = qtawesome.icon(name, color=theme.color("text2"), color_disabled=theme.color("text3"))
            button.setIcon(icon)
        palette = self._title.palette()
        palette.setColor(self._title.foregroundRole(), theme.color("text2"))
        self._title.setPalette(palette)

    def set_zoom(self, zoom: float) -> None:
        """Scale type, rows and columns."""
        self._zoom = zoom
        self.table.set_zoom(zoom)
        self.store.set_zoom(zoom)
        self._state.set_zoom(zoom)
        self._title.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))
        self.only.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))
        self._tools.setFixedHeight(round(TOOL_ROW_HEIGHT * zoom))

    def set_preferences(self, preferences: Preferences) -> None:
        """From which age on a baseline counts as delayed."""
        limit_ms = float(preferences.base_age_limit_ms)
        self.source.set_base_age_limit(limit_ms)
        self.store.model.set_base_age_limit(limit_ms)

    def show_findings(self, found: Mapping[int, Mapping[Severity, int]]) -> None:
        """How many findings each session has, by severity."""
        self.clients.show_findings(found)

    @property
    def session(self) -> int:
        """The chosen session, -1: none. Choosing selects nothing."""
        return self._session

    @property
    def title(self) -> str:
        """How many clients there are, and which one the panes are limited to."""
        return self._title.text()

    @property
    def state(self) -> str:
        """What is said while no clients are shown, empty while some are."""
        return self._state.accessibleName() if self._stack.currentIndex() else ""

    @property
    def hidden_columns(self) -> tuple[str, ...]:
        """Names of the columns that a person took out of the table."""
        return self.table.hidden_columns

    @hidden_columns.setter
    def hidden_columns(self, names: tuple[str, ...]) -> None:
        self.table.hidden_columns = names

    def choose(self, session: int) -> None:
        """Make a session's row current."""
        row, picked = self.clients.row_of(session), self._picked
        if row >= 0:
            go_to_row(self.table, self.clients.index(row, 0))
        self._picked = picked

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
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setHandleWidth(5)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.table)
        splitter.addWidget(self.store)
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
            lambda: self.table.choose_columns(
                self._columns_button.mapToGlobal(self._columns_button.rect().bottomLeft())
            )
        )
        self.table.fill_menu = self._fill_menu
        self.table.selectionModel().selectionChanged.connect(self._chosen)
        self.table.chosen.connect(self._select_worst)
        self.store.chosen.connect(self._select)
        self.source.changed.connect(self._show_clients)
        self.source.paced.connect(self._show_paces)

    @Slot()
    def _show_clients(self) -> None:
        self.clients.show(self.source.clients.stats, self.source.old_base_ms)
        self.table.rows_changed()
        if self.clients.row_of(self._session) < 0:
            self._session = -1
        self._follow_selection()
        self._say_state()
        self._show_store()

    @Slot(object)
    def _show_paces(self, paces: Mapping[int, Pace]) -> None:
        self._paces = paces
        self.clients.show_paces(paces)
        self.store.show_pace(paces.get(self._session))

    def _follow_selection(self) -> None:
        """The client of the selected snapshot becomes the chosen one; without a snapshot the worst is, until a person
        chooses another. Which one that is may be seen only when all is decoded."""
        if self._document is None:
            return
        snapshot = self._document.selection.place.snapshot
        if snapshot >= 0 and self._session < 0:
            self.choose(self._document.tables.snapshots.integer("session", snapshot))
        stats = self.source.clients.stats
        if snapshot < 0 and stats and (self._session < 0 or (self._document.is_decoded and not self._picked)):
            self.choose(min(stats, key=lambda client: client.badness).session)

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
        """The store of the chosen client at the selected snapshot, of another client's at the newest one by then."""
        history = self.source.clients.histories.get(self._session)
        document, name = self._document, self._name_in(self.clients.row_of(self._session))
        place = Place() if document is None else document.selection.place
        index = -1 if history is None else history.newest(place.packet, place.snapshot)
        if document is None or history is None or index < 0 or not name:
            self.store.show_nothing(name)
        else:
            selected = int(history.rows[index]) == place.snapshot
            self.store.show_store(document, history, index, name, selected=selected)
        self.store.show_pace(self._paces.get(self._session))

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
        self._counted = self._count()
        self._say_limit()

    def _say_limit(self) -> None:
        limit = self._document.selection.session if self._document is not None else -1
        self.only.setEnabled(self._session >= 0)
        self.only.setChecked(limit >= 0 and limit == self._session)
        name = self._name_in(self.clients.row_of(limit))
        self._title.setText(self.tr("Only {0} of {1}").format(name, self._counted) if name else self._counted)

    def _count(self) -> str:
        """24 clients; with the sessions, where a client had several."""
        rows = self.clients.rowCount()
        flows = {self.clients.row_at(row).stats.flow for row in range(rows)}
        clients = count(len(flows), self.tr("client"))
        return clients if len(flows) == rows else f"{clients}, {count(rows, self.tr('session'))}"

    def _name_in(self, row: int) -> str:
        if row < 0:
            return ""
        entry = self.clients.row_at(row)
        return entry.name

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
            self._picked = session >= 0
            self._show_store()
            self._say_limit()

    def _select_worst(self, row: int) -> None:
        """The first failed snapshot of a client, or its last."""
        session = self.clients.session_at(row)
        history = self.source.clients.histories.get(session)
        if self._document is not None and history is not None:
            self._select(history.first_failed(self._document.tables))

    @Slot(int)
    def _select(self, snapshot: int) -> None:
        if self._document is not None and snapshot >= 0:
            self._document.selection.select(last_packet(self._document.tables, snapshot), snapshot)

    def row_filter(self) -> str:
        """The chosen session as a filter."""
        if self.as_filter is None or self._document is None or self._session < 0:
            return ""
        return self.as_filter.texts.session(self._document.tables, self._session)

    def _fill_menu(self, menu: QMenu, row: int) -> None:
        self.table.selectRow(row)
        if self.as_filter is not None:
            self.as_filter.add_to(menu, self.row_filter())
        failed = bool(self.clients.row_at(row).stats.failed)
        go = self.tr("Go to its first failed snapshot") if failed else self.tr("Go to its last snapshot")
        menu.addAction(go, lambda: self._select_worst(row))
        only = menu.addAction(self.tr("Only this session"), self._toggle_limit)
        only.setCheckable(True)
        only.setChecked(self.only.isChecked())
        menu.addAction(self.tr("Decode as..."), lambda: self.decode_as_wanted.emit(self._session))
