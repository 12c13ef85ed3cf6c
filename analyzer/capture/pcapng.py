"""Index of a pcapng file: where each frame is, on which interface and when it was captured.

The format is that of draft-ietf-opsawg-pcapng. A file is a sequence of blocks, grouped into sections that each have
their own byte order and interfaces:

    block    type u32, total length u32, body, total length u32 again
"""

from __future__ import annotations

import struct

import numpy as np

from analyzer.capture.file import BLOCK_BYTES, BlockWindow, CaptureFile
from analyzer.capture.frames import Drop, FrameBatch, Interface, Problem
from analyzer.capture.losses import Losses
from analyzer.capture.pcap import MAX_CAPTURED
from analyzer.capture.pcapng_blocks import (
    MAX_OPTIONS_BYTES,
    MICROSECONDS,
    UNKNOWN_LINK_TYPE,
    Clock,
    read_dropped,
    read_interface,
    read_lost,
    read_lost_before,
)
from analyzer.capture.problems import ProblemLog

SECTION_HEADER = 0x0A0D0D0A
"""The same number in both byte orders, so that it is found before the order is known."""
INTERFACE_DESCRIPTION = 1
OBSOLETE_PACKET = 2
SIMPLE_PACKET = 3
INTERFACE_STATISTICS = 5
ENHANCED_PACKET = 6

MAX_INTERFACES = 1 << 16
"""Interfaces of a file; frames hold their number in 16 bits."""

_BYTE_ORDERS = {b"\x1a\x2b\x3c\x4d": ">", b"\x4d\x3c\x2b\x1a": "<"}
_BLOCK_HEAD = 12
"""Bytes of the smallest block; in a section header these end with the byte order."""
_SECTION_BYTES = 28
LEAST_WITH_OPTIONS = 36
"""An enhanced packet block is so much longer than the captured bytes at least where it has options."""
# Type of a packet block: bytes from the block's beginning to the frame.
_PACKETS = {ENHANCED_PACKET: 28, OBSOLETE_PACKET: 28, SIMPLE_PACKET: 12}


