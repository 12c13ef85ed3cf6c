"""The one writer: merges what the readings produced in a batch into the tables, in the order of (packet, ordinal).

A row is decided by its packet, or, where a reading began later and read the flow's earlier packets again, by the packet
that began it. So the tables do not depend on how the capture was cut into batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from analyzer.store.columns import Table
from analyzer.store.rows import Amend, FindingRow, MessageRow, PacketLate, Rows, SessionRow, SnapshotRow
from analyzer.store.tables import Tables

_PACKET_COLUMNS = ("kind", "flags", "ack", "chunks", "code", "severity")
_SESSION_COLUMNS = tuple(field.name for field in fields(SessionRow))
_SNAPSHOT_COLUMNS = tuple(
    field.name for field in fields(SnapshotRow) if field.name not in ("session", "base", "cause", "received")
)
_MESSAGE_COLUMNS = ("packet", "id", "flags", "sequence", "size", "offset", "code")
_REFERENCES = ("base", "cause")


def merge(tables: Tables, buffers: Iterable[Rows]) -> None:
    """Append every row in `buffers`, translate local numbers into rows, and empty the buffers. Publishes nothing."""
    filled = [rows for rows in buffers if rows.packets or rows.amendments or rows.snapshots]
    if not filled:
        return
    new_sessions = _merge_sessions(tables, filled)
    session_maps = [_Numbers(rows.session_rows, new) for rows, new in zip(filled, new_sessions, strict=True)]
    new_snapshots = _plan_snapshots(tables, filled)
    snapshot_maps = [_Numbers(rows.snapshot_rows, new) for rows, new in zip(filled, new_snapshots, strict=True)]
    _amend_packets(tables, filled, session_maps, snapshot_maps)
    _merge_messages(tables, filled)
    _merge_snapshots(tables, filled, session_maps, snapshot_maps)
    _merge_findings(tables, filled, snapshot_maps)
    for rows, snapshots in zip(filled, snapshot_maps, strict=True):
        for local, packed in rows.blocks:
            tables.blocks.put(snapshots[local], packed)
    _apply_amendments(tables, filled, session_maps, snapshot_maps)
    _count_types(tables, filled, session_maps)
    for rows, added_sessions, added_snapshots in zip(filled, new_sessions, new_snapshots, strict=True):
        rows.merged(added_sessions, added_snapshots)


class _Numbers:
    """Local number -> row: what the reading had, and what this batch adds. -1 stays -1."""

    def __init__(self, old: Sequence[int], new: Sequence[int]) -> None:
        self._old = old
        self._new = new

    def __getitem__(self, local: int) -> int:
        if local < 0:
            return -1
        known = len(self._old)
        return self._old[local] if local < known else self._new[local - known]


def _order(packets: Iterable[tuple[Rows, int]]) -> NDArray[np.int64]:
    """Stable order by deciding packet; rows of one packet belong to one reading and keep their order."""
    deciding = [max(packet, rows.begun_by) for rows, packet in packets]
    return np.argsort(np.asarray(deciding, dtype=np.int64), kind="stable")


def _ranks(order: NDArray[np.int64], first: int, lengths: Sequence[int]) -> list[list[int]]:
    """The row each entry gets, split by buffer."""
    rows = np.empty(len(order), dtype=np.int64)
    rows[order] = np.arange(first, first + len(order))
    result = []
    start = 0
    for length in lengths:
        result.append(rows[start : start + length].tolist())
        start += length
    return result


def _merge_sessions(tables: Tables, filled: list[Rows]) -> list[list[int]]:
    sessions = [session for rows in filled for session in rows.sessions]
    readings = [rows.reading for rows in filled for _ in rows.sessions]
    order = _order((rows, session.first_packet) for rows in filled for session in rows.sessions)
    columns: dict[str, Sequence[object]] = {
        name: [getattr(sessions[index], name) for index in order] for name in _SESSION_COLUMNS
    }
    columns["reading"] = [readings[index] for index in order]
    columns["last_packet"] = columns["first_packet"]
    first = tables.sessions.append(columns, len(sessions))
    return _ranks(order, first, [len(rows.sessions) for rows in filled])


def _plan_snapshots(tables: Tables, filled: list[Rows]) -> list[list[int]]:
    order = _order((rows, snapshot.packet) for rows in filled for snapshot in rows.snapshots)
    return _ranks(order, tables.snapshots.appended, [len(rows.snapshots) for rows in filled])


def _amend_packets(tables: Tables, filled: list[Rows], sessions: list[_Numbers], snapshots: list[_Numbers]) -> None:
    late: list[PacketLate] = [packet for rows in filled for packet in rows.packets]
    numbers = [packet.packet for packet in late]
    for column in _PACKET_COLUMNS:
        tables.packets.amend(column, numbers, [getattr(packet, column) for packet in late])
    tables.packets.amend(
        "session",
        numbers,
        [
            local[packet.session] if packet.session >= 0 else -1
            for rows, local in zip(filled, sessions, strict=True)
            for packet in rows.packets
        ],
    )
    tables.packets.amend(
        "snapshot",
        numbers,
        [local[packet.snapshot] for rows, local in zip(filled, snapshots, strict=True) for packet in rows.packets],
    )
    _unlink_messages(tables, filled)
    for rows, local in zip(filled, sessions, strict=True):
        last: dict[int, int] = {local[packet.session]: packet.packet for packet in rows.packets if packet.session >= 0}
        tables.sessions.amend("last_packet", last.keys(), last.values())


def _unlink_messages(tables: Tables, filled: list[Rows]) -> None:
    """A packet that is read anew lets go of an older reading's messages; one that is resumed keeps its own."""
    for rows in filled:
        numbers = np.asarray([packet.packet for packet in rows.packets], dtype=np.int64)
        first = tables.packets.take("first_message", numbers).astype(np.int64)
        linked = np.flatnonzero(first >= 0)
        foreign = linked[tables.messages.take("reading", first[linked]) != rows.reading]
        tables.packets.amend("first_message", numbers[foreign].tolist(), [-1] * len(foreign))


