"""The still picture of a byte view: offsets, digits, text, grounds and marks of the rows in view.

It is kept until something changes; the byte view lays its cursor and the place of the pointer over it.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPixmap

from ui import fonts
from ui.models import byte_text
from ui.models.byte_marks import ByteMarks
from ui.theme import ROW_HEIGHT, Theme
from ui.views.hex_places import WIDE, HexPlaces

DOT = "\u00b7"
HIDDEN = "\u2022"
PLAIN = str.maketrans({code: DOT for code in range(256) if not byte_text.printable(code)})
"""Bytes as text of one character each."""
NOTHING = range(0)


@dataclass(frozen=True, slots=True)
class HexContent:
    """What a picture is made of."""

    data: bytes = b""
    marks: ByteMarks = ByteMarks()  # noqa: RUF009
    field: range = NOTHING
    """The selected bytes."""
    item: range = NOTHING
    """The item they are in."""
    traces: tuple[range, ...] = ()
    """Underlined: what the selected field of another buffer was made from."""


class HexLayer:
    """Paints the rows of a byte view, once for each change."""

    def __init__(self, theme: Theme, zoom: float = 1.0) -> None:
        self._theme = theme
        self._kept: tuple[object, ...] = ()
        self._picture = QPixmap()
        self.set_zoom(zoom)

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self._kept = ()

    def set_zoom(self, zoom: float) -> None:
        """Another size of type and rows."""
        self._font = fonts.font(fonts.Use.VALUE, zoom=zoom)
        self._head_font = fonts.font(fonts.Use.AXIS, zoom=zoom)
        self.row_height = round(ROW_HEIGHT * zoom)
        metrics = QFontMetricsF(self._font)
        self.char = metrics.horizontalAdvance("0" * WIDE) / WIDE
        self._rise = metrics.capHeight() / 2
        self._kept = ()

    def picture(self, size: QSize, ratio: float, places: HexPlaces, first: int, content: HexContent) -> QPixmap:
        """The picture of a viewport whose top row is number `first`, painted anew only if anything differs."""
        key = (size, ratio, places, first, content)
        if key != self._kept:
            self._kept = key
            self._paint(size, ratio, places, first, content)
        return self._picture

    def _paint(self, size: QSize, ratio: float, places: HexPlaces, first: int, content: HexContent) -> None:
        pixels = QSize(round(size.width() * ratio), round(size.height() * ratio))
        if self._picture.size() != pixels or self._picture.devicePixelRatio() != ratio:
            self._picture = QPixmap(pixels)
            self._picture.setDevicePixelRatio(ratio)
        self._picture.fill(self._theme.color("panel"))
        painter = QPainter(self._picture)
        rows = _Rows(painter, self._theme, (self._font, self._head_font), places, size.width(), content)
        rows.height, rows.rise = self.row_height, self._rise
        rows.paint_head()
        for line in range(1, size.height() // self.row_height + 1):
            start = (first + line - 1) * places.columns
            if start < len(content.data):
                stop = min(start + places.columns, len(content.data))
                rows.paint(range(start, stop), line * self.row_height)
        painter.end()


class _Rows:
    """Paints rows one by one."""

    def __init__(
        self,
        painter: QPainter,
        theme: Theme,
        typefaces: tuple[QFont, QFont],
        places: HexPlaces,
        width: int,
        content: HexContent,
    ) -> None:
        self._painter, self._theme, self._places, self._content = painter, theme, places, content
        self._font, self._head_font = typefaces
        self._head_metrics = QFontMetricsF(self._head_font)
        self._width = width
        self.height, self.rise = ROW_HEIGHT, 0.0

    def paint_head(self) -> None:
        """The last digit of each column's offsets."""
        self._painter.setFont(self._head_font)
        self._painter.setPen(self._theme.color("text3"))
        for column in range(self._places.columns):
            box = QRectF(self._places.hex_left(column), 0, 2 * self._places.char, self.height)
            self._painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{column:X}")

    def paint(self, row: range, top: int) -> None:
        """The bytes of a row: grounds, glyphs, edges."""
        self._paint_grounds(row, top)
        self._painter.setFont(self._font)
        place = QPointF(self._places.left, top + self.height / 2 + self.rise)
        for tone, characters in self._texts(row).items():
            self._painter.setPen(self._theme.color(tone))
            self._painter.drawText(place, characters)
        self._paint_parts(row, top)
        self._paint_wrong(row, top)

    def _texts(self, row: range) -> dict[str, str]:
        """The whole row, offset to text, as one text a tone with blanks where the others are."""
        content, places = self._content, self._places
        data = content.data[row.start : row.stop]
        digits = data.hex(" ")
        plain = data.decode("latin-1").translate(PLAIN)
        if _shared(row, content.field) or any(_shared(row, hidden) for hidden in content.marks.hidden):
            return self._mixed_texts(row, digits, plain)
        offset = f"{row.start:0{places.digits}x}"
        if 0 not in data:
            zeros = ""
        else:
            zeros = " ".join("  " if byte else "00" for byte in data)
            digits = " ".join(f"{byte:02x}" if byte else "  " for byte in data)
        dots = "".join(DOT if shape == DOT else " " for shape in plain) if DOT in plain else ""
        return {
            "text3": places.line(offset, zeros, dots),
            "text": places.line("", digits, plain.replace(DOT, " ")),
        }

    def _mixed_texts(self, row: range, digits: str, plain: str) -> dict[str, str]:
        """The same for a row with selected or hidden bytes."""
        content, places = self._content, self._places
        hexes: dict[str, list[str]] = {}
        shapes: dict[str, list[str]] = {}
        for column, offset in enumerate(row):
            hidden, chosen = content.marks.is_hidden(offset), offset in content.field
            pair = HIDDEN * 2 if hidden else digits[3 * column : 3 * column + 2]
            tone = "on_accent" if chosen else "text3" if hidden or not content.data[offset] else "text"
            hexes.setdefault(tone, ["  "] * len(row))[column] = pair
            shape = HIDDEN if hidden else plain[column]
            tone = "on_accent" if chosen else "text3" if shape in (DOT, HIDDEN) else "text"
            shapes.setdefault(tone, [" "] * len(row))[column] = shape
        offset_text = f"{row.start:0{places.digits}x}"
        return {
            tone: places.line(
                offset_text if tone == "text3" else "", " ".join(hexes.get(tone, ())), "".join(shapes.get(tone, ()))
            )
            for tone in dict.fromkeys(("text3", *hexes, *shapes))
        }

    def _paint_grounds(self, row: range, top: int) -> None:
        content = self._content
        for index in range(max(0, content.marks.item_at(row.start)), len(content.marks.items)):
            item = content.marks.items[index]
            if item.start >= row.stop:
                break
            if index % 2:
                self._fill(row, item, top, "sunken")
        self._fill(row, content.item, top, "select")
        self._fill(row, content.field, top, "accent")
        for lined in (content.item, *content.traces):
            part = _shared(row, lined)
            if part:
                left, right = self._places.hex_edges(part.start - row.start, part[-1] - row.start)
                line = self._places.hairline
                self._painter.fillRect(
                    QRectF(left, top + self.height - line, right - left, line), self._theme.color("accent")
                )

    def _fill(self, row: range, filled: range, top: int, colour: str) -> None:
        part = _shared(row, filled)
        if not part:
            return
        first, last = part.start - row.start, part[-1] - row.start
        height = self.height - (self._places.hairline if colour == "sunken" else 0)
        for left, right in (self._places.hex_edges(first, last), self._places.text_edges(first, last)):
            self._painter.fillRect(QRectF(left, top, right - left, height), self._theme.color(colour))

    def _paint_parts(self, row: range, top: int) -> None:
        """A line down the bytes of each part, dark for the packet's own, and what begins here by name."""
        labels = []
        for part in self._content.marks.parts:
            if _shared(row, part.reach):
                colour = self._theme.color("p3" if part.own else "p1")
                self._painter.fillRect(QRectF(2, top, 3 if part.own else 1, self.height), colour)
            if self._is_at(part.reach.start, row):
                left, _ = self._places.hex_edges(part.reach.start - row.start, part.reach.start - row.start)
                self._painter.fillRect(QRectF(left, top, 2, self.height), self._theme.color("p3"))
                labels.append(part)
        if not labels:
            return
        room = self._width - self._places.label_left
        texts = [" \u00b7 ".join(part.labels[size] for part in labels) for size in range(len(labels[0].labels))]
        fitting = next((text for text in texts if self._head_metrics.horizontalAdvance(text) <= room), texts[-1])
        self._painter.setFont(self._head_font)
        self._painter.setPen(self._theme.color("text2"))
        box = QRectF(self._places.label_left, top, room, self.height)
        self._painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, fitting)

    def _paint_wrong(self, row: range, top: int) -> None:
        for offset in self._content.marks.wrong:
            if self._is_at(offset, row):
                left, _ = self._places.hex_edges(offset - row.start, offset - row.start)
                self._painter.fillRect(QRectF(left, top, 3, self.height), self._theme.color("error"))

    def _is_at(self, offset: int, row: range) -> bool:
        """Is the edge of a byte in a row? A fault, and a part that never came, may lie behind the last byte."""
        return offset in row or offset == row.stop == len(self._content.data)


def _shared(one: range, other: range) -> range:
    return range(max(one.start, other.start), min(one.stop, other.stop))
