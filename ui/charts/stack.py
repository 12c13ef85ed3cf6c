"""The Charts pane: a stack of charts over one time axis, for one client or for all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QEvent, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from analyzer.stats.series import Metric
from ui.charts.chart import Chart, Scene
from ui.charts.column import ChartColumn
from ui.charts.commands import PAN_SHARE, StackCommands
from ui.charts.data import ALL_SESSIONS
from ui.charts.drawing import GAP_S, Window, faults
from ui.charts.live import LiveFrames
from ui.charts.scale import range_words
from ui.charts.scope import Scope
from ui.charts.tools import ToolRow
from ui.charts.turns import Turns
from ui.charts.view import TimeView
from ui.document import Document
from ui.models.steps import packet_of
from ui.settings import Preferences
from ui.theme import Theme
from ui.views.pane_state import PaneState
from ui.words import decimal

ZOOM_STEP = 1.25
LIVE_S = 12.0
"""Of a live capture so much is shown, the newest."""
ROWS_A_TURN = 4096
"""How many snapshots are taken in before others have their turn."""


class ChartStack(QWidget):
    """Reads the document's tables and selection; writes only to the selection."""

    following_changed = Signal(bool)
    """Of a live capture the newest is kept in view, or not."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._scope: Scope | None = None
        self._view = TimeView()
        self._region: tuple[float, float] | None = None
        self._column = ChartColumn(theme)
        self.charts = self._column.charts
        self.pages = self._column.pages
        self.tools = ToolRow(theme)
        self.commands = StackCommands(self)
        self._turns = Turns(self._draw_each, self)
        self.frames = LiveFrames(self._draw_frame, self._is_followed, self)
        self._was_following = False
        self._stale = True
        self._preferred_unit = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Charts"))
        self._lay_out()
        self._connect_tools()
        for chart in self.charts:
            self._connect_chart(chart)
        self.set_theme(theme)
        self.show_document(None)

    def _lay_out(self) -> None:
        self.state = PaneState()
        self._either = QStackedWidget()
        self._either.addWidget(self._column)
        self._either.addWidget(self.state)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.tools)
        layout.addWidget(self._either, 1)

    def _connect_tools(self) -> None:
        tools = self.tools
        tools.all_chosen.connect(self.show_all_clients)
        tools.zoom_asked.connect(self.zoom_step)
        tools.chart_toggled.connect(self.show_chart)
        tools.unit_chosen.connect(self.set_unit)
        tools.picture_asked.connect(self.commands.copy_picture)
        tools.csv_asked.connect(self.commands.copy_csv)

    def _connect_chart(self, chart: Chart) -> None:
        pointer, canvas = chart.pointer, chart.canvas
        pointer.hovered.connect(lambda x: self._hover(canvas.time_at(x)))
        pointer.left.connect(self._leave)
        pointer.clicked.connect(lambda place: self._click(chart, place))
        for signal in (pointer.dragged, pointer.drag_ended):
            signal.connect(lambda a, b: self.select_range(canvas.time_at(a), canvas.time_at(b)))
        pointer.panned.connect(lambda by: self._pan(canvas.time_at(0.0) - canvas.time_at(by)))
        pointer.wheeled.connect(lambda x, steps: self._zoom(canvas.time_at(x), ZOOM_STEP**-steps))
        pointer.wheel_panned.connect(lambda steps: self.pan_by_share(-steps * PAN_SHARE))
        pointer.double_clicked.connect(self.show_all)
        pointer.menu_asked.connect(lambda at, place: self.commands.show_menu(at, chart, canvas.time_at(place.x())))

    def show_document(self, document: Document | None) -> None:
        """Show another capture, or none."""
        self._let_go()
        self._scope = None if document is None else Scope(document)
        self._view = TimeView()
        self._region = None
        self._column.clear()
        if document is None:
            self.state.show_state(self.tr("No capture"), self.tr("Open a capture file to see its charts"))
        else:
            for signal, slot in self._wires(document):
                signal.connect(slot)
            if document.is_live:
                self._view.follow(LIVE_S)
                self.frames.start()
        self._show_or_say(document is not None)
        self._ask_redraw()
        self._tell_following()

    @property
    def follows(self) -> bool:
        """Of a live capture the newest is kept in view, be it a stretch at its end or all of it."""
        return self._view.follows

    def follow(self) -> None:
        """Show the newest of a live capture, and what comes, until somebody looks elsewhere."""
        if self._scope is not None and self._scope.document.is_live:
            self._view.follow(LIVE_S)
            self._draw()
            self._tell_following()

    def hold(self) -> None:
        """Stay with what is in view."""
        self._view.hold()
        self._tell_following()

    def _is_followed(self) -> bool:
        return self._view.follows and self.isVisible() and self._scope is not None and not self._scope.is_paused

    def _tell_following(self) -> None:
        if self._view.follows != self._was_following:
            self._was_following = self._view.follows
            self.following_changed.emit(self._was_following)

    def _show_or_say(self, shows: bool) -> None:
        """Charts, or the sentence in their place."""
        self._either.setCurrentWidget(self._column if shows else self.state)
        self.tools.setEnabled(shows)

    def _wires(self, document: Document) -> tuple[tuple[Any, Any], ...]:
        selection = document.selection
        return (
            (document.rows_added, self._ask_redraw),
            (document.amended, self._ask_redraw),
            (document.decoded, self._on_decoded),
            (document.progressed, self._progressed),
            (document.paused_changed, self._ask_redraw),
            (selection.packet_changed, self._select),
            (selection.snapshot_changed, self._select),
            (selection.session_changed, self._limit),
            (selection.hovered, self._show_hover),
        )

    def _let_go(self) -> None:
        self._turns.stop()
        self.frames.stop()
        if self._scope is not None:
            for signal, slot in self._wires(self._scope.document):
                signal.disconnect(slot)

    def set_theme(self, theme: Theme) -> None:
        """Another theme, at once."""
        self._theme = theme
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, theme.color("panel"))
        self.setPalette(palette)
        self.setAutoFillBackground(True)
        self.tools.set_theme(theme)
        self._column.set_theme(theme, palette)

    def set_zoom(self, zoom: float) -> None:
        """Other font sizes."""
        self.tools.set_zoom(zoom)
        self._column.set_zoom(zoom)
        self._ask_redraw()

    def set_preferences(self, preferences: Preferences) -> None:
        """Which size the charts show, and from which age on a baseline counts as delayed."""
        unit = preferences.size_unit
        self._column.set_threshold(float(preferences.base_age_limit_ms))
        if unit != self._preferred_unit:
            # Another preference leaves the unit that a person chose in the pane.
            self._preferred_unit = unit
            self.set_unit(Metric.DELTA_BYTES if unit == "delta" else Metric.WIRE_BYTES)
        else:
            self._draw()

    @property
    def range_s(self) -> tuple[float, float]:
        """The stretch of time in view, in seconds from the first frame."""
        return self._view.start, self._view.stop

    @property
    def region_s(self) -> tuple[float, float] | None:
        """The range that a person chose."""
        return self._region

    @property
    def shows_all(self) -> bool:
        """The whole time of the capture is in view."""
        return self._view.shows_all

    @property
    def scope(self) -> Scope | None:
        """Whose numbers are drawn; None without a capture."""
        return self._scope

    @property
    def is_stale(self) -> bool:
        """More has happened than is drawn; it is drawn soon, or when the pane is shown."""
        return self._stale or self._turns.busy

    @property
    def session(self) -> int:
        """The session that is drawn, `ALL_SESSIONS` for every one."""
        return ALL_SESSIONS if self._scope is None else self._scope.session

    @Slot(bool)
    def show_all_clients(self, every: bool) -> None:
        """All clients together, or the one."""
        if self._scope is not None:
            self._scope.wants_all = every
            self._draw()

    @Slot(str, bool)
    def show_chart(self, key: str, shown: bool) -> None:
        """Add a chart to the stack, or take it out."""
        self._column.show_chart(key, shown)
        self._ask_redraw()

    @Slot(object)
    def set_unit(self, metric: Metric) -> None:
        """Another number for the chart of sizes, or of ages."""
        self._column.set_unit(metric)
        self.tools.check_unit(metric)
        self._draw()

    # The stretch of time in view, and the range

    @Slot()
    def show_all(self) -> None:
        """The whole time of the capture."""
        self._view.show_all()
        self._look()

    def show_range(self, start_s: float, stop_s: float) -> None:
        """A stretch of time."""
        self._view.show(start_s, stop_s)
        self._look()

    def select_range(self, start_s: float, stop_s: float) -> None:
        """Choose a range: shaded, and summed up above each chart."""
        self.hold()
        first, last = self._view.capture
        self._set_region((max(first, min(start_s, stop_s)), min(last, max(start_s, stop_s))))

    def range_from_selection(self) -> None:
        """From the selected snapshot's baseline to itself."""
        interval = None if self._scope is None else self._scope.interval()
        if interval is not None:
            self.select_range(*interval)

    def clear_range(self) -> None:
        """No range."""
        self._set_region(None)

    def fit(self) -> None:
        """The chosen range; without one from the first to the last snapshot of the client."""
        if self._region is not None and self._region[0] < self._region[1]:
            self.show_range(*self._region)
        elif self._scope is not None and len(track := self._scope.data.track(self.session)):
            self.show_range(float(track.time_s[0]), float(track.time_s[-1]))

    def _set_region(self, region: tuple[float, float] | None) -> None:
        self._region = region
        self._column.set_region(region)
        self._write_range(None)

    def _zoom(self, at: float, factor: float) -> None:
        self._view.zoom(at, factor)
        self._look()

    def zoom_step(self, direction: int) -> None:
        """Closer (1), or farther (-1), around the selected moment if it is in view; 0 shows all."""
        if direction == 0:
            self.show_all()
            return
        start, stop = self.range_s
        moment = None if self._scope is None else self._scope.moment
        inside = moment is not None and start <= moment[0] <= stop
        at = moment[0] if moment is not None and inside else (start + stop) / 2
        self._zoom(at, ZOOM_STEP ** (-2 * direction))

    def pan_by_share(self, share: float) -> None:
        """Move by a part of what is in view."""
        self._pan(share * self._view.width)

    def _pan(self, by: float) -> None:
        self._view.pan(by)
        self._look()

    def _look(self) -> None:
        """A person looks elsewhere."""
        self._draw()
        self._tell_following()

    # Pointer and selection

    def _hover(self, time_s: float) -> None:
        if self._scope is not None and len(self._scope.data.tables.frames):
            self._scope.document.selection.hover(self._scope.data.time_ns(time_s))

    def _leave(self) -> None:
        if self._scope is not None:
            self._scope.document.selection.hover(None)

    @Slot(object)
    def _show_hover(self, time_ns: int | None) -> None:
        if self._scope is None or not len(self._scope.data.tables.frames) or not self.isVisible():
            return
        time_s = None if time_ns is None else self._scope.data.time_s(time_ns)
        self._column.set_hover(time_s)
        self._write_range(time_s)

    def _click(self, chart: Chart, place: QPointF) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        row = chart.nearest(place)
        if self._scope is not None and row >= 0:
            document = self._scope.document
            document.selection.select(packet_of(document.tables, row), row)

    @Slot()
    def _select(self) -> None:
        """The selection went elsewhere: another client may be the one, and the cursor must be in view."""
        scope = self._scope
        if scope is not None and scope.document.selection.place.packet >= 0:
            self.hold()
        if scope is None or not self.isVisible():
            self._stale = True
            return
        moment, drawn = scope.moment, scope.session
        if scope.choose():
            self._write_client(scope)
        if (moment is not None and self._view.reveal(moment[0])) or scope.session != drawn:
            self._draw_next()
        self._column.set_cursor(moment)

    @Slot()
    def _limit(self) -> None:
        if self._scope is not None:
            self._scope.choose()
        self._draw_next()

    @property
    def shown_charts(self) -> list[Chart]:
        """The charts that a person has in the stack."""
        return self._column.shown

    # Drawing

    @Slot(float)
    def _progressed(self, share: float) -> None:
        if self._scope is not None:
            self._scope.progressed(share)

    @Slot()
    def _on_decoded(self) -> None:
        self.frames.stop()
        if self._scope is not None and self._view.follows:
            self._scope.data.update()
            self._view.set_capture(self._scope.data.first_s, self._scope.data.last_s)
        self._view.end_live()
        self._ask_redraw()
        self._tell_following()

    @Slot()
    def _ask_redraw(self) -> None:
        """Draw soon, once for all that happens until then; nothing while the pane is hidden."""
        self._stale = True
        if self.isVisible() and not self.frames.running:
            self._turns.ask()

    def _draw_next(self) -> None:
        self._stale = True
        if self.isVisible():
            self._turns.ask_next()

    def _draw(self) -> None:
        self._turns.begin_now()

    def _draw_frame(self) -> None:
        """The next picture of a live capture; what is below a pointer that rests has moved on."""
        scope = self._scope
        if scope is not None and scope.data.missing > ROWS_A_TURN:
            # After a pause there is much to take in: a part a turn.
            if not self._turns.busy:
                self._draw_next()
            return
        self._draw()
        for chart in self.shown_charts:
            if chart.pointer.at is not None:
                self._hover(chart.canvas.time_at(chart.pointer.at))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._ask_redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._ask_redraw()

    def _draw_each(self) -> Iterator[bool]:
        """Stops after each chart, for others to come between. Percentiles that have to be sorted first come last."""
        scope = self._scope
        self._stale = scope is not None and not self.isVisible()
        if scope is None or self._stale:
            return
        while not scope.is_paused and not scope.data.update(ROWS_A_TURN):
            yield False
        if scope.document.is_decoded and not len(scope.data.tables.frames):
            self.state.show_state(self.tr("No packets"), self.tr("The capture holds none: there is no time to draw"))
            self._show_or_say(False)
            return
        if scope.document.is_live:
            empty = not len(scope.data.tables.frames)
            if empty:
                self.state.show_state(self.tr("No packets yet"), self.tr("The charts begin with the first one"))
            self._show_or_say(not empty)
            if empty:
                return
        self._view.set_capture(scope.data.first_s, self._end_s(scope))
        scope.choose()
        if self._view.follows:
            scope.keep_up(self._view.stop - GAP_S, self._view.start)
        scene = self._scene(scope)
        yield False
        charts, waiting = self.shown_charts, []
        for chart in charts:
            chart.set_cursor(scope.moment)
            if not chart.draw(scene, first=chart is charts[0], last=chart is charts[-1]):
                waiting.append(chart)
            yield False
        self._write_client(scope)
        self._write_range(None)
        for chart in waiting:
            yield True
            while not chart.prepare(scene):
                yield False
            chart.draw(scene, first=chart is charts[0], last=chart is charts[-1])

    def _end_s(self, scope: Scope) -> float:
        """Where the axis ends: of a capture that is followed, where the clock is."""
        if not scope.document.is_live or not self._view.follows:
            return max(scope.end_s, self._view.capture[1]) if scope.document.is_live else scope.end_s
        if scope.is_paused:
            return self._view.capture[1]
        return self.frames.end(scope.data.last_s, self._view.width / self.charts[0].plot_pixels)

    def _write_client(self, scope: Scope) -> None:
        every, choice = scope.session == ALL_SESSIONS, not scope.limited and scope.own >= 0
        self.tools.set_client(scope.name, shows_all=every, can_choose=choice)

    def _scene(self, scope: Scope) -> Scene:
        start, stop = self.range_s
        return Scene(
            scope.data,
            scope.session,
            scope.data.client(scope.session) if scope.session >= 0 else "",
            scope.data.several(),
            start,
            stop,
            faults(scope.data.track(scope.session), Window(start, stop, self.charts[0].plot_pixels)),
            scope.twin(start, stop),
            scope.decoded_s,
            scope.document.is_live,
            self._view.follows,
        )

    def _write_range(self, hover: float | None) -> None:
        moves = self._view.follows and self._scope is not None and not self._scope.is_paused
        if moves and hover is None and self._region is None:
            self.tools.set_range_text(self.tr("last {0} s").format(decimal(self._view.width, 0)))
        else:
            start, stop = self.range_s
            view = max(start, self._view.capture[0]), stop
            self.tools.set_range_text(*range_words(view, self._region, hover))

    # Keys and the menu

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self.commands.claims(event)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.commands.run_key(event):
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.commands.show_menu(event.globalPos(), None, None)
