"""What one reading produced in a batch: rows with numbers of the reading's own, until the one writer merges them.

Workers fill these buffers in any order; the writer sorts by (packet, ordinal), so the tables do not depend on timing.
Sessions and snapshots are numbered by the reading from 0 ("local" below); the writer turns local numbers into rows.
What is frequent waits as integers in matrices (row_columns.py) that compiled kernels fill too; the rest are objects.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.snapshots.status import ClientHas, LostBy, Proof, Status
from analyzer.store.chunk_memory import ChunkMemory
from analyzer.store.columns import Ints
from analyzer.store.names import MAX_NAMES, OVERFLOW
from analyzer.store.row_buffer import RowBuffer, RowNumbers
from analyzer.store.row_columns import (
    AMENDABLE,
    AMENDMENT_COLUMNS,
    M_FLAGS,
    M_PACKET,
    MESSAGE_COLUMNS,
    N_AMENDMENTS,
    N_MESSAGES,
    N_PACKETS,
    N_PARTS,
    N_SNAPSHOTS,
    PACKET_COLUMNS,
    PART_COLUMNS,
    SNAPSHOT_COLUMNS,
    SNAPSHOT_FIELDS,
)


@dataclass(slots=True)
class SessionRow:
    """A row of `sessions`; see tables.py for the columns."""

    number: int
    generation: int
    epoch: int
    dialect: str
    facts: object
    first_packet: int
    player: str = ""
    map: str = ""


@dataclass(slots=True)
class PacketLate:
    """The columns of `packets` that depend on the reading. `session` and `snapshot` are local."""

    packet: int
    session: int = -1
    kind: int = 0
    flags: int = 0
    ack: int = 65535
    chunks: int = 0
    code: int = 0
    snapshot: int = -1
    severity: int = 0


@dataclass(frozen=True, slots=True)
class PartRow:
    """A row of `parts`: the `ordinal`-th message of `packet` carries part `number`."""

    packet: int
    ordinal: int
    number: int


@dataclass(slots=True)
class SnapshotRow:
    """A row of `snapshots`. `session`, `base` and `cause` are local."""

    session: int
    tick: int
    base_tick: int
    packet: int
    kind: int
    status: Status
    code: int
    parts: int
    base: int = -1
    wire_bytes: int = 0
    delta_bytes: int = 0
    state_bytes: int = 0
    items: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    deleted: int = 0
    updated: int = 0
    crc_wire: int = 0
    crc_computed: int = 0
    cause: int = -1
    depth: int = -1
    client_kept: bool = True
    client_has: ClientHas = ClientHas.NEVER
    lost_by: LostBy = LostBy.NOBODY
    proof: Proof = Proof.NONE
    acked_packet: int = -1
    detail: int = 0
    detail2: int = 0
    received: tuple[PartRow, ...] = ()


@dataclass(slots=True)
class FindingRow:
    """A row of `findings`. `snapshot` is local."""

    rule: str
    severity: int
    packet: int
    snapshot: int
    offset: int
    text: str


@dataclass(slots=True)
class Amend:
    """A value for a session row that may already be in the tables. `local` is the reading's own number."""

    column: str
    local: int
    value: object


@dataclass(slots=True)
class TypeCount:
    """What a batch adds to a row of `types`."""

    packet: int
    """The first that carried an item of the type; it decides the order of new rows."""
    updates: int = 0
    values: int = 0


class RowBuffers(NamedTuple):
    """The matrices of a reading, shape (room, columns) each. Rows behind `counts` may be written, `counts` raised.

    Good until anything is added through `Rows`, room is made again, or the rows are merged.
    """

    packets: Ints
    messages: Ints
    snapshots: Ints
    parts: Ints
    amendments: Ints
    counts: Ints
    """Shape (8,): rows in use, by N_PACKETS ... N_AMENDMENTS."""


_packet_values = attrgetter(*PACKET_COLUMNS)
_snapshot_values = attrgetter(*SNAPSHOT_FIELDS)


