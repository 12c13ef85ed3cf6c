"""Where the columns of a byte view stand: offset, hex digits with a gap after eight, text."""

from __future__ import annotations

from dataclasses import dataclass

WIDE, NARROW = 16, 8
GAP_AFTER = 8
CELL = 3
"""Characters a byte takes, with the space after it: a row of bytes is one text."""


@dataclass(frozen=True, slots=True)
class HexPlaces:
    """Places for one width of the view."""

    columns: int
    """Bytes a row."""
    digits: int
    """Digits of an offset."""
    char: float
    """Width of a character."""
    left: float
    ratio: float = 1.0
    """Device pixels in one of the measures."""

    @classmethod
    def fitting(cls, width: int, length: int, char: float, left: float, ratio: float = 1.0) -> HexPlaces:
        """As many columns as fit."""
        digits = max(4, len(f"{max(0, length - 1):x}"))
        wide = cls(WIDE, digits, char, left, ratio)
        return wide if wide.text_left(WIDE) + left <= width else cls(NARROW, digits, char, left, ratio)

    def line(self, offset: str, digits: str, text: str) -> str:
        """A row as one text: offset, digits of its bytes with blanks between, text; each may be empty."""
        first, rest = digits[: GAP_AFTER * CELL], digits[GAP_AFTER * CELL :]
        row = f"{offset:{self.digits + 2}}{first:{GAP_AFTER * CELL}}"
        if self.columns > GAP_AFTER:
            row += f" {rest:{(self.columns - GAP_AFTER) * CELL}}"
        return f"{row} {text}".rstrip()

    @property
    def hairline(self) -> float:
        """The thickness of a line of whole device pixels, about one measure."""
        return max(1, int(self.ratio)) / self.ratio

    def hex_left(self, column: int) -> float:
        """Where the digits of a byte begin."""
        gap = 1 if column >= GAP_AFTER else 0
        return self.left + (self.digits + 2 + column * CELL + gap) * self.char

    def hex_edges(self, first: int, last: int) -> tuple[float, float]:
        """Left and right of the ground below bytes, in whole device pixels."""
        half = (CELL - 2) * self.char / 2
        return self._snapped(self.hex_left(first) - half), self._snapped(self.hex_left(last) + 2 * self.char + half)

    def text_left(self, column: int) -> float:
        """Where the character of a byte is."""
        end = self.hex_left(self.columns - 1) + (CELL + 1) * self.char
        return end + column * self.char

    def text_edges(self, first: int, last: int) -> tuple[float, float]:
        """Left and right of the ground below characters, in whole device pixels."""
        return self._snapped(self.text_left(first)), self._snapped(self.text_left(last + 1))

    def _snapped(self, place: float) -> float:
        return round(place * self.ratio) / self.ratio

    @property
    def label_left(self) -> float:
        """Where the label of a part stands."""
        return self.text_left(self.columns) + self.char

    def column_at(self, x: float) -> int:
        """The byte of a row that a place belongs to, in hex or text; -1: none."""
        for column in range(self.columns):
            for left, right in (self.hex_edges(column, column), self.text_edges(column, column)):
                if left <= x < right:
                    return column
        return -1
