"""IPv4 (RFC 791) and IPv6 (RFC 8200) headers: what a packet carries and where, bounded by its own length.

A link layer may pad a frame, and a capture may cut it, so the payload is where the IP header and the captured bytes
agree; checksums are not looked at, as captures of sent packets often have none yet.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from analyzer.net.kinds import FrameKind, NoDatagram, short_of

MAX_EXTENSION_HEADERS = 16
"""Extension headers of a packet; more of them are damage or mischief."""

UDP = 17

_HOP_BY_HOP = 0
_ROUTING = 43
_FRAGMENT = 44
_AUTHENTICATION = 51
_DESTINATION_OPTIONS = 60
EXTENSIONS = (_HOP_BY_HOP, _ROUTING, _FRAGMENT, _AUTHENTICATION, _DESTINATION_OPTIONS)
"""IPv6 headers that may stand between the first one and the payload."""

IPV4_BYTES = 20
IPV6_BYTES = 40

_read_ipv4_head = struct.Struct("!BxHHHxBxx4s4s").unpack_from
_read_ipv6_head = struct.Struct("!BxxxHBx16s16s").unpack_from
_read_fragment_head = struct.Struct("!BxHI").unpack_from


@dataclass(frozen=True, slots=True)
class FragmentPosition:
    """Which part of a packet a fragment is."""

    identification: int
    offset: int
    """Bytes of the packet's payload before this part."""
    more: bool
    """Whether parts follow."""


@dataclass(frozen=True, slots=True)
class IpPacket:
    """One IP header with its extensions, read."""

    source: bytes
    destination: bytes
    """Both 4 or 16 bytes."""
    protocol: int
    """Of the payload; of a fragment, what the first part begins with."""
    start: int
    """Offset of the payload in the frame."""
    length: int
    """Bytes of the payload by the header, captured or not."""
    captured: int
    """Bytes of it that are there."""
    fragment: FragmentPosition | None = None


def read_ip(version: int, data: bytes, at: int, original: int) -> IpPacket:
    """The IP packet of version 4 or 6 whose header begins at `at` in a frame that had `original` bytes.

    Raises NoDatagram: MALFORMED_IP, or CUT when the captured bytes end in a header.
    """
    return _read_ipv4(data, at, original) if version == 4 else _read_ipv6(data, at, original)


def _read_ipv4(data: bytes, at: int, original: int) -> IpPacket:
    if len(data) < at + IPV4_BYTES:
        raise short_of(data, original, FrameKind.MALFORMED_IP)
    first, total, identification, fragment_field, protocol, source, destination = _read_ipv4_head(data, at)
    header = (first & 0x0F) * 4
    # Segmentation offload leaves the length to the network card.
    total = total or max(original, len(data)) - at
    if first >> 4 != 4 or header < IPV4_BYTES or total < header:
        raise NoDatagram(FrameKind.MALFORMED_IP)
    start, length = at + header, total - header
    if len(data) < start:
        raise short_of(data, original, FrameKind.MALFORMED_IP)
    fragment = None
    if fragment_field & 0x3FFF:
        fragment = _fragment(identification, (fragment_field & 0x1FFF) * 8, bool(fragment_field & 0x2000), length)
    return IpPacket(source, destination, protocol, start, length, min(length, len(data) - start), fragment)


def _read_ipv6(data: bytes, at: int, original: int) -> IpPacket:
    if len(data) < at + IPV6_BYTES:
        raise short_of(data, original, FrameKind.MALFORMED_IP)
    first, length, protocol, source, destination = _read_ipv6_head(data, at)
    if first >> 4 != 6:
        raise NoDatagram(FrameKind.MALFORMED_IP)
    start = at + IPV6_BYTES
    # A jumbogram has its length in an option; segmentation offload leaves it to the network card.
    end = start + (length or max(original, len(data)) - start)
    protocol, start, fragment = read_extensions(data, protocol, start, end, original)
    captured = max(min(end, len(data)) - start, 0)
    return IpPacket(source, destination, protocol, start, end - start, captured, fragment)


def read_extensions(
    data: bytes, protocol: int, start: int, end: int, original: int
) -> tuple[int, int, FragmentPosition | None]:
    """Skip IPv6 extension headers: protocol and offset of what follows them, or of a fragment's part of it.

    `end` is where the packet ends by its header. Raises NoDatagram as `read_ip`.
    """
    for _ in range(MAX_EXTENSION_HEADERS):
        if protocol not in EXTENSIONS:
            return protocol, start, None
        if start + 8 > end:
            raise NoDatagram(FrameKind.MALFORMED_IP)
        if start + 8 > len(data):
            raise short_of(data, original, FrameKind.MALFORMED_IP)
        if protocol == _FRAGMENT:
            protocol, field, identification = _read_fragment_head(data, start)
            start += 8
            # One part that is all of it (RFC 6946) is an ordinary packet.
            if field & 0xFFF9:
                return protocol, start, _fragment(identification, field & 0xFFF8, bool(field & 1), end - start)
        else:
            units = (data[start + 1] + 2) * 4 if protocol == _AUTHENTICATION else (data[start + 1] + 1) * 8
            protocol, start = data[start], start + units
            if start > end:
                raise NoDatagram(FrameKind.MALFORMED_IP)
    raise NoDatagram(FrameKind.MALFORMED_IP)


def _fragment(identification: int, offset: int, more: bool, length: int) -> FragmentPosition:
    """Parts but the last are multiples of 8 bytes, and no packet is longer than 65535."""
    if length == 0 or (more and length % 8) or offset + length > 0xFFFF:
        raise NoDatagram(FrameKind.MALFORMED_IP)
    return FragmentPosition(identification, offset, more)
