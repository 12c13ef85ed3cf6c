"""From captured frames to UDP datagrams (RFC 768): every frame is a datagram, or says what else it was."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from analyzer.net.fragments import JoinedPacket, Piece, Reassembly
from analyzer.net.ip import EXTENSIONS, UDP, FragmentPosition, IpPacket, read_extensions, read_ip
from analyzer.net.kinds import FrameKind, NoDatagram
from analyzer.net.link import find_ip

UDP_HEADER_BYTES = 8

MAX_UDP_PAYLOAD = 0xFFFF
"""Only jumbograms and buffers for segmentation offload are longer; no game sends them."""

_read_udp_head = struct.Struct("!HHH").unpack_from


@dataclass(frozen=True, slots=True)
class Datagram:
    """A UDP datagram as far as it was captured."""

    frame: int
    """Of fragments, the one that made it whole."""
    time_ns: int
    """Of that frame."""
    source: bytes
    """4 or 16 bytes, as is the destination."""
    source_port: int
    destination: bytes
    destination_port: int
    payload: bytes
    start: int
    """Offset of the payload in the frame; of fragments, in the frame of the first piece."""
    udp_length: int
    """Bytes of payload that the UDP header announces."""
    cut: bool
    """Whether fewer were captured."""
    pieces: tuple[Piece, ...] = ()
    """Of fragments: where the payload is, in its order; pieces put together are the payload.

    A fragment without any of it, as one that holds the UDP header alone, has a piece of 0 bytes.
    """


class Network:
    """Reads frames in capture order; the fragments of unfinished packets are all that it remembers."""

    def __init__(self) -> None:
        self._fragments = Reassembly()

    def read(self, frame: int, time_ns: int, link_type: int, data: bytes, original: int) -> Datagram | FrameKind:
        """The datagram in a frame of `original` bytes of which `data` was captured; else what the frame was."""
        try:
            version, at = find_ip(link_type, data, original)
            if version == 0:
                return FrameKind.NOT_IP
            packet = read_ip(version, data, at, original)
            if packet.fragment is not None:
                return self._read_fragment(frame, time_ns, data, packet, packet.fragment)
            if packet.protocol != UDP:
                return FrameKind.OTHER_IP
            start, captured, length = packet.start, packet.captured, packet.length
            source_port, destination_port, udp_length = read_udp(data, start, captured, length)
        except NoDatagram as outcome:
            return outcome.kind
        start += UDP_HEADER_BYTES
        captured = min(captured - UDP_HEADER_BYTES, udp_length)
        return Datagram(
            frame,
            time_ns,
            packet.source,
            source_port,
            packet.destination,
            destination_port,
            data[start : start + captured],
            start,
            udp_length,
            captured < udp_length,
        )

    def _read_fragment(
        self, frame: int, time_ns: int, data: bytes, packet: IpPacket, position: FragmentPosition
    ) -> Datagram | FrameKind:
        if packet.protocol != UDP and packet.protocol not in EXTENSIONS:
            return FrameKind.OTHER_IP
        key = (packet.source, packet.destination, position.identification, packet.protocol)
        part = data[packet.start : packet.start + packet.captured]
        joined = self._fragments.add(key, position, packet.length, part, frame, packet.start, time_ns)
        if joined is None:
            return FrameKind.FRAGMENT
        return _read_joined(frame, time_ns, packet, joined)


def _read_joined(frame: int, time_ns: int, packet: IpPacket, joined: JoinedPacket) -> Datagram | FrameKind:
    """The datagram of a packet that is whole with this frame; raises NoDatagram."""
    data = joined.payload
    protocol, start, nested = read_extensions(data, packet.protocol, 0, joined.length, joined.length)
    if nested is not None:
        return FrameKind.MALFORMED_IP
    if protocol != UDP:
        return FrameKind.OTHER_IP
    captured = len(data) - start
    source_port, destination_port, udp_length = read_udp(data, start, captured, joined.length - start)
    start += UDP_HEADER_BYTES
    captured = min(captured - UDP_HEADER_BYTES, udp_length)
    pieces = slice_pieces(joined.pieces, start, captured)
    return Datagram(
        frame,
        time_ns,
        packet.source,
        source_port,
        packet.destination,
        destination_port,
        data[start : start + captured],
        pieces[0][1],
        udp_length,
        captured < udp_length,
        pieces,
    )


def read_udp(data: bytes, at: int, captured: int, length: int) -> tuple[int, int, int]:
    """Source port, destination port and payload bytes of the UDP header at `at` of an IP payload of `length` bytes.

        source port u16, destination port u16, length u16, checksum u16

    Raises NoDatagram: MALFORMED_UDP, or CUT when fewer than its 8 bytes were `captured`.
    """
    if length < UDP_HEADER_BYTES:
        raise NoDatagram(FrameKind.MALFORMED_UDP)
    if captured < UDP_HEADER_BYTES:
        raise NoDatagram(FrameKind.CUT)
    source_port, destination_port, udp_length = _read_udp_head(data, at)
    # A jumbogram, or segmentation offload: the IP header's word counts.
    udp_length = udp_length or length
    if udp_length < UDP_HEADER_BYTES:
        raise NoDatagram(FrameKind.MALFORMED_UDP)
    return source_port, destination_port, udp_length - UDP_HEADER_BYTES


def slice_pieces(pieces: tuple[Piece, ...], start: int, length: int) -> tuple[Piece, ...]:
    """As many pieces, of which some may be empty: `length` bytes from `start` on of what they hold together."""
    found: list[Piece] = []
    for frame, offset, size in pieces:
        skipped = min(start, size)
        taken = min(size - skipped, length)
        found.append((frame, offset + skipped, taken))
        start -= skipped
        length -= taken
    return tuple(found)
