"""The find field: searches the pane that has, or last had, the focus; the packet list in several ways."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from ui import fonts
from ui.models.packet_matches import FindBy


class FindBar(QWidget):
    """A text to find, forward or backward. Hidden until it is asked for; Esc hides it again."""

    wanted = Signal(str, bool)
    """Text, and whether to search forward."""

    left = Signal()
    """Esc was pressed: the focus belongs to what was searched."""
    stopped = Signal()
    """A search that goes on is to be given up."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._by = QComboBox()
        self._by.setAccessibleName(self.tr("What to look at"))
        for way, words in self._ways():
            self._by.addItem(words, way)
        self._by.currentIndexChanged.connect(self._on_way)
        self._searching = False
        self._field = QLineEdit()
        self._field.setClearButtonEnabled(True)
        self._field.setAccessibleName(self.tr("Find"))
        self._field.returnPressed.connect(lambda: self.search(forward=True))
        self._result = QLabel()
        self._field.textEdited.connect(self._result.clear)
        self._stop = QToolButton()
        self._stop.setText(self.tr("Stop"))
        self._stop.setToolTip(self.tr("Stop searching (Esc)"))
        self._stop.clicked.connect(self.stopped)
        self._stop.hide()
        before = self._button(self.tr("Previous"), self.tr("Find the previous (Ctrl+B)"), forward=False)
        after = self._button(self.tr("Next"), self.tr("Find the next (Ctrl+N)"), forward=True)
        self._where = QLabel()
        self._buttons = (before, after, self._stop)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 4)
        for widget in (self._where, self._by, self._field, before, after, self._result, self._stop):
            layout.addWidget(widget)
        layout.setStretchFactor(self._field, 1)
        self._on_way()
        self.hide()

    @property
    def has_text(self) -> bool:
        """There is something to search for."""
        return bool(self._field.text())

    def set_zoom(self, zoom: float) -> None:
        """Another size of type."""
        font = fonts.font(fonts.Use.TABLE, zoom=zoom)
        for widget in (self._where, self._by, self._field, self._result, *self._buttons):
            widget.setFont(font)

    @property
    def by(self) -> FindBy:
        """What of packets is looked at."""
        way = self._by.currentData()
        assert isinstance(way, FindBy)
        return way

    def choose(self, by: FindBy) -> None:
        """Look at something else."""
        self._by.setCurrentIndex(self._by.findData(by))

    def ask(self, where: str, *, ways: bool = False) -> None:
        """Show the bar and put the cursor into it; `where` names what is searched, in one of several `ways` or not."""
        self._by.setVisible(ways)
        self._on_way()
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
        self.tell("" if found else self.tr("Not found"))

    def tell(self, text: str, searching: bool = False) -> None:
        """How the search goes or went; `searching`: it goes on."""
        self._result.setText(text)
        self._searching = searching
        self._stop.setVisible(searching)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._searching:
            self.stopped.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            self.hide()
        else:
            super().keyPressEvent(event)

    def _ways(self) -> list[tuple[FindBy, str]]:
        return [
            (FindBy.TEXT, self.tr("Text in the list")),
            (FindBy.MESSAGE, self.tr("Name of a message")),
            (FindBy.VALUE, self.tr("Field or value")),
            (FindBy.BYTES, self.tr("Bytes as captured")),
            (FindBy.PLAIN, self.tr("Bytes unpacked")),
            (FindBy.FILTER, self.tr("Display filter")),
        ]

    def _on_way(self) -> None:
        """What is typed looks like what is searched."""
        examples = {
            FindBy.MESSAGE: self.tr("InputTiming"),
            FindBy.VALUE: self.tr("vel_y"),
            FindBy.BYTES: self.tr("0a ff 31"),
            FindBy.PLAIN: self.tr("0a ff 31"),
            FindBy.FILTER: 'snapshot.status != "ok"',
        }
        self._field.setPlaceholderText("" if self._by.isHidden() else examples.get(self.by, ""))
        self._result.clear()

    def _button(self, text: str, tip: str, *, forward: bool) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.clicked.connect(lambda: self.search(forward=forward))
        return button
