"""The Packet tab: the fields of the selected packet and the bytes they were read from, linked both ways."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QPalette
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QStackedLayout, QStackedWidget, QVBoxLayout, QWidget

from analyzer.engine.packet_detail import (
    Origin,
    PacketDetail,
    packet_detail,
    part_bytes,
    part_span,
    shared_bytes,
)
from analyzer.store.journal import Amendment
from analyzer.wire.reader import Field, Span
from ui import fonts
from ui.document import Document
from ui.models import provenance
from ui.models.fields import FieldModel
from ui.models.snapshot_words import is_declined, unread
from ui.theme import CELL_PADDING, TOOL_ROW_HEIGHT, Theme
from ui.views.byte_pane import BytePane
from ui.views.elided import ElidedLabel
from ui.views.field_tree import FieldTreeView
from ui.views.pane_state import PaneState

TOPIC = "packet"


class PacketTab(QWidget):
    """Shows the packet of the selection, and writes the selected bytes to it."""

    wants_first = Signal()
    """Nothing is selected, and a person asks for the first packet."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._syncing = False
        self._target: tuple[int, bytes, int, int] | None = None
        """Bytes to mark once a packet is shown: packet, the part's bytes, first and length of those in it."""
        self._steps: list[provenance.Step] = []
        self.model = FieldModel(self)
        self.tree = FieldTreeView(self.model, theme)
        self.bytes = BytePane(theme)
        self._nothing, self._undecided = PaneState(), PaneState()
        self._error_bar, self._error_text, self._error_button = QWidget(), ElidedLabel(), QPushButton()
        self._build()
        self._nothing.chosen.connect(self.wants_first)
        self.tree.field_chosen.connect(self._on_field)
        self.tree.secrets_changed.connect(self._on_secrets)
        self.bytes.byte_chosen.connect(self._on_byte)
        self.bytes.byte_hovered.connect(self._on_hover)
        self.bytes.range_chosen.connect(self._on_range)
        self.bytes.byte_activated.connect(self._on_byte_activated)
        self.bytes.step_chosen.connect(self._on_step)
        self.bytes.completing_chosen.connect(self.go_completing)
        for key, step in ((QKeySequence("Ctrl+PgDown"), 1), (QKeySequence("Ctrl+PgUp"), -1)):
            action = QAction(self)
            action.setShortcut(key)
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            action.triggered.connect(partial(self.bytes.next_buffer, step))
            self.addAction(action)
        self._error_button.clicked.connect(self._show_error)
        self.set_theme(theme)
        self.set_zoom(1.0)
        self._show(None)

    @property
    def detail(self) -> PacketDetail | None:
        """The packet that is shown."""
        return self.model.detail

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """The tree and the bytes, as far as there are any."""
        if self.detail is None:
            return (self,)
        return (self.tree, self.bytes) if self.model.top else (self.bytes,)

    def show_document(self, document: Document | None) -> None:
        """Follow another capture's selection, or none."""
        old = self._document
        if old is not None:
            old.selection.packet_changed.disconnect(self._on_packet)
            old.selection.span_changed.disconnect(self._on_span)
            old.selection.item_changed.disconnect(self._on_item)
            old.amended.disconnect(self._on_amended)
            old.decoded.disconnect(self._ask)
            old.reworded.disconnect(self._ask)
        self._document = document
        self._target = None
        self._show(None)
        if document is not None:
            document.selection.packet_changed.connect(self._on_packet)
            document.selection.span_changed.connect(self._on_span)
            document.selection.item_changed.connect(self._on_item)
            document.amended.connect(self._on_amended)
            document.decoded.connect(self._ask)
            document.reworded.connect(self._ask)
            self._ask()

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self.tree.set_theme(theme)
        self.bytes.set_theme(theme)
        palette = self._error_bar.palette()
        palette.setColor(QPalette.ColorRole.Window, theme.color("error_bg"))
        palette.setColor(QPalette.ColorRole.WindowText, theme.color("error"))
        self._error_bar.setPalette(palette)

    def set_zoom(self, zoom: float) -> None:
        """Another size of type and rows."""
        self.tree.set_zoom(zoom)
        self.bytes.set_zoom(zoom)
        self._nothing.set_zoom(zoom)
        self._undecided.set_zoom(zoom)
        self._error_bar.setFixedHeight(round(TOOL_ROW_HEIGHT * zoom))
        self._error_text.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))
        self._error_button.setFont(fonts.font(fonts.Use.TABLE, zoom=zoom))

    def find(self, text: str, forward: bool = True) -> bool:  # type: ignore[override]
        """Go to the next field whose name or value holds a text. False: there is none."""
        return self.tree.find_text(text, forward)

    def _on_packet(self, packet: int) -> None:
        self._ask()

    def _on_amended(self, amendments: tuple[Amendment, ...]) -> None:
        """What is known about the packet may be more now."""
        document = self._document
        packet = -1 if document is None else document.selection.place.packet
        for change in amendments:
            here = change.table == "packets" and change.start <= packet < change.stop
            if here or (change.table == "flows" and change.column == "reading"):
                self._ask()
                return

    def _ask(self) -> None:
        document = self._document
        if document is None:
            return
        packet = document.selection.place.packet
        if packet < 0:
            self._show(None)
            return
        tables = document.tables
        document.ask(TOPIC, lambda query: packet_detail(query, tables, packet), partial(self._arrived, document))

    def _arrived(self, document: Document, detail: PacketDetail) -> None:
        if document is not self._document or detail.packet != document.selection.place.packet:
            return
        if self.detail == detail and self._target is None:
            return
        if self.detail != detail:
            self._show(detail)
        target, self._target = self._target, None
        span = document.selection.span
        if target is not None and target[0] == detail.packet:
            span = part_span(detail, *target[1:]) or span
        item = document.selection.place.item
        if span is None and item is not None:
            span = detail.item_span(item, document.selection.place.field)
        if span is not None:
            self._go_to(span)
        elif self.tree.currentIndex().isValid():
            self._on_field(self.tree.currentIndex())

    def _show(self, detail: PacketDetail | None) -> None:
        with QSignalBlocker(self.tree):
            self.tree.show_detail(detail)
        self.bytes.show_detail(detail, self.model.secrets, declined=detail is not None and self._is_declined(detail))
        self._steps = []
        self._pages.setCurrentWidget(self._nothing if detail is None else self._content)
        if detail is None:
            self._error_bar.hide()
            return
        is_decoded = bool(self.model.top)
        if not is_decoded and self._document is not None:
            tables = self._document.tables
            self._undecided.show_state(
                self.tr("Not decoded"), unread(tables, tables.packets.integer("flow", detail.packet))
            )
        self._left.setCurrentWidget(self.tree if is_decoded else self._undecided)
        wrong = next(self._wrong(), None)
        self._error_bar.setVisible(wrong is not None)
        if wrong is not None:
            self._error_text.setText(self._error_sentence(wrong[1], detail))
            self._error_button.setVisible(wrong[1].span is not None)

    def _is_declined(self, detail: PacketDetail) -> bool:
        """Did a person choose that the packet's flow is not decoded?"""
        if self.model.top or self._document is None:
            return False
        return is_declined(self._document.tables, self._document.tables.packets.integer("flow", detail.packet))

    def _error_sentence(self, node: Field, detail: PacketDetail) -> str:
        if node.span is None:
            return self.tr("Reading stopped: {0}").format(node.note)
        name = detail.tree.buffers[node.span.buffer].name
        return self.tr("Reading stopped at byte {0} ({1}): {2}").format(node.span.offset, name, node.note)

    def _wrong(self) -> Iterator[tuple[tuple[int, ...], Field]]:
        return (found for found in self.model.walk() if found[1].wrong)

    def _show_error(self) -> None:
        for rows, _ in self._wrong():
            self.tree.choose(self.model.index_of(rows))
            self._on_field(self.tree.currentIndex())
            return

    def _on_field(self, index: QModelIndex, *, scroll: bool = True) -> None:
        node = self.model.field(index)
        if node is None:
            return
        self.bytes.show_span(node.span, is_group=bool(node.children), scroll=scroll)
        self._show_foot(index)
        self._write_span(node.span)
        self._write_item(node)

    def _show_foot(self, index: QModelIndex) -> None:
        node, detail, names = self.model.field(index), self.detail, self.model.names(index)
        if node is None or detail is None:
            self.bytes.show_no_field()
            return
        secrets = self.model.secrets
        self._steps = provenance.steps(node, names, detail, secrets)
        self.bytes.show_foot(
            provenance.title(node, names, detail),
            provenance.meaning(node, detail, secrets),
            provenance.cost(node, detail),
            self._steps,
        )

    def _on_byte(self, buffer: int, offset: int) -> None:
        span = Span(buffer, offset, 1)
        index = self.model.locate(span, self.tree.currentIndex())
        if not index.isValid():
            self._mark_bytes(span)
            return
        with QSignalBlocker(self.tree):
            self.tree.choose(index)
        self._on_field(index, scroll=False)

    def _on_hover(self, buffer: int, offset: int) -> None:
        """Say which field a byte is of that the pointer is over; when it has left, the selected one again."""
        node, index = None, QModelIndex()
        if offset >= 0:
            index = self.model.locate(Span(buffer, offset, 1))
            node = self.model.field(index)
        detail = self.detail
        if node is None or detail is None or node.span is None:
            self.bytes.show_hovered(None)
            return
        names, secrets = self.model.names(index), self.model.secrets
        title, meaning = provenance.title(node, names, detail), provenance.meaning(node, detail, secrets)
        self.bytes.show_hovered(node.span, title, meaning, provenance.cost(node, detail))

    def _on_byte_activated(self, buffer: int, offset: int) -> None:
        """A click, or Enter, also shows what is hidden; the cursor passing over it does not."""
        self.tree.reveal(self.model.locate(Span(buffer, offset, 1), self.tree.currentIndex()))

    def _on_range(self, span: Span) -> None:
        index = self.model.locate(span, self.tree.currentIndex())
        with QSignalBlocker(self.tree):
            self.tree.choose(index)
        self._show_foot(index)
        self._mark_bytes(span, scroll=False)

    def _mark_bytes(self, span: Span, *, scroll: bool = True) -> None:
        self.bytes.show_span(span, scroll=scroll)
        self._write_span(span)

    def _on_span(self, span: Span | None) -> None:
        if not self._syncing and span is not None:
            self._go_to(span)

    def _go_to(self, span: Span) -> None:
        """Select bytes that another pane chose: the field that has just these, or the deepest around them."""
        detail = self.detail
        if detail is None or span.buffer >= len(detail.tree.buffers):
            return
        index = self.model.locate(span, self.tree.currentIndex())
        node = self.model.field(index)
        with QSignalBlocker(self.tree):
            self.tree.choose(index)
        if node is not None and node.span == span:
            self._on_field(index)
        else:
            self._show_foot(index)
            self._mark_bytes(span)

    def _on_item(self, item: tuple[int, int] | None, field: str) -> None:
        """Another pane chose an item of the snapshot: go to its bytes, if this packet has it in its delta."""
        if self._syncing or item is None or self.detail is None:
            return
        span = self.detail.item_span(item, field)
        if span is not None:
            self._go_to(span)

    def _write_item(self, node: Field) -> None:
        meaning = None if self.detail is None else self.detail.meaning(node)
        if self._document is None or meaning is None:
            return
        self._syncing = True
        name = "" if meaning.field is None else meaning.field.name
        self._document.selection.select_item((meaning.change.type, meaning.change.id), name)
        self._syncing = False

    def _write_span(self, span: Span | None) -> None:
        if self._document is not None:
            self._syncing = True
            self._document.selection.select_span(span)
            self._syncing = False

    def _on_secrets(self) -> None:
        self.bytes.show_secrets(self.model.secrets)
        self._show_foot(self.tree.currentIndex())

    def _on_step(self, number: int) -> None:
        """Go to the packet that brought a part, and there to the bytes."""
        document, detail = self._document, self.detail
        node = self.model.field(self.tree.currentIndex())
        if document is None or detail is None or node is None or node.span is None or number >= len(self._steps):
            return
        origin: Origin | None = self._steps[number].origin
        if origin is None:
            return
        start, stop = shared_bytes(origin.part, node.span)
        data = part_bytes(detail, origin.part)
        if origin.part.packet == detail.packet:
            span = part_span(detail, data, start, stop - start)
            if span is not None:
                self._go_to(span)
            return
        self._target = (origin.part.packet, data, start, stop - start)
        document.selection.select(origin.part.packet, detail.snapshot)

    def go_completing(self) -> None:
        """Select the packet that completes the snapshot which this one carries a part of; the field stays selected."""
        document, detail = self._document, self.detail
        if document is not None and detail is not None and detail.completed_by is not None:
            document.selection.select(detail.completed_by.packet, detail.snapshot)

    def _build(self) -> None:
        self._nothing.show_state(
            self.tr("No packet selected"),
            self.tr("Choose a row of the list: its fields and bytes are shown here"),
            self.tr("Select the first"),
        )
        self._error_button.setText(self.tr("Show bytes"))
        self._error_bar.setAutoFillBackground(True)
        bar = QHBoxLayout(self._error_bar)
        bar.setContentsMargins(CELL_PADDING, 2, CELL_PADDING, 2)
        bar.addWidget(self._error_text, 1)
        bar.addWidget(self._error_button)
        self._left = QStackedWidget()
        self._left.addWidget(self.tree)
        self._left.addWidget(self._undecided)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(5)
        splitter.addWidget(self._left)
        splitter.addWidget(self.bytes)
        splitter.setStretchFactor(0, 43)
        splitter.setStretchFactor(1, 57)
        splitter.setSizes([430, 570])
        self._left.setMinimumWidth(240)
        self.bytes.setMinimumWidth(300)
        self._content = QWidget()
        column = QVBoxLayout(self._content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._error_bar)
        column.addWidget(splitter, 1)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._nothing)
        self._pages.addWidget(self._content)
