"""A field over a table of commands: typing narrows it, the arrows walk it, Enter takes what is current."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QFrame, QHeaderView, QLabel, QLineEdit, QTreeView, QVBoxLayout, QWidget

from ui import fonts
from ui.models.commands import CommandModel
from ui.theme import CELL_PADDING, ROW_HEIGHT

_WALK = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class CommandSearch(QDialog):
    """Shows a `CommandModel`. For help nothing is taken: Enter does nothing there."""

    taken = Signal(str)
    """Name of the command; the dialog has closed."""

    def __init__(
        self,
        title: str,
        hint: str,
        model: CommandModel,
        *,
        zoom: float,
        takes: bool,
        nothing: str = "",
        parent: QWidget | None = None,
    ) -> None:
        """`nothing`: what is said where no row has the words that were typed."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._model = model
        model.setParent(self)
        model.set_look(fonts.font(fonts.Use.GROUP_ROW, zoom=zoom), round(ROW_HEIGHT * zoom))
        self._takes = takes
        self.field = QLineEdit()
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(hint)
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self._nothing = QLabel(nothing or self.tr("No command has these words"))
        self.table = QTreeView()
        self.table.setAccessibleName(title)
        self._set_up_table()
        layout = QVBoxLayout(self)
        for widget in (self.field, self._nothing, self.table):
            layout.addWidget(widget)
        layout.setStretch(2, 1)
        self.resize(round(560 * zoom), round(520 * zoom))
        self._search("")
        # Once, of all rows: the column must not jump while one types.
        metrics = self.table.fontMetrics()
        widest = max((metrics.horizontalAdvance(keys) for keys in model.all_keys()), default=0)
        self.table.header().resizeSection(1, widest + 3 * CELL_PADDING)
        self.field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The field keeps the focus; keys that walk and take are the table's."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _WALK:
                self.table.keyPressEvent(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.table.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def _set_up_table(self) -> None:
        self.table.setModel(self._model)
        self.table.setRootIsDecorated(False)
        self.table.setUniformRowHeights(True)
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setAllColumnsShowFocus(True)
        self.table.setIndentation(0)
        self.table.header().setStretchLastSection(False)
        self.table.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        self.table.activated.connect(self._take)

    def _search(self, text: str) -> None:
        self._model.search(text)
        self._nothing.setVisible(not self._model.rowCount())
        for row in range(self._model.rowCount()):
            index = self._model.index(row, 0)
            if self._model.flags(index) & Qt.ItemFlag.ItemIsEnabled:
                self.table.setCurrentIndex(index)
                return

    def _take(self, index: QModelIndex) -> None:
        if not self._takes or not index.isValid():
            return
        row = self._model.row_at(index.row())
        if row.name and not row.off:
            self.accept()
            self.taken.emit(row.name)
