"""The context menu of the Snapshot tab."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from ui.models import change_copy
from ui.models.shown_changes import ORDERS

if TYPE_CHECKING:
    from ui.views.snapshot_tab import SnapshotTab


def snapshot_menu(tab: SnapshotTab, column: int) -> QMenu:
    """What can be done with the selected rows and the cell in `column`; deletes itself when closed."""
    menu = QMenu(tab)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if tab.as_filter is not None:
        tab.as_filter.add_to(menu, tab.cell_filter(column))
    _add(menu, tab.tr("Copy value"), partial(tab.copy_cell, column), "Ctrl+Shift+V")
    _add(menu, tab.tr("Copy row"), tab.copy_rows, "Ctrl+C")
    for title, form in (
        (tab.tr("Copy with all below as text"), change_copy.as_text),
        (tab.tr("Copy with all below as CSV"), change_copy.as_csv),
        (tab.tr("Copy with all below as JSON"), change_copy.as_json),
    ):
        _add(menu, title, partial(tab.copy_subtree, form))
    menu.addSeparator()
    head = None if tab.tree is None else tab.tree.head
    _add(menu, tab.tr("Go to baseline"), tab.go_to_baseline, "B").setEnabled(head is not None and head.base >= 0)
    _add(menu, tab.tr("Go to cause"), tab.go_to_cause).setEnabled(head is not None and head.cause >= 0)
    menu.addSeparator()
    _add_orders(menu, tab)
    raw = _add(menu, tab.tr("Raw values"), tab.toggle_raw, "Alt")
    raw.setCheckable(True)
    raw.setChecked(tab.raw_wanted)
    menu.addSeparator()
    _add(menu, tab.tr("Open all below"), tab.view.open_below, "Shift+Right")
    _add(menu, tab.tr("Open all"), tab.view.open_all, "Ctrl+Right")
    _add(menu, tab.tr("Close all"), tab.view.close_all, "Ctrl+Left")
    return menu


def _add_orders(menu: QMenu, tab: SnapshotTab) -> None:
    orders = menu.addMenu(tab.tr("Order of types"))
    group = QActionGroup(orders)
    titles = (tab.tr("By bits"), tab.tr("By name"), tab.tr("As on the wire"))
    for order, title in zip(ORDERS, titles, strict=True):
        action = _add(orders, title, partial(tab.set_order, order))
        action.setCheckable(True)
        action.setChecked(order == tab.model.order)
        group.addAction(action)


def _add(menu: QMenu, title: str, call: Callable[[], object], key: str = "") -> QAction:
    """The key is shown only: the view handles it, also while no menu is open."""
    action = menu.addAction(f"{title}\t{key}" if key else title)
    action.triggered.connect(lambda: call())
    return action
