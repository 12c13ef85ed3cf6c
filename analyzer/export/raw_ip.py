"""A UDP payload as a raw IP packet (RFC 791, RFC 8200, RFC 768), the content of a frame without a link layer."""

from __future__ import annotations

import struct
from ipaddress import IPv4Address, IPv6Address, ip_address

LINKTYPE_RAW = 101
"""Frames begin with an IPv4 or IPv6 header."""

UDP = 17
HOPS = 64
_DONT_FRAGMENT = 0x4000


def raw_packet(source: str, destination: str, payload: bytes) -> bytes:
    """From one endpoint to the other, both as "127.0.0.1:8303" or "[::1]:8303", with right checksums."""
    (sender, sender_port), (receiver, receiver_port) = _endpoint(source), _endpoint(destination)
    length = 8 + len(payload)
    ends = sender.packed + receiver.packed
    udp = struct.pack("!HHHH", sender_port, receiver_port, length, 0)
    # Zero would say that there is none.
    checksum = _checksum(ends + struct.pack("!IHH", length, 0, UDP) + udp + payload) or 0xFFFF
    return _ip_header(sender, ends, length) + udp[:6] + struct.pack("!H", checksum) + payload


def _ip_header(sender: IPv4Address | IPv6Address, ends: bytes, length: int) -> bytes:
    """version 4: 45, 0, length u16, identification, fragment u16, hops, protocol, checksum u16, addresses;

    version 6: 6 and 28 bits of zero, length u16, protocol, hops, addresses
    """
    if isinstance(sender, IPv6Address):
        return struct.pack("!IHBB", 6 << 28, length, UDP, HOPS) + ends
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + length, 0, _DONT_FRAGMENT, HOPS, UDP, 0)
    return head[:10] + struct.pack("!H", _checksum(head + ends)) + ends


def _checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    data += bytes(len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _endpoint(text: str) -> tuple[IPv4Address | IPv6Address, int]:
    host, _, port = text.rpartition(":")
    return ip_address(host.strip("[]")), int(port)
