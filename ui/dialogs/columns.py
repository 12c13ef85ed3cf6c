"""Which columns the packet list has: shown or not, in which order, and fields of filters beside the usual ones."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ui.models import column_layout
from ui.models.column_layout import ColumnLayout
from ui.theme import ROW_HEIGHT

NAME_ROLE = Qt.ItemDataRole.UserRole


class ColumnsDialog(QDialog):
    """Every change shows at once. The space bar shows or hides a column, Alt with an arrow key moves it."""

    chosen = Signal(object)
    """The `ColumnLayout` as it is now."""
    field_wanted = Signal()
    """A field is to be chosen, for another column."""
    reset_wanted = Signal()
    """As at the first start."""

    def __init__(
        self,
        layout: ColumnLayout,
        title: Callable[[str], str],
        is_shown: Callable[[str], bool],
        zoom: float,
        parent: QWidget,
    ) -> None:
        """`title`: what a person calls a column; `is_shown`: is it, where the layout leaves that open?"""
        super().__init__(parent)
        self.setWindowTitle(self.tr("Columns"))
        self._title = title
        self._is_shown = is_shown
        self._layout = layout
        self._row = QSize(0, round(ROW_HEIGHT * zoom))
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Columns of the packet list"))
        self.list.installEventFilter(self)
        self.list.itemChanged.connect(self._on_checked)
        self.list.currentRowChanged.connect(self._on_current)
        hint = QLabel(self.tr("Space shows or hides a column, Alt+Up and Alt+Down move it."))
        self.add = QPushButton(self.tr("&Add a field..."))
        self.add.clicked.connect(self.field_wanted)
        self.remove = QPushButton(self.tr("&Remove"))
        self.remove.clicked.connect(self._remove)
        self.up = QPushButton(self.tr("Move &up"))
        self.up.clicked.connect(lambda: self._move(-1))
        self.down = QPushButton(self.tr("Move &down"))
        self.down.clicked.connect(lambda: self._move(1))
        self.reset = QPushButton(self.tr("Re&set"))
        self.reset.clicked.connect(self.reset_wanted)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.accept)
        side = QVBoxLayout()
        for button in (self.add, self.remove, self.up, self.down, self.reset):
            button.setAutoDefault(False)
            side.addWidget(button)
        side.addStretch(1)
        middle = QHBoxLayout()
        middle.addWidget(self.list, 1)
        middle.addLayout(side)
        column = QVBoxLayout(self)
        column.addLayout(middle)
        column.addWidget(hint)
        column.addWidget(buttons)
        self.resize(round(420 * zoom), round(400 * zoom))
        self.show_layout(layout)
        self.list.setFocus()

    def show_layout(self, layout: ColumnLayout) -> None:
        """Another one holds; the column that was current stays it."""
        self._layout = layout
        current = self._current()
        self.list.blockSignals(True)
        self.list.clear()
        for place in layout:
            item = QListWidgetItem(self._title(place.name))
            item.setData(NAME_ROLE, place.name)
            item.setSizeHint(self._row)
            flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
            if place.name != column_layout.KEPT:
                flags |= Qt.ItemFlag.ItemIsUserCheckable
            item.setFlags(flags)
            shown = self._is_shown(place.name)
            item.setCheckState(Qt.CheckState.Checked if shown else Qt.CheckState.Unchecked)
            self.list.addItem(item)
        self.list.blockSignals(False)
        names = [place.name for place in layout]
        self.list.setCurrentRow(names.index(current) if current in names else 0)
        self._on_current()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.list and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
            key = Qt.Key(event.key())
            if key in steps and event.modifiers() & Qt.KeyboardModifier.AltModifier:
                self._move(steps[key])
                return True
            if key is Qt.Key.Key_Delete:
                self._remove()
                return True
        return super().eventFilter(watched, event)

    def _current(self) -> str:
        item = self.list.currentItem()
        return "" if item is None else str(item.data(NAME_ROLE))

    def _on_checked(self, item: QListWidgetItem) -> None:
        shown = item.checkState() == Qt.CheckState.Checked
        self._choose(column_layout.with_shown(self._layout, str(item.data(NAME_ROLE)), shown=shown))

    def _on_current(self, _row: int = 0) -> None:
        row = self.list.currentRow()
        self.up.setEnabled(row > 0)
        self.down.setEnabled(0 <= row < self.list.count() - 1)
        self.remove.setEnabled(bool(self._current()) and self._current() not in column_layout.BUILT_IN)

    def _move(self, step: int) -> None:
        self._choose(column_layout.moved(self._layout, self._current(), step))

    def _remove(self) -> None:
        if self.remove.isEnabled():
            self._choose(column_layout.without(self._layout, self._current()))

    def _choose(self, layout: ColumnLayout) -> None:
        if layout != self._layout:
            self.chosen.emit(layout)
