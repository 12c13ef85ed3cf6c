"""What a person does to the overview strip by keys or menu: steps, the range, the stretch of time in view, copying."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QMenu

from ui.models.steps import packet_of
from ui.overview import words as said

if TYPE_CHECKING:
    from ui.overview.strip import OverviewStrip


class StripCommands(QObject):
    """Acts on one strip, and on the clipboard."""

    def __init__(self, strip: OverviewStrip) -> None:
        super().__init__(strip)
        self._strip = strip

    def copy_stats(self) -> None:
        """The numbers of the range into the clipboard."""
        strip = self._strip
        if strip.shown.stats is not None:
            QGuiApplication.clipboard().setText(said.stats(strip.shown.stats))
            strip.told.emit(self.tr("Copied the numbers of the range"))

    def action(self, event: QKeyEvent) -> Callable[[], object] | None:
        """What a key stands for; None: nothing."""
        strip = self._strip
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        others = event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        key, control = Qt.Key(event.key()), others == Qt.KeyboardModifier.ControlModifier
        if control and key is Qt.Key.Key_C and strip.shown.stats is not None:
            return self.copy_stats
        if others:
            return None
        second = 1.0 if shift else 0.0
        by_key: dict[Qt.Key, Callable[[], object] | None] = {
            Qt.Key.Key_Left: lambda: self.step(-1, second),
            Qt.Key.Key_Right: lambda: self.step(1, second),
            Qt.Key.Key_Up: lambda: strip.choose_lane(max(0, strip.strip_layout.chosen - 1)),
            Qt.Key.Key_Down: lambda: strip.choose_lane(strip.strip_layout.chosen + 1),
            Qt.Key.Key_Escape: strip.clear_range if strip.range_s() is not None else None,
            Qt.Key.Key_F: strip.fit_range if strip.range_s() is not None else None,
            Qt.Key.Key_R: self.range_from_selection if strip.moment_s is not None else None,
            Qt.Key.Key_Plus: lambda: strip.zoom_step(1),
            Qt.Key.Key_Equal: lambda: strip.zoom_step(1),
            Qt.Key.Key_Minus: lambda: strip.zoom_step(-1),
            Qt.Key.Key_0: strip.show_all,
        }
        return by_key.get(key)

    def step(self, direction: int, seconds: float) -> None:
        """To the snapshot beside the selected one, or about so many seconds away."""
        strip = self._strip
        shown, lane = strip.shown, max(0, strip.strip_layout.chosen)
        if not shown.lanes or strip.document is None:
            return
        moment = strip.moment_s
        at = moment if moment is not None else strip.view.start
        flow = shown.lanes[lane].flow
        if seconds:
            strip.source.nearest(flow, lane, round((at + direction * seconds) * 1e9), strip.select)
        else:
            strip.source.beside(flow, lane, strip.document.selection.place.snapshot, direction, strip.select)

    def range_from_selection(self) -> None:
        """From the baseline of the selected snapshot to itself, half a second to each side where there is none."""
        strip = self._strip
        document, moment = strip.document, strip.moment_s
        if document is None or moment is None:
            return
        tables, snapshot = document.tables, document.selection.place.snapshot
        base = tables.snapshots.integer("base", snapshot) if snapshot >= 0 else -1
        if base >= 0:
            frame = tables.packets.integer("frame", packet_of(tables, base))
            start = (tables.frames.integer("time_ns", frame) - strip.zero_ns) / 1e9
            strip.select_range(start, moment)
        else:
            strip.select_range(moment - 0.5, moment + 0.5)

    def menu(self) -> QMenu:
        """What can be done here; it deletes itself when it closes."""
        strip = self._strip
        menu = QMenu(strip)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        ranged = strip.range_s() is not None
        for text, key, does, enabled in (
            (self.tr("Range from baseline to snapshot"), "R", self.range_from_selection, strip.moment_s is not None),
            (self.tr("Clear range"), "Esc", strip.clear_range, ranged),
            (self.tr("Zoom to range"), "F", strip.fit_range, ranged),
            (self.tr("Copy numbers of the range"), "Ctrl+C", self.copy_stats, strip.shown.stats is not None),
            (self.tr("Show all"), "0", strip.show_all, not strip.view.shows_all),
        ):
            action = menu.addAction(f"{text}\t{key}")
            action.setEnabled(enabled)
            action.triggered.connect(lambda _=False, run=does: run())
        return menu
