"""The Snapshot tab: what the selected snapshot changed against its baseline, or its whole state, as a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QMenu, QStackedLayout, QVBoxLayout, QWidget

from analyzer.engine.change_tree import ChangeTree, SnapshotHead, change_tree
from analyzer.engine.query import Query
from analyzer.snapshots.status import LostBy, Status
from analyzer.store.journal import Amendment
from ui import words
from ui.document import Document
from ui.models import change_copy
from ui.models.change_cells import NEW
from ui.models.changes import ORDERS, ChangesModel
from ui.theme import Theme
from ui.views.change_tree import ChangeTreeView
from ui.views.chips import NoticeBar
from ui.views.pane_state import PaneState
from ui.views.snapshot_head import SnapshotHeadBar

TOPIC = "snapshot"
_AMENDABLE = frozenset(("status", "code", "cause", "proof", "base", "packet", "part_count", "first_part"))
"""Columns of `snapshots` that the tab shows and that may change after a row was published."""


class SnapshotTab(QWidget):
    """Follows the selected snapshot of a document; the item and the field go both ways."""

    select_first = Signal()
    """The first snapshot is wanted."""
    shown = Signal(int)
    """A snapshot row is on the screen now."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._busy = False
        self._raw_wanted = False
        self._first = True
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
        self.state.chosen.connect(self.select_first)
        self.unread.chosen.connect(self.head.filter.clear)
        self.view.selectionModel().currentChanged.connect(self._on_current)
        self.view.raw_wanted.connect(self._on_alt)
        self.view.copy_wanted.connect(self.copy_rows)

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
            old.decoded.disconnect(self._say_nothing)
            old.rows_added.disconnect(self._say_nothing)
        self._document = document
        self._show_nothing()
        if document is not None:
            document.selection.snapshot_changed.connect(self._on_snapshot)
            document.selection.item_changed.connect(self._on_item)
            document.amended.connect(self._on_amended)
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
        self.view.set_zoom(zoom)

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

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.tree is not None and self.view.isVisible():
            self.context_menu().popup(event.globalPos())

    def context_menu(self) -> QMenu:
        """What can be done with the selected rows; deletes itself when closed."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copying = menu.addMenu(self.tr("Copy"))
        copying.addAction(self.tr("Value"), self._copy_value)
        copying.addAction(self.tr("Row"), self.copy_rows)
        for title, form in (
            (self.tr("With all below, as text"), change_copy.as_text),
            (self.tr("With all below, as CSV"), change_copy.as_csv),
            (self.tr("With all below, as JSON"), change_copy.as_json),
        ):
            self._add(copying, title, partial(self.copy_subtree, form))
        menu.addSeparator()
        head = None if self.tree is None else self.tree.head
        if head is not None and head.base >= 0:
            self._add(menu, self.tr("Go to baseline"), self.go_to_baseline)
        if head is not None and head.cause >= 0:
            self._add(menu, self.tr("Go to cause"), self.go_to_cause)
        self._add_orders(menu)
        raw = self._add(menu, self.tr("Raw values"), self._toggle_raw)
        raw.setCheckable(True)
        raw.setChecked(self._raw_wanted)
        menu.addSeparator()
        self._add(menu, self.tr("Open all"), self.view.open_all)
        self._add(menu, self.tr("Close all"), self.view.close_all)
        return menu

    def _add_orders(self, menu: QMenu) -> None:
        orders = menu.addMenu(self.tr("Order of types"))
        group = QActionGroup(orders)
        titles = (self.tr("By bits"), self.tr("By name"), self.tr("As on the wire"))
        for order, title in zip(ORDERS, titles, strict=True):
            action = self._add(orders, title, partial(self._set_order, order))
            action.setCheckable(True)
            action.setChecked(order == self.model.order)
            group.addAction(action)

    @staticmethod
    def _add(menu: QMenu, title: str, call: Callable[[], None]) -> QAction:
        action = menu.addAction(title)
        action.triggered.connect(lambda: call())
        return action

    def _toggle_raw(self) -> None:
        self._raw_wanted = not self._raw_wanted
        self.model.set_raw(self._raw_wanted)

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
        if document is None or len(document.tables.snapshots):
            text = self.tr("Select a packet with a snapshot in the list.")
            action = "" if document is None else self.tr("Select the first")
            self.state.show_state(self.tr("No snapshot selected"), text, action)
        elif document.is_decoded:
            text = self.tr("Nothing in this capture was read as a snapshot.")
            self.state.show_state(self.tr("No snapshots"), text)
        else:
            self.state.show_state(self.tr("No snapshots yet"), self.tr("The capture is being read."))

    def _show_tree(self, tree: ChangeTree) -> None:
        self.head.show_head(tree)
        self.notice.show_notice(*self._notice(tree))
        self._keeping(lambda: self.model.show_tree(tree))
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
            self.unread.show_state(*self._unread_text(tree.head))
        elif not self.model.rowCount():
            text = self.tr("No type, item or field of this snapshot has these letters in its name.")
            self.unread.show_state(self.tr("No item matches"), text, self.tr("Clear filter"))
        shown = bool(tree.types) and self.model.rowCount() > 0
        self._inner.setCurrentWidget(self.view if shown else self.unread)

    def _notice(self, tree: ChangeTree) -> tuple[str, str, str]:
        head = tree.head
        link = self.tr("Go to tick {tick}").format(tick=head.cause_tick) if head.cause >= 0 else ""
        reason = f"{head.reason[:1].upper()}{head.reason[1:]} ({head.code})"
        if head.status is Status.OK or head.status is Status.PARTIAL:
            return ("note", "", "")
        if head.status is Status.CRC:
            text = self.tr("The checksum does not fit: {wire} on the wire, {own} computed ({code})")
            values = {"wire": f"{head.crc_wire:08x}", "own": f"{head.crc_computed:08x}", "code": head.code}
            return ("error", text.format(**values), link)
        if head.status is Status.INCOMPLETE:
            return ("warn", f"{reason}{self._lost(head)}", link)
        if head.status is Status.NO_BASE and tree.types:
            reason = self.tr("Not rebuilt, this is the delta alone. {reason}").format(reason=reason)
        if head.status is Status.MALFORMED and tree.types:
            reason = self.tr("{reason}. What stands before it could be read").format(reason=reason)
        severity = {Status.LATE: "note", Status.DUPLICATE: "note", Status.NO_BASE: "warn"}.get(head.status, "error")
        return (severity, reason, link)

    def _lost(self, head: SnapshotHead) -> str:
        who = {
            LostBy.CAPTURE: self.tr("; the capture lost it"),
            LostBy.NETWORK: self.tr("; the network lost it"),
            LostBy.GAME: self.tr("; the game did not send it"),
        }
        return who.get(head.lost_by, "")

    def _unread_text(self, head: SnapshotHead) -> tuple[str, str]:
        if head.rebuilt:
            return self.tr("Nothing changed"), self.tr("The snapshot is the same as its baseline and holds no items.")
        here = ", ".join(str(part.number) for part in head.parts if part.packet >= 0) or words.UNKNOWN
        missing = ", ".join(str(part.number) for part in head.parts if part.packet < 0)
        if missing:
            text = self.tr("Of {all} parts, numbered from 0, here: {here}. Missing: {missing}.")
            title = self.tr("Parts are missing")
            return title, text.format(all=head.announced, here=here, missing=missing)
        if head.status is Status.MALFORMED:
            return self.tr("Nothing could be read"), self.tr(
                "The bytes stand in the Packet tab, joined from the parts."
            )
        return self.tr("No delta to show"), f"{head.reason[:1].upper()}{head.reason[1:]}."

    def _on_whole(self, whole: bool) -> None:
        self._keeping(lambda: self.model.set_whole(whole))
        self._show_tree_or_why()

    def _on_filter(self, text: str) -> None:
        self._keeping(lambda: self.model.set_filter(text))
        self._show_tree_or_why()

    def _set_order(self, order: str) -> None:
        self._keeping(lambda: self.model.set_order(order))

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
        flags = QItemSelectionModel.SelectionFlag
        self.view.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)

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

    def _copy_value(self) -> None:
        index = self.view.currentIndex()
        cell = self.view.indexAt(self.view.viewport().mapFromGlobal(self.cursor().pos()))
        self._copy(str((cell if cell.isValid() else index).data() or ""))

    @staticmethod
    def _copy(text: str) -> None:
        if text:
            QGuiApplication.clipboard().setText(text)
