"""Going to a row by command. A view's own `setCurrentIndex` obeys held keys: Ctrl adds or deselects."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex
from PySide6.QtWidgets import QAbstractItemView


def go_to_row(view: QAbstractItemView, index: QModelIndex) -> None:
    """Make a row the current and the only selected one, whatever keys are held."""
    flags = QItemSelectionModel.SelectionFlag
    view.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
