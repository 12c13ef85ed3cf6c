"""Index of a pcap file: where each frame is, and when it was captured.

The format is that of the libpcap manual page "pcap-savefile" and of draft-ietf-opsawg-pcap.

    file header    magic u32, version u16 u16, zone u32, accuracy u32, snap length u32, link type u32
    each frame     seconds u32, fraction u32, captured u32, original u32, then the captured bytes
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from analyzer.capture.file import BLOCK_BYTES, BlockWindow, CaptureFile
from analyzer.capture.frames import Drop, FrameBatch, Interface, Problem, join_batches
from analyzer.capture.problems import ProblemLog

MAX_CAPTURED = 262_144
"""Bytes of a frame, libpcap's MAXIMUM_SNAPLEN: a record that says more is damage."""

FILE_HEADER_BYTES = 24

_MAGICS = {
    # Magic as a big-endian number of the first four bytes: fraction in nanoseconds, name, record header bytes.
    0xA1B2C3D4: (1000, "pcap, microseconds", 16),
    0xA1B23C4D: (1, "pcap, nanoseconds", 16),
    # Alexey Kuznetzov's patched libpcap: interface index, protocol and packet type follow the usual header.
    0xA1B2CD34: (1000, "pcap (modified), microseconds", 24),
}


def _swapped(magic: int) -> int:
    return int.from_bytes(magic.to_bytes(4, "big"), "little")


PCAP_MAGICS = frozenset(_MAGICS) | frozenset(_swapped(magic) for magic in _MAGICS)
"""First four bytes of a pcap file, as a big-endian number."""


