"""Keeps the numbers of a document's clients up to date: computed on a thread that gives way, at most twice a second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from analyzer.engine.query import Query
from analyzer.protocols.base import Pace, Protocol
from analyzer.stats.clients import NO_CLIENTS, OLD_BASE_MS, Clients, KnownClients, judged
from analyzer.store.tables import Tables
from ui.document import Document
from ui.selection import Place

REFRESH_MS = 500
REST = 10
"""Numbers that took long rest for this many times as long: clicks are answered by the same thread."""
MOST_ROWS = 1 << 16
"""Snapshots that are counted in one go: window and decoder work beside it."""
BEHIND_REST_MS = 60
_STATS_TOPIC = "clients"
_PACE_TOPIC = "server rates"


class ClientSource(QObject):
    """Asks while it is switched on; what comes in between is caught up with later."""

    changed = Signal()
    """`clients` is new."""
    paced = Signal(object)
    """Mapping[int, Pace]: how often the server sent to each session at the selected packet."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.clients: Clients = NO_CLIENTS
        self.old_base_ms = OLD_BASE_MS
        """Older baselines are judged to be late."""
        self._document: Document | None = None
        self._known: KnownClients | None = None
        """Of the document; only the thread that gives way counts."""
        self._ended: dict[int, tuple[int, Pace]] = {}
        """Of its sessions, what `paces` keeps."""
        self._on = False
        self._stale = False
        self._asked = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self._refresh)

    def show_document(self, document: Document | None) -> None:
        """Follow another document, or none."""
        if self._document is not None:
            for signal in (self._document.rows_added, self._document.amended, self._document.decoded):
                signal.disconnect(self._outdated)
            self._document.paused_changed.disconnect(self._refresh)
            self._document.question_failed.disconnect(self._failed)
            self._document.unreadable.disconnect(self._failed)
            self._document.selection.packet_changed.disconnect(self._ask_paces)
            self._document.selection.snapshot_changed.disconnect(self._ask_paces)
        self._pause.stop()
        self._document = document
        self._known = None if document is None else KnownClients(document.tables)
        self._ended = {}
        self._stale, self._asked = document is not None, False
        if document is not None:
            for signal in (document.rows_added, document.amended, document.decoded):
                signal.connect(self._outdated)
            document.paused_changed.connect(self._refresh)
            document.question_failed.connect(self._failed)
            document.unreadable.connect(self._failed)
            document.selection.packet_changed.connect(self._ask_paces)
            document.selection.snapshot_changed.connect(self._ask_paces)
        self._take(NO_CLIENTS)
        self._refresh()

    def switch(self, on: bool) -> None:
        """Nothing is computed while nobody looks."""
        self._on = on
        if on:
            self._refresh()
        else:
            self._pause.stop()

    def set_base_age_limit(self, limit_ms: float) -> None:
        """Judge by another age of baselines, at once."""
        if limit_ms != self.old_base_ms:
            self.old_base_ms = limit_ms
            self._take(self.clients)

    @Slot()
    def _outdated(self) -> None:
        self._stale = True
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        document = self._document
        known = self._known
        if document is None or known is None or not (self._on and self._stale) or self._asked or self._pause.isActive():
            return
        if document.is_paused and self.clients is not NO_CLIENTS:
            return
        self._stale, self._asked = False, True

        def question(_query: Query) -> tuple[Clients | None, float]:
            start = perf_counter()
            found = known.update() if known.catch_up(MOST_ROWS) else None
            return found, perf_counter() - start

        document.ask(_STATS_TOPIC, question, lambda found: self._answered(document, *found), gives_way=True)

    def _answered(self, document: Document, found: Clients | None, seconds: float) -> None:
        """`found`: None while there is more to count."""
        if document is not self._document:
            return
        self._asked = False
        if found is None:
            self._stale = True
            self._pause.start(BEHIND_REST_MS)
            return
        if self._on:
            self._pause.start(max(REFRESH_MS, round(seconds * 1000 * REST)))
        self._take(found)
        self._ask_paces()

    @Slot()
    def _failed(self) -> None:
        self._asked = False

    def _take(self, clients: Clients) -> None:
        stats = tuple(judged(client, self.old_base_ms) for client in clients.stats)
        self.clients = Clients(stats, clients.histories) if stats else NO_CLIENTS
        self.changed.emit()

    @Slot()
    def _ask_paces(self) -> None:
        document = self._document
        if document is None or not self._on:
            return
        tables, clients, place = document.tables, self.clients, document.selection.place
        protocols, ended = document.worker.capture.protocols, self._ended

        def answer(found: Mapping[int, Pace]) -> None:
            if document is self._document:
                self.paced.emit(found)

        document.ask(_PACE_TOPIC, lambda _: paces(tables, clients, protocols, place, ended), answer, gives_way=True)


def paces(
    tables: Tables,
    clients: Clients,
    protocols: Sequence[Protocol],
    place: Place,
    ended: dict[int, tuple[int, Pace]] | None = None,
) -> dict[int, Pace]:
    """State of sending of each session at a place (without a packet: at the end), where it can be inferred.

    `ended`, kept from one time to the next: of sessions that had ended their last row, and the state by then.
    """
    ended = {} if ended is None else ended
    by_name = {protocol.name: protocol.pace for protocol in protocols}
    found = {}
    for session in clients.histories:
        first, last = clients.histories.span(session)
        is_inside = first <= place.snapshot <= last
        if 0 <= place.packet < tables.snapshots.integer("packet", first) and not is_inside:
            continue
        is_over = place.packet < 0 or place.packet >= tables.snapshots.integer("packet", last)
        at_end = is_over and not is_inside and not clients.histories.is_kept(session)
        known, pace = ended.get(session, (-1, None))
        if not at_end or known != last or pace is None:
            infer = by_name.get(tables.readings.text("protocol", tables.sessions.integer("reading", session)))
            if infer is None:
                continue
            history = clients.histories[session]
            index = history.newest(place.packet, place.snapshot)
            if index < 0:
                continue
            pace = infer(history.ticks, history.base_ticks, index)
            if at_end:
                ended[session] = last, pace
        found[session] = pace
    return found
