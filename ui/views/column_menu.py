"""The context menu of the packet list's heads: how times read, and which columns there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from ui.actions import COMMANDS, title
from ui.models import column_layout
from ui.models.packet_cells import Column, TimeFormat

if TYPE_CHECKING:
    from ui.views.packet_list import PacketList

NAMED = {command.name: command for command in COMMANDS}


def fill_head_menu(menu: QMenu, view: PacketList, section: int) -> None:
    """Commands for the head of a section; -1: for none of them."""
    if section == Column.TIME:
        for form in TimeFormat:
            name = f"time_{form.value}"
            action = _add_command(menu, view, name)
            action.setCheckable(True)
            action.setChecked(view.model.time_format is form)
        menu.addSeparator()
    name = view.table.column_name(section)
    layout = view.table.columns
    if name and name != column_layout.KEPT:
        text = view.tr("Hide this column") if name in column_layout.BUILT_IN else view.tr("Remove this column")
        menu.addAction(text).triggered.connect(lambda: view.table.choose_columns(column_layout.without(layout, name)))
        menu.addSeparator()
    for place in layout:
        action = menu.addAction(view.model.column_title(place.name))
        action.setCheckable(True)
        action.setChecked(view.table.is_shown(place.name))
        action.setEnabled(place.name != column_layout.KEPT)
        action.triggered.connect(lambda shown, name=place.name: _show(view, name, shown))
    menu.addSeparator()
    for command in ("columns", "columns_reset", "colours"):
        _add_command(menu, view, command)


def _show(view: PacketList, name: str, shown: bool) -> None:
    view.table.choose_columns(column_layout.with_shown(view.table.columns, name, shown=shown))


def _add_command(menu: QMenu, view: PacketList, name: str) -> QAction:
    command = NAMED[name]
    dots = "..." if command.text.endswith("...") else ""
    action = menu.addAction(f"{view.tr(title(command))}{dots}\t{command.keys}".rstrip("\t"))
    action.triggered.connect(lambda: view.command_wanted.emit(name))
    return action
