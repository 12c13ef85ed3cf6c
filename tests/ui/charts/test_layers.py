"""Pixels of times and values; hairlines on whole device pixels."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from ui import fonts
from ui.charts.drawing import Drawn
from ui.charts.layers import Content, Frame, StillLayer
from ui.theme import LIGHT

RECT = QRectF(40, 0, 300, 100)


def test_there_and_back() -> None:
    frame = Frame(RECT, (2.0, 8.0), (0.0, 50.0))
    assert frame.x_of(5.0) == 190
    assert frame.y_of(25.0) == 50
    assert frame.time_at(190) == 5.0
    np.testing.assert_allclose(frame.across(np.array([2.0, 8.0])), [40, 340])
    np.testing.assert_allclose(frame.down(np.array([0.0, 50.0])), [100, 0])


@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0])
def test_grid_lines_and_bars_have_no_blurred_edge(qapp: QApplication, ratio: float) -> None:
    frame = Frame(RECT, (0.0, 10.0), (0.0, 100.0), ratio)
    bars = Drawn(
        left=np.array([1.03, 4.111]), right=np.array([2.07, 4.112]), low=np.zeros(2), high=np.array([61.0, 33.3])
    )
    image = QImage(round(348 * ratio), round(106 * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(LIGHT.color("panel"))
    painter = QPainter(image)
    content = Content(bars=bars, values=((0, ""), (47.3, "")), shows_times=False)
    StillLayer("p1", by_parts=False).paint(painter, frame, content, LIGHT, fonts.font(fonts.Use.AXIS))
    painter.end()
    names = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert names == {QColor(LIGHT.color(name)).name() for name in ("panel", "grid", "line", "p1")}
    column = [image.pixelColor(round(300 * ratio), y).name() for y in range(image.height())]
    assert column.count(LIGHT.color("grid").name()) == max(1, round(ratio))
    thin = [image.pixelColor(x, round(90 * ratio)).name() for x in range(round(160 * ratio), round(170 * ratio))]
    assert thin.count(LIGHT.color("p1").name()) == 1
