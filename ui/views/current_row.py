"""Going to a row by command. A view's own `setCurrentIndex` obeys held keys: Ctrl adds or deselects."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex
from PySide6.QtWidgets import QAbstractItemView


def go_to_row(view: QAbstractItemView, index: QModelIndex) -> None:
    """Make a row the current and the only selected one, whatever keys are held."""
    flags = QItemSelectionModel.SelectionFlag
    view.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)


def show_row(view: QAbstractItemView, index: QModelIndex) -> None:
    """Go to a row and have it in view: one that was not comes to the middle, with what is around it."""
    hints = QAbstractItemView.ScrollHint
    place = view.visualRect(index)
    is_seen = place.isValid() and place.top() >= 0 and place.bottom() < view.viewport().height()
    go_to_row(view, index)
    view.scrollTo(index, hints.EnsureVisible if is_seen else hints.PositionAtCenter)