class PcapngIndexer:
    """Reads the block headers of a pcapng file that may still be growing."""

    _across_windows = True
    """Whether the frames of one `read` may lie in several windows."""

    def __init__(self, file: CaptureFile, *, block_bytes: int = BLOCK_BYTES) -> None:
        self.interfaces: list[Interface] = []
        self.format = "pcapng"
        self.position = 0
        """Bytes consumed: the next block begins here."""
        self.ended = False
        """No further frame will come, whatever is appended."""
        self._file = file
        self._window = BlockWindow(file, block_bytes)
        self._log = ProblemLog()
        self._order = "<"
        self._in_section = False
        self._section_first = 0
        self._clocks: list[Clock] = []
        self._losses = Losses()
        self._frames = 0
        self._last_time = 0
        self._rows: list[tuple[int, int, int, int, int]] = []
        self._timeless = False
        """A frame without a time was noted."""

    @property
    def window(self) -> BlockWindow:
        """What was read last."""
        return self._window

    @property
    def problems(self) -> list[Problem]:
        """What was wrong so far, in file order."""
        return self._log.entries

    @property
    def dropped(self) -> int | None:
        """Frames that the capturing program says it lost, over all interfaces; None: it does not say."""
        return self._losses.total

    def take_drops(self) -> list[Drop]:
        """Where frames were lost, in file order, as far as it was read since the last time."""
        return self._losses.take()

    def read(self, limit: int, *, closed: bool) -> FrameBatch:
        """At most `limit` further frames; none: there is nothing more now.

        A block counts when it is wholly there and both of its lengths agree; until then it is waited for in a growing
        file and is a problem in a `closed` one. Descriptions and statistics up to the next frame are read too.
        """
        self._rows = []
        while not self.ended:
            self._read_ordinary(limit)
            if self._count() and not self._stays_in_window(_BLOCK_HEAD):
                break
            if not self._window.holds(self.position, _BLOCK_HEAD):
                self._stop_short(closed)
                break
            kind, length = self._block_head()
            if self.ended or (kind in _PACKETS and self._count() >= limit):
                break
            if not self._stays_in_window(length):
                if self._count():
                    break
                self._window.holds(self.position, min(length, self._window.block_bytes))
            fault = self._length_fault(length)
            if fault:
                self._stop_at(fault, kind, length, closed)
                break
            self._read_block(kind, length)
            self.position += length
        return self._batch()

    def _stays_in_window(self, length: int) -> bool:
        """False: it would take another window to have that many bytes of the next block."""
        return self._across_windows or self._window.reaches(self.position, length)

    def _count(self) -> int:
        """Frames of this `read` so far."""
        return len(self._rows)

    def _read_ordinary(self, limit: int) -> None:
        """The run of faultless enhanced packet blocks in the window, which is nearly all of nearly every file.

        At anything else it leaves off, and `read` goes on with that block.
        """
        data, start, rows = self._window.data, self._window.start, self._rows
        unpack = struct.Struct(self._order + "IIIIIII").unpack_from
        unpack_tail = struct.Struct(self._order + "I").unpack_from
        clocks, first, before = self._clocks, self._section_first, len(rows)
        interfaces = len(clocks) - first
        at, last_head = self.position - start, len(data) - 32
        while 0 <= at <= last_head and len(rows) < limit:
            kind, length, number, high, low, captured, original = unpack(data, at)
            end = at + length
            if kind != ENHANCED_PACKET or number >= interfaces or end > len(data):
                break
            if captured > MAX_CAPTURED or 32 + captured > length or unpack_tail(data, end - 4)[0] != length:
                break
            if length - captured >= LEAST_WITH_OPTIONS:
                self._read_lost(kind, length, at, self._frames + len(rows) - before, first + number)
            rows.append(
                (
                    clocks[first + number].nanoseconds(high << 32 | low),
                    start + at + 28,
                    captured,
                    original,
                    first + number,
                )
            )
            at = end
        if len(rows) > before:
            self._frames += len(rows) - before
            self._last_time = rows[-1][0]
            self.position = start + at

    def _block_head(self) -> tuple[int, int]:
        """Type and length of the block at `position`, the first of a section after taking over its byte order."""
        at = self.position - self._window.start
        head = self._window.data[at : at + _BLOCK_HEAD]
        if head[:4] == SECTION_HEADER.to_bytes(4, "big"):
            order = _BYTE_ORDERS.get(head[8:])
            if order is None:
                self._fail(f"the section header's byte order mark is {head[8:].hex(' ')}, which is none")
                return 0, 0
            self._order = order
        elif not self._in_section:
            self._fail(f"this is no pcapng file: it begins with {head[:4].hex(' ')}")
            return 0, 0
        kind, length = struct.unpack_from(self._order + "II", head)
        return kind, length

    def _length_fault(self, length: int) -> str:
        """What keeps the block at `position` from counting; nothing when it is whole."""
        if length < _BLOCK_HEAD:
            return f"says that it is {length} bytes long, less than the smallest block"
        window = self._window
        at = self.position - window.start
        if at + length <= len(window.data):
            tail = window.data[at + length - 4 : at + length]
        else:
            # A block may be larger than a window; only its two lengths and its head are needed.
            tail = self._file.read(self.position + length - 4, 4)
            window.holds(self.position, min(length, _SECTION_BYTES))
        if len(tail) < 4:
            return "cut"
        again: int = struct.unpack(self._order + "I", tail)[0]
        return "" if again == length else f"says that it is {length} bytes long at its beginning and {again} at its end"

    def _read_block(self, kind: int, length: int) -> None:
        if kind in _PACKETS:
            self._read_packet(kind, length)
        elif kind == SECTION_HEADER:
            self._read_section(length)
        elif kind == INTERFACE_DESCRIPTION:
            self._read_interface(length)
        elif kind == INTERFACE_STATISTICS:
            self._note_dropped(self._body(length), self._frames)

    def _note_dropped(self, body: bytes, frame: int) -> None:
        """Take over what a block of statistics before frame `frame` counts, if anything."""
        counted = read_dropped(body, self._order)
        if counted is not None and self._section_first + counted[0] < len(self.interfaces):
            self._losses.count(self._section_first + counted[0], frame, counted[1])

    def _read_section(self, length: int) -> None:
        body = self._body(length)
        if length < _SECTION_BYTES:
            self._fail("a section header is too short")
            return
        major, minor = struct.unpack_from(self._order + "HH", body, 4)
        if major != 1:
            self._fail(f"pcapng version {major}.{minor} is not known (1.0 is)")
            return
        self._in_section = True
        self._section_first = len(self.interfaces)
        self.format = f"pcapng, {'big' if self._order == '>' else 'little'}-endian"

    def _read_interface(self, length: int) -> None:
        if len(self.interfaces) == MAX_INTERFACES:
            self._log.report_once(
                "interfaces",
                self.position,
                f"there are more than {MAX_INTERFACES} interfaces; frames of others are left out",
            )
            return
        described = read_interface(self._body(length), self._order)
        if described is None:
            # It keeps its place: the frames name interfaces by number.
            self._log.report(self.position, f"the description of interface {len(self.interfaces)} is too short")
            described = Interface("", UNKNOWN_LINK_TYPE, 0), MICROSECONDS
        self.interfaces.append(described[0])
        self._clocks.append(described[1])

    def _read_packet(self, kind: int, length: int) -> None:
        """The three packet blocks, without the frame's bytes.

        enhanced   interface u32,           time high u32, time low u32, captured u32, original u32
        obsolete   interface u16, lost u16, time high u32, time low u32, captured u32, original u32
        simple     original u32
        """
        head = _PACKETS[kind]
        if length < head + 4:
            self._log.report(self.position, f"the block of frame {self._frames + 1} is too short; it is left out")
            return
        data = self._window.data
        at = self.position - self._window.start + 8
        interface, time_ns = self._section_first, self._last_time
        if kind == SIMPLE_PACKET:
            (original,) = struct.unpack_from(self._order + "I", data, at)
            captured = min(original, self._snap_length(), length - head - 4)
        else:
            layout = "IIIII" if kind == ENHANCED_PACKET else "H2xIIII"
            number, high, low, captured, original = struct.unpack_from(self._order + layout, data, at)
            interface += number
        if captured > MAX_CAPTURED or head + captured + 4 > length:
            self._log.report(
                self.position,
                f"a frame after frame {self._frames} says it has {captured} bytes, but its block has room for"
                f" {length - head - 4} and a frame for {MAX_CAPTURED}; it is left out",
            )
        elif interface >= len(self.interfaces):
            self._log.report(
                self.position,
                f"a frame after frame {self._frames} is of interface {interface - self._section_first},"
                " which is not described; it is left out",
            )
        else:
            if kind == SIMPLE_PACKET:
                self._note_timeless()
            else:
                if kind == OBSOLETE_PACKET or length - captured >= LEAST_WITH_OPTIONS:
                    self._read_lost(kind, length, at - 8, self._frames, interface)
                time_ns = self._clocks[interface].nanoseconds(high << 32 | low)
            self._last_time = time_ns
            self._frames += 1
            self._rows.append((time_ns, self.position + head, captured, original, interface))

    def _read_lost(self, kind: int, length: int, at: int, frame: int, interface: int) -> None:
        """Take over what the packet block at byte `at` of the window says to be lost before its frame, if anything."""
        data = self._window.data
        if kind == OBSOLETE_PACKET:
            lost = read_lost_before(data, at + 8, self._order)
        else:
            (captured,) = struct.unpack_from(self._order + "I", data, at + 20)
            begin = at + 28 + (captured + 3 & ~3)
            end = min(at + length - 4, begin + MAX_OPTIONS_BYTES)
            inside = end <= len(data)
            options = data[begin:end] if inside else self._file.read(self._window.start + begin, end - begin)
            lost = read_lost(options, self._order)
        if lost:
            self._losses.tell(interface, frame, lost)

    def _snap_length(self) -> int:
        """Of the section's first interface, which is the one that simple packet blocks are of."""
        described = self.interfaces[self._section_first : self._section_first + 1]
        return described[0].snap_length or MAX_CAPTURED if described else MAX_CAPTURED

    def _note_timeless(self) -> None:
        self._timeless = True
        self._log.report_once(
            "time",
            self.position,
            f"frame {self._frames + 1} is stored without a time; such frames get that of the frame before",
        )

    def _body(self, length: int) -> bytes:
        """The block's body, or as much of its beginning as is looked at."""
        return self._file.read(self.position + 8, min(length - _BLOCK_HEAD, MAX_OPTIONS_BYTES))

    def _batch(self) -> FrameBatch:
        columns = list(zip(*self._rows, strict=True)) or [()] * 5
        return FrameBatch(
            time_ns=np.array(columns[0], dtype=np.int64),
            offset=np.array(columns[1], dtype=np.int64),
            captured=np.array(columns[2], dtype=np.uint32),
            original=np.array(columns[3], dtype=np.uint32),
            interface=np.array(columns[4], dtype=np.uint16),
        )

    def _stop_at(self, fault: str, kind: int, length: int, closed: bool) -> None:
        """A block that does not count: where a closed file stops being readable, and nothing yet in a growing one."""
        if not closed:
            self._window.forget()
            return
        if fault != "cut":
            self._fail(f"a block {fault}; nothing after it can be read")
        elif kind in _PACKETS:
            head = _PACKETS[kind]
            there = max(self._file.size() - self.position - head, 0)
            self._fail(
                f"the file stops in the middle of frame {self._frames + 1}:"
                f" {there} of {max(length - head - 4, 0)} bytes are there"
            )
        else:
            there = self._file.size() - self.position
            self._fail(f"the file stops in the middle of a block: {there} of {length} bytes are there")

    def _stop_short(self, closed: bool) -> None:
        if closed:
            there = self._window.start + len(self._window.data) - self.position
            if there > 0:
                self._fail(f"the file stops in the middle of a block: {there} bytes of it are there")
            self.ended = True

    def _fail(self, text: str) -> None:
        self._log.report(self.position, text)
        self.ended = True
