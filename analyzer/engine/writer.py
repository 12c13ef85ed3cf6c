"""The one writer: merges what the readings produced in a batch into the tables, in the order of (packet, ordinal).

A row is decided by its packet, or, where a reading began later and read the flow's earlier packets again, by the packet
that began it. So the tables do not depend on how the capture was cut into batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import accumulate, pairwise
from operator import itemgetter

import numpy as np

from analyzer.store.columns import Array, Ints
from analyzer.store.row_buffer import RowNumbers, place_of
from analyzer.store.row_columns import (
    A_COLUMN,
    A_LOCAL,
    A_VALUE,
    AMEND_BASE,
    AMEND_CAUSE,
    M_NAME,
    M_PACKET,
    MESSAGE_COLUMNS,
    P_PACKET,
    P_SESSION,
    P_SNAPSHOT,
    PACKET_COLUMNS,
    R_NUMBER,
    R_ORDINAL,
    R_PACKET,
    S_BASE,
    S_CAUSE,
    S_FIRST_PART,
    S_PACKET,
    S_PART_COUNT,
    S_SESSION,
    SNAPSHOT_COLUMNS,
)
from analyzer.store.rows import FindingRow, Handed, SessionRow, TypeCount
from analyzer.store.tables import Tables

_SESSION_COLUMNS = tuple(field.name for field in fields(SessionRow))
_LATE_COLUMNS = ("kind", "flags", "ack", "chunks", "code", "severity")
"""Columns of a packet that are no reference."""


def merge(tables: Tables, handed: Iterable[Handed]) -> None:
    """Append every row handed over and translate local numbers into rows.

    Publishes nothing but what packets that readers see already refer to from now on.
    """
    filled = [rows for rows in handed if rows.pending]
    if not filled:
        return
    batch = _Batch(filled)
    new_sessions = _merge_sessions(tables, filled)
    order = _order(batch.snapshots.matrix[:, S_PACKET], batch.snapshots.spread(batch.begun))
    new_snapshots = _ranks(order, tables.snapshots.appended, batch.snapshots.edges)
    for rows, sessions, snapshots in zip(filled, new_sessions, new_snapshots, strict=True):
        rows.owner.session_rows.extend(sessions)
        rows.owner.snapshot_rows.extend(snapshots)
    references = _References(tables)
    _amend_packets(tables, batch, references)
    carriers = _merge_messages(tables, batch, references)
    _merge_snapshots(tables, batch, order, carriers)
    _merge_findings(tables, filled)
    _store_blocks(tables, filled)
    _amend_sessions(tables, filled)
    _amend_snapshots(tables, batch)
    _count_types(tables, filled)
    references.settle()


class _References:
    """What packets say of rows that are appended in this merge.

    A packet that is published, as it was read otherwise before, says it when readers may see those rows.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._published = len(tables.packets)
        self._waiting: list[tuple[Ints, dict[str, Ints]]] = []

    def set(self, packets: Ints, columns: Mapping[str, Ints]) -> None:
        """The values of columns for rows of `packets`, each of shape (n,)."""
        seen = packets < self._published
        for own in (seen, ~seen):
            if not own.any():
                continue
            part = packets[own], {name: values[own] for name, values in columns.items()}
            if own is seen:
                self._waiting.append(part)
            else:
                self._tables.packets.amend_together(*part)

    def settle(self) -> None:
        """Publish what published packets refer to, and let them."""
        if not self._waiting:
            return
        tables = self._tables
        for table in (tables.sessions, tables.messages, tables.parts, tables.snapshots):
            table.publish()
        for packets, columns in self._waiting:
            tables.packets.amend_together(packets, columns)


