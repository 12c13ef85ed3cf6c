"""Copy and find: what acts on the pane that has the focus, and says which one that is."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QTableView, QWidget

from ui.charts.stack import ChartStack
from ui.models.field_text import row_text, value_text
from ui.models.packet_cells import Column
from ui.views.clients import ClientsPane
from ui.views.current_row import go_to_row
from ui.views.find_bar import FindBar
from ui.views.finding_table import FindingTable
from ui.views.findings import FindingsPane
from ui.views.packet_list import PacketList
from ui.views.packet_tab import PacketTab
from ui.views.plain_table import PlainTable
from ui.views.snapshot_tab import SnapshotTab
from ui.window_layout import focus_pane


class Editing(QObject):
    """Charts hold no text: from there the packet list is searched, and the bar says so."""

    def __init__(
        self,
        packets: PacketList,
        packet_tab: PacketTab,
        snapshot_tab: SnapshotTab,
        charts: ChartStack,
        clients: ClientsPane,
        findings: FindingsPane,
        bar: FindBar,
    ) -> None:
        super().__init__(bar)
        self._packets = packets
        self._packet_tab = packet_tab
        self._snapshot_tab = snapshot_tab
        self._charts = charts
        self._clients = clients
        self._findings = findings
        self._bar = bar
        self._left: QWidget = packets
        """The pane that had the focus when the search was asked for."""
        bar.wanted.connect(self._find)
        bar.left.connect(lambda: focus_pane(self._left))
        packets.find_ended.connect(bar.show_result)
        packets.find_told.connect(bar.tell)
        bar.stopped.connect(packets.stop_finding)

    def copy(self) -> None:
        """Copy what is selected in the pane with the focus: a row, bytes, the picture of the charts."""
        focused = QApplication.focusWidget() or self._packets
        if isinstance(focused, PlainTable | FindingTable):
            focused.copy_row()
        elif self._snapshot_tab.isAncestorOf(focused):
            self._snapshot_tab.copy_rows()
        elif self._packet_tab.bytes.isAncestorOf(focused):
            self._packet_tab.bytes.hex.copy_hex()
        elif self._packet_tab.isAncestorOf(focused):
            self._packet_tab.tree.copy(row_text)
        elif self._charts is focused or self._charts.isAncestorOf(focused):
            self._charts.commands.copy_picture()
        else:
            self._packets.copy_row()

    def copy_value(self) -> None:
        """Copy the value of what is selected in the pane with the focus; of a packet, what its Info says."""
        focused = QApplication.focusWidget() or self._packets
        if isinstance(focused, PlainTable | FindingTable):
            focused.copy_value()
        elif self._snapshot_tab.isAncestorOf(focused):
            self._snapshot_tab.copy_value()
        elif self._packet_tab.isAncestorOf(focused):
            self._packet_tab.tree.copy(value_text)
        else:
            self._packets.copy_value(Column.INFO)

    def filter_text(self) -> str:
        """What is selected in the pane with the focus, as a filter; empty: there is none of it."""
        focused = QApplication.focusWidget() or self._packets
        if self._clients is focused or self._clients.isAncestorOf(focused):
            return self._clients.row_filter()
        if self._findings is focused or self._findings.isAncestorOf(focused):
            return self._findings.row_filter()
        if self._snapshot_tab.isAncestorOf(focused):
            return self._snapshot_tab.cell_filter()
        if self._packet_tab.isAncestorOf(focused):
            return self._packet_tab.tree.field_filter()
        if self._charts is focused or self._charts.isAncestorOf(focused):
            return self._charts.commands.snapshot_filter()
        return self._packets.cell_filter()

    def find(self) -> None:
        """Ask what to find in the pane that has the focus."""
        focused = QApplication.focusWidget() or self._packets
        if not self._bar.isAncestorOf(focused):
            panes = (self._packet_tab, self._snapshot_tab, self._charts, self._clients, self._findings)
            inside = (pane for pane in panes if pane is focused or pane.isAncestorOf(focused))
            self._left = next(inside, self._packets)
        elsewhere = (self._packet_tab, self._snapshot_tab, self._clients)
        self._bar.ask(self._searched_name(), ways=self._left not in elsewhere)

    def find_next(self) -> None:
        """Find the next, or ask what to find."""
        self._step(forward=True)

    def find_previous(self) -> None:
        """Find the one before, or ask what to find."""
        self._step(forward=False)

    def _step(self, *, forward: bool) -> None:
        if self._bar.has_text:
            self._bar.search(forward=forward)
        else:
            self.find()

    def _searched_name(self) -> str:
        names: dict[QWidget, str] = {
            self._packet_tab: self.tr("the packet"),
            self._snapshot_tab: self.tr("the snapshot"),
            self._clients: self.tr("the clients"),
            self._findings: self.tr("the findings"),
        }
        return names.get(self._left, self.tr("the packet list"))

    def _find(self, text: str, forward: bool) -> None:
        if self._left is self._packet_tab:
            self._bar.show_result(self._packet_tab.find(text, forward))
        elif self._left is self._snapshot_tab:
            self._bar.show_result(self._snapshot_tab.find(text, forward))
        elif self._left is self._clients:
            self._bar.show_result(find_row(self._clients.table, text, forward=forward))
        elif self._left is self._findings:
            self._bar.show_result(self._findings.find_text(text, forward=forward))
        else:
            self._packets.find_text(text, forward, self._bar.by)


def find_row(table: QTableView, text: str, *, forward: bool) -> bool:
    """Make the next row current that shows a text in any of its columns; goes around the end once. False: none does."""
    model, wanted = table.model(), text.casefold()
    rows, step = model.rowCount(), 1 if forward else -1
    current = table.currentIndex()
    start = current.row() if current.isValid() else -1 if forward else 0
    for distance in range(1, rows + 1):
        row = (start + step * distance) % rows
        shown = (column for column in range(model.columnCount()) if not table.isColumnHidden(column))
        if any(wanted in str(model.index(row, column).data() or "").casefold() for column in shown):
            go_to_row(table, model.index(row, max(0, current.column())))
            return True
    return False
