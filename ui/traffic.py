"""Packets per second at each network interface over the last minute, from what the system counts anyway."""

from __future__ import annotations

import time
from collections import deque

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from analyzer.capture.live.counters import OpenPort, PacketCount, open_game_ports, packet_counts
from ui.inquiry import Inquiry

SECOND_MS = 1_000
SECONDS = 60
PORTS_EVERY = 5
"""Looking which ports are open takes longer than looking at the counters."""
_COUNTS, _PORTS = "traffic", "open ports"

Counts = dict[str, PacketCount]


class Traffic(QObject):
    """Counts while somebody watches. What is not counted by the system is not known here."""

    changed = Signal()

    def __init__(self, inquiry: Inquiry, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._inquiry = inquiry
        self._watchers: set[int] = set()
        self._last: tuple[float, Counts] | None = None
        self._rates: dict[tuple[str, bool], deque[float]] = {}
        self._ports: list[OpenPort] = []
        self._turn = 0
        self._timer = QTimer(self)
        self._timer.setInterval(SECOND_MS)
        self._timer.timeout.connect(self._ask)

    def watch(self, watcher: object, on: bool) -> None:
        """Somebody watches, or does not any more. After a break the curves begin anew: nothing is known of it."""
        (self._watchers.add if on else self._watchers.discard)(id(watcher))
        if not self._watchers:
            self._timer.stop()
            for topic in (_COUNTS, _PORTS):
                self._inquiry.forget(topic)
        elif not self._timer.isActive():
            self._last, self._turn = None, 0
            self._rates.clear()
            self._timer.start()
            self._ask()

    def rates(self, name: str, *, loopback: bool) -> list[float]:
        """Packets per second of the last minute, a number a second, the newest last; empty: not known."""
        return list(self._rates.get((name, loopback), ()))

    @property
    def open_ports(self) -> list[OpenPort]:
        """Game ports that programs of this machine have open."""
        return self._ports

    @Slot()
    def _ask(self) -> None:
        # Where the system tells nothing, nothing is shown.
        self._inquiry.ask(_COUNTS, packet_counts, self._take, lambda error: None)
        if self._turn % PORTS_EVERY == 0:
            self._inquiry.ask(_PORTS, open_game_ports, self._take_ports, lambda error: None)
        self._turn += 1

    def _take(self, counts: Counts) -> None:
        now, before, self._last = time.monotonic(), self._last, (time.monotonic(), counts)
        if before is None:
            return
        since, old = before
        for name, count in counts.items():
            for loopback in (False, True):
                known = self._rates.setdefault((name, loopback), deque(maxlen=SECONDS))
                passed = count.passing(loopback=loopback) - old.get(name, count).passing(loopback=loopback)
                # An interface that went and came again counts from zero.
                known.append(max(0, passed) / max(now - since, 1e-3))
        self.changed.emit()

    def _take_ports(self, ports: list[OpenPort]) -> None:
        self._ports = ports
        self.changed.emit()
