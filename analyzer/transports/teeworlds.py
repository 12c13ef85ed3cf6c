"""Reads packets and chunks of Teeworlds 0.6, DDNet and 0.7, up to the bytes of each message. Spec sections 2, 4 and 7.

A fault never raises here: it is put on the packet, and what was read before it stays.
"""

from __future__ import annotations

from analyzer.transports.teeworlds_huffman import HUFFMAN
from analyzer.transports.teeworlds_packet import (
    COMPRESSED,
    CONNLESS,
    CONNLESS_HEADER,
    CONNLESS_HEADER_07,
    CONTROL,
    FLAGS_SIZE,
    MAX_DATAGRAM,
    RESEND,
    TOKEN,
    TOKEN_SIZE,
    Chunk,
    Packet,
    PacketKind,
    TokenPlace,
    Variant,
)
from analyzer.transports.teeworlds_tree import FindConnless, PacketTree, ReadMessage
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Trace


def is_stun(datagram: bytes) -> bool:
    """A STUN binding message, which DDNet clients exchange on the game socket (spec section 2.6)."""
    return (
        len(datagram) >= 20
        and datagram[4:8] == b"\x21\x12\xa4\x42"
        and datagram[:2] in (b"\x00\x01", b"\x01\x01", b"\x01\x11")
    )


def read_packet(
    datagram: bytes,
    variant: Variant,
    trace: Trace | None = None,
    read_message: ReadMessage | None = None,
    find_connless: FindConnless | None = None,
    *,
    plain: bytes | None = None,
) -> Packet:
    """Read a whole datagram. With a trace, `read_message` is called for every chunk to add the message's fields, and
    `find_connless` for a connectionless message.

    `plain`: the payload of a compressed one, where it is known already.
    """
    packet = read_header(datagram, variant)
    if packet.error is None:
        try:
            _read_payload(packet, datagram, variant, plain)
        except DecodeError as error:
            packet.error = error
    if trace is not None:
        PacketTree(packet, datagram, variant, trace).add(read_message, find_connless)
    return packet


def read_header(datagram: bytes, variant: Variant) -> Packet:
    """Read what stands before the payload, which is all that a datagram cut by the capture still tells.

    byte 0   0.6: bit 7 compression  bit 6 resend request  bit 5 connectionless
                  bit 4 control      bit 3 token (0.6.5 only)  bit 2 unused
             0.7: bits 7..6 zero     bit 5 connectionless      bit 4 compression
                  bit 3 resend request  bit 2 control
             bits 1..0  ack bits 9..8
    byte 1   ack bits 7..0
    byte 2   number of chunks
    [4 bytes token, big-endian, in 0.7 and in 0.6.5 packets with bit 3 set]
    """
    packet = Packet()
    if is_stun(datagram):
        packet.kind = PacketKind.STUN
        return packet
    size = len(datagram)
    if size > MAX_DATAGRAM:
        packet.issues.append(f"longer than {MAX_DATAGRAM} bytes")
    if size < FLAGS_SIZE:
        packet.error = DecodeError("short", 0, f"{size} bytes are too short for a packet header")
        return packet
    first = datagram[0]
    if first & CONNLESS:
        packet.kind = _connless_kind(datagram)
        packet.flags = CONNLESS
        return packet
    packet.flags = variant.flags_of(first)
    packet.compressed = bool(packet.flags & COMPRESSED)
    packet.ack = (first & 3) << 8 | datagram[1]
    packet.chunk_count = datagram[2]
    packet.payload_offset = FLAGS_SIZE
    if packet.flags & CONTROL:
        packet.kind = PacketKind.CONTROL
    if first & ~variant.known_bits:
        packet.issues.append(f"unknown flag bits {first & ~variant.known_bits:02x}")
    if packet.flags & TOKEN or variant.token_place is TokenPlace.HEADER:
        if size < FLAGS_SIZE + TOKEN_SIZE:
            packet.error = DecodeError("token-short", FLAGS_SIZE, "the header ends inside the token")
            return packet
        packet.token = int.from_bytes(datagram[FLAGS_SIZE : FLAGS_SIZE + TOKEN_SIZE], "big")
        packet.payload_offset = FLAGS_SIZE + TOKEN_SIZE
    return packet


def _connless_kind(datagram: bytes) -> PacketKind:
    """By the bytes alone: one socket of a client may ask servers of every kind, whatever its connection speaks."""
    if datagram[:2] == b"xe":
        return PacketKind.CONNLESS_EXTENDED
    return PacketKind.CONNLESS_07 if datagram[0] & 0xC3 == 0x01 else PacketKind.CONNLESS


def _read_payload(packet: Packet, datagram: bytes, variant: Variant, plain: bytes | None) -> None:
    if packet.kind is PacketKind.STUN:
        packet.payload = datagram
        packet.payload_end = len(datagram)
        return
    if packet.flags & CONNLESS:
        _read_connless(packet, datagram)
        return
    if packet.compressed:
        if plain is None:
            plain = HUFFMAN.decompress(datagram, packet.payload_offset, variant.max_payload)
        packet.payload = plain
        packet.payload_buffer = packet.error_buffer = 1
        packet.payload_offset = 0
    else:
        packet.payload = datagram[packet.payload_offset :]
    packet.payload_end = len(packet.payload)
    if packet.kind is PacketKind.CONTROL:
        _read_control(packet, variant)
    else:
        _read_tail_token(packet, variant, 0)
        _read_chunks(packet, variant)


