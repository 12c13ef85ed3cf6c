"""Sizes and interfaces of the frames of a capture file, record by record."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

PCAPNG = b"\n\r\r\n"
ENHANCED = 6


def frames(path: Path) -> list[tuple[int, int, int]]:
    """Number of the interface, captured and original bytes of every whole frame."""
    data = path.read_bytes()
    return list(_pcapng(data) if data[:4] == PCAPNG else _pcap(data))


def _pcap(data: bytes) -> Iterator[tuple[int, int, int]]:
    order = "<" if data[0] in (0xD4, 0x4D) else ">"
    at = 24
    while at + 16 <= len(data):
        captured, original = struct.unpack_from(f"{order}II", data, at + 8)
        at += 16 + captured
        if at <= len(data):
            yield 0, captured, original


def _pcapng(data: bytes) -> Iterator[tuple[int, int, int]]:
    order = "<" if data[8:12] == b"\x4d\x3c\x2b\x1a" else ">"
    at = 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from(f"{order}II", data, at)
        if kind == ENHANCED and at + length <= len(data):
            interface, _, _, captured, original = struct.unpack_from(f"{order}5I", data, at + 8)
            yield interface, captured, original
        at += length
