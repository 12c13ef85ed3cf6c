"""Records of pcap and pcapng files from the columns of `frames`, many at once. Formats as in capture/pcap and pcapng.

Times are kept: in nanoseconds in pcapng, and in pcap where they are not whole microseconds.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np

from analyzer.capture.frames import Interface
from analyzer.capture.pcapng import ENHANCED_PACKET, INTERFACE_DESCRIPTION, SECTION_HEADER
from analyzer.capture.pcapng_writing import block
from analyzer.export.target import SaveError
from analyzer.stats.live import Ints

Bytes = bytes | memoryview

_MICROSECONDS, _NANOSECONDS = 0xA1B2C3D4, 0xA1B23C4D
_DEFAULT_SNAP_LENGTH = 262_144
_SECOND = 1_000_000_000
_COMMENT, _USER_APPLICATION, _IF_NAME, _IF_TSRESOL = 1, 4, 2, 9


class Format(Enum):
    """How captures are stored; the value is the ending of a file's name."""

    PCAPNG = "pcapng"
    PCAP = "pcap"


def format_of(target: Path) -> Format:
    """What the name of a file says, also in front of .gz; pcapng where it says nothing."""
    name = target.name.lower().removesuffix(".gz")
    return Format.PCAP if name.endswith(f".{Format.PCAP.value}") else Format.PCAPNG


@dataclass(frozen=True, slots=True)
class Frames:
    """Frames that are written at once; the arrays have shape (n,)."""

    time_ns: Ints
    original: Ints
    interface: Ints
    data: Sequence[Bytes]


class PcapRecords:
    """A file of one link type."""

    def __init__(self, link_type: int, snap_length: int, *, nanoseconds: bool) -> None:
        self.header = struct.pack(
            "<IHHiIII",
            _NANOSECONDS if nanoseconds else _MICROSECONDS,
            2,
            4,
            0,
            0,
            snap_length or _DEFAULT_SNAP_LENGTH,
            link_type,
        )
        self._fraction_ns = 1 if nanoseconds else 1000

    def records(self, frames: Frames) -> list[Bytes]:
        """seconds u32, fraction u32, captured u32, original u32, then the captured bytes"""
        count = len(frames.data)
        head = np.empty((count, 4), dtype="<u4")
        head[:, 0] = frames.time_ns // _SECOND
        head[:, 1] = frames.time_ns % _SECOND // self._fraction_ns
        head[:, 2] = [len(data) for data in frames.data]
        head[:, 3] = frames.original
        heads = memoryview(head.tobytes())
        pieces: list[Bytes] = []
        for at, data in enumerate(frames.data):
            pieces += (heads[16 * at : 16 * at + 16], data)
        return pieces


class PcapngRecords:
    """A file of one section; all its interfaces count time in nanoseconds."""

    def __init__(self, interfaces: Iterable[Interface], application: str, comment: str) -> None:
        options = [(_COMMENT, comment.encode())] if comment else []
        section = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)
        blocks = [block(SECTION_HEADER, section, [*options, (_USER_APPLICATION, application.encode())])]
        blocks += [_interface(interface) for interface in interfaces]
        self.header = b"".join(blocks)

    def records(self, frames: Frames) -> list[Bytes]:
        """Enhanced packet blocks: type, length, interface, time high, time low, captured, original; data; length"""
        count = len(frames.data)
        captured = np.fromiter(map(len, frames.data), dtype=np.int64, count=count)
        total = 32 + (captured + 3 & ~3)
        columns = (ENHANCED_PACKET, total, frames.interface, frames.time_ns >> 32, frames.time_ns & 0xFFFFFFFF)
        head = np.empty((count, 7), dtype="<u4")
        for at, column in enumerate((*columns, captured, frames.original)):
            head[:, at] = column
        # The padding of a frame to 4 bytes, then the block's length again.
        tail = np.zeros((count, 2), dtype="<u4")
        tail[:, 1] = total
        heads, tails = memoryview(head.tobytes()), memoryview(tail.tobytes())
        begins = (8 * np.arange(count) + 4 - (-captured % 4)).tolist()
        pieces: list[Bytes] = []
        for at, data in enumerate(frames.data):
            pieces += (heads[28 * at : 28 * at + 28], data, tails[begins[at] : 8 * at + 8])
        return pieces


def commented_packet(interface: int, time_ns: int, data: bytes, comment: str) -> bytes:
    """One enhanced packet block with a comment."""
    body = struct.pack("<IIIII", interface, time_ns >> 32, time_ns & 0xFFFFFFFF, len(data), len(data))
    return block(ENHANCED_PACKET, body + data + bytes(-len(data) % 4), [(_COMMENT, comment.encode())])


def check_times(times: Ints, form: Format) -> None:
    """Raises SaveError where the format cannot hold one of the times."""
    if len(times) and int(times.min()) < 0:
        raise SaveError("A packet has a time before 1970, which capture files cannot hold.")
    if form is Format.PCAP and len(times) and int(times.max()) >= _SECOND << 32:
        raise SaveError("A packet has a time after 2106, which pcap cannot hold; choose pcapng.")


def _interface(interface: Interface) -> bytes:
    """link type u16, reserved u16, snap length u32, options"""
    texts = ((_IF_NAME, interface.name), (_COMMENT, interface.comment))
    options = [(code, text.encode("utf-8", "replace")) for code, text in texts if text]
    body = struct.pack("<HHI", interface.link_type, 0, interface.snap_length)
    return block(INTERFACE_DESCRIPTION, body, [*options, (_IF_TSRESOL, b"\x09")])
