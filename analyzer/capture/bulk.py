"""Indexes of pcap and pcapng files that leave ordinary records to compiled kernels: the same rows and problems, faster.

The frames of one `read` lie in one block of the file, so that it need not be read again for their bytes.
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from analyzer.capture.file import CaptureFile
from analyzer.capture.frames import FrameBatch, join_batches
from analyzer.capture.pcap import PcapIndexer
from analyzer.capture.pcapng import INTERFACE_STATISTICS, PcapngIndexer
from analyzer.capture.pcapng_blocks import MAX_OPTIONS_BYTES

BULK_BLOCK_BYTES = 8 << 20
"""Read at once; two batches of 16k frames of a game."""

_SHORT_RUN = 64
"""Rows that are not worth a batch of their own."""
_MAX_OFFSET_NS = 1 << 61
_SMALLEST_BLOCK = 16
_MAX_TELLING = 4096
"""Blocks that tell of lost frames, of those that one call of a kernel passes."""
_SHORT_RUN_BYTES = 1 << 17
_MOST_SHORT_RUNS = 8
"""After so many, 256 blocks stay with the plain reading before runs are tried again."""


class BulkPcapIndexer(PcapIndexer):
    """Reads the record headers of a pcap file that may still be growing."""

    _across_windows = False

    def __init__(self, file: CaptureFile, *, block_bytes: int = BULK_BLOCK_BYTES) -> None:
        super().__init__(file, block_bytes=block_bytes)

    def _read_window(self, limit: int) -> FrameBatch:
        # Not before there is something to read: whoever opens a file must not wait for it.
        from analyzer.capture import kernels

        data = np.frombuffer(self._window.data, dtype=np.uint8)
        start = self._window.start
        rows = _room(min(limit, (len(data) - (self.position - start)) // self._header_bytes + 1))
        count, at, odd = kernels.walk_records(
            data,
            self.position - start,
            self._header_bytes,
            self._order == ">",
            self._fraction_ns,
            rows.time_ns,
            rows.offset,
            rows.captured,
            rows.original,
        )
        rows = _first(rows, count, start)
        if odd >= 0:
            begin = int(rows.offset[odd]) - self._header_bytes - start
            self._note_longer(odd, begin, int(rows.captured[odd]), int(rows.original[odd]))
        self.position = start + at
        self._frames += count
        return rows


class BulkPcapngIndexer(PcapngIndexer):
    """Reads the block headers of a pcapng file that may still be growing."""

    _across_windows = False

    def __init__(self, file: CaptureFile, *, block_bytes: int = BULK_BLOCK_BYTES) -> None:
        super().__init__(file, block_bytes=block_bytes)
        self._runs: list[FrameBatch] = []
        """Frames before those in `_rows`."""
        self._run_rows = 0
        self._clock_rows = np.zeros((1, 2), dtype=np.int64)
        self._clocks_from = 0
        """First interface of the section that `_clock_rows` is of."""
        self._clocks_known = 0
        """Rows of it that are filled in."""
        self._short_runs = 0
        """Runs in a row that were not worth a kernel's call."""
        self._left_alone = 0
        """Blocks that stay with the plain reading, as such runs are likely to go on."""

    def _count(self) -> int:
        return self._run_rows + len(self._rows)

    def _read_ordinary(self, limit: int) -> None:
        if self._left_alone:
            self._left_alone -= 1
        elif self._in_section:
            self._read_run(limit - self._count())
        # It takes the clocks that a kernel cannot count with.
        super()._read_ordinary(limit - self._run_rows)

    def _read_run(self, limit: int) -> None:
        from analyzer.capture import kernels

        window, first = self._window, self._section_first
        at = self.position - window.start
        if limit <= 0 or not 0 <= at <= len(window.data) - _SMALLEST_BLOCK:
            return
        rows = _room(min(limit, (len(window.data) - at) // _SMALLEST_BLOCK + 1))
        telling = np.empty(_MAX_TELLING, dtype=np.int64)
        count, at, self._last_time, passed = kernels.walk_blocks(
            np.frombuffer(window.data, dtype=np.uint8),
            at,
            self._order == ">",
            self._clock_table(),
            self._last_time,
            self._snap_length() if self._timeless and first < len(self.interfaces) else -1,
            rows.time_ns,
            rows.offset,
            rows.captured,
            rows.original,
            rows.interface,
            telling,
        )
        self._read_losses(telling[:passed], rows.offset[:count], rows.interface)
        self.position = window.start + at
        # A run that the window or the limit ends is short by chance.
        short = count + passed < min(_SHORT_RUN, limit) and at + _SHORT_RUN_BYTES < len(window.data)
        self._short_runs = min(self._short_runs + 1, _MOST_SHORT_RUNS) if short else 0
        self._left_alone = 2**self._short_runs if self._short_runs > 1 else 0
        if count:
            self._frames += count
            rows = _first(rows, count, window.start)
            rows.interface[:] += np.uint16(first)
            self._add_run(rows)

    def _read_losses(
        self, places: NDArray[np.int64], frames: NDArray[np.int64], interfaces: NDArray[np.uint16]
    ) -> None:
        """Take over what blocks tell of lost frames, which begin at `places` of the window as the run's frames do."""
        data, unpack = self._window.data, struct.Struct(self._order + "II").unpack_from
        rows = np.searchsorted(frames, places)
        for at, row in zip(places.tolist(), rows.tolist(), strict=True):
            kind, length = unpack(data, at)
            if kind == INTERFACE_STATISTICS:
                self._note_dropped(data[at + 8 : at + min(length - 4, 8 + MAX_OPTIONS_BYTES)], self._frames + row)
            else:
                self._read_lost(kind, length, at, self._frames + row, self._section_first + int(interfaces[row]))

    def _add_run(self, run: FrameBatch) -> None:
        if len(run) < _SHORT_RUN:
            columns = (run.time_ns, run.offset, run.captured, run.original, run.interface)
            self._rows.extend(zip(*(column.tolist() for column in columns), strict=True))
            return
        if self._rows:
            self._runs.append(super()._batch())
            self._rows = []
        self._runs.append(run)
        self._run_rows = sum(map(len, self._runs))

    def _batch(self) -> FrameBatch:
        if self._rows or not self._runs:
            self._runs.append(super()._batch())
        joined = join_batches(self._runs)
        self._runs, self._run_rows = [], 0
        return joined

    def _clock_table(self) -> NDArray[np.int64]:
        """Nanoseconds a unit and at unit 0 of the section's interfaces; 0 a unit where a kernel cannot count so."""
        if self._clocks_from != self._section_first:
            self._clocks_from, self._clocks_known = self._section_first, 0
        count = len(self._clocks) - self._section_first
        if count > len(self._clock_rows):
            # Doubled, as a hostile file may describe one more interface after every frame.
            grown = np.zeros((2 * count, 2), dtype=np.int64)
            grown[: self._clocks_known] = self._clock_rows[: self._clocks_known]
            self._clock_rows = grown
        for number in range(self._clocks_known, count):
            clock = self._clocks[self._section_first + number]
            counted = clock.divisor == 1 and abs(clock.offset_ns) <= _MAX_OFFSET_NS
            self._clock_rows[number] = (clock.multiplier, clock.offset_ns) if counted else (0, 0)
        self._clocks_known = count
        return self._clock_rows[:count]


def _room(rows: int) -> FrameBatch:
    """Columns for so many rows, with no values yet but interface 0."""
    return FrameBatch(
        time_ns=np.empty(rows, dtype=np.int64),
        offset=np.empty(rows, dtype=np.int64),
        captured=np.empty(rows, dtype=np.uint32),
        original=np.empty(rows, dtype=np.uint32),
        interface=np.zeros(rows, dtype=np.uint16),
    )


def _first(rows: FrameBatch, count: int, start: int) -> FrameBatch:
    """The first `count` rows, with offsets that began to count at byte `start` of the file."""
    return FrameBatch(
        rows.time_ns[:count],
        rows.offset[:count] + start,
        rows.captured[:count],
        rows.original[:count],
        rows.interface[:count],
    )
