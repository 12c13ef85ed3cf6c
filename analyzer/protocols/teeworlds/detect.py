"""Which dialect a flow speaks, and which end is the server (spec section 3): by handshake, else by scoring packets.

Four hypotheses are scored. 0.7 is one of them although there is no reading for it: a 0.7 packet can look like 0.6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from analyzer.protocols.base import Datagram, Detector, Verdict
from analyzer.protocols.teeworlds.messages import EXTENDED, message_id
from analyzer.protocols.teeworlds.schema import default_schema
from analyzer.transports.teeworlds import is_stun, read_packet
from analyzer.transports.teeworlds_huffman import HUFFMAN
from analyzer.transports.teeworlds_packet import (
    CONNECT,
    CONNECTACCEPT,
    HEADER,
    PLAIN,
    TAIL,
    Packet,
    PacketKind,
    Variant,
)
from analyzer.wire.errors import DecodeError

SEVEN = "0.7"
AGREEMENT = 3
"""Packets that must speak for a hypothesis, more than for any other. One is usually enough, two always were."""
PATIENCE = 64
"""Datagrams that are all read; a flow that then has nothing in its favour is not a game, or not yet."""
STRIDE = 16
"""Of such a flow, every 16th datagram is read: guessing at bytes that mean something else is the dearest work there is.
Handshakes are still looked for in each."""
MIN_POINTS = -16
"""Points fall no lower, so that a game on ports that carried something else before is recognised soon."""
MAX_MESSAGES_07 = {True: 30, False: 39}
"""Highest message number of 0.7, by system bit."""
SERVER_07 = {True: frozenset({2, 3, 4, 5, 6, 7, 8, 10}), False: frozenset({1, 2, 3, 4, 5, 6, 8, 17, 18, 19})}
CLIENT_07 = {True: frozenset({1, 18, 19, 20, 23}), False: frozenset({24, 25, 26, 27})}
CONNLESS_FROM_SERVER = frozenset({"inf3", "dtsf", "iext", "iex+"})
CONNLESS_FROM_CLIENT = frozenset({"gie3", "fstd"})
CONNLESS_OF_MASTER = frozenset({"chal", "bea2", "fwok", "fwer", "fw??", "fw!!", "req2", "lis2", "cou2", "siz2"})
CONNLESS_NAMES = CONNLESS_FROM_SERVER | CONNLESS_FROM_CLIENT | CONNLESS_OF_MASTER
"""Spec section 4.3."""

_TKEN = b"TKEN"
_ANSWERS: tuple[tuple[Callable[[bytes], bool], str], ...] = (
    (lambda data: len(data) == 12 and data.startswith(b"\x10\x00\x00\x02" + _TKEN), TAIL.name),
    (lambda data: data == b"\x10\x00\x00\x02", PLAIN.name),
    (lambda data: len(data) >= 12 and data.startswith(b"\x18\x00\x00") and data[7] == CONNECTACCEPT, HEADER.name),
    (lambda data: len(data) in (8, 12) and data.startswith(b"\x04\x00\x00") and data[7] in (2, 5), SEVEN),
)
"""A server's answer to a handshake decides at once."""


@dataclass(slots=True)
class _Hypothesis:
    """One way to read the flow, with the packets for and against it."""

    variant: Variant
    points: int = 0
    chunk_packets: int = 0
    token: int | None = None
    strangers: int = 0
    server: int = -1

    def judge(self, payload: bytes, direction: int) -> None:
        """Score a packet."""
        packet = read_packet(payload, self.variant)
        if packet.kind not in (PacketKind.CHUNKS, PacketKind.CONTROL):
            return
        if packet.kind is PacketKind.CONTROL and packet.control in (CONNECT, CONNECTACCEPT):
            return
        if packet.error is not None or packet.issues or not self._fits(packet):
            self.points = max(self.points - 1, MIN_POINTS)
            return
        self.points += 1
        if packet.kind is PacketKind.CHUNKS:
            self.chunk_packets += 1
            if self.server < 0:
                self.server = _server(packet, direction)

    def _fits(self, packet: Packet) -> bool:
        if self.variant is HEADER and packet.token is None:
            return False
        if packet.kind is PacketKind.CONTROL and packet.control in (0, 3) and packet.body:
            return False
        if not all(_known(packet, index) for index in range(len(packet.chunks))):
            return False
        return self._constant(packet.token)

    def _constant(self, token: int | None) -> bool:
        """The token stays the same over the flow; a few packets of a stranger do not change that."""
        if token is None or token == self.token:
            self.strangers = 0
            return True
        if self.token is None or self.strangers >= AGREEMENT:
            self.token, self.strangers, self.points = token, 0, min(self.points, 0)
            return True
        self.strangers += 1
        return False


