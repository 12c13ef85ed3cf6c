"""Small signs that can be told apart in black and white: changes, severities, related packets."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPixmap, QPolygonF

from ui.theme import Theme

TEXTS = {
    "added": "Added",
    "changed": "Changed",
    "removed": "Removed",
    "same": "Unchanged",
    "unknown": "Not known",
    "event": "Momentary event",
    "error": "Error",
    "warn": "Warning",
    "note": "Note",
    "ok": "Correct",
    "part": "Part of the selected snapshot",
    "base": "Packet of the baseline",
    "ack": "Acknowledgement that made it the baseline",
    "up": "Client to server",
    "down": "Server to client",
    "mark": "Marked",
    "reference": "Time reference",
}
"""Sign -> its text twin for tool tips and screen readers."""


def paint_sign(painter: QPainter, sign: str, area: QRectF, theme: Theme) -> None:
    """Paint a sign into the middle of `area`, as large as fits. Raises KeyError for a sign that does not exist."""
    side = min(area.width(), area.height(), 14.0)
    box = QRectF(area.center().x() - side / 2, area.center().y() - side / 2, side, side)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _PAINTERS[sign](painter, box, theme)
    painter.restore()


class SignPixmaps:
    """Signs of one theme, each painted once for a size and a screen: tables have hundreds of them."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._made: dict[tuple[str, float, float, float], QPixmap] = {}

    def paint(self, painter: QPainter, sign: str, x: float, y: float, width: float, height: float) -> None:
        """Paint a sign into the middle of an area. Raises KeyError for a sign that does not exist."""
        ratio = painter.device().devicePixelRatioF()
        key = (sign, width, height, ratio)
        made = self._made.get(key)
        if made is None:
            made = QPixmap(ceil(width * ratio), ceil(height * ratio))
            made.setDevicePixelRatio(ratio)
            made.fill(Qt.GlobalColor.transparent)
            onto = QPainter(made)
            paint_sign(onto, sign, QRectF(0, 0, width, height), self._theme)
            onto.end()
            self._made[key] = made
        painter.drawPixmap(QPointF(x, y), made)


def _added(painter: QPainter, box: QRectF, theme: Theme) -> None:
    _fill(painter, theme, "added")
    painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 2, 2)
    _stroke(painter, theme, "panel", 1.8)
    _plus(painter, box)


def _removed(painter: QPainter, box: QRectF, theme: Theme) -> None:
    _stroke(painter, theme, "removed", 1.4)
    painter.drawRoundedRect(box.adjusted(1.5, 1.5, -1.5, -1.5), 2, 2)
    _minus(painter, box)


def _changed(painter: QPainter, box: QRectF, theme: Theme) -> None:
    _fill(painter, theme, "changed")
    _triangle(painter, box.adjusted(2.5, 2.5, -2.5, -2.5))


def _same(painter: QPainter, box: QRectF, theme: Theme) -> None:
    _stroke(painter, theme, "text3", 1.2)
    for offset in (-2.0, 2.0):
        y = box.center().y() + offset
        painter.drawLine(QPointF(box.left() + 3.5, y), QPointF(box.right() - 3.5, y))


def _unknown(painter: QPainter, box: QRectF, theme: Theme) -> None:
    _stroke(painter, theme, "text2", 1.2)
    painter.drawRoundedRect(box.adjusted(1.5, 1.5, -1.5, -1.5), 2, 2)
    _stroke(painter, theme, "text2", 1.4)
    middle = box.center()
    hook = QRectF(middle.x() - 2, middle.y() - 3.6, 4, 3.8)
    painter.drawArc(hook, 180 * 16, -225 * 16)
    painter.drawLine(QPointF(middle.x(), middle.y() + 0.2), QPointF(middle.x(), middle.y() + 1.2))
    painter.drawPoint(QPointF(middle.x(), middle.y() + 3.6))


def _event(painter: QPainter, box: QRectF, theme: Theme) -> None:
    _stroke(painter, theme, "text2", 1.3)
    for angle in ((0, 5), (5, 0), (3.5, 3.5), (3.5, -3.5)):
        offset = QPointF(*angle)
        painter.drawLine(box.center() - offset, box.center() + offset)


def _error(painter: QPainter, box: QRectF, theme: Theme) -> None:
    _fill(painter, theme, "error")
    painter.drawEllipse(box.adjusted(1, 1, -1, -1))
    _stroke(painter, theme, "panel", 1.6)
    middle = box.adjusted(4.5, 4.5, -4.5, -4.5)
    painter.drawLine(middle.topLeft(), middle.bottomRight())
    painter.drawLine(middle.topRight(), middle.bottomLeft())


