"""How rows of the change tree are painted: counts by sign, shares with a bar below, values with their meaning."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from ui import fonts, words
from ui.models.change_cells import GroupCell, ShareCell, ValueCell
from ui.views.cells import Cell
from ui.views.row_painter import Laid, RowPainter

_UNDER = 2.0
_SIGN = 14.0
_GAP = 6.0
_MEANING = 0.4
"""Share of a cell that is kept for what a value means."""


class ChangeRowPainter(RowPainter):
    """Lays out the cells of `change_cells`."""

    def _lay_text(self, laid: Laid, cell: Cell, left: float, width: float) -> None:
        if isinstance(cell, ValueCell):
            width = self._lay_meaning(laid, cell, left, width)
        super()._lay_text(laid, cell, left, width)
        if isinstance(cell, GroupCell):
            self._lay_counts(laid, cell, left, width)
        elif isinstance(cell, ShareCell):
            wide = max(1.0, width * min(1.0, cell.under))
            bar = QRectF(left + width - wide, self._height - _UNDER - 1, wide, _UNDER)
            laid.bars.append((bar, self._theme.color("p2")))

    def _lay_counts(self, laid: Laid, cell: GroupCell, left: float, width: float) -> None:
        right = left + width
        left += self.texts.width(cell.text, cell.use) + 2 * _GAP
        for sign, number in cell.counts:
            shaped = self.texts.natural(words.quantity(number), fonts.Use.GROUP_ROW)
            if left + _SIGN + 4 + shaped.width > right:
                return
            laid.signs.append((sign, round(left)))
            color = self._theme.color("text2" if sign == "unknown" else sign)
            place = round(left) + _SIGN + 4
            laid.texts.append((place, self._text_top(shaped.height), shaped.text, shaped.font, color))
            left = place + shaped.width + 1 + _GAP + 2

    def _lay_meaning(self, laid: Laid, cell: ValueCell, left: float, width: float) -> float:
        """Lay what a value means, and return the room for the number: its right edge is the same in most rows."""
        if not cell.explained:
            return width
        gap = 1.5 * self.texts.width("0", cell.use)
        swatch = self.swatch_width(cell.use) if cell.swatch is not None else 0
        room = width - self.texts.width(cell.text, cell.use) - gap
        meaning = self._whole_parts(cell.meaning, room - swatch)
        wanted = self.texts.width(meaning, fonts.Use.TABLE) + 1 + swatch if meaning else 0.0
        kept = min(max(wanted, width * _MEANING), room)
        if kept < min(wanted, 3 * gap) or kept <= 0:
            return width
        x = left + width - kept
        if cell.swatch is not None:
            self.lay_swatch(laid, cell.swatch, cell.use, x, kept)
        if meaning:
            shaped = self.texts.fitted(meaning, fonts.Use.TABLE, kept - swatch)
            tone = self._theme.color("text2")
            laid.texts.append((round(x + swatch), self._text_top(shaped.height), shaped.text, shaped.font, tone))
        return width - kept - gap

    def _whole_parts(self, meaning: str, width: float) -> str:
        """As many parts of a meaning as fit, the first in any case; the tool tip has all."""
        parts = meaning.split(", ")
        while len(parts) > 1 and self.texts.width(", ".join(parts), fonts.Use.TABLE) + 1 > width:
            del parts[-1]
        return ", ".join(parts)