@dataclass(slots=True)
class TeeworldsDetector(Detector):
    """Scores one flow."""

    hypotheses: list[_Hypothesis] = field(default_factory=lambda: [_Hypothesis(v) for v in (PLAIN, TAIL, HEADER)])
    decided: str = ""
    server: int = -1
    """From a handshake or a connectionless message; else each hypothesis has its own."""
    seven: int = 0
    server_of_seven: int = -1
    connless: int = 0
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
        if len(payload) > 2 and payload[0] & 0x20 and payload[0] & 0xC0 in (0xC0, 0x40):
            self._see_connless(datagram)
            return
        self.judged += 1
        if self.judged > PATIENCE and self.judged % STRIDE and not self._promising:
            return
        for hypothesis in self.hypotheses:
            hypothesis.judge(payload, datagram.direction)
        self._see_seven(datagram)

    @property
    def _promising(self) -> bool:
        return self.seven > 0 or any(hypothesis.points > 0 for hypothesis in self.hypotheses)

    def verdict(self) -> Verdict | None:
        """The dialect that is ahead. Score 1 once a handshake or three packets more than for any other say so."""
        if self.decided:
            return Verdict(self.decided, 1.0, self.server, readable=self.decided != SEVEN)
        ranking = [(h.points, h.chunk_packets, h.server, h.variant.name) for h in self.hypotheses]
        ranking.append((self.seven, self.seven, self.server_of_seven, SEVEN))
        ranking.sort(reverse=True)
        points, chunk_packets, server, name = ranking[0]
        server = self.server if self.server >= 0 else server
        lead = points - max(0, ranking[1][0])
        if lead > 0 and chunk_packets > 0 and server >= 0:
            score = 1.0 if lead >= AGREEMENT else 0.5 + lead / 10
            return Verdict(name, score, server, readable=name != SEVEN)
        if self.connless and points <= 0:
            return Verdict(PLAIN.name, 0.3, self.server)
        return None

    def _see_connless(self, datagram: Datagram) -> None:
        packet = read_packet(datagram.payload, PLAIN)
        if packet.error is not None or packet.issues or packet.connless not in CONNLESS_NAMES:
            return
        self.connless += 1
        if packet.connless in CONNLESS_FROM_SERVER:
            self.server = datagram.direction
        elif packet.connless in CONNLESS_FROM_CLIENT:
            self.server = 1 - datagram.direction

    def _see_seven(self, datagram: Datagram) -> None:
        judged = judge_seven(datagram.payload)
        if judged is None:
            return
        fits, sender = judged
        self.seven = self.seven + 1 if fits else max(self.seven - 1, MIN_POINTS)
        if fits and self.server_of_seven < 0 and sender != 0:
            self.server_of_seven = datagram.direction if sender > 0 else 1 - datagram.direction


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


def judge_seven(payload: bytes) -> tuple[bool, int] | None:
    """Does a payload read as a 0.7 chunk packet, and who sends it: 1 a server, -1 a client, 0 either?

    None: neither for nor against, as a control packet. Spec sections 2.2 and 7.1.
    """
    if len(payload) < 7:
        return False, 0
    first = payload[0]
    if first & 0xC0 or first & 0x20:
        return (False, 0) if first & 0xC0 else None
    if first & 0x04:
        return None
    data = payload[7:]
    try:
        if first & 0x10:
            data = HUFFMAN.decompress(payload, 7, 1391)
        return _chunks_of_seven(data, payload[2], bool(first & 0x08))
    except DecodeError:
        return False, 0


def _chunks_of_seven(data: bytes, count: int, resend: bool) -> tuple[bool, int]:
    offset = sender = 0
    for _ in range(count):
        if len(data) - offset < 3:
            return False, 0
        size = (data[offset] & 0x3F) << 6 | data[offset + 1] & 0x3F
        offset += 3 if data[offset] & 0x40 else 2
        if size > len(data) - offset:
            return False, 0
        number, system, _, _ = message_id(data, offset, offset + size)
        if number > MAX_MESSAGES_07[system]:
            return False, 0
        sender = sender or (number in SERVER_07[system]) - (number in CLIENT_07[system])
        offset += size
    return offset == len(data) and (count > 0 or resend), sender


def _known(packet: Packet, index: int) -> bool:
    """Is the message of a chunk one of the dialect? One named by UUID may be a mod's."""
    chunk = packet.chunks[index]
    try:
        number, system, _, _ = message_id(packet.payload, chunk.offset, chunk.offset + chunk.size)
    except DecodeError:
        return False
    if number == EXTENDED:
        return True
    known = default_schema().by_message_number.get((system, number))
    return known is not None and not known.unused


def _server(packet: Packet, direction: int) -> int:
    """Direction of the server, from the first message that only one side sends; -1: none does."""
    for chunk in packet.chunks:
        try:
            number, system, identity, _ = message_id(packet.payload, chunk.offset, chunk.offset + chunk.size)
        except DecodeError:
            continue
        schema = default_schema()
        known = (
            schema.by_message_number.get((system, number))
            if identity is None
            else schema.by_message_uuid.get((system, identity))
        )
        if known is not None and known.direction in ("server", "client"):
            return direction if known.direction == "server" else 1 - direction
    return -1
