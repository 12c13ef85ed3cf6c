"""The Snapshot tab: what the selected snapshot changed against its baseline, or its whole state, as a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from analyzer.engine.change_tree import ChangeTree, change_tree
from analyzer.engine.info import PacketInfo
from analyzer.engine.query import Query
from analyzer.store.journal import Amendment
from ui.document import Document
from ui.models import change_copy, snapshot_words
from ui.models.change_cells import NEW
from ui.models.change_filters import cell_filter
from ui.models.changes import ChangesModel
from ui.theme import Theme
from ui.views.change_tree import ChangeTreeView
from ui.views.chips import NoticeBar
from ui.views.current_row import go_to_row
from ui.views.filter_menu import AsFilter
from ui.views.pane_state import PaneState
from ui.views.snapshot_head import SnapshotHeadBar
from ui.views.snapshot_menu import snapshot_menu

TOPIC = "snapshot"
_AMENDABLE = frozenset(("status", "code", "cause", "proof", "base", "packet", "part_count", "first_part"))
"""Columns of `snapshots` that the tab shows and that may change after a row was published."""


class SnapshotTab(QWidget):
    """Follows the selected snapshot of a document; the item and the field go both ways."""

    select_first = Signal()
    """The first snapshot is wanted."""
    finding_wanted = Signal(int)
    """About a snapshot."""
    shown = Signal(int)
    """A snapshot row is on the screen now."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._info: PacketInfo | None = None
        self.as_filter: AsFilter | None = None
        """Set by the window: what cells are offered as filters by."""
        self._busy = False
        self._raw_wanted = False
        self._first = True
        self.has_finding: Callable[[int], bool] = lambda snapshot: False
        """Did a rule speak of a snapshot?"""
        self.head = SnapshotHeadBar(theme)
        self.notice = NoticeBar(theme)
        self.view = ChangeTreeView(theme)
        self.state = PaneState()
        self._body = QWidget()
        self._stack = QStackedLayout(self)
        self._lay_out()
        self._connect()
        self._show_nothing()

    def _lay_out(self) -> None:
        self._inner = QStackedLayout()
        self.unread = PaneState()
        self._inner.addWidget(self.view)
        self._inner.addWidget(self.unread)
        layout = QVBoxLayout(self._body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(self.notice)
        layout.addLayout(self._inner, 1)
        self._stack.addWidget(self.state)
        self._stack.addWidget(self._body)

    def _connect(self) -> None:
        self.head.baseline_clicked.connect(self.go_to_baseline)
        self.head.whole_chosen.connect(self._on_whole)
        self.head.filter_changed.connect(self._on_filter)
        self.head.left_filter.connect(self.view.setFocus)
        self.notice.link_clicked.connect(self.go_to_cause)
        self.notice.copy_clicked.connect(self.copy_finding)
        self.notice.finding_clicked.connect(lambda: self.finding_wanted.emit(self._blamed()))
        self.state.chosen.connect(self.select_first)
        self.unread.chosen.connect(self._show_more)
        self.view.selectionModel().currentChanged.connect(self._on_current)
        self.view.raw_wanted.connect(self._on_alt)
        self.view.copy_wanted.connect(self.copy_rows)
        self.view.copy_value_wanted.connect(self.copy_value)

    @property
    def model(self) -> ChangesModel:
        """The model of the tree."""
        return self.view.changes

    @property
    def tree(self) -> ChangeTree | None:
        """What is shown."""
        return self.model.tree

    def show_document(self, document: Document | None) -> None:
        """Follow another document, or none."""
        old = self._document
        if old is not None:
            old.selection.snapshot_changed.disconnect(self._on_snapshot)
            old.selection.item_changed.disconnect(self._on_item)
            old.amended.disconnect(self._on_amended)
            old.reworded.disconnect(self._ask_again)
            old.selection.packet_changed.disconnect(self._say_nothing)
            old.decoded.disconnect(self._say_nothing)
            old.rows_added.disconnect(self._say_nothing)
        self._document = document
        self._info = None if document is None else PacketInfo(document.tables, document.worker.capture.protocols)
        self._show_nothing()
        if document is not None:
            document.selection.snapshot_changed.connect(self._on_snapshot)
            document.selection.item_changed.connect(self._on_item)
            document.amended.connect(self._on_amended)
            document.reworded.connect(self._ask_again)
            document.selection.packet_changed.connect(self._say_nothing)
            document.decoded.connect(self._say_nothing)
            document.rows_added.connect(self._say_nothing)
            self._on_snapshot(document.selection.place.snapshot)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self.head.set_theme(theme)
        self.notice.set_theme(theme)
        self.view.set_theme(theme)

    def set_zoom(self, zoom: float) -> None:
        """Other font sizes and row heights."""
        self.head.set_zoom(zoom)
        self.notice.set_zoom(zoom)
        for part in (self.view, self.state, self.unread):
            part.set_zoom(zoom)

    def go_to_baseline(self) -> None:
        """Select the baseline and its last packet; item and field stay."""
        if self.tree is not None:
            self._go_to(self.tree.head.base_packet, self.tree.head.base)

    def go_to_cause(self) -> None:
        """Select the snapshot at which a failure began."""
        if self.tree is not None:
            self._go_to(self.tree.head.cause_packet, self.tree.head.cause)

    def find(self, text: str, forward: bool) -> bool:  # type: ignore[override]  # QWidget.find is about native windows
        """Make the next row with a text current, open or not, starting over at the end; False if there is none."""
        wanted = text.lower()
        rows = list(self.model.all_rows())
        if not wanted or not rows:
            return False
        current = self.view.currentIndex().siblingAtColumn(0)
        at = rows.index(current) if current in rows else (-1 if forward else 0)
        step = 1 if forward else -1
        for offset in range(1, len(rows) + 1):
            row = rows[(at + step * offset) % len(rows)]
            if any(wanted in self._text(row, column) for column in range(self.model.columnCount())):
                self.view.go_to(row)
                return True
        return False

    def copy_rows(self) -> None:
        """The selected rows into the clipboard, as text."""
        self._copy(change_copy.as_text(self.model, self._selected()))

    def copy_subtree(self, form: Callable[[ChangesModel, Sequence[QModelIndex]], str]) -> None:
        """The selected rows with all that is in them into the clipboard, in a form of `change_copy`."""
        rows = self._selected()
        if form is change_copy.as_text:
            rows = list(dict.fromkeys(below for row in rows for below in self.model.below(row)))
        self._copy(form(self.model, rows))

    def cell_filter(self, column: int = -1) -> str:
        """A cell of the current row as a filter, of the column that was clicked last if none is named."""
        index = self.view.currentIndex()
        if self.as_filter is None or not index.isValid():
            return ""
        column = index.column() if column < 0 else column
        row = index.siblingAtColumn(0)
        return cell_filter(self.as_filter.texts, self.model.node(row), self.model.item(row), column)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        view = self.view
        if self.tree is None or not view.isVisible() or not view.currentIndex().isValid():
            return
        place = event.globalPos()
        cell = view.indexAt(view.viewport().mapFromGlobal(place))
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            place = view.viewport().mapToGlobal(view.visualRect(view.currentIndex()).center())
            cell = QModelIndex()
        snapshot_menu(self, cell.column() if cell.isValid() else NEW).popup(place)

    @property
    def raw_wanted(self) -> bool:
        """Raw values are shown also while Alt is not held."""
        return self._raw_wanted

    def toggle_raw(self) -> None:
        """Show raw values only, or with what they mean."""
        self._raw_wanted = not self._raw_wanted
        self.model.set_raw(self._raw_wanted)

    def set_order(self, order: str) -> None:
        """Order types by one of `ORDERS`."""
        self._keeping(lambda: self.model.set_order(order))

    def _on_alt(self, held: bool) -> None:
        self.model.set_raw(held or self._raw_wanted)

    def _go_to(self, packet: int, snapshot: int) -> None:
        if self._document is not None and snapshot >= 0:
            self._document.selection.select(packet, snapshot)

    def _on_snapshot(self, snapshot: int) -> None:
        document = self._document
        if document is None:
            return
        if snapshot < 0:
            self._show_nothing()
            return
        tables = document.tables

        def question(query: Query) -> ChangeTree:
            return change_tree(query, tables, snapshot)

        def answer(tree: ChangeTree) -> None:
            if self._document is document and document.selection.place.snapshot == snapshot:
                self._show_tree(tree)

        document.ask(TOPIC, question, answer)

    def _ask_again(self) -> None:
        if self._document is not None:
            self._on_snapshot(self._document.selection.place.snapshot)

    def _on_amended(self, amendments: tuple[Amendment, ...]) -> None:
        if self._document is None or self.tree is None:
            return
        row = self._document.selection.place.snapshot
        if any(
            amended.table == "snapshots" and amended.column in _AMENDABLE and amended.start <= row < amended.stop
            for amended in amendments
        ):
            self._on_snapshot(row)

    def _show_nothing(self) -> None:
        self._keeping(lambda: self.model.show_tree(None))
        self._say_nothing()
        self._stack.setCurrentWidget(self.state)

    def _say_nothing(self) -> None:
        """Why no snapshot is shown, and the way to the first where there is one."""
        document = self._document
        packet = -1 if document is None else document.selection.place.packet
        if document is not None and self._info is not None and packet >= 0 and len(document.tables.snapshots):
            action = "" if self._info.protocol(packet) is None else self.tr("Go to the next snapshot")
            self.state.show_state(*snapshot_words.without_snapshot(document.tables, self._info, packet), action)
        elif document is None or len(document.tables.snapshots):
            text = self.tr("Select a packet with a snapshot in the list.")
            action = "" if document is None else self.tr("Select the first")
            self.state.show_state(self.tr("No snapshot selected"), text, action)
        elif document.is_decoded:
            text = self.tr("Nothing in this capture was read as a snapshot.")
            self.state.show_state(self.tr("No snapshots"), text)
        else:
            live = self.tr("The capture runs. Nothing has come yet that was read as a snapshot.")
            text = live if document.is_live else self.tr("The capture is being read.")
            self.state.show_state(self.tr("No snapshots yet"), text)

    def _show_tree(self, tree: ChangeTree) -> None:
        self.head.show_head(tree)
        packets, reason = self._number, self._reason(tree)
        self.notice.show_notice(*snapshot_words.notice(tree.head, reason, packets, has_delta=bool(tree.types)))
        self._keeping(lambda: self.model.show_tree(tree))
        self.look_for_finding()
        if self._first and tree.types:
            self._first = False
            self.view.open_first_type()
        self._show_tree_or_why()
        self._stack.setCurrentWidget(self._body)
        self.shown.emit(tree.head.snapshot)

    def _show_tree_or_why(self) -> None:
        """The rows, or why there are none."""
        tree = self.tree
        if tree is None:
            return
        if not tree.types:
            self.unread.show_state(*snapshot_words.nothing_to_show(tree.head, self._reason(tree)))
        elif not self.model.rowCount() and not self.head.filter.text():
            text = self.tr("All items are as they were in the baseline.")
            self.unread.show_state(self.tr("Nothing changed"), text, self.tr("Show the whole state"))
        elif not self.model.rowCount():
            text = self.tr("No type, item or field of this snapshot has these letters in its name.")
            self.unread.show_state(self.tr("No item matches"), text, self.tr("Clear filter"))
        shown = bool(tree.types) and self.model.rowCount() > 0
        self._inner.setCurrentWidget(self.view if shown else self.unread)

    def _show_more(self) -> None:
        """The way on from where there are no rows."""
        if self.head.filter.text():
            self.head.filter.clear()
        else:
            self.head.whole_state.setChecked(True)

    def _reason(self, tree: ChangeTree) -> str:
        return "" if self._info is None else self._info.reason(tree.head.snapshot)

    def _number(self, packet: int) -> int:
        """What the list calls a packet."""
        return 0 if self._document is None else self._document.tables.packets.integer("frame", packet) + 1

    def _on_whole(self, whole: bool) -> None:
        self._keeping(lambda: self.model.set_whole(whole))
        self._show_tree_or_why()

    def _on_filter(self, text: str) -> None:
        self._keeping(lambda: self.model.set_filter(text))
        self._show_tree_or_why()

    def _keeping(self, change: Callable[[], None]) -> None:
        """Let the model change and find item and field again, at the same height if they were in sight."""
        view, bar = self.view, self.view.verticalScrollBar()
        before = view.visualRect(view.currentIndex())
        scrolled = bar.value()
        self._busy = True
        try:
            change()
            self._follow_selection()
            after = view.visualRect(view.currentIndex())
            in_sight = before.isValid() and 0 <= before.top() < view.viewport().height()
            bar.setValue(bar.value() + after.top() - before.top() if in_sight and after.isValid() else scrolled)
        finally:
            self._busy = False

    def _follow_selection(self, *, openly: bool = False) -> None:
        """Make the selected item or field current; `openly` opens what it is in and scrolls there."""
        if self._document is None:
            return
        place = self._document.selection.place
        if place.item is None:
            return
        index = self.model.find_field(place.item, place.field)
        if not index.isValid():
            return
        if openly:
            self.view.go_to(index)
            return
        while index.parent().isValid() and not self.view.isExpanded(index.parent()):
            index = index.parent()
        go_to_row(self.view, index)

    def _on_item(self, item: tuple[int, int] | None, field: str) -> None:
        if not self._busy and item is not None:
            self._busy = True
            try:
                self._follow_selection(openly=True)
            finally:
                self._busy = False

    def _on_current(self, index: QModelIndex) -> None:
        if self._busy or self._document is None or not index.isValid():
            return
        item, field = self.model.place(index)
        if item is None:
            return
        self._busy = True
        try:
            self._document.selection.select_item(item, field)
        finally:
            self._busy = False

    def _selected(self) -> list[QModelIndex]:
        """The selected rows from top to bottom."""
        chosen = self.view.selectionModel().selectedRows()
        return sorted(chosen, key=lambda index: self.view.visualRect(index).top())

    def _text(self, row: QModelIndex, column: int) -> str:
        return str(row.siblingAtColumn(column).data() or "").lower()

    def copy_value(self) -> None:
        """The new value of the current row into the clipboard, its name where there is none."""
        index = self.view.currentIndex()
        if index.isValid():
            self._copy(str(index.siblingAtColumn(NEW).data() or index.siblingAtColumn(0).data() or ""))

    def copy_cell(self, column: int) -> None:
        """A cell of the current row into the clipboard; of an empty one, what `copy_value` takes."""
        text = str(self.view.currentIndex().siblingAtColumn(column).data() or "")
        if text:
            self._copy(text)
        else:
            self.copy_value()

    def look_for_finding(self) -> None:
        """Offer the finding about what is wrong, once there is one."""
        snapshot = self._blamed()
        self.notice.finding.setVisible(snapshot >= 0 and bool(self.notice.text) and self.has_finding(snapshot))

    def _blamed(self) -> int:
        """The snapshot that is shown, or with which its failure began; -1: none is shown."""
        head = None if self.tree is None else self.tree.head
        return -1 if head is None else head.cause if head.cause >= 0 else head.snapshot

    def copy_finding(self) -> None:
        """What is wrong with the snapshot, and where it is, into the clipboard."""
        if self._document is not None and self.tree is not None:
            tables, head = self._document.tables, self.tree.head
            player = tables.sessions.text("player", tables.snapshots.integer("session", head.snapshot))
            client = player or self.tr("unnamed client")
            path = self._document.path.name
            self._copy(snapshot_words.finding(path, head, client, self._number, self.notice.text))

    @staticmethod
    def _copy(text: str) -> None:
        if text:
            QGuiApplication.clipboard().setText(text)
