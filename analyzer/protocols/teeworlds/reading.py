"""Reads the datagrams of one flow in order: packets, vital sequences, connection events, snapshots of each epoch.

Spec sections 17.2 and 17.5.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from analyzer.protocols.base import Datagram, DatagramBatch, Loss, Reading, SessionFacts
from analyzer.protocols.teeworlds import codes
from analyzer.protocols.teeworlds.codes import (
    AHEAD,
    CONNLESS,
    CONTROL,
    NO_NUMBER,
    PACKET_CODE_NUMBERS,
    REPEATED,
    RESENT,
    SYSTEM,
    VITAL,
)
from analyzer.protocols.teeworlds.connection import Connection
from analyzer.protocols.teeworlds.dialects import Dialect
from analyzer.protocols.teeworlds.epoch import NOTE, WARNING, Epoch
from analyzer.protocols.teeworlds.messages import (
    SnapFields,
    message_id,
    message_name,
    read_input,
    read_snap,
)
from analyzer.protocols.teeworlds.players import read_client_name, read_own_name
from analyzer.protocols.teeworlds.rebuilder import PlainRebuilder, PlainTypeCounter, Rebuilder, TypeCounter
from analyzer.protocols.teeworlds.roles import Role
from analyzer.protocols.teeworlds.snapshot_rows import SnapMessage
from analyzer.protocols.teeworlds.vital import Arrival, Released, VitalStream
from analyzer.snapshots.tracking.columns import REORDERED_TICKS
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.rows import PartRow, Rows, SessionRow
from analyzer.transports.teeworlds import read_header, read_packet
from analyzer.transports.teeworlds_packet import TOKEN_EXCHANGE, Chunk, Packet, PacketKind
from analyzer.wire.errors import DecodeError
from analyzer.wire.varint import unpack

MAX_COUNT = 65535
"""Sessions, generations and epochs beyond it share this number: their columns have 16 bits."""
EPOCH_ACK_MARGIN = 500
EPOCH_FALLEN = 5
"""Rising ticks in a row, far below the newest, that only another epoch explains: no network delays by 3 s."""
REPEATS_NS = 5_000_000_000
"""The same datagram again within this time is a repetition by the network."""
MAX_LEARNED_NAMES = 256
"""UUID names a flow may teach us."""
MAX_NAME = 64


@dataclass(frozen=True, slots=True)
class Tools:
    """How a reading makes snapshots: in plain Python or with compiled code."""

    open_rebuilder: Callable[[Tracker], Rebuilder]
    """For each epoch."""
    types: TypeCounter
    digest: Callable[[bytes], int]
    """Tells two messages apart; 0 or above."""


def plain_tools(dialect: Dialect) -> Tools:
    """By the readable definitions of the format."""
    types, schema = PlainTypeCounter(), dialect.schema
    return Tools(lambda tracker: PlainRebuilder(schema, types, tracker), types, zlib.crc32)


_KINDS = {
    PacketKind.CHUNKS: codes.CHUNKS,
    PacketKind.CONTROL: codes.CONTROL_PACKET,
    PacketKind.CONNLESS: codes.CONNLESS_PACKET,
    PacketKind.CONNLESS_EXTENDED: codes.CONNLESS_EXTENDED,
    PacketKind.CONNLESS_07: codes.CONNLESS_07,
    PacketKind.STUN: codes.STUN,
}


@dataclass(slots=True)
class _Arrived:
    """One message and everything a handler may need of it."""

    packet: Packet
    chunk: Chunk
    body: int
    """Where the message's fields begin in the payload."""
    row: PartRow
    datagram: Datagram
    role: Role
    handler: Callable[[_Arrived], None] | None

    @property
    def end(self) -> int:
        return self.chunk.offset + self.chunk.size


