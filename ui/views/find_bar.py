"""The find field: searches the pane that has, or last had, the focus."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from ui import fonts


class FindBar(QWidget):
    """A text to find, forward or backward. Hidden until it is asked for; Esc hides it again."""

    wanted = Signal(str, bool)
    """Text, and whether to search forward."""

    left = Signal()
    """Esc was pressed: the focus belongs to what was searched."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._field = QLineEdit()
        self._field.setClearButtonEnabled(True)
        self._field.setAccessibleName(self.tr("Find"))
        self._field.returnPressed.connect(lambda: self.search(forward=True))
        self._result = QLabel()
        self._field.textEdited.connect(self._result.clear)
        before = self._button(self.tr("Previous"), self.tr("Find the previous (Ctrl+B)"), forward=False)
        after = self._button(self.tr("Next"), self.tr("Find the next (Ctrl+N)"), forward=True)
        self._where = QLabel()
        self._buttons = (before, after)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 4)
        for widget in (self._where, self._field, before, after, self._result):
            layout.addWidget(widget)
        layout.setStretch(1, 1)
        self.hide()

    @property
    def has_text(self) -> bool:
        """There is something to search for."""
        return bool(self._field.text())

    def set_zoom(self, zoom: float) -> None:
        """Another size of type."""
        font = fonts.font(fonts.Use.TABLE, zoom=zoom)
        for widget in (self._where, self._field, self._result, *self._buttons):
            widget.setFont(font)

    def ask(self, where: str) -> None:
        """Show the bar and put the cursor into it; `where` names what is searched."""
        self._where.setText(self.tr("Find in {0}").format(where))
        self._field.setAccessibleName(self._where.text())
        self._result.clear()
        self.show()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()

    def search(self, *, forward: bool) -> None:
        """Search for the text that stands there."""
        if self._field.text():
            self.wanted.emit(self._field.text(), forward)

    def show_result(self, found: bool) -> None:
        """Say whether something was found."""
        self._result.setText("" if found else self.tr("Not found"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            self.hide()
        else:
            super().keyPressEvent(event)

    def _button(self, text: str, tip: str, *, forward: bool) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.clicked.connect(lambda: self.search(forward=forward))
        return button
