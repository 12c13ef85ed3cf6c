"""Makes snapshots with compiled code; states are runs of int32, see state_kernels.py. Spec sections 9 to 13."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from analyzer.protocols.teeworlds import arena_kernels
from analyzer.protocols.teeworlds import delta_columns as making
from analyzer.protocols.teeworlds import flow_columns as flow
from analyzer.protocols.teeworlds import item_kernels as items
from analyzer.protocols.teeworlds.arena import ArenaMemory
from analyzer.protocols.teeworlds.delta import Delta
from analyzer.protocols.teeworlds.delta_columns import make_scratch
from analyzer.protocols.teeworlds.delta_kernels import rebuild
from analyzer.protocols.teeworlds.messages import MAX_PART_LENGTH
from analyzer.protocols.teeworlds.players import NAME_INTS, name_of
from analyzer.protocols.teeworlds.rebuilder import (
    Rebuilder,
    Rebuilt,
    TypeCounter,
    TypeKey,
    count_updates,
    join_parts,
)
from analyzer.protocols.teeworlds.schema import Schema
from analyzer.protocols.teeworlds.schema_tables import FIRST_UUID_TYPE
from analyzer.protocols.teeworlds.state import State, pack_state
from analyzer.snapshots.tracking import ticks
from analyzer.snapshots.tracking.columns import AT, CRC, INTS, LENGTH, MAX_OPEN
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.columns import Ints
from analyzer.store.rows import TypeCount
from analyzer.transports.teeworlds_packet import MAX_PAYLOAD_06
from analyzer.wire.errors import DecodeError

_FIRST_PARTS = 4
"""More than that are rare."""
_SMALLEST_ARENA = 1024
KEPT_STATES = 800
"""A snapshot is kept for 500 to 550 ticks, mostly 50 a second; the others are for larger ones later."""
_GOES_ON = 8
"""States of an epoch that is likely to have many more."""
_LARGEST_GUESS = 1 << 21
"""Ints of an arena that are not needed yet."""
_MOST_BLOCKS = 64
"""Snapshots to be stored whole that wait at most; each comes behind many others."""


class WorkingMemory(threading.local):
    """Working memory of the thread that reads; readings of one thread share it."""

    def __init__(self) -> None:
        plain = np.empty(-(-MAX_PAYLOAD_06 // 8), dtype=np.uint64)
        words = plain.view()
        words.flags.writeable = False
        self.work = flow.Work(
            plain,
            words.view(np.uint8),
            words,
            np.empty((flow.MAX_CHUNKS, 4), dtype=np.int64),
            np.empty(9, dtype=np.int64),
            make_scratch(),
            items.make_type_counts(),
            np.zeros(making.RESULTS, dtype=np.int64),
        )
        """The type counts are emptied at the end of every batch of a reading."""
        self.made = np.zeros(making.MAX_STATE_INTS, dtype=np.int32)


MEMORY = WorkingMemory()


class BulkTypeCounter(TypeCounter):
    """Counts in the thread's memory."""

    def __init__(self) -> None:
        self._taken: dict[TypeKey, TypeCount] = {}

    def take(self) -> dict[TypeKey, TypeCount]:
        """What was counted since the last time."""
        self._empty()
        types, self._taken = self._taken, {}
        return types

    def count(self, state: NDArray[np.int32], updated: int, packet: int) -> None:
        """Count the updates in the thread's memory, which made `state`."""
        work = MEMORY.work
        if not items.count_types(state, work.scratch.updates, updated, packet, work.counts):
            # A type is declared otherwise than before: what was counted of it was another one.
            self._empty()
            items.count_types(state, work.scratch.updates, updated, packet, work.counts)

    def count_plainly(self, delta: Delta, state: State, packet: int) -> None:
        """Count the updates of a delta that no kernel has read, which made `state`."""
        self._empty()
        count_updates(self._taken, delta, state, packet)

    def _empty(self) -> None:
        counts = MEMORY.work.counts
        types = counts.types[: int(counts.used[0])]
        numbers = types.tolist()
        for type, (packet, updates, values) in zip(numbers, counts.counts[types].tolist(), strict=True):
            known, *declared = counts.declared[type].tolist() if type >= FIRST_UUID_TYPE else (0,)
            key = type, tuple(declared) if known else None
            count = self._taken.setdefault(key, TypeCount(packet))
            count.updates += updates
            count.values += values
        counts.counts[types] = 0
        counts.used[0] = 0


