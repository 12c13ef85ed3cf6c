"""One delegate for all tables and trees: it asks a model one role, which returns a cell ready to paint."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QStaticText
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ui import fonts
from ui.theme import CELL_PADDING, ROW_HEIGHT, Theme
from ui.views.signs import paint_sign

CELL_ROLE = Qt.ItemDataRole.UserRole + 1
"""A model answers with a `Cell`. `DisplayRole` gives the same text, for screen readers and for copying."""
SIGN_WIDTH = 18.0
BAR_HEIGHT = 8.0
MOST_SHAPED = 4096
"""Texts kept ready to draw."""
_SELECTED = QStyle.StateFlag.State_Selected.value
_ACTIVE = QStyle.StateFlag.State_Active.value
_HOVERED = QStyle.StateFlag.State_MouseOver.value
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
    """A sign of `signs.TEXTS`, before the text."""
    struck: bool = False
    bar: float = -1.0
    """0 to 1: a bar of that share instead of the text; negative: none."""
    middle: bool = False
    """Elide in the middle instead of at the end."""


class CellDelegate(QStyledItemDelegate):
    """Paints cells. Fonts and metrics are made once for a zoom."""

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, row_height: int = ROW_HEIGHT) -> None:
        super().__init__(parent)
        self._theme = theme
        self._row_height = row_height
        self._fonts = {use: fonts.font(use) for use in fonts.Use}
        self._metrics = {use: QFontMetricsF(font) for use, font in self._fonts.items()}
        self._shaped: dict[tuple[str, fonts.Use, bool, bool, float], tuple[QStaticText, QFont, QSizeF]] = {}
        """Texts that were drawn, by all that their shape depends on."""

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme from now on; the view has to be updated by the caller."""
        self._theme = theme

    def set_zoom(self, zoom: float, *, system: bool = False) -> None:
        """Other font sizes, or the system's families."""
        self._fonts = {use: fonts.font(use, zoom=zoom, system=system) for use in fonts.Use}
        self._metrics = {use: QFontMetricsF(font) for use, font in self._fonts.items()}
        self._shaped.clear()

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
            active = bool(state & _ACTIVE)
            painter.fillRect(rect, self._theme.color("select" if active else "select_off"))
        elif isinstance(cell, Cell) and cell.tint:
            painter.fillRect(rect, self._theme.color(cell.tint))
        elif state & _HOVERED:
            painter.fillRect(rect, self._theme.color("hover"))
        if not isinstance(cell, Cell):
            return
        inner = rect.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        if cell.sign:
            paint_sign(
                painter, cell.sign, QRectF(inner.left(), inner.top(), SIGN_WIDTH - 4, inner.height()), self._theme
            )
            inner.setLeft(inner.left() + SIGN_WIDTH)
        if cell.bar >= 0.0:
            self._paint_bar(painter, inner, min(1.0, cell.bar))
        elif cell.text:
            self._paint_text(painter, inner, cell)

    def _paint_bar(self, painter: QPainter, area: QRectF, share: float) -> None:
        top = area.center().y() - BAR_HEIGHT / 2
        painter.fillRect(QRectF(area.left(), top, max(1.0, area.width() * share), BAR_HEIGHT), self._theme.color("p1"))

    def _paint_text(self, painter: QPainter, area: QRectF, cell: Cell) -> None:
        key = (cell.text, cell.use, cell.struck, cell.middle, area.width())
        shaped = self._shaped.get(key)
        if shaped is None:
            shaped = self._shaped[key] = self._shape(cell, area.width())
            if len(self._shaped) > MOST_SHAPED:
                del self._shaped[next(iter(self._shaped))]
        text, font, size = shaped
        painter.setFont(font)
        painter.setPen(self._theme.color(cell.tone))
        left = area.right() - size.width() if cell.right else area.left()
        painter.drawStaticText(QPointF(left, area.top() + (area.height() - size.height()) / 2), text)

    def _shape(self, cell: Cell, width: float) -> tuple[QStaticText, QFont, QSizeF]:
        """A text ready to draw: to elide and shape it costs more than all the rest of a cell."""
        mode = Qt.TextElideMode.ElideMiddle if cell.middle else Qt.TextElideMode.ElideRight
        font = self._fonts[cell.use]
        if cell.struck:
            font = QFont(font)
            font.setStrikeOut(True)
        text = QStaticText(self._metrics[cell.use].elidedText(cell.text, mode, width).replace("\n", " "))
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
        text.prepare(font=font)
        return text, font, text.size()
