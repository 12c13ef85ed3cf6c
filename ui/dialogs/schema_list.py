"""The list of schema files in Preferences: add, remove, and what is wrong with one that cannot be added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from analyzer.engine.schemas import distinct

ROWS = 4
FILE_FILTER = "Schema files (*.json);;All files (*)"
PATH = Qt.ItemDataRole.UserRole
"""The whole path of a row."""


class SchemaList(QWidget):
    """Files by name; the whole path is the tool tip."""

    changed = Signal(object)
    """tuple[str, ...]: the paths as they are now."""

    def __init__(
        self, paths: Sequence[str], refused: Callable[[Sequence[str]], str], parent: QWidget | None = None
    ) -> None:
        """`refused`: what is wrong with some files together, empty if nothing is."""
        super().__init__(parent)
        self._refused = refused
        self.list = QListWidget()
        self.list.setFixedHeight(self.list.fontMetrics().lineSpacing() * (ROWS + 1))
        self.list.setAccessibleName(self.tr("Schema files of mods"))
        self.add_button = QPushButton(self.tr("Add..."))
        self.add_button.clicked.connect(self._browse)
        self.remove_button = QPushButton(self.tr("Remove"))
        self.remove_button.clicked.connect(self._remove)
        self.trouble = QLabel()
        self.trouble.setWordWrap(True)
        self.trouble.hide()
        for path in paths:
            self._show(path)
        self.list.currentRowChanged.connect(self._update)
        buttons = QVBoxLayout()
        buttons.addWidget(self.add_button)
        buttons.addWidget(self.remove_button)
        buttons.addStretch(1)
        row = QHBoxLayout()
        row.addWidget(self.list, 1)
        row.addLayout(buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(self.trouble)
        self._update()

    @property
    def paths(self) -> tuple[str, ...]:
        """As they are now."""
        return tuple(str(self.list.item(row).data(PATH)) for row in range(self.list.count()))

    def add(self, path: str) -> None:
        """Take one more file, or say what is wrong with it."""
        if len(distinct(map(Path, (*self.paths, path)))) == self.list.count():
            return
        trouble = self._refused((*self.paths, path))
        self._say(trouble)
        if not trouble:
            self._show(path)
            self.changed.emit(self.paths)

    def _say(self, trouble: str) -> None:
        """Below the list, with room for all of it."""
        self.trouble.setText(trouble)
        self.trouble.setFixedHeight(max(0, self.trouble.heightForWidth(self.width())))
        self.trouble.setVisible(bool(trouble))
        self.window().adjustSize()

    def _show(self, path: str) -> None:
        entry = QListWidgetItem(Path(path).name)
        entry.setData(PATH, path)
        entry.setToolTip(path)
        self.list.addItem(entry)

    def _browse(self) -> None:
        known = self.paths
        home = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        folder = str(Path(known[-1]).parent) if known else home
        paths, _ = QFileDialog.getOpenFileNames(self, self.tr("Add schema files"), folder, self.tr(FILE_FILTER))
        for path in paths:
            self.add(path)

    def _remove(self) -> None:
        if self.list.currentRow() >= 0:
            self.list.takeItem(self.list.currentRow())
            self._say("")
            self.changed.emit(self.paths)
            self._update()

    def _update(self) -> None:
        self.remove_button.setEnabled(self.list.currentRow() >= 0)
