"""What packets and chunks of Teeworlds consist of, and in what the dialects differ. Spec sections 2, 4 and 7."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from analyzer.wire.errors import DecodeError

MAX_DATAGRAM = 1400
MAX_PAYLOAD_06 = 1397
MAX_PAYLOAD_07 = 1391
"""Decoded payload of a packet, DDNet's limit and that of 0.7 (spec section 2.4)."""
FLAGS_SIZE = 3
"""Flags, acknowledgement and number of chunks, with which every header of a connection begins."""
TOKEN_SIZE = 4
NO_TOKEN = 0xFFFFFFFF
"""What a packet carries while the receiver's token is not known."""
CONNLESS_HEADER = 6
CONNLESS_HEADER_07 = 9

COMPRESSED = 0x80
RESEND = 0x40
CONNLESS = 0x20
CONTROL = 0x10
TOKEN = 0x08
"""Bits of `Packet.flags`; where they stand on the wire is the variant's matter."""

KEEPALIVE, CONNECT, CONNECTACCEPT, ACCEPT, CLOSE, TOKEN_EXCHANGE = range(6)
"""Control messages. In 0.7 the server's answer to a CONNECT is called ACCEPT, and nobody sends number 3; the 0.6 family
exchanges no tokens by themselves."""


class PacketKind(IntEnum):
    """What a datagram is; fits into a byte."""

    CHUNKS = 0
    CONTROL = 1
    CONNLESS = 2
    CONNLESS_EXTENDED = 3
    STUN = 4
    CONNLESS_07 = 5


class TokenPlace(IntEnum):
    """Where a packet carries the token of its connection."""

    NONE = 0
    TAIL = 1
    """Last four bytes of the payload, compressed along with it."""
    FLAGGED = 2
    """After the header if the token bit is set."""
    HEADER = 3
    """After the header, always; either side chooses the one that it is sent."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A dialect of the packet layer, as the differences from the others."""

    name: str
    token_place: TokenPlace
    known_bits: int
    """Bits of byte 0 that have a meaning, as a mask."""
    flag_bits: tuple[tuple[str, int, int], ...]
    """Name, bit of byte 0, bit of `Packet.flags`."""
    size_shift: int = 4
    """Low bits of a chunk's size, in its second header byte."""
    max_payload: int = MAX_PAYLOAD_06
    control_names: tuple[str, ...] = ("KEEPALIVE", "CONNECT", "CONNECTACCEPT", "ACCEPT", "CLOSE")
    """By number; empty: nobody sends it."""
    handshake: frozenset[int] = frozenset((CONNECT, CONNECTACCEPT))
    """Control messages that carry no token or one that is about to change; what they acknowledge says nothing."""

    def control_name(self, number: int) -> str:
        """Name of a control message, empty if the variant has none of that number."""
        return self.control_names[number] if number < len(self.control_names) else ""

    def flags_of(self, first: int) -> int:
        """Bits of `Packet.flags` for byte 0 of a packet."""
        return sum(flag for _, bit, flag in self.flag_bits if first & bit)


_FLAGS_06 = (
    ("compression", 0x80, COMPRESSED),
    ("resend request", 0x40, RESEND),
    ("connectionless", 0x20, CONNLESS),
    ("control", 0x10, CONTROL),
)
PLAIN = Variant("0.6", TokenPlace.NONE, 0xF3, _FLAGS_06)
TAIL = Variant("ddnet", TokenPlace.TAIL, 0xF3, _FLAGS_06)
HEADER = Variant("0.6.5", TokenPlace.FLAGGED, 0xFB, (*_FLAGS_06, ("token", 0x08, TOKEN)))
SEVEN = Variant(
    "0.7",
    TokenPlace.HEADER,
    0x3F,
    (
        ("connectionless", 0x20, CONNLESS),
        ("compression", 0x10, COMPRESSED),
        ("resend request", 0x08, RESEND),
        ("control", 0x04, CONTROL),
    ),
    size_shift=6,
    max_payload=MAX_PAYLOAD_07,
    control_names=("KEEPALIVE", "CONNECT", "ACCEPT", "", "CLOSE", "TOKEN"),
    handshake=frozenset((CONNECT, CONNECTACCEPT, TOKEN_EXCHANGE)),
)


@dataclass(slots=True)
class Chunk:
    """One message in a packet. Offsets count from the start of `Packet.payload`."""

    header_offset: int
    offset: int
    """Of the message, which follows the header."""
    size: int
    """Bytes of the message."""
    vital: bool
    resend: bool
    sequence: int
    """0 to 1023 if vital, else -1."""


@dataclass(slots=True)
class Packet:
    """What a datagram holds. After a fault the fields it would have filled keep their defaults."""

    kind: PacketKind = PacketKind.CHUNKS
    flags: int = 0
    """COMPRESSED, RESEND, CONNLESS, CONTROL, TOKEN."""
    ack: int = 0
    """Last vital chunk the sender had in order, 0 to 1023."""
    chunk_count: int = 0
    """As the header says."""
    token: int | None = None
    """Connection's token, as it stands in this packet; of a connectionless packet of 0.7 the receiver's."""
    response_token: int | None = None
    """Of a connectionless packet of 0.7: the sender's, which answers are to carry."""
    compressed: bool = False
    payload: bytes = b""
    """Plain bytes after the header; a tail token is still on them, at `payload_end`."""
    payload_end: int = 0
    """Where chunks or control message end in the payload."""
    payload_buffer: int = 0
    """Buffer that holds the payload: 0 the datagram itself, 1 what was decompressed."""
    payload_offset: int = 0
    """Where the payload begins in that buffer."""
    chunks: list[Chunk] = field(default_factory=list)
    control: int = -1
    """Number of the control message, -1 if none."""
    connless: str = ""
    """Four-character name of a connectionless message, empty if it has none."""
    extra_token: int | None = None
    """Of an extended connectionless packet, 16 bits."""
    body_offset: int = 0
    """Where the body of a control or connectionless message begins in the payload; it ends at `payload_end`."""
    surplus: int = 0
    """Bytes after the last chunk that belong to nothing."""
    issues: list[str] = field(default_factory=list)
    """What a strict receiver would object to though it can be read (spec section 2.5)."""
    error: DecodeError | None = None
    """Why reading stopped; codes: short, token-short, huffman-eof, huffman-limit, control-empty, chunk-header,
    chunk-size."""
    error_buffer: int = 0
    """Buffer that the error's offset counts in."""

    @property
    def body(self) -> bytes:
        """Body of a control or connectionless message, without token."""
        return self.payload[self.body_offset : self.payload_end]
