"""The bytes of a packet: a tab for each buffer, the byte view, and a foot that says what is selected and its origin."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import qtawesome
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QTabBar, QToolButton, QVBoxLayout, QWidget

from analyzer.engine.packet_detail import PacketDetail, sources
from analyzer.wire.reader import Span
from analyzer.wire.secrets import Secrets
from ui import fonts, words
from ui.models.byte_marks import ByteMarks, byte_marks
from ui.models.provenance import Step
from ui.theme import CELL_PADDING, PANE_HEADER_HEIGHT, Theme
from ui.views.elided import ElidedLabel
from ui.views.hex_layer import NOTHING
from ui.views.hex_view import HexView

FOOT_HEIGHT = 44
ROOM_FOR_LINK = 600
"""A pane narrower than this has the link to the completing packet as an icon, so that the tabs keep their sizes."""


class BytePane(QWidget):
    """Shows the buffers of one packet."""

    byte_chosen = Signal(int, int)
    """Buffer and offset."""
    range_chosen = Signal(object)
    """`Span` that was chosen by dragging."""
    byte_hovered = Signal(int, int)
    """The pointer is over another byte: buffer and offset, -1 when it left."""
    step_chosen = Signal(int)
    """A link in the foot: number of the step that was shown."""
    byte_activated = Signal(int, int)
    """A byte was clicked, or Enter pressed on it: buffer and offset."""
    completing_chosen = Signal()
    """The button that leads to the packet which completes the snapshot."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._detail: PacketDetail | None = None
        self._secrets: Secrets | None = None
        self._span: Span | None = None
        self._declined = False
        self._is_group = False
        self._marks = ByteMarks()
        self._shown_steps: tuple[Step, ...] = ()
        self._foot_words = ("", "", "")
        """Of the selected field: title, meaning and cost."""
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setElideMode(Qt.TextElideMode.ElideRight)
        self.tabs.setAccessibleName(self.tr("Buffers of the packet"))
        self.hex = HexView(theme)
        self._completing = QToolButton()
        self._completing.setAutoRaise(True)
        self._completing.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._completing.clicked.connect(self.completing_chosen)
        self._completing.hide()
        self._copy = QToolButton()
        self._copy.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._copy.setAutoRaise(True)
        self._copy.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._copy.setMenu(self.hex.make_menu(self))
        self._copy.setToolTip(self.tr("Copy bytes (Ctrl+C: as hex)"))
        self._copy.setAccessibleName(self.tr("Copy bytes"))
        self._title, self._meaning, self._cost, self._steps = QLabel(), ElidedLabel(), QLabel(), QLabel()
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._steps.setTextFormat(Qt.TextFormat.RichText)
        steps_size = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        steps_size.setRetainSizeWhenHidden(True)
        self._steps.setSizePolicy(steps_size)
        self._steps.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self._build()
        self.tabs.currentChanged.connect(self._on_tab)
        self.hex.byte_chosen.connect(self._on_byte)
        self.hex.byte_hovered.connect(lambda offset: self.byte_hovered.emit(self.buffer, offset))
        self.setFocusProxy(self.hex)
        self.hex.range_chosen.connect(self._on_range)
        self.hex.byte_activated.connect(lambda offset: self.byte_activated.emit(self.buffer, offset))
        self._steps.linkActivated.connect(lambda link: self.step_chosen.emit(int(link)))
        self.set_zoom(1.0)
        self.set_theme(theme)

    @property
    def buffer(self) -> int:
        """Number of the buffer that is shown."""
        data = self.tabs.tabData(self.tabs.currentIndex())
        return data if isinstance(data, int) else 0

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.hex.set_theme(theme)
        self._completing.setIcon(qtawesome.icon("ph.arrow-line-right", color=theme.color("accent")))
        _tint(self._completing, theme, "accent")
        self._copy.setIcon(qtawesome.icon("ph.copy", color=theme.color("text2")))
        for label, tone in ((self._title, "text"), (self._meaning, "text2"), (self._cost, "text2")):
            _tint(label, theme, tone)
        _tint(self._steps, theme, "text2")
        self._show_steps()

    def set_zoom(self, zoom: float) -> None:
        """Another size of type."""
        self._zoom = zoom
        self.hex.set_zoom(zoom)
        table = fonts.font(fonts.Use.TABLE, zoom=zoom)
        self.tabs.setFont(table)
        self._title.setFont(fonts.font(fonts.Use.GROUP_ROW, zoom=zoom))
        for label in (self._meaning, self._cost, self._steps, self._completing):
            label.setFont(table)
        self._head.setFixedHeight(round(PANE_HEADER_HEIGHT * zoom))
        self._foot.setFixedHeight(round(FOOT_HEIGHT * zoom))
        self._fit_link()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_link()

    def _fit_link(self) -> None:
        fits = self.width() >= ROOM_FOR_LINK * self._zoom
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if fits else Qt.ToolButtonStyle.ToolButtonIconOnly
        self._completing.setToolButtonStyle(style)

    def show_detail(self, detail: PacketDetail | None, secrets: Secrets, *, declined: bool = False) -> None:
        """Show the buffers of another packet, beginning with the captured one. `declined`: nobody wants it decoded."""
        self._detail, self._secrets, self._span, self._declined = detail, secrets, None, declined
        self.tabs.blockSignals(True)
        while self.tabs.count():
            self.tabs.removeTab(self.tabs.count() - 1)
        for number, buffer in enumerate(detail.tree.buffers if detail is not None else ()):
            if buffer.data or not number:
                name = buffer.name[:1].upper() + buffer.name[1:]
                self.tabs.setTabData(self.tabs.addTab(f"{name} {words.size(len(buffer.data))}"), number)
        self.tabs.blockSignals(False)
        self._show_completing()
        self.show_no_field()
        self._show_buffer()

    def next_buffer(self, step: int) -> None:
        """Show the next buffer (step 1) or the one before (-1); around the end."""
        if self.tabs.count():
            self.tabs.setCurrentIndex((self.tabs.currentIndex() + step) % self.tabs.count())

    def show_secrets(self, secrets: Secrets) -> None:
        """Mask the bytes of other fields than before."""
        self._secrets = secrets
        self._show_buffer(scroll=False)

    def show_span(self, span: Span | None, *, is_group: bool = False, scroll: bool = True) -> None:
        """Switch to the buffer of a span and mark its bytes; of a group only the ground and a line."""
        self._span, self._is_group = span, is_group
        if span is not None and span.buffer != self.buffer:
            self.tabs.blockSignals(True)
            for tab in range(self.tabs.count()):
                if self.tabs.tabData(tab) == span.buffer:
                    self.tabs.setCurrentIndex(tab)
            self.tabs.blockSignals(False)
            self._show_buffer()
        else:
            self._mark(scroll)

    def show_no_field(self) -> None:
        """Say how to learn more, where there is more."""
        if self._detail is None or self._detail.tree.fields:
            says = self.tr("Select a field, or click a byte to find its field")
        elif self._declined:
            says = self.tr("No fields: you chose not to decode this flow. Drag over bytes to choose what Ctrl+C copies")
        else:
            says = self.tr("No fields: nothing reads this flow. Drag over bytes to choose what Ctrl+C copies")
        self.show_foot("", says, "", ())

    def show_foot(self, title: str, meaning: str, cost: str, steps: Sequence[Step]) -> None:
        """Say what is selected and where it comes from."""
        self._foot_words = (title, meaning, cost)
        self._write_foot(title, meaning, cost)
        self._shown_steps = tuple(steps)
        self._show_steps()

    def show_hovered(self, span: Span | None, title: str = "", meaning: str = "", cost: str = "") -> None:
        """Frame the bytes of the field that the pointer is over, and name it in the foot; None: the selected one."""
        self.hex.frame_hovered(NOTHING if span is None else _reach(span))
        self._write_foot(*((title, meaning, cost) if span is not None else self._foot_words))
        self._steps.setVisible(span is None or (title, meaning, cost) == self._foot_words)

    def _write_foot(self, title: str, meaning: str, cost: str) -> None:
        for label, text in ((self._title, title), (self._meaning, meaning), (self._cost, cost)):
            label.setText(text)

    def foot_text(self) -> str:
        """The words of the foot."""
        steps = "" if self._steps.isHidden() else words.DOT.join(step.text for step in self._shown_steps)
        return "\n".join((self._title.text(), self._meaning.text(), self._cost.text(), steps))

    def _show_steps(self) -> None:
        pieces = []
        colour = self._theme.hex("accent")
        for number, step in enumerate(self._shown_steps):
            text = escape(step.text)
            pieces.append(f'<a href="{number}" style="color:{colour}">{text}</a>' if step.origin is not None else text)
        self._steps.setText(words.DOT.join(pieces))
        self._steps.setAccessibleName(words.DOT.join(step.text for step in self._shown_steps))

    def _show_completing(self) -> None:
        completing = None if self._detail is None else self._detail.completed_by
        self._completing.setVisible(completing is not None)
        if completing is not None:
            self._completing.setText(self.tr("Packet {0}").format(completing.frame))
            says = self.tr("Go to packet {0}, which completes the snapshot").format(completing.frame)
            self._completing.setToolTip(says)
            self._completing.setAccessibleName(says)

    def _show_buffer(self, scroll: bool = True) -> None:
        if self._detail is None or self._secrets is None:
            self.hex.show_bytes(b"", ByteMarks())
            return
        buffer = self._detail.tree.buffers[self.buffer]
        self.hex.setAccessibleName(self.tr("Bytes: {0}").format(buffer.name))
        self._marks = byte_marks(self._detail, self._secrets, self.buffer)
        self.hex.show_bytes(buffer.data, self._marks)
        self._mark(scroll)

    def _mark(self, scroll: bool) -> None:
        span = self._span
        if span is None or self._detail is None or self._secrets is None:
            self.hex.mark(NOTHING, NOTHING, scroll=False)
            return
        if span.buffer != self.buffer:
            traces = tuple(_reach(made) for made in sources(self._detail, span) if made.buffer == self.buffer)
            self.hex.mark(NOTHING, NOTHING, traces, scroll=scroll)
            return
        reach = _reach(span)
        if self._is_group:
            self.hex.mark(NOTHING, reach, scroll=scroll)
            return
        number = self._marks.item_at(span.offset)
        self.hex.mark(reach, self._marks.items[number] if number >= 0 else NOTHING, scroll=scroll)

    def _on_tab(self) -> None:
        self._show_buffer()

    def _on_byte(self, offset: int) -> None:
        self.byte_chosen.emit(self.buffer, offset)

    def _on_range(self, offset: int, length: int) -> None:
        self.range_chosen.emit(Span(self.buffer, offset, length))

    def _build(self) -> None:
        self._head, self._foot = QWidget(), QWidget()
        head = QHBoxLayout(self._head)
        head.setContentsMargins(4, 0, 4, 0)
        head.addWidget(self.tabs)
        head.addStretch()
        head.addWidget(self._completing)
        head.addWidget(self._copy)
        line = QHBoxLayout()
        line.setSpacing(CELL_PADDING)
        line.addWidget(self._title)
        line.addWidget(self._meaning, 1)
        line.addWidget(self._cost)
        foot = QVBoxLayout(self._foot)
        foot.setContentsMargins(CELL_PADDING, 2, CELL_PADDING, 2)
        foot.setSpacing(0)
        foot.addLayout(line)
        foot.addWidget(self._steps)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head)
        layout.addWidget(self.hex, 1)
        layout.addWidget(self._foot)


def _reach(span: Span) -> range:
    return range(span.offset, span.offset + span.length)


def _tint(label: QWidget, theme: Theme, tone: str) -> None:
    palette = label.palette()
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
        palette.setColor(role, theme.color(tone))
    palette.setColor(QPalette.ColorRole.Link, theme.color("accent"))
    label.setPalette(palette)