def _read_connless(packet: Packet, datagram: bytes) -> None:
    """The header, then FF FF FF FF, a name of four characters, and the body.

    0.6   FF FF FF FF FF FF; extended: 'x' 'e', 2 bytes extra token, 2 bytes reserved
    0.7   byte 0 with bit 5 set and version 1 in bits 1..0, receiver's token (4), sender's token (4)
    """
    seven = packet.kind is PacketKind.CONNLESS_07
    header = CONNLESS_HEADER_07 if seven else CONNLESS_HEADER
    if len(datagram) < header:
        raise DecodeError("short", 0, f"{len(datagram)} bytes are too short for a connectionless packet")
    packet.payload = datagram[header:]
    packet.payload_end = len(packet.payload)
    packet.payload_offset = header
    if seven:
        packet.token = int.from_bytes(datagram[1:5], "big")
        packet.response_token = int.from_bytes(datagram[5:9], "big")
        if datagram[0] & 0x1C:
            packet.issues.append(f"unknown flag bits {datagram[0] & 0x1C:02x}")
    elif packet.kind is PacketKind.CONNLESS_EXTENDED:
        packet.extra_token = int.from_bytes(datagram[2:4], "big")
    elif datagram[:CONNLESS_HEADER] != b"\xff" * CONNLESS_HEADER:
        packet.issues.append("header bytes of a connectionless packet are not all ff")
    if len(packet.payload) >= 8 and packet.payload.startswith(b"\xff\xff\xff\xff"):
        packet.connless = packet.payload[4:8].decode("ascii", "backslashreplace")
        packet.body_offset = 8
    else:
        packet.issues.append("connectionless message without a name")


def _read_tail_token(packet: Packet, variant: Variant, begin: int) -> None:
    """Take the token off the end, but nothing before `begin`."""
    if variant.token_place is not TokenPlace.TAIL:
        return
    end = packet.payload_end - TOKEN_SIZE
    if end < begin:
        raise DecodeError("token-short", packet.payload_offset + begin, "the payload ends inside the token")
    packet.token = int.from_bytes(packet.payload[end:], "big")
    packet.payload_end = end


def _read_control(packet: Packet, variant: Variant) -> None:
    if packet.chunk_count:
        packet.issues.append("control packet with a chunk count")
    if packet.compressed:
        packet.issues.append("compressed control packet")
    if packet.flags & RESEND:
        packet.issues.append("control packet with a resend request")
    if not packet.payload:
        raise DecodeError("control-empty", packet.payload_offset, "control packet without a message")
    packet.control = packet.payload[0]
    packet.body_offset = 1
    if not variant.control_name(packet.control):
        packet.issues.append(f"unknown control message {packet.control}")
    _read_tail_token(packet, variant, 1)


def _read_chunks(packet: Packet, variant: Variant) -> None:
    """Read the chunk headers; S is the variant's size shift.

    byte 0   bit 7 resend  bit 6 vital  bits 5..0: size >> S
    byte 1   low S bits: size & (2^S - 1)
             high 8-S bits: sequence bits 9.. (vital), else zero
    byte 2   sequence bits 7..0 (vital only)
    """
    payload, end, base = packet.payload, packet.payload_end, packet.payload_offset
    low = (1 << variant.size_shift) - 1
    high = 0xFF ^ low
    twice = high << 2 & 0xFF
    offset = 0
    if not packet.chunk_count and not packet.flags & RESEND:
        packet.issues.append("neither chunks nor a resend request")
    for number in range(packet.chunk_count):
        if end - offset < 2 or (payload[offset] & 0x40 and end - offset < 3):
            raise DecodeError("chunk-header", base + offset, f"chunk {number}: no room for its header", number)
        first, second = payload[offset], payload[offset + 1]
        size = (first & 0x3F) << variant.size_shift | second & low
        start = offset + 2
        sequence = -1
        if first & 0x40:
            third = payload[start]
            start += 1
            sequence = (second & high) << 2 | third
            if ((second << 2) ^ third) & twice:
                packet.issues.append(f"chunk {number}: the two copies of sequence bits 7 and 6 differ")
        elif second & high or first & 0x80:
            packet.issues.append(f"chunk {number}: sequence bits or resend flag in a chunk that is not vital")
        if size > end - start:
            text = f"chunk {number}: {size} bytes announced, {end - start} left"
            raise DecodeError("chunk-size", base + offset, text, number, size)
        packet.chunks.append(Chunk(offset, start, size, sequence >= 0, first >= 0x80, sequence))
        offset = start + size
    packet.surplus = end - offset
    if packet.surplus:
        packet.issues.append(f"{packet.surplus} bytes after the last chunk")
