"""Paints the ready rows of a model. A row is laid out once for the columns it stands in, then only drawn."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QStaticText
from PySide6.QtWidgets import QAbstractItemView

from ui.fonts import Use
from ui.theme import CELL_PADDING, Theme
from ui.views.cells import BAR_HEIGHT, SIGN_WIDTH, Cell, Row
from ui.views.shaped_texts import ShapedTexts
from ui.views.signs import SignPixmaps

MOST_LAID = 1024
"""Rows kept laid out; past that the oldest goes."""
FOCUS_WIDTH = 1.5
SWATCH_GAP = 6
_EMPTY = Cell()

Spans = tuple[tuple[int, int], ...]
"""Left edge and width of each column in the view; a hidden one has no width."""


@dataclass(slots=True)
class Laid:
    """One row as what is drawn, from the top of the row."""

    row: Row
    """Kept, for rows are known by their identity."""
    tint: QColor | None = None
    """Of the whole row: selection and pointer paint over it."""
    tints: list[tuple[int, int, QColor]] = field(default_factory=list)
    """Left edge and width of tinted cells: only the selection paints over them."""
    bars: list[tuple[QRectF, QColor]] = field(default_factory=list)
    boxes: list[tuple[QRectF, QColor]] = field(default_factory=list)
    """Outlined: the colour that a value is."""
    signs: list[tuple[str, float]] = field(default_factory=list)
    """Names and left edges."""
    texts: list[tuple[float, float, QStaticText, QFont, QColor]] = field(default_factory=list)


class RowPainter:
    """Fonts, shapes and laid out rows of one view."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self.texts = ShapedTexts()
        self._signs = SignPixmaps(theme)
        self._laid: dict[int, Laid] = {}
        self._spans: Spans = ()
        self._height = 0
        self._indent = 0

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme from now on."""
        self._theme = theme
        self._signs = SignPixmaps(theme)
        self._laid.clear()

    def set_zoom(self, zoom: float, *, system: bool = False) -> None:
        """Other font sizes, or the system's families."""
        self.texts.set_zoom(zoom, system=system)
        self._laid.clear()

    def set_columns(self, spans: Spans, height: int, indent: int = 0) -> None:
        """Where columns are, how high a row is, and how far the first cell moves in for each level of a tree."""
        if (spans, height, indent) != (self._spans, self._height, self._indent):
            self._spans, self._height, self._indent = spans, height, indent
            self._laid.clear()

    def paint(self, painter: QPainter, row: Row, top: int, width: int, background: str = "") -> None:
        """Paint a row over the `width` of the view; `background` is the colour of a selection, or of the pointer."""
        laid = self._laid.get(id(row))
        if laid is None:
            laid = self._laid[id(row)] = self._lay(row)
            if len(self._laid) > MOST_LAID:
                del self._laid[next(iter(self._laid))]
        height = self._height
        if background:
            painter.fillRect(0, top, width, height, self._theme.color(background))
        elif laid.tint is not None:
            painter.fillRect(0, top, width, height, laid.tint)
        if background in ("", "hover"):
            for left, wide, color in laid.tints:
                painter.fillRect(left, top, wide, height, color)
        for rect, color in laid.bars:
            painter.fillRect(rect.translated(0, top), color)
        for rect, color in laid.boxes:
            painter.setPen(self._theme.color("text2"))
            painter.setBrush(color)
            painter.drawRect(rect.translated(0, top))
        for sign, x in laid.signs:
            self._signs.paint(painter, sign, x, top, SIGN_WIDTH - 4, height)
        self._paint_texts(painter, laid, top)

    def paint_focus(self, painter: QPainter, top: int, width: int) -> None:
        """The ring around the current row of the view that has the focus."""
        half = FOCUS_WIDTH / 2
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._theme.color("focus"), FOCUS_WIDTH))
        painter.drawRect(QRectF(half, top + half, width - FOCUS_WIDTH, self._height - FOCUS_WIDTH))

    @staticmethod
    def _paint_texts(painter: QPainter, laid: Laid, top: int) -> None:
        last_font: QFont | None = None
        last_color: QColor | None = None
        for x, y, text, font, color in laid.texts:
            if font is not last_font:
                painter.setFont(font)
                last_font = font
            if color is not last_color:
                painter.setPen(color)
                last_color = color
            painter.drawStaticText(QPointF(x, top + y), text)

    def _lay(self, row: Row) -> Laid:
        laid = Laid(row)
        tints = {cell.tint for cell in row.cells}
        whole = next(iter(tints)) if len(tints) == 1 else ""
        if whole:
            laid.tint = self._theme.color(whole)
        first = True
        for cell, (left, width) in zip(row.cells, self._spans, strict=False):
            if first:
                indent = self._indent * (row.depth + 1)
                left, width, first = left + indent, width + self._run(row) - indent, False
            if width <= 0:
                continue
            if cell.tint and not whole:
                laid.tints.append((left, width, self._theme.color(cell.tint)))
            self._lay_cell(laid, cell, left + CELL_PADDING, width - 2 * CELL_PADDING)
        return laid

    def _run(self, row: Row) -> int:
        """Width of the empty cells behind the first that it goes on over."""
        over = 0
        for cell, (_, width) in zip(row.cells[1:], self._spans[1:], strict=False):
            if not row.runs_on or (width > 0 and cell != _EMPTY):
                break
            over += width
        return over

    def _lay_cell(self, laid: Laid, cell: Cell, left: float, width: float) -> None:
        for sign in cell.sign.split():
            laid.signs.append((sign, left))
            left, width = left + SIGN_WIDTH, width - SIGN_WIDTH
        if width <= 0:
            return
        if cell.bar >= 0.0:
            top = (self._height - BAR_HEIGHT) / 2
            wide = max(1.0, width * min(1.0, cell.bar))
            laid.bars.append((QRectF(left, top, wide, BAR_HEIGHT), self._theme.color("p1")))
        elif cell.text:
            self._lay_text(laid, cell, left, width)

    def _lay_text(self, laid: Laid, cell: Cell, left: float, width: float) -> None:
        """The text of a cell with its swatch; a painter of cells that show more adds it here."""
        if cell.swatch is not None and not cell.right:
            wide = self.lay_swatch(laid, cell.swatch, cell.use, left, width)
            left, width = left + wide, width - wide
        shaped = self.texts.fitted(cell.text, cell.use, width, struck=cell.struck, middle=cell.middle)
        x = round(left + width - shaped.width) if cell.right else left
        laid.texts.append((x, self._text_top(shaped.height), shaped.text, shaped.font, self._theme.color(cell.tone)))

    def swatch_width(self, use: Use) -> int:
        """Of a swatch beside text, with the gap behind it."""
        return self._swatch(use) + SWATCH_GAP

    def lay_swatch(self, laid: Laid, colour: tuple[int, int, int], use: Use, left: float, width: float) -> int:
        """Put a square from the top of letters to their feet; the room that it takes, 0 if there is none."""
        size = self._swatch(use)
        if width < size:
            return 0
        top = self._text_top(self.texts.natural("0", use).height)
        # the outline lies on the edge: half of it is outside
        laid.boxes.append((QRectF(round(left), top, size, size), QColor(*colour)))
        return size + SWATCH_GAP

    def _swatch(self, use: Use) -> int:
        return round(QFontMetricsF(self.texts.natural("0", use).font).ascent())

    def _text_top(self, height: float) -> int:
        """Where in its row a text of some height begins."""
        return round((self._height - height) / 2)


def row_background(view: QAbstractItemView, *, selected: bool, hovered: bool) -> str:
    """The colour over a row: of a selection in the pane with the focus or in another, or of the pointer."""
    if selected:
        return "select" if view.hasFocus() else "select_off"
    return "hover" if hovered else ""