class Rows:
    """The way out of a reading. One for a reading's whole life; what it holds is handed over after each batch.

    `begun_by` is the packet that began the reading; rows of earlier packets are decided by it.
    """

    def __init__(self, reading: int, begun_by: int, memory: ChunkMemory | None = None) -> None:
        """`memory`: that of the capture's tables."""
        self.reading = reading
        self.begun_by = begun_by
        self.sessions: list[SessionRow] = []
        self.findings: list[FindingRow] = []
        self.session_amendments: list[Amend] = []
        self.blocks: list[tuple[int, bytes]] = []
        self.types: dict[tuple[int, str], TypeCount] = {}
        """(local session, type name) -> what was sent."""
        self.names: list[str] = []
        """Message names by the reading's own number."""
        self.name_numbers: NDArray[np.int32] = np.empty(0, np.int32)
        """The writer's numbers of the first of `names`; -1: none yet."""
        self.session_rows = RowNumbers(memory)
        self.snapshot_rows = RowNumbers(memory)
        self.packet = PacketLate(-1)
        """The packet begun last."""
        self._counts = np.zeros(8, np.int64)
        self._packets = RowBuffer(len(PACKET_COLUMNS), self._counts, N_PACKETS)
        self._messages = RowBuffer(len(MESSAGE_COLUMNS), self._counts, N_MESSAGES)
        self._snapshots = RowBuffer(len(SNAPSHOT_COLUMNS), self._counts, N_SNAPSHOTS)
        self._parts = RowBuffer(len(PART_COLUMNS), self._counts, N_PARTS)
        self._amendments = RowBuffer(len(AMENDMENT_COLUMNS), self._counts, N_AMENDMENTS)
        self._slot = -1
        """Row of `packet` in its buffer; -1: it is not there."""
        self._message_ordinal = 0
        self._handed_sessions = 0
        self._handed_snapshots = 0
        self._name_numbers: dict[str, int] = {}

    def begin(self, packet: int) -> PacketLate:
        """Start a packet; everything added until the next call is decided by it, and what is returned is filled in."""
        self._write_packet()
        late = self.packet = PacketLate(packet)
        self._slot = self._packets.add(*_packet_values(late))
        self._message_ordinal = 0
        return late

    def resume(self) -> None:
        """Go on with the packet begun last, which may be in the tables already: what is added now is decided by it."""
        if self.packet.packet >= 0 and not len(self._packets):
            self._slot = self._packets.add(*_packet_values(self.packet))

    def follow(self) -> None:
        """Go on with the last packet in the buffer, which a kernel may have put there."""
        last = len(self._packets) - 1
        if last == self._slot:
            return
        self._write_packet()
        self.packet, self._slot = PacketLate(*self._packets.matrix[last].tolist()), last
        messages = self._messages.taken()[:, M_PACKET] == self.packet.packet
        self._message_ordinal = int(np.count_nonzero(messages))

    def name(self, text: str) -> int:
        """The number of a message name, given on first use."""
        index = self._name_numbers.get(text)
        if index is None and len(self.names) >= MAX_NAMES:
            text = OVERFLOW
            index = self._name_numbers.get(text)
        if index is None:
            index = self._name_numbers[text] = len(self.names)
            self.names.append(text)
        return index

    def message(
        self, name: str, number: int, flags: int, sequence: int, size: int, offset: int, code: int = 0
    ) -> PartRow:
        """Add a message of the current packet; returns what a snapshot needs to name it as its part 0."""
        packet, ordinal = self.packet.packet, self._message_ordinal
        self._messages.add(packet, self.name(name), number, flags, sequence, size, offset, code)
        self._message_ordinal = ordinal + 1
        return PartRow(packet, ordinal, 0)

    def flag_message(self, flags: int) -> None:
        """Set flags of the message added last."""
        self._messages.matrix[len(self._messages) - 1, M_FLAGS] |= flags

    def session(self, row: SessionRow) -> int:
        """Add a session; returns its local number."""
        self.sessions.append(row)
        return self._handed_sessions + len(self.sessions) - 1

    def snapshot(self, row: SnapshotRow) -> int:
        """Add a snapshot as it is now; returns its local number."""
        first = len(self._parts)
        for part in row.received:
            self._parts.add(part.packet, part.ordinal, part.number)
        return self._handed_snapshots + self._snapshots.add(*_snapshot_values(row), first, len(row.received))

    @property
    def first_snapshot(self) -> int:
        """The local number of the first snapshot in the buffer."""
        return self._handed_snapshots

    @property
    def next_snapshot(self) -> int:
        """The local number the next snapshot will get."""
        return self._handed_snapshots + len(self._snapshots)

    def amend_session(self, local: int, column: str, value: object) -> None:
        """Set a late column of a session."""
        self.session_amendments.append(Amend(column, local, value))

    def amend_snapshot(self, local: int, column: str, value: int) -> None:
        """Set a late column of a snapshot (row_columns.AMENDABLE); a value of `base` or `cause` is a local number."""
        self._amendments.add(AMENDABLE[column], local, value)

    def finding(self, rule: str, severity: int, text: str, *, snapshot: int = -1, offset: int = -1) -> None:
        """Add a finding on the current packet."""
        late = self.packet
        late.severity = max(late.severity, severity)
        self.findings.append(FindingRow(rule, severity, late.packet, snapshot, offset, text))

    def block(self, snapshot: int, packed: bytes) -> None:
        """Store a snapshot whole."""
        self.blocks.append((snapshot, packed))

    def count_type(self, session: int, name: str, updates: int, values: int, packet: int) -> None:
        """Items of a type were sent `updates` times, with `values` values in all, first in `packet`."""
        count = self.types.setdefault((session, name), TypeCount(packet))
        count.updates += updates
        count.values += values

    def reserve(
        self, packets: int = 0, messages: int = 0, snapshots: int = 0, parts: int = 0, amendments: int = 0
    ) -> RowBuffers:
        """Make room for so many rows more, and return the matrices. The memory is allocated, so bound the sizes."""
        self._write_packet()
        self._packets.reserve(packets)
        self._messages.reserve(messages)
        self._snapshots.reserve(snapshots)
        self._parts.reserve(parts)
        self._amendments.reserve(amendments)
        return RowBuffers(
            self._packets.matrix,
            self._messages.matrix,
            self._snapshots.matrix,
            self._parts.matrix,
            self._amendments.matrix,
            self._counts,
        )

    def taken(self) -> RowBuffers:
        """The rows in use, as matrices without room."""
        self._write_packet()
        return RowBuffers(
            self._packets.taken(),
            self._messages.taken(),
            self._snapshots.taken(),
            self._parts.taken(),
            self._amendments.taken(),
            self._counts,
        )

    def hand_over(self) -> Handed:
        """Everything added since the last time, for the writer; local numbers go on."""
        handed = Handed(
            self, self.sessions, self.findings, self.session_amendments, self.blocks, self.types, self.taken()
        )
        self._handed_sessions += len(self.sessions)
        self._handed_snapshots += len(self._snapshots)
        self._slot = -1
        for buffer in (self._packets, self._messages, self._snapshots, self._parts, self._amendments):
            buffer.clear()
        self.sessions, self.findings, self.session_amendments, self.blocks, self.types = [], [], [], [], {}
        return handed

    def _write_packet(self) -> None:
        if self._slot >= 0:
            self._packets.put(self._slot, *_packet_values(self.packet))


@dataclass(frozen=True, slots=True)
class Handed:
    """What a reading produced in a batch. The reading may go on while the writer merges it."""

    owner: Rows
    """Numbers and names that last for the reading's whole life are the writer's to add there."""
    sessions: list[SessionRow]
    findings: list[FindingRow]
    session_amendments: list[Amend]
    blocks: list[tuple[int, bytes]]
    types: dict[tuple[int, str], TypeCount]
    buffers: RowBuffers
    """Rows in use only."""

    @property
    def pending(self) -> bool:
        """Is there anything to merge?"""
        own = self.buffers
        return bool(len(own.packets) or len(own.snapshots) or len(own.amendments) or self.session_amendments)
