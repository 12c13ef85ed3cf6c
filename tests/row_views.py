"""The rows that wait in the buffers of a reading, as objects: tests look at what a reading made of its datagrams."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.snapshots.status import ClientHas, LostBy, Proof, Status
from analyzer.store.row_columns import S_FIRST_PART, S_PART_COUNT, SNAPSHOT_COLUMNS, SNAPSHOT_FIELDS
from analyzer.store.rows import PacketLate, PartRow, Rows, SnapshotRow


@dataclass(slots=True)
class MessageRow:
    """A row of `messages`; `name` is an index into Rows.names."""

    packet: int
    name: int
    id: int
    flags: int
    sequence: int
    size: int
    offset: int
    code: int = 0


def packets(rows: Rows) -> list[PacketLate]:
    """What is known of each packet that was begun."""
    return [PacketLate(*values) for values in rows.taken().packets.tolist()]


def messages(rows: Rows) -> list[MessageRow]:
    """All messages."""
    return [MessageRow(*values) for values in rows.taken().messages.tolist()]


def snapshots(rows: Rows) -> list[SnapshotRow]:
    """All snapshots as they were added, with their parts."""
    taken = rows.taken()
    parts = [PartRow(*values) for values in taken.parts.tolist()]
    found = []
    for values in taken.snapshots.tolist():
        row = SnapshotRow(*values[: len(SNAPSHOT_FIELDS)])
        row.status, row.client_kept = Status(row.status), bool(row.client_kept)
        row.client_has, row.lost_by, row.proof = ClientHas(row.client_has), LostBy(row.lost_by), Proof(row.proof)
        first = values[S_FIRST_PART]
        row.received = tuple(parts[first : first + values[S_PART_COUNT]])
        found.append(row)
    return found


def amendments(rows: Rows) -> list[tuple[str, int, int]]:
    """Column, local number and value of what was said of snapshots later, in order."""
    return [(SNAPSHOT_COLUMNS[column], local, value) for column, local, value in rows.taken().amendments.tolist()]


def amended(rows: Rows) -> list[SnapshotRow]:
    """All snapshots with what was said of them later."""
    found = snapshots(rows)
    words = {"client_has": ClientHas, "lost_by": LostBy}
    for column, local, value in amendments(rows):
        setattr(found[local], column, words.get(column, int)(value))
    return found
