"""Which dialect a flow speaks, and which end is the server (spec section 3): by handshake, else by scoring packets.

Each dialect is a hypothesis: many packets can be read as more than one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from analyzer.protocols.flow import Datagram, Detector, Verdict
from analyzer.protocols.teeworlds.dialects import DIALECTS, Dialect
from analyzer.protocols.teeworlds.messages import EXTENDED, message_id
from analyzer.protocols.teeworlds.schema import Schema, default_schema
from analyzer.transports.teeworlds import is_stun, read_header, read_packet
from analyzer.transports.teeworlds_packet import (
    ACCEPT,
    CONNECTACCEPT,
    HEADER,
    KEEPALIVE,
    PLAIN,
    SEVEN,
    TAIL,
    TOKEN_EXCHANGE,
    Packet,
    PacketKind,
    TokenPlace,
)
from analyzer.wire.errors import DecodeError

AGREEMENT = 3
"""Packets that must speak for a hypothesis, more than for any other. One is usually enough, two always were."""
PATIENCE = 64
"""Datagrams that are all read; a flow that then has nothing in its favour is not a game, or not yet."""
STRIDE = 16
"""Of such a flow, every 16th datagram is read: guessing at bytes that mean something else is the dearest work there is.
Handshakes are still looked for in each."""
MIN_POINTS = -16
"""Points fall no lower, so that a game on ports that carried something else before is recognised soon."""

_TKEN = b"TKEN"
_ANSWERS: tuple[tuple[Callable[[bytes], bool], str], ...] = (
    (lambda data: len(data) == 12 and data.startswith(b"\x10\x00\x00\x02" + _TKEN), TAIL.name),
    (lambda data: data == b"\x10\x00\x00\x02", PLAIN.name),
    (lambda data: len(data) >= 12 and data.startswith(b"\x18\x00\x00") and data[7] == CONNECTACCEPT, HEADER.name),
    (
        lambda data: (
            len(data) in (8, 12) and data.startswith(b"\x04\x00\x00") and data[7] in (CONNECTACCEPT, TOKEN_EXCHANGE)
        ),
        SEVEN.name,
    ),
)
"""A server's answer to a handshake decides at once."""


@dataclass(slots=True)
class _Hypothesis:
    """One way to read the flow, with the packets for and against it."""

    dialect: Dialect
    points: int = 0
    chunk_packets: int = 0
    tokens: list[int | None] = field(default_factory=lambda: [None, None])
    """By direction; both the same unless either side has its own."""
    strangers: list[int] = field(default_factory=lambda: [0, 0])
    server: int = -1

    def judge(self, payload: bytes, direction: int) -> None:
        """Score a packet."""
        variant = self.dialect.variant
        packet = read_header(payload, variant)
        if packet.kind is PacketKind.CONTROL or (packet.kind is PacketKind.CHUNKS and not packet.issues):
            # What has flags that the dialect does not know is not worth decompressing.
            packet = read_packet(payload, variant)
        elif packet.kind is not PacketKind.CHUNKS:
            return
        if packet.kind is PacketKind.CONTROL and packet.control in variant.handshake:
            return
        if packet.error is not None or packet.issues or not self._fits(packet, direction):
            self.points = max(self.points - 1, MIN_POINTS)
            return
        self.points += 1
        if packet.kind is PacketKind.CHUNKS:
            self.chunk_packets += 1
            if self.server < 0:
                self.server = _server(packet, direction, self.dialect.schema)

    def _fits(self, packet: Packet, direction: int) -> bool:
        if self.dialect.variant is HEADER and packet.token is None:
            return False
        if packet.kind is PacketKind.CONTROL and packet.control in (KEEPALIVE, ACCEPT) and packet.body:
            return False
        if not all(_known(packet, index, self.dialect.schema) for index in range(len(packet.chunks))):
            return False
        return self._constant(packet.token, direction)

    def _constant(self, token: int | None, direction: int) -> bool:
        """The token stays the same over the flow; a few packets of a stranger do not change that."""
        place = direction if self.dialect.variant.token_place is TokenPlace.HEADER else 0
        if token is None or token == self.tokens[place]:
            self.strangers[place] = 0
            return True
        if self.tokens[place] is None:
            self.tokens[place], self.strangers[place] = token, 0
            return True
        if self.strangers[place] >= AGREEMENT:
            self.tokens[place], self.strangers[place], self.points = token, 0, min(self.points, 0)
            return True
        self.strangers[place] += 1
        return False


