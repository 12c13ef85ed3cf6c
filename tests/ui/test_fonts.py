"""The shipped fonts are found, look alike everywhere, and do not join signs."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF
from pytestqt.qtbot import QtBot

from ui import fonts
from ui.fonts import Use

uses = pytest.mark.parametrize("use", Use, ids=lambda use: use.name)


@uses
def test_shipped_family_is_used(qtbot: QtBot, use: Use) -> None:
    pixels, weight, mono = use.value
    info = QFontInfo(fonts.font(use))
    assert info.family() == ("JetBrains Mono" if mono else "Inter")
    assert info.pixelSize() == pixels
    assert info.weight() == weight


@uses
def test_digits_are_equally_wide(qtbot: QtBot, use: Use) -> None:
    metrics = QFontMetricsF(fonts.font(use))
    widths = [metrics.horizontalAdvance(digit * 8) for digit in "0123456789"]
    # Hinting moves a digit by fractions of a pixel; a proportional 1 is narrower by more than a pixel each.
    assert max(widths) - min(widths) < 1.0


@pytest.mark.parametrize("text", ["!=", "->", "=>", "0x17", "--", "<="])
def test_signs_are_not_joined(qtbot: QtBot, text: str) -> None:
    metrics = QFontMetricsF(fonts.font(Use.VALUE))
    assert metrics.horizontalAdvance(text) == pytest.approx(sum(metrics.horizontalAdvance(sign) for sign in text))
    for feature in ("calt", "liga"):
        assert fonts.font(Use.VALUE).featureValue(QFont.Tag(feature)) == 0


@pytest.mark.parametrize(("zoom", "pixels"), [(0.8, 10), (1.0, 12), (1.5, 18), (2.0, 24), (0.1, 6)])
def test_zoom(qtbot: QtBot, zoom: float, pixels: int) -> None:
    assert fonts.font(Use.TABLE, zoom=zoom).pixelSize() == pixels


def test_fonts_of_the_system(qtbot: QtBot) -> None:
    font = fonts.font(Use.GROUP_ROW, system=True)
    assert font.families() != fonts.font(Use.GROUP_ROW).families()
    assert (font.pixelSize(), font.weight()) == (12, 600)
