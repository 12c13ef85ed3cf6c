"""When the stack of charts is drawn anew, and in what parts: once for all that happened, one chart after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from ui.charts.column import ChartColumn
from ui.charts.data import ALL_SESSIONS
from ui.charts.drawing import FULL_AT_MOST, GAP_S, Fault, Marked, Window, faults
from ui.charts.live import LiveFrames
from ui.charts.scale import range_words
from ui.charts.scene import Scene
from ui.charts.scope import Scope
from ui.charts.tools import ToolRow
from ui.charts.turns import Turns
from ui.charts.view import TimeView
from ui.words import decimal

ROWS_A_TURN = 4096
"""How many snapshots are taken in before others have their turn."""


class Redraw(QObject):
    """Draws a scope in a view; of a live capture that is followed frame after frame, else when it is asked to."""

    empty = Signal(str, str)
    """There is no time to draw: what to say instead, and the way on. Both empty: now there is."""

    def __init__(self, column: ChartColumn, tools: ToolRow, pane: QWidget) -> None:
        """Nothing is drawn while the `pane` is hidden."""
        super().__init__(pane)
        self._column = column
        self._tools = tools
        self._pane = pane
        self._scope: Scope | None = None
        self._view = TimeView()
        self._stale = True
        self._marked: Mapping[str, Marked] = {}
        self._turns = Turns(self._draw_each, self)
        self.frames = LiveFrames(self._draw_frame, self._is_followed, self)

    def show(self, scope: Scope | None, view: TimeView) -> None:
        """Whose numbers are drawn from now on, and where."""
        self._scope, self._view = scope, view

    def mark(self, marked: Mapping[str, Marked]) -> None:
        """What was found, by the name of its sign."""
        self._marked = marked
        self.ask()

    def stop(self) -> None:
        """Let go of what is under way."""
        self._turns.stop()
        self.frames.stop()

    @property
    def is_stale(self) -> bool:
        """More has happened than is drawn."""
        return self._stale or self._turns.busy

    @Slot()
    def ask(self) -> None:
        """Draw soon, once for all that happens until then; nothing while the pane is hidden."""
        self._stale = True
        if self._pane.isVisible() and not self.frames.running:
            self._turns.ask()

    def catch_up(self) -> None:
        """The pane is shown: draw what happened while it was hidden."""
        if self._stale:
            self.ask()

    def ask_next(self) -> None:
        """Draw when those that also follow the selection have had their turn."""
        self._stale = True
        if self._pane.isVisible():
            self._turns.ask_next()

    def now(self) -> None:
        """Draw at once: a person watches."""
        self._turns.begin_now()

    def _is_followed(self) -> bool:
        scope = self._scope
        return self._view.follows and self._pane.isVisible() and scope is not None and not scope.is_paused

    def _draw_frame(self) -> None:
        """The next picture of a live capture; what is below a pointer that rests has moved on."""
        scope = self._scope
        if scope is None:
            return
        if scope.data.missing > ROWS_A_TURN:
            # After a pause there is much to take in: a part a turn.
            if not self._turns.busy:
                self.ask_next()
            return
        self.now()
        for chart in self._column.shown:
            if chart.pointer.at is not None:
                scope.hover(chart.canvas.time_at(chart.pointer.at))

    def _draw_each(self) -> Iterator[bool]:
        """Stops after each chart, for others to come between. Percentiles that have to be sorted first come last."""
        scope = self._scope
        self._stale = scope is not None and not self._pane.isVisible()
        if scope is None or self._stale:
            return
        while not scope.is_paused and not scope.data.update(ROWS_A_TURN):
            yield False
        if self._is_empty(scope):
            return
        self._view.set_capture(scope.data.first_s, self._end_s(scope))
        scope.choose()
        if self._view.follows:
            scope.keep_up(self._view.stop - GAP_S, self._view.start)
        scene = self._scene(scope)
        yield False
        charts, waiting = self._column.shown, []
        for chart in charts:
            chart.set_cursor(scope.moment)
            if not chart.draw(scene, first=chart is charts[0], last=chart is charts[-1]):
                waiting.append(chart)
            yield False
        self.write_client()
        self.write_range(None)
        for chart in waiting:
            yield True
            while not chart.prepare(scene):
                yield False
            chart.draw(scene, first=chart is charts[0], last=chart is charts[-1])

    def _is_empty(self, scope: Scope) -> bool:
        """There is no packet, and so no time; that is said."""
        empty, document = not len(scope.data.tables.frames), scope.document
        if document.is_decoded and empty:
            self.empty.emit(self.tr("No packets"), self.tr("The capture holds none: there is no time to draw"))
        elif document.is_live and empty:
            self.empty.emit(self.tr("No packets yet"), self.tr("The charts begin with the first one"))
        elif document.is_live:
            self.empty.emit("", "")
        return empty and (document.is_decoded or document.is_live)

    def _end_s(self, scope: Scope) -> float:
        """Where the axis ends: of a capture that is followed, where the clock is."""
        if not scope.document.is_live or not self._view.follows:
            return max(scope.end_s, self._view.capture[1]) if scope.document.is_live else scope.end_s
        if scope.is_paused:
            return self._view.capture[1]
        return self.frames.end(scope.data.last_s, self._view.width / self._column.charts[0].plot_pixels)

    def _scene(self, scope: Scope) -> Scene:
        start, stop = self._view.start, self._view.stop
        window = Window(start, stop, self._column.charts[0].plot_pixels)
        return Scene(
            scope.data,
            scope.session,
            scope.data.client(scope.session) if scope.session >= 0 else "",
            scope.data.several(),
            start,
            stop,
            faults(scope.data.track(scope.session), window),
            scope.twin(start, stop),
            self._found(scope, window),
            scope.decoded_s,
            scope.document.is_live,
            self._view.follows,
        )

    def _found(self, scope: Scope, window: Window) -> dict[str, Fault]:
        """Signs of what was found; of warnings none where there are too many to say anything."""
        first, last = scope.data.track(scope.session).between(window.start, window.stop)
        most = {"warned": FULL_AT_MOST * (last - first)}
        return {
            name: marked.signs(window, scope.session, most.get(name, np.inf)) for name, marked in self._marked.items()
        }

    def write_client(self) -> None:
        """Whose numbers these are, above the charts."""
        scope = self._scope
        if scope is not None:
            every, choice = scope.session == ALL_SESSIONS, not scope.limited and scope.own >= 0
            self._tools.set_client(scope.name, shows_all=every, can_choose=choice)

    def write_range(self, hover: float | None) -> None:
        """The stretch in view, the range and the time that the pointer is at, above the charts."""
        view = self._view
        moves = view.follows and self._scope is not None and not self._scope.is_paused
        if moves and hover is None and view.region is None:
            self._tools.set_range_text(self.tr("last {0} s").format(decimal(view.width, 0)))
        else:
            self._tools.set_range_text(*range_words((max(view.start, view.capture[0]), view.stop), view.region, hover))
