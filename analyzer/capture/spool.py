"""Writer of the pcapng file that a live capture appends to; whoever follows it reads whole blocks only.

The format is that of draft-ietf-opsawg-pcapng, little-endian, times in nanoseconds. Every batch is one write, so that a
process killed at any moment leaves at most its last block unfinished.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from analyzer.capture.lock import mark_written
from analyzer.capture.pcapng import ENHANCED_PACKET, INTERFACE_DESCRIPTION, INTERFACE_STATISTICS, SECTION_HEADER
from analyzer.capture.pcapng_writing import block

FLUSH_BYTES = 256 << 10
FLUSH_MS = 50
"""Whoever captures hands a batch over when it has this many bytes or is this old."""

_SHB_USERAPPL = 4
_IF_NAME = 2
_IF_DESCRIPTION = 3
_IF_TSRESOL = 9
_IF_FILTER = 11
_ISB_STARTTIME = 2
_ISB_ENDTIME = 3
_ISB_IFRECV = 4
_ISB_IFDROP = 5
_ISB_FILTERACCEPT = 6
_ISB_OSDROP = 7
_ISB_USRDELIV = 8

_ENHANCED_HEAD = struct.Struct("<IIIIIII")
# The padding of a frame to 4 bytes, then the block's length again; by the frame's length modulo 4.
_TAILS = tuple(struct.Struct(f"<{-length % 4}xI") for length in range(4))
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class SpoolError(Exception):
    """The file cannot be made or written any further. The text is a sentence for a person."""

    def __init__(self, text: str, *, full: bool) -> None:
        super().__init__(text)
        self.full = full
        """There is no room left; otherwise it is something else."""


class Frame(NamedTuple):
    """One captured frame."""

    time_ns: int
    """Nanoseconds since 1970-01-01 UTC."""
    original: int
    """Bytes the frame had."""
    data: bytes
    """What was kept of it."""


@dataclass(frozen=True, slots=True)
class SpoolInterface:
    """An interface as the file describes it."""

    name: str
    link_type: int
    """LINKTYPE_ number of the pcap registry."""
    snap_length: int
    """Bytes kept of a frame."""
    filter: str = ""
    """The capture filter as it was typed; empty: none."""
    description: str = ""


@dataclass(frozen=True, slots=True)
class InterfaceCounts:
    """What became of an interface's frames since the capture began."""

    start_ns: int
    end_ns: int
    """Until when it is counted; nanoseconds since 1970."""
    received: int
    """Frames that passed the filter, dropped ones too."""
    dropped: int
    """Of these, frames that the operating system had no room for."""
    interface_dropped: int
    """Frames that the interface lost before."""
    delivered: int
    """Frames that were taken from the operating system."""


