"""Builds pcap and pcapng files for tests."""

from __future__ import annotations

import struct
from collections.abc import Sequence


def pcap_file(
    frames: Sequence[tuple[int, int, bytes]],
    *,
    order: str = "<",
    magic: int = 0xA1B2C3D4,
    link_field: int = 1,
    snap_length: int = 65535,
    version: tuple[int, int] = (2, 4),
) -> bytes:
    """A pcap file of (seconds, fraction, bytes) records."""
    return pcap_header(
        order=order, magic=magic, link_field=link_field, snap_length=snap_length, version=version
    ) + b"".join(pcap_record(*frame, order=order) for frame in frames)


def pcap_header(
    *,
    order: str = "<",
    magic: int = 0xA1B2C3D4,
    link_field: int = 1,
    snap_length: int = 65535,
    version: tuple[int, int] = (2, 4),
) -> bytes:
    return struct.pack(order + "IHHiIII", magic, *version, 0, 0, snap_length, link_field)


def pcap_record(
    seconds: int,
    fraction: int,
    data: bytes,
    *,
    order: str = "<",
    captured: int | None = None,
    original: int | None = None,
) -> bytes:
    captured = len(data) if captured is None else captured
    original = captured if original is None else original
    return struct.pack(order + "IIII", seconds, fraction, captured, original) + data


def block(kind: int, body: bytes, *, order: str = "<", length: int | None = None, again: int | None = None) -> bytes:
    """A pcapng block; `length` and `again` replace its two lengths."""
    body += bytes(-len(body) % 4)
    whole = len(body) + 12
    return (
        struct.pack(order + "II", kind, whole if length is None else length)
        + body
        + struct.pack(order + "I", whole if again is None else again)
    )


def option(code: int, value: bytes, *, order: str = "<") -> bytes:
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


def section(*, order: str = "<", version: tuple[int, int] = (1, 0)) -> bytes:
    return block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, *version, -1), order=order)


def interface(link_type: int = 1, snap_length: int = 0, options: bytes = b"", *, order: str = "<") -> bytes:
    return block(1, struct.pack(order + "HHI", link_type, 0, snap_length) + options, order=order)


def enhanced(
    units: int,
    data: bytes,
    *,
    number: int = 0,
    order: str = "<",
    captured: int | None = None,
    original: int | None = None,
    options: bytes = b"",
) -> bytes:
    captured = len(data) if captured is None else captured
    original = captured if original is None else original
    head = struct.pack(order + "IIIII", number, units >> 32, units & 0xFFFFFFFF, captured, original)
    return block(6, head + data + bytes(-len(data) % 4) + options, order=order)


def obsolete(units: int, data: bytes, *, number: int = 0, lost: int = 0, order: str = "<") -> bytes:
    head = struct.pack(order + "HHIIII", number, lost, units >> 32, units & 0xFFFFFFFF, len(data), len(data))
    return block(2, head + data, order=order)


def simple(data: bytes, *, original: int | None = None, order: str = "<") -> bytes:
    return block(3, struct.pack(order + "I", len(data) if original is None else original) + data, order=order)


def statistics(number: int, options: bytes, *, order: str = "<") -> bytes:
    return block(5, struct.pack(order + "III", number, 0, 0) + options, order=order)


def lost_before(lost: int, *, order: str = "<") -> bytes:
    """The option of an enhanced packet block that tells of frames lost before its own."""
    return option(4, struct.pack(order + "Q", lost), order=order)