class PcapIndexer:
    """Reads the record headers of a pcap file that may still be growing."""

    _across_windows = True
    """Whether the frames of one `read` may lie in several windows."""

    def __init__(self, file: CaptureFile, *, block_bytes: int = BLOCK_BYTES) -> None:
        self.interfaces: list[Interface] = []
        self.format = "pcap"
        self.position = 0
        """Bytes consumed: the next record begins here."""
        self.ended = False
        """No further frame will come, whatever is appended."""
        self.dropped: int | None = None
        self._window = BlockWindow(file, block_bytes)
        self._log = ProblemLog()
        self._frames = 0
        self._order = "<"
        self._fraction_ns = 1
        self._header_bytes = 16

    @property
    def window(self) -> BlockWindow:
        """What was read last."""
        return self._window

    @property
    def problems(self) -> list[Problem]:
        """What was wrong so far, in file order."""
        return self._log.entries

    def take_drops(self) -> list[Drop]:
        """The format has no place for them."""
        return []

    def read(self, limit: int, *, closed: bool) -> FrameBatch:
        """At most `limit` further frames; none: there is nothing more now.

        A record that is not wholly there ends a `closed` file with a problem and is waited for in a growing one.
        """
        batches: list[FrameBatch] = []
        if not self.interfaces and not self.ended:
            self._read_file_header(closed)
        while self.interfaces and not self.ended and limit > 0:
            if not self._window.holds(self.position, self._header_bytes):
                self._stop_short("the header of ", self._header_bytes, self.position, closed)
                break
            batch = self._read_window(limit)
            if len(batch):
                batches.append(batch)
                limit = limit - len(batch) if self._across_windows else 0
            elif not self._reach_next_record(closed):
                break
        return join_batches(batches)

    def _read_file_header(self, closed: bool) -> None:
        if not self._window.holds(0, FILE_HEADER_BYTES, alone=True):
            if closed:
                self.ended = True
                there = len(self._window.data)
                if there:
                    self._log.report(
                        0, f"the file stops in the middle of its header: {there} of {FILE_HEADER_BYTES} bytes are there"
                    )
            return
        header = self._window.data
        magic = int.from_bytes(header[:4], "big")
        if magic not in PCAP_MAGICS:
            self._fail(0, f"this is no pcap file: it begins with {header[:4].hex(' ')}")
            return
        self._order = ">" if magic in _MAGICS else "<"
        self._fraction_ns, name, self._header_bytes = _MAGICS.get(magic) or _MAGICS[_swapped(magic)]
        self.format = f"{name}, {'big' if self._order == '>' else 'little'}-endian"
        major, minor, snap_length, link_field = struct.unpack_from(self._order + "4xHH8xII", header)
        if major != 2:
            self._fail(4, f"pcap version {major}.{minor} is not known (2.4 is); no frame was read")
            return
        if minor != 4:
            self._log.report(4, f"the file says pcap version {major}.{minor}; it is read as 2.4")
        # The upper bits say how many bytes of frame check sequence each frame has at its end.
        self.interfaces.append(Interface("", link_field & 0xFFFF, snap_length))
        self.position = FILE_HEADER_BYTES

    def _read_window(self, limit: int) -> FrameBatch:
        """The whole records in the window: the chain of lengths in a loop, everything else by column."""
        data = self._window.data
        header_bytes = self._header_bytes
        unpack = struct.Struct(self._order + "8xI").unpack_from
        last_header = len(data) - header_bytes
        at = self.position - self._window.start
        starts: list[int] = []
        while at <= last_header and len(starts) < limit:
            captured: int = unpack(data, at)[0]
            end = at + header_bytes + captured
            if captured > MAX_CAPTURED or end > len(data):
                break
            starts.append(at)
            at = end
        batch = self._columns(np.array(starts, dtype=np.int64))
        self.position = self._window.start + at
        self._frames += len(starts)
        return batch

    def _columns(self, starts: NDArray[np.int64]) -> FrameBatch:
        raw = np.frombuffer(self._window.data, dtype=np.uint8)
        fields = raw[starts[:, np.newaxis] + np.arange(16)].view(self._order + "u4")
        seconds, fraction, captured, original = (fields[:, column].astype(np.int64) for column in range(4))
        odd = np.flatnonzero(captured > original)
        if len(odd):
            row = int(odd[0])
            self._note_longer(row, int(starts[row]), int(captured[row]), int(original[row]))
        return FrameBatch(
            # 2**32 seconds and 2**32 microseconds stay below 2**63 nanoseconds.
            time_ns=seconds * 1_000_000_000 + fraction * self._fraction_ns,
            offset=starts + (self._window.start + self._header_bytes),
            captured=captured.astype(np.uint32),
            original=original.astype(np.uint32),
            interface=np.zeros(len(starts), dtype=np.uint16),
        )

    def _note_longer(self, row: int, start: int, captured: int, original: int) -> None:
        """The frame `row` rows behind those counted, whose record begins at `start` in the window."""
        self._log.report_once(
            "captured",
            self._window.start + start,
            f"frame {self._frames + row + 1} has more captured bytes ({captured}) than the frame had ({original});"
            " further ones are not listed",
        )

    def _reach_next_record(self, closed: bool) -> bool:
        """Bring the record at `position` wholly into the window; False where the index ends or waits."""
        (captured,) = struct.unpack_from(self._order + "8xI", self._window.data, self.position - self._window.start)
        if captured > MAX_CAPTURED:
            self._fail(
                self.position,
                f"frame {self._frames + 1} says it has {captured} bytes, more than the {MAX_CAPTURED} a frame can have;"
                " nothing after it can be read",
            )
            return False
        if self._window.holds(self.position, self._header_bytes + captured):
            return True
        self._stop_short("the middle of ", captured, self.position + self._header_bytes, closed)
        return False

    def _stop_short(self, place: str, needed: int, start: int, closed: bool) -> None:
        """The bytes from `start` on are not all there: the end of a closed file, a wait in a growing one."""
        if not closed:
            return
        self.ended = True
        rest = self._window.start + len(self._window.data) - start
        if rest > 0 or start > self.position:
            self._log.report(
                self.position,
                f"the file stops in {place}frame {self._frames + 1}: {max(rest, 0)} of {needed} bytes are there",
            )

    def _fail(self, offset: int, text: str) -> None:
        self._log.report(offset, text)
        self.ended = True