@dataclass(slots=True)
class TeeworldsDetector(Detector):
    """Scores one flow."""

    hypotheses: list[_Hypothesis] = field(default_factory=lambda: [*map(_Hypothesis, DIALECTS.values())])
    decided: str = ""
    server: int = -1
    """From a handshake or a connectionless message; else each hypothesis has its own."""
    connless: str = ""
    """Dialect of the last connectionless message that was recognised."""
    judged: int = 0
    """Datagrams that were scored, or could have been."""

    def see(self, datagram: Datagram) -> None:
        """Take one more datagram into account; one that was cut says nothing."""
        payload = datagram.payload
        if datagram.cut or is_stun(payload):
            return
        for matches, dialect in _ANSWERS:
            if matches(payload):
                self.decided, self.server = dialect, datagram.direction
                return
        if len(payload) > 2 and payload[0] & 0x20 and (payload[0] & 0xC0 in (0xC0, 0x40) or payload[0] == 0x21):
            self._see_connless(datagram)
            return
        self.judged += 1
        if self.judged > PATIENCE and self.judged % STRIDE and not self._promising:
            return
        for hypothesis in self.hypotheses:
            hypothesis.judge(payload, datagram.direction)

    @property
    def _promising(self) -> bool:
        return any(hypothesis.points > 0 for hypothesis in self.hypotheses)

    def verdict(self) -> Verdict | None:
        """The dialect that is ahead. Score 1 once a handshake or three packets more than for any other say so."""
        if self.decided:
            return Verdict(self.decided, 1.0, self.server)
        ranking = [(h.points, h.chunk_packets, h.server, h.dialect.name) for h in self.hypotheses]
        ranking.sort(reverse=True)
        points, chunk_packets, server, name = ranking[0]
        server = self.server if self.server >= 0 else server
        lead = points - max(0, ranking[1][0])
        if lead > 0 and chunk_packets > 0 and server >= 0:
            score = 1.0 if lead >= AGREEMENT else 0.5 + lead / 10
            return Verdict(name, score, server)
        if self.connless and points <= 0:
            return Verdict(self.connless, 0.3, self.server)
        return None

    def _see_connless(self, datagram: Datagram) -> None:
        packet = read_packet(datagram.payload, PLAIN)
        # Of each dialect: 0.6 has all that 0.7 has.
        message = default_schema().connless.get(packet.connless)
        if packet.error is not None or packet.issues or message is None:
            return
        self.connless = SEVEN.name if packet.kind is PacketKind.CONNLESS_07 else PLAIN.name
        if message.direction == "server":
            self.server = datagram.direction
        elif message.direction == "client":
            self.server = 1 - datagram.direction


def probe(payload: bytes) -> float:
    """Could the payload be a packet of the family? Looks at the header alone."""
    if len(payload) < 3 or is_stun(payload):
        return 0.0
    first = payload[0]
    if payload[:6] == b"\xff" * 6 or payload[:2] == b"xe":
        return 0.9
    if first & 0xC0 == 0 and first & 0x04 and payload[2] == 0:
        return 0.5 if len(payload) >= 8 else 0.0
    if first & 0x20:
        return 0.3 if first & 0xC0 == 0 and first & 3 == 1 and len(payload) >= 9 else 0.0
    if first & 0x10 and payload[2] == 0:
        number = 7 if first & 0x08 else 3
        return 0.5 if len(payload) > number and payload[number] <= 5 else 0.0
    return 0.2 if payload[2] or first & 0x40 else 0.0


def _known(packet: Packet, index: int, schema: Schema) -> bool:
    """Is the message of a chunk one of the dialect? One named by UUID may be a mod's."""
    chunk = packet.chunks[index]
    try:
        number, system, _, _ = message_id(packet.payload, chunk.offset, chunk.offset + chunk.size)
    except DecodeError:
        return False
    if number == EXTENDED:
        return True
    known = schema.by_message_number.get((system, number))
    return known is not None and not known.unused


def _server(packet: Packet, direction: int, schema: Schema) -> int:
    """Direction of the server, from the first message that only one side sends; -1: none does."""
    for chunk in packet.chunks:
        try:
            number, system, identity, _ = message_id(packet.payload, chunk.offset, chunk.offset + chunk.size)
        except DecodeError:
            continue
        known = (
            schema.by_message_number.get((system, number))
            if identity is None
            else schema.by_message_uuid.get((system, identity))
        )
        if known is not None and known.direction in ("server", "client"):
            return direction if known.direction == "server" else 1 - direction
    return -1
