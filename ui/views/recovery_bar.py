"""A quiet line for each capture that an earlier window could not save, with what can be done about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QToolButton, QWidget

from analyzer.capture.spools import Abandoned
from ui import fonts, words
from ui.theme import Theme
from ui.views.elided import ElidedLabel
from ui.views.signs import paint_sign

MOST_ROWS = 3
"""The others follow when these are dealt with."""


class RecoveryBar(QWidget):
    """Hidden while there is nothing to offer."""

    open_wanted = Signal(object)
    """The `Abandoned` capture."""
    save_wanted = Signal(object)
    delete_wanted = Signal(object)
    """It was confirmed."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._zoom = 1.0
        self._spools: list[Abandoned] = []
        self._sure: Abandoned | None = None
        """It is being asked whether this one is to be deleted."""
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(32, 4, 8, 4)
        self._grid.setHorizontalSpacing(4)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 1)
        self.hide()

    @property
    def texts(self) -> list[str]:
        """What it says, line by line; nothing while hidden."""
        return [] if self.isHidden() else [label.text() for label in self.findChildren(ElidedLabel)]

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.update()

    def set_zoom(self, zoom: float) -> None:
        """Another size of type."""
        self._zoom = zoom
        self._set_fonts()

    def show_spools(self, spools: Sequence[Abandoned]) -> None:
        """Offer these, the first few of them at once."""
        self._spools = list(spools)
        self._sure = None
        self._fill()
        self.setVisible(bool(spools))

    def _fill(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.setParent(None)
                old.deleteLater()
        for row, spool in enumerate(self._spools[:MOST_ROWS]):
            self._add_row(row, spool)
        if self._spools:
            # Also while it is being asked: the buttons keep their places, and a second click deletes nothing.
            hide = self._add_button(0, 4, self.tr("Hide"), self.hide, self._spools[0])
            hide.setToolTip(self.tr("The next start offers what was not saved again"))
        more = len(self._spools[MOST_ROWS:])
        if more:
            text = words.count(more, self.tr("more capture was not saved"), self.tr("more captures were not saved"))
            self._add_text(MOST_ROWS, text)
        self._set_fonts()
        self.update()

    def _add_row(self, row: int, spool: Abandoned) -> None:
        if spool is self._sure:
            self._add_text(row, self.tr("Delete {0} for good?").format(_describe(spool)))
            self._add_button(row, 2, self.tr("Delete"), lambda: self.delete_wanted.emit(spool), spool)
            self._add_button(row, 3, self.tr("Keep"), lambda: self._ask(None), spool)
            return
        self._add_text(row, self.tr("Not saved: {0}").format(_describe(spool)))
        self._add_button(row, 1, self.tr("Open"), lambda: self.open_wanted.emit(spool), spool)
        self._add_button(row, 2, self.tr("Save..."), lambda: self.save_wanted.emit(spool), spool)
        self._add_button(row, 3, self.tr("Delete"), lambda: self._ask(spool), spool)

    def _ask(self, spool: Abandoned | None) -> None:
        """Ask whether it is to be deleted; None: it is not."""
        self._sure = spool
        self._fill()

    def _add_text(self, row: int, text: str) -> None:
        label = ElidedLabel()
        label.setText(text)
        self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignVCenter)

    def _add_button(
        self, row: int, column: int, text: str, press: Callable[[], object], spool: Abandoned
    ) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setAccessibleName(f"{text} {_describe(spool)}")
        # Queued: what is pressed is replaced by it.
        button.clicked.connect(lambda: press(), Qt.ConnectionType.QueuedConnection)
        self._grid.addWidget(button, row, column)
        return button

    def _set_fonts(self) -> None:
        font = fonts.font(fonts.Use.TABLE, zoom=self._zoom)
        for widget in (*self.findChildren(ElidedLabel), *self.findChildren(QToolButton)):
            widget.setFont(font)
        # The last line has no button that makes it as high as the others.
        heights = (button.sizeHint().height() for button in self.findChildren(QToolButton))
        self._grid.setRowMinimumHeight(MOST_ROWS, max(heights) if self._spools[MOST_ROWS:] else 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("raised"))
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), self._theme.color("line"))
        first = self._grid.itemAtPosition(0, 0)
        if first is not None:
            text = first.geometry()
            paint_sign(painter, "note", QRectF(8, text.top(), 16, text.height()), self._theme)


def _describe(spool: Abandoned) -> str:
    """lo, today 13:38, 5 000 packets, 1.2 MB."""
    moment, now = datetime.fromtimestamp(spool.time_ns / 1e9), datetime.now()
    day = "today" if moment.date() == now.date() else f"{moment:%Y-%m-%d}"
    packets = [] if spool.packets is None else [words.count(spool.packets, "packet")]
    return words.DOT.join([spool.name, f"{day} {moment:%H:%M}", *packets, words.size(spool.size)])
