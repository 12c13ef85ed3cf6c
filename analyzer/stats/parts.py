"""Which snapshot the parts in a packet belong to, and which packets a snapshot came in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.stats.live import Ints, ints, live_messages
from analyzer.store.growing import Growing
from analyzer.store.tables import Tables


@dataclass(frozen=True, slots=True)
class CarriedPart:
    """A part of a snapshot that one packet carried."""

    snapshot: int
    number: int
    """Part number on the wire, from 0."""


def parts_in(tables: Tables, packet: int) -> list[CarriedPart]:
    """The parts in a packet, of live readings, in wire order."""
    messages = ints(tables.parts, "message")
    of_packet = ints(tables.messages, "packet")[messages] == packet
    parts = np.flatnonzero(of_packet & live_messages(tables)[messages])
    first = ints(tables.snapshots, "first_part")
    last = first + ints(tables.snapshots, "part_count")
    found: list[CarriedPart] = []
    for part in parts.tolist():
        owners = np.flatnonzero((first >= 0) & (first <= part) & (part < last))
        number = tables.parts.integer("number", part)
        found.extend(CarriedPart(owner, number) for owner in owners.tolist())
    return found


def part_packets(tables: Tables, snapshot: int) -> Ints:
    """Packets that carried a snapshot's parts, in the order of its parts, shape (part_count,)."""
    first = tables.snapshots.integer("first_part", snapshot)
    count = tables.snapshots.integer("part_count", snapshot) if first >= 0 else 0
    messages = tables.parts.take("message", np.arange(max(first, 0), max(first, 0) + count)).astype(np.int64)
    return tables.messages.take("packet", messages).astype(np.int64)


def last_part_packets(tables: Tables, first: Ints, count: Ints) -> Ints:
    """The packet that carried the last part to come of each snapshot, shape (n,); `count`: parts of each, 1 or more."""
    begins = np.cumsum(count) - count
    parts = np.arange(count.sum()) + np.repeat(first - begins, count)
    messages = tables.parts.take("message", parts).astype(np.int64)
    packets = tables.messages.take("packet", messages).astype(np.int64)
    last: Ints = np.maximum.reduceat(packets, begins)
    return last


def part_frames(tables: Tables, snapshot: int) -> list[int]:
    """Frames (from 1) that carried a snapshot's parts, in the order of its parts."""
    return [frame + 1 for frame in tables.packets.take("frame", part_packets(tables, snapshot)).tolist()]


class PartIndex:
    """Which snapshot each message carries a part of; extended from where it stopped, 8 bytes a message."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._snapshots = 0
        self._snapshot: Growing[np.int32] = Growing(np.int32, tables.chunks)
        self._number: Growing[np.int32] = Growing(np.int32, tables.chunks)

    def catch_up(self, most: int | None = None) -> None:
        """Take in the snapshots that were published since, at most so many."""
        reached = len(self._tables.snapshots)
        if most is not None:
            reached = min(reached, self._snapshots + most)
        if reached == self._snapshots:
            return
        snapshots = self._tables.snapshots
        first = snapshots.integers("first_part", self._snapshots, reached)
        count = np.where(first < 0, 0, snapshots.integers("part_count", self._snapshots, reached))
        owners = np.repeat(np.arange(self._snapshots, reached), count)
        self._snapshots = reached
        if not len(owners):
            return
        lowest, highest = int(first[count > 0].min()), int((first + count).max())
        # Those of snapshots that come one after the other are one stretch, but for what was decided in between.
        parts = np.arange(count.sum()) + np.repeat(first - (np.cumsum(count) - count), count) - lowest
        messages = self._tables.parts.integers("message", lowest, highest)[parts]
        self._grow(int(messages.max()) + 1)
        self._snapshot.view[messages] = owners
        self._number.view[messages] = self._tables.parts.array("number", lowest, highest)[parts]

    def carried(self, message: int) -> CarriedPart | None:
        """The part in a message, None if it carries none."""
        if message >= len(self._snapshot) or self._snapshot.view[message] < 0:
            return None
        return CarriedPart(int(self._snapshot.view[message]), int(self._number.view[message]))

    def _grow(self, size: int) -> None:
        if size > len(self._snapshot):
            more = np.full(size - len(self._snapshot), -1, dtype=np.int32)
            self._snapshot.append(more)
            self._number.append(more)
