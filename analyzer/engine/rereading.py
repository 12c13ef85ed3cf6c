"""Flows that are read anew, a part of them at a time: as a person pinned them, or with layouts that changed.

A flow's packets let go of what the old reading said, then a new reading has them from the first. What comes in
meanwhile is read when its turn comes, so that a large flow holds up nobody.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum, auto

import numpy as np

from analyzer.engine.clock import Clock
from analyzer.engine.flow_readings import FlowReadings
from analyzer.engine.payloads import Payloads, read_batch
from analyzer.protocols.flow import DatagramBatch, by_flow
from analyzer.store.columns import CHUNK_ROWS, Ints
from analyzer.store.rows import Handed
from analyzer.store.tables import PACKETS, Tables

CLEARED_ROWS = 4 * CHUNK_ROWS
"""Packets of all flows that are looked through at a time for those that let go of a reading."""
SCANNED_ROWS = 16 * CHUNK_ROWS
"""The same for those that are read: most may be of other flows."""
MOST_BYTES = 16 * 1024 * 1024
"""Of payloads that are read again at a time."""

_LATE = {spec.name: spec.unset for spec in PACKETS if spec.unset is not None}
"""What a packet row holds while no reading had it."""


class _Stage(Enum):
    CLEAR = auto()
    """Packets let go of the old reading."""
    DETECT = auto()
    """Protocols are asked about the flows."""
    READ = auto()
    """Their new readings have the packets."""


@dataclass(slots=True)
class _Pass:
    """Once through the packets of some flows."""

    stage: _Stage
    flows: set[int]
    at: int = 0
    """The first row that was not looked at."""
    claimed: set[int] = field(default_factory=set)
    """Flows that a protocol claimed while they were asked about; they have left `flows`."""


class Rereading:
    """What is waiting to be read anew. For the one writer, while no thread has a reading."""

    def __init__(self, tables: Tables, payloads: Payloads, clock: Clock, readings: FlowReadings) -> None:
        self._tables = tables
        self._payloads = payloads
        self._clock = clock
        self._readings = readings
        self._passes: deque[_Pass] = deque()
        self._done = self._wanted = 0

    def __bool__(self) -> bool:
        return bool(self._passes)

    @property
    def progress(self) -> float:
        """The share of the packets that have been read anew, 0 to 1; 1 where nothing waits."""
        # Another thread may ask between any two steps here.
        wanted = self._wanted
        return min(1.0, self._done / wanted) if self._passes and wanted else 1.0

    def begin(self, flows: Collection[int]) -> None:
        """Read flows anew, from their first packets. Those that are being read anew begin once more."""
        if not flows:
            return
        if not self._passes:
            self._done = self._wanted = 0
        for waiting in self._passes:
            waiting.flows.difference_update(flows)
            waiting.claimed.difference_update(flows)
        for flow in flows:
            self._wanted += self._tables.flows.integer("packets", flow)
            self._readings.retire(flow)
        self._passes.append(_Pass(_Stage.CLEAR, set(flows), self._first(flows)))

    def work(self, most: int) -> dict[int, DatagramBatch]:
        """Go on, with at most so many packets; by flow, what its reading has to be fed next.

        Once that is done, `end` follows.
        """
        current = self._passes[0]
        if current.stage is _Stage.CLEAR:
            self._clear(self._own_rows(current, CLEARED_ROWS, CLEARED_ROWS))
            return {}
        rows = self._own_rows(current, SCANNED_ROWS, most)
        batches = self._batches(rows)
        if current.stage is _Stage.READ:
            self._done += len(rows)
            return batches
        for flow in self._readings.ask(batches):
            current.flows.discard(flow)
            current.claimed.add(flow)
        return {}

    def end(self) -> list[Handed]:
        """What `work` gave is read. Where that was the last of a pass: settle its flows, if the file has ended."""
        current = self._passes[0]
        if current.at < self._tables.packets.appended and current.flows:
            return []
        self._passes.popleft()
        if current.stage is _Stage.CLEAR:
            self._open(current.flows)
            return []
        if current.stage is _Stage.DETECT:
            current.claimed |= self._readings.give_up(sorted(current.flows))
            self._read(current.claimed & self._readings.behind)
            return []
        return self._readings.caught_up(sorted(current.flows))

    def _open(self, flows: set[int]) -> None:
        known = {flow for flow in sorted(flows) if self._readings.reopen(flow)}
        self._read(known & self._readings.behind)
        undecided = (flows - known) & self._readings.behind
        if undecided:
            self._passes.append(_Pass(_Stage.DETECT, undecided, self._first(undecided)))

    def _read(self, flows: set[int]) -> None:
        if flows:
            self._passes.append(_Pass(_Stage.READ, flows, self._first(flows)))

    def _first(self, flows: Collection[int]) -> int:
        return min(self._tables.flows.integer("first_packet", flow) for flow in flows)

    def _own_rows(self, current: _Pass, scanned: int, most: int) -> Ints:
        """The next packets of a pass, ascending: not more than asked for, nor than `MOST_BYTES`."""
        packets = self._tables.packets
        mine = np.zeros(self._tables.flows.appended, dtype=np.bool_)
        mine[np.fromiter(current.flows, np.int64)] = True
        found: list[Ints] = []
        stop = min(current.at + scanned, packets.appended)
        while current.at < stop and most > 0:
            last = min(current.at + CHUNK_ROWS, stop)
            own = np.flatnonzero(mine[packets.array("flow", current.at, last)]) + current.at
            if len(own) > most:
                own, last = own[:most], int(own[most])
            most -= len(own)
            found.append(own)
            current.at = last
        rows = np.concatenate(found) if found else np.empty(0, np.int64)
        if current.stage is _Stage.CLEAR:
            return rows
        fitting = int(np.searchsorted(np.cumsum(packets.take("length", rows).astype(np.int64)), MOST_BYTES)) + 1
        if fitting < len(rows):
            current.at, rows = int(rows[fitting]), rows[:fitting]
        return rows

    def _clear(self, rows: Ints) -> None:
        self._tables.packets.amend_together(rows, {name: np.full(len(rows), unset) for name, unset in _LATE.items()})

    def _batches(self, rows: Ints) -> dict[int, DatagramBatch]:
        """Packets as their flows' datagrams, from the file. Raises CaptureError."""
        if not len(rows):
            return {}
        whole = read_batch(rows, self._tables, self._payloads, self._clock)
        return by_flow(self._tables.packets.take("flow", rows).astype(np.int32), whole)
