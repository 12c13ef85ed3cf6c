"""The field for a capture filter: presets beside it, and below it what the sniffer says of it while one types."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QPushButton, QVBoxLayout, QWidget

from ui import fonts
from ui.dialogs.sentence import Sentence
from ui.inquiry import Inquiry
from ui.theme import Theme

CHECK_MS = 250
TOPIC = "capture filter"
HOST = "192.0.2.1"
"""Stands for an address until one is typed over it (RFC 5737)."""
PRESETS = (
    ("DDNet servers, ports 8303 to 8310", "udp portrange 8303-8310 or ip[6:2] & 0x1fff != 0 or ip6[6] = 44"),
    ("All UDP", "udp"),
    ("UDP of one host", f"udp and host {HOST}"),
    ("Everything", ""),
)
"""Words, filter. Large snapshots come in IP fragments, of which only the first has a port."""

Check = Callable[[str], None]
"""Raises an exception whose text says in words why the filter cannot be used."""


class CaptureFilter(QWidget):
    """Says by `is_wrong` whether it was refused."""

    changed = Signal()
    """Another text, or more is known about it."""

    def __init__(
        self, theme: Theme, zoom: float, inquiry: Inquiry, check: Check, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._inquiry = inquiry
        self._check = check
        self.is_wrong = False
        """It cannot be compiled; unknown counts as right: the sniffer refuses it again."""
        self.is_known = True
        """What is typed was checked."""
        self.field = QLineEdit()
        self.field.setFont(fonts.font(fonts.Use.VALUE, zoom=zoom))
        self.field.setPlaceholderText(self.tr("All, or as for tcpdump: udp port 8303"))
        self.field.setAccessibleName(self.tr("Capture filter"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._on_text)
        self.presets = QPushButton(self.tr("Presets"))
        self.presets.setAutoDefault(False)
        menu = QMenu(self.presets)
        for words, text in PRESETS:
            menu.addAction(self.tr(words)).triggered.connect(partial(self._take, text))
        self.presets.setMenu(menu)
        self.verdict = Sentence(theme, zoom)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.field, 1)
        line.addWidget(self.presets)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(line)
        column.addWidget(self.verdict)
        self.setFocusProxy(self.field)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(CHECK_MS)
        self._soon.timeout.connect(self._ask)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self.verdict.set_theme(theme)

    def set_zoom(self, zoom: float) -> None:
        """Another size of type."""
        self.field.setFont(fonts.font(fonts.Use.VALUE, zoom=zoom))
        self.presets.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))
        self.verdict.set_zoom(zoom)

    @property
    def text(self) -> str:
        """What is typed."""
        return self.field.text().strip()

    def set_text(self, text: str) -> None:
        """Another filter, shown from its beginning."""
        self.field.setText(text)
        self.field.setCursorPosition(0)

    def stop(self) -> None:
        """Nobody looks at it any more."""
        self._soon.stop()
        self._inquiry.forget(TOPIC)

    def _take(self, text: str, _checked: bool = False) -> None:
        self.set_text(text)
        self.field.setFocus()
        if HOST in text:
            self.field.setSelection(text.index(HOST), len(HOST))

    @Slot()
    def _on_text(self) -> None:
        self._inquiry.forget(TOPIC)
        self.is_known = not self.text
        self.is_wrong = False
        if self.text:
            self._soon.start()
        else:
            self._soon.stop()
            self.verdict.say("")
        self.changed.emit()

    @Slot()
    def _ask(self) -> None:
        text = self.text
        self._inquiry.ask(
            TOPIC, lambda: self._check(text), lambda _: self._know(""), lambda error: self._know(str(error))
        )

    def _know(self, trouble: str) -> None:
        self.is_known = True
        self.is_wrong = bool(trouble)
        self.verdict.say(trouble, "error" if trouble else "ok")
        self.changed.emit()
