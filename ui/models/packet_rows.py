"""Which packets the list shows in which rows: all, those of a session or of a filter, in capture order or sorted.

Knows no Qt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analyzer.engine.query import Query
from analyzer.store.columns import CHUNK_ROWS
from analyzer.store.growing import Growing
from analyzer.store.tables import Tables
from ui.marks import Bools, PacketSet
from ui.models.added_columns import AddedColumn
from ui.models.packet_cells import Column, PacketCells, Rows
from ui.models.packet_kept import Judged, Kept
from ui.models.packet_order import KeptRows, chosen_rows, sorted_by, sorted_rows

SCAN_ROWS = 1 << 16
"""Rows whose packets are looked up in a set at a time."""
SEARCH_ROWS = 4096
"""Rows looked through at a time."""
RESORT_SHARE = 4
"""While decoding, rows stand behind the sorted ones until they are a quarter of these; then all are sorted anew."""
AT_ONCE = 100_000
"""So many rows are sorted while the window waits, within a frame; more elsewhere."""
ALL = -1
MOST_EDITS = 64
"""So many rows are put in or taken out one by one where a filter changes its mind; of more, all are chosen anew."""
MOST_MOVED = 1 << 26
"""Row numbers that this may copy."""


@dataclass(frozen=True, slots=True)
class Order:
    """Packets in an order that was asked for."""

    version: int
    rows: Growing[np.int32]
    """Packets by row."""
    places: Growing[np.int32]
    """Row by packet, -1 of those that are not shown."""


class PacketRows:
    """Row numbers over the packets that were taken in.

    Many rows are not sorted here: while `wants_sort`, what `ordering` returns is to be called, on any thread, and its
    result given to `take`. Until then they stand as they stood.
    """

    def __init__(self, tables: Tables, cells: PacketCells, session: int) -> None:
        self._tables = tables
        self._cells = cells
        self._count = len(tables.packets)
        self._rows: Growing[np.int32] | None = None
        """Packets by row; None: every packet in capture order."""
        self._shown: Growing[np.int32] | None = None
        """The same in capture order."""
        self._places: Growing[np.int32] | None = None
        """Row by packet, made when asked for, -1 of those that are not shown."""
        self._sorted = 0
        """Rows that are in order; those behind came later."""
        self._column: Column | AddedColumn | None = None
        self._descending = False
        self._session = session
        self._passing: Kept | None = None
        self._version = 0
        self.rebuild()

    def __len__(self) -> int:
        return self._count if self._rows is None else len(self._rows)

    @property
    def count(self) -> int:
        """Packets taken in, whether they are shown or not."""
        return self._count

    @property
    def column(self) -> Column | AddedColumn | None:
        """What rows are sorted by; None: capture order."""
        return self._column

    @property
    def version(self) -> int:
        """Another one for each choice of rows and of their order."""
        return self._version

    @property
    def session(self) -> int:
        """The session whose packets are shown, -1 for all."""
        return self._session

    @property
    def is_limited(self) -> bool:
        """Not all packets are shown: those of one session, or what a filter lets through."""
        return self._session != ALL or self._passing is not None

    def packet_at(self, row: int) -> int:
        """The packet in a row."""
        return row if self._rows is None else int(self._rows.view[row])

    def packets(self, start: int, stop: int) -> Rows:
        """The packets in rows start to stop - 1, shape (stop - start,)."""
        return np.arange(start, stop) if self._rows is None else self._rows.view[start:stop].astype(np.int64)

    def choose(self, start: int, stop: int, mask: Bools) -> None:
        """Set the packets in rows start to stop - 1 in a mask over all packets."""
        if self._rows is None:
            mask[start:stop] = True
        elif self._shown is None and (start, stop) == (0, len(self)):
            mask[:] = True
        else:
            mask[self._rows.view[start:stop]] = True

    def row_of(self, packet: int) -> int:
        """The row of a packet, -1 if it is not shown."""
        if not 0 <= packet < self._count:
            return -1
        if self._rows is None:
            return packet
        if self._places is None:
            self._places = _places(self._tables, self._rows.view, self._count)
        return int(self._places.view[packet])

    def before(self, packets: Rows) -> Rows:
        """For each packet the one that is shown before it in the capture, -1: none; shape as `packets`."""
        if self._shown is None:
            return packets - 1
        shown = self._shown.view
        if not len(shown):
            return np.full(len(packets), -1)
        places = np.searchsorted(shown, packets) - 1
        return np.where(places >= 0, shown[np.maximum(places, 0)], -1).astype(np.int64)

    def next_like(self, column: str, row: int, step: int, without: PacketSet) -> int:
        """The next row (step 1), or the one before (-1), with the same value in a column of `packets`; -1: none."""
        if row < 0:
            return -1
        packets = self._tables.packets
        value = packets.integer(column, self.packet_at(row))

        def alike(start: int, stop: int) -> Bools:
            rows = self.packets(start, stop)
            same = np.asarray(packets.take(column, rows) == value)
            return same & ~without.has(rows) if len(without) else same

        return self._next(alike, row, step, SEARCH_ROWS)

    def next_in(self, chosen: PacketSet, row: int, step: int) -> int:
        """The next row (step 1) after `row`, or the one before (-1), of a packet in a set; -1 if there is none."""
        if not len(chosen):
            return -1
        if self._rows is None:
            return self._next(chosen.mask, row, step, SCAN_ROWS)
        return self._next(lambda start, stop: chosen.has(self._kept(start, stop)), row, step, SCAN_ROWS)

    def _kept(self, start: int, stop: int) -> KeptRows:
        assert self._rows is not None
        return self._rows.view[start:stop]

    def _next(self, fits: Callable[[int, int], Bools], row: int, step: int, portion: int) -> int:
        """The nearest row after or before `row` that `fits` says is wanted of some; -1: none."""
        count = len(self)
        for start in range(row + 1, count, portion) if step > 0 else range(row - portion, -portion, -portion):
            first, stop = max(0, start), min(count, start + portion)
            found = np.flatnonzero(fits(first, stop)) if stop > first else ()
            if len(found):
                return first + int(found[0 if step > 0 else -1])
        return -1

    def sort(self, column: Column | AddedColumn | None, *, descending: bool) -> None:
        """The same packets by another column, or in capture order."""
        self._column, self._descending = column, descending
        self.resort()

    def resort(self) -> None:
        """The same packets, all of them in order."""
        self._version += 1
        self._sorted = 0
        if self._column is None:
            self._places = None
            self._rows = self._shown
        elif len(self) <= AT_ONCE and isinstance(self._column, Column):
            self.take(self.ordering()())

    def ordering(self) -> Callable[..., Order]:
        """What puts the packets in the order by the column that was chosen; an added one needs a query."""
        tables, cells, column, descending = self._tables, self._cells, self._column, self._descending
        version, count = self._version, self._count
        shown = None if self._shown is None else self._shown.view
        assert column is not None

        def order(query: Query | None = None) -> Order:
            chosen = shown if shown is not None else _every(tables, count).view
            found: Growing[np.int32] = Growing(np.int32, tables.chunks)
            if isinstance(column, Column):
                found.append(sorted_rows(tables, cells, chosen, column, descending=descending))
            else:
                assert query is not None
                assert cells.added is not None
                keys = cells.added.sort_keys(column, query, count)
                found.append(sorted_by(tables, lambda rows: [keys[rows]], chosen, descending=descending))
            return Order(version, found, _places(tables, found.view, count))

        return order

    def take(self, order: Order) -> None:
        """Put rows in order, unless another one was asked for since; those that came since then stay behind."""
        if order.version != self._version:
            return
        came = (
            self.packets(len(order.rows), len(self)) if self.is_limited else np.arange(len(order.places), self._count)
        )
        self._sorted = len(order.rows)
        self._rows, self._places = order.rows, order.places
        self._stand_behind(came)

    def limit_to(self, session: int) -> None:
        """The packets of one session, or all (-1)."""
        self._session = session
        self.rebuild()

    def keep(self, kept: Kept | None) -> None:
        """Only the packets that a filter lets through, or all. Say by `judged` when it says more."""
        self._passing = kept
        self.rebuild()

    def rebuild(self) -> None:
        """Choose anew, and sort."""
        self._shown = self._chosen() if self.is_limited else None
        self._rows, self._places = self._shown, None
        self.resort()

    def arriving(self, count: int) -> Rows:
        """What `append` has to be given when `count` packets are there: the new ones that are shown."""
        # What a filter says of them comes later.
        new = np.arange(self._count, count if self._passing is None else self._count)
        return self._of_session(new)

    def append(self, new: Rows, count: int) -> None:
        """Take in packets, those of `new` as rows at the end."""
        self._count = count
        if self._shown is not None and self._shown is not self._rows:
            self._shown.append(new.astype(np.int32))
        self._stand_behind(new)

    @property
    def wants_sort(self) -> bool:
        """None are sorted yet, or so many stand behind the sorted ones that all should be sorted anew."""
        return self._column is not None and (len(self) - self._sorted) * RESORT_SHARE > self._sorted

    def judged(self, judged: Judged) -> Judged:
        """Of what a filter says now, what is shown here."""
        return Judged(self._of_session(judged.new), self._of_session(judged.came), self._of_session(judged.went))

    def edits(self, judged: Judged) -> list[tuple[int, int]] | None:
        """Rows to change one after the other: a row, and the packet to put there, or -1 to take out the one there.

        None: rows have to be chosen anew, because they are sorted, or because of their number.
        """
        count = len(judged.came) + len(judged.went)
        if self._column is not None or self._rows is None or count > MOST_EDITS or count * len(self) > MOST_MOVED:
            return None
        rows = self._rows.view
        taken = np.searchsorted(rows, judged.went)
        if not np.array_equal(rows[taken[taken < len(rows)]], judged.went):
            # They became another session's meanwhile.
            return None
        left = np.delete(rows, taken)
        places = np.searchsorted(left, judged.came) + np.arange(len(judged.came))
        out = [(row, -1) for row in reversed(taken.tolist())]
        return out + list(zip(places.tolist(), judged.came.tolist(), strict=True))

    def edit(self, row: int, packet: int) -> None:
        """Do one of `edits`."""
        assert self._rows is not None
        rows = self._rows.view
        changed = np.delete(rows, row) if packet < 0 else np.insert(rows, row, packet)
        self._shown = self._rows = Growing(np.int32, self._tables.chunks)
        self._rows.append(changed)
        self._places = None

    def nearest_row(self, packet: int) -> int:
        """The row of a packet, or of the one nearest to it in the capture; -1: none is shown."""
        if self._shown is None or not len(self._shown):
            return self.row_of(packet)
        shown = self._shown.view
        at = int(np.searchsorted(shown, packet))
        beside = shown[max(0, at - 1) : at + 1]
        return self.row_of(int(beside[np.abs(beside - packet).argmin()]))

    def found_late(self) -> Rows | None:
        """Packets that turned out to be the session's: to append, or None where all has to be chosen anew."""
        rows = self._chosen().view
        shown = np.empty(0, np.int32) if self._rows is None else self._rows.view
        if np.array_equal(rows, np.sort(shown)):
            return np.arange(0)
        if self._column is None and np.array_equal(rows[: len(shown)], shown):
            return rows[len(shown) :].astype(np.int64)
        return None

    def _chosen(self) -> Growing[np.int32]:
        return chosen_rows(self._tables, self._session, self._passing, self._count)

    def _of_session(self, packets: Rows) -> Rows:
        if self._session == ALL:
            return packets
        return np.asarray(packets[self._tables.packets.take("session", packets) == self._session])

    def _stand_behind(self, packets: Rows) -> None:
        """Rows at the end."""
        if self._rows is None:
            return
        first = len(self._rows)
        self._rows.append(packets.astype(np.int32))
        if self._places is not None:
            self._places.append(np.full(self._count - len(self._places), -1, np.int32))
            self._places.view[packets] = np.arange(first, len(self._rows))


def _every(tables: Tables, count: int) -> Growing[np.int32]:
    """The first `count` packets."""
    rows: Growing[np.int32] = Growing(np.int32, tables.chunks)
    for start in range(0, count, CHUNK_ROWS):
        rows.append(np.arange(start, min(start + CHUNK_ROWS, count), dtype=np.int32))
    return rows


def _places(tables: Tables, rows: KeptRows, count: int) -> Growing[np.int32]:
    """Row by packet, of `count` packets."""
    places: Growing[np.int32] = Growing(np.int32, tables.chunks)
    for start in range(0, count, CHUNK_ROWS):
        places.append(np.full(min(CHUNK_ROWS, count - start), -1, np.int32))
    for start in range(0, len(rows), CHUNK_ROWS):
        some = rows[start : start + CHUNK_ROWS]
        places.view[some] = np.arange(start, start + len(some))
    return places
