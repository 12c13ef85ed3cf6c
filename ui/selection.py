"""The one selection that all panes read from and write to: packet, snapshot, item, field, bytes, session, range, hover.

A pane that cannot show part of it keeps the rest. Rows are rows of the tables; -1 is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from analyzer.wire.reader import Span

HISTORY = 100


@dataclass(frozen=True, slots=True)
class Place:
    """What is selected."""

    packet: int = -1
    snapshot: int = -1
    item: tuple[int, int] | None = None
    """Type and id of an item."""
    field: str = ""
    """Name of one of the item's fields."""


Stretch = tuple[int, int]
"""The first and the last moment, nanoseconds since 1970; both are in it."""


class Selection(QObject):
    """Holds the selection of one opened capture. Signals fire only when something really changed."""

    packet_changed = Signal(int)
    snapshot_changed = Signal(int)
    item_changed = Signal(object, str)
    """Item (type, id) or None, and field name."""
    span_changed = Signal(object)
    """Bytes (`Span`) of the selected packet's buffers, or None."""
    session_changed = Signal(int)
    """Row of the only session that panes show, -1 for all."""
    range_changed = Signal(object)
    """Stretch of time that panes are limited to, `Stretch`, or None."""
    hovered = Signal(object)
    """Time in nanoseconds since 1970 that the pointer is at, or None. Passive: nothing is selected by it."""
    history_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._place = Place()
        self._span: Span | None = None
        self._session = -1
        self._range: Stretch | None = None
        self._history: list[Place] = []
        self._at = -1

    @property
    def place(self) -> Place:
        """What is selected now."""
        return self._place

    @property
    def span(self) -> Span | None:
        """The selected bytes."""
        return self._span

    @property
    def session(self) -> int:
        """The session that all panes are limited to, -1 for none."""
        return self._session

    @property
    def range(self) -> Stretch | None:
        """The stretch of time that all panes are limited to; None: the whole capture."""
        return self._range

    def limit_time(self, stretch: Stretch | None) -> None:
        """Show only what is in a stretch of time; None: all of it."""
        if stretch != self._range:
            self._range = stretch
            self.range_changed.emit(stretch)

    def select(self, packet: int, snapshot: int) -> None:
        """Select a packet and the snapshot that goes with it (-1: none); item and field stay. Remembered for `back`."""
        self._go(replace(self._place, packet=packet, snapshot=snapshot), remember=True)

    def select_item(self, item: tuple[int, int] | None, field: str = "") -> None:
        """Select an item, or one of its fields."""
        self._go(replace(self._place, item=item, field=field), remember=False)

    def select_span(self, span: Span | None) -> None:
        """Select bytes of the packet."""
        if span != self._span:
            self._span = span
            self.span_changed.emit(span)

    def limit_to(self, session: int) -> None:
        """Show only one session in all panes; -1: every session."""
        if session != self._session:
            self._session = session
            self.session_changed.emit(session)

    def take_over(self, other: Selection, snapshot: Callable[[int, int], int], session: Callable[[int], int]) -> None:
        """Everything that is selected in `other`, whose capture has the same packets.

        `snapshot`: what stands for that of a packet; `session`: what for one.
        """

        def here(place: Place) -> Place:
            return replace(place, snapshot=snapshot(place.packet, place.snapshot))

        self._history, self._at = [here(place) for place in other._history], other._at
        self._go(here(other.place), remember=False)
        self.select_span(other.span)
        self.limit_to(session(other.session))
        self.limit_time(other.range)
        self.history_changed.emit()

    def renew(self, snapshot: Callable[[int, int], int], session: int) -> None:
        """Rows were replaced. `snapshot`: what stands for that of a packet, -1 for none; `session`: what panes show."""

        def renewed(place: Place) -> Place:
            return replace(place, snapshot=snapshot(place.packet, place.snapshot))

        self._history = [renewed(place) for place in self._history]
        self.limit_to(session)
        self._go(renewed(self._place), remember=False)

    def hover(self, time_ns: int | None) -> None:
        """The pointer is at a time; panes may mark it."""
        self.hovered.emit(time_ns)

    @property
    def can_go_back(self) -> bool:
        """There is an older selection."""
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        """There is a newer selection."""
        return self._at < len(self._history) - 1

    def back(self) -> None:
        """Return to the selection before."""
        if self.can_go_back:
            self._at -= 1
            self._go(self._history[self._at], remember=False)
            self.history_changed.emit()

    def forward(self) -> None:
        """Undo a `back`."""
        if self.can_go_forward:
            self._at += 1
            self._go(self._history[self._at], remember=False)
            self.history_changed.emit()

    def _go(self, place: Place, *, remember: bool) -> None:
        old, self._place = self._place, place
        if remember and (place.packet, place.snapshot) != (old.packet, old.snapshot):
            del self._history[self._at + 1 :]
            self._history.append(place)
            del self._history[:-HISTORY]
            self._at = len(self._history) - 1
            self.history_changed.emit()
        if place.packet != old.packet:
            self.select_span(None)
            self.packet_changed.emit(place.packet)
        if place.snapshot != old.snapshot:
            self.snapshot_changed.emit(place.snapshot)
        if (place.item, place.field) != (old.item, old.field):
            self.item_changed.emit(place.item, place.field)
