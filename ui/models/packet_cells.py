"""What a row of the packet list shows, made from the tables: ready cells, plain texts, the rule's colour."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, IntEnum

import numpy as np
from numpy.typing import NDArray

from analyzer.engine.info import PacketInfo
from analyzer.protocols.base import Protocol
from analyzer.snapshots.status import Status
from analyzer.stats.snapshots import is_failed, root_status
from analyzer.store.tables import Tables
from ui.marks import NO_PACKETS, Mark, Marks, PacketSet
from ui.models.added_columns import AddedColumns
from ui.views.cells import Cell, Row
from ui.words import UNKNOWN, decimal, number

Rows = NDArray[np.int64]
"""Row numbers of `packets`."""
WAITING = "..."
"""Stands where something is not decoded yet."""
CONTROL_FLAGS = 32 | 64
"""messages.flags: control and connectionless messages."""
IGNORED = "Ignored"
"""What the list says of a packet that a person ignores."""
SIGNS = ("", "note", "warn", "error")
"""By severity of a finding, the worst last."""
MOST_NOTES = 50_000
"""Notes kept; past that all are asked for anew."""


class Column(IntEnum):
    """Columns from left to right."""

    GUTTER = 0
    NUMBER = 1
    TIME = 2
    SOURCE = 3
    DESTINATION = 4
    CLIENT = 5
    DIRECTION = 6
    PROTOCOL = 7
    LENGTH = 8
    INFO = 9


class TimeFormat(Enum):
    """What the time column says; values as in the preferences."""

    FIRST = "first"
    """Seconds since the first frame."""
    PREVIOUS = "previous"
    """Seconds since the packet before among those that are shown."""
    REFERENCE = "reference"
    """Seconds since the last time reference up to the packet; before the first one, since the first frame."""
    UTC = "utc"
    """Time of day."""


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the cells of one packet are made from."""

    packet: int
    flow: int
    frame: int
    session: int
    direction: int
    server: int
    known: bool
    """Something reads the flow, or it was recognised, or nothing more will become known."""
    tint: str
    sign: str
    ignored: bool = False
    signs: str = ""
    """What a person attached to it."""

    @property
    def from_client(self) -> bool:
        return self.server >= 0 and self.direction != self.server

    @property
    def tone(self) -> str:
        """What clients send stands back, further back what a person ignores."""
        if self.ignored:
            return "text3"
        return "text2" if self.from_client else "text"


RULES = {
    "fail": ("row_fail", "lane_fail"),
    "full": ("row_full", "lane_full"),
    "multi": ("row_multi", "p2"),
    "control": ("row_ctl", "line2"),
    "": ("", ""),
}
"""Rule -> tint and edge, the worst first."""
_ORDER = tuple(RULES)


