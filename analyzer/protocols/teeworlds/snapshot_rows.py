"""Rows of `snapshots` as a message, or the parts of a tick together, give them: what became of it is told later.

Spec sections 8 and 17.7.
"""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.protocols.teeworlds.codes import CODE_NUMBERS, CODES
from analyzer.protocols.teeworlds.messages import SnapFields
from analyzer.snapshots.status import LostBy
from analyzer.snapshots.tracking import parts
from analyzer.snapshots.tracking.columns import C_BASE_TICK, C_CRC, C_KIND, C_LATE, C_PARTS, C_TICK
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.rows import PartRow, SnapshotRow
from analyzer.wire.errors import DecodeError

F1_FIELDS = ("tick", "delta_tick", "parts", "part", "crc", "length", "data")


@dataclass(frozen=True, slots=True)
class SnapMessage:
    """A snapshot message that could be read, and where it came from."""

    fields: SnapFields
    data: bytes
    """The part's bytes."""
    digest: int
    """Checksum of the whole message, 0 or above, to tell a repetition from another content."""
    row: PartRow
    wire_bytes: int


def of_message(session: int, message: SnapMessage, code: str) -> SnapshotRow:
    """The row of one message."""
    fields = message.fields
    number = CODE_NUMBERS[code]
    return SnapshotRow(
        session,
        fields.tick,
        fields.base_tick,
        message.row.packet,
        fields.kind,
        CODES[number].status,
        number,
        fields.parts,
        wire_bytes=message.wire_bytes,
        delta_bytes=fields.length,
        crc_wire=fields.crc,
        received=(message.row,),
    )


def of_collector(session: int, tracker: Tracker, collector: int, packet: int, code: str) -> SnapshotRow:
    """The row of the parts that a collector holds, decided by row `packet`."""
    track, number = tracker.track, CODE_NUMBERS[code]
    _, delta_bytes, wire_bytes = parts.bytes_of(track, collector)
    return SnapshotRow(
        session,
        track.collectors[collector, C_TICK],
        track.collectors[collector, C_BASE_TICK],
        packet,
        track.collectors[collector, C_KIND],
        CODES[number].status,
        number,
        track.collectors[collector, C_PARTS],
        wire_bytes=wire_bytes,
        delta_bytes=delta_bytes,
        crc_wire=track.collectors[collector, C_CRC],
        client_kept=not track.collectors[collector, C_LATE],
        received=tracker.received(collector),
    )


def of_malformed(session: int, part: PartRow, tick: int, kind: int, error: DecodeError, wire_bytes: int) -> SnapshotRow:
    """The row of a message whose fields cannot be read (F1)."""
    field = error.text.partition(":")[0]
    number = CODE_NUMBERS["F1"]
    return SnapshotRow(
        session,
        tick,
        -1,
        part.packet,
        kind,
        CODES[number].status,
        number,
        0,
        wire_bytes=wire_bytes,
        client_kept=False,
        lost_by=LostBy.GAME,
        detail=F1_FIELDS.index(field) if field in F1_FIELDS else -1,
        received=(part,),
    )


def of_bug(session: int, part: PartRow, tick: int, kind: int) -> SnapshotRow:
    """The row of a message that an exception of ours left without one."""
    number = CODE_NUMBERS["BUG"]
    return SnapshotRow(session, tick, -1, part.packet, kind, CODES[number].status, number, 0, received=(part,))
