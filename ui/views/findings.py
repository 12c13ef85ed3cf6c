"""The findings of a capture in groups, the worst first, and below them what the chosen one means and what to do."""

from __future__ import annotations

import qtawesome
from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QIcon, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSplitter, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from ui import fonts
from ui.document import Document
from ui.models import finding_words
from ui.models.finding_groups import EVERY, Group, Grouping, Wanted
from ui.models.finding_source import FindingSource
from ui.models.finding_text import as_csv, as_filter
from ui.models.findings import FindingModel
from ui.settings import Preferences
from ui.theme import TOOL_ROW_HEIGHT, Theme
from ui.views.elided import ElidedLabel
from ui.views.filter_menu import AsFilter
from ui.views.finding_reader import FindingReader
from ui.views.finding_table import FindingTable
from ui.views.pane_state import PaneState
from ui.views.severity_chips import SeverityToggles

LEAST_WIDTH = 220
"""What a wide pane says in full never keeps it from becoming narrow."""
SHORT_CHIPS = 400
"""In a narrower pane signs stand for words."""


class FindingsPane(QWidget):
    """Reads the selection for the session that panes are limited to; writes to it where a finding is."""

    told = Signal(str)
    """A sentence: why a step leads nowhere; empty: what was said does not hold any more."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._zoom = 1.0
        self._new_rows = False
        self.source = FindingSource(self)
        self.findings = FindingModel(self)
        self.toggles = SeverityToggles(theme)
        self.by_client = QToolButton()
        self.table = FindingTable(theme, self.findings)
        self.reader = FindingReader(theme, self.findings, self)
        self.detail = self.reader.detail
        self._hint = ElidedLabel()
        self._state = PaneState()
        self.as_filter: AsFilter | None = None
        """Adds to a menu what can be done with a display filter."""
        self._lay_out()
        self._set_up()
        self.set_theme(theme)
        self.set_zoom(1.0)
        self.show_document(None)

    def show_document(self, document: Document | None) -> None:
        """Show another document, or none."""
        if self._document is not None:
            selection = self._document.selection
            selection.session_changed.disconnect(self._want)
            selection.packet_changed.disconnect(self._on_packet)
            self._document.decoded.disconnect(self._say_state)
            self._document.reworded.disconnect(self._on_reworded)
        self._document = document
        self.findings.show_document(document)
        self.reader.show_document(document)
        if document is not None:
            document.selection.session_changed.connect(self._want)
            document.selection.packet_changed.connect(self._on_packet)
            document.decoded.connect(self._say_state)
            document.reworded.connect(self._on_reworded)
        self.source.show_document(document)
        self._want()
        self._say_state()

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        for part in (self.table, self.detail, self.toggles):
            part.set_theme(theme)
        icon: QIcon = qtawesome.icon("ph.user", color=theme.color("text2"), color_disabled=theme.color("text3"))
        self.by_client.setIcon(icon)
        palette = self._hint.palette()
        palette.setColor(self._hint.foregroundRole(), theme.color("text2"))
        self._hint.setPalette(palette)

    def set_zoom(self, zoom: float) -> None:
        """Scale type, rows and columns."""
        self._zoom = zoom
        for part in (self.table, self.detail, self.toggles, self._state):
            part.set_zoom(zoom)
        self.by_client.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))
        self._hint.setFont(fonts.font(fonts.Use.HEAD, zoom=zoom))
        self._tools.setFixedHeight(round(TOOL_ROW_HEIGHT * zoom))
        self.setMinimumWidth(LEAST_WIDTH)
        self._fit_tools()

    def set_preferences(self, preferences: Preferences) -> None:
        """Thresholds of rules count at once."""
        self.source.use(preferences.usable_thresholds)

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """Where keys act."""
        return (self.table,)

    @property
    def state(self) -> str:
        """What is said while no findings are shown, empty while some are."""
        return self._state.accessibleName() if self._stack.currentIndex() else ""

    @property
    def hint(self) -> str:
        """What is not judged, and why; empty: all is."""
        return "" if self._hint.isHidden() else self._hint.text()

    def go_next(self) -> None:
        """Select the next packet with a finding that is shown."""
        self._go_beside(1)

    def go_previous(self) -> None:
        """Select the packet before with a finding that is shown."""
        self._go_beside(-1)

    def step(self, step: int) -> None:
        """Go to the next finding of the list (1), or to the one before (-1), and to its packet."""
        current = self.table.currentIndex()
        place = self.findings.beside(current.row() if current.isValid() else -1, step)
        if place is None:
            self.told.emit(self.tr("This is the last finding") if step > 0 else self.tr("This is the first finding"))
            return
        self._choose(*place)
        self._go_to_packet(self.table.currentIndex().row())

    def has_finding(self, snapshot: int) -> bool:
        """Is there one in the list that rests on a snapshot?"""
        return self.source.found.arranged.of_snapshot(snapshot) is not None

    def show_snapshot(self, snapshot: int) -> None:
        """Choose the worst finding that rests on a snapshot."""
        place = self.source.found.arranged.of_snapshot(snapshot)
        if place is not None:
            self._choose(*place)

    def find_text(self, text: str, *, forward: bool) -> bool:
        """Go to the next row that shows a text, around the end once. False: none does."""
        row = self.findings.row_with(text, self.table.currentIndex().row(), forward=forward)
        self.table.go_to(row)
        return row >= 0

    def copy_csv(self, group: Group | None = None) -> None:
        """All findings that are shown, or those of a group, into the clipboard, as comma-separated values."""
        if self._document is not None:
            groups = self.findings.groups if group is None else self._with_below(group)
            QGuiApplication.clipboard().setText(as_csv(groups, self._document.tables))

    def event(self, event: QEvent) -> bool:
        """Here F8 and F7 step findings, not packets."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _step_of(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _step_of(event)
        if step:
            self.step(step)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_tools()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.reader.read()

    def _lay_out(self) -> None:
        self._tools = QWidget()
        tools = QHBoxLayout(self._tools)
        tools.setContentsMargins(8, 0, 4, 0)
        tools.setSpacing(4)
        tools.addWidget(self.toggles)
        tools.addStretch(1)
        tools.addWidget(self.by_client)
        upper = QWidget()
        rows = QVBoxLayout(upper)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.table, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(12, 0, 8, 0)
        foot.addWidget(self._hint)
        rows.addLayout(foot)
        self._stack = QStackedLayout()
        for page in (upper, self._state):
            self._stack.addWidget(page)
        list_or_state = QWidget()
        list_or_state.setLayout(self._stack)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setHandleWidth(5)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(list_or_state)
        splitter.addWidget(self.detail)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        splitter.setSizes([360, 260])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._tools)
        column.addWidget(splitter, 1)

    def _set_up(self) -> None:
        self.setFocusProxy(self.table)
        self.by_client.setText(self.tr("By client"))
        self.by_client.setToolTip(self.tr("Group findings by client, and below that by rule"))
        self.by_client.setCheckable(True)
        self.by_client.setAutoRaise(True)
        self.by_client.toggled.connect(self._want)
        self.toggles.changed.connect(self._want)
        self.source.changed.connect(self._show_found)
        self.source.settled.connect(self._say_state)
        self.findings.rearranged.connect(self._on_rearranged)
        self.table.fill_menu = self._fill_menu
        self.table.chosen.connect(self._go_to_packet)
        self.table.selectionModel().currentRowChanged.connect(self._on_current)
        self.reader.told.connect(self.told)
        self._state.chosen.connect(self._show_all)

    @Slot()
    def _want(self) -> None:
        """What is to be listed, and how."""
        session = -1 if self._document is None else self._document.selection.session
        grouping = Grouping.CLIENT if self.by_client.isChecked() else Grouping.RULE
        self.source.want(Wanted(grouping, self.toggles.shown, session if session >= 0 else EVERY))

    @Slot()
    def _show_all(self) -> None:
        self.toggles.show_all()
        if self._document is not None:
            self._document.selection.limit_to(-1)

    @Slot()
    def _show_found(self) -> None:
        """More was found: what is current stays current, and what is in view stays where it is."""
        current, top = self.table.currentIndex().row(), self.table.top_row()
        chosen = self.findings.name_at(current) if current >= 0 else None
        seen = self.findings.name_at(top) if top >= 0 and (current >= 0 or top > 0) else None
        self._new_rows = False
        self.findings.show(self.source.found.arranged)
        if self._new_rows and chosen is not None:
            self.table.make_current(self.findings.row_named(chosen))
        if seen is not None:
            self.table.put_on_top(self.findings.row_named(seen))
        self._fit_tools()
        self._say_state()
        self.reader.read()

    @Slot()
    def _on_rearranged(self) -> None:
        self._new_rows = True

    @Slot()
    def _on_reworded(self) -> None:
        self.findings.forget_words()
        self.reader.read()

    @Slot(QModelIndex, QModelIndex)
    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        self.reader.choose(current.row())

    @Slot(int)
    def _on_packet(self, packet: int) -> None:
        """Another pane selected a packet: its finding becomes the current one where it is in the list already."""
        if self.table.hasFocus() or packet < 0:
            return
        place = self.source.found.arranged.at(packet)
        row = -1 if place is None else self.findings.row_of(*place)
        if row >= 0:
            self.table.go_to(row)

    @Slot(int)
    def _go_to_packet(self, row: int) -> None:
        finding = self.findings.finding_at(row) if row >= 0 else None
        if finding is not None and self._document is not None:
            self.told.emit("")
            self._document.selection.select(finding.packet, finding.snapshot)

    def _go_beside(self, step: int) -> None:
        document, arranged = self._document, self.source.found.arranged
        if document is None:
            return
        start = document.selection.place.packet
        packet = arranged.beside(start if start >= 0 or step > 0 else len(document.tables.packets), step)
        place = arranged.at(packet) if packet >= 0 else None
        if place is None:
            after, before = self.tr("There is no finding after this packet"), self.tr("There is none before it")
            self.told.emit(after if step > 0 else before)
            return
        self._choose(*place)
        group, offset = arranged.groups[place[0]], place[1]
        finding = group.finding(offset, document.tables)
        self.told.emit("")
        document.selection.select(finding.packet, finding.snapshot)

    def _choose(self, number: int, offset: int) -> None:
        """Make a finding current; the groups around it open."""
        self.findings.set_open(number, True)
        self.table.go_to(self.findings.row_of(number, offset))

    def _with_below(self, group: Group) -> list[Group]:
        groups = self.findings.groups
        return [one for one in groups if one is group or (group.rule is None and one.session == group.session)]

    def row_filter(self) -> str:
        """The current row's rule, or its severity, as a filter; empty: there is none."""
        row = self.table.currentIndex().row()
        if row < 0:
            return ""
        group = self.findings.group_at(row)
        return as_filter(group.key[0], group.severity)

    def _fill_menu(self, menu: QMenu, row: int) -> None:
        self.table.make_current(row)
        group, finding = self.findings.group_at(row), self.findings.finding_at(row)
        if self.as_filter is not None:
            self.as_filter.add_to(menu, self.row_filter())
        if finding is not None:
            menu.addAction(self.tr("Go to packet\tEnter"), lambda: self._go_to_packet(row))
            menu.addSeparator()
            menu.addAction(self.tr("Copy finding as text"), self.reader.copy_text)
        menu.addAction(self.tr("Copy row\tCtrl+C"), self.table.copy_row)
        menu.addAction(self.tr("Copy group as CSV"), lambda: self.copy_csv(group))
        menu.addAction(self.tr("Copy all as CSV"), self.copy_csv)

    def _fit_tools(self) -> None:
        short = self.width() < SHORT_CHIPS * self._zoom
        self.toggles.show_counts(self.source.found.arranged.counts, short=short)
        styles = Qt.ToolButtonStyle
        self.by_client.setToolButtonStyle(styles.ToolButtonIconOnly if short else styles.ToolButtonTextBesideIcon)

    @Slot()
    def _say_state(self) -> None:
        """Why nothing is listed, and one way on; below a list, what cannot be judged."""
        said = finding_words.empty_state(self._document, self.source, any_hidden=bool(self._hidden()))
        if not self.findings.rowCount():
            self._state.show_state(*said)
        self._stack.setCurrentIndex(0 if self.findings.rowCount() else 1)
        self.detail.setVisible(self.findings.rowCount() > 0)
        hint = finding_words.hint(self.source.found)
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))

    def _hidden(self) -> int:
        """How many findings the buttons hide."""
        counts, shown = self.source.found.arranged.counts, self.toggles.shown
        return sum(count for severity, count in counts.items() if severity not in shown)


def _step_of(event: QKeyEvent) -> int:
    """1: to the next finding, -1: to the one before, 0: neither."""
    if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
        return 0
    return {Qt.Key.Key_F8: 1, Qt.Key.Key_F7: -1}.get(Qt.Key(event.key()), 0)
