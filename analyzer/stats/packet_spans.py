"""Packets and their bytes between any two moments: exact, without keeping anything for each packet."""

from __future__ import annotations

import numpy as np

from analyzer.stats.live import Ints, packet_times
from analyzer.store.growing import Growing
from analyzer.store.tables import Tables

BLOCK = 4096
"""Packets whose first and last moment and bytes are kept together."""


class PacketSpans:
    """Call `update` when packets were added. Times are nanoseconds from the first frame."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._earliest: Growing[np.int64] = Growing(np.int64, tables.chunks)
        self._latest: Growing[np.int64] = Growing(np.int64, tables.chunks)
        self._bytes: Growing[np.int64] = Growing(np.int64, tables.chunks)
        self._packets = 0

    def __len__(self) -> int:
        """Packets taken in."""
        return self._packets

    @property
    def nbytes(self) -> int:
        """Bytes of what is kept."""
        return 24 * len(self._bytes)

    def update(self) -> None:
        """Take in what was published since the last call."""
        self._packets = len(self._tables.packets)
        for block in range(len(self._bytes), self._packets // BLOCK):
            times, sizes = self._read(np.arange(block * BLOCK, (block + 1) * BLOCK))
            self._earliest.append(times.min(keepdims=True))
            self._latest.append(times.max(keepdims=True))
            self._bytes.append(sizes.sum(keepdims=True))

    def extent(self) -> tuple[int, int]:
        """Earliest and latest packet; both 0 where there are none."""
        times, _ = self._read(self._tail())
        lows, highs = (np.append(kept.view, times) for kept in (self._earliest, self._latest))
        return (int(lows.min()), int(highs.max())) if len(lows) else (0, 0)

    def between(self, start_ns: int, stop_ns: int, flows: Ints | None = None) -> tuple[int, int]:
        """Packets from `start_ns` up to before `stop_ns`, and bytes of their UDP payload.

        `flows`: only of these, each packet is looked at; else only those in blocks that are partly within.
        """
        earliest, latest = self._earliest.view, self._latest.view
        touched = (latest >= start_ns) & (earliest < stop_ns)
        whole = touched & (earliest >= start_ns) & (latest < stop_ns)
        count = size = 0
        if flows is None:
            count, size = int(whole.sum()) * BLOCK, int(self._bytes.view[whole].sum())
            touched &= ~whole
        for begin, end in _runs(np.flatnonzero(touched)):
            found = self._count(np.arange(begin * BLOCK, end * BLOCK), start_ns, stop_ns, flows)
            count, size = count + found[0], size + found[1]
        found = self._count(self._tail(), start_ns, stop_ns, flows)
        return count + found[0], size + found[1]

    def _tail(self) -> Ints:
        return np.arange(len(self._bytes) * BLOCK, self._packets)

    def _count(self, rows: Ints, start_ns: int, stop_ns: int, flows: Ints | None) -> tuple[int, int]:
        if flows is not None:
            wanted = np.zeros(len(self._tables.flows), np.bool_)
            wanted[flows] = True
            rows = rows[wanted[self._tables.packets.take("flow", rows)]]
        times, sizes = self._read(rows)
        within = (times >= start_ns) & (times < stop_ns)
        return int(within.sum()), int(sizes[within].sum())

    def _read(self, rows: Ints) -> tuple[Ints, Ints]:
        """Times and bytes of packets."""
        start = self._tables.frames.integer("time_ns", 0) if len(rows) else 0
        sizes = self._tables.packets.take("udp_length", rows).astype(np.int64)
        return packet_times(self._tables, rows) - start, sizes


def _runs(numbers: Ints) -> list[tuple[int, int]]:
    """Ascending numbers as stretches of neighbours, each with its end behind it, none longer than 64."""
    edges = np.flatnonzero(np.diff(numbers, prepend=-2, append=-2) != 1)
    return [
        (first, min(first + 64, end))
        for begin, behind in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        for end in [int(numbers[behind - 1]) + 1]
        for first in range(int(numbers[begin]), end, 64)
    ]
