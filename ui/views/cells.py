"""What cells and rows show, ready to paint, and the delegate of small tables, which asks a model for one cell."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ui import fonts
from ui.theme import CELL_PADDING, ROW_HEIGHT, Theme
from ui.views.hovered_row import HoveredRow
from ui.views.shaped_texts import ShapedTexts
from ui.views.signs import SignPixmaps

CELL_ROLE = Qt.ItemDataRole.UserRole + 1
"""A model answers with a `Cell`. `DisplayRole` gives the same text, for screen readers and for copying."""
ROW_ROLE = Qt.ItemDataRole.UserRole + 3
"""A model of rows that are painted whole answers with the same `Row` for as long as it shows the same."""
SIGN_WIDTH = 18.0
BAR_HEIGHT = 8.0
_SELECTED = QStyle.StateFlag.State_Selected.value
_ACTIVE = QStyle.StateFlag.State_Active.value
"""As ints: operations on flags cost microseconds, and a pane paints hundreds of cells."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one cell shows. Colours are names of the theme."""

    text: str = ""
    tone: str = "text"
    right: bool = False
    """Numbers are read down a column: right-aligned."""
    use: fonts.Use = fonts.Use.TABLE
    tint: str = ""
    """Background; selection paints over it."""
    sign: str = ""
    """Signs of `signs.TEXTS` before the text, separated by spaces."""
    struck: bool = False
    bar: float = -1.0
    """0 to 1: a bar of that share instead of the text; negative: none."""
    middle: bool = False
    """Elide in the middle instead of at the end."""
    swatch: tuple[int, int, int] | None = None
    """Red, green and blue of a value that is a colour: a square before what names it."""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """What one row shows. Painters know it by its identity."""

    cells: tuple[Cell, ...]
    edge: str = ""
    """Colour of the rule at the left edge; empty: no rule fits."""
    depth: int = 0
    """Level in a tree."""
    opens: bool = False
    """Rows are below it."""
    runs_on: bool = False
    """The first cell goes on over empty ones behind it."""


class CellDelegate(QStyledItemDelegate):
    """Paints cells. Fonts and shapes are made once for a zoom."""

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, row_height: int = ROW_HEIGHT) -> None:
        super().__init__(parent)
        self._theme = theme
        self._row_height = row_height
        self._texts = ShapedTexts()
        self._signs = SignPixmaps(theme)
        self.hovered: HoveredRow | None = None
        """The row under the pointer, of a view that has all of it tinted."""

    @property
    def row_height(self) -> int:
        """Pixels of a row."""
        return self._row_height

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme from now on; the view has to be updated by the caller."""
        self._theme = theme
        self._signs = SignPixmaps(theme)

    def set_zoom(self, zoom: float, *, system: bool = False) -> None:
        """Other font sizes, or the system's families."""
        self._texts.set_zoom(zoom, system=system)

    def set_row_height(self, row_height: int) -> None:
        """Other rows; the view has to lay itself out again."""
        self._row_height = row_height

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, self._row_height)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        cell = index.data(CELL_ROLE)
        rect = QRectF(option.rect)
        state = option.state.value
        if state & _SELECTED:
            focused = bool(state & _ACTIVE) and option.widget is not None and option.widget.hasFocus()
            painter.fillRect(rect, self._theme.color("select" if focused else "select_off"))
        elif isinstance(cell, Cell) and cell.tint:
            painter.fillRect(rect, self._theme.color(cell.tint))
        elif self.hovered is not None and self.hovered.is_at(index):
            painter.fillRect(rect, self._theme.color("hover"))
        if not isinstance(cell, Cell):
            return
        inner = rect.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        for sign in cell.sign.split():
            self._signs.paint(painter, sign, inner.left(), inner.top(), SIGN_WIDTH - 4, inner.height())
            inner.setLeft(inner.left() + SIGN_WIDTH)
        if cell.bar >= 0.0:
            top = inner.center().y() - BAR_HEIGHT / 2
            width = max(1.0, inner.width() * min(1.0, cell.bar))
            painter.fillRect(QRectF(inner.left(), top, width, BAR_HEIGHT), self._theme.color("p1"))
        elif cell.text:
            self._paint_text(painter, inner, cell)

    def _paint_text(self, painter: QPainter, area: QRectF, cell: Cell) -> None:
        shaped = self._texts.fitted(cell.text, cell.use, area.width(), struck=cell.struck, middle=cell.middle)
        painter.setFont(shaped.font)
        painter.setPen(self._theme.color(cell.tone))
        left = round(area.right() - shaped.width) if cell.right else area.left()
        top = round(area.top() + (area.height() - shaped.height) / 2)
        painter.drawStaticText(QPointF(left, top), shaped.text)