def _warn(painter: QPainter, box: QRectF, theme: Theme) -> None:
    _fill(painter, theme, "warn")
    _triangle(painter, box.adjusted(0.5, 1, -0.5, -1))
    _stroke(painter, theme, "panel", 1.5)
    x = box.center().x()
    painter.drawLine(QPointF(x, box.top() + 5), QPointF(x, box.top() + 8.5))
    painter.drawPoint(QPointF(x, box.top() + 10.8))


def _note(painter: QPainter, box: QRectF, theme: Theme) -> None:
    _fill(painter, theme, "changed")
    painter.drawEllipse(box.adjusted(1, 1, -1, -1))
    _stroke(painter, theme, "panel", 1.5)
    x = box.center().x()
    painter.drawLine(QPointF(x, box.top() + 6.5), QPointF(x, box.top() + 10))
    painter.drawPoint(QPointF(x, box.top() + 4.2))


def _ok(painter: QPainter, box: QRectF, theme: Theme) -> None:
    _fill(painter, theme, "added")
    painter.drawEllipse(box.adjusted(1, 1, -1, -1))
    _stroke(painter, theme, "panel", 1.6)
    corner = QPointF(box.left() + 6.2, box.top() + 9.4)
    painter.drawPolyline(
        [QPointF(box.left() + 4, box.top() + 7.2), corner, QPointF(box.right() - 3.8, box.top() + 4.8)]
    )


def _part(painter: QPainter, box: QRectF, theme: Theme) -> None:
    _fill(painter, theme, "accent")
    painter.drawEllipse(box.adjusted(3, 3, -3, -3))


def _base(painter: QPainter, box: QRectF, theme: Theme) -> None:
    _stroke(painter, theme, "accent", 1.5)
    painter.setBrush(theme.color("panel"))
    middle = box.center()
    reach = box.width() / 2 - 2
    painter.drawPolygon(
        QPolygonF([middle + QPointF(*step) for step in ((0, -reach), (reach, 0), (0, reach), (-reach, 0))])
    )


def _mark(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """A bookmark: filled, with a notch below."""
    _fill(painter, theme, "mark")
    left, right, top, bottom = box.left() + 3.5, box.right() - 3.5, box.top() + 1.5, box.bottom() - 1.5
    notch = QPointF(box.center().x(), bottom - 3)
    corners = (QPointF(left, top), QPointF(right, top), QPointF(right, bottom), notch, QPointF(left, bottom))
    painter.drawPolygon(QPolygonF(list(corners)))


def _reference(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """A clock."""
    _stroke(painter, theme, "accent", 1.4)
    painter.drawEllipse(box.adjusted(1.5, 1.5, -1.5, -1.5))
    middle = box.center()
    painter.drawLine(middle, middle - QPointF(0, 3.2))
    painter.drawLine(middle, middle + QPointF(2.4, 0))


def _arrow(direction: float) -> Callable[[QPainter, QRectF, Theme], None]:
    def paint(painter: QPainter, box: QRectF, theme: Theme) -> None:
        _stroke(painter, theme, "accent" if direction > 0 else "text2", 1.3)
        middle, reach = box.center(), 4.5
        tip = middle + QPointF(0, reach * direction)
        painter.drawLine(middle - QPointF(0, reach * direction), tip)
        painter.drawLine(tip, tip + QPointF(-3, -3 * direction))
        painter.drawLine(tip, tip + QPointF(3, -3 * direction))

    return paint


def _fill(painter: QPainter, theme: Theme, name: str) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color(name))


def _stroke(painter: QPainter, theme: Theme, name: str, width: float) -> None:
    painter.setPen(QPen(theme.color(name), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _plus(painter: QPainter, box: QRectF) -> None:
    _minus(painter, box)
    x = box.center().x()
    painter.drawLine(QPointF(x, box.top() + 4), QPointF(x, box.bottom() - 4))


def _minus(painter: QPainter, box: QRectF) -> None:
    y = box.center().y()
    painter.drawLine(QPointF(box.left() + 4, y), QPointF(box.right() - 4, y))


def _triangle(painter: QPainter, box: QRectF) -> None:
    painter.drawPolygon(QPolygonF([QPointF(box.center().x(), box.top()), box.bottomRight(), box.bottomLeft()]))


_PAINTERS: dict[str, Callable[[QPainter, QRectF, Theme], None]] = {
    "added": _added,
    "changed": _changed,
    "removed": _removed,
    "same": _same,
    "unknown": _unknown,
    "event": _event,
    "error": _error,
    "warn": _warn,
    "note": _note,
    "ok": _ok,
    "part": _part,
    "base": _base,
    "ack": _ok,
    "up": _arrow(-1.0),
    "down": _arrow(1.0),
    "mark": _mark,
    "reference": _reference,
}
