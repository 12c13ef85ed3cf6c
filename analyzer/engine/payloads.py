"""The bytes of a packet again from the capture file, through the tables: for a click, and for reading a flow anew."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from analyzer.capture.file import CaptureFile
from analyzer.store.tables import Tables


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

    def frame(self, frame: int) -> bytes:
        """All captured bytes of a frame. Raises CaptureError."""
        return self._piece(frame, 0, self._tables.frames.integer("captured", frame))

    def _piece(self, frame: int, start: int, length: int) -> bytes:
        return self._file.read_again(self._tables.frames.integer("offset", frame) + start, length)
