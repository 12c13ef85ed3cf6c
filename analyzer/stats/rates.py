"""Packets and bytes a second, of one session or of the whole capture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.store.growing import Growing
from analyzer.store.tables import Tables

Floats = NDArray[np.float64]
NO_SCOPE = -2


class PacketRates:
    """Time, size and session of every packet. Call `update` when rows were added or amended."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._journal = tables.journal.reader()
        self._time: Growing[np.float64] = Growing(np.float64, tables.chunks)
        self._bytes: Growing[np.int64] = Growing(np.int64, tables.chunks)
        self._session: Growing[np.int32] = Growing(np.int32, tables.chunks)
        self._scope = NO_SCOPE
        self._sorted_time: Growing[np.float64] = Growing(np.float64, tables.chunks)
        self._sums: Growing[np.int64] = Growing(np.int64, tables.chunks)
        """Bytes before each packet in the order of times, and after the last."""
        self._arranged = 0
        """Packets that were looked at for the scope."""

    def __len__(self) -> int:
        """Packets taken in."""
        return len(self._time)

    @property
    def is_current(self) -> bool:
        """No packet was published that `update` left for the next time."""
        return len(self) == len(self._tables.packets)

    def update(self, most: int | None = None) -> None:
        """Take in what was published and amended since the last call, at most so many new packets."""
        amendments = self._journal.take()
        known, published = len(self), len(self._tables.packets)
        if most is not None:
            published = min(published, known + most)
        for amendment in amendments:
            start, stop = amendment.start, min(amendment.stop, known)
            if (amendment.table, amendment.column) == ("packets", "session") and start < stop:
                self._session.view[start:stop] = self._tables.packets.array("session", start, stop)
                if self._scope >= 0 and start < self._arranged:
                    self._scope = NO_SCOPE
        if published > known:
            packets, frames = self._tables.packets, self._tables.frames
            of_packets = packets.integers("frame", known, published)
            times = frames.take("time_ns", of_packets).astype(np.int64)
            self._time.append((times - frames.integer("time_ns", 0)) / 1e9)
            self._bytes.append(packets.integers("udp_length", known, published))
            self._session.append(packets.array("session", known, published).astype(np.int32))

    def counts(self, session: int, edges: Floats) -> tuple[Floats, Floats]:
        """Packets, and bytes of UDP payload, between neighbouring edges (n + 1 of them), both of shape (n,).

        `session` -1: every packet, also one that no protocol reads.
        """
        if session != self._scope:
            self._begin(session)
        if self._arranged < len(self._time):
            self._arrange()
        at = np.searchsorted(self._sorted_time.view, edges, "left")
        return np.diff(at).astype(np.float64), np.diff(self._sums.view[at]).astype(np.float64)

    def _begin(self, session: int) -> None:
        self._scope, self._arranged = session, 0
        memory = self._tables.chunks
        self._sorted_time, self._sums = Growing(np.float64, memory), Growing(np.int64, memory)
        self._sums.append(np.zeros(1, np.int64))

    def _arrange(self) -> None:
        """Put what is new behind the rest; everything anew only where times go back beyond what is there."""
        first = self._arranged
        time, sizes = self._time.view[first:], self._bytes.view[first:]
        if self._scope >= 0:
            own = self._session.view[first:] == self._scope
            time, sizes = time[own], sizes[own]
        order = np.argsort(time, kind="stable")
        time, sizes = time[order], sizes[order]
        self._arranged = len(self._time)
        if len(time) and len(self._sorted_time) and time[0] < self._sorted_time.view[-1]:
            self._begin(self._scope)
            self._arrange()
            return
        self._sorted_time.append(time)
        self._sums.append(self._sums.view[-1] + np.cumsum(sizes))
