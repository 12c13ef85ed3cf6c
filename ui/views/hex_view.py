"""The bytes of one buffer, painted: offset, hex, text. Fields and items are marked; what is hidden is never painted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QMenu, QWidget

from ui.models import byte_text
from ui.models.byte_marks import ByteMarks
from ui.theme import CELL_PADDING, Theme
from ui.views.hex_layer import HexContent, HexLayer
from ui.views.hex_places import HexPlaces


class HexView(QAbstractScrollArea):
    """One painted widget with a byte cursor. It knows offsets, not fields."""

    byte_chosen = Signal(int)
    """The cursor was put on a byte, by pointer or key."""
    byte_activated = Signal(int)
    """A byte was clicked, or Enter pressed on it."""
    byte_hovered = Signal(int)
    """The pointer is over another byte; -1: over none."""
    range_chosen = Signal(int, int)
    """Bytes were chosen by dragging or with Shift: offset and length."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._layer = HexLayer(theme)
        self._content = HexContent()
        self._cursor = 0
        self._anchor = 0
        self._hovered = -1
        self._framed = range(0)
        """Bytes of the field that the pointer is over."""
        self._dragged = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.set_zoom(1.0)

    @property
    def data(self) -> bytes:
        """The bytes that are shown, also those that are masked."""
        return self._content.data

    @property
    def cursor_offset(self) -> int:
        """The byte that the cursor is on."""
        return self._cursor

    @property
    def field_range(self) -> range:
        """The bytes painted as the selected field."""
        return self._content.field

    @property
    def item_range(self) -> range:
        """The bytes painted as the item that the field is in."""
        return self._content.item

    @property
    def traces(self) -> tuple[range, ...]:
        """Underlined bytes: what the selected field of another buffer was made from."""
        return self._content.traces

    @property
    def marks(self) -> ByteMarks:
        """What is painted over the bytes whatever is selected."""
        return self._content.marks

    @property
    def hovered(self) -> int:
        """The byte below the pointer, -1 for none."""
        return self._hovered

    @property
    def framed(self) -> range:
        """The framed bytes: those of the field that the pointer is over, or the one byte."""
        return self._framed or range(self._hovered, self._hovered + 1) if self._hovered >= 0 else range(0)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self._layer.set_theme(theme)
        self.viewport().update()

    def set_zoom(self, zoom: float) -> None:
        """Another size of type and rows."""
        self._layer.set_zoom(zoom)
        self._height = self._layer.row_height
        self._lay_out()

    def show_bytes(self, data: bytes, marks: ByteMarks) -> None:
        """Show another buffer; nothing is marked as selected."""
        changed = data != self._content.data
        self._content = HexContent(data, marks)
        if changed:
            self._cursor = self._anchor = 0
            self._hover(-1)
            self.verticalScrollBar().setValue(0)
        self._lay_out()

    def mark(self, field: range, item: range, traces: tuple[range, ...] = (), *, scroll: bool = True) -> None:
        """Paint a field and the item it is in; the cursor goes to the field unless it is in it."""
        self._content = replace(self._content, field=field, item=item, traces=traces)
        shown = field or item
        if shown and self._cursor not in shown:
            self._cursor = self._anchor = shown.start
        if scroll and (shown or traces):
            self.scroll_to(shown.start if shown else traces[0].start)
        self._tell()
        self.viewport().update()

    def scroll_to(self, offset: int) -> None:
        """Bring a byte into view, if it is not, with some rows above it."""
        bar, row, visible = self.verticalScrollBar(), offset // self._places.columns, self._visible_rows()
        if not bar.value() <= row < bar.value() + visible:
            bar.setValue(row - visible // 3)

    @property
    def hidden(self) -> tuple[range, ...]:
        """Bytes that are not shown."""
        return self._content.marks.hidden

    def byte_at(self, point: QPointF) -> int:
        """The byte under a point of the viewport, in hex or text; -1 if there is none."""
        row = int((point.y() - self._height) // self._height) + self.verticalScrollBar().value()
        column = self._places.column_at(point.x())
        offset = row * self._places.columns + column
        return offset if point.y() >= self._height and column >= 0 and 0 <= offset < len(self._content.data) else -1

    def rect_of(self, offset: int) -> QRectF:
        """Where the hex digits of a byte are painted, in the viewport."""
        row, column = divmod(offset, self._places.columns)
        top = (row - self.verticalScrollBar().value() + 1) * self._height
        return QRectF(self._places.hex_left(column), top, 2 * self._places.char, self._height)

    def copied(self, form: Callable[[bytes, range, ByteMarks], str]) -> str:
        """The chosen bytes, or all if none are, in a form of `byte_text`."""
        content = self._content
        return form(content.data, content.field or content.item or range(len(content.data)), content.marks)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        view, ratio = self.viewport(), self.devicePixelRatioF()
        if ratio != self._places.ratio:
            # the window went to another screen
            self._lay_out()
        first = self.verticalScrollBar().value()
        painter = QPainter(view)
        painter.drawPixmap(QPointF(0, 0), self._layer.picture(view.size(), ratio, self._places, first, self._content))
        if (self._hovered >= 0 and self._hovered != self._cursor) or len(self._framed) > 1:
            painter.setPen(QPen(self._theme.color("line2"), self._places.hairline))
            painter.drawRects([box.adjusted(1, 1, -1, -1) for box in self._frames(self.framed)])
        if self.hasFocus() and self._cursor < len(self._content.data):
            self._outline(painter, self._cursor, QPen(self._theme.color("focus"), 1.5))

    def _outline(self, painter: QPainter, offset: int, pen: QPen) -> None:
        """A frame around the digits and the character of a byte."""
        painter.setPen(pen)
        for box in self._boxes(offset):
            painter.drawRect(box.adjusted(1, 1, -1, -1))

    def _boxes(self, offset: int) -> tuple[QRectF, QRectF]:
        """The ground of a byte's digits and that of its character."""
        column = offset % self._places.columns
        top = self.rect_of(offset).top()
        edges = self._places.hex_edges(column, column), self._places.text_edges(column, column)
        first, second = (QRectF(left, top, right - left, self._height) for left, right in edges)
        return first, second

    def _frames(self, framed: range) -> list[QRectF]:
        """The grounds of bytes in the rows in view: for each row that of the digits, and that of the text."""
        columns, first = self._places.columns, self.verticalScrollBar().value()
        start, stop = framed.start // columns, -(-framed.stop // columns)
        frames: list[QRectF] = []
        for row in range(max(start, first), min(stop, first + self._visible_rows() + 2)) if framed else ():
            left = max(framed.start - row * columns, 0)
            right = min(framed.stop - row * columns, columns) - 1
            top = (row - first + 1) * self._height
            both = self._places.hex_edges(left, right), self._places.text_edges(left, right)
            frames += [QRectF(edge, top, end - edge, self._height) for edge, end in both]
        return frames

    def frame_hovered(self, framed: range) -> None:
        """Frame the field that the pointer is over; nothing of it is left when the pointer leaves."""
        if framed != self._framed:
            self._update_frames()
            self._framed = framed
            self._update_frames()

    def _update_frames(self) -> None:
        for frame in self._frames(self._framed):
            self.viewport().update(frame.adjusted(-1, -1, 1, 1).toAlignedRect())

    def _update_byte(self, offset: int) -> None:
        """Paint the place of one byte again."""
        if offset >= 0:
            for box in self._boxes(offset):
                self.viewport().update(box.adjusted(-1, -1, 1, 1).toAlignedRect())

    def _hover(self, offset: int) -> None:
        if offset != self._hovered:
            self._update_byte(self._hovered)
            self._hovered = offset
            self._update_byte(offset)
            self.byte_hovered.emit(offset)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._update_byte(self._cursor)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._update_byte(self._cursor)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._hover(-1)
        return super().viewportEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        offset = self.byte_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or offset < 0:
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._extend(offset)
        else:
            self._put(offset)
            self.byte_activated.emit(offset)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        offset = self.byte_at(event.position())
        self._hover(offset)
        if event.buttons() & Qt.MouseButton.LeftButton and offset >= 0 and offset != self._cursor:
            self._dragged = True
            self._cursor = offset
            self._content = replace(self._content, field=self._chosen())
            self.scroll_to(offset)
            self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragged:
            self._dragged = False
            self._extend(self._cursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        target = self._target(event)
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_hex()
        elif event.matches(QKeySequence.StandardKey.SelectAll) and self._content.data:
            self._anchor = 0
            self._extend(len(self._content.data) - 1)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._content.data:
            self.byte_activated.emit(self._cursor)
        elif target < 0 or not self._content.data:
            super().keyPressEvent(event)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._extend(target)
        else:
            self._put(target)

    def _target(self, event: QKeyEvent) -> int:
        """Where a key takes the cursor; -1: it is not a key that does."""
        columns, last = self._places.columns, len(self._content.data) - 1
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        key, row = event.key(), self._cursor - self._cursor % columns
        page = columns * max(1, self._visible_rows() - 1)
        if control:
            targets = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}
        else:
            targets = {
                Qt.Key.Key_Left: self._cursor - 1,
                Qt.Key.Key_Right: self._cursor + 1,
                Qt.Key.Key_Up: self._cursor - columns if self._cursor >= columns else self._cursor,
                Qt.Key.Key_Down: self._cursor + columns if self._cursor + columns <= last else self._cursor,
                Qt.Key.Key_Home: row,
                Qt.Key.Key_End: row + columns - 1,
                Qt.Key.Key_PageUp: max(self._cursor - page, self._cursor % columns),
                Qt.Key.Key_PageDown: self._cursor + page,
            }
        target = targets.get(Qt.Key(key))
        return -1 if target is None else max(0, min(target, last))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.make_menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        place = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            place = self.viewport().mapToGlobal(self.rect_of(self._cursor).bottomLeft().toPoint())
        menu.popup(place)

    def make_menu(self, parent: QWidget) -> QMenu:
        """The ways to copy the chosen bytes."""
        menu = QMenu(parent)
        for title, form in (
            (self.tr("Copy as hex") + "\tCtrl+C", byte_text.as_hex),
            (self.tr("Copy as C array"), byte_text.as_c_array),
            (self.tr("Copy as offset and hex"), byte_text.as_dump),
            (self.tr("Copy as text"), byte_text.as_text),
        ):
            menu.addAction(title).triggered.connect(lambda _=False, form=form: self._copy(form))
        return menu

    def copy_hex(self) -> None:
        """The chosen bytes into the clipboard, as hex."""
        self._copy(byte_text.as_hex)

    def _copy(self, form: Callable[[bytes, range, ByteMarks], str]) -> None:
        QGuiApplication.clipboard().setText(self.copied(form))

    def _put(self, offset: int) -> None:
        self._cursor = self._anchor = offset
        self.scroll_to(offset)
        self._tell()
        self.viewport().update()
        self.byte_chosen.emit(offset)

    def _extend(self, offset: int) -> None:
        self._cursor = offset
        chosen = self._chosen()
        self._content = replace(self._content, field=chosen)
        self.scroll_to(offset)
        self._tell()
        self.viewport().update()
        self.range_chosen.emit(chosen.start, len(chosen))

    def _chosen(self) -> range:
        return range(min(self._anchor, self._cursor), max(self._anchor, self._cursor) + 1)

    def _tell(self) -> None:
        """Say the byte at the cursor to a screen reader."""
        if self._cursor < len(self._content.data):
            hidden = self._content.marks.is_hidden(self._cursor)
            byte = self.tr("hidden") if hidden else f"{self._content.data[self._cursor]:02x}"
            self.setAccessibleDescription(self.tr("Byte {0}: {1}").format(self._cursor, byte))
        else:
            self.setAccessibleDescription(self.tr("No bytes"))

    def _lay_out(self) -> None:
        self._places = HexPlaces.fitting(
            self.viewport().width(), len(self._content.data), self._layer.char, CELL_PADDING, self.devicePixelRatioF()
        )
        rows = -(-len(self._content.data) // self._places.columns)
        bar = self.verticalScrollBar()
        bar.setPageStep(max(1, self._visible_rows()))
        bar.setRange(0, max(0, rows - self._visible_rows()))
        self.viewport().update()

    def _visible_rows(self) -> int:
        return max(1, self.viewport().height() // self._height - 1)
