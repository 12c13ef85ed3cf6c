"""The bytes of a packet again from the capture file, through the tables: for a click, and for reading a flow anew."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

import numpy as np

from analyzer.capture.file import CaptureFile
from analyzer.capture.frames import CaptureError
from analyzer.engine.clock import Clock
from analyzer.protocols.flow import DatagramBatch
from analyzer.store.columns import Ints
from analyzer.store.tables import Tables

_GAP_BYTES = 1 << 16
"""Packets that lie closer are read at once: the thread that decodes may have the interpreter after each read."""
_MOST_BYTES = 1 << 22
"""Of a read for several packets."""


class Payloads:
    """Reads UDP payloads by packet row."""

    def __init__(self, tables: Tables, file: CaptureFile) -> None:
        self._tables = tables
        self._file = file

    def payload(self, packet: int) -> bytes:
        """Captured bytes of the UDP payload, joined from IP fragments where it had any. Raises CaptureError."""
        packets = self._tables.packets
        length = packets.integer("length", packet)
        if packets.integer("pieces", packet) == 1:
            return self._piece(packets.integer("frame", packet), packets.integer("start", packet), length)
        fragments = self._tables.fragments
        rows = range(fragments.appended)
        first, last = (
            search(rows, packet, key=lambda row: fragments.integer("packet", row))
            for search in (bisect_left, bisect_right)
        )
        return b"".join(
            self._piece(
                fragments.integer("frame", row), fragments.integer("start", row), fragments.integer("length", row)
            )
            for row in range(first, last)
        )

    def payloads(self, packets: Sequence[int]) -> list[bytes]:
        """Captured bytes of the UDP payloads of any packets, in few reads. Raises CaptureError."""
        rows = np.asarray(packets, dtype=np.int64)
        columns = self._tables.packets
        starts = columns.take("start", rows).astype(np.int64)
        starts += self._tables.frames.take("offset", columns.take("frame", rows).astype(np.int64)).astype(np.int64)
        stops = starts + columns.take("length", rows).astype(np.int64)
        whole = columns.take("pieces", rows) == 1
        found = [b"" if alone else self.payload(packet) for packet, alone in zip(packets, whole.tolist(), strict=True)]
        places = zip(starts[whole].tolist(), stops[whole].tolist(), np.flatnonzero(whole).tolist(), strict=True)
        for run in _runs(sorted(places)):
            begin = run[0][0]
            data = self._read(begin, max(stop for _, stop, _ in run))
            for start, stop, index in run:
                piece = data[start - begin : stop - begin]
                # Of what is not there any more, its own read says so.
                found[index] = piece if len(piece) == stop - start else self._file.read_again(start, stop - start)
        return found

    def frame(self, frame: int) -> bytes:
        """All captured bytes of a frame. Raises CaptureError."""
        return self._piece(frame, 0, self._tables.frames.integer("captured", frame))

    def _piece(self, frame: int, start: int, length: int) -> bytes:
        return self._file.read_again(self._tables.frames.integer("offset", frame) + start, length)

    def _read(self, start: int, stop: int) -> bytes:
        """What can be read of these bytes of the file."""
        try:
            return self._file.read(start, stop - start)
        except CaptureError:
            return b""


def _runs(places: list[tuple[int, int, int]]) -> Iterator[list[tuple[int, int, int]]]:
    """Places, each a start, a stop and an index, in ascending order -> those of them that are read at once."""
    run: list[tuple[int, int, int]] = []
    for place in places:
        if run and (place[0] > run[-1][1] + _GAP_BYTES or place[1] > run[0][0] + _MOST_BYTES):
            yield run
            run = []
        run.append(place)
    if run:
        yield run


def read_batch(rows: Ints, tables: Tables, payloads: Payloads, clock: Clock) -> DatagramBatch:
    """Datagrams from the file again: rows of `packets`, ascending. Raises CaptureError."""
    packets, frames = tables.packets, tables.frames
    of_packets = packets.take("frame", rows).astype(np.int64)
    data = payloads.payloads(rows.tolist())
    lengths = np.array([len(payload) for payload in data], dtype=np.int64)
    return DatagramBatch(
        rows,
        frames.take("time_ns", of_packets).astype(np.int64),
        packets.take("direction", rows).astype(np.int8),
        np.cumsum(lengths) - lengths,
        lengths,
        packets.take("udp_length", rows).astype(np.int64),
        clock.at(of_packets, frames),
        b"".join(data),
    )
