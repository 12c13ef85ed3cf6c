"""Texts ready to draw: fonts, widths and shapes by text, kept for as long as the zoom stays."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF, QStaticText

from ui import fonts

MOST_SHAPED = 8192
"""Texts kept; past that the oldest goes."""
LONGEST = 1000
"""Letters of a text that are looked at: more are never in view."""


class Shaped(NamedTuple):
    """A text in its font, and how large it is in pixels."""

    text: QStaticText
    font: QFont
    width: float
    height: float


class ShapedTexts:
    """To elide and shape a text costs more than all else of a cell, so both are done once."""

    def __init__(self) -> None:
        self._natural: dict[tuple[str, fonts.Use, bool], Shaped] = {}
        self._elided: dict[tuple[str, fonts.Use, bool, bool, int], Shaped] = {}
        self.set_zoom(1.0)

    def set_zoom(self, zoom: float, *, system: bool = False) -> None:
        """Other font sizes, or the system's families."""
        self._fonts = {(use, False): fonts.font(use, zoom=zoom, system=system) for use in fonts.Use}
        for use in fonts.Use:
            struck = QFont(self._fonts[use, False])
            struck.setStrikeOut(True)
            self._fonts[use, True] = struck
        self._metrics = {use: QFontMetricsF(self._fonts[use, False]) for use in fonts.Use}
        self._natural.clear()
        self._elided.clear()

    def width(self, text: str, use: fonts.Use) -> float:
        """Pixels of a text that is not cut."""
        return self.natural(text, use).width

    def natural(self, text: str, use: fonts.Use, *, struck: bool = False) -> Shaped:
        """A text as wide as it is."""
        key = (text, use, struck)
        known = self._natural.get(key)
        if known is None:
            shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
            known = self._natural[key] = self._shape(shown, use, struck)
            if len(self._natural) > MOST_SHAPED:
                del self._natural[next(iter(self._natural))]
        return known

    def fitted(self, text: str, use: fonts.Use, width: float, *, struck: bool = False, middle: bool = False) -> Shaped:
        """A text in `width` pixels: cut at its end, or in its middle, where it does not fit."""
        whole = self.natural(text, use, struck=struck)
        if whole.width <= width:
            return whole
        key = (text, use, struck, middle, int(width))
        known = self._elided.get(key)
        if known is None:
            mode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
            shown = self._metrics[use].elidedText(text[:LONGEST], mode, int(width))
            known = self._elided[key] = self._shape(shown, use, struck)
            if len(self._elided) > MOST_SHAPED:
                del self._elided[next(iter(self._elided))]
        return known

    def _shape(self, text: str, use: fonts.Use, struck: bool) -> Shaped:
        font = self._fonts[use, struck]
        shaped = QStaticText(text.replace("\n", " "))
        shaped.setTextFormat(Qt.TextFormat.PlainText)
        shaped.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
        shaped.prepare(font=font)
        size = shaped.size()
        return Shaped(shaped, font, size.width(), size.height())
