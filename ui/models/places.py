"""Where can be captured, as the welcome page lists it: each interface with its addresses and its traffic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from analyzer.capture.live.counters import ports_at
from analyzer.capture.live.messages import NetworkPlace
from ui.traffic import Traffic
from ui.words import DOT, quantity

ROW_ROLE = Qt.ItemDataRole.UserRole + 1
"""The `PlaceRow`."""

Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """One interface, ready to paint."""

    name: str
    text: str
    badge: str
    rates: tuple[float, ...]
    """Packets a second, the newest last."""
    rate: str
    loopback: bool
    up: bool


class PlaceModel(QAbstractListModel):
    """In the order of the sniffer's list."""

    def __init__(self, traffic: Traffic, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._traffic = traffic
        self._places: list[NetworkPlace] = []
        traffic.changed.connect(self._on_traffic)

    def show(self, places: Sequence[NetworkPlace]) -> None:
        """List these."""
        if list(places) != self._places:
            self.beginResetModel()
            self._places = list(places)
            self.endResetModel()

    def row_at(self, row: int) -> PlaceRow:
        """An interface."""
        place = self._places[row]
        rates = self._traffic.rates(place.name, loopback=place.loopback) if place.up else []
        ports = ports_at(self._traffic.open_ports, place.addresses) if place.up else []
        return PlaceRow(
            place.name,
            self._text(place),
            self.tr("port {0} open").format(ports[0]) if ports else "",
            tuple(rates),
            self.tr("{0} packets/s").format(quantity(round(rates[-1]))) if rates else "",
            place.loopback,
            place.up,
        )

    def row_of(self, name: str) -> int:
        """-1: it is not there."""
        return next((row for row, place in enumerate(self._places) if place.name == name), -1)

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._places)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self.row_at(index.row())
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (row.name, row.badge, row.text, row.rate)))
        if role == Qt.ItemDataRole.ToolTipRole:
            place = self._places[index.row()]
            port = self.tr("A program on this machine has that UDP port open, as game servers do")
            return "\n".join([row.name, place.description, *place.addresses, *([port] if row.badge else [])])
        return None

    def _text(self, place: NetworkPlace) -> str:
        words = [place.description] if place.description else []
        if place.loopback:
            words.append(self.tr("This machine only"))
        if not place.up:
            words.append(self.tr("down"))
        return DOT.join([*words, *place.addresses[:2]]) or self.tr("No address")

    @Slot()
    def _on_traffic(self) -> None:
        if self._places:
            self.dataChanged.emit(self.index(0), self.index(len(self._places) - 1))
