"""The view of a live capture: paused while capturing goes on, kept at the newest, and the bar that says so."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from ui import words
from ui.charts.stack import ChartStack
from ui.document import Document
from ui.live import LiveStanding
from ui.views.live_bar import LiveBar
from ui.views.packet_list import PacketList

REFRESH_MS = 250
RATE_S = 2.0
"""Over how long the rate is counted of what no sniffer of ours captures."""
BEHIND_S = 1.0
LEAST_BEHIND = 200
"""Decoding is said to be behind from so many packets on, and from those of so long."""
SAMPLE = 1024
"""Frames of which the mean size is taken."""


class LiveView(QObject):
    """Joins the document that is shown, list, charts and bar."""

    changed = Signal()
    """Paused or not, followed or not."""

    def __init__(self, packets: PacketList, charts: ChartStack, bar: LiveBar, parent: QObject) -> None:
        super().__init__(parent)
        self._packets = packets
        self._charts = charts
        self._bar = bar
        self._document: Document | None = None
        self._source: tuple[str, str] = ("", "")
        self._standing: LiveStanding | None = None
        self._began = 0.0
        self._since: list[tuple[float, int]] = []
        """When how many frames were there."""
        self._resuming = False
        self._timer = QTimer(self)
        self._timer.setInterval(REFRESH_MS)
        self._timer.timeout.connect(self._say_capture)
        packets.following_changed.connect(self._on_list)
        charts.following_changed.connect(self._show)
        bar.pause_asked.connect(self.toggle_pause)
        bar.follow_asked.connect(self.follow)

    @property
    def is_paused(self) -> bool:
        """What comes is not shown for now."""
        return self._document is not None and self._document.is_paused

    @property
    def follows(self) -> bool:
        """List and charts keep the newest in view."""
        charts = self._charts.follows or self._charts.isHidden() or self._charts.shows_all
        return charts and (self._packets.following or not self._packets.model.in_capture_order)

    def show_document(self, document: Document | None, source: tuple[str, str] = ("", "")) -> None:
        """Another capture is shown, or none. `source`: where it comes from, and what is let through."""
        self._source = source
        if self._document is not None:
            self._document.paused_changed.disconnect(self._on_paused)
            self._document.waiting.disconnect(self._say_view)
            self._document.decoded.disconnect(self._on_decoded)
        self._document = document
        self._began = time.monotonic()
        self._since = [(self._began, 0)]
        live = document is not None and document.is_live
        if document is not None:
            document.paused_changed.connect(self._on_paused)
            document.waiting.connect(self._say_view)
            document.decoded.connect(self._on_decoded)
        (self._timer.start if live else self._timer.stop)()
        self._bar.setVisible(live)
        if live:
            self._say_capture()
            self._show()

    @Slot(object)
    def show_standing(self, standing: LiveStanding | None) -> None:
        """How the sniffer goes; None: it is not one of ours that captures."""
        self._standing = standing

    @Slot()
    def toggle_pause(self) -> None:
        """Hold the view as it is, or show what came meanwhile."""
        document = self._document
        if document is not None and document.is_live:
            self._resuming = document.is_paused
            document.pause(not document.is_paused)
            self._resuming = False

    @Slot()
    def follow(self) -> None:
        """Keep the newest in view, in list and charts."""
        if self._document is not None and self._document.is_live:
            self._packets.set_following(True)
            self._charts.follow()

    @Slot(bool)
    def _on_list(self, following: bool) -> None:
        """Whoever goes to the end of the list means the newest, in the charts too."""
        if following and self._document is not None and self._document.is_live and not self._charts.follows:
            self._charts.follow()
        self._show()

    @Slot(bool)
    def _on_paused(self, paused: bool) -> None:
        if not paused and not self._resuming:
            # The capture has ended: whoever looks at what is held goes on looking at it.
            self._packets.set_following(False)
            self._charts.hold()
        self._show()

    @Slot()
    def _on_decoded(self) -> None:
        self._timer.stop()
        self._bar.hide()
        self.changed.emit()

    @Slot()
    def _show(self) -> None:
        self._say_view()
        self.changed.emit()

    @Slot()
    def _say_view(self) -> None:
        document = self._document
        if document is None:
            return
        waiting = ""
        if document.is_paused:
            number = len(document.tables.packets) - self._packets.model.taken_in
            waiting = words.count(number, self.tr("packet is waiting"), self.tr("packets are waiting"))
        self._bar.show_view(paused=document.is_paused, follows=self.follows, waiting=waiting)

    def _behind(self, rate: float) -> str:
        """That captured packets are not decoded yet, where it is more than of a moment."""
        document, standing = self._document, self._standing
        waiting = 0 if document is None or standing is None else standing.counts.frames - len(document.tables.frames)
        if waiting <= max(LEAST_BEHIND, BEHIND_S * rate):
            return ""
        packets = words.count(waiting, self.tr("packet"), self.tr("packets"))
        return self.tr("decoding is {0} behind").format(packets)

    @Slot()
    def _say_capture(self) -> None:
        document = self._document
        if document is None or not document.is_live:
            return
        now, frames = time.monotonic(), document.tables.frames
        count, standing = len(frames), self._standing
        self._since.append((now, count))
        while len(self._since) > 2 and now - self._since[1][0] >= RATE_S:
            del self._since[0]
        since, before = self._since[0]
        rate = standing.packets_s if standing is not None else (count - before) / max(now - since, 1e-3)
        sizes = frames.integers("original", max(0, count - SAMPLE), count)
        bytes_s = rate * float(sizes.mean()) if count else 0.0
        seconds = standing.seconds if standing is not None else now - self._began
        name, limits = self._source
        facts = [
            name or document.path.name,
            self.tr("{0} packets/s").format(words.quantity(round(rate))),
            self.tr("{0} kB/s").format(words.decimal(bytes_s / 1000, 0 if bytes_s >= 10_000 else 1)),
            self._behind(rate),
            limits,
        ]
        self._bar.show_capture(words.duration(seconds), [fact for fact in facts if fact])