class _Joined:
    """The rows of one kind of all buffers, one buffer behind the other: `matrix`, shape (n, columns)."""

    def __init__(self, matrices: Sequence[Ints]) -> None:
        self.matrix = np.concatenate(matrices)
        self._lengths = np.array([len(matrix) for matrix in matrices], dtype=np.int64)
        self.edges: list[int] = [0, *np.cumsum(self._lengths).tolist()]
        """Where each buffer's rows begin, and the end."""

    def __len__(self) -> int:
        return len(self.matrix)

    def spread(self, values: Ints) -> Ints:
        """One value of each buffer, repeated for each of its rows; shape (n,)."""
        return np.repeat(values, self._lengths)

    def rows(self, numbers: Sequence[RowNumbers], local: Ints) -> Ints:
        """Local numbers, shape (n,), as the rows that each buffer's `numbers` give them."""
        found = np.empty(len(local), dtype=np.int64)
        places = place_of(local)
        for own, start, stop in zip(numbers, self.edges, self.edges[1:], strict=False):
            if start < stop:
                found[start:stop] = own.placed[places[start:stop]]
        return found


class _Batch:
    """What several readings produced."""

    def __init__(self, filled: Sequence[Handed]) -> None:
        taken = [rows.buffers for rows in filled]
        self.filled = filled
        self.begun = np.array([rows.owner.begun_by for rows in filled], dtype=np.int64)
        self.sessions = [rows.owner.session_rows for rows in filled]
        self.snapshot_rows = [rows.owner.snapshot_rows for rows in filled]
        self.packets = _Joined([buffers.packets for buffers in taken])
        self.messages = _Joined([buffers.messages for buffers in taken])
        self.snapshots = _Joined([buffers.snapshots for buffers in taken])
        self.parts = _Joined([buffers.parts for buffers in taken])
        self.amendments = _Joined([buffers.amendments for buffers in taken])


def _order(packets: Ints, begun: Ints) -> Ints:
    """Stable order by deciding packet; rows of one packet belong to one reading and keep their order."""
    return np.argsort(np.maximum(packets, begun), kind="stable")


def _ranks(order: Ints, first: int, edges: Sequence[int]) -> list[Ints]:
    """The row each entry gets, split by buffer."""
    rows = np.empty(len(order), dtype=np.int64)
    rows[order] = np.arange(first, first + len(order))
    return [rows[start:stop] for start, stop in pairwise(edges)]


def _objects_order(decided: Iterable[tuple[Handed, int]]) -> list[int]:
    """`_order` for objects, given as their buffers and packets."""
    deciding = [max(packet, rows.owner.begun_by) for rows, packet in decided]
    return sorted(range(len(deciding)), key=deciding.__getitem__)


def _merge_sessions(tables: Tables, filled: Sequence[Handed]) -> list[Ints]:
    sessions = [session for rows in filled for session in rows.sessions]
    edges = [0, *np.cumsum([len(rows.sessions) for rows in filled]).tolist()]
    readings = [rows.owner.reading for rows in filled for _ in rows.sessions]
    order = _objects_order((rows, session.first_packet) for rows in filled for session in rows.sessions)
    columns: dict[str, Sequence[object]] = {
        name: [getattr(sessions[index], name) for index in order] for name in _SESSION_COLUMNS
    }
    columns["reading"] = [readings[index] for index in order]
    columns["last_packet"] = columns["first_packet"]
    first = tables.sessions.append(columns, len(sessions))
    return _ranks(np.array(order, dtype=np.int64), first, edges)


def _amend_packets(tables: Tables, batch: _Batch, references: _References) -> None:
    packets = batch.packets
    numbers = packets.matrix[:, P_PACKET]
    late = {column: packets.matrix[:, PACKET_COLUMNS.index(column)] for column in _LATE_COLUMNS}
    sessions = packets.rows(batch.sessions, packets.matrix[:, P_SESSION])
    snapshots = packets.rows(batch.snapshot_rows, packets.matrix[:, P_SNAPSHOT])
    tables.packets.amend_together(numbers, late)
    references.set(numbers, {"session": sessions, "snapshot": snapshots})
    _unlink_messages(tables, batch)
    known = sessions >= 0
    for start, stop in pairwise(packets.edges):
        own = known[start:stop]
        tables.sessions.amend("last_packet", sessions[start:stop][own], numbers[start:stop][own])