class TeeworldsReading(Reading):
    """One flow under one dialect."""

    def __init__(self, rows: Rows, dialect: Dialect, server: int, tools: Tools) -> None:
        super().__init__(rows)
        self._dialect = dialect
        self._schema = dialect.schema
        self._server = server
        self._tools = tools
        self._connection = Connection(dialect.variant, server)
        self._vital: tuple[VitalStream[_Arrived], VitalStream[_Arrived]] = (VitalStream(), VitalStream())
        self._facts = SessionFacts(dialect.name, None, self._schema.sizes)
        self._session = -1
        self._number = 0
        self._epochs = 0
        self._epoch: Epoch | None = None
        self._player = ""
        self._map = ""
        self._handshake_ticks: set[int] = set()
        self._pending: _Arrived | None = None
        self._openers: dict[int, tuple[bytes, int]] = {}
        """By direction: the last datagram that began with vital number 1, and its time."""
        self._fallen: list[int] = []
        """Rising ticks far below the newest, seen in a row."""
        self._handlers: dict[Role, Callable[[_Arrived], None]] = {
            Role.SNAPEMPTY: self._on_snap,
            Role.SNAPSINGLE: self._on_snap,
            Role.SNAP: self._on_snap,
            Role.INPUT: self._on_input,
            Role.MAP_CHANGE: self._on_map_change,
            Role.ENTERGAME: self._on_entergame,
            Role.OWN_NAME: self._on_own_name,
            Role.CLIENT_INFO: self._on_client_info,
        }

    def feed(self, batch: DatagramBatch) -> None:
        """Read a batch."""
        try:
            super().feed(batch)
        finally:
            self._flush_types()

    def receive(self, datagram: Datagram) -> None:
        """Read one datagram."""
        variant = self._dialect.variant
        packet = read_header(datagram.payload, variant) if datagram.cut else self._read_packet(datagram.payload)
        self._describe(packet, datagram)
        late = self.rows.packet
        self._add_command(packet)
        if packet.kind not in (PacketKind.CHUNKS, PacketKind.CONTROL):
            late.session = self._session
            return
        if not self._is_token_exchange(packet) and not (datagram.cut and packet.kind is PacketKind.CONTROL):
            self._open_session(datagram.packet)
        late.session = self._session
        if datagram.cut:
            # A control packet may be a CONNECT, whose ack says nothing.
            readable = packet.error is None and packet.kind is PacketKind.CHUNKS
            if readable and self._connection.admits(packet, datagram.direction):
                self._acknowledge(packet, datagram)
            return
        if packet.error is not None and not packet.chunks and late.kind == codes.MALFORMED:
            return
        if not self._connection.admits(packet, datagram.direction):
            late.kind, late.code = codes.FOREIGN, PACKET_CODE_NUMBERS["token"]
            return
        if self._connection.token != self._facts.token:
            self._learn(replace(self._facts, token=self._connection.token))
        self._acknowledge(packet, datagram)
        if packet.kind is PacketKind.CONTROL:
            self._connection.control(packet, datagram.direction)
        else:
            self._infer_generation(packet, datagram)
            for chunk in packet.chunks:
                self._read_chunk(packet, chunk, datagram)
        late.session = self._session

    def lose(self, loss: Loss) -> None:
        """The capture lost something."""
        if self._epoch is not None and self.last_ns is not None:
            self._epoch.lose(loss, self.last_ns)

    def rest(self) -> None:
        """Let go of the baselines: a server that was silent that long has none of them either."""
        if self._epoch is not None:
            self._epoch.rest()

    def finish(self) -> None:
        """Settle what is open."""
        if self._epoch is not None:
            self._flush_types()
            self._epoch.close()

    def failed(self) -> None:
        """An exception of ours: the snapshot message it struck gets a row, so that it is not missed."""
        arrived, self._pending = self._pending, None
        self.rows.packet.code = PACKET_CODE_NUMBERS["bug"]
        if arrived is not None and self._epoch is not None:
            try:
                tick, _ = unpack(arrived.packet.payload, arrived.body, arrived.end)
            except DecodeError:
                tick = -1
            self._epoch.bug(arrived.row, tick, 0)

    def _read_packet(self, payload: bytes) -> Packet:
        return read_packet(payload, self._dialect.variant)

    def _describe(self, packet: Packet, datagram: Datagram) -> None:
        late = self.rows.packet
        late.kind = _KINDS[packet.kind]
        late.flags = packet.flags
        late.chunks = packet.chunk_count
        if packet.kind in (PacketKind.CHUNKS, PacketKind.CONTROL):
            late.ack = packet.ack
        if datagram.cut:
            late.kind, late.code = codes.CUT, PACKET_CODE_NUMBERS["cut"]
        elif packet.error is not None:
            late.code = PACKET_CODE_NUMBERS[packet.error.code]
            if not packet.chunks:
                late.kind = codes.MALFORMED
        elif packet.surplus:
            late.code = PACKET_CODE_NUMBERS["surplus"]

    def _add_command(self, packet: Packet) -> None:
        """A row for what a control or connectionless packet says, beside those of chunks."""
        size = packet.payload_end - packet.body_offset
        if packet.control >= 0:
            known = self._dialect.variant.control_name(packet.control)
            name = known or f"unknown control message {packet.control}"
            self.rows.message(name, packet.control, CONTROL, NO_NUMBER, size + 1, packet.body_offset - 1)
        elif packet.connless:
            self.rows.message(packet.connless, NO_NUMBER, CONNLESS, NO_NUMBER, size, packet.body_offset)

    def _acknowledge(self, packet: Packet, datagram: Datagram) -> None:
        """A header's ack says what the peer has of the other side's vital chunks (rule 5 of 17.2)."""
        if packet.kind is PacketKind.CONTROL and packet.control in self._dialect.variant.handshake:
            return
        other = 1 - datagram.direction
        self._release(self._vital[other].acknowledged(packet.ack))

    def _read_chunk(self, packet: Packet, chunk: Chunk, datagram: Datagram) -> None:
        code = 0
        number, system, body, name = NO_NUMBER, False, chunk.offset, "unreadable message"
        handler: Callable[[_Arrived], None] | None = None
        role = Role.NONE
        end = chunk.offset + chunk.size
        try:
            number, system, identity, body = message_id(packet.payload, chunk.offset, end)
            if identity is None:
                known = self._schema.by_message_number.get((system, number))
                name = message_name(known, system, number)
                role = self._dialect.roles.of(system, number, from_server=datagram.direction == self._server)
                handler = self._handler(role, chunk.vital)
            else:
                known = self._schema.by_message_uuid.get((system, identity))
                name = known.name if known is not None else self._facts.names.get(str(identity), f"unknown {identity}")
                number = NO_NUMBER
                handler = self._on_it_is if name == "NETMSG_ITIS" else None
        except DecodeError:
            code = PACKET_CODE_NUMBERS["message"]
        flags = (SYSTEM if system else 0) | (VITAL if chunk.vital else 0) | (RESENT if chunk.resend else 0)
        sequence = chunk.sequence if chunk.vital else NO_NUMBER
        row = self.rows.message(name, number, flags, sequence, chunk.size, chunk.offset, code)
        arrived = _Arrived(packet, chunk, body, row, datagram, role, handler)
        if not chunk.vital:
            self._handle(arrived)
            return
        stream = self._vital[datagram.direction]
        if chunk.sequence == 1 and self._connection.restarts(datagram.direction, chunk.resend, stream.last):
            stream.restart()
        arrival, released = stream.receive(chunk.sequence, arrived, datagram.time_ns)
        if arrival is not Arrival.NEXT:
            self.rows.flag_message(REPEATED if arrival is Arrival.REPEATED else AHEAD)
        self._release(released)

    def _handler(self, role: Role, vital: bool) -> Callable[[_Arrived], None] | None:
        # Both peers ignore them where they are not vital.
        return None if role in (Role.MAP_CHANGE, Role.ENTERGAME) and not vital else self._handlers.get(role)

    def _release(self, released: Released[_Arrived]) -> None:
        if released.lost:
            first, last = released.lost[0], released.lost[-1]
            self.rows.finding("capture.vital-gap", NOTE, f"the capture lost vital messages {first} to {last}")
        for arrived in released.chunks:
            self._handle(arrived)

    def _handle(self, arrived: _Arrived) -> None:
        if arrived.handler is None:
            return
        self._pending = arrived if arrived.handler == self._on_snap else None
        try:
            arrived.handler(arrived)
        except DecodeError:
            if arrived.datagram.packet == self.rows.packet.packet:
                self.rows.packet.code = self.rows.packet.code or PACKET_CODE_NUMBERS["message"]
        self._pending = None

    def _on_map_change(self, arrived: _Arrived) -> None:
        stop = arrived.packet.payload.find(b"\0", arrived.body, arrived.end)
        if stop >= 0:
            self._map = arrived.packet.payload[arrived.body : stop].decode("utf-8", "backslashreplace")
        self._epochs += 1
        self._replace_epoch(begun=True, map_began=True)
        self.rows.amend_session(self._session, "map", self._map)

    def _on_entergame(self, arrived: _Arrived) -> None:
        epoch = self._epoch
        assert epoch is not None
        if not epoch.enters():
            self._epochs += 1
            self._replace_epoch(begun=True)
        elif epoch.any_seen:
            self._number += 1
            self._flush_types()
            self._session = self._add_session(self.rows.packet.packet)
            epoch.go_on_as(self._session)

    def _on_input(self, arrived: _Arrived) -> None:
        tick, _, _ = read_input(arrived.packet.payload, arrived.body, arrived.end)
        if tick < 0 or tick in self._handshake_ticks or self._epoch is None:
            return
        self._epoch.acknowledge(tick, arrived.datagram.packet)

    def _on_snap(self, arrived: _Arrived) -> None:
        payload, epoch = arrived.packet.payload, self._epoch
        assert epoch is not None
        wire_bytes = arrived.datagram.udp_length
        try:
            fields = read_snap(payload, arrived.role, arrived.body, arrived.end)
        except DecodeError as error:
            if not arrived.chunk.vital:
                self._malformed_snap(arrived, error)
            return
        if arrived.chunk.vital:
            # The anti-spoof handshake (15.4): its tick is a token.
            if len(self._handshake_ticks) < MAX_LEARNED_NAMES:
                self._handshake_ticks.add(fields.tick)
            return
        epoch = self._infer_epoch(epoch, fields)
        if epoch.holed and fields.tick >= epoch.seen:
            epoch.go_on(fields.tick, self.last_ns or 0)
        data = payload[fields.data_offset : fields.data_offset + fields.length]
        row = replace(arrived.row, number=fields.part)
        epoch.wants_player = self._wants_player
        digest = self._tools.digest(payload[arrived.body : arrived.end])
        epoch.receive(SnapMessage(fields, data, digest, row, wire_bytes))
        if not self._player:
            self._name_player(epoch.player)

    def _malformed_snap(self, arrived: _Arrived, error: DecodeError) -> None:
        assert self._epoch is not None
        try:
            tick, _ = unpack(arrived.packet.payload, arrived.body, arrived.end)
        except DecodeError:
            tick = -1
        self._epoch.malformed(arrived.row, tick, arrived.role, error, arrived.datagram.udp_length)

    def _on_own_name(self, arrived: _Arrived) -> None:
        self._name_player(read_client_name(arrived.packet.payload, arrived.body, arrived.end))

    def _on_client_info(self, arrived: _Arrived) -> None:
        self._name_player(read_own_name(arrived.packet.payload, arrived.body, arrived.end))

    def _on_it_is(self, arrived: _Arrived) -> None:
        payload, body = arrived.packet.payload, arrived.body
        stop = payload.find(b"\0", body + 16, arrived.end)
        if stop < 0 or len(self._facts.names) >= MAX_LEARNED_NAMES:
            return
        digits = payload[body : body + 16].hex()
        identity = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
        name = payload[body + 16 : min(stop, body + 16 + MAX_NAME)].decode("utf-8", "backslashreplace")
        if identity not in self._facts.names:
            self._learn(replace(self._facts, names={**self._facts.names, identity: name}))

    def _name_player(self, name: str) -> None:
        if name and name != self._player:
            self._player = name
            self.rows.amend_session(self._session, "player", name)

    def _learn(self, facts: SessionFacts) -> None:
        self._facts = facts
        self.rows.amend_session(self._session, "facts", facts)

    def _infer_generation(self, packet: Packet, datagram: Datagram) -> None:
        """No handshake captured, but number 1 again with the message that opens a connection (17.5).

        The network may repeat the very datagram that opened the one there is.
        """
        direction = datagram.direction
        vital = [chunk for chunk in packet.chunks if chunk.vital]
        if not vital or vital[0].sequence != 1 or vital[0].resend:
            return
        payload, time_ns = self._openers.get(direction, (b"", 0))
        self._openers[direction] = datagram.payload, datagram.time_ns
        if payload == datagram.payload and datagram.time_ns - time_ns < REPEATS_NS:
            return
        roles = self._dialect.roles
        opener = roles.number(Role.MAP_CHANGE) if direction == self._server else roles.info
        opens = any(
            chunk.sequence <= 3 and _system_number(packet, chunk) == opener for chunk in vital if not chunk.resend
        )
        last = self._vital[direction].last
        if opens and last is not None and last != 0 and self._epoch is not None and self._epoch.any_seen:
            self._connection.begin(direction)
            self._connection.expect(1 - direction)
            self._vital[direction].restart()

    @property
    def _wants_player(self) -> bool:
        """Is the player's name to be looked for in snapshots?"""
        return self._dialect.names_in_snapshots and not self._player

    def _is_token_exchange(self, packet: Packet) -> bool:
        """A 0.7 client asks for a token before it connects, but also before it asks for the server's information."""
        variant = self._dialect.variant
        return packet.control == TOKEN_EXCHANGE and TOKEN_EXCHANGE in variant.handshake

    def _open_session(self, packet: int) -> None:
        if self._epoch is None:
            self._session = self._add_session(packet)
            self._epoch = Epoch(self.rows, self._session, self._tools.open_rebuilder, begun=False)

    def _infer_epoch(self, epoch: Epoch, fields: SnapFields) -> Epoch:
        """Ticks fell back, so MAP_CHANGE and ENTERGAME were lost by the capture (17.5).

        An acknowledgement alone is not believed: a client that reads its socket late acknowledges old ticks too.
        """
        if fields.tick >= epoch.seen - REORDERED_TICKS:
            self._fallen = []
            return epoch
        if not self._fallen or fields.tick != self._fallen[-1]:
            rising = not self._fallen or fields.tick > self._fallen[-1]
            self._fallen = [*self._fallen, fields.tick] if rising else [fields.tick]
        acked = epoch.last_ack
        if fields.base_tick < 0:
            why = f"a full snapshot of tick {fields.tick}, far below tick {epoch.seen}"
        elif (
            acked is not None
            and acked < epoch.seen - EPOCH_ACK_MARGIN
            # Below every tick known, or so far below the newest that this one was a lone number out of place.
            and (acked < epoch.lowest or fields.tick < epoch.seen - EPOCH_ACK_MARGIN)
        ):
            why = f"tick {fields.tick} and acknowledged tick {acked} are far below tick {epoch.seen}"
        elif len(self._fallen) >= EPOCH_FALLEN:
            why = f"ticks {self._fallen[0]} to {fields.tick} in a row are far below tick {epoch.seen}"
        else:
            return epoch
        self._fallen = []
        self.rows.finding("session.inferred", WARNING, f"a new epoch began unseen: {why}")
        self._epochs += 1
        return self._replace_epoch(begun=False)

    def _replace_epoch(self, *, begun: bool, map_began: bool = False) -> Epoch:
        """An empty store. An epoch without snapshots does not count as a session."""
        assert self._epoch is not None
        self._flush_types()
        self._epoch.close()
        if self._epoch.any_seen:
            self._number += 1
            self._session = self._add_session(self.rows.packet.packet)
        else:
            self.rows.amend_session(self._session, "epoch", min(self._epochs, MAX_COUNT))
            self.rows.amend_session(self._session, "generation", min(self._connection.generation, MAX_COUNT))
        tools = self._tools
        self._epoch = Epoch(self.rows, self._session, tools.open_rebuilder, begun=begun, map_began=map_began)
        return self._epoch

    def _flush_types(self) -> None:
        """Hand over what was counted of item types since the last time."""
        for (type, declaration), count in self._tools.types.take().items():
            name = self._schema.item_name(type, {} if declaration is None else {type: declaration})
            self.rows.count_type(self._session, name, count.updates, count.values, count.packet)

    def _add_session(self, packet: int) -> int:
        row = SessionRow(
            min(self._number, MAX_COUNT),
            min(self._connection.generation, MAX_COUNT),
            min(self._epochs, MAX_COUNT),
            self._dialect.name,
            self._facts,
            packet,
            self._player,
            self._map,
        )
        return self.rows.session(row)


def _system_number(packet: Packet, chunk: Chunk) -> int:
    try:
        number, system, _, _ = message_id(packet.payload, chunk.offset, chunk.offset + chunk.size)
    except DecodeError:
        return -1
    return number if system else -1
