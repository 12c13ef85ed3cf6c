"""The table of the packet list: fixed rows, columns by its width, keys, and arrows to related packets out of view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil

from PySide6.QtCore import QEvent, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView

from ui import fonts
from ui.models import column_layout, packet_copy
from ui.models.column_layout import ColumnLayout
from ui.models.packet_cells import Column
from ui.models.packets import Index, PacketModel
from ui.theme import CELL_PADDING, ROW_HEIGHT, Theme
from ui.views.cells import SIGN_WIDTH, Row
from ui.views.current_row import go_to_row
from ui.views.gutter import EDGE_WIDTH, Gutter, GutterJump
from ui.views.packet_head import PacketHead
from ui.views.row_table import RowTable

WIDTHS = {
    Column.GUTTER: 30,
    Column.NUMBER: 54,
    Column.TIME: 84,
    Column.SOURCE: 128,
    Column.DESTINATION: 128,
    Column.CLIENT: 62,
    Column.DIRECTION: 28,
    Column.PROTOCOL: 64,
    Column.LENGTH: 58,
}
"""At 100 % zoom; the last column takes the rest."""
ADDED_WIDTH = 84
"""Of an added column, unless its head needs more."""
NARROW = 860
"""Below this width the addresses are hidden: the client names them."""
NARROWEST = 620
"""Below this one also the protocol."""
MOST_CLIENT = 128
"""So wide the clients' column grows for their names where addresses have room, too."""
NAMES_LOOKED_AT = 256
CONTEXT = 2
"""Rows that are seen above and below the row that was gone to."""

Keys = Mapping[tuple[Qt.Key, Qt.KeyboardModifier], Callable[[], object]]