class PacketCells:
    """Makes rows. Cheap enough for all visible rows within a frame."""

    def __init__(self, tables: Tables, protocols: Sequence[Protocol], marks: Marks | None = None) -> None:
        self.info = PacketInfo(tables, protocols)
        self.notes: dict[int, str] = {}
        """By message row: what `Query.notes` said."""
        self.decoded = False
        """Nothing more will become known."""
        self.time_format = TimeFormat.FIRST
        self.added: AddedColumns | None = None
        """Columns of fields behind the others."""
        self.before: Callable[[Rows], Rows] = lambda packets: packets - 1
        """For some packets those that are shown before them in the capture, -1: none."""
        self.tables = tables
        self._marks = marks
        self._protocols = {protocol.name: protocol for protocol in protocols}
        self.severities: NDArray[np.uint8] = np.empty(0, np.uint8)
        """By packet, that of its worst finding; 0: none."""

    def row(self, packet: int) -> Row:
        """The row of one packet."""
        rule, sign = ("", "") if self.is_ignored(packet) else self._rule(packet)
        tint, edge = RULES[rule]
        facts = self._facts(packet, tint, sign)
        made = [make(self, facts) for make in _MAKERS]
        if self.added is not None:
            made += self._added(facts, self.added)
        return Row(tuple(made), edge)

    def some_texts(self, packet: int, columns: tuple[int, ...]) -> tuple[str, ...]:
        """The texts of `columns`, in their order; those of added ones as far as they are known."""
        facts = self._facts(packet)
        added = [] if self.added is None else self._added(facts, self.added)
        count = len(_MAKERS)
        return tuple(
            _MAKERS[column](self, facts).text if column < count else added[column - count].text for column in columns
        )

    def _added(self, facts: _Facts, added: AddedColumns) -> list[Cell]:
        texts = added.texts(facts.packet)
        if facts.ignored:
            return [Cell() for _ in added.columns]
        if texts is None:
            return [Cell(WAITING, "text3", right=one.right, tint=facts.tint) for one in added.columns]
        said = zip(texts, added.columns, strict=True)
        return [Cell(text, facts.tone, right=one.right, tint=facts.tint) for text, one in said]

    def is_ignored(self, packet: int) -> bool:
        """A person wants to see nothing of it."""
        return self._marks is not None and packet in self._marks.of(Mark.IGNORED)

    def lacks_notes(self, packet: int) -> bool:
        """Is there a message whose key values, or a field whose value, was not asked for yet?"""
        if self.added is not None and self.added.texts(packet) is None:
            return True
        protocol = self.info.protocol(packet)
        if protocol is None or protocol.message_note is None:
            return False
        return any(
            row not in self.notes and protocol.message_note(self.info.name(row)) is not None
            for row in self.info.messages(packet)
        )

    def add_notes(self, notes: dict[int, str]) -> None:
        """Take in an answer of `Query.notes`."""
        if len(self.notes) > MOST_NOTES:
            self.notes.clear()
        self.notes.update(notes)

    def client_of(self, session: int, flow: int, server: int) -> str:
        """The player's name, the client's port until it is known."""
        if session >= 0:
            player = self.tables.sessions.text("player", session)
            if player:
                return player
        if server < 0:
            return UNKNOWN
        address = self.tables.flows.text("address_b" if server == 0 else "address_a", flow)
        return f":{address.rpartition(':')[2]}"

    def dialect_of(self, flow: int) -> str:
        """Short name of what reads the flow; empty: nothing does."""
        flows, readings = self.tables.flows, self.tables.readings
        reading = flows.integer("reading", flow)
        if reading < 0:
            return self._dialect_in(flows.text("recognised", flow))
        dialect = readings.text("dialect", reading)
        return self._protocols[readings.text("protocol", reading)].dialect_names.get(dialect, dialect)

    def _dialect_in(self, recognised: str) -> str:
        """The column has no room for the title of the protocol, with which what is only recognised begins."""
        for protocol in self._protocols.values():
            if recognised.startswith(f"{protocol.title} "):
                dialect = recognised.removeprefix(f"{protocol.title} ")
                return protocol.dialect_names.get(dialect, dialect)
        return recognised

    def _facts(self, packet: int, tint: str = "", sign: str = "") -> _Facts:
        packets, flows = self.tables.packets, self.tables.flows
        flow = packets.integer("flow", packet)
        return _Facts(
            packet,
            flow,
            packets.integer("frame", packet),
            packets.integer("session", packet),
            packets.integer("direction", packet),
            flows.integer("server", flow),
            self.decoded
            or flows.integer("reading", flow) >= 0
            or bool(flows.text("recognised", flow) or flows.text("pinned", flow)),
            tint,
            sign,
            self.is_ignored(packet),
            self._signs(packet),
        )

    def _signs(self, packet: int) -> str:
        """Signs before the number."""
        if self._marks is None:
            return ""
        shown = (("mark", Mark.MARKED), ("reference", Mark.REFERENCE))
        return " ".join(sign for sign, kind in shown if packet in self._marks.of(kind))

    def _rule(self, packet: int) -> tuple[str, str]:
        """The first rule that fits, and the sign of what went wrong or was found."""
        rule, sign = self._decoded_rule(packet)
        found = SIGNS[self.severities[packet]] if packet < len(self.severities) else ""
        return rule, max(sign, found, key=SIGNS.index)

    def _decoded_rule(self, packet: int) -> tuple[str, str]:
        """What decoding says of it."""
        packets, messages = self.tables.packets, self.tables.messages
        if packets.integer("code", packet):
            cut = packets.integer("length", packet) < packets.integer("udp_length", packet)
            return ("", "warn") if cut else ("fail", "error")
        snapshots = [part.snapshot for part in self.info.parts(packet)]
        completed = packets.integer("snapshot", packet)
        if completed >= 0 and completed not in snapshots:
            snapshots.append(completed)
        if snapshots:
            return min(map(self._snapshot_rule, snapshots), key=lambda found: _ORDER.index(found[0]))
        flags = (messages.integer("flags", row) for row in self.info.messages(packet))
        return ("control" if any(flag & CONTROL_FLAGS for flag in flags) else ""), ""

    def _snapshot_rule(self, snapshot: int) -> tuple[str, str]:
        get = self.tables.snapshots.integer
        status = get("status", snapshot)
        if is_failed(status, root_status(self.tables, snapshot)):
            return "fail", "error"
        rule = "full" if get("base_tick", snapshot) < 0 else "multi" if get("parts", snapshot) > 1 else ""
        # Incomplete is here what the capture lost a part of.
        return rule, "" if status == Status.OK else "warn" if status == Status.INCOMPLETE else "note"

    def _gutter(self, facts: _Facts) -> Cell:
        return Cell(tint=facts.tint)

    def _number(self, facts: _Facts) -> Cell:
        return Cell(number(facts.frame + 1), facts.tone, right=True, tint=facts.tint, sign=facts.signs)

    def _time(self, facts: _Facts) -> Cell:
        frames = self.tables.frames
        time_ns = frames.integer("time_ns", facts.frame)
        if self.time_format is TimeFormat.UTC:
            moment = datetime.fromtimestamp(time_ns // 1_000_000_000, UTC)
            return Cell(
                f"{moment:%H:%M:%S}.{time_ns % 1_000_000_000 // 1000:06d}", facts.tone, right=True, tint=facts.tint
            )
        start = frames.integer("time_ns", self._counted_from(facts))
        return Cell(decimal((time_ns - start) / 1e9, 6), facts.tone, right=True, tint=facts.tint)

    def _counted_from(self, facts: _Facts) -> int:
        """The frame that the packet's time counts from."""
        if self.time_format is TimeFormat.FIRST:
            return 0
        if self.time_format is TimeFormat.PREVIOUS:
            before = int(self.before(np.array([facts.packet]))[0])
            return self.tables.packets.integer("frame", before) if before >= 0 else facts.frame
        reference = self.references.last_until(facts.packet)
        return self.tables.packets.integer("frame", reference) if reference >= 0 else 0

    @property
    def references(self) -> PacketSet:
        """Packets that times may count from."""
        return NO_PACKETS if self._marks is None else self._marks.of(Mark.REFERENCE)

    def _source(self, facts: _Facts) -> Cell:
        sender = "address_b" if facts.direction else "address_a"
        return Cell(self.tables.flows.text(sender, facts.flow), facts.tone, middle=True, tint=facts.tint)

    def _destination(self, facts: _Facts) -> Cell:
        receiver = "address_a" if facts.direction else "address_b"
        return Cell(self.tables.flows.text(receiver, facts.flow), facts.tone, middle=True, tint=facts.tint)

    def _client(self, facts: _Facts) -> Cell:
        if not facts.known:
            return Cell(WAITING, "text3", tint=facts.tint)
        text = self.client_of(facts.session, facts.flow, facts.server)
        return Cell(text, "text3" if text == UNKNOWN else facts.tone, tint=facts.tint)

    def _direction(self, facts: _Facts) -> Cell:
        if facts.server < 0:
            return Cell(tint=facts.tint)
        return Cell(sign="up" if facts.from_client else "down", tint=facts.tint)

    def _protocol(self, facts: _Facts) -> Cell:
        if not facts.known:
            return Cell(WAITING, "text3", tint=facts.tint)
        text = self.dialect_of(facts.flow)
        return Cell(text or UNKNOWN, facts.tone if text else "text3", tint=facts.tint)

    def _length(self, facts: _Facts) -> Cell:
        return Cell(
            number(self.tables.frames.integer("original", facts.frame)), facts.tone, right=True, tint=facts.tint
        )

    def _info(self, facts: _Facts) -> Cell:
        if facts.ignored:
            return Cell(IGNORED, "text3")
        if not facts.known:
            return Cell(WAITING, "text3", tint=facts.tint)
        tone = facts.tone if self.dialect_of(facts.flow) else "text3"
        return Cell(self.info.line(facts.packet, self.notes), tone, tint=facts.tint, sign=facts.sign)


_MAKERS: tuple[Callable[[PacketCells, _Facts], Cell], ...] = (
    PacketCells._gutter,
    PacketCells._number,
    PacketCells._time,
    PacketCells._source,
    PacketCells._destination,
    PacketCells._client,
    PacketCells._direction,
    PacketCells._protocol,
    PacketCells._length,
    PacketCells._info,
)
"""By column."""
