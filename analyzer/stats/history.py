"""The snapshots of one session in their order: where a person looks, and what was there by then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.snapshots.status import REPEATED
from analyzer.stats.live import Ints
from analyzer.stats.snapshots import failed_mask, root_statuses
from analyzer.store.chunk_memory import ChunkMemory
from analyzer.store.columns import CHUNK_ROWS
from analyzer.store.growing import Growing
from analyzer.store.tables import Tables

LOOKED_FOR = 4096
"""The rows of a session that has fewer are found in the table again, once it has ended."""


@dataclass(frozen=True, slots=True)
class History:
    """A session's snapshots in the order of the packets that decided them, arrays of shape (n,), not to be written."""

    rows: NDArray[np.int32]
    """Ascending."""
    packets: NDArray[np.int32]
    """Ascending."""
    ticks: NDArray[np.int32]
    base_ticks: NDArray[np.int32]

    def at(self, packet: int) -> int:
        """Index of the newest snapshot when `packet` was captured, -1 if there was none. A packet of -1 is the end."""
        if packet < 0:
            return len(self.rows) - 1
        # A number of another width would have all of the array copied.
        return int(np.searchsorted(self.packets, np.int32(packet), side="right")) - 1

    def newest(self, packet: int, snapshot: int) -> int:
        """Index of row `snapshot`, if it is one of these; else what `at` says.

        A snapshot is decided by a later packet than its own parts came in, where a part is missing.
        """
        found = int(np.searchsorted(self.rows, np.int32(snapshot)))
        is_here = found < len(self.rows) and self.rows[found] == snapshot
        return found if is_here else self.at(packet)

    def first_failed(self, tables: Tables) -> int:
        """Row of the first snapshot that failed, of the last one if none did."""
        rows = self.rows.astype(np.int64)
        status = tables.snapshots.take("status", rows).astype(np.int64)
        failed = np.flatnonzero(failed_mask(status, root_statuses(tables, rows)))
        return int(self.rows[failed[0] if len(failed) else -1])


class GrowingHistory:
    """A session's history while snapshots come."""

    def __init__(self, memory: ChunkMemory) -> None:
        self._memory = memory
        self._columns: tuple[Growing[np.int32], ...] = ()
        """None before the second portion: most captures are counted once, and at once."""
        self._made: History | None = None

    def __len__(self) -> int:
        return 0 if self._made is None else len(self._made.rows)

    @property
    def last(self) -> int:
        """The newest row; -1 where there is none."""
        return -1 if self._made is None else int(self._made.rows[-1])

    def append(self, rows: Ints, packets: Ints, ticks: Ints, base_ticks: Ints) -> None:
        """The next snapshots, shape (n,), one or more."""
        new = [values.astype(np.int32) for values in (rows, packets, ticks, base_ticks)]
        if self._made is None:
            self._made = History(*new)
            return
        if not self._columns:
            made = self._made
            self._columns = tuple(Growing(np.int32, self._memory) for _ in new)
            for column, values in zip(
                self._columns, (made.rows, made.packets, made.ticks, made.base_ticks), strict=True
            ):
                column.append(values)
        # An array that something refers to cannot grow where it is.
        self._made = None
        for column, values in zip(self._columns, new, strict=True):
            column.append(values)
        self._made = History(*(column.view for column in self._columns))

    @property
    def history(self) -> History:
        """As it is now, which has snapshots."""
        assert self._made is not None
        return self._made


class Histories(Mapping[int, History]):
    """Histories by session, none for one without snapshots; those not kept are made when they are asked for."""

    def __init__(self, tables: Tables, kept: dict[int, History], sessions: Ints, spans: Ints) -> None:
        """`spans`, shape (n, 2): first and last row of each of `sessions`, which are ascending."""
        self._tables = tables
        self._kept = kept
        self._sessions = sessions
        self._spans = spans

    def __getitem__(self, session: int) -> History:
        span = self.span(session)
        return self._kept.get(session) or looked_for(self._tables, session, *span)

    def __iter__(self) -> Iterator[int]:
        return iter(self._sessions.tolist())

    def __len__(self) -> int:
        return len(self._sessions)

    def is_kept(self, session: int) -> bool:
        """Nothing has to be looked for; always so while snapshots come."""
        return session in self._kept

    def span(self, session: int) -> tuple[int, int]:
        """First and last row of a session. Raises KeyError for one that has none."""
        index = int(np.searchsorted(self._sessions, session))
        if index == len(self._sessions) or self._sessions[index] != session:
            raise KeyError(session)
        first, last = self._spans[index].tolist()
        return first, last


NO_HISTORIES = Histories(Tables(), {}, np.empty(0, np.int64), np.empty((0, 2), np.int64))


def looked_for(tables: Tables, session: int, first: int, last: int) -> History:
    """The history of a session whose snapshots are all from row `first` to row `last`."""
    rows = rows_of(tables, session, first, last)
    packets, ticks, base_ticks = (
        tables.snapshots.take(name, rows).astype(np.int32) for name in ("packet", "tick", "base_tick")
    )
    return History(rows.astype(np.int32), packets, ticks, base_ticks)


def rows_of(tables: Tables, session: int, first: int, last: int) -> Ints:
    """Rows first to last of `snapshots` that are the session's and do not repeat another, ascending."""
    found = []
    for start in range(first, last + 1, CHUNK_ROWS):
        stop = min(start + CHUNK_ROWS, last + 1)
        found.append(np.flatnonzero(tables.snapshots.array("session", start, stop) == session) + start)
    rows = np.concatenate(found)
    return rows[~np.isin(tables.snapshots.take("status", rows), REPEATED)]
