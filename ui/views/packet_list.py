"""The packet list: every datagram a row, tinted by what became of it, with the packets related to the selected one."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QStackedLayout, QWidget

from ui import words
from ui.document import Document
from ui.marks import Bools
from ui.models import empty_words, packet_copy
from ui.models.added_columns import Texts
from ui.models.packet_cells import Column, Rows, TimeFormat
from ui.models.packet_find import PacketFind
from ui.models.packet_matches import FindBy
from ui.models.packets import PacketModel
from ui.theme import Theme
from ui.views.column_menu import fill_head_menu
from ui.views.filter_menu import AsFilter
from ui.views.packet_menu import fill_menu
from ui.views.packet_steps import PacketSteps
from ui.views.packet_table import Keys, PacketTable
from ui.views.pane_state import PaneState

COPY_TOPIC = "packet list copy"
MOST_COPIED = 10_000
"""Rows copied at once: making their texts takes about half a second."""


class PacketList(PacketSteps):
    """The pane."""

    decode_as_wanted = Signal()
    """Of the selected packet's flow."""
    command_wanted = Signal(str)
    """A command of the window, by its name: for the selected packets."""
    following_changed = Signal(bool)
    """The list keeps at its end while rows arrive, or stays."""
    escaped = Signal()
    """Esc was pressed in the list."""
    state_chosen = Signal()
    """The button was pressed that stands in place of rows that a filter hides."""
    find_ended = Signal(bool)
    """A search is over: found (and selected), or not."""
    find_told = Signal(str, bool)
    """How the search goes or went; whether it goes on."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._following = False
        self._said = ""
        self._top: tuple[object, int] = None, -1
        """What makes the rows, and the packet in the uppermost row, before all rows are replaced."""
        self._leading = False
        """The list itself moves the current row: nothing was selected by a person."""
        self.as_filter: AsFilter | None = None
        """Set by the window: what cells are offered as filters by."""
        self.model = PacketModel(self)
        self.table = PacketTable(theme, self.model, self._keys())
        self._state = PaneState()
        self._state.chosen.connect(self.state_chosen)
        self._filtered: tuple[str, str, str] | None = None
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._state)
        self._stack.addWidget(self.table)
        self._finder = PacketFind(self.model, self)
        self._finder.ended.connect(self._found)
        self._finder.progressed.connect(self._tell_progress)
        self.setFocusProxy(self.table)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._open_menu)
        self._head = self.table.horizontalHeader()
        self._head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._head.customContextMenuRequested.connect(self._open_head_menu)
        self.table.selectionModel().currentRowChanged.connect(self._on_current)
        self.table.pointed_at.connect(self._hover)
        self.table.left_end.connect(lambda: self.set_following(False))
        self.table.reached_end.connect(self._follow_live)
        self.table.unsortable.connect(self._refuse_sort)
        self.model.reordered.connect(self._show_selected)
        self.model.reordered.connect(self._on_reordered)
        self.model.rowsInserted.connect(self._on_rows)
        self.model.editing.connect(self._lead)
        self.model.rowsRemoved.connect(self._on_rows)
        self.model.modelAboutToBeReset.connect(self._note_top)
        self.model.modelReset.connect(self._show_top)
        self.model.modelReset.connect(self._on_rows)
        self._show_state()

    def show_document(self, document: Document | None) -> None:
        """Show a capture, or nothing."""
        if self._document is not None:
            self._document.selection.packet_changed.disconnect(self._show_selected)
            self._document.selection.packet_changed.disconnect(self._say_hidden)
            self._document.decoded.disconnect(self._on_decoded)
        self._finder.show_document(document)
        self.set_following(False)
        self._document = document
        self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.model.show_document(document)
        if document is not None:
            document.selection.packet_changed.connect(self._show_selected)
            document.selection.packet_changed.connect(self._say_hidden)
            document.decoded.connect(self._on_decoded)
        self._show_state()
        self._show_selected()
        self._follow_live()

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self.table.set_theme(theme)

    def set_zoom(self, zoom: float, *, system: bool = False) -> None:
        """Scale type, rows and columns; `system` takes the system's fonts."""
        self.table.set_zoom(zoom, system=system)
        self._state.set_zoom(zoom, system=system)
        self._show_selected()

    def set_time_format(self, form: TimeFormat) -> None:
        """What the time column says."""
        self.model.set_time_format(form)

    @property
    def following(self) -> bool:
        """The list keeps at its end while rows arrive."""
        return self._following

    def set_following(self, on: bool) -> None:
        """Keep at the end while rows arrive, until the person scrolls up or selects. By a column nothing comes last."""
        if on and not self.model.in_capture_order:
            self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        if on:
            self.table.show_end()
        if on != self._following:
            self._following = on
            self.following_changed.emit(on)

    def limit_to_session(self, on: bool) -> None:
        """Show only the session of the selected packet in all panes, or every session."""
        if self._document is not None:
            packet = self._place.packet
            session = self._document.tables.packets.integer("session", packet) if on and packet >= 0 else -1
            self._document.selection.limit_to(session)

    def copy_row(self) -> None:
        """The selected rows' shown columns as text, separated by tabs."""
        self.copy_rows(packet_copy.as_text)

    def copy_rows(self, form: packet_copy.Form) -> None:
        """The selected rows' shown columns in a form of `packet_copy`."""
        cells, chosen = self.model.cells, self.selected_packets()
        if cells is None or not len(chosen):
            return
        packets, columns = chosen[:MOST_COPIED].tolist(), self.table.shown_columns()

        def copy() -> None:
            self._copy(form(cells, packets, columns))
            if len(chosen) > MOST_COPIED:
                text = self.tr("Copied the first {some} of {all} rows")
                self._say(text.format(some=words.quantity(MOST_COPIED), all=words.quantity(len(chosen))))

        added = cells.added
        if added is None or self._document is None:
            copy()
        else:

            def take(texts: Texts) -> None:
                added.take(texts)
                copy()

            self._document.ask(COPY_TOPIC, added.question(packets), take)

    def copy_value(self, column: int) -> None:
        """One cell of the current row."""
        cells, row = self.model.cells, self.table.currentIndex().row()
        if cells is not None and row >= 0:
            (text,) = cells.some_texts(self.model.packet_at(row), (column,))
            self._copy(text)

    def selected_packets(self) -> Rows:
        """Rows of the tables, from top to bottom."""
        found = [self.model.packets(rows.start, rows.stop) for rows in self.table.selected_ranges()]
        return np.concatenate(found) if found else np.arange(0)

    def selected_mask(self) -> Bools:
        """The selected packets as a mask over all that the list knows."""
        return self.model.mask(self.table.selected_ranges())

    def shown_mask(self) -> Bools:
        """The packets that have a row, likewise."""
        return self.model.mask([range(self.model.rowCount())])

    def find_text(self, text: str, forward: bool = True, by: FindBy = FindBy.TEXT) -> None:
        """Select the next row, or the one before, with `text`: in any column, or where `by` says; in either case.

        `find_ended` and `find_told` say how it went. What is ignored is not looked at.
        """
        try:
            self._finder.find(by, text, self.table.currentIndex().row(), forward)
        except ValueError as error:
            self.find_told.emit(str(error), False)

    def stop_finding(self) -> bool:
        """Give a search up that goes on. False: none did."""
        runs = self._finder.is_running
        self._finder.stop()
        if runs:
            self.find_told.emit(self.tr("Stopped"), False)
        return runs

    def cell_filter(self, column: int = -1) -> str:
        """A cell of the selected row as a filter, of the column that was clicked last if none is named."""
        index, packet = self.table.currentIndex(), self._place.packet
        column = index.column() if column < 0 else column
        if self.as_filter is None or self._document is None or packet < 0:
            return ""
        if column >= len(Column):
            said = index.siblingAtColumn(column).data()
            return self.as_filter.texts.added(self.model.added_names[column - len(Column)], str(said or ""))
        column = Column.INFO if column == Column.GUTTER else Column(column)
        return self.as_filter.texts.cell(self._document.tables, packet, column, self.model.time_format)

    def _keys(self) -> Keys:
        none, control = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
        shift = Qt.KeyboardModifier.ShiftModifier
        return {
            (Qt.Key.Key_Down, control): self.go_next,
            (Qt.Key.Key_Up, control): self.go_previous,
            (Qt.Key.Key_F8, none): self.go_next,
            (Qt.Key.Key_F7, none): self.go_previous,
            (Qt.Key.Key_Home, none): self.go_first,
            (Qt.Key.Key_End, none): self.go_last,
            (Qt.Key.Key_Home, control): self.go_first,
            (Qt.Key.Key_End, control): self.go_last,
            (Qt.Key.Key_Period, control): self.go_next_in_flow,
            (Qt.Key.Key_Comma, control): self.go_previous_in_flow,
            (Qt.Key.Key_J, none): self.go_next_snapshot,
            (Qt.Key.Key_K, none): self.go_previous_snapshot,
            (Qt.Key.Key_J, shift): self.go_next_failed,
            (Qt.Key.Key_K, shift): self.go_previous_failed,
            (Qt.Key.Key_B, none): self.go_baseline,
            (Qt.Key.Key_A, none): self.go_acknowledgement,
            (Qt.Key.Key_P, none): self.go_next_part,
            (Qt.Key.Key_C, control): self.copy_row,
            (Qt.Key.Key_Escape, none): self.escaped.emit,
            (Qt.Key.Key_V, control | shift): lambda: self.copy_value(Column.INFO),
        }

    @Slot(QModelIndex, QModelIndex)
    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        """The person went to a row."""
        cells = self.model.cells
        if self._leading or self._document is None or cells is None or not current.isValid():
            return
        self.set_following(False)
        packet = self.model.packet_at(current.row())
        self._document.selection.select(packet, cells.info.snapshot(packet))

    @Slot(int)
    def _hover(self, row: int) -> None:
        """The pointer is over a row, or over none: other panes may mark its time."""
        if self._document is not None:
            tables = self._document.tables
            frame = tables.packets.integer("frame", self.model.packet_at(row)) if row >= 0 else -1
            self._document.selection.hover(tables.frames.integer("time_ns", frame) if frame >= 0 else None)

    @Slot()
    def _show_selected(self) -> None:
        """Another pane selected a packet, or it stands in another row now."""
        self._say("")
        packet = self._place.packet
        row = self.model.row_of(packet) if packet >= 0 else -1
        self._leading = True
        if row < 0:
            self.table.setCurrentIndex(QModelIndex())
            self.table.clearSelection()
        elif row != self.table.currentIndex().row():
            self.set_following(False)
            self.table.show_row(row)
        self._leading = False

    @Slot()
    def _on_reordered(self) -> None:
        """By a column, what is newest does not come last."""
        if not self.model.in_capture_order:
            self.set_following(False)

    @Slot()
    def _follow_live(self) -> None:
        """A live capture is shown from its end, until the person scrolls up or selects."""
        if self._document is not None and self._document.is_live and self.model.in_capture_order:
            self.set_following(True)

    @Slot()
    def _on_decoded(self) -> None:
        if self._following:
            self.table.show_end()
        self._show_state()

    @Slot()
    def _on_rows(self) -> None:
        self._show_state()
        if self._following:
            self.table.show_end()

    def take_focus(self) -> None:
        """Have the keys: the table, or the button that stands in its place."""
        (self.table if self._stack.currentWidget() is self.table else self._state).setFocus()

    def say_filtered(self, words: tuple[str, str, str] | None) -> None:
        """What is said where a filter hides all: title, sentence, words of the button. None: there is no filter."""
        if words != self._filtered:
            self._filtered = words
            self._show_state()

    @Slot()
    def _note_top(self) -> None:
        """Other rows are to be shown: those around the uppermost one stay in view."""
        self._top = self.model.cells, self.model.packet_at(self.table.rowAt(0)) if self.table.rowAt(0) >= 0 else -1

    @Slot()
    def _show_top(self) -> None:
        (cells, packet), self._top = self._top, (None, -1)
        if cells is self.model.cells and packet >= 0:
            self.table.show_at_top(self.model.nearest_row(packet))

    @Slot(int)
    def _say_hidden(self, packet: int) -> None:
        """Another pane went to a packet that has no row."""
        if self._document is not None and self._filtered is not None and packet >= 0 and self.model.row_of(packet) < 0:
            number = self._document.tables.packets.integer("frame", packet) + 1
            self._say(self.tr("Packet {0} is selected, and hidden by the filter").format(number))

    @Slot(bool)
    def _lead(self, on: bool) -> None:
        """Which row is current is nobody's choice meanwhile."""
        self._leading = on

    @Slot()
    def _show_state(self) -> None:
        """The table, or why there is none."""
        rows = self.model.rowCount()
        if not rows and self._filtered is not None:
            self._state.show_state(*self._filtered)
        elif not rows:
            self._state.show_state(*empty_words.no_packets(self._document))
        self._stack.setCurrentWidget(self.table if rows else self._state)

    @Slot(int, int)
    def _found(self, row: int, around: int) -> None:
        if row >= 0:
            self.table.show_row(row)
        self.find_ended.emit(row >= 0)
        if row >= 0 and around:
            over = self.tr("Went on from the first packet") if around > 0 else self.tr("Went on from the last one")
            self.find_told.emit(over, False)

    @Slot(float)
    def _tell_progress(self, share: float) -> None:
        self.find_told.emit(self.tr("Searching, {0} %").format(int(100 * share)), True)

    def _copy(self, text: str) -> None:
        if text:
            QGuiApplication.clipboard().setText(text)

    @Slot(QPoint)
    def _open_menu(self, where: QPoint) -> None:
        index, current = self.table.indexAt(where), self.table.currentIndex()
        if not current.isValid():
            return
        if index.row() != current.row():
            # Asked for by a key: the place is that of the pointer, or the middle of the list.
            index = current
            where = self.table.visualRect(current).center()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill_menu(menu, index.column())
        menu.popup(self.table.viewport().mapToGlobal(where))

    @Slot()
    def _refuse_sort(self) -> None:
        self._say(self.tr("Rows cannot be sorted by what has to be read from each packet"))

    @Slot(QPoint)
    def _open_head_menu(self, where: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        fill_head_menu(menu, self, self._head.logicalIndexAt(where))
        menu.popup(self._head.viewport().mapToGlobal(where))

    def fill_menu(self, menu: QMenu, column: int) -> None:
        """Put the commands of the selected row's cell into a menu."""
        if self._document is not None:
            fill_menu(menu, self, column, self._document.tables, self._place, self._document.selection.session)
