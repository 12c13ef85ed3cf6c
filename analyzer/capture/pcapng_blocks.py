"""What the bodies of pcapng blocks say: interfaces, their clocks, their statistics (draft-ietf-opsawg-pcapng)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from analyzer.capture.frames import Interface

MAX_OPTIONS_BYTES = 1 << 16
"""Of a block's options, the bytes that are looked at; comments may be longer."""

UNKNOWN_LINK_TYPE = 0xFFFF
"""Stands for the link type of an interface whose description cannot be read; no LINKTYPE_ has this number."""

LOST_UNKNOWN = 0xFFFF

OPTION_END = 0
_OPTION_COMMENT = 1
_IF_NAME = 2
_IF_DESCRIPTION = 3
_IF_TSRESOL = 9
_IF_TSOFFSET = 14
EPB_DROPCOUNT = 4
_ISB_IFDROP = 5
_ISB_OSDROP = 7

_TIME_MIN = -(1 << 63)
_TIME_MAX = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Clock:
    """How an interface counts time: nanoseconds = units * multiplier // divisor + offset_ns."""

    multiplier: int
    divisor: int
    offset_ns: int

    def nanoseconds(self, units: int) -> int:
        """Time since 1970 of an unsigned 64-bit count, held within a signed 64-bit number."""
        time_ns = units * self.multiplier // self.divisor + self.offset_ns
        return min(max(time_ns, _TIME_MIN), _TIME_MAX)


MICROSECONDS = Clock(1000, 1, 0)
"""The clock of an interface that does not name a resolution."""


def read_options(body: bytes, offset: int, order: str) -> Iterator[tuple[int, bytes]]:
    """Code and value of the options from `offset` on, as far as they are whole.

    code u16, length u16, value, padded to 4 bytes
    """
    while offset + 4 <= len(body):
        code, length = struct.unpack_from(order + "HH", body, offset)
        if code == OPTION_END or offset + 4 + length > len(body):
            return
        yield code, body[offset + 4 : offset + 4 + length]
        offset += 4 + (length + 3 & ~3)


def read_interface(body: bytes, order: str) -> tuple[Interface, Clock] | None:
    """An interface description block's body; None when it is too short to be one.

    link type u16, reserved u16, snap length u32, options
    """
    if len(body) < 8:
        return None
    link_type, snap_length = struct.unpack_from(order + "H2xI", body)
    name = description = comment = ""
    resolution, offset_s = 6, 0
    for code, value in read_options(body, 8, order):
        if code == _IF_NAME:
            name = _text(value)
        elif code == _IF_DESCRIPTION:
            description = _text(value)
        elif code == _OPTION_COMMENT:
            comment = _text(value)
        elif code == _IF_TSRESOL and len(value) == 1:
            resolution = value[0]
        elif code == _IF_TSOFFSET and len(value) == 8:
            (offset_s,) = struct.unpack(order + "q", value)
    return Interface(name or description, link_type, snap_length, comment), _clock(resolution, offset_s)


def read_dropped(body: bytes, order: str) -> tuple[int, int] | None:
    """Interface number and frames dropped so far, of an interface statistics block's body; None: it does not say.

    interface u32, time u32 u32, options
    """
    if len(body) < 12:
        return None
    (interface,) = struct.unpack_from(order + "I", body)
    counts = {
        code: struct.unpack(order + "Q", value)[0]
        for code, value in read_options(body, 12, order)
        if code in (_ISB_IFDROP, _ISB_OSDROP) and len(value) == 8
    }
    return (interface, sum(counts.values())) if counts else None


def read_lost(options: bytes, order: str) -> int:
    """Frames lost before that of an enhanced packet block, by its options; 0: none, or it does not say."""
    for code, value in read_options(options, 0, order):
        if code == EPB_DROPCOUNT and len(value) == 8:
            return int(struct.unpack(order + "Q", value)[0])
    return 0


def read_lost_before(data: bytes, offset: int, order: str) -> int:
    """The same of the body of an obsolete packet block at `offset`.

    interface u16, lost u16 (0xFFFF: not known)
    """
    (lost,) = struct.unpack_from(order + "2xH", data, offset)
    return 0 if lost == LOST_UNKNOWN else int(lost)


def _clock(resolution: int, offset_s: int) -> Clock:
    """From if_tsresol: the upper bit chooses between negative powers of 2 and of 10."""
    base = 2 if resolution & 0x80 else 10
    units_per_second = base ** (resolution & 0x7F)
    if units_per_second <= 10**9 and 10**9 % units_per_second == 0:
        return Clock(10**9 // units_per_second, 1, offset_s * 10**9)
    return Clock(10**9, units_per_second, offset_s * 10**9)


def _text(value: bytes) -> str:
    return value.rstrip(b"\0").decode("utf-8", "replace")
