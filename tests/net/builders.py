"""Builds frames for tests, layer by layer."""

from __future__ import annotations

import struct

SOURCE_4, DESTINATION_4 = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
SOURCE_6, DESTINATION_6 = bytes(15) + b"\x01", bytes(15) + b"\x02"


def udp(payload: bytes, *, source: int = 8303, destination: int = 50000, length: int | None = None) -> bytes:
    length = len(payload) + 8 if length is None else length
    return struct.pack("!HHHH", source, destination, length, 0) + payload


def ipv4(
    payload: bytes,
    *,
    protocol: int = 17,
    identification: int = 7,
    offset: int = 0,
    more: bool = False,
    options: bytes = b"",
    total: int | None = None,
    first: int | None = None,
) -> bytes:
    """An IPv4 packet; `offset` in bytes."""
    header = 20 + len(options)
    first = 0x40 | header // 4 if first is None else first
    total = header + len(payload) if total is None else total
    field = offset // 8 | (0x2000 if more else 0)
    return (
        struct.pack("!BBHHHBBH", first, 0, total, identification, field, 64, protocol, 0)
        + SOURCE_4
        + DESTINATION_4
        + options
        + payload
    )


def ipv6(payload: bytes, *, protocol: int = 17, length: int | None = None, first: int = 0x60) -> bytes:
    length = len(payload) if length is None else length
    return struct.pack("!BBHHBB", first, 0, 0, length, protocol, 64) + SOURCE_6 + DESTINATION_6 + payload


def extension(following: int, size: int = 8) -> bytes:
    """A hop-by-hop, routing or destination options header of `size` bytes."""
    return bytes((following, size // 8 - 1)) + bytes(size - 2)


def fragment_header(following: int, offset: int, more: bool, identification: int = 7) -> bytes:
    return struct.pack("!BBHI", following, 0, offset | more, identification)


def ethernet(packet: bytes, ethertype: int = 0x0800, tags: tuple[int, ...] = ()) -> bytes:
    """`tags`: the EtherTypes of VLAN tags, outermost first."""
    words = b"".join(struct.pack("!HH", tag, 42) for tag in tags)
    return bytes(12) + words + struct.pack("!H", ethertype) + packet
