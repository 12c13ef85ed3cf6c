"""Whole pcapng blocks with options (draft-ietf-opsawg-pcapng), little-endian."""

from __future__ import annotations

import struct
from collections.abc import Sequence

_OPTION_END = bytes(4)
_MOST_OPTION_BYTES = 0xFFFF


def block(kind: int, body: bytes, options: Sequence[tuple[int, bytes]]) -> bytes:
    """type u32, length u32, body, options, length u32 again"""
    body += b"".join(_option(code, value[:_MOST_OPTION_BYTES]) for code, value in options) + _OPTION_END
    length = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + length + body + length


def _option(code: int, value: bytes) -> bytes:
    """code u16, length u16, value, padded to 4 bytes"""
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)
