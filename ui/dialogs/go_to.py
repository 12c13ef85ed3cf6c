"""Go to a packet, a tick or a time."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

_PACKET = re.compile(r"#?(\d+)")
_TICK = re.compile(r"(?:tick|t)\s*(-?\d+)", re.IGNORECASE)
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*s|(\d+\.\d+)")


@dataclass(frozen=True, slots=True)
class Target:
    """Where to go: one of the three is not None."""

    packet: int | None = None
    """Number of a frame, from 1."""
    tick: int | None = None
    seconds: float | None = None
    """Since the first frame."""


def read_target(text: str) -> Target | None:
    """`2238` is a packet, `tick 234` a tick, `3.12 s` or `3.12` a time; None for anything else."""
    text = text.strip()
    if found := _PACKET.fullmatch(text):
        return Target(packet=int(found[1]))
    if found := _TICK.fullmatch(text):
        return Target(tick=int(found[1]))
    if found := _TIME.fullmatch(text):
        return Target(seconds=float(found[1] or found[2]))
    return None


class GoToDialog(QDialog):
    """Asks for a target; stays open while the answer is not found."""

    asked = Signal(object)
    """A `Target`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Go to"))
        self._field = QLineEdit()
        self._field.setPlaceholderText(self.tr("2238, tick 234 or 3.12 s"))
        self._field.setAccessibleName(self.tr("Packet, tick or time"))
        self._field.textChanged.connect(self._on_text)
        self._message = QLabel(self.tr("A packet number, a tick, or seconds since the first packet"))
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self._buttons.button(QDialogButtonBox.StandardButton.Ok).setText(self.tr("Go"))
        self._buttons.accepted.connect(self._go)
        self._buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self._field)
        layout.addWidget(self._message)
        layout.addWidget(self._buttons)
        self.resize(360, 0)
        self._on_text("")

    def refuse(self, reason: str) -> None:
        """Say why the target was not found."""
        self._message.setText(reason)

    def _on_text(self, text: str) -> None:
        fits = read_target(text) is not None
        self._buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(fits)

    def _go(self) -> None:
        target = read_target(self._field.text())
        if target is not None:
            self.asked.emit(target)