class PacketTable(RowTable):
    """Shows a `PacketModel`. `keys` says what keys do while it has the focus; there is no type-ahead."""

    pointed_at = Signal(int)
    """The pointer is over this row; -1: over none."""
    left_end = Signal()
    """The person scrolled away from the end."""
    columns_chosen = Signal(object, object)
    """A person changed the columns: the `ColumnLayout` before, and the one now."""
    unsortable = Signal()
    """A person wants rows in the order of a column that has none."""
    reached_end = Signal()
    """The person scrolled to the end."""

    def __init__(self, theme: Theme, model: PacketModel, keys: Keys) -> None:
        super().__init__(theme, model)
        self._keys = keys
        self._packets = model
        self._zoom = 1.0
        self._scrolling = False
        self._layout = column_layout.DEFAULT
        self._arranging = False
        """Columns are moved as the layout says: nobody drags them."""
        self._client_width = 0
        """What the column was given; another width was drawn by a person, and stays."""
        self._number_metrics = QFontMetricsF(fonts.font(fonts.Use.TABLE))
        self._gutter = Gutter(theme, model)
        self._head = PacketHead(theme, self)
        self.above = GutterJump(theme, up=True, parent=self.viewport())
        self.below = GutterJump(theme, up=False, parent=self.viewport())
        self.setHorizontalHeader(self._head)
        self._set_up()
        self.set_zoom(1.0)
        self._connect(model)

    def _set_up(self) -> None:
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setAccessibleName(self.tr("Packets"))

    def _connect(self, model: PacketModel) -> None:
        self._head.sortIndicatorChanged.connect(self._sort)
        self._head.sectionMoved.connect(self._on_moved)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        model.related_changed.connect(self.look_up_related)
        model.reordered.connect(self.look_up_related)
        model.rowsInserted.connect(self.count_out_of_view)
        for changed in (model.rowsInserted, model.modelReset, model.headerDataChanged, model.signs_changed):
            changed.connect(self._fit_numbers)
        for changed in (model.rowsInserted, model.modelReset, model.dataChanged):
            changed.connect(self._fit_client)
        self.entered.connect(lambda index: self.pointed_at.emit(index.row()))
        self.viewportEntered.connect(lambda: self.pointed_at.emit(-1))
        self.above.clicked.connect(lambda: self._jump(up=True))
        self.below.clicked.connect(lambda: self._jump(up=False))

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        for part in (self._painter, self._gutter, self._head, self.above, self.below):
            part.set_theme(theme)
        self.viewport().update()

    def set_zoom(self, zoom: float, *, system: bool = False) -> None:
        """Scale type, rows and columns."""
        for column, width in WIDTHS.items():
            self.setColumnWidth(column, round(width * zoom))
        self._zoom = zoom
        self._client_width = self.columnWidth(Column.CLIENT)
        for part in (self._painter, self._head, self.above, self.below):
            part.set_zoom(zoom, system=system)
        self.verticalHeader().setDefaultSectionSize(round(ROW_HEIGHT * zoom))
        self._number_metrics = QFontMetricsF(fonts.font(fonts.Use.TABLE, zoom=zoom, system=system))
        self._fit_heads()
        self._fit_columns()
        self._fit_numbers()
        self.count_out_of_view()

    @property
    def columns(self) -> ColumnLayout:
        """The columns behind the gutter."""
        return self._layout

    def set_columns(self, layout: ColumnLayout) -> None:
        """Show these columns."""
        self._layout = layout
        self._packets.set_added(column_layout.added_names(layout))
        self._arranging = True
        for place, entry in enumerate(layout, 1):
            self._head.moveSection(self._head.visualIndex(self._section(entry.name)), place)
        self._arranging = False
        metrics = QFontMetricsF(self._head.font())
        for entry in layout:
            if entry.added:
                section = self._section(entry.name)
                title = str(self._packets.headerData(section, Qt.Orientation.Horizontal))
                width = ceil(metrics.horizontalAdvance(title)) + 2 * CELL_PADDING + 1
                self.setColumnWidth(section, max(width, round(ADDED_WIDTH * self._zoom)))
        self._fit_columns()
        self.viewport().update()

    def choose_columns(self, layout: ColumnLayout) -> None:
        """A person wants these columns."""
        old = self._layout
        if layout != old:
            self.set_columns(layout)
            self.columns_chosen.emit(old, layout)

    def is_shown(self, name: str) -> bool:
        """Is a column of the layout shown now?"""
        return not self.isColumnHidden(self._section(name))

    def shown_columns(self) -> dict[int, str]:
        """Section and name of the columns that are shown, from left to right, but for those without a text."""
        sections = {entry.name: self._section(entry.name) for entry in self._layout}
        return {
            section: name
            for name, section in sections.items()
            if section not in packet_copy.DRAWN and not self.isColumnHidden(section)
        }

    def column_name(self, section: int) -> str:
        """What the layout calls the column of a section; empty: it has none."""
        return next((entry.name for entry in self._layout if self._section(entry.name) == section), "")

    def _section(self, name: str) -> int:
        own = column_layout.BUILT_IN.get(name)
        return len(Column) + self._packets.added_names.index(name) if own is None else own

    @Slot()
    def _on_moved(self) -> None:
        """A person dragged a head. The model's columns come and go without it."""
        if self._arranging or self._head.count() != len(self._layout) + 1:
            return
        shown = [self._head.logicalIndex(place) for place in range(self._head.count())]
        by_section = {self._section(entry.name): entry.name for entry in self._layout}
        names = [by_section[section] for section in shown if section in by_section]
        old, self._layout = self._layout, column_layout.ordered(self._layout, names)
        if old != self._layout:
            self.columns_chosen.emit(old, self._layout)

    def show_row(self, row: int) -> None:
        """Make a row current and visible: one out of view or at an edge comes to the middle, with what is around it."""
        hints = QAbstractItemView.ScrollHint
        seen = self.visible_rows()
        context = min(CONTEXT, len(seen) // 4)
        inside = seen.start + context <= row < seen.stop - context
        hint = hints.EnsureVisible if inside else hints.PositionAtCenter
        self._scrolling = True
        go_to_row(self, self._packets.index(row, Column.INFO))
        self.scrollTo(self._packets.index(row, Column.GUTTER), hint)
        self._scrolling = False

    def show_at_top(self, row: int) -> None:
        """Scroll so that a row is the uppermost one."""
        self._scrolling = True
        self.scrollTo(self._packets.index(row, Column.GUTTER), QAbstractItemView.ScrollHint.PositionAtTop)
        self._scrolling = False

    def show_end(self) -> None:
        """Scroll to the last row."""
        self._scrolling = True
        self.scrollToBottom()
        self._scrolling = False

    def selected_ranges(self) -> list[range]:
        """Rows that are selected, from top to bottom; the current row if none is."""
        selection = self.selectionModel().selection()
        found = sorted((one.top(), one.bottom()) for one in map(selection.at, range(selection.size())))
        current = self.currentIndex().row()
        merged: list[range] = []
        for top, bottom in found or [(current, current)] * (current >= 0):
            start = max(top, merged[-1].stop if merged else 0)
            if start <= bottom:
                merged.append(range(start, bottom + 1))
        return merged

    def visible_rows(self) -> range:
        """Rows that are wholly in view."""
        first = self.rowAt(0)
        if first < 0:
            return range(0)
        # At the end of the list Qt cuts the first row, not the last one.
        top = self.rowViewportPosition(first)
        height = self.verticalHeader().defaultSectionSize()
        count = (self.viewport().height() - top) // height
        return range(first + (top < 0), min(first + count, self._packets.rowCount()))

    @Slot()
    def look_up_related(self) -> None:
        """Related packets, or the rows they stand in, changed."""
        self._gutter.look_up()
        self.count_out_of_view()
        self.viewport().update()

    @Slot()
    def count_out_of_view(self) -> None:
        """Say how many related packets are above and below, and put the arrows where the gutter is."""
        rows = self._related_rows()
        seen = self.visible_rows()
        self.above.show_count(sum(row < seen.start for row in rows))
        self.below.show_count(sum(row >= seen.stop for row in rows))
        left = self.columnViewportPosition(Column.GUTTER) + round(EDGE_WIDTH)
        width = self.columnWidth(Column.GUTTER) - round(EDGE_WIDTH)
        height = self.verticalHeader().defaultSectionSize()
        self.above.setGeometry(left, 0, width, height)
        self.below.setGeometry(left, self.viewport().height() - height, width, height)

    def paint_over(self, painter: QPainter, number: int, row: Row, top: int) -> None:
        left, width = self.columnViewportPosition(Column.GUTTER), self.columnWidth(Column.GUTTER)
        height = self.verticalHeader().defaultSectionSize()
        self._gutter.paint(painter, QRectF(left, top, width, height), number, row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = self._keys.get((Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier))
        if action is None:
            super().keyPressEvent(event)
            return
        action()
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed_at.emit(-1)

    def keyboardSearch(self, search: str) -> None:
        """Single letters are commands."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        current = self.currentIndex()
        was_seen = current.isValid() and 0 <= self.rowViewportPosition(current.row()) < event.oldSize().height()
        super().resizeEvent(event)
        self._fit_columns()
        if was_seen and current.row() not in self.visible_rows():
            self._scrolling = True
            self.scrollTo(current.siblingAtColumn(Column.GUTTER))
            self._scrolling = False
        self.count_out_of_view()

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Qt would scroll sideways to the current cell; rows are what is selected here."""
        left = self.horizontalScrollBar().value()
        super().currentChanged(current, previous)
        self.horizontalScrollBar().setValue(left)

    def _fit_heads(self) -> None:
        """Padding does not shrink with the zoom, so a small zoom must not cut the titles."""
        metrics = QFontMetricsF(self._head.font())
        for column in (Column.NUMBER, Column.TIME, Column.PROTOCOL, Column.LENGTH):
            title = str(self._packets.headerData(column, Qt.Orientation.Horizontal) or "")
            width = ceil(metrics.horizontalAdvance(title)) + 2 * CELL_PADDING + 1
            self.setColumnWidth(column, max(width, self.columnWidth(column)))

    @Slot()
    def _fit_numbers(self) -> None:
        """Numbers are never cut: the last packet has the longest ones."""
        cells, count = self._packets.cells, self._packets.rowCount()
        if cells is None or not count:
            return
        columns = (Column.NUMBER, Column.TIME, Column.LENGTH)
        texts = cells.some_texts(self._packets.packet_at(count - 1), columns)
        for column, text in zip(columns, texts, strict=True):
            signs = SIGN_WIDTH * self._packets.most_signs if column is Column.NUMBER else 0
            width = ceil(self._number_metrics.horizontalAdvance(text) + signs) + 2 * CELL_PADDING + 1
            if width > self.columnWidth(column):
                self.setColumnWidth(column, width)

    def _fit_columns(self) -> None:
        added = (self._section(entry.name) for entry in self._layout if entry.added and entry.shown is not False)
        width = (self.width() - sum(map(self.columnWidth, added))) / self._zoom
        leasts = {Column.SOURCE: NARROW, Column.DESTINATION: NARROW, Column.PROTOCOL: NARROWEST}
        for entry in self._layout:
            section = self._section(entry.name)
            fits = width >= leasts.get(Column(section), 0) if section < len(Column) else True
            self.setColumnHidden(section, not (fits if entry.shown is None else entry.shown))
        self._fit_client()

    @Slot()
    def _fit_client(self) -> None:
        """As wide as the longest name, within bounds, where there is room."""
        cells = self._packets.cells
        if self.columnWidth(Column.CLIENT) != self._client_width:
            return
        width = float(WIDTHS[Column.CLIENT] * self._zoom)
        if cells is not None and self.width() >= NARROW * self._zoom:
            sessions = cells.tables.sessions
            names = {sessions.text("player", row) for row in range(min(len(sessions), NAMES_LOOKED_AT))}
            longest = max(map(self._number_metrics.horizontalAdvance, names), default=0.0) + 2 * CELL_PADDING + 1
            width = max(width, min(longest, MOST_CLIENT * self._zoom))
        if ceil(width) != self._client_width:
            self.setColumnWidth(Column.CLIENT, ceil(width))
            self._client_width = ceil(width)

    def _related_rows(self) -> list[int]:
        related = self._packets.related
        packets = {*related.parts, *related.base, related.ack}
        return sorted(row for packet in packets if (row := self._packets.row_of(packet)) >= 0)

    def _jump(self, *, up: bool) -> None:
        """Bring the nearest related packet out of view into view; nothing is selected by it."""
        seen = self.visible_rows()
        rows = self._related_rows()
        outside = [row for row in rows if row < seen.start] if up else [row for row in rows if row >= seen.stop]
        if outside:
            row = outside[-1] if up else outside[0]
            self.scrollTo(self._packets.index(row, Column.GUTTER), QAbstractItemView.ScrollHint.PositionAtCenter)

    @Slot(int, Qt.SortOrder)
    def _sort(self, column: int, order: Qt.SortOrder) -> None:
        if column >= 0 and not self._packets.can_sort(column):
            self._head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
            if column != Column.GUTTER:
                self.unsortable.emit()
            return
        self._packets.sort(column, order)
        current = self.currentIndex()
        if current.isValid():
            self.scrollTo(current.siblingAtColumn(Column.GUTTER))

    @Slot(int)
    def _scrolled(self, value: int) -> None:
        self.count_out_of_view()
        if not self._scrolling:
            at_end = value >= self.verticalScrollBar().maximum()
            (self.reached_end if at_end else self.left_end).emit()
