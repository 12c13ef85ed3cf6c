"""The line above the change tree: tick, baseline, counts, size, checksum with its proof, what to show, the filter."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QSizePolicy, QWidget

from analyzer.engine.change_tree import ChangeTree, SnapshotHead
from analyzer.snapshots.status import Proof, Status
from ui import fonts, words
from ui.models.change_cells import sign_counts
from ui.theme import CELL_PADDING, RADIUS, Theme
from ui.views.chips import CHIP_HEIGHT, Chip, SignLabel
from ui.views.segments import Segments

HEAD_HEIGHT = 36
FILTER_WIDTH = 104
_COUNTED = ("added", "changed", "unknown", "removed")


class SnapshotHeadBar(QWidget):
    """Shows the head of a `ChangeTree`. Narrow, it leaves out what matters least."""

    baseline_clicked = Signal()
    whole_chosen = Signal(bool)
    """The whole state is wanted (True), or the changes only."""
    filter_changed = Signal(str)
    left_filter = Signal()
    """Enter or Esc in the filter box."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tick = QLabel()
        self._against = QLabel(self.tr("against"))
        self.baseline = Chip(theme)
        self.baseline.clicked.connect(self.baseline_clicked)
        self.counts = {sign: SignLabel(theme, fonts.Use.GROUP_ROW, self) for sign in _COUNTED}
        self.size_text = SignLabel(theme, fonts.Use.TABLE)
        self.proof = SignLabel(theme, fonts.Use.TABLE)
        self.modes = Segments(theme, 2, self)
        self.changes_only, self.whole_state = self.modes.buttons
        self.filter = _FilterField(theme)
        self._wait = QTimer(self)
        self._shown_counts: set[str] = set()
        self._set_up_modes()
        self._set_up_filter()
        self._lay_out()
        self.set_zoom(1.0)
        self.set_theme(theme)

    def _set_up_modes(self) -> None:
        self.changes_only.setText(self.tr("Changes"))
        self.whole_state.setText(self.tr("Whole state"))
        self.whole_state.toggled.connect(self.whole_chosen)
        self.changes_only.setToolTip(self.tr("Show what differs from the baseline"))
        self.whole_state.setToolTip(self.tr("Show every item with its values"))

    def _set_up_filter(self) -> None:
        self.filter.setPlaceholderText(self.tr("Filter items"))
        self.filter.setAccessibleName(self.tr("Filter types, items and fields"))
        self.filter.setToolTip(self.tr("Show types, items and fields that have this text"))
        self.filter.setClearButtonEnabled(True)
        self.filter.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.filter.setMaximumWidth(200)
        self.filter.setMinimumWidth(90)
        self._wait.setSingleShot(True)
        self._wait.setInterval(80)
        self.filter.textChanged.connect(self._on_text)
        self._wait.timeout.connect(self._emit_filter)
        self.filter.left.connect(self._emit_filter)
        self.filter.left.connect(self.left_filter)

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(CELL_PADDING, 0, CELL_PADDING, 0)
        layout.setSpacing(8)
        layout.addWidget(self._tick)
        layout.addWidget(self._against)
        layout.addWidget(self.baseline)
        for label in self.counts.values():
            layout.addWidget(label)
        layout.addWidget(self.size_text)
        layout.addWidget(self.proof)
        layout.addStretch(1)
        layout.setSpacing(8)
        layout.addWidget(self.modes)
        layout.addWidget(self.filter)

    def show_head(self, tree: ChangeTree) -> None:
        """Show a snapshot's head."""
        head = tree.head
        self._tick.setText(self.tr("Tick {tick}").format(tick=head.tick))
        self.baseline.setText(self._baseline_text(head))
        self.baseline.setEnabled(head.base >= 0)
        self.baseline.setToolTip(self.tr("Go to the baseline (B)") if head.base >= 0 else self.baseline.text())
        self.baseline.updateGeometry()
        counts = dict(self._counts(tree))
        for sign, label in self.counts.items():
            number = counts.get(sign, 0)
            label.show_text(sign, words.quantity(number), "text2" if sign == "unknown" else sign)
        self._shown_counts = {sign for sign, number in counts.items() if number}
        parts = words.count(head.announced, self.tr("part"), self.tr("parts"))
        self.size_text.show_text("", f"{words.size(head.wire_bytes)}{words.DOT}{parts}")
        self.proof.show_text(*self._proof(head))
        self.proof.setToolTip(head.reason)
        self.whole_state.setEnabled(head.has_state)
        self.setAccessibleName(f"{self._tick.text()}, {self.baseline.text()}, {self.proof.text}")
        self._fit()

    @staticmethod
    def _counts(tree: ChangeTree) -> tuple[tuple[str, int], ...]:
        head = tree.head
        if head.rebuilt:
            return (("added", head.added), ("changed", head.changed), ("removed", head.removed))
        return sign_counts([item for node in tree.types for item in node.items])

    def _baseline_text(self, head: SnapshotHead) -> str:
        if head.base_tick < 0:
            return self.tr("no baseline · full")
        ago = words.number(head.base_tick - head.tick)
        text = self.tr("baseline {base} · {ago} ticks").format(base=head.base_tick, ago=ago)
        return text if head.base >= 0 else self.tr("{text} · unknown").format(text=text)

    def _proof(self, head: SnapshotHead) -> tuple[str, str, str]:
        if head.partial is not None and head.partial.known:
            return ("warn", self.tr("known in part"), "text2")
        if not head.rebuilt:
            return ("warn", self.tr("not rebuilt"), "text2")
        if head.status is Status.CRC:
            return ("error", self.tr("checksum {crc} is wrong").format(crc=f"{head.crc_wire:08x}"), "error")
        if head.proof is Proof.OWN:
            return ("ok", self.tr("checksum {crc}").format(crc=f"{head.crc_wire:08x}"), "text2")
        if head.proof is Proof.BASE:
            return ("ok", self.tr("unchanged, proved by its baseline"), "text2")
        return ("note", self.tr("rebuilt, not proved"), "text2")

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        for widget in (self.baseline, self.modes, self.size_text, self.proof):
            widget.set_theme(theme)
        for label in self.counts.values():
            label.set_theme(theme)
        self.filter.theme = theme
        self.filter.update()
        palette = self._against.palette()
        palette.setColor(self._against.foregroundRole(), theme.color("text2"))
        self._against.setPalette(palette)
        self.update()

    def set_zoom(self, zoom: float) -> None:
        """Other font sizes."""
        self._tick.setFont(fonts.font(fonts.Use.PANE_TITLE, zoom=zoom))
        table = fonts.font(fonts.Use.TABLE, zoom=zoom)
        for widget in (self._against, self.baseline, self.size_text, self.proof):
            widget.setFont(table)
        self.modes.set_zoom(zoom)
        self.filter.setFont(table)
        for label in self.counts.values():
            label.setFont(fonts.font(fonts.Use.GROUP_ROW, zoom=zoom))
        self.setFixedHeight(round(HEAD_HEIGHT * zoom))
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(400, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("panel"))
        painter.fillRect(0, self.height() - 1, self.width(), 1, self._theme.color("line"))
        painter.end()

    def _fit(self) -> None:
        """Hide what does not fit, the least important first."""
        wanted: list[QWidget] = [self._tick, self.baseline, self.modes]
        counts = [label for sign, label in self.counts.items() if sign in self._shown_counts]
        order: list[list[QWidget]] = [list(counts), [self.filter], [self.proof], [self._against], [self.size_text]]
        room = self.width() - 2 * CELL_PADDING - sum(widget.sizeHint().width() + 8 for widget in wanted)
        shown: set[QWidget] = set()
        for group in order:
            need = sum((FILTER_WIDTH if item is self.filter else item.sizeHint().width()) + 8 for item in group)
            if need <= room:
                shown.update(group)
                room -= need
        for label in self.counts.values():
            label.setVisible(label in shown)
        for widget in (self.proof, self.filter, self._against, self.size_text):
            widget.setVisible(widget in shown)
        layout = self.layout()
        if layout is not None:
            # Within a resize Qt does not lay out again what has just become visible.
            layout.invalidate()
            layout.activate()

    def _on_text(self) -> None:
        self._wait.start()

    def _emit_filter(self) -> None:
        self._wait.stop()
        self.filter_changed.emit(self.filter.text())

    def hideEvent(self, event: QHideEvent) -> None:
        self._wait.stop()


class _FilterField(QLineEdit):
    """Esc empties it, then leaves; Enter leaves."""

    left = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.setFrame(False)
        self.setTextMargins(6, 0, 2, 0)
        self.setMinimumHeight(CHIP_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focused = self.hasFocus()
        painter.setPen(QPen(self.theme.color("focus" if focused else "line2"), 1.5 if focused else 1.0))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
            self.left.emit()
        else:
            super().keyPressEvent(event)