class BulkRebuilder(Rebuilder):
    """States in an arena of int32, parts in one of bytes. Rows and faults are those of `PlainRebuilder`."""

    def __init__(self, schema: Schema, types: BulkTypeCounter, tracker: Tracker) -> None:
        self.head = 1
        """Where the next state goes in the arena."""
        self.tail = 1
        """Where the oldest one is; the same as `head` if there is none."""
        self.sizes = schema.sizes
        self._sizes = np.asarray(schema.sizes, dtype=np.int32)
        self._types = types
        self._tracker = tracker
        self._arena = ArenaMemory(_SMALLEST_ARENA)
        self.store = _make_store(
            np.empty((MAX_OPEN + 1, _FIRST_PARTS * MAX_PART_LENGTH), dtype=np.uint8),
            self._arena.array,
            np.empty((_MOST_BLOCKS, 3), dtype=np.int64),
        )
        self._made = 0
        """Ints of the state made last."""

    def hold(self, collector: int, part: int, data: bytes) -> None:
        """Keep the bytes of a part."""
        old, start = self.store.parts, MAX_PART_LENGTH * part
        if start + MAX_PART_LENGTH > old.shape[1]:
            # Room for twice as many parts, or as many as this one needs.
            longer = np.empty((len(old), max(2 * old.shape[1], start + MAX_PART_LENGTH)), dtype=np.uint8)
            longer[:, : old.shape[1]] = old
            self.store = _make_store(longer, self.store.arena, self.store.blocks)
        self.store.parts[collector, start : start + len(data)] = np.frombuffer(data, dtype=np.uint8)

    def held(self, collector: int, part: int) -> bytes:
        """The bytes of a part that is held."""
        start, length = MAX_PART_LENGTH * part, self._tracker.track.parts[collector, part, LENGTH]
        return self.store.parts[collector, start : start + length].tobytes()

    def join(self, collector: int, announced: int) -> bytes:
        """The delta of a collector that holds every part announced."""
        return join_parts({part: self.held(collector, part) for part in range(announced)}, announced)

    def rebuild(self, base_tick: int, delta: bytes, packet: int) -> Rebuilt:
        """Make the next snapshot. Raises `DecodeError` D1 to D9, whose texts are left to the plain reading."""
        work = MEMORY.work
        data = np.frombuffer(delta, dtype=np.uint8)
        base, crc = self._state(base_tick), self._crc(base_tick)
        rebuild(data, 0, len(data), base, crc, self._sizes, work.scratch, MEMORY.made, work.result)
        numbers: list[int] = work.result.tolist()
        if numbers[making.FAULT]:
            raise DecodeError(f"D{numbers[making.FAULT]}", numbers[making.OFFSET], "", numbers[making.DETAIL])
        self._made = numbers[making.LENGTH]
        self._types.count(MEMORY.made, numbers[making.UPDATED], packet)
        return Rebuilt(
            numbers[making.STATE_BYTES],
            numbers[making.ITEMS],
            numbers[making.CRC],
            numbers[making.ADDED],
            numbers[making.CHANGED],
            numbers[making.REMOVED],
            numbers[making.DELETED],
            numbers[making.UPDATED],
            numbers[making.WARNINGS],
        )

    def adopt(self, state: State, delta: Delta, packet: int) -> None:
        """A snapshot that became known without its base."""
        packed = np.frombuffer(pack_state(state), dtype="<i4")
        self._made = len(packed)
        MEMORY.made[: self._made] = packed
        self._types.count_plainly(delta, state, packet)

    def keep(self, tick: int) -> None:
        """The snapshot made last is that of a tick."""
        ints = self._made
        entry = ticks.find(self._tracker.track, tick)
        # What it held before, if anything, is not what it holds now.
        self._place(entry, 0, 1)
        place = self._place_for(ints)
        self.store.arena[place : place + ints] = MEMORY.made[:ints]
        self._place(entry, place, ints)

    def share(self, tick: int, base_tick: int) -> None:
        """The snapshot of a tick is that of its base."""
        track = self._tracker.track
        base = ticks.find(track, base_tick) if base_tick >= 0 else -1
        at, ints = (track.ticks[base, AT], track.ticks[base, INTS]) if base >= 0 else (0, 1)
        self._place(ticks.find(track, tick), at, ints)

    def pack(self, tick: int) -> bytes:
        """The state as bytes."""
        return self._state(tick).astype("<i4", copy=False).tobytes()

    def player(self, tick: int) -> str:
        """Name of the receiving client."""
        state = self._state(tick)
        at = items.find_own_info(state)
        return name_of(state[at : at + NAME_INTS].tolist()) if at >= 0 else ""

    def purge(self) -> None:
        """Let go of all memory where there is no base left; `find_tail` lets go of what is not used any more."""
        if not self._tracker.bases():
            self._use(ArenaMemory(_SMALLEST_ARENA))
            self.head = self.tail = 1

    def take_over(self, other: BulkRebuilder) -> None:
        """Use the memory of an epoch that has ended."""
        self._arena, self.store = other._arena, other.store

    def reach(self) -> None:
        """Have room for the next states in memory."""
        self._arena.reach(self.head)

    def find_tail(self) -> None:
        """Find out what is free of the arena."""
        oldest = arena_kernels.oldest_state(self._tracker.arrays, self.store.blocks[:0], self.tail)
        if oldest:
            self.tail = oldest
        else:
            self.head = self.tail = 1

    def _place_for(self, ints: int) -> int:
        """Where there is room for a state in the arena, which grows if it must."""
        self.find_tail()
        place, room, other, more = arena_kernels.free_places(self.store.arena, self.head, self.tail)
        if ints <= room:
            self.head = place
        elif ints <= more:
            self.head = other
        else:
            self._grow(ints)
        place = self.head
        self.head += ints
        return place

    def _grow(self, ints: int) -> None:
        """Move the states to another arena, the oldest first, with as much room as they take."""
        epoch = self._tracker.arrays
        entries = np.empty(len(epoch.ticks), dtype=np.int64)
        count, live = arena_kernels.order_states(epoch, self.tail, entries)
        # What is not written yet is not in memory, so there is room at once for as many as are mostly kept; not for a
        # flow that has sent next to nothing, as some systems count what is only asked for.
        wanted = min((KEPT_STATES if count >= _GOES_ON else _GOES_ON) * ints, _LARGEST_GUESS)
        larger = ArenaMemory(max(_SMALLEST_ARENA, 2 * (1 + live + ints), wanted))
        self.head = arena_kernels.move_states(epoch, entries, count, self.store.arena, larger.array)
        self.tail = 1
        self._use(larger)

    def _use(self, arena: ArenaMemory) -> None:
        self._arena = arena
        self.store = _make_store(self.store.parts, arena.array, self.store.blocks)

    def blocks(self, count: int) -> list[tuple[int, bytes]]:
        """The first of the store's blocks as bytes, with their local numbers."""
        arena = self.store.arena
        return [
            (local, arena[at : at + ints].astype("<i4", copy=False).tobytes())
            for local, at, ints in self.store.blocks[:count].tolist()
        ]

    def _place(self, entry: int, at: int, ints: int) -> None:
        track = self._tracker.track
        track.ticks[entry, AT], track.ticks[entry, INTS] = at, ints

    def _crc(self, tick: int) -> int:
        track = self._tracker.track
        return track.ticks[ticks.find(track, tick), CRC] if tick >= 0 else 0

    def _state(self, tick: int) -> NDArray[np.int32]:
        if tick < 0:
            return self.store.arena[:1]
        track = self._tracker.track
        entry = ticks.find(track, tick)
        return self.store.arena[track.ticks[entry, AT] : track.ticks[entry, AT] + track.ticks[entry, INTS]]


def _make_store(parts: NDArray[np.uint8], arena: NDArray[np.int32], blocks: Ints) -> flow.Store:
    view = parts.view()
    view.flags.writeable = False
    return flow.Store(parts, view, arena, blocks)
