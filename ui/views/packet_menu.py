"""The context menu of the packet list."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu

from analyzer.store.tables import Tables
from ui.actions import COMMANDS
from ui.models import packet_copy, steps
from ui.models.packet_cells import Column
from ui.selection import Place

if TYPE_CHECKING:
    from ui.views.packet_list import PacketList


PACKET_COMMANDS = ("mark", "ignore", "reference")
"""Commands of the window that the menu has, too: for the selected packets."""
NAMED = {command.name: command for command in COMMANDS}


def fill_menu(menu: QMenu, view: PacketList, column: int, tables: Tables, place: Place, session: int) -> None:
    """Commands for the cell in `column` of the selected row; `session` is the one that panes are limited to."""

    def add(text: str, call: Callable[[], object], key: str = "", enabled: bool = True) -> None:
        action = menu.addAction(text)
        action.triggered.connect(lambda _checked=False: call())
        action.setShortcut(QKeySequence(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.setShortcutVisibleInContextMenu(True)
        action.setEnabled(enabled)

    if view.as_filter is not None:
        view.as_filter.add_to(menu, view.cell_filter(column))
    snapshot = place.snapshot
    # Of a sign there is no value: what stands for the packet is its Info.
    value = Column.INFO if column in packet_copy.DRAWN else column
    add(view.tr("Copy value"), lambda: view.copy_value(value), "Ctrl+Shift+V" if value == Column.INFO else "")
    add(view.tr("Copy row"), view.copy_row, "Ctrl+C")
    add(view.tr("Copy row as CSV"), lambda: view.copy_rows(packet_copy.as_csv))
    add(view.tr("Copy row as JSON"), lambda: view.copy_rows(packet_copy.as_json))
    menu.addSeparator()
    add(view.tr("Go to baseline"), view.go_baseline, "B", steps.baseline(tables, snapshot) >= 0)
    add(view.tr("Go to acknowledgement"), view.go_acknowledgement, "A", steps.acknowledgement(tables, snapshot) >= 0)
    add(view.tr("Go to cause"), view.go_cause, "", steps.cause(tables, snapshot) >= 0)
    menu.addSeparator()
    for name in PACKET_COMMANDS:
        command = NAMED[name]
        add(view.tr(command.text), partial(view.command_wanted.emit, name), command.keys, place.packet >= 0)
    menu.addSeparator()
    if session >= 0:
        add(view.tr("Show all sessions"), lambda: view.limit_to_session(False))
    else:
        known = place.packet >= 0 and tables.packets.integer("session", place.packet) >= 0
        add(view.tr("Only this session"), lambda: view.limit_to_session(True), "", known)
    add(view.tr("Decode as..."), view.decode_as_wanted.emit, "Ctrl+Shift+U", place.packet >= 0)
