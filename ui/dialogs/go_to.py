"""Go to a packet, a tick or a time, from the beginning or from what is selected."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from ui.words import MINUS

_PACKET = re.compile(r"#?([0-9]{1,12})")
_STEP = re.compile(r"([-+])\s*([0-9]{1,12})")
_TICK = re.compile(r"(?:tick|t)\s*(-?[0-9]{1,12})", re.IGNORECASE)
_TIME = re.compile(r"([-+]?)\s*(?:([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(s|ms)|([0-9]{1,9}\.[0-9]{1,9}))", re.IGNORECASE)
_DAY = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]{1,9})?))?")


@dataclass(frozen=True, slots=True)
class Target:
    """Where to go: one of these is not None."""

    packet: int | None = None
    """Number of a frame, from 1."""
    tick: int | None = None
    seconds: float | None = None
    """Since the first frame."""
    step: int | None = None
    """So many packets behind the selected one; negative: before it."""
    since: float | None = None
    """Seconds behind the selected packet; negative: before it."""
    day_s: float | None = None
    """Time of day in UTC, in seconds."""


def read_target(text: str) -> Target | None:
    """`2238` is a packet, `tick 234` a tick, `3.12 s`, `3.12`, `250 ms` or `14:05:10.5` a time.

    `+20`, `-1.5 s` count from what is selected. None for anything else.
    """
    text = text.strip().replace(MINUS, "-")
    if found := _STEP.fullmatch(text):
        return Target(step=int(found[1] + found[2]))
    if found := _DAY.fullmatch(text):
        return Target(day_s=3600 * int(found[1]) + 60 * int(found[2]) + float(found[3] or 0))
    if found := _PACKET.fullmatch(text):
        return Target(packet=int(found[1]))
    if found := _TICK.fullmatch(text):
        return Target(tick=int(found[1]))
    if found := _TIME.fullmatch(text):
        seconds = float(found[2] or found[4]) / (1000 if (found[3] or "").lower() == "ms" else 1)
        return Target(since=-seconds if found[1] == "-" else seconds) if found[1] else Target(seconds=seconds)
    return None


WIDTH = 400


class GoToDialog(QDialog):
    """Asks for a target; stays open while the answer is not found."""

    asked = Signal(object)
    """A `Target`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Go to"))
        self._field = QLineEdit()
        self._field.setPlaceholderText(self.tr("2238, tick 234, 3.12 s, 14:05:10, +20"))
        self._field.setAccessibleName(self.tr("Packet, tick or time"))
        self._field.textChanged.connect(self._on_text)
        self._hint = self.tr(
            "A packet number, a tick, or seconds since the first packet. "
            "With + or \u2212 it counts from the selected packet."
        )
        self._message = QLabel(self._hint)
        self._message.setWordWrap(True)
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self._buttons.button(QDialogButtonBox.StandardButton.Ok).setText(self.tr("Go"))
        self._buttons.accepted.connect(self._go)
        self._buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self._field)
        layout.addWidget(self._message)
        layout.addWidget(self._buttons)
        self._on_text("")

    def refuse(self, reason: str) -> None:
        """Say why the target was not found."""
        self._say(reason)
        self._field.selectAll()

    def _say(self, text: str) -> None:
        """Whole, in as many lines as it takes."""
        self._message.setText(text)
        layout = self.layout()
        assert layout is not None
        layout.activate()
        width = max(WIDTH, self.width() if self.isVisible() else 0)
        self.resize(width, max(layout.heightForWidth(width), self.height() if self.isVisible() else 0))

    def _on_text(self, text: str) -> None:
        self._say(self._hint)
        fits = read_target(text) is not None
        self._buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(fits)

    def _go(self) -> None:
        target = read_target(self._field.text())
        if target is not None:
            self.asked.emit(target)