class Spool:
    """A pcapng file of one section that grows by whole blocks."""

    def __init__(self, descriptor: int, name: str) -> None:
        """Use `Spool.create`."""
        self._descriptor = descriptor
        self._name = name
        self.frames = 0
        """Frames that stand in the file."""
        self.size = 0
        """Bytes of the file."""

    @classmethod
    def create(cls, path: str | os.PathLike[str], interfaces: Sequence[SpoolInterface], application: str) -> Spool:
        """Make a new file, which only its owner may read, that describes `interfaces` and names the `application`.

        Raises SpoolError where it exists already or cannot be made; then no file is left.
        """
        name = Path(path).name
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        try:
            descriptor = os.open(path, flags, 0o600)
        except FileExistsError:
            raise SpoolError(f"{name} exists already; it is not overwritten.", full=False) from None
        except (OSError, ValueError) as error:
            words = error.strerror if isinstance(error, OSError) else str(error)
            raise SpoolError(f"{name} cannot be made: {words}.", full=_is_full(error)) from error
        mark_written(descriptor)
        spool = cls(descriptor, name)
        try:
            spool._write([_section(application), *map(_interface, interfaces)])
        except SpoolError as error:
            spool.close()
            os.unlink(path)
            why = "there is no room left for it" if error.full else "its medium fails"
            raise SpoolError(f"{name} cannot be made: {why}.", full=error.full) from error
        return spool

    def append(self, interface: int, frames: Sequence[Frame]) -> None:
        """Write a batch of frames of an interface, which counts from 0, in one go.

        Raises SpoolError where not all of them could be written; those before it stand in the file, whole.
        """
        pieces: list[bytes] = []
        head, tails = _ENHANCED_HEAD.pack, _TAILS
        for time_ns, original, data in frames:
            captured = len(data)
            total = 32 + (captured + 3 & ~3)
            high, low = time_ns >> 32, time_ns & 0xFFFFFFFF
            pieces += (
                head(ENHANCED_PACKET, total, interface, high, low, captured, original),
                data,
                tails[captured & 3].pack(total),
            )
        try:
            self._write(pieces, pieces_of_block=3)
        except _CutShortError as cut:
            self.frames += cut.blocks
            raise
        self.frames += len(frames)

    def append_counts(self, interface: int, counts: InterfaceCounts) -> None:
        """Write what was counted so far; of several such blocks the last one holds. Raises SpoolError."""
        self._write([_statistics(interface, counts)])

    def close(self) -> None:
        """Let go of the file; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _write(self, pieces: Sequence[bytes], pieces_of_block: int = 1) -> None:
        """Write blocks. Where that ends early, the file is cut after the last whole one and _CutShortError raised."""
        data = memoryview(b"".join(pieces))
        done = 0
        try:
            while done < len(data):
                done += os.write(self._descriptor, data[done:])
        except OSError as error:
            blocks, whole = _whole_blocks(pieces, pieces_of_block, done)
            self.size += whole
            if done > whole:
                self._cut()
            raise _CutShortError(self._name, error, blocks) from error
        self.size += done

    def _cut(self) -> None:
        try:
            os.ftruncate(self._descriptor, self.size)
            os.lseek(self._descriptor, self.size, os.SEEK_SET)
        except OSError:
            # A reader passes over the unfinished block; there is nothing better to do on a medium that fails.
            return


class _CutShortError(SpoolError):
    def __init__(self, name: str, error: OSError, blocks: int) -> None:
        full = _is_full(error)
        why = "there is no room left for it" if full else error.strerror or str(error)
        super().__init__(f"{name} cannot be written any further: {why}; what was written is whole.", full=full)
        self.blocks = blocks
        """Blocks of the batch that stand in the file."""


def _whole_blocks(pieces: Sequence[bytes], pieces_of_block: int, done: int) -> tuple[int, int]:
    """Blocks of which all pieces lie within the first `done` bytes, and their length."""
    blocks = whole = 0
    for first in range(0, len(pieces), pieces_of_block):
        length = sum(map(len, pieces[first : first + pieces_of_block]))
        if whole + length > done:
            break
        whole += length
        blocks += 1
    return blocks, whole


def _is_full(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno in _FULL


def _section(application: str) -> bytes:
    """byte order u32, version u16 u16, length i64 (-1: unknown), options"""
    return block(SECTION_HEADER, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1), [(_SHB_USERAPPL, application.encode())])


def _interface(interface: SpoolInterface) -> bytes:
    """link type u16, reserved u16, snap length u32, options"""
    options = [(_IF_NAME, interface.name.encode("utf-8", "replace")), (_IF_TSRESOL, b"\x09")]
    if interface.description:
        options.append((_IF_DESCRIPTION, interface.description.encode("utf-8", "replace")))
    if interface.filter:
        # The first byte says that what follows is a libpcap filter string.
        options.append((_IF_FILTER, b"\0" + interface.filter.encode("utf-8", "replace")))
    return block(INTERFACE_DESCRIPTION, struct.pack("<HHI", interface.link_type, 0, interface.snap_length), options)


def _statistics(interface: int, counts: InterfaceCounts) -> bytes:
    """interface u32, time u32 u32, options"""
    numbers = (
        (_ISB_IFRECV, counts.received),
        (_ISB_IFDROP, counts.interface_dropped),
        (_ISB_FILTERACCEPT, counts.received),
        (_ISB_OSDROP, counts.dropped),
        (_ISB_USRDELIV, counts.delivered),
    )
    times = ((_ISB_STARTTIME, counts.start_ns), (_ISB_ENDTIME, counts.end_ns))
    options = [(code, _time(time_ns)) for code, time_ns in times]
    options += [(code, struct.pack("<Q", number)) for code, number in numbers]
    return block(INTERFACE_STATISTICS, struct.pack("<I", interface) + _time(counts.end_ns), options)


def _time(time_ns: int) -> bytes:
    """high u32, low u32"""
    return struct.pack("<II", time_ns >> 32, time_ns & 0xFFFFFFFF)
