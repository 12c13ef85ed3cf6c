"""Capture file formats as the world writes them: the header, a record, and where in a record time and frame stand.

Nanosecond pcap and pcapng with one Ethernet interface, both little-endian. The file name's ending chooses.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ETHERNET = 1
SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Format:
    """One format. Records stand behind each other without gaps."""

    header: Callable[[int], bytes]
    """Of the longest frame that is kept."""
    record: Callable[[int, bytes, int], bytes]
    """Of the time in nanoseconds since 1970, what was kept of the frame, and its length."""
    time_at: int
    """Offset in a record of the time's two 32-bit words."""
    frame_at: int
    time_base: int
    """The first word counts this many nanoseconds, the second the rest."""


def _pcap_header(snap_length: int) -> bytes:
    return struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, snap_length, ETHERNET)


def _pcap_record(time_ns: int, kept: bytes, length: int) -> bytes:
    return struct.pack("<IIII", *divmod(time_ns, SECOND), len(kept), length) + kept


def _pcapng_header(snap_length: int) -> bytes:
    section = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
    resolution = struct.pack("<HHBxxxHH", 9, 1, 9, 0, 0)
    return section + struct.pack("<IIHHI", 1, 32, ETHERNET, 0, snap_length) + resolution + struct.pack("<I", 32)


def _pcapng_record(time_ns: int, kept: bytes, length: int) -> bytes:
    size = 32 + (len(kept) + 3) // 4 * 4
    head = struct.pack("<IIIIIII", 6, size, 0, *divmod(time_ns, 1 << 32), len(kept), length)
    return head + kept + bytes(-len(kept) % 4) + struct.pack("<I", size)


PCAP = Format(_pcap_header, _pcap_record, time_at=0, frame_at=16, time_base=SECOND)
PCAPNG = Format(_pcapng_header, _pcapng_record, time_at=12, frame_at=28, time_base=1 << 32)
FORMATS = {".pcap": PCAP, ".pcapng": PCAPNG}


def format_of(path: Path) -> Format:
    """The format that a file name asks for. Raises ValueError with a sentence for a person."""
    try:
        return FORMATS[path.suffix]
    except KeyError:
        raise ValueError(f"{path.name} ends neither in .pcap nor in .pcapng") from None