def _unlink_messages(tables: Tables, batch: _Batch) -> None:
    """A packet that is read anew lets go of an older reading's messages; one that is resumed keeps its own."""
    numbers = batch.packets.matrix[:, P_PACKET]
    if not (tables.packets.take("first_message", numbers).astype(np.int64) >= 0).any():
        return
    for rows, (start, stop) in zip(batch.filled, pairwise(batch.packets.edges), strict=True):
        own = numbers[start:stop]
        first = tables.packets.take("first_message", own).astype(np.int64)
        linked = np.flatnonzero(first >= 0)
        foreign = linked[tables.messages.take("reading", first[linked]) != rows.owner.reading]
        tables.packets.amend("first_message", own[foreign], np.full(len(foreign), -1))


def _merge_messages(tables: Tables, batch: _Batch, references: _References) -> tuple[Ints, Ints]:
    """The packets that have messages here, ascending, and the first message of each."""
    messages = batch.messages
    if not len(messages):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    order = _order(messages.matrix[:, M_PACKET], messages.spread(batch.begun))
    ordered = messages.matrix[order]
    columns: dict[str, Array] = {name: ordered[:, index] for index, name in enumerate(MESSAGE_COLUMNS)}
    columns["name"] = _name_numbers(tables, batch, order)
    columns["reading"] = messages.spread(np.array([rows.owner.reading for rows in batch.filled], dtype=np.int64))[order]
    first = tables.messages.append(columns, len(messages))
    packets, starts = np.unique(ordered[:, M_PACKET], return_index=True)
    references.set(packets, {"first_message": starts + first})
    return packets, starts + first


def _name_numbers(tables: Tables, batch: _Batch, order: Ints) -> Ints:
    """The writer's numbers of the messages' names in the order given, which is that of new numbers."""
    for rows in batch.filled:
        more = len(rows.owner.names) - len(rows.owner.name_numbers)
        if more:
            rows.owner.name_numbers = np.concatenate((rows.owner.name_numbers, np.full(more, -1, dtype=np.int32)))
    edges = [0, *accumulate(len(rows.owner.name_numbers) for rows in batch.filled)]
    starts = np.array(edges[:-1], dtype=np.int64)
    numbers = np.concatenate([rows.owner.name_numbers for rows in batch.filled]).astype(np.int64)
    used = (batch.messages.matrix[:, M_NAME] + batch.messages.spread(starts))[order]
    new = list(dict.fromkeys(used[numbers[used] < 0].tolist()))
    owners: list[int] = (np.searchsorted(starts, np.array(new, dtype=np.int64), side="right") - 1).tolist()
    for index, owner in zip(new, owners, strict=True):
        numbers[index] = tables.names.number(batch.filled[owner].owner.names[index - edges[owner]])
    for owner in set(owners):
        batch.filled[owner].owner.name_numbers[:] = numbers[edges[owner] : edges[owner + 1]]
    return numbers.take(used)


def _merge_snapshots(tables: Tables, batch: _Batch, order: Ints, messages: tuple[Ints, Ints]) -> None:
    """`messages`: as from `_merge_messages`."""
    snapshots = batch.snapshots
    if not len(snapshots):
        return
    ordered = snapshots.matrix[order]
    columns: dict[str, Array] = {name: ordered[:, index] for index, name in enumerate(SNAPSHOT_COLUMNS)}
    columns["session"] = snapshots.rows(batch.sessions, snapshots.matrix[:, S_SESSION])[order]
    for name, column in (("base", S_BASE), ("cause", S_CAUSE)):
        columns[name] = snapshots.rows(batch.snapshot_rows, snapshots.matrix[:, column])[order]
    counts = ordered[:, S_PART_COUNT]
    before = np.cumsum(counts) - counts
    begin = ordered[:, S_FIRST_PART] + snapshots.spread(np.array(batch.parts.edges[:-1], dtype=np.int64))[order]
    parts = batch.parts.matrix[np.repeat(begin - before, counts) + np.arange(counts.sum())]
    carriers = _first_messages(tables, parts[:, R_PACKET], *messages)
    first = tables.parts.append({"message": carriers + parts[:, R_ORDINAL], "number": parts[:, R_NUMBER]}, len(parts))
    columns["first_part"] = np.where(counts > 0, first + before, -1)
    tables.snapshots.append(columns, len(snapshots))


