"""What one reading produced in a batch: rows with numbers of the reading's own, until the one writer merges them.

Workers fill these buffers in any order; the writer sorts by (packet, ordinal), so the tables do not depend on timing.
Sessions and snapshots are numbered by the reading from 0 ("local" below); the writer turns local numbers into rows.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

from analyzer.snapshots.status import ClientHas, LostBy, Proof, Status
from analyzer.store.names import MAX_NAMES, OVERFLOW


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


@dataclass(slots=True)
class MessageRow:
    """A row of `messages`."""

    packet: int
    name: int
    id: int
    flags: int
    sequence: int
    size: int
    offset: int
    code: int = 0


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
    """A value for a session or snapshot row that may already be in the tables. `local` is the reading's own number."""

    table: str
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


@dataclass(slots=True)
class Rows:
    """The way out of a reading. One for a reading's whole life; the writer empties it after each batch."""

    reading: int
    begun_by: int
    """The packet that began the reading; rows of earlier packets are decided by it."""
    packets: list[PacketLate] = field(default_factory=list)
    sessions: list[SessionRow] = field(default_factory=list)
    messages: list[MessageRow] = field(default_factory=list)
    snapshots: list[SnapshotRow] = field(default_factory=list)
    findings: list[FindingRow] = field(default_factory=list)
    amendments: list[Amend] = field(default_factory=list)
    blocks: list[tuple[int, bytes]] = field(default_factory=list)
    types: dict[tuple[int, str], TypeCount] = field(default_factory=dict)
    """(local session, type name) -> what was sent since the last merge."""
    names: list[str] = field(default_factory=list)
    session_rows: array[int] = field(default_factory=lambda: array("i"))
    """Local number -> row, filled by the writer."""
    snapshot_rows: array[int] = field(default_factory=lambda: array("i"))
    packet: PacketLate = field(default_factory=lambda: PacketLate(-1))
    """The packet begun last."""
    _message_ordinal: int = 0
    _name_numbers: dict[str, int] = field(default_factory=dict)

    def begin(self, packet: int) -> PacketLate:
        """Start a packet; everything added until the next call is decided by it."""
        late = self.packet = PacketLate(packet)
        self.packets.append(late)
        self._message_ordinal = 0
        return late

    def resume(self) -> None:
        """Go on with the packet begun last, which may be in the tables already: what is added now is decided by it."""
        if self.packet.packet >= 0 and not self.packets:
            self.packets.append(self.packet)

    def message(
        self, name: str, number: int, flags: int, sequence: int, size: int, offset: int, code: int = 0
    ) -> PartRow:
        """Add a message of the current packet; returns what a snapshot needs to name it as its part 0."""
        index = self._name_numbers.get(name)
        if index is None and len(self.names) >= MAX_NAMES:
            name = OVERFLOW
            index = self._name_numbers.get(name)
        if index is None:
            index = self._name_numbers[name] = len(self.names)
            self.names.append(name)
        packet = self.packet.packet
        self.messages.append(MessageRow(packet, index, number, flags, sequence, size, offset, code))
        self._message_ordinal += 1
        return PartRow(packet, self._message_ordinal - 1, 0)

    def session(self, row: SessionRow) -> int:
        """Add a session; returns its local number."""
        self.sessions.append(row)
        return len(self.session_rows) + len(self.sessions) - 1

    def snapshot(self, row: SnapshotRow) -> int:
        """Add a snapshot; returns its local number."""
        self.snapshots.append(row)
        return len(self.snapshot_rows) + len(self.snapshots) - 1

    @property
    def next_snapshot(self) -> int:
        """The local number the next snapshot will get."""
        return len(self.snapshot_rows) + len(self.snapshots)

    def amend_session(self, local: int, column: str, value: object) -> None:
        """Set a late column of a session."""
        self.amendments.append(Amend("sessions", column, local, value))

    def amend_snapshot(self, local: int, column: str, value: object) -> None:
        """Set a late column of a snapshot; a value of `base` or `cause` is a local number."""
        self.amendments.append(Amend("snapshots", column, local, value))

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

    def merged(self, session_rows: Sequence[int], snapshot_rows: Sequence[int]) -> None:
        """Called by the writer when everything here is in the tables: keep the row numbers, drop the rows."""
        self.session_rows.extend(session_rows)
        self.snapshot_rows.extend(snapshot_rows)
        for rows in (
            self.packets,
            self.sessions,
            self.messages,
            self.snapshots,
            self.findings,
            self.amendments,
            self.blocks,
            self.types,
        ):
            rows.clear()
