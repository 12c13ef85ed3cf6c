"""The Charts pane: a stack of charts over one time axis, for one client or for all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QElapsedTimer, QPointF, Qt, QTimer, Slot
from PySide6.QtGui import QKeyEvent, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from analyzer.stats.series import Metric
from ui.charts import copying
from ui.charts.chart import Chart, Scene
from ui.charts.data import ALL_SESSIONS, ChartData
from ui.charts.drawing import Window, faults
from ui.charts.specs import AGE, ALL, SIZE
from ui.charts.tools import ToolRow
from ui.charts.view import TimeView
from ui.document import Document
from ui.theme import Theme
from ui.views.pane_state import PaneState
from ui.words import UNKNOWN, decimal

ZOOM_STEP = 1.25
PAN_SHARE = 0.1
REDRAW_MS = 40
"""What arrives within this time is drawn at once."""
REST = 8
"""While rows arrive, drawing rests this many times as long as it took: the decoder needs the processor."""


class ChartStack(QWidget):
    """Reads the document's tables and selection; writes only to the selection."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._document: Document | None = None
        self._data: ChartData | None = None
        self._view = TimeView()
        self._session = ALL_SESSIONS
        """The one client; what `All clients` leaves out of account."""
        self._wants_all = False
        self._shown = {spec.key for spec in ALL if spec.shown}
        self.charts = [Chart(theme, spec) for spec in ALL]
        self.tools = ToolRow(theme)
        self._redraw = QTimer(self)
        self._redraw.setSingleShot(True)
        self._took_ms = 0
        self._drawing: Iterator[None] | None = None
        """What is left of a drawing that others may come between."""
        self._redraw.timeout.connect(self._draw_on)
        self._stale = True
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Charts"))
        self._lay_out()
        self._connect_tools()
        for chart in self.charts:
            self._connect_chart(chart)
        self.set_theme(theme)
        self.show_document(None)

    def _lay_out(self) -> None:
        self.pages = QWidget()
        column = QVBoxLayout(self.pages)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        for chart in self.charts:
            column.addWidget(chart, chart.spec.stretch)
            chart.setVisible(chart.spec.key in self._shown)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self.pages)
        self.state = PaneState()
        self._either = QStackedWidget()
        self._either.addWidget(self._scroll)
        self._either.addWidget(self.state)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.tools)
        layout.addWidget(self._either, 1)

    def _connect_tools(self) -> None:
        tools = self.tools
        tools.all_chosen.connect(self.show_all_clients)
        tools.zoom_asked.connect(self._zoom_asked)
        tools.chart_toggled.connect(self.show_chart)
        tools.unit_chosen.connect(self.set_unit)
        tools.picture_asked.connect(self.copy_picture)
        tools.csv_asked.connect(self.copy_csv)

    def _connect_chart(self, chart: Chart) -> None:
        pointer, canvas = chart.pointer, chart.canvas
        pointer.hovered.connect(lambda x: self._hover(canvas.time_at(x)))
        pointer.left.connect(self._leave)
        pointer.clicked.connect(lambda place: self._click(chart, place))
        pointer.dragged.connect(lambda a, b: self._region(canvas.time_at(a), canvas.time_at(b)))
        pointer.drag_ended.connect(lambda a, b: self._zoom_to(canvas.time_at(a), canvas.time_at(b)))
        pointer.panned.connect(lambda by: self._pan(canvas.time_at(0.0) - canvas.time_at(by)))
        pointer.wheeled.connect(lambda x, steps: self._zoom(canvas.time_at(x), ZOOM_STEP**-steps))
        pointer.wheel_panned.connect(lambda steps: self._pan(-steps * PAN_SHARE * (self._view.stop - self._view.start)))
        pointer.double_clicked.connect(self.show_all)

    def show_document(self, document: Document | None) -> None:
        """Show another capture, or none."""
        self._let_go()
        self._document = document
        self._data = None if document is None else ChartData(document.tables)
        self._view = TimeView()
        self._session = ALL_SESSIONS
        for chart in self.charts:
            chart.clear()
        if document is None:
            self.state.show_state(self.tr("No capture"), self.tr("Open a capture file to see its charts"))
        else:
            for signal, slot in self._wires(document):
                signal.connect(slot)
        self._either.setCurrentWidget(self.state if document is None else self._scroll)
        self.tools.setEnabled(document is not None)
        self._ask_redraw()

    def _wires(self, document: Document) -> tuple[tuple[Any, Any], ...]:
        selection = document.selection
        return (
            (document.rows_added, self._ask_redraw),
            (document.amended, self._ask_redraw),
            (document.decoded, self._ask_redraw),
            (selection.packet_changed, self._select),
            (selection.snapshot_changed, self._select),
            (selection.session_changed, self._limit),
            (selection.hovered, self._show_hover),
        )

    def _let_go(self) -> None:
        self._redraw.stop()
        self._drawing = None
        if self._document is not None:
            for signal, slot in self._wires(self._document):
                signal.disconnect(slot)

    def set_theme(self, theme: Theme) -> None:
        """Another theme, at once."""
        self._theme = theme
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, theme.color("panel"))
        for widget in (self, self.pages, self._scroll):
            widget.setPalette(palette)
        self.setAutoFillBackground(True)
        self.tools.set_theme(theme)
        for chart in self.charts:
            chart.set_theme(theme)

    def set_zoom(self, zoom: float) -> None:
        """Other font sizes."""
        self.tools.set_zoom(zoom)
        for chart in self.charts:
            chart.set_zoom(zoom)
        self._ask_redraw()

    @property
    def range_s(self) -> tuple[float, float]:
        """The stretch of time in view, in seconds from the first frame."""
        return self._view.start, self._view.stop

    @property
    def is_stale(self) -> bool:
        """More has happened than is drawn; it is drawn soon, or when the pane is shown."""
        return self._stale or self._drawing is not None

    @property
    def session(self) -> int:
        """The session that is drawn, `ALL_SESSIONS` for every one."""
        return ALL_SESSIONS if self._wants_all and not self._limited() else self._session

    @Slot(bool)
    def show_all_clients(self, every: bool) -> None:
        """All clients together, or the one."""
        self._wants_all = every
        self._draw()

    @Slot(str, bool)
    def show_chart(self, key: str, shown: bool) -> None:
        """Add a chart to the stack, or take it out."""
        (self._shown.add if shown else self._shown.discard)(key)
        for chart in self.charts:
            if chart.spec.key == key:
                chart.setVisible(shown)
        self._ask_redraw()

    @Slot(object)
    def set_unit(self, metric: Metric) -> None:
        """Another number for the chart of sizes, or of ages."""
        spec = SIZE.get(metric) or AGE[metric]
        for chart in self.charts:
            if chart.spec.key == spec.key:
                chart.set_spec(spec)
        self._draw()

    @Slot()
    def show_all(self) -> None:
        """The whole time of the capture."""
        self._view.show_all()
        self._draw()

    def show_range(self, start_s: float, stop_s: float) -> None:
        """A stretch of time."""
        self._view.show(start_s, stop_s)
        self._draw()

    def fit(self) -> None:
        """From the first to the last snapshot of the client."""
        if self._data is not None and len(track := self._data.track(self.session)):
            self.show_range(float(track.time_s[0]), float(track.time_s[-1]))

    def _zoom_to(self, start: float, stop: float) -> None:
        self._region(None, None)
        self.show_range(min(start, stop), max(start, stop))

    def _zoom(self, at: float, factor: float) -> None:
        self._view.zoom(at, factor)
        self._draw()

    def _zoom_asked(self, direction: int) -> None:
        if direction == 0:
            self.show_all()
        else:
            start, stop = self._view.start, self._view.stop
            moment = self._moment()
            inside = moment is not None and start <= moment[0] <= stop
            self._zoom(
                moment[0] if moment is not None and inside else (start + stop) / 2, ZOOM_STEP ** (-2 * direction)
            )

    def _pan(self, by: float) -> None:
        self._view.pan(by)
        self._draw()

    def _region(self, start: float | None, stop: float | None) -> None:
        for chart in self._visible():
            chart.canvas.set_region(None if start is None or stop is None else (min(start, stop), max(start, stop)))

    def _hover(self, time_s: float) -> None:
        if self._document is not None and self._data is not None and len(self._document.tables.frames):
            self._document.selection.hover(self._data.time_ns(time_s))

    def _leave(self) -> None:
        if self._document is not None:
            self._document.selection.hover(None)

    @Slot(object)
    def _show_hover(self, time_ns: int | None) -> None:
        if self._data is None or not len(self._data.tables.frames):
            return
        time_s = None if time_ns is None else self._data.time_s(time_ns)
        for chart in self._visible():
            chart.set_hover(time_s)
        self._write_range(time_s)

    def _click(self, chart: Chart, place: QPointF) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        row = chart.nearest(place)
        if self._document is not None and row >= 0:
            self._document.selection.select(self._document.tables.snapshots.integer("packet", row), row)

    def _moment(self) -> tuple[float, int] | None:
        """Time and snapshot of what is selected."""
        if self._document is None or self._data is None:
            return None
        return self._data.moment(self._document.selection.place)

    @Slot()
    def _select(self) -> None:
        """The selection went elsewhere: another client may be the one, and the cursor must be in view."""
        moment = self._moment()
        before = self._session
        self._choose_session()
        if (moment is not None and self._view.reveal(moment[0])) or self._session != before:
            self._draw_next()
        for chart in self._visible():
            chart.set_cursor(moment)

    @Slot()
    def _limit(self) -> None:
        self._choose_session()
        self._draw_next()

    def _limited(self) -> bool:
        return self._document is not None and self._document.selection.session >= 0

    def _choose_session(self) -> None:
        """The client panes are limited to, else that of the selected snapshot or packet, else the first there is."""
        if self._document is None or self._data is None:
            return
        selection = self._document.selection
        session = selection.session if selection.session >= 0 else self._data.session_of(selection.place)
        if session >= 0:
            self._session = session
        elif self._session < 0:
            self._session = self._data.first_session()

    def _visible(self) -> list[Chart]:
        return [chart for chart in self.charts if chart.spec.key in self._shown]

    @Slot()
    def _ask_redraw(self) -> None:
        """Draw soon, once for all that happens until then."""
        self._stale = True
        if self.isVisible() and not self._redraw.isActive():
            self._redraw.start(max(REDRAW_MS, REST * self._took_ms))

    def _draw_next(self) -> None:
        """Draw when the panes that also follow the selection have had their turn, whatever rest is due."""
        self._stale, self._drawing = True, None
        if self.isVisible():
            self._redraw.start(0)

    @Slot()
    def _draw_on(self) -> None:
        """Draw one chart and let the window do other things before the next."""
        clock = QElapsedTimer()
        clock.start()
        if self._drawing is None:
            self._drawing, self._took_ms = self._draw_each(), 0
        try:
            next(self._drawing)
            self._redraw.start(0)
        except StopIteration:
            self._drawing = None
        self._took_ms += clock.elapsed()
        if self._drawing is None and self._stale and self._document is not None:
            self._ask_redraw()

    def _draw(self) -> None:
        """Draw everything now: a person zooms, and watches."""
        self._drawing = None
        for _ in self._draw_each():
            pass

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._ask_redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._ask_redraw()

    def _draw_each(self) -> Iterator[None]:
        """Stops after each chart, for others to come between."""
        if self._data is None or self._document is None:
            return
        self._stale = not self.isVisible()
        if self._stale:
            return
        data = self._data
        data.update()
        self._view.set_capture(data.first_s, data.last_s)
        self._choose_session()
        clients = data.sessions()
        session = self.session
        charts = self._visible()
        start, stop = self._view.start, self._view.stop
        scene = Scene(
            data,
            session,
            data.client(session) if session >= 0 else "",
            clients > 1,
            start,
            stop,
            faults(data.track(session), Window(start, stop, self.charts[0].plot_pixels)),
        )
        for chart in charts:
            chart.set_cursor(self._moment())
            chart.draw(scene, first=chart is charts[0], last=chart is charts[-1])
            yield
        self.tools.set_client(
            data.client(self._session) if self._session >= 0 else "",
            shows_all=session == ALL_SESSIONS,
            can_choose=not self._limited() and clients > 0,
        )
        self._write_range(None)

    def _write_range(self, hover: float | None) -> None:
        start, stop = self._view.start, self._view.stop
        if hover is not None:
            self.tools.set_range_text(f"{decimal(hover, 3)} s")
            return
        places = 1 if stop - start >= 2 else 3
        text = f"{decimal(start, places)} {UNKNOWN} {decimal(stop, places)} s"
        self.tools.set_range_text(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.text():
            case "+" | "=":
                self._zoom_asked(1)
            case "-":
                self._zoom_asked(-1)
            case "0":
                self.show_all()
            case "f" | "F":
                self.fit()
            case _:
                width = self._view.stop - self._view.start
                match event.key():
                    case Qt.Key.Key_Left:
                        self._pan(-PAN_SHARE * width)
                    case Qt.Key.Key_Right:
                        self._pan(PAN_SHARE * width)
                    case _:
                        super().keyPressEvent(event)

    @Slot()
    def copy_picture(self) -> None:
        """All charts of the stack as a picture, to the clipboard."""
        copying.copy_picture(self.pages)

    @Slot()
    def copy_csv(self) -> None:
        """The snapshots in view, of the client or of all, to the clipboard."""
        if self._document is not None and self._data is not None:
            copying.copy_csv(self._document, self._data, self.session, self._view.start, self._view.stop)