def _first_messages(tables: Tables, packets: Ints, fresh: Ints, first: Ints) -> Ints:
    """The first message of each packet: of those in `fresh`, ascending, the one in `first`."""
    known = tables.packets.take("first_message", packets).astype(np.int64)
    if len(fresh):
        places = np.minimum(np.searchsorted(fresh, packets), len(fresh) - 1)
        known = np.where(fresh[places] == packets, first[places], known)
    return known


def _merge_findings(tables: Tables, filled: Sequence[Handed]) -> None:
    found: list[tuple[Handed, FindingRow]] = [(rows, row) for rows in filled for row in rows.findings]
    ordered = [found[index] for index in _objects_order((rows, row.packet) for rows, row in found)]
    pick: dict[str, Callable[[Handed, FindingRow], object]] = {
        "reading": lambda rows, _: rows.owner.reading,
        "rule": lambda _, row: tables.rules.number(row.rule),
        "severity": lambda _, row: row.severity,
        "packet": lambda _, row: row.packet,
        "snapshot": lambda rows, row: rows.owner.snapshot_rows[row.snapshot],
        "offset": lambda _, row: row.offset,
        "text": lambda _, row: row.text,
    }
    tables.findings.append({name: [value(*one) for one in ordered] for name, value in pick.items()}, len(ordered))


def _store_blocks(tables: Tables, filled: Sequence[Handed]) -> None:
    found = [(rows.owner.snapshot_rows[local], packed) for rows in filled for local, packed in rows.blocks]
    for snapshot, packed in sorted(found, key=itemgetter(0)):
        tables.blocks.put(snapshot, packed)


def _amend_sessions(tables: Tables, filled: Sequence[Handed]) -> None:
    by_column: dict[str, tuple[list[int], list[object]]] = {}
    for rows in filled:
        for amend in rows.session_amendments:
            numbers, values = by_column.setdefault(amend.column, ([], []))
            numbers.append(rows.owner.session_rows[amend.local])
            values.append(amend.value)
    for column, (numbers, values) in by_column.items():
        tables.sessions.amend(column, numbers, values)


def _amend_snapshots(tables: Tables, batch: _Batch) -> None:
    """Column by column, the one first that was amended first, and each in the order in which the readings said it."""
    amendments = batch.amendments
    if not len(amendments):
        return
    columns, values = amendments.matrix[:, A_COLUMN], amendments.matrix[:, A_VALUE]
    numbers = amendments.rows(batch.snapshot_rows, amendments.matrix[:, A_LOCAL])
    refers = (columns == AMEND_BASE) | (columns == AMEND_CAUSE)
    if refers.any():
        rows = amendments.rows(batch.snapshot_rows, np.where(refers, values, -1))
        values = np.where(refers, rows, values)
    first = np.unique(columns, return_index=True)[1]
    for column in columns[np.sort(first)].tolist():
        chosen = columns == column
        tables.snapshots.amend(SNAPSHOT_COLUMNS[column], numbers[chosen], values[chosen])


def _count_types(tables: Tables, filled: Sequence[Handed]) -> None:
    """Add to the counts of item types; new ones stand in the order in which the capture first had them."""
    known = tables.type_rows
    counts: list[tuple[tuple[int, str], TypeCount]] = []
    unknown: list[tuple[int, tuple[int, str]]] = []
    for rows in filled:
        for (session, name), count in rows.types.items():
            key = rows.owner.session_rows[session], name
            counts.append((key, count))
            if key not in known:
                unknown.append((max(count.packet, rows.owner.begun_by), key))
    if not counts:
        return
    new = [key for _, key in sorted(unknown, key=itemgetter(0))]
    first = tables.types.append(
        {"session": [session for session, _ in new], "name": [name for _, name in new]}, len(new)
    )
    known.update({key: row for row, key in enumerate(new, first)})
    numbers = np.asarray([known[key] for key, _ in counts], dtype=np.int64)
    for column in ("updates", "values"):
        added = np.asarray([getattr(count, column) for _, count in counts], dtype=np.int64)
        tables.types.amend(column, numbers, tables.types.take(column, numbers).astype(np.int64) + added)
