"""Which snapshot the parts in a packet belong to, and which packets a snapshot came in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.stats.live import Ints, ints, live_messages
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
