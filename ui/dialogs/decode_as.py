"""Decode as: which flows are read as what, whatever they look like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLabel, QVBoxLayout, QWidget

from analyzer.engine.pins import NOT_DECODED, Choice, Pin, Pins, Place


@dataclass(frozen=True, slots=True)
class Flows:
    """What a choice may be for."""

    place: Place
    text: str


class DecodeAsDialog(QDialog):
    """Asks for flows and for what they are read as."""

    chosen = Signal(object)
    """A `Pin`; its choice is None for what the program recognises."""

    def __init__(
        self,
        flows: Sequence[Flows],
        pins: Pins,
        choices: Mapping[str, tuple[Choice, str]],
        now: str,
        parent: QWidget | None = None,
    ) -> None:
        """`choices`: as those of analyzer.engine.pins. `now`: how the first of `flows` is read now."""
        super().__init__(parent)
        self.setWindowTitle(self.tr("Decode as"))
        self._pins = {pin.place: pin.choice for pin in pins}
        self.flows, self.choice = QComboBox(), QComboBox()
        for one in flows:
            self.flows.addItem(one.text, one.place)
        self.choice.addItem(self.tr("Automatic"), None)
        for choice, title in choices.values():
            self.choice.addItem(title, choice)
        self.choice.addItem(self.tr("Not decoded"), NOT_DECODED)
        self.now = QLabel(now)
        self.now.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        form = QFormLayout()
        form.addRow(self.tr("&Flows"), self.flows)
        form.addRow(self.tr("&Read as"), self.choice)
        form.addRow(self.tr("Now"), self.now)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText(self.tr("Decode"))
        self.buttons.accepted.connect(self._choose)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(self.buttons)
        self.flows.currentIndexChanged.connect(self._show_choice)
        pinned = [index for index, one in enumerate(flows) if one.place in self._pins]
        self.flows.setCurrentIndex(pinned[0] if pinned else 0)
        self._show_choice()
        self.choice.setFocus()

    def _show_choice(self) -> None:
        """What the flows are pinned to."""
        wanted = self._pins.get(self.flows.currentData())
        choices = [self.choice.itemData(index) for index in range(self.choice.count())]
        self.choice.setCurrentIndex(choices.index(wanted) if wanted in choices else 0)

    def _choose(self) -> None:
        self.chosen.emit(Pin(self.flows.currentData(), self.choice.currentData()))
        self.accept()
