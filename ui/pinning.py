"""Decode as: asks how flows are read, of the selected packet or of a client, and has the capture read them so."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QWidget

from analyzer.engine.pins import Pin, Place, choices, flow_place
from analyzer.stats.flows import session_flow
from ui.dialogs.decode_as import DecodeAsDialog, Flows
from ui.document import Document
from ui.opening import Opening


class Pinning(QObject):
    """Shows the dialog; the window goes on behind it."""

    def __init__(self, opening: Opening, window: QWidget) -> None:
        super().__init__(window)
        self._opening = opening
        self._window = window

    @Slot()
    def ask_packet(self) -> None:
        """About the flow of the selected packet."""
        document = self._opening.document
        packet = -1 if document is None else document.selection.place.packet
        if document is not None and packet >= 0:
            self._ask(document, document.tables.packets.integer("flow", packet))

    @Slot(int)
    def ask_session(self, session: int) -> None:
        """About the flow of a client."""
        document = self._opening.document
        if document is not None and session >= 0:
            self._ask(document, session_flow(document.tables, session))

    def _ask(self, document: Document, flow: int) -> None:
        flows = self._flows(document, flow)
        known = choices(document.worker.capture.protocols)
        dialog = DecodeAsDialog(flows, document.pins, known, self._now(document, flow), self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(lambda pin: self._pin(document, flow, pin))
        document.destroyed.connect(dialog.reject)
        dialog.open()

    def _flows(self, document: Document, flow: int) -> list[Flows]:
        """The one flow, and those that have its server in common."""
        place = flow_place(*_ends(document, flow), document.tables.flows.integer("server", flow))
        port = place.server.rpartition(":")[2]
        return [
            Flows(place, self.tr("This one: {0} with {1}").format(place.client, place.server)),
            Flows(Place(place.server), self.tr("All of the server {0}").format(place.server)),
            Flows(Place(port), self.tr("All of any server on port {0}").format(port)),
        ]

    def _now(self, document: Document, flow: int) -> str:
        """How the flow is read."""
        flows, readings = document.tables.flows, document.tables.readings
        reading = flows.integer("reading", flow)
        titles = {name: title for name, (_, title) in choices(document.worker.capture.protocols).items()}
        if reading >= 0:
            dialect = readings.text("dialect", reading)
            text = titles.get(dialect, dialect)
        elif recognised := flows.text("recognised", flow):
            text = self.tr("{0}, not decoded").format(recognised)
        else:
            text = self.tr("Not decoded")
        if flows.text("pinned", flow):
            return self.tr("{0}, as you chose").format(text)
        return self.tr("{0}, as recognised").format(text) if reading >= 0 else text

    def _pin(self, document: Document, flow: int, pin: Pin) -> None:
        if document is not self._opening.document:
            return
        pins = document.pins.chosen(pin, *_ends(document, flow))
        if pins != document.pins:
            self._opening.pin(pins)


def _ends(document: Document, flow: int) -> tuple[str, str]:
    flows = document.tables.flows
    return flows.text("address_a", flow), flows.text("address_b", flow)