def _merge_messages(tables: Tables, filled: list[Rows]) -> None:
    messages: list[MessageRow] = [message for rows in filled for message in rows.messages]
    if not messages:
        return
    names = [rows.names[message.name] for rows in filled for message in rows.messages]
    readings = [rows.reading for rows in filled for _ in rows.messages]
    order = _order((rows, message.packet) for rows in filled for message in rows.messages)
    columns: dict[str, Sequence[object]] = {
        name: [getattr(messages[index], name) for index in order] for name in _MESSAGE_COLUMNS
    }
    columns["name"] = [tables.names.number(names[index]) for index in order]
    columns["reading"] = [readings[index] for index in order]
    first = tables.messages.append(columns, len(messages))
    packets, starts = np.unique(np.asarray(columns["packet"], dtype=np.int64), return_index=True)
    tables.packets.amend("first_message", packets.tolist(), (starts + first).tolist())


def _merge_snapshots(tables: Tables, filled: list[Rows], sessions: list[_Numbers], snapshots: list[_Numbers]) -> None:
    rows_of = [(index, row) for index, rows in enumerate(filled) for row in rows.snapshots]
    if not rows_of:
        return
    order = _order((filled[index], row.packet) for index, row in rows_of)
    ordered: list[tuple[int, SnapshotRow]] = [rows_of[index] for index in order]
    columns: dict[str, Sequence[object]] = {
        name: [getattr(row, name) for _, row in ordered] for name in _SNAPSHOT_COLUMNS
    }
    columns["session"] = [sessions[index][row.session] for index, row in ordered]
    columns["base"] = [snapshots[index][row.base] for index, row in ordered]
    columns["cause"] = [snapshots[index][row.cause] for index, row in ordered]
    columns["part_count"] = [len(row.received) for _, row in ordered]
    parts = [part for _, row in ordered for part in row.received]
    carriers = np.asarray([part.packet for part in parts], dtype=np.int64)
    messages = tables.packets.take("first_message", carriers).astype(np.int64)
    first = tables.parts.append(
        {
            "message": messages + np.asarray([part.ordinal for part in parts], dtype=np.int64),
            "number": [part.number for part in parts],
        },
        len(parts),
    )
    counts = np.asarray(columns["part_count"], dtype=np.int64)
    starts = first + np.cumsum(counts) - counts
    columns["first_part"] = np.where(counts > 0, starts, -1).tolist()
    tables.snapshots.append(columns, len(ordered))


def _merge_findings(tables: Tables, filled: list[Rows], snapshots: list[_Numbers]) -> None:
    found: list[tuple[_Numbers, FindingRow]] = [
        (local, row) for rows, local in zip(filled, snapshots, strict=True) for row in rows.findings
    ]
    order = _order((rows, row.packet) for rows in filled for row in rows.findings)
    ordered = [found[index] for index in order]
    pick: dict[str, Callable[[_Numbers, FindingRow], object]] = {
        "rule": lambda _, row: tables.rules.number(row.rule),
        "severity": lambda _, row: row.severity,
        "packet": lambda _, row: row.packet,
        "snapshot": lambda local, row: local[row.snapshot],
        "offset": lambda _, row: row.offset,
        "text": lambda _, row: row.text,
    }
    tables.findings.append(
        {name: [value(local, row) for local, row in ordered] for name, value in pick.items()}, len(ordered)
    )


def _apply_amendments(tables: Tables, filled: list[Rows], sessions: list[_Numbers], snapshots: list[_Numbers]) -> None:
    by_column: dict[tuple[str, str], tuple[Table, list[int], list[object]]] = {}
    for index, rows in enumerate(filled):
        for amend in rows.amendments:
            table = tables.sessions if amend.table == "sessions" else tables.snapshots
            numbers, values = by_column.setdefault((amend.table, amend.column), (table, [], []))[1:]
            local = sessions[index] if amend.table == "sessions" else snapshots[index]
            numbers.append(local[amend.local])
            values.append(_translated(amend, snapshots[index]))
    for (_, column), (table, numbers, values) in by_column.items():
        table.amend(column, numbers, values)


def _translated(amend: Amend, snapshots: _Numbers) -> object:
    if amend.column in _REFERENCES and isinstance(amend.value, int):
        return snapshots[amend.value]
    return amend.value


def _count_types(tables: Tables, filled: list[Rows], sessions: list[_Numbers]) -> None:
    """Add to the counts of item types; new ones stand in the order in which the capture first had them."""
    counts = [
        (rows, (local[session], name), count)
        for rows, local in zip(filled, sessions, strict=True)
        for (session, name), count in rows.types.items()
    ]
    if not counts:
        return
    known = tables.type_rows
    order = _order((rows, count.packet) for rows, _, count in counts)
    new = [counts[index][1] for index in order if counts[index][1] not in known]
    first = tables.types.append(
        {"session": [session for session, _ in new], "name": [name for _, name in new]}, len(new)
    )
    known.update({key: row for row, key in enumerate(new, first)})
    numbers = np.asarray([known[key] for _, key, _ in counts], dtype=np.int64)
    for column in ("updates", "values"):
        added = np.asarray([getattr(count, column) for _, _, count in counts], dtype=np.int64)
        tables.types.amend(
            column, numbers.tolist(), (tables.types.take(column, numbers).astype(np.int64) + added).tolist()
        )
