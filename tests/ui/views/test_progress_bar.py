"""The bar that fills is as full as it says."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from ui.theme import DARK, LIGHT
from ui.views.progress_bar import ProgressBar


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_it_is_filled_from_the_left(qtbot: QtBot, share: float) -> None:
    bar = ProgressBar(LIGHT)
    qtbot.addWidget(bar)
    bar.set_zoom(2.0)
    bar.show_share(share)
    assert bar.accessibleName() == f"Decoded {int(100 * share)} %"
    for theme in (LIGHT, DARK):
        bar.set_theme(theme)
        image = bar.grab().toImage()
        middle = [image.pixelColor(x, image.height() // 2) for x in range(image.width())]
        filled = [x for x, color in enumerate(middle) if color == theme.color("accent")]
        assert abs(len(filled) - share * image.width()) < 8
        assert filled == list(range(min(filled, default=0), max(filled, default=-1) + 1))
        assert min(filled, default=0) < 8
