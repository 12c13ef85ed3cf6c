"""The columns of the packet list by command: chosen in a dialog, remembered, taken back, reset."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QWidget

from ui.appearance import Appearance
from ui.dialogs.columns import ColumnsDialog
from ui.dialogs.command_search import CommandSearch
from ui.models import column_layout
from ui.models.added_columns import offered
from ui.models.column_layout import ColumnLayout
from ui.models.commands import CommandModel, CommandRow
from ui.opening import Opening
from ui.settings import Settings
from ui.undo import Step
from ui.views.packet_list import PacketList


class PacketColumns(QObject):
    """Whoever changes columns, by hand, menu or dialog, does it through `PacketTable.choose_columns`."""

    def __init__(
        self, opening: Opening, settings: Settings, packets: PacketList, appearance: Appearance, window: QWidget
    ) -> None:
        super().__init__(window)
        self._opening = opening
        self._settings = settings
        self._packets = packets
        self._appearance = appearance
        self._window = window
        self._dialog: ColumnsDialog | None = None
        packets.table.columns_chosen.connect(self._on_chosen)
        packets.table.set_columns(column_layout.read_layout(settings.packet_columns))

    def commands(self) -> dict[str, Callable[[], object]]:
        """Command -> what carries it out."""
        return {"columns": self.ask, "columns_reset": self.reset}

    def reset(self) -> None:
        """As at the first start."""
        self._packets.table.choose_columns(column_layout.DEFAULT)

    def add_field(self, name: str) -> None:
        """Have a column for a field."""
        table = self._packets.table
        table.choose_columns(column_layout.with_field(table.columns, name))

    def ask(self) -> None:
        """Show the dialog."""
        if self._dialog is not None:
            self._dialog.activateWindow()
            return
        table = self._packets.table
        dialog = ColumnsDialog(
            table.columns,
            self._packets.model.column_title,
            table.is_shown,
            self._appearance.preferences.zoom,
            self._window,
        )
        self._dialog = dialog
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(table.choose_columns)
        dialog.field_wanted.connect(self._ask_field)
        dialog.reset_wanted.connect(self.reset)
        dialog.finished.connect(self._on_finished)
        dialog.open()

    @Slot()
    def _on_finished(self) -> None:
        self._dialog = None

    @Slot()
    def _ask_field(self) -> None:
        view, dialog = self._packets.model.view, self._dialog
        if view is None or dialog is None:
            return
        rows = [
            CommandRow("", f"{info.name} \N{EN DASH} {info.meaning}", info.kind.value, info.name)
            for info in offered(view.fields)
        ]
        search = CommandSearch(
            self.tr("Add a field"),
            self.tr("Name or meaning of a field"),
            CommandModel(rows, grouped=False, heads=(self.tr("Field"), self.tr("Kind"))),
            zoom=self._appearance.preferences.zoom,
            takes=True,
            nothing=self.tr("No field has these words"),
            parent=dialog,
        )
        search.taken.connect(self.add_field, Qt.ConnectionType.QueuedConnection)
        search.open()

    @Slot(object, object)
    def _on_chosen(self, old: ColumnLayout, new: ColumnLayout) -> None:
        self._keep(new)
        document, table = self._opening.document, self._packets.table
        if document is not None:

            def take(layout: ColumnLayout) -> None:
                table.set_columns(layout)
                self._keep(layout)

            document.undo.push(Step(self.tr("Change the columns"), lambda: take(old), lambda: take(new)))

    def _keep(self, layout: ColumnLayout) -> None:
        self._settings.packet_columns = None if layout == column_layout.DEFAULT else column_layout.stored_layout(layout)
        if self._dialog is not None:
            self._dialog.show_layout(layout)
