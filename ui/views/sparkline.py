"""A small curve of the last minute, without axes: the form of the traffic, beside a number that says how much it is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from ui.theme import Theme

LEAST_TOP = 4.0
"""A packet a second does not look like a storm."""


def paint_sparkline(painter: QPainter, area: QRectF, values: Sequence[float], places: int, theme: Theme) -> None:
    """`places` values fill the width, the newest at the right; a line at the bottom where nothing is known."""
    base = round(area.bottom()) - 0.5
    painter.save()
    painter.setPen(QPen(theme.color("line"), 1))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.drawLine(QPointF(area.left(), base), QPointF(area.right(), base))
    if len(values) > 1:
        step = area.width() / (places - 1)
        scale = (area.height() - 2) / max(LEAST_TOP, *values)
        left = area.right() - step * (len(values) - 1)
        curve = [QPointF(left + step * place, base - value * scale) for place, value in enumerate(values)]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("select"))
        painter.drawPolygon(QPolygonF([QPointF(left, base), *curve, QPointF(area.right(), base)]))
        painter.setPen(QPen(theme.color("accent"), 1.4))
        painter.drawPolyline(QPolygonF(curve))
    painter.restore()
