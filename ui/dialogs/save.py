"""What of the capture is saved, and in which format; says how much that is, and how far the saving is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QProgressBar,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from analyzer.export.formats import Format
from analyzer.export.selection import Bools
from ui.dialogs.sentence import Sentence
from ui.theme import Theme

FIRST_WIDTH = 480
PROGRESS = 8
STEPS = 1000


@dataclass(frozen=True, slots=True)
class Choice:
    """A part of the capture that may be saved."""

    text: str
    """With the mark of its key."""
    select: Callable[[], Bools]
    """Which frames; may take long."""


class SaveDialog(QDialog):
    """Asks for a choice and a format. Whoever saves says how it goes, and `accept` at the end."""

    changed = Signal()
    """Another choice or format."""
    wanted = Signal()
    """Save it."""
    stopped = Signal()
    """Stop the saving that runs."""

    def __init__(
        self, theme: Theme, zoom: float, choices: Sequence[Choice], first: int, parent: QWidget | None = None
    ) -> None:
        """`first`: the choice to begin with."""
        super().__init__(parent)
        self.setWindowTitle(self.tr("Save as"))
        self._choices = tuple(choices)
        self._group = QButtonGroup(self)
        self.buttons: list[QRadioButton] = []
        for number, choice in enumerate(choices):
            button = QRadioButton(choice.text)
            button.setChecked(number == first)
            self._group.addButton(button, number)
            self.buttons.append(button)
        self.format = QComboBox()
        self.format.addItem(self.tr("pcapng"), Format.PCAPNG)
        self.format.addItem(self.tr("pcap, for older programs"), Format.PCAP)
        self.packed = QCheckBox(self.tr("&Pack with gzip"))
        self.opens = QCheckBox(self.tr("&Open it afterwards"))
        self.sentence = Sentence(theme, zoom)
        self.progress = QProgressBar()
        self.progress.setRange(0, STEPS)
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(round(PROGRESS * zoom))
        self.progress.setAccessibleName(self.tr("How much is saved"))
        self.progress.hide()
        self.answers = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.save = self.answers.addButton(self.tr("Save..."), QDialogButtonBox.ButtonRole.AcceptRole)
        self._lay_out()
        # Not before: only now it is a button of this dialog.
        self.save.setDefault(True)
        self._group.idToggled.connect(lambda number, on: self.changed.emit() if on else None)
        self.format.currentIndexChanged.connect(self.changed)
        self.answers.accepted.connect(self.wanted)
        self.answers.rejected.connect(self.reject)
        self.resize(round(FIRST_WIDTH * min(zoom, 1.5)), 0)
        self.buttons[first].setFocus()

    @property
    def choice(self) -> Choice:
        """What is to be saved."""
        return self._choices[self._group.checkedId()]

    @property
    def form(self) -> Format:
        """In which format."""
        form = self.format.currentData()
        assert isinstance(form, Format)
        return form

    @property
    def is_busy(self) -> bool:
        """The saving runs."""
        return not self.progress.isHidden()

    def count(self) -> None:
        """It is being found out how much that is."""
        self.save.setEnabled(False)
        self.sentence.say(self.tr("Counting..."))

    def tell(self, text: str, sign: str, *, possible: bool) -> None:
        """How much that is; `possible`: it can be saved."""
        self.sentence.say(text, sign)
        self.save.setEnabled(possible)
        self._fit()

    def begin(self) -> None:
        """The saving has begun."""
        self._set_busy(True)
        self.sentence.say("")
        self.show_progress(0.0)
        self._fit()

    def show_progress(self, share: float) -> None:
        """How much is saved, 0 to 1."""
        self.progress.setValue(round(STEPS * share))

    def refuse(self, text: str, *, possible: bool) -> None:
        """It could not be saved; `possible`: it can be tried again."""
        self._set_busy(False)
        self.tell(text, "error", possible=possible)

    @Slot()
    def reject(self) -> None:
        """Close; while the saving runs stop that first."""
        if self.is_busy:
            self.stopped.emit()
        else:
            super().reject()

    def _fit(self) -> None:
        """A sentence of several lines takes no room from the fields: what wraps does not tell its height by itself."""
        column = self.layout()
        needed = 0 if column is None else column.totalHeightForWidth(self.width())
        if needed > self.height():
            self.resize(self.width(), needed)

    def _set_busy(self, busy: bool) -> None:
        for widget in (*self.buttons, self.format, self.packed, self.opens, self.save):
            widget.setEnabled(not busy)
        self.progress.setVisible(busy)
        if busy:
            self.answers.button(QDialogButtonBox.StandardButton.Cancel).setFocus()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setVerticalSpacing(8)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(self.tr("&Format"), self.format)
        form.addRow("", self.packed)
        form.addRow("", self.opens)
        choices = QVBoxLayout()
        choices.setSpacing(6)
        for button in self.buttons:
            choices.addWidget(button)
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addLayout(choices)
        column.addLayout(form)
        column.addWidget(self.sentence)
        column.addWidget(self.progress)
        column.addStretch(1)
        column.addWidget(self.answers)
