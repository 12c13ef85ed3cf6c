"""Reads the datagrams of one flow in order: packets, vital sequences, connection events, snapshots of each epoch.

Spec sections 17.2 and 17.5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from analyzer.protocols.flow import Datagram, DatagramBatch, Loss, Reading
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
from analyzer.protocols.teeworlds.epoch import NOTE
from analyzer.protocols.teeworlds.messages import (
    message_id,
    message_name,
    read_input,
    read_snap,
)
from analyzer.protocols.teeworlds.players import read_client_name, read_own_name
from analyzer.protocols.teeworlds.rebuilder import Tools
from analyzer.protocols.teeworlds.roles import Role
from analyzer.protocols.teeworlds.sessions import Sessions
from analyzer.protocols.teeworlds.snapshot_rows import SnapMessage
from analyzer.protocols.teeworlds.vital import Arrival, Released, VitalStream
from analyzer.store.rows import PartRow, Rows
from analyzer.transports.teeworlds import read_header, read_packet
from analyzer.transports.teeworlds_packet import TOKEN_EXCHANGE, Chunk, Packet, PacketKind
from analyzer.wire.errors import DecodeError
from analyzer.wire.varint import unpack

REPEATS_NS = 5_000_000_000
"""The same datagram again within this time is a repetition by the network."""
MAX_HANDSHAKE_TICKS = 256
"""Tokens of anti-spoof handshakes that a flow may have."""
MAX_NAME = 64


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
        self._digest = tools.digest
        self._connection = Connection(dialect.variant, server)
        self._sessions = Sessions(rows, dialect, self._connection, tools)
        self._vital: tuple[VitalStream[_Arrived], VitalStream[_Arrived]] = (VitalStream(), VitalStream())
        self._handshake_ticks: set[int] = set()
        self._pending: _Arrived | None = None
        self._openers: dict[int, tuple[bytes, int]] = {}
        """By direction: the last datagram that began with vital number 1, and its time."""
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
            self._sessions.flush_types()

    def receive(self, datagram: Datagram) -> None:
        """Read one datagram."""
        variant = self._dialect.variant
        packet = read_header(datagram.payload, variant) if datagram.cut else self._read_packet(datagram.payload)
        self._describe(packet, datagram)
        late = self.rows.packet
        self._add_command(packet)
        if packet.kind not in (PacketKind.CHUNKS, PacketKind.CONTROL):
            late.session = self._sessions.current
            return
        if not self._is_token_exchange(packet) and not (datagram.cut and packet.kind is PacketKind.CONTROL):
            self._sessions.open(datagram.packet)
        late.session = self._sessions.current
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
        self._sessions.learn_token(self._connection.token)
        self._acknowledge(packet, datagram)
        if packet.kind is PacketKind.CONTROL:
            self._connection.control(packet, datagram.direction)
        else:
            self._infer_generation(packet, datagram)
            for chunk in packet.chunks:
                self._read_chunk(packet, chunk, datagram)
        late.session = self._sessions.current

    def lose(self, loss: Loss) -> None:
        """The capture lost something."""
        epoch = self._sessions.epoch
        if epoch is not None and self.last_ns is not None:
            epoch.lose(loss, self.last_ns)

    def rest(self) -> None:
        """Let go of the baselines: a server that was silent that long has none of them either."""
        if self._sessions.epoch is not None:
            self._sessions.epoch.rest()

    def finish(self) -> None:
        """Settle what is open."""
        self._sessions.close()

    def failed(self) -> None:
        """An exception of ours: the snapshot message it struck gets a row, so that it is not missed."""
        arrived, self._pending = self._pending, None
        self.rows.packet.code = PACKET_CODE_NUMBERS["bug"]
        if arrived is not None and self._sessions.epoch is not None:
            try:
                tick, _ = unpack(arrived.packet.payload, arrived.body, arrived.end)
            except DecodeError:
                tick = -1
            self._sessions.epoch.bug(arrived.row, tick, 0)

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
                learned = self._sessions.facts.names.get(str(identity), f"unknown {identity}")
                name = known.name if known is not None else learned
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
        # Both peers ignore them where they are not vital. Excerpts tell so of what began before them.
        if role is Role.MAP_CHANGE and not vital:
            return self._on_told_map
        return None if role is Role.ENTERGAME and not vital else self._handlers.get(role)

    def _release(self, released: Released[_Arrived]) -> None:
        if released.lost:
            first, last = released.lost[0], released.lost[-1]
            self.rows.finding("net.vital_gap", NOTE, f"the capture lost vital messages {first} to {last}")
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
        self._sessions.change_map(_map_name(arrived))

    def _on_told_map(self, arrived: _Arrived) -> None:
        self._sessions.tell_map(_map_name(arrived))

    def _on_entergame(self, arrived: _Arrived) -> None:
        self._sessions.enter()

    def _on_input(self, arrived: _Arrived) -> None:
        tick, _, _ = read_input(arrived.packet.payload, arrived.body, arrived.end)
        epoch = self._sessions.epoch
        if tick >= 0 and tick not in self._handshake_ticks and epoch is not None:
            epoch.acknowledge(tick, arrived.datagram.packet)

    def _on_snap(self, arrived: _Arrived) -> None:
        payload = arrived.packet.payload
        wire_bytes = arrived.datagram.udp_length
        try:
            fields = read_snap(payload, arrived.role, arrived.body, arrived.end)
        except DecodeError as error:
            if not arrived.chunk.vital:
                self._malformed_snap(arrived, error)
            return
        if arrived.chunk.vital:
            # The anti-spoof handshake (15.4): its tick is a token.
            if len(self._handshake_ticks) < MAX_HANDSHAKE_TICKS:
                self._handshake_ticks.add(fields.tick)
            return
        epoch = self._sessions.epoch_of(fields)
        if epoch.holed and fields.tick >= epoch.seen:
            epoch.go_on(fields.tick, self.last_ns or 0)
        data = payload[fields.data_offset : fields.data_offset + fields.length]
        row = replace(arrived.row, number=fields.part)
        epoch.wants_player = self._sessions.wants_player
        digest = self._digest(payload[arrived.body : arrived.end])
        epoch.receive(SnapMessage(fields, data, digest, row, wire_bytes))
        if not self._sessions.player:
            self._sessions.name_player(epoch.player)

    def _malformed_snap(self, arrived: _Arrived, error: DecodeError) -> None:
        epoch = self._sessions.epoch
        assert epoch is not None
        try:
            tick, _ = unpack(arrived.packet.payload, arrived.body, arrived.end)
        except DecodeError:
            tick = -1
        epoch.malformed(arrived.row, tick, arrived.role, error, arrived.datagram.udp_length)

    def _on_own_name(self, arrived: _Arrived) -> None:
        self._sessions.name_player(read_client_name(arrived.packet.payload, arrived.body, arrived.end))

    def _on_client_info(self, arrived: _Arrived) -> None:
        self._sessions.name_player(read_own_name(arrived.packet.payload, arrived.body, arrived.end))

    def _on_it_is(self, arrived: _Arrived) -> None:
        payload, body = arrived.packet.payload, arrived.body
        stop = payload.find(b"\0", body + 16, arrived.end)
        if stop < 0:
            return
        digits = payload[body : body + 16].hex()
        identity = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
        name = payload[body + 16 : min(stop, body + 16 + MAX_NAME)].decode("utf-8", "backslashreplace")
        self._sessions.learn_name(identity, name)

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
        epoch = self._sessions.epoch
        if opens and last is not None and last != 0 and epoch is not None and epoch.any_seen:
            self._connection.begin(direction)
            self._connection.expect(1 - direction)
            self._vital[direction].restart()

    def _is_token_exchange(self, packet: Packet) -> bool:
        """A 0.7 client asks for a token before it connects, but also before it asks for the server's information."""
        variant = self._dialect.variant
        return packet.control == TOKEN_EXCHANGE and TOKEN_EXCHANGE in variant.handshake


def _map_name(arrived: _Arrived) -> str | None:
    """The name in a MAP_CHANGE; None: it does not end."""
    payload = arrived.packet.payload
    stop = payload.find(b"\0", arrived.body, arrived.end)
    return payload[arrived.body : stop].decode("utf-8", "backslashreplace") if stop >= 0 else None


def _system_number(packet: Packet, chunk: Chunk) -> int:
    try:
        number, system, _, _ = message_id(packet.payload, chunk.offset, chunk.offset + chunk.size)
    except DecodeError:
        return -1
    return number if system else -1
