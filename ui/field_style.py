"""The look of what is typed into, ticked or filled: line edits, spin boxes, check boxes, radio buttons, progress bars.

What has the focus has a ring. Colours come from the palette, as in `style`: Base is `panel`, Mid `line2`, Midlight
`line`, Accent `accent`.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QStyle, QStyleOption, QStyleOptionProgressBar, QStyleOptionSpinBox

from ui.theme import RADIUS

State, Part, Role = QStyle.StateFlag, QStyle.SubControl, QPalette.ColorRole

FOCUS_WIDTH = 2.0
CHECK_RADIUS = 3
ARROW = 3.0
"""Half the width of the arrows of a spin box."""
_TICK = ((0.24, 0.52), (0.43, 0.71), (0.77, 0.32))
"""The corners of a tick, as shares of its box."""


def edge_pen(option: QStyleOption) -> QPen:
    """The outline of a control: grey, blue below the pointer, and twice as wide with the focus."""
    state = option.state
    enabled = bool(state & State.State_Enabled)
    focused = enabled and bool(state & State.State_HasFocus)
    role = Role.Accent if focused or (enabled and state & State.State_MouseOver) else Role.Mid
    return QPen(option.palette.color(role), FOCUS_WIDTH if focused else 1.0)


def paint_field(option: QStyleOption, painter: QPainter) -> None:
    """The ground of a text field."""
    _paint_box(option, painter, QRectF(option.rect), RADIUS, Role.Base)


def paint_check_box(option: QStyleOption, painter: QPainter) -> None:
    """Filled with a tick while it is on, with a bar while only a part of what it stands for is."""
    box = _square(option.rect)
    side = box.width()
    enabled = option.state & State.State_Enabled
    filled = option.state & (State.State_On | State.State_NoChange)
    _paint_box(option, painter, box, CHECK_RADIUS, (Role.Accent if enabled else Role.Mid) if filled else Role.Base)
    if not filled:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(option.palette.color(Role.Base), side / 7)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    points = _TICK if option.state & State.State_On else ((0.25, 0.5), (0.75, 0.5))
    painter.drawPolyline(QPolygonF([QPointF(box.x() + x * side, box.y() + y * side) for x, y in points]))
    painter.restore()


def paint_radio_button(option: QStyleOption, painter: QPainter) -> None:
    """Filled with a dot in it while it is the chosen one."""
    box = _square(option.rect)
    enabled, on = option.state & State.State_Enabled, option.state & State.State_On
    ground = (Role.Accent if enabled else Role.Mid) if on else Role.Base
    _paint_box(option, painter, box, box.width() / 2, ground)
    if not on:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(option.palette.color(Role.Base))
    dot = box.width() / 5
    painter.drawEllipse(box.center(), dot, dot)
    painter.restore()


def paint_progress(option: QStyleOptionProgressBar, painter: QPainter) -> None:
    """A groove that is filled from the left."""
    rect = QRectF(option.rect)
    span = max(1, option.maximum - option.minimum)
    done = rect.width() * max(0, option.progress - option.minimum) / span
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    radius = min(RADIUS, rect.height() / 2)
    for width, role in ((rect.width(), Role.Midlight), (done, Role.Accent)):
        if width >= 1.0:
            painter.setBrush(option.palette.color(role))
            painter.drawRoundedRect(QRectF(rect.x(), rect.y(), width, rect.height()), radius, radius)
    painter.restore()


def paint_spin_box(option: QStyleOptionSpinBox, painter: QPainter, up: QRect, down: QRect) -> None:
    """A text field with two arrows behind a line; `up` and `down`: where they are pressed."""
    paint_field(option, painter)
    palette = option.palette
    painter.fillRect(QRect(up.left() - 1, option.rect.top() + 4, 1, option.rect.height() - 8), palette.color(Role.Mid))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    for part, rect, turn in ((Part.SC_SpinBoxUp, up, -1), (Part.SC_SpinBoxDown, down, 1)):
        over = option.activeSubControls & part and option.state & State.State_MouseOver
        role = Role.Accent if over else Role.Text
        painter.setBrush(palette.color(role))
        middle = QRectF(rect).center()
        corners = ((-ARROW, -1.5), (ARROW, -1.5), (0.0, 2.0))
        painter.drawPolygon(QPolygonF([QPointF(middle.x() + x, middle.y() + turn * y) for x, y in corners]))
    painter.restore()


def paint_focus_ring(option: QStyleOption, painter: QPainter) -> None:
    """Around what has the focus and no outline of its own."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(option.palette.color(Role.Accent), 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
    painter.restore()


def _square(rect: QRect) -> QRectF:
    """The largest in the middle, on whole pixels, so that the outline is sharp."""
    side = min(rect.width(), rect.height())
    return QRectF(rect.x() + (rect.width() - side) // 2, rect.y() + (rect.height() - side) // 2, side, side)


def _paint_box(option: QStyleOption, painter: QPainter, box: QRectF, radius: float, ground: QPalette.ColorRole) -> None:
    pen = edge_pen(option)
    half = pen.widthF() / 2
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen)
    painter.setBrush(option.palette.color(ground))
    painter.drawRoundedRect(box.adjusted(half, half, -half, -half), radius, radius)
    painter.restore()
