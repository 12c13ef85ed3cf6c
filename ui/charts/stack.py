"""The Charts pane: a stack of charts over one time axis, for one client or for all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from analyzer.stats.series import Metric
from ui.charts.chart import Chart
from ui.charts.column import ChartColumn
from ui.charts.commands import ZOOM_STEP, StackCommands
from ui.charts.data import ALL_SESSIONS
from ui.charts.drawing import Marked
from ui.charts.redraw import Redraw
from ui.charts.scope import Scope
from ui.charts.tools import ToolRow
from ui.charts.view import TimeView
from ui.document import Document
from ui.settings import Preferences
from ui.theme import Theme
from ui.views.pane_state import PaneState

LIVE_S = 12.0
"""Of a live capture so much is shown, the newest."""


class ChartStack(QWidget):
    """Reads the document's tables and selection; writes only to the selection."""

    following_changed = Signal(bool)
    """Of a live capture the newest is kept in view, or not."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._scope: Scope | None = None
        self._view = TimeView()
        self._column = ChartColumn(theme)
        self.charts = self._column.charts
        self.pages = self._column.pages
        self.tools = ToolRow(theme)
        self.commands = StackCommands(self)
        self._redraw = Redraw(self._column, self.tools, self)
        self._redraw.empty.connect(self._say)
        self.frames = self._redraw.frames
        self._was_following = False
        self._chooses = False
        """A range is being chosen here."""
        self._preferred_unit = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Charts"))
        self._lay_out()
        self._connect_tools()
        for chart in self.charts:
            self.commands.listen_to(chart)
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

    def show_document(self, document: Document | None) -> None:
        """Show another capture, or none."""
        self._let_go()
        self._scope = None if document is None else Scope(document)
        self._view = TimeView()
        self._view.region = None if self._scope is None else self._scope.region
        self._redraw.show(self._scope, self._view)
        self._column.clear()
        if document is None:
            self._say(self.tr("No capture"), self.tr("Open a capture file to see its charts"))
        else:
            self._say("", "")
            for signal, slot in self._wires(document):
                signal.connect(slot)
            if document.is_live:
                self._view.follow(LIVE_S)
                self.frames.start()
        self._redraw.ask()
        self._tell_following()

    def mark(self, marked: Mapping[str, Marked]) -> None:
        """Show signs of what was found, by their names."""
        self._redraw.mark(marked)

    @property
    def follows(self) -> bool:
        """Of a live capture the newest is kept in view, be it a stretch at its end or all of it."""
        return self._view.follows

    def follow(self) -> None:
        """Show the newest of a live capture, and what comes, until somebody looks elsewhere."""
        if self._scope is not None and self._scope.document.is_live:
            self._view.follow(LIVE_S)
            self._redraw.now()
            self._tell_following()

    def hold(self) -> None:
        """Stay with what is in view."""
        self._view.hold()
        self._tell_following()

    def _tell_following(self) -> None:
        if self._view.follows != self._was_following:
            self._was_following = self._view.follows
            self.following_changed.emit(self._was_following)

    @Slot(str, str)
    def _say(self, head: str, way_on: str) -> None:
        """A sentence in place of the charts; the charts, where there is none."""
        if head:
            self.state.show_state(head, way_on)
        self._either.setCurrentWidget(self.state if head else self._column)
        self.tools.setEnabled(not head)

    def _wires(self, document: Document) -> tuple[tuple[Any, Any], ...]:
        selection = document.selection
        return (
            (document.rows_added, self._redraw.ask),
            (document.amended, self._redraw.ask),
            (document.decoded, self._on_decoded),
            (document.reread, self._select),
            (document.progressed, self._progressed),
            (document.paused_changed, self._redraw.ask),
            (selection.packet_changed, self._select),
            (selection.snapshot_changed, self._select),
            (selection.session_changed, self._limit),
            (selection.range_changed, self._on_range),
            (selection.hovered, self._show_hover),
        )

    def _let_go(self) -> None:
        self._redraw.stop()
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
        self.state.set_zoom(zoom)
        self._redraw.ask()

    def set_preferences(self, preferences: Preferences) -> None:
        """Which size the charts show, and from which age on a baseline counts as delayed."""
        unit = preferences.size_unit
        self._column.set_threshold(float(preferences.base_age_limit_ms))
        if unit != self._preferred_unit:
            # Another preference leaves the unit that a person chose in the pane.
            self._preferred_unit = unit
            self.set_unit(Metric.DELTA_BYTES if unit == "delta" else Metric.WIRE_BYTES)
        else:
            self._redraw.now()

    @property
    def range_s(self) -> tuple[float, float]:
        """The stretch of time in view, in seconds from the first frame."""
        return self._view.start, self._view.stop

    @property
    def region_s(self) -> tuple[float, float] | None:
        """The range that a person chose."""
        return self._view.region

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
        return self._redraw.is_stale

    @property
    def session(self) -> int:
        """The session that is drawn, `ALL_SESSIONS` for every one."""
        return ALL_SESSIONS if self._scope is None else self._scope.session

    @Slot(bool)
    def show_all_clients(self, every: bool) -> None:
        """All clients together, or the one."""
        if self._scope is not None:
            self._scope.wants_all = every
            self._redraw.now()

    @Slot(str, bool)
    def show_chart(self, key: str, shown: bool) -> None:
        """Add a chart to the stack, or take it out."""
        self._column.show_chart(key, shown)
        self._redraw.ask()

    @Slot(object)
    def set_unit(self, metric: Metric) -> None:
        """Another number for the chart of sizes, or of ages."""
        self._column.set_unit(metric)
        self.tools.check_unit(metric)
        self._redraw.now()

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
        """Choose a range for all panes: here it is shaded, and summed up above each chart."""
        self.hold()
        first, last = self._view.capture
        self._limit_time((max(first, min(start_s, stop_s)), min(last, max(start_s, stop_s))))

    def range_from_selection(self) -> None:
        """From the selected snapshot's baseline to itself."""
        interval = None if self._scope is None else self._scope.interval()
        if interval is not None:
            self.select_range(*interval)

    def clear_range(self) -> None:
        """No range."""
        self._limit_time(None)

    def fit(self) -> None:
        """The chosen range; without one from the first to the last snapshot of the client."""
        if self._view.region is not None and self._view.region[0] < self._view.region[1]:
            self.show_range(*self._view.region)
        elif self._scope is not None and len(track := self._scope.data.track(self.session)):
            self.show_range(float(track.time_s[0]), float(track.time_s[-1]))

    def _limit_time(self, region: tuple[float, float] | None) -> None:
        """Where a person chooses the range here, what is in view stays."""
        if self._scope is not None:
            self._chooses = True
            self._scope.limit_time(region)
            self._chooses = False
            self._redraw.write_range(None)

    @Slot()
    def _on_range(self) -> None:
        """Another range: one that was chosen elsewhere is what is in view, and all where there is none any more."""
        region = None if self._scope is None else self._scope.region
        self._view.region = region
        self._column.set_region(region)
        if self._chooses:
            return
        if region is not None and region[0] < region[1]:
            self.hold()
            self.show_range(*region)
        else:
            self.show_all()

    def zoom(self, at: float, factor: float) -> None:
        """Make what is in view `factor` times as wide, around a time."""
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
        self.zoom(at, ZOOM_STEP ** (-2 * direction))

    def pan_by_share(self, share: float) -> None:
        """Move by a part of what is in view."""
        self.pan(share * self._view.width)

    def pan(self, by: float) -> None:
        """Move what is in view by seconds."""
        self._view.pan(by)
        self._look()

    def _look(self) -> None:
        """A person looks elsewhere."""
        self._redraw.now()
        self._tell_following()

    # The selection

    @Slot(object)
    def _show_hover(self, time_ns: int | None) -> None:
        if self._scope is None or not len(self._scope.data.tables.frames) or not self.isVisible():
            return
        time_s = None if time_ns is None else self._scope.data.time_s(time_ns)
        self._column.set_hover(time_s)
        self._redraw.write_range(time_s)

    @Slot()
    def _select(self) -> None:
        """The selection went elsewhere: another client may be the one, and the cursor must be in view."""
        scope = self._scope
        if scope is not None and scope.document.selection.place.packet >= 0:
            self.hold()
        if scope is None or not self.isVisible():
            self._redraw.ask_next()
            return
        moment, drawn = scope.moment, scope.session
        if scope.choose():
            self._redraw.write_client()
        if (moment is not None and self._view.reveal(moment[0])) or scope.session != drawn:
            self._redraw.ask_next()
        self._column.set_cursor(moment)

    @Slot()
    def _limit(self) -> None:
        if self._scope is not None:
            self._scope.choose()
        self._redraw.ask_next()

    @property
    def shown_charts(self) -> list[Chart]:
        """The charts that a person has in the stack."""
        return self._column.shown

    # The document, and Qt

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
        self._redraw.ask()
        self._tell_following()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._redraw.catch_up()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._redraw.ask()

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
