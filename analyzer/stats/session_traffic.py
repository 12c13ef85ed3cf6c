"""Packets of every session and the bytes its server sent: counted as they come, corrected where they were amended."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.live import Ints
from analyzer.store.columns import CHUNK_ROWS
from analyzer.store.growing import Growing
from analyzer.store.tables import Tables

_BYTES = 2
"""Columns: packets of each direction, then their bytes."""


class Totals:
    """Sums by session, a row each; they grow with the sessions."""

    def __init__(self, width: int) -> None:
        self._sums = np.zeros((0, width), np.int64)

    def fit(self, sessions: int) -> None:
        """Have a row for each of so many sessions."""
        if sessions > len(self._sums):
            larger = np.zeros((max(sessions, 2 * len(self._sums)), self._sums.shape[1]), np.int64)
            larger[: len(self._sums)] = self._sums
            self._sums = larger

    def __len__(self) -> int:
        """Rows there are, also of sessions that are yet to come."""
        return len(self._sums)

    def row(self, session: int) -> Ints:
        """All of one session, which has a row; writable."""
        row: Ints = self._sums[session]
        return row

    def add(self, sessions: Ints, column: int, values: NDArray[np.generic]) -> None:
        """Add `values` to a sum of their sessions, both of shape (n,)."""
        if len(sessions):
            found = np.bincount(sessions, weights=values)
            self._sums[: len(found), column] += np.rint(found).astype(np.int64)

    def column(self, column: int) -> Ints:
        """A sum of every session."""
        return self._sums[:, column]

    def of(self, session: int, column: int) -> int:
        """A sum of one; 0 where nothing was added."""
        return int(self._sums[session, column]) if session < len(self._sums) else 0


class SessionTraffic:
    """Call `update` when rows were added or amended."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._journal = tables.journal.reader()
        self._session: Growing[np.int32] = Growing(np.int32, tables.chunks)
        """Of each packet, as it was counted."""
        self._totals = Totals(2 * _BYTES)
        self._changed: set[int] = set()

    def update(self) -> None:
        """Take in what was published and amended since the last call."""
        amendments = self._journal.take()
        known, published = len(self._session), len(self._tables.packets)
        for amendment in amendments:
            if (amendment.table, amendment.column) == ("packets", "session"):
                for start in range(amendment.start, min(amendment.stop, known), CHUNK_ROWS):
                    self._count_again(start, min(start + CHUNK_ROWS, amendment.stop, known))
        for start in range(known, published, CHUNK_ROWS):
            stop = min(start + CHUNK_ROWS, published)
            sessions = self._tables.packets.array("session", start, stop).astype(np.int32)
            self._session.append(sessions)
            self._add(np.arange(start, stop), sessions, 1)

    def take_changed(self) -> set[int]:
        """Sessions of which a packet was counted or taken back since the last time."""
        changed, self._changed = self._changed, set()
        return changed

    def packets(self, session: int) -> int:
        """Packets of a session, of both directions."""
        return self._totals.of(session, 0) + self._totals.of(session, 1)

    def sent(self, session: int, direction: int) -> int:
        """Bytes of UDP payload of a direction, none of one below 0."""
        return self._totals.of(session, _BYTES + direction) if direction >= 0 else 0

    def _count_again(self, start: int, stop: int) -> None:
        sessions = self._tables.packets.array("session", start, stop).astype(np.int32)
        before = self._session.view[start:stop]
        changed = np.flatnonzero(before != sessions)
        self._add(changed + start, before[changed], -1)
        self._add(changed + start, sessions[changed], 1)
        before[changed] = sessions[changed]

    def _add(self, rows: Ints, sessions: NDArray[np.int32], sign: int) -> None:
        known = np.flatnonzero(sessions >= 0)
        if not len(known):
            return
        rows, mine = rows[known], sessions[known].astype(np.int64)
        self._totals.fit(int(mine.max()) + 1)
        self._changed.update(np.flatnonzero(np.bincount(mine)).tolist())
        packets = self._tables.packets
        directions, sizes = packets.take("direction", rows), packets.take("udp_length", rows).astype(np.int64)
        for direction in (0, 1):
            here = directions == direction
            self._totals.add(mine[here], direction, np.full(int(here.sum()), sign))
            self._totals.add(mine[here], _BYTES + direction, sign * sizes[here])
