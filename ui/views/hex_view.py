"""The bytes of one buffer, painted: offset, hex, text. Fields and items are marked; what is hidden is never painted."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QFontMetricsF,
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

from ui import fonts
from ui.models import byte_text
from ui.models.byte_marks import ByteMarks
from ui.theme import CELL_PADDING, ROW_HEIGHT, Theme
from ui.views.hex_places import CELL, GAP_AFTER, WIDE, HexPlaces

DOT = "\u00b7"
HIDDEN = "\u2022"
NOTHING = range(0)


class HexView(QAbstractScrollArea):
    """One painted widget with a byte cursor. It knows offsets, not fields."""

    byte_chosen = Signal(int)
    """The cursor was put on a byte, by pointer or key."""
    range_chosen = Signal(int, int)
    """Bytes were chosen by dragging or with Shift: offset and length."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._data = b""
        self._marks = ByteMarks()
        self._field = NOTHING
        self._item = NOTHING
        self._traces: tuple[range, ...] = ()
        self._cursor = 0
        self._anchor = 0
        self._dragged = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.set_zoom(1.0)

    @property
    def data(self) -> bytes:
        """The bytes that are shown, also those that are masked."""
        return self._data

    @property
    def cursor_offset(self) -> int:
        """The byte that the cursor is on."""
        return self._cursor

    @property
    def field_range(self) -> range:
        """The bytes painted as the selected field."""
        return self._field

    @property
    def item_range(self) -> range:
        """The bytes painted as the item that the field is in."""
        return self._item

    @property
    def traces(self) -> tuple[range, ...]:
        """Underlined bytes: what the selected field of another buffer was made from."""
        return self._traces

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.viewport().update()

    def set_zoom(self, zoom: float) -> None:
        """Another size of type and rows."""
        self._font = fonts.font(fonts.Use.VALUE, zoom=zoom)
        self._head_font = fonts.font(fonts.Use.AXIS, zoom=zoom)
        self._height = round(ROW_HEIGHT * zoom)
        self._char = QFontMetricsF(self._font).horizontalAdvance("0" * WIDE) / WIDE
        self._rise = QFontMetricsF(self._font).capHeight() / 2
        self._lay_out()

    def show_bytes(self, data: bytes, marks: ByteMarks) -> None:
        """Show another buffer; nothing is marked as selected."""
        changed = data != self._data
        self._data, self._marks = data, marks
        self._field = self._item = NOTHING
        self._traces = ()
        if changed:
            self._cursor = self._anchor = 0
            self.verticalScrollBar().setValue(0)
        self._lay_out()

    def mark(self, field: range, item: range, traces: tuple[range, ...] = (), *, scroll: bool = True) -> None:
        """Paint a field and the item it is in; the cursor goes to the field unless it is in it."""
        self._field, self._item, self._traces = field, item, traces
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

    def byte_at(self, point: QPointF) -> int:
        """The byte under a point of the viewport, in hex or text; -1 if there is none."""
        row = int((point.y() - self._height) // self._height) + self.verticalScrollBar().value()
        column = self._places.column_at(point.x())
        offset = row * self._places.columns + column
        return offset if point.y() >= self._height and column >= 0 and 0 <= offset < len(self._data) else -1

    def rect_of(self, offset: int) -> QRectF:
        """Where the hex digits of a byte are painted, in the viewport."""
        row, column = divmod(offset, self._places.columns)
        top = (row - self.verticalScrollBar().value() + 1) * self._height
        return QRectF(self._places.hex_left(column), top, 2 * self._char, self._height)

    def copied(self, form: Callable[[bytes, range, ByteMarks], str]) -> str:
        """The chosen bytes, or all if none are, in a form of `byte_text`."""
        chosen = self._field or self._item or range(len(self._data))
        return form(self._data, chosen, self._marks)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._theme.color("panel"))
        first = self.verticalScrollBar().value()
        for line in range(self._visible_rows() + 1):
            start = (first + line) * self._places.columns
            if start < len(self._data):
                self._paint_row(painter, start, (line + 1) * self._height)
        self._paint_head(painter)

    def _paint_head(self, painter: QPainter) -> None:
        painter.fillRect(0, 0, self.viewport().width(), self._height, self._theme.color("panel"))
        painter.setFont(self._head_font)
        painter.setPen(self._theme.color("text3"))
        for column in range(self._places.columns):
            box = QRectF(self._places.hex_left(column), 0, 2 * self._char, self._height)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{column:X}")

    def _paint_row(self, painter: QPainter, start: int, top: int) -> None:
        stop = min(start + self._places.columns, len(self._data))
        row = range(start, stop)
        self._paint_grounds(painter, row, top)
        painter.setFont(self._font)
        base = top + self._height / 2 + self._rise
        painter.setPen(self._theme.color("text3"))
        painter.drawText(QPointF(self._places.left, base), f"{start:0{self._places.digits}x}")
        hexes, texts = self._row_texts(row)
        for left, by_tone in ((self._places.hex_left(0), hexes), (self._places.text_left(0), texts)):
            for tone, characters in by_tone.items():
                painter.setPen(self._theme.color(tone))
                painter.drawText(QPointF(left, base), "".join(characters))
        self._paint_edges(painter, row, top)

    def _row_texts(self, row: range) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """Hex and text of a row, each as one text a tone with blanks where the others are."""
        hexes: dict[str, list[str]] = {}
        texts: dict[str, list[str]] = {}
        for column, offset in enumerate(row):
            byte, hidden = self._data[offset], self._marks.is_hidden(offset)
            shape = "" if hidden else byte_text.printable(byte)
            chosen = offset in self._field
            tone = "on_accent" if chosen else "text3" if hidden or not byte else "text"
            line = hexes.setdefault(tone, [" "] * (WIDE * CELL + 1))
            at = column * CELL + (column >= GAP_AFTER)
            line[at : at + 2] = HIDDEN * 2 if hidden else f"{byte:02x}"
            tone = "on_accent" if chosen else "text" if shape else "text3"
            texts.setdefault(tone, [" "] * WIDE)[column] = HIDDEN if hidden else shape or DOT
        return hexes, texts

    def _paint_grounds(self, painter: QPainter, row: range, top: int) -> None:
        number = max(0, self._marks.item_at(row.start))
        for index in range(number, len(self._marks.items)):
            item = self._marks.items[index]
            if item.start >= row.stop:
                break
            if index % 2:
                self._fill(painter, row, item, top, "sunken")
        self._fill(painter, row, self._item, top, "select")
        self._fill(painter, row, self._field, top, "accent")
        for lined in (self._item, *self._traces):
            self._underline(painter, row, lined, top)

    def _fill(self, painter: QPainter, row: range, filled: range, top: int, colour: str) -> None:
        part = _shared(row, filled)
        if not part:
            return
        first, last = part.start - row.start, part[-1] - row.start
        height = self._height - (1 if colour == "sunken" else 0)
        for left, right in (self._places.hex_edges(first, last), self._places.text_edges(first, last)):
            painter.fillRect(QRectF(left, top, right - left, height), self._theme.color(colour))

    def _underline(self, painter: QPainter, row: range, lined: range, top: int) -> None:
        part = _shared(row, lined)
        if part:
            left, right = self._places.hex_edges(part.start - row.start, part[-1] - row.start)
            painter.fillRect(QRectF(left, top + self._height - 1, right - left, 1), self._theme.color("accent"))

    def _paint_edges(self, painter: QPainter, row: range, top: int) -> None:
        for offset in self._marks.wrong:
            # a fault may lie behind the last byte
            if offset in row or offset == row.stop == len(self._data):
                left, _ = self._places.hex_edges(offset - row.start, offset - row.start)
                painter.fillRect(QRectF(left, top, 3, self._height), self._theme.color("error"))
        painter.setFont(self._head_font)
        for offset, label in self._marks.parts:
            if offset in row:
                left, _ = self._places.hex_edges(offset - row.start, offset - row.start)
                painter.fillRect(QRectF(left, top, 2, self._height), self._theme.color("p3"))
                painter.setPen(self._theme.color("text2"))
                room = self.viewport().width() - self._places.label_left
                text = label if painter.fontMetrics().horizontalAdvance(label) <= room else label.replace("part ", "p")
                box = QRectF(self._places.label_left, top, room, self._height)
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        if self.hasFocus() and self._cursor in row:
            painter.setPen(QPen(self._theme.color("focus"), 1.5))
            left, right = self._places.hex_edges(self._cursor - row.start, self._cursor - row.start)
            painter.drawRect(QRectF(left + 1, top + 1, right - left - 2, self._height - 2))

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        offset = self.byte_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or offset < 0:
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._extend(offset)
        else:
            self._put(offset)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        offset = self.byte_at(event.position())
        if event.buttons() & Qt.MouseButton.LeftButton and offset >= 0 and offset != self._cursor:
            self._dragged = True
            self._cursor = offset
            self._field = self._chosen()
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
        elif event.matches(QKeySequence.StandardKey.SelectAll) and self._data:
            self._anchor = 0
            self._extend(len(self._data) - 1)
        elif target < 0 or not self._data:
            super().keyPressEvent(event)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._extend(target)
        else:
            self._put(target)

    def _target(self, event: QKeyEvent) -> int:
        """Where a key takes the cursor; -1: it is not a key that does."""
        columns, last = self._places.columns, len(self._data) - 1
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
        menu.popup(event.globalPos())

    def make_menu(self, parent: QWidget) -> QMenu:
        """The ways to copy the chosen bytes."""
        menu = QMenu(parent)
        for title, form in (
            (self.tr("Copy as hex"), byte_text.as_hex),
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
        self._field = chosen = self._chosen()
        self.scroll_to(offset)
        self._tell()
        self.viewport().update()
        self.range_chosen.emit(chosen.start, len(chosen))

    def _chosen(self) -> range:
        return range(min(self._anchor, self._cursor), max(self._anchor, self._cursor) + 1)

    def _tell(self) -> None:
        """Say the byte at the cursor to a screen reader."""
        if self._cursor < len(self._data):
            hidden = self._marks.is_hidden(self._cursor)
            byte = self.tr("hidden") if hidden else f"{self._data[self._cursor]:02x}"
            self.setAccessibleDescription(self.tr("Byte {0}: {1}").format(self._cursor, byte))
        else:
            self.setAccessibleDescription(self.tr("No bytes"))

    def _lay_out(self) -> None:
        self._places = HexPlaces.fitting(self.viewport().width(), len(self._data), self._char, CELL_PADDING)
        rows = -(-len(self._data) // self._places.columns)
        bar = self.verticalScrollBar()
        bar.setPageStep(max(1, self._visible_rows()))
        bar.setRange(0, max(0, rows - self._visible_rows()))
        self.viewport().update()

    def _visible_rows(self) -> int:
        return max(1, self.viewport().height() // self._height - 1)


def _shared(one: range, other: range) -> range:
    return range(max(one.start, other.start), min(one.stop, other.stop))
