"""What a person does with the mouse in a chart, told apart: hover, click, drag, pan, wheel, double click."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

WHEEL_STEP = 120.0


class Pointer(QObject):
    """Watches one widget. Positions are its pixels."""

    hovered = Signal(float)
    left = Signal()
    clicked = Signal(QPointF)
    dragged = Signal(float, float)
    """From where to where, so far."""
    drag_ended = Signal(float, float)
    panned = Signal(float)
    """Pixels to the right since the last time."""
    wheeled = Signal(float, float)
    """Where, and how many steps away from the person."""
    wheel_panned = Signal(float)
    """Steps."""
    double_clicked = Signal()
    menu_asked = Signal(QPoint, QPointF)
    """On the screen, and in the widget."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__(watched)
        self._pressed: QPointF | None = None
        self._dragging = False
        self._panning: float | None = None
        self.at: float | None = None
        """Where it hovers; None: elsewhere."""
        watched.setMouseTracking(True)
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Takes every mouse event of the widget, so that nothing else reacts to it."""
        kind = event.type()
        if isinstance(event, QWheelEvent):
            self._wheel(event)
            return True
        if isinstance(event, QMouseEvent):
            match kind:
                case QEvent.Type.MouseButtonPress:
                    self._press(event)
                case QEvent.Type.MouseMove:
                    self._move(event)
                case QEvent.Type.MouseButtonRelease:
                    self._release(event)
                case QEvent.Type.MouseButtonDblClick:
                    self._pressed = None
                    if event.button() == Qt.MouseButton.LeftButton:
                        self.double_clicked.emit()
            return True
        if isinstance(event, QContextMenuEvent):
            self.menu_asked.emit(event.globalPos(), QPointF(event.pos()))
            return True
        if kind == QEvent.Type.Leave:
            self.at = None
            self.left.emit()
        return False

    def _press(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._dragging = event.position(), False
        elif event.button() == Qt.MouseButton.MiddleButton:
            self._panning = event.position().x()

    def _move(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._panning is not None:
            self.panned.emit(x - self._panning)
            self._panning = x
            return
        if self._pressed is not None:
            self._dragging = self._dragging or abs(x - self._pressed.x()) >= QApplication.startDragDistance()
            if self._dragging:
                self.dragged.emit(self._pressed.x(), x)
        self.at = x
        self.hovered.emit(x)

    def _release(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.MiddleButton:
            self._panning = None
        elif event.button() == Qt.MouseButton.LeftButton and self._pressed is not None:
            if self._dragging:
                self.drag_ended.emit(self._pressed.x(), event.position().x())
            else:
                self.clicked.emit(event.position())
            self._pressed, self._dragging = None, False

    def _wheel(self, event: QWheelEvent) -> None:
        turned = event.angleDelta()
        steps = (turned.y() or turned.x()) / WHEEL_STEP
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not turned.y():
            self.wheel_panned.emit(steps)
        else:
            self.wheeled.emit(event.position().x(), steps)
        event.accept()
