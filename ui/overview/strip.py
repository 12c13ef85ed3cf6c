"""The overview strip: time axis, byte band and a lane for each client; where a person points, clicks and drags a range.

What stands still is painted elsewhere (desk.py); here the cursor, the pointer and the range are drawn over it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal, SignalInstance, Slot
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QMenu, QSizePolicy, QToolTip, QWidget

from analyzer.stats.lane_order import Sign
from ui import fonts
from ui.charts.scale import seconds as time_labels
from ui.charts.view import TimeView
from ui.document import Document
from ui.models.steps import packet_of
from ui.overview import words as said
from ui.overview.desk import Hit, Shown, Wanted
from ui.overview.layout import WIDE, StripLayout
from ui.overview.source import OverviewSource
from ui.settings import Preferences
from ui.theme import Theme

HOVER_MS = 400
ZOOM_STEP = 1.25
WHEEL_STEP = 120.0
PAN_SHARE = 0.1
HANDLE = 6
"""Pixels around an edge of the range where it can be taken."""
OUTSIDE = 0.65
"""How much of the ground covers what is outside of the range."""
LABEL_ROOM = 90
"""Pixels a label of the axis takes at least."""
_SIGNS = {Sign.FAILED: "lane_fail", Sign.WARN: "warn", Sign.UNKNOWN: "text2", Sign.FINE: "lane_ok", Sign.NONE: "text3"}


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
        self._source = OverviewSource(self._wanted, self)
        self._source.changed.connect(self._on_shown)
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
    def shown(self) -> Shown:
        """What stands there."""
        return self._source.shown

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
        self._source.show_document(document)

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
        self._source.ask_now()

    def set_zoom(self, zoom: float) -> None:
        """Other sizes of type and lanes."""
        self._zoom = zoom
        self._source.ask_now()

    def set_preferences(self, preferences: Preferences) -> None:
        """From which age on a baseline is old."""
        self._old_ms = float(preferences.base_age_limit_ms)
        self._source.ask_now()

    def _wanted(self) -> Wanted | None:
        document = self._document
        if document is None or not len(document.tables.frames) or self.window().isMinimized():
            return None
        self._measure(document)
        stretch = document.selection.range
        return Wanted(
            round(self._view.start * 1e9),
            max(round(self._view.start * 1e9) + 1, round(self._view.stop * 1e9)),
            None if stretch is None else (stretch[0] - self._zero, stretch[1] - self._zero + 1),
            self.width(),
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
        last = (int(times[-1]) - self._zero) / 1e9
        self._view.set_capture(0.0, max(last, self._view.capture[1]))

    @property
    def _zero(self) -> int:
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
        height = max(shown.layout.height, self._least_height()) + self._line_height()
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
        moment = self._moment()
        if moment is not None and not self._view.start <= moment <= self._view.stop:
            self._view.reveal(moment)
        self._source.ask_now()
        self.update()

    @Slot()
    def _on_range(self) -> None:
        self._source.ask_now()
        self.update()

    @Slot(object)
    def _on_hovered(self, time_ns: object) -> None:
        x = None if not isinstance(time_ns, int) else self._x_of((time_ns - self._zero) / 1e9)
        if x != self._hover_x:
            self._hover_x = x
            self.update()

    # Times and pixels

    @property
    def _layout(self) -> StripLayout:
        return replace(self.shown.layout, width=self.width())

    def _x_of(self, time_s: float) -> float:
        layout = self._layout
        return layout.left + (time_s - self._view.start) / self._view.width * (layout.right - layout.left)

    def _time_at(self, x: float) -> float:
        layout = self._layout
        share = (x - layout.left) / (layout.right - layout.left)
        return self._view.start + share * self._view.width

    def _moment(self) -> float | None:
        """Seconds of what is selected."""
        document = self._document
        if document is None or document.selection.place.packet < 0:
            return None
        frame = document.tables.packets.integer("frame", document.selection.place.packet)
        return (document.tables.frames.integer("time_ns", frame) - self._zero) / 1e9

    def range_s(self) -> tuple[float, float] | None:
        """The range in seconds from the first frame."""
        document = self._document
        stretch = None if document is None else document.selection.range
        return None if stretch is None else ((stretch[0] - self._zero) / 1e9, (stretch[1] - self._zero) / 1e9)

    # Painting

    def _line_height(self) -> int:
        """Of the line below the lanes: the numbers of the range."""
        return round(20 * self._zoom) if self.shown.stats is not None else 0

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("panel"))
        shown, layout = self.shown, self._layout
        if shown.wanted is not None and shown.body is not None and shown.band is not None:
            self._paint_still(painter, shown, layout)
            self._paint_names(painter, shown, layout)
        self._paint_axis(painter, layout)
        self._paint_losses(painter, shown, layout)
        self._paint_range(painter, layout)
        self._paint_cursor(painter, layout)
        self._paint_line(painter, shown, layout)
        if self.hasFocus():
            painter.setPen(self._theme.color("focus"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _paint_still(self, painter: QPainter, shown: Shown, layout: StripLayout) -> None:
        """The pictures, moved and stretched to what is in view now until new ones come."""
        assert shown.wanted is not None
        assert shown.body is not None
        assert shown.band is not None
        area = QRectF(layout.left, 0, layout.right - layout.left, self.height())
        painter.fillRect(area.adjusted(0, layout.axis, 0, 0), self._theme.color("lane_bg"))
        painter.save()
        painter.setClipRect(area)
        left, right = self._x_of(shown.wanted.start_ns / 1e9), self._x_of(shown.wanted.stop_ns / 1e9)
        for image, top, height in (
            (shown.band, layout.axis, shown.layout.band),
            (shown.body, layout.top, shown.layout.room),
        ):
            painter.drawImage(QRectF(left, top, right - left, height), image)
        painter.restore()

    def _paint_names(self, painter: QPainter, shown: Shown, layout: StripLayout) -> None:
        theme = self._theme
        small, label = fonts.font(fonts.Use.AXIS, zoom=self._zoom), fonts.font(fonts.Use.HEAD, zoom=self._zoom)
        painter.setFont(label)
        painter.setPen(theme.color("text"))
        pad = round(8 * self._zoom)
        band = QRectF(pad, layout.axis, layout.gutter - 2 * pad, layout.band)
        painter.drawText(band, Qt.AlignmentFlag.AlignTop, self.tr("Snapshot bytes/s"))
        painter.setFont(small)
        painter.setPen(theme.color("text2"))
        painter.drawText(band, Qt.AlignmentFlag.AlignVCenter, said.peak(shown.peak))
        self._paint_legend(painter, band)
        painter.save()
        painter.setClipRect(QRectF(0, layout.top, layout.gutter, layout.room))
        staggered = layout.pitch < round(11 * self._zoom)
        for number, lane in enumerate(shown.lanes):
            top, height = layout.lane_top(number), layout.lane_height(number)
            if top + height <= layout.top or top >= layout.top + layout.room:
                continue
            chosen = number == layout.chosen
            column = number % 2 if staggered and not chosen else 0
            left = pad + column * (layout.gutter - pad) / 2
            wide = (layout.gutter - 2 * pad) / (2 if staggered and not chosen else 1)
            if chosen:
                painter.fillRect(QRectF(0, top, layout.gutter, height), theme.color("select"))
                painter.fillRect(QRectF(0, top, 3, height), theme.color("accent"))
            middle = top + height / 2
            self._paint_sign(painter, lane.sign, QPointF(left + 4, middle))
            painter.setFont(label if chosen else small)
            painter.setPen(theme.color("text"))
            room = QRectF(left + 12, middle - 10 * self._zoom, wide - 14, 20 * self._zoom)
            if chosen:
                room.setRight(layout.gutter - pad)
                painter.setFont(small)
                painter.setPen(theme.color("text2"))
                painter.drawText(
                    room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, self.tr("base age 0\u20131 s")
                )
                room.setRight(room.right() - painter.fontMetrics().horizontalAdvance("base age 0\u20131 s") - 6)
                painter.setFont(label)
                painter.setPen(theme.color("text"))
            name = painter.fontMetrics().elidedText(lane.name, Qt.TextElideMode.ElideRight, int(room.width()))
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, name)
        painter.restore()

    def _paint_legend(self, painter: QPainter, band: QRectF) -> None:
        metrics = painter.fontMetrics()
        if band.height() < 3 * metrics.height():
            return
        x, y = band.left(), band.bottom() - metrics.height() / 2
        for name, text in (("p1", "1"), ("p2", "2"), ("p3", self.tr("3+ parts"))):
            painter.fillRect(QRectF(x, y - 3, 6, 6), self._theme.color(name))
            painter.setPen(self._theme.color("text2"))
            painter.drawText(QPointF(x + 10, y + metrics.ascent() / 2 - 1), text)
            x += 10 + metrics.horizontalAdvance(text) + 10

    def _paint_sign(self, painter: QPainter, sign: Sign, at: QPointF) -> None:
        color = self._theme.color(_SIGNS[sign])
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        if sign is Sign.FAILED:
            painter.drawRect(QRectF(at.x() - 3, at.y() - 3, 6, 6))
        elif sign is Sign.WARN:
            corners = ((-3.5, 3), (3.5, 3), (0, -3.5))
            painter.drawPolygon(QPolygonF([at + QPointF(*corner) for corner in corners]))
        elif sign is Sign.UNKNOWN:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(color)
            painter.drawEllipse(at, 2.5, 2.5)
        elif sign is Sign.FINE:
            painter.drawEllipse(at, 2.0, 2.0)
        painter.restore()

    def _paint_axis(self, painter: QPainter, layout: StripLayout) -> None:
        painter.setFont(fonts.font(fonts.Use.AXIS, zoom=self._zoom))
        most = max(2, int((layout.right - layout.left) / (LABEL_ROOM * self._zoom)))
        metrics = painter.fontMetrics()
        for time_s, text in time_labels(self._view.start, self._view.stop, most):
            x = round(self._x_of(time_s))
            painter.setPen(self._theme.color("line2"))
            painter.drawLine(x, layout.axis - 4, x, layout.axis)
            if x + 4 + metrics.horizontalAdvance(text) <= layout.right + 8:
                painter.setPen(self._theme.color("text2"))
                painter.drawText(QPointF(x + 4, layout.axis - 4), text)

    def _paint_losses(self, painter: QPainter, shown: Shown, layout: StripLayout) -> None:
        if not shown.losses:
            return
        painter.save()
        painter.setClipRect(QRectF(layout.left, layout.axis, layout.right - layout.left, layout.band + layout.room))
        for loss in shown.losses:
            left, right = self._x_of(loss.begin_ns / 1e9), self._x_of(loss.end_ns / 1e9)
            area = QRectF(left, layout.axis, max(2.0, right - left), layout.top + layout.room - layout.axis)
            painter.setPen(self._theme.color("lane_late"))
            painter.setBrush(self._theme.color("lane_late"))
            painter.fillRect(area, Qt.BrushStyle.BDiagPattern)
        painter.restore()

    def _paint_range(self, painter: QPainter, layout: StripLayout) -> None:
        stretch = self.range_s()
        if stretch is None:
            return
        left, right = (min(max(self._x_of(at), layout.left), layout.right) for at in stretch)
        ground = QColor(self._theme.color("panel"))
        ground.setAlphaF(OUTSIDE)
        height = layout.top + layout.room - layout.axis
        painter.fillRect(QRectF(layout.left, layout.axis, left - layout.left, height), ground)
        painter.fillRect(QRectF(right, layout.axis, layout.right - right, height), ground)
        accent = self._theme.color("accent")
        for x in (left, right):
            painter.fillRect(QRectF(round(x) - 1, layout.axis, 2, height), accent)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(accent)
            painter.setBrush(self._theme.color("panel"))
            painter.drawRoundedRect(QRectF(x - 3.5, layout.axis + 6, 7, 16), 2, 2)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._paint_tag(painter, right + 4, said.stretch(stretch), accent, self._theme.color("on_accent"), layout)

    def _paint_tag(
        self, painter: QPainter, x: float, text: str, ground: QColor, ink: QColor, layout: StripLayout
    ) -> None:
        """A label on the axis."""
        painter.setFont(fonts.font(fonts.Use.HEAD, zoom=self._zoom))
        wide = painter.fontMetrics().horizontalAdvance(text) + 12
        left = max(layout.left, min(x, self.width() - wide - 4))
        area = QRectF(left, 0, wide, layout.axis)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(area, 4, 4)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(ink)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_cursor(self, painter: QPainter, layout: StripLayout) -> None:
        theme, bottom = self._theme, layout.top + layout.room
        document = self._document
        if document is not None and document.is_live:
            x = self._x_of(self._view.capture[1])
            if layout.left <= x <= layout.right:
                painter.fillRect(QRectF(round(x) - 1, layout.axis, 1, bottom - layout.axis), theme.color("error"))
                self._paint_tag(painter, x - 18, self.tr("now"), theme.color("error"), theme.color("panel"), layout)
        moment = self._moment()
        if moment is not None and self._view.start <= moment <= self._view.stop:
            x = round(self._x_of(moment))
            painter.fillRect(QRectF(x - 1, layout.axis, 2, bottom - layout.axis), theme.color("mark"))
            snapshot = -1 if document is None else document.selection.place.snapshot
            if document is not None and snapshot >= 0:
                text = self.tr("tick {0}").format(document.tables.snapshots.integer("tick", snapshot))
                self._paint_tag(painter, x - 26, text, theme.color("mark"), theme.color("panel"), layout)
        if self._hover_x is not None and layout.left <= self._hover_x <= layout.right:
            painter.fillRect(QRectF(round(self._hover_x), layout.axis, 1, bottom - layout.axis), theme.color("text3"))

    def _paint_line(self, painter: QPainter, shown: Shown, layout: StripLayout) -> None:
        if shown.stats is None:
            return
        painter.setFont(fonts.font(fonts.Use.HEAD, zoom=self._zoom))
        painter.setPen(self._theme.color("text2"))
        area = QRectF(8, layout.height, self.width() - 16, self._line_height())
        text = painter.fontMetrics().elidedText(said.stats(shown.stats), Qt.TextElideMode.ElideRight, int(area.width()))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, text)

    def sizeHint(self) -> QSize:
        return QSize(400, self.shown.layout.height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._source.ask_now()

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
        inside = at.x() >= self._layout.left
        self.setCursor(Qt.CursorShape.SizeHorCursor if self._edge_at(at) is not None else Qt.CursorShape.ArrowCursor)
        if self._document is not None:
            self._document.selection.hover(self._zero + round(self._time_at(at.x()) * 1e9) if inside else None)
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
        if event.position().x() >= self._layout.left:
            self.show_all()

    def leaveEvent(self, event: QEvent) -> None:
        self._box.stop()
        self._order = ()
        if self._document is not None:
            self._document.selection.hover(None)
        self._source.outdate()
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta()
        steps = (turned.y() or turned.x()) / WHEEL_STEP
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not turned.y():
            self._pan(-steps * PAN_SHARE * self._view.width)
        elif event.position().x() < self._layout.left:
            self._scroll_by(-round(steps * 3 * self._layout.pitch))
        else:
            self._zoom_at(self._time_at(event.position().x()), ZOOM_STEP**-steps)
        event.accept()

    def _click(self, at: QPointF) -> None:
        layout, shown = self._layout, self.shown
        lane = layout.lane_at(at.y())
        if lane < 0:
            lane = layout.chosen if layout.chosen >= 0 else 0
        if not 0 <= lane < len(shown.lanes):
            return
        if at.x() < layout.left:
            self._choose_lane(lane)
        else:
            self._source.point(shown.lanes[lane].flow, lane, at.x() - layout.left, self._select)

    def _select(self, hit: Hit) -> None:
        if hit.snapshot >= 0 and self._document is not None:
            tables = self._document.tables
            self._document.selection.select(packet_of(tables, hit.snapshot), hit.snapshot)

    def _choose_lane(self, lane: int) -> None:
        """Its snapshot nearest to the cursor, or to the middle of what is in view."""
        shown = self.shown
        if not 0 <= lane < len(shown.lanes):
            return
        moment = self._moment()
        at = moment if moment is not None else (self._view.start + self._view.stop) / 2
        self._source.nearest(shown.lanes[lane].flow, lane, round(at * 1e9), self._select)
        self._scroll_to(lane)

    @Slot()
    def _ask_box(self) -> None:
        layout, shown, at = self._layout, self.shown, self._pointed
        lane = layout.lane_at(at.y())
        if 0 <= lane < len(shown.lanes) and at.x() >= layout.left:
            self._source.point(shown.lanes[lane].flow, lane, at.x() - layout.left, self._show_box)
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
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._key_of(event):
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
        self._document.selection.limit_time((self._zero + round(start * 1e9), self._zero + round(stop * 1e9)))

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
        moment = self._moment()
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
        self._source.ask_now()
        self.update()

    def _scroll_by(self, pixels: int) -> None:
        self._scroll = max(0, min(self._scroll + pixels, self._layout.most_scroll))
        self._look()

    def _scroll_to(self, lane: int) -> None:
        wanted = replace(self._layout, scroll=self._scroll).scroll_to(lane)
        if wanted != self._scroll:
            self._scroll = wanted
            self._look()

    def copy_stats(self) -> None:
        """The numbers of the range into the clipboard."""
        if self.shown.stats is not None:
            QGuiApplication.clipboard().setText(said.stats(self.shown.stats))
            self.told.emit(self.tr("Copied the numbers of the range"))

    # Keys and the menu

    def _key_of(self, event: QKeyEvent) -> bool:
        return self._action(event) is not None

    def _action(self, event: QKeyEvent) -> object:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        others = event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        key, control = Qt.Key(event.key()), others == Qt.KeyboardModifier.ControlModifier
        if control and key is Qt.Key.Key_C and self.shown.stats is not None:
            return self.copy_stats
        if others:
            return None
        second = 1.0 if shift else 0.0
        by_key = {
            Qt.Key.Key_Left: lambda: self._step(-1, second),
            Qt.Key.Key_Right: lambda: self._step(1, second),
            Qt.Key.Key_Up: lambda: self._choose_lane(max(0, self._layout.chosen - 1)),
            Qt.Key.Key_Down: lambda: self._choose_lane(self._layout.chosen + 1),
            Qt.Key.Key_Escape: self.clear_range if self.range_s() is not None else None,
            Qt.Key.Key_F: self.fit_range if self.range_s() is not None else None,
            Qt.Key.Key_R: self.range_from_selection if self._moment() is not None else None,
            Qt.Key.Key_Plus: lambda: self.zoom_step(1),
            Qt.Key.Key_Equal: lambda: self.zoom_step(1),
            Qt.Key.Key_Minus: lambda: self.zoom_step(-1),
            Qt.Key.Key_0: self.show_all,
        }
        return by_key.get(key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = self._action(event)
        if callable(action):
            action()
        else:
            super().keyPressEvent(event)

    def _step(self, direction: int, seconds: float) -> None:
        """To the snapshot beside the selected one, or about so many seconds away."""
        shown, lane = self.shown, max(0, self._layout.chosen)
        if not shown.lanes or self._document is None:
            return
        moment = self._moment()
        at = moment if moment is not None else self._view.start
        flow = shown.lanes[lane].flow
        if seconds:
            self._source.nearest(flow, lane, round((at + direction * seconds) * 1e9), self._select)
        else:
            self._source.beside(flow, lane, self._document.selection.place.snapshot, direction, self._select)

    def range_from_selection(self) -> None:
        """From the baseline of the selected snapshot to itself, half a second to each side where there is none."""
        document, moment = self._document, self._moment()
        if document is None or moment is None:
            return
        tables, snapshot = document.tables, document.selection.place.snapshot
        base = tables.snapshots.integer("base", snapshot) if snapshot >= 0 else -1
        if base >= 0:
            frame = tables.packets.integer("frame", packet_of(tables, base))
            start = (tables.frames.integer("time_ns", frame) - self._zero) / 1e9
            self.select_range(start, moment)
        else:
            self.select_range(moment - 0.5, moment + 0.5)

    def menu(self) -> QMenu:
        """What can be done here; it deletes itself when it closes."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        ranged = self.range_s() is not None
        for text, key, does, enabled in (
            (self.tr("Range from baseline to snapshot"), "R", self.range_from_selection, self._moment() is not None),
            (self.tr("Clear range"), "Esc", self.clear_range, ranged),
            (self.tr("Zoom to range"), "F", self.fit_range, ranged),
            (self.tr("Copy numbers of the range"), "Ctrl+C", self.copy_stats, self.shown.stats is not None),
            (self.tr("Show all"), "0", self.show_all, not self._view.shows_all),
        ):
            action = menu.addAction(f"{text}\t{key}")
            action.setEnabled(enabled)
            action.triggered.connect(lambda _=False, run=does: run())
        return menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu().popup(event.globalPos())
