"""Where the capture lost frames: rows of `drops`, told to each reading between the datagrams that it is between.

What the file says comes to readings as an interruption of their flow, at the same place whatever the batches are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.capture.frames import MAX_LOST, Drop
from analyzer.engine.clock import Clock
from analyzer.protocols.flow import REACH_NS, DatagramBatch, Loss, Reading
from analyzer.snapshots.status import LostBy
from analyzer.store.columns import Array, Ints
from analyzer.store.tables import Tables

VAGUE_NS = 5_000_000_000
"""Where the file says less exactly when frames were lost, no single snapshot is put down to it."""


@dataclass(slots=True)
class _Told:
    """What a reading knows."""

    drops: int
    """Rows of `drops` that it was told, or that were before its flow began."""
    interface: int
    """Where its flow was captured."""


class Drops:
    """Rows are placed by the writer; readings may be told on other threads, each by one at a time."""

    def __init__(self, tables: Tables, clock: Clock) -> None:
        self._tables = tables
        self._clock = clock
        self._waiting: dict[tuple[int, int], Drop] = {}
        """By frame and interface: those whose next frame has not come."""
        self._placed = 0
        self._told: dict[int, _Told] = {}
        """By number of the reading."""

    def note(self, drops: Iterable[Drop]) -> None:
        """The file says so, in its order."""
        for drop in drops:
            key = drop.frame, drop.interface
            before = self._waiting.get(key)
            if before is not None:
                drop = Drop(before.since, drop.frame, drop.interface, min(before.lost + drop.lost, MAX_LOST))
            self._waiting[key] = drop

    def place(self, packet: int, *, ended: bool = False) -> None:
        """Frames were added, and packets from row `packet` on: append rows for drops before them.

        `ended`: no further frame will come.
        """
        frames = self._tables.frames
        due = [drop for drop in self._waiting.values() if ended or drop.frame < frames.appended]
        if not due:
            return
        for drop in due:
            del self._waiting[drop.frame, drop.interface]
        last = max(frames.appended - 1, 0)
        edges = [[max(drop.since - 1, 0), max(drop.frame - 1, 0), min(drop.frame, last)] for drop in due]
        times = self._times(np.array(edges, dtype=np.int64))
        packets = self._tables.packets
        carriers = packets.integers("frame", packet, packets.appended)
        befores = np.searchsorted(carriers, [drop.frame for drop in due]) + packet
        columns: dict[str, Array | Sequence[object]] = {
            "since": [drop.since for drop in due],
            "frame": [drop.frame for drop in due],
            "interface": [drop.interface for drop in due],
            "lost": [drop.lost for drop in due],
            "packet": befores,
            "begin_ns": times[:, 0],
            "end_ns": times[:, 2],
            "vague": times[:, 1] - times[:, 0] > VAGUE_NS,
        }
        self._tables.drops.append(columns, len(due))
        self._placed = self._tables.drops.appended

    def feed(self, reading: Reading, batch: DatagramBatch) -> None:
        """Let a reading have a batch of its flow, interrupted where frames were lost."""
        told = self._told.get(reading.rows.reading)
        if told is None and len(batch):
            told = self._told[reading.rows.reading] = self._begin(int(batch.packet[0]))
        if told is not None and told.drops < self._placed:
            batch = self._interrupt(reading, batch, told)
        reading.feed(batch)

    def finish(self, reading: Reading) -> None:
        """The capture has ended: what was lost soon behind the flow's last datagram may have been the flow's."""
        told = self._told.get(reading.rows.reading)
        if told is None or reading.last_ns is None:
            return
        rows = self._rows(told, self._placed)
        told.drops = self._placed
        near = self._tables.drops.take("begin_ns", rows).astype(np.int64) <= reading.last_ns + REACH_NS
        if near.any():
            reading.lose(*self._losses(rows[near], np.zeros(1, np.int64)))

    def forget(self, reading: Reading) -> None:
        """Another one replaced it."""
        self._told.pop(reading.rows.reading, None)

    def doubt(self) -> None:
        """Where frames were lost at times that the file does not say, nobody can tell that the network lost them."""
        tables = self._tables
        vague = np.flatnonzero(tables.drops.array("vague", 0, self._placed))
        if not len(vague):
            return
        snapshots = tables.snapshots
        rows = np.flatnonzero(snapshots.array("lost_by", 0, snapshots.appended) == LostBy.NETWORK)
        causes = snapshots.take("cause", rows).astype(np.int64)
        packets = snapshots.take("packet", np.where(causes >= 0, causes, rows)).astype(np.int64)
        frames = tables.packets.take("frame", packets).astype(np.int64)
        since, until = (np.sort(tables.drops.take(name, vague)) for name in ("since", "frame"))
        begun, over = np.searchsorted(since, frames, side="right"), np.searchsorted(until, frames, side="left")
        chosen = rows[begun > over]
        snapshots.amend("lost_by", chosen, np.full(len(chosen), LostBy.UNKNOWN, dtype=np.int64))

    def _times(self, frames: Ints) -> Ints:
        """The clock at some frames, in any order; shape like `frames`."""
        if not self._tables.frames.appended:
            return np.zeros_like(frames)
        rows, places = np.unique(frames, return_inverse=True)
        return self._clock.at(rows, self._tables.frames)[places].reshape(frames.shape)

    def _begin(self, packet: int) -> _Told:
        tables = self._tables
        before = bisect_right(range(self._placed), packet, key=lambda row: tables.drops.integer("packet", row))
        frame = tables.packets.integer("frame", packet)
        return _Told(before, tables.frames.integer("interface", frame))

    def _interrupt(self, reading: Reading, batch: DatagramBatch, told: _Told) -> DatagramBatch:
        """Feed what comes before losses, and tell them; what is left of the batch."""
        if not len(batch):
            return batch
        packets, first = self._tables.drops.integers("packet", told.drops, self._placed), told.drops
        end = first + int(np.searchsorted(packets, int(batch.packet[-1]), side="right"))
        rows = self._rows(told, end)
        done = 0
        if len(rows):
            places = np.searchsorted(batch.packet, packets[rows - first])
            starts = np.flatnonzero(np.diff(places, prepend=-1))
            ends = np.append(starts[1:], len(rows)) - 1
            losses = zip(places[starts].tolist(), (rows[ends] + 1).tolist(), self._losses(rows, starts), strict=True)
            for place, stop, loss in losses:
                if place > done:
                    reading.feed(batch.part(done, place))
                # Before it is told: whatever strikes there, it is not told again.
                done, told.drops = place, stop
                reading.lose(loss)
        told.drops = end
        return batch.part(done, len(batch)) if done else batch

    def _rows(self, told: _Told, stop: int) -> Ints:
        """Rows that a reading was not told, up to `stop` - 1, and that bear on single snapshots of its flow."""
        drops = self._tables.drops
        own = drops.array("interface", told.drops, stop) == told.interface
        return told.drops + np.flatnonzero(own & ~drops.array("vague", told.drops, stop).astype(np.bool_))

    def _losses(self, rows: Ints, starts: Ints) -> list[Loss]:
        """What groups of rows are together, of which the first ones are at `starts`."""
        drops = self._tables.drops
        begin = np.minimum.reduceat(drops.take("begin_ns", rows).astype(np.int64), starts)
        end = np.maximum.reduceat(drops.take("end_ns", rows).astype(np.int64), starts)
        lost = np.minimum(np.add.reduceat(drops.take("lost", rows).astype(np.int64), starts), MAX_LOST)
        return [Loss(*values) for values in zip(begin.tolist(), end.tolist(), lost.tolist(), strict=True)]
