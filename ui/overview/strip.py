"""The overview strip: time axis, byte band and a lane for each client; where a person points, clicks and drags a range.

Painting is in painting.py, keys and the menu are in commands.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QPointF, QSize, Qt, QTimer, Signal, SignalInstance, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QToolTip, QWidget

from ui.charts.view import TimeView
from ui.document import Document
from ui.models.steps import packet_of
from ui.overview import words as said
from ui.overview.commands import StripCommands
from ui.overview.desk import Hit, Shown, Wanted
from ui.overview.layout import SHARE, WIDE, StripLayout
from ui.overview.painting import StripScene
from ui.overview.source import OverviewSource
from ui.settings import Preferences
from ui.theme import Theme

HOVER_MS = 400
ZOOM_STEP = 1.25
WHEEL_STEP = 120.0
PAN_SHARE = 0.1
HANDLE = 6
"""Pixels around an edge of the range where it can be taken."""


class OverviewStrip(QWidget):
    """Reads the document's tables and selection; writes only to the selection."""

    told = Signal(str)
    """What was done, in words."""
    grown = Signal(int)
    """It wants another height."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._zoom = 1.0
        self._old_ms = 500.0
        self._document: Document | None = None
        self._view = TimeView()
        self._scroll = 0
        self._followed = -1
        """The session whose lane was brought into view."""
        self._order: tuple[int, ...] = ()
        """Of the flows while the pointer is here: nothing moves away from under it."""
        self._hover_x: float | None = None
        self._pointed = QPointF()
        self._pressed: QPointF | None = None
        self._edge: int | None = None
        """The edge of the range that is dragged, 0 or 1; None: a new one is."""
        self._dragging = False
        self._panned: float | None = None
        self.source = OverviewSource(self._wanted, self)
        self.source.changed.connect(self._on_shown)
        self.commands = StripCommands(self)
        self._box = QTimer(self)
        self._box.setSingleShot(True)
        self._box.setInterval(HOVER_MS)
        self._box.timeout.connect(self._ask_box)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Overview of all clients"))

    # What is shown

    @property
    def document(self) -> Document | None:
        """The capture that is shown."""
        return self._document

    @property
    def shown(self) -> Shown:
        """What stands there."""
        return self.source.shown

    @property
    def view(self) -> TimeView:
        """The stretch of time in view."""
        return self._view

    def show_document(self, document: Document | None) -> None:
        """Follow another document, or none."""
        if self._document is not None:
            for signal, slot in self._wires(self._document):
                signal.disconnect(slot)
        self._document = document
        self._view, self._scroll, self._followed, self._order = TimeView(), 0, -1, ()
        self._hover_x = self._pressed = self._panned = None
        if document is not None:
            for signal, slot in self._wires(document):
                signal.connect(slot)
        self.source.show_document(document)

    def _wires(self, document: Document) -> tuple[tuple[SignalInstance, Callable[..., None]], ...]:
        selection = document.selection
        return (
            (selection.packet_changed, self._on_selected),
            (selection.snapshot_changed, self._on_selected),
            (selection.session_changed, self._on_selected),
            (selection.range_changed, self._on_range),
            (selection.hovered, self._on_hovered),
        )

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme."""
        self._theme = theme
        self.source.ask_now()

    def set_zoom(self, zoom: float) -> None:
        """Other sizes of type and lanes."""
        self._zoom = zoom
        self.source.ask_now()

    def set_preferences(self, preferences: Preferences) -> None:
        """From which age on a baseline is old."""
        self._old_ms = float(preferences.base_age_limit_ms)
        self.source.ask_now()

    def _wanted(self) -> Wanted | None:
        document = self._document
        if document is None or not len(document.tables.frames) or self.window().isMinimized():
            return None
        self._measure(document)
        stretch = document.selection.range
        return Wanted(
            round(self._view.start * 1e9),
            max(round(self._view.start * 1e9) + 1, round(self._view.stop * 1e9)),
            None if stretch is None else (stretch[0] - self.zero_ns, stretch[1] - self.zero_ns + 1),
            self.width(),
            round(self.window().height() * SHARE),
            self.window().width() < WIDE,
            self._zoom,
            self.devicePixelRatioF(),
            self._scroll,
            self._session(document),
            self._old_ms,
            self._theme,
            self._order,
        )

    def _measure(self, document: Document) -> None:
        """How far the capture reaches now."""
        times = document.tables.frames.array("time_ns", max(0, len(document.tables.frames) - 1))
        last = (int(times[-1]) - self.zero_ns) / 1e9
        self._view.set_capture(0.0, max(last, self._view.capture[1]))

    @property
    def zero_ns(self) -> int:
        """Time of the first frame."""
        assert self._document is not None
        return self._document.tables.frames.integer("time_ns", 0)

    @staticmethod
    def _session(document: Document) -> int:
        selection, tables = document.selection, document.tables
        if selection.session >= 0:
            return selection.session
        if selection.place.snapshot >= 0:
            return tables.snapshots.integer("session", selection.place.snapshot)
        return tables.packets.integer("session", selection.place.packet) if selection.place.packet >= 0 else -1

    @Slot()
    def _on_shown(self) -> None:
        shown = self.shown
        self._scroll = min(self._scroll, shown.layout.most_scroll)
        height = max(shown.layout.height, self._least_height()) + self._scene().line_height
        height = height if self._document is not None else 0
        if height != self.height():
            self.setFixedHeight(height)
            self.grown.emit(height)
        if shown.wanted is not None and shown.wanted.session != self._followed and shown.layout.chosen >= 0:
            # Another client was selected, maybe one out of view.
            self._followed = shown.wanted.session
            self._scroll_to(shown.layout.chosen)
        self.setAccessibleDescription(shown.chosen_text or said.lanes(len(shown.lanes)))
        self.update()

    def _least_height(self) -> int:
        """Before there is a client."""
        return StripLayout(1, 1, 0, scale=self._zoom).height

    @Slot()
    def _on_selected(self) -> None:
        document = self._document
        if document is None:
            return
        moment = self.moment_s
        if moment is not None and not self._view.start <= moment <= self._view.stop:
            self._view.reveal(moment)
        self.source.ask_now()
        self.update()

    @Slot()
    def _on_range(self) -> None:
        self.source.ask_now()
        self.update()

    @Slot(object)
    def _on_hovered(self, time_ns: object) -> None:
        x = None if not isinstance(time_ns, int) else self._x_of((time_ns - self.zero_ns) / 1e9)
        if x != self._hover_x:
            self._hover_x = x
            self.update()

    # Times and pixels

    @property
    def strip_layout(self) -> StripLayout:
        """Where things stand, at the width of now."""
        return replace(self.shown.layout, width=self.width())

    def _x_of(self, time_s: float) -> float:
        layout = self.strip_layout
        return layout.left + (time_s - self._view.start) / self._view.width * (layout.right - layout.left)

    def _time_at(self, x: float) -> float:
        layout = self.strip_layout
        share = (x - layout.left) / (layout.right - layout.left)
        return self._view.start + share * self._view.width

    @property
    def moment_s(self) -> float | None:
        """Seconds of what is selected."""
        document = self._document
        if document is None or document.selection.place.packet < 0:
            return None
        frame = document.tables.packets.integer("frame", document.selection.place.packet)
        return (document.tables.frames.integer("time_ns", frame) - self.zero_ns) / 1e9

    def range_s(self) -> tuple[float, float] | None:
        """The range in seconds from the first frame."""
        document = self._document
        stretch = None if document is None else document.selection.range
        return None if stretch is None else ((stretch[0] - self.zero_ns) / 1e9, (stretch[1] - self.zero_ns) / 1e9)

    # Painting

    def _scene(self) -> StripScene:
        document = self._document
        snapshot = -1 if document is None else document.selection.place.snapshot
        return StripScene(
            self.shown,
            self.strip_layout,
            self.size(),
            self._theme,
            self._zoom,
            self._view.start,
            self._view.stop,
            self.range_s(),
            self.moment_s,
            document.tables.snapshots.integer("tick", snapshot) if document is not None and snapshot >= 0 else None,
            self._hover_x,
            self._view.capture[1] if document is not None and document.is_live else None,
            self.hasFocus(),
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._scene().paint(painter)
        painter.end()

    def sizeHint(self) -> QSize:
        return QSize(400, self.shown.layout.height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.source.ask_now()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.window().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A lower window leaves less for the strip."""
        if event.type() == QEvent.Type.Resize and watched is self.window():
            self.source.ask_now()
        return False

    # The pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() is Qt.MouseButton.MiddleButton:
            self._panned = event.position().x()
        elif event.button() is Qt.MouseButton.LeftButton:
            self._pressed, self._dragging = event.position(), False
            self._edge = self._edge_at(event.position())

    def _edge_at(self, at: QPointF) -> int | None:
        stretch = self.range_s()
        if stretch is None:
            return None
        distances = [abs(self._x_of(edge) - at.x()) for edge in stretch]
        nearest = distances.index(min(distances))
        return nearest if distances[nearest] <= HANDLE else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._panned is not None:
            self._pan(self._time_at(self._panned) - self._time_at(at.x()))
            self._panned = at.x()
            return
        if self._pressed is not None:
            self._dragging = self._dragging or abs(at.x() - self._pressed.x()) >= QApplication.startDragDistance()
            if self._dragging:
                self._drag(at.x())
            return
        self._pointed = at
        inside = at.x() >= self.strip_layout.left
        self.setCursor(Qt.CursorShape.SizeHorCursor if self._edge_at(at) is not None else Qt.CursorShape.ArrowCursor)
        if self._document is not None:
            self._document.selection.hover(self.zero_ns + round(self._time_at(at.x()) * 1e9) if inside else None)
        if not self._order:
            self._order = tuple(lane.flow for lane in self.shown.lanes)
        QToolTip.hideText()
        self._box.start()

    def _drag(self, x: float) -> None:
        assert self._pressed is not None
        stretch, to = self.range_s(), self._time_at(x)
        if self._edge is not None and stretch is not None:
            fixed = stretch[1 - self._edge]
            self._edge = 0 if to < fixed else 1
            self.select_range(fixed, to)
        else:
            self.select_range(self._time_at(self._pressed.x()), to)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.MiddleButton:
            self._panned = None
        elif event.button() is Qt.MouseButton.LeftButton and self._pressed is not None:
            if not self._dragging:
                self._click(event.position())
            self._pressed, self._edge, self._dragging = None, None, False

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.position().x() >= self.strip_layout.left:
            self.show_all()

    def leaveEvent(self, event: QEvent) -> None:
        self._box.stop()
        self._order = ()
        if self._document is not None:
            self._document.selection.hover(None)
        self.source.outdate()
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta()
        steps = (turned.y() or turned.x()) / WHEEL_STEP
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not turned.y():
            self._pan(-steps * PAN_SHARE * self._view.width)
        elif event.position().x() < self.strip_layout.left:
            self._scroll_by(-round(steps * 3 * self.strip_layout.pitch))
        else:
            self._zoom_at(self._time_at(event.position().x()), ZOOM_STEP**-steps)
        event.accept()

    def _click(self, at: QPointF) -> None:
        layout, shown = self.strip_layout, self.shown
        lane = layout.lane_at(at.y())
        if lane < 0:
            lane = layout.chosen if layout.chosen >= 0 else 0
        if not 0 <= lane < len(shown.lanes):
            return
        if at.x() < layout.left:
            self.choose_lane(lane)
        else:
            self.source.point(shown.lanes[lane].flow, lane, at.x() - layout.left, self.select)

    def select(self, hit: Hit) -> None:
        """Select a snapshot that was found, if one was."""
        if hit.snapshot >= 0 and self._document is not None:
            tables = self._document.tables
            self._document.selection.select(packet_of(tables, hit.snapshot), hit.snapshot)

    def choose_lane(self, lane: int) -> None:
        """Its snapshot nearest to the cursor, or to the middle of what is in view."""
        shown = self.shown
        if not 0 <= lane < len(shown.lanes):
            return
        moment = self.moment_s
        at = moment if moment is not None else (self._view.start + self._view.stop) / 2
        self.source.nearest(shown.lanes[lane].flow, lane, round(at * 1e9), self.select)
        self._scroll_to(lane)

    @Slot()
    def _ask_box(self) -> None:
        layout, shown, at = self.strip_layout, self.shown, self._pointed
        lane = layout.lane_at(at.y())
        if 0 <= lane < len(shown.lanes) and at.x() >= layout.left:
            self.source.point(shown.lanes[lane].flow, lane, at.x() - layout.left, self._show_box)
        elif at.x() < layout.left and 0 <= lane < len(shown.lanes):
            QToolTip.showText(self.mapToGlobal(at.toPoint()), said.lane(shown.lanes[lane]), self)

    def _show_box(self, hit: Hit) -> None:
        document = self._document
        if document is None or hit.snapshot < 0 or not self.underMouse():
            return
        name = self.shown.lanes[hit.lane].name if hit.lane < len(self.shown.lanes) else ""
        text = said.box(document.tables, hit.snapshot, name)
        QToolTip.showText(self.mapToGlobal(self._pointed.toPoint()), text, self)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            # The box has a time of its own.
            return True
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self.commands.action(event) is not None
        ):
            event.accept()
            return True
        return super().event(event)

    # What can be done

    def select_range(self, one_s: float, other_s: float) -> None:
        """Limit all panes to a stretch of time."""
        if self._document is None:
            return
        first, last = self._view.capture
        start, stop = (min(max(at, first), last) for at in sorted((one_s, other_s)))
        self._document.selection.limit_time((self.zero_ns + round(start * 1e9), self.zero_ns + round(stop * 1e9)))

    def clear_range(self) -> None:
        """Show the whole time again."""
        if self._document is not None:
            self._document.selection.limit_time(None)

    def fit_range(self) -> None:
        """Only the range, or all of the capture."""
        stretch = self.range_s()
        if stretch is not None:
            self._view.show(*stretch)
            self._look()

    def show_all(self) -> None:
        """The whole time of the capture."""
        self._view.show_all()
        self._look()

    def zoom_step(self, direction: int) -> None:
        """Closer (1) or farther (-1), around the selected moment if it is in view."""
        moment = self.moment_s
        inside = moment is not None and self._view.start <= moment <= self._view.stop
        at = moment if moment is not None and inside else (self._view.start + self._view.stop) / 2
        self._zoom_at(at, ZOOM_STEP ** (-2 * direction))

    def _zoom_at(self, at: float, factor: float) -> None:
        self._view.zoom(at, factor)
        self._look()

    def _pan(self, by: float) -> None:
        self._view.pan(by)
        self._look()

    def _look(self) -> None:
        self.source.ask_now()
        self.update()

    def _scroll_by(self, pixels: int) -> None:
        self._scroll = max(0, min(self._scroll + pixels, self.strip_layout.most_scroll))
        self._look()

    def _scroll_to(self, lane: int) -> None:
        wanted = replace(self.strip_layout, scroll=self._scroll).scroll_to(lane)
        if wanted != self._scroll:
            self._scroll = wanted
            self._look()

    # Keys and the menu

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = self.commands.action(event)
        if action is None:
            super().keyPressEvent(event)
        else:
            action()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.commands.menu().popup(event.globalPos())
