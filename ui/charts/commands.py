"""What a person does to a stack of charts by pointer, key or menu: copying, the range, the stretch of time in view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QPointF, Qt, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMenu

from ui.charts import copying
from ui.charts.chart import Chart
from ui.charts.menu import Entry, chart_menu
from ui.models.steps import packet_of
from ui.views.filter_menu import AsFilter

if TYPE_CHECKING:
    from ui.charts.stack import ChartStack

ZOOM_STEP = 1.25
"""By how much a step of the wheel zooms."""
PAN_SHARE = 0.1
"""Part of the range in view that a key moves it by."""
FAR_SHARE = 0.5
"""The same with Shift."""
MENU_AT = QPoint(60, 60)
"""Where the menu opens that was asked for by key."""


class StackCommands(QObject):
    """Acts on one stack, and on the clipboard."""

    def __init__(self, stack: ChartStack) -> None:
        super().__init__(stack)
        self._stack = stack
        self.as_filter: AsFilter | None = None
        """Set by the window: what points are offered as filters by."""

    def listen_to(self, chart: Chart) -> None:
        """Do what the pointer asks for in a chart."""
        stack, pointer, canvas = self._stack, chart.pointer, chart.canvas
        pointer.hovered.connect(lambda x: self._hover(canvas.time_at(x)))
        pointer.left.connect(self._leave)
        pointer.clicked.connect(lambda place: self._click(chart, place))
        for signal in (pointer.dragged, pointer.drag_ended):
            signal.connect(lambda a, b: stack.select_range(canvas.time_at(a), canvas.time_at(b)))
        pointer.panned.connect(lambda by: stack.pan(canvas.time_at(0.0) - canvas.time_at(by)))
        pointer.wheeled.connect(lambda x, steps: stack.zoom(canvas.time_at(x), ZOOM_STEP**-steps))
        pointer.wheel_panned.connect(lambda steps: stack.pan_by_share(-steps * PAN_SHARE))
        pointer.double_clicked.connect(stack.show_all)
        pointer.menu_asked.connect(
            lambda at, place: self.show_menu(at, chart, canvas.time_at(place.x()), self.point_filter(chart, place))
        )

    def _hover(self, time_s: float) -> None:
        if self._stack.scope is not None:
            self._stack.scope.hover(time_s)

    def _leave(self) -> None:
        if self._stack.scope is not None:
            self._stack.scope.document.selection.hover(None)

    def _click(self, chart: Chart, place: QPointF) -> None:
        self._stack.setFocus(Qt.FocusReason.MouseFocusReason)
        row = chart.nearest(place)
        if self._stack.scope is not None and row >= 0:
            document = self._stack.scope.document
            document.selection.select(packet_of(document.tables, row), row)

    def claims(self, event: QKeyEvent) -> bool:
        """Copying and leaving the range are the stack's while it has the focus, whatever the window's keys are."""
        leaves = event.key() == Qt.Key.Key_Escape and self._stack.region_s is not None
        return leaves or event.matches(QKeySequence.StandardKey.Copy)

    def run_key(self, event: QKeyEvent) -> bool:
        """Do what a key stands for. False: nothing."""
        stack = self._stack
        share = FAR_SHARE if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else PAN_SHARE
        by_key = {
            Qt.Key.Key_Left: lambda: stack.pan_by_share(-share),
            Qt.Key.Key_Right: lambda: stack.pan_by_share(share),
            Qt.Key.Key_Escape: stack.clear_range if stack.region_s is not None else None,
            Qt.Key.Key_Menu: lambda: self.show_menu(stack.mapToGlobal(MENU_AT), None, None),
        }
        by_text = {
            "+": lambda: stack.zoom_step(1),
            "=": lambda: stack.zoom_step(1),
            "-": lambda: stack.zoom_step(-1),
            "0": stack.show_all,
            "f": stack.fit,
            "r": stack.range_from_selection,
        }
        run = by_text.get(event.text().lower()) or by_key.get(Qt.Key(event.key()))
        if event.matches(QKeySequence.StandardKey.Copy):
            run = self.copy_values
        if run is not None:
            run()
        return run is not None

    def point_filter(self, chart: Chart, place: QPointF) -> str:
        """The point of a chart that a place means as a filter: snapshots of at least its value."""
        scope, metric, row = self._stack.scope, chart.spec.metric, chart.nearest(place)
        if self.as_filter is None or scope is None or metric is None or row < 0:
            return ""
        return self.as_filter.texts.point(metric, chart.value_of(row))

    def snapshot_filter(self) -> str:
        """The selected snapshot as a filter."""
        scope = self._stack.scope
        snapshot = -1 if scope is None else scope.document.selection.place.snapshot
        if self.as_filter is None or scope is None or snapshot < 0:
            return ""
        return self.as_filter.texts.snapshot(scope.document.tables, snapshot)

    def show_menu(self, at: QPoint, chart: Chart | None, time_s: float | None, point: str = "") -> QMenu | None:
        """The menu at a place of the screen, for the value of a chart at a time if it was asked for there.

        `point`: what is there as a filter.
        """
        stack = self._stack
        if stack.scope is None:
            return None
        selected, ranged = stack.scope.moment is not None, stack.region_s is not None
        copy: tuple[Entry, ...] = (
            ("Copy values at the cursor", "Ctrl+C", self.copy_values, selected or ranged),
            ("Copy picture", "", self.copy_picture, True),
            ("Copy CSV", "", self.copy_csv, True),
        )
        if chart is not None and time_s is not None:
            pointed, time = chart, time_s
            copy = (("Copy value here", "", lambda: self._copy_value(pointed, time), True), *copy)
        spans: tuple[Entry, ...] = (
            ("Range from baseline to snapshot", "R", stack.range_from_selection, selected),
            ("Clear range", "Esc", stack.clear_range, ranged),
            ("Zoom to range" if ranged else "Zoom to the client", "F", stack.fit, True),
        )
        zoom: tuple[Entry, ...] = (
            ("Zoom in", "+", lambda: stack.zoom_step(1), True),
            ("Zoom out", "-", lambda: stack.zoom_step(-1), not stack.shows_all),
            ("Show all", "0", stack.show_all, not stack.shows_all),
        )
        menu = chart_menu(stack, (copy, spans, zoom))
        if self.as_filter is not None:
            first = menu.actions()[0]
            self.as_filter.add_to(menu, point or self.snapshot_filter(), first)
        menu.popup(at)
        return menu

    def _copy_value(self, chart: Chart, time_s: float) -> None:
        QGuiApplication.clipboard().setText(chart.text_at(time_s))

    @Slot()
    def copy_values(self) -> None:
        """What stands above each chart, a line each: the values at the cursor, or the range summed up."""
        lines = [f"{chart.title}\t{value}" for chart in self._stack.shown_charts if (value := chart.value_text)]
        if lines:
            QGuiApplication.clipboard().setText("\n".join(lines))

    @Slot()
    def copy_picture(self) -> None:
        """All charts of the stack as a picture."""
        copying.copy_picture(self._stack.pages)

    @Slot()
    def copy_csv(self) -> None:
        """The snapshots of the range, else those in view, of the client or of all."""
        stack = self._stack
        if stack.scope is not None:
            span = stack.region_s or stack.range_s
            copying.copy_csv(stack.scope.document, stack.scope.data, stack.session, *span)
