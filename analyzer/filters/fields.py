"""What a field of filters is, and the fields that every capture has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzer.filters.kinds import Kind, Owner
from analyzer.filters.literals import Meaning
from analyzer.filters.packet_columns import DIRECTIONS
from analyzer.filters.terms import ItemTerm, MessageTerm
from analyzer.filters.view import SEVERITIES
from analyzer.snapshots.status import ClientHas, LostBy, Proof, Status


@dataclass(frozen=True, slots=True, eq=False)
class FieldInfo:
    """A field, as a person learns of it."""

    name: str
    """As it is written; upper and lower case do not matter."""
    kind: Kind
    meaning: str
    of: Owner
    example: str = ""
    """A filter with it."""
    choices: tuple[str, ...] = ()
    """Texts that it may have, in their order where the kind has one."""
    closed: bool = True
    """It has no other texts than those."""
    words: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Names of some of its numbers, in lower case."""
    bits: Mapping[str, int] = field(default_factory=dict)
    """Names of its bits, in lower case."""
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Other spellings of its texts, in lower case."""
    message: MessageTerm | None = None
    """What to read from the bytes of messages."""
    item: ItemTerm | None = None
    """What to read from items or changes."""

    @property
    def in_columns(self) -> bool:
        """A table holds it."""
        return self.message is None and self.item is None

    @property
    def meant(self) -> Meaning:
        """What is needed to read a value that it is compared with."""
        return Meaning(self.name, self.kind, self.words, self.choices, self.aliases, self.closed)


_N, _D, _T, _C, _F, _A = Kind.NUMBER, Kind.DURATION, Kind.TEXT, Kind.CHOICE, Kind.FLAG, Kind.ADDRESS
_PACKET, _MESSAGE, _SNAPSHOT = Owner.PACKET, Owner.MESSAGE, Owner.SNAPSHOT
FIXED = (
    FieldInfo("frame.number", _N, "number of the frame in the file, from 1", _PACKET, "frame.number in {100..200}"),
    FieldInfo("frame.time", Kind.TIME, "when it was captured, in UTC", _PACKET, 'frame.time >= "2020-01-31 12:00:00"'),
    FieldInfo(
        "frame.time_relative", _D, "time since the first frame of the file", _PACKET, "frame.time_relative < 1.5s"
    ),
    FieldInfo("frame.len", _N, "bytes of the frame as it was sent", _PACKET, "frame.len > 1000"),
    FieldInfo("frame.cap_len", _N, "bytes of the frame in the file", _PACKET, "frame.cap_len <= 220"),
    FieldInfo(
        "frame.interface", _N, "number of the interface it was captured on, from 0", _PACKET, "frame.interface == 0"
    ),
    FieldInfo(
        "ip.src", _A, "sender: an address, with a port or without, or a network", _PACKET, "ip.src == 127.0.0.0/8"
    ),
    FieldInfo("ip.dst", _A, "receiver", _PACKET, "ip.dst == 127.0.0.1:8303"),
    FieldInfo("ip.addr", _A, "sender and receiver", _PACKET, "ip.addr == fe80::/10"),
    FieldInfo("udp.srcport", _N, "port of the sender", _PACKET, "udp.srcport == 8303"),
    FieldInfo("udp.dstport", _N, "port of the receiver", _PACKET, "udp.dstport in {8303..8310}"),
    FieldInfo("udp.port", _N, "both ports", _PACKET, "udp.port != 8303"),
    FieldInfo("udp.length", _N, "bytes of the UDP payload", _PACKET, "udp.length > 1300"),
    FieldInfo("udp.cap_length", _N, "bytes of the UDP payload in the file", _PACKET, "udp.cap_length < 20"),
    FieldInfo("flow", _T, "its two endpoints, as client-server where that is known", _PACKET, 'flow contains ":8303"'),
    FieldInfo("flow.protocol", _C, "what reads the flow; udp: nothing does", _PACKET, "flow.protocol == udp"),
    FieldInfo(
        "flow.dialect", _T, "the dialect the flow is read as, or recognised as", _PACKET, "flow.dialect == ddnet"
    ),
    FieldInfo("client", _A, "the client's end, where it is known", _PACKET, "client == 127.0.0.1"),
    FieldInfo("server", _A, "the server's end, where it is known", _PACKET, "server == 127.0.0.1:8303"),
    FieldInfo("session.number", _N, "sessions of the flow, counted from 0", _PACKET, "session.number == 0"),
    FieldInfo("session.player", _T, "name of the player", _PACKET, 'session.player matches "^bot"'),
    FieldInfo("session.dialect", _C, "dialect of the session", _PACKET, "session.dialect == ddnet"),
    FieldInfo("session.generation", _N, "connections of the flow, counted from 0", _PACKET, "session.generation > 0"),
    FieldInfo("session.epoch", _N, "maps of the flow, counted from 0", _PACKET, "session.epoch == 0"),
    FieldInfo("session.map", _T, "name of the map", _PACKET, 'session.map contains "LearnToPlay"'),
    FieldInfo("packet.number", _N, "datagrams of the file, counted from 1", _PACKET, "packet.number <= 10"),
    FieldInfo(
        "packet.direction", _C, "up: to the server, down: to the client", _PACKET, "packet.direction == up", DIRECTIONS
    ),
    FieldInfo("packet.kind", _C, "the protocol's kind of packet", _PACKET, "packet.kind == control"),
    FieldInfo("packet.code", _C, "what is wrong with the packet", _PACKET, "packet.code"),
    FieldInfo("packet.flags", _N, "flags of the packet's header as on the wire", _PACKET, "packet.flags & 0x80"),
    FieldInfo("packet.ack", _N, "acknowledged by the packet's header", _PACKET, "packet.ack > 5"),
    FieldInfo("packet.chunks", _N, "messages announced by the packet's header", _PACKET, "packet.chunks > 3"),
    FieldInfo(
        "message.name", _C, "name of the message, in full or as the list has it", _MESSAGE, "message.name == Input"
    ),
    FieldInfo(
        "message.id", _N, "its number, without the bit for messages of the engine", _MESSAGE, "message.id in {5, 7..9}"
    ),
    FieldInfo("message.size", _N, "its bytes, with its number", _MESSAGE, "sum(message.size) > 500"),
    FieldInfo("message.sequence", _N, "its sequence number, if it is vital", _MESSAGE, "message.sequence == 5"),
    FieldInfo("message.code", _C, "what is wrong with the message", _MESSAGE, "message.code"),
    FieldInfo(
        "message.system", _F, "a message of the engine, not of the game", _MESSAGE, "all(message.system) == true"
    ),
    FieldInfo("message.vital", _F, "it is sent until it is acknowledged", _MESSAGE, "message.vital"),
    FieldInfo("message.resent", _F, "sent again", _MESSAGE, "message.resent"),
    FieldInfo("message.repeated", _F, "it had come before", _MESSAGE, "message.repeated"),
    FieldInfo("message.ahead", _F, "vital, and one before it is missing", _MESSAGE, "message.ahead"),
    FieldInfo("message.control", _F, "a control message", _MESSAGE, "message.control"),
    FieldInfo("message.connless", _F, "a message outside of any connection", _MESSAGE, "message.connless"),
    FieldInfo("snapshot.tick", _N, "tick of the server", _SNAPSHOT, "snapshot.tick in {110..120}"),
    FieldInfo(
        "snapshot.base_tick", _N, "tick of its base; negative: the empty snapshot", _SNAPSHOT, "snapshot.base_tick < 0"
    ),
    FieldInfo(
        "snapshot.base_age", _N, "ticks from its base to it; none without a base", _SNAPSHOT, "snapshot.base_age > 2"
    ),
    FieldInfo(
        "snapshot.base_time",
        _D,
        "time from its base to it, where that was captured",
        _SNAPSHOT,
        "snapshot.base_time > 60ms",
    ),
    FieldInfo(
        "snapshot.ack_delay",
        _D,
        "of a rebuilt one, time until the client acknowledged it",
        _SNAPSHOT,
        "snapshot.ack_delay >= 20ms",
    ),
    FieldInfo("snapshot.kind", _C, "how it was sent", _SNAPSHOT, "snapshot.kind == SNAPEMPTY"),
    FieldInfo("snapshot.parts", _N, "parts announced", _SNAPSHOT, "snapshot.parts > 1"),
    FieldInfo("snapshot.part_count", _N, "parts received", _SNAPSHOT, "snapshot.part_count == 0"),
    FieldInfo(
        "snapshot.wire_bytes", _N, "UDP payload of the packets with its parts", _SNAPSHOT, "snapshot.wire_bytes > 500"
    ),
    FieldInfo("snapshot.delta_bytes", _N, "bytes of the delta", _SNAPSHOT, "snapshot.delta_bytes > 200"),
    FieldInfo("snapshot.state_bytes", _N, "bytes of the rebuilt snapshot", _SNAPSHOT, "snapshot.state_bytes > 60000"),
    FieldInfo("snapshot.items", _N, "items of the rebuilt snapshot", _SNAPSHOT, "snapshot.items == 0"),
    FieldInfo("snapshot.added", _N, "items that are not in its base", _SNAPSHOT, "snapshot.added > 5"),
    FieldInfo("snapshot.changed", _N, "items of its base with a difference", _SNAPSHOT, "snapshot.changed == 0"),
    FieldInfo("snapshot.removed", _N, "items of its base that are gone", _SNAPSHOT, "snapshot.removed > 0"),
    FieldInfo("snapshot.deleted", _N, "removed keys on the wire", _SNAPSHOT, "snapshot.deleted > 0"),
    FieldInfo("snapshot.updated", _N, "updates on the wire", _SNAPSHOT, "snapshot.updated > 10"),
    FieldInfo(
        "snapshot.status",
        _C,
        "how it ended",
        _SNAPSHOT,
        "snapshot.status != ok",
        tuple(status.word for status in Status),
    ),
    FieldInfo("snapshot.code", _C, "the same in more detail", _SNAPSHOT, "snapshot.code in {B1, B2, B3}"),
    FieldInfo(
        "snapshot.crc_ok", _F, "the checksum is right; none where there is none", _SNAPSHOT, "snapshot.crc_ok == false"
    ),
    FieldInfo(
        "snapshot.proof",
        _C,
        "what proves it",
        _SNAPSHOT,
        "snapshot.proof == base",
        tuple(one.name.lower() for one in Proof),
    ),
    FieldInfo("snapshot.client_kept", _F, "the client did not drop it", _SNAPSHOT, "snapshot.client_kept == false"),
    FieldInfo(
        "snapshot.client_has",
        _C,
        "did the client have it",
        _SNAPSHOT,
        "snapshot.client_has == acked",
        tuple(one.word for one in ClientHas),
    ),
    FieldInfo(
        "snapshot.lost_by",
        _C,
        "to whom it is put down that it is missing or wrong",
        _SNAPSHOT,
        "snapshot.lost_by in {network, capture}",
        tuple(one.word for one in LostBy),
    ),
    FieldInfo("finding.rule", _C, "rule of a finding", Owner.FINDING, "finding.rule"),
    FieldInfo(
        "finding.severity",
        Kind.ORDERED,
        "how bad a finding is",
        Owner.FINDING,
        "finding.severity >= warn",
        SEVERITIES[1:],
    ),
)
"""The fields of every capture."""
