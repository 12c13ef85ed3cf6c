"""Makes and grows the arrays of one epoch's track, and reads from them what rows need."""

from __future__ import annotations

from secrets import randbits

import numpy as np

from analyzer.snapshots.tracking import ticks
from analyzer.snapshots.tracking.columns import (
    BELIEVED_ACK,
    BYTES,
    C_PARTS,
    C_TICK,
    COLLECTOR_COLUMNS,
    FACTOR,
    FLOOR,
    FORGOTTEN,
    LAST_ACK,
    LENGTH,
    LOCAL,
    LOWEST,
    MAX_OPEN,
    MAX_PARTS,
    N_DONE,
    N_TICKS,
    NEWEST_ACK,
    NONE,
    NUMBERS,
    OPEN,
    ORDINAL,
    PACKET,
    PART_COLUMNS,
    SEEN,
    TICK,
    TICK_COLUMNS,
    Track,
)
from analyzer.store.columns import Ints
from analyzer.store.rows import PartRow

MAX_TICK = 0x7FFFFFFF
MAX_STORE_BYTES = 32 * 1024 * 1024
"""Sum of state_bytes an epoch may hold; hostile traffic reaches it, real traffic stays below a tenth."""
_SMALLEST = 16
"""Ticks there is room for at first: of a flow that sends next to nothing, and soon put into a larger index."""
_GROWN = 2048
"""Ticks there is room for then. A client of ordinary traffic has up to a thousand in ten seconds; what is not written
yet is not in memory."""
_PLACES = Track._fields.index("places")


class Tracker:
    """The arrays of one epoch. Everything of `track.py` may be called with `track`, compiled kernels take `arrays`."""

    def __init__(self) -> None:
        numbers = np.zeros(NUMBERS, np.int64)
        numbers[[SEEN, LAST_ACK, BELIEVED_ACK, NEWEST_ACK, FORGOTTEN, FLOOR]] = NONE
        numbers[LOWEST] = MAX_TICK
        numbers[FACTOR] = randbits(32) | 1
        self._place(
            numbers,
            *_smallest(),
            np.zeros((MAX_OPEN + 1, COLLECTOR_COLUMNS), np.int64),
            np.empty((MAX_OPEN + 1, MAX_PARTS, PART_COLUMNS), np.int64),
        )

    def _place(self, *arrays: Ints) -> None:
        self.arrays = Track(*arrays)
        self.track = Track(*(array.data for array in arrays))
        self.numbers = self.track.numbers

    def make_room(self) -> None:
        """Room for whatever one more message adds."""
        if ticks.has_room(self.track):
            return
        old = self.arrays
        room, done = len(old.ticks), len(old.done)
        if self.numbers[N_TICKS] + 2 > room:
            room = max(2 * room, _GROWN)
        if self.numbers[N_DONE] + MAX_PARTS > done:
            done = max(2 * done, _GROWN)
        lengths = (NUMBERS, room, len(old.places), room, room, done, MAX_OPEN + 1, MAX_OPEN + 1)
        arrays = [_longer(np.asarray(array), length) for array, length in zip(old, lengths, strict=True)]
        if room > len(old.ticks):
            arrays[_PLACES] = np.zeros(2 * room, np.int64)
        self._place(*arrays)
        if room > len(old.ticks):
            ticks.index(self.track)

    def rest(self) -> None:
        """Forget all but what is being collected, and the room that the rest took: nobody may come for it any more."""
        ticks.forget(self.track)
        kept, old = self.numbers[N_TICKS], self.arrays
        if kept + 2 <= _SMALLEST < len(old.ticks):
            rows, *others = _smallest()
            rows[:kept] = np.asarray(old.ticks)[:kept]
            numbers, collectors, collected = (np.asarray(array) for array in (old.numbers, old.collectors, old.parts))
            self._place(numbers, rows, *others, collectors, collected)
            ticks.index(self.track)

    def received(self, collector: int) -> tuple[PartRow, ...]:
        """Rows of the parts that count, by number."""
        parts, announced = self.track.parts, self.track.collectors[collector, C_PARTS]
        return tuple(
            PartRow(parts[collector, part, PACKET], parts[collector, part, ORDINAL], part)
            for part in range(announced)
            if parts[collector, part, LENGTH] >= 0
        )

    def open_collectors(self) -> list[int]:
        """Every open collector, lowest tick first."""
        collectors = self.track.collectors
        found = [number for number in range(MAX_OPEN + 1) if collectors[number, OPEN]]
        return sorted(found, key=lambda number: collectors[number, C_TICK])

    def bases(self) -> dict[int, int]:
        """The ticks of all bases, ascending, with their entries."""
        ticks = self.track.ticks
        entries = (entry for entry in range(self.numbers[N_TICKS]) if ticks[entry, LOCAL] >= 0)
        return dict(sorted((ticks[entry, TICK], entry) for entry in entries))

    def purge(self) -> None:
        """Forget what is older than the retention, and the oldest bases beyond the bound on memory."""
        ticks.purge(self.track)
        if self.numbers[BYTES] > MAX_STORE_BYTES:
            for entry in list(self.bases().values())[:-1]:
                if self.numbers[BYTES] <= MAX_STORE_BYTES:
                    break
                ticks.drop_base(self.track, entry)


def _smallest() -> tuple[Ints, ...]:
    """Ticks, their index, acknowledgements, those that are not passed, and what is done: of an epoch that begins."""
    return (
        np.empty((_SMALLEST, TICK_COLUMNS), np.int64),
        np.zeros(2 * _SMALLEST, np.int64),
        np.empty(_SMALLEST, np.int64),
        np.empty(_SMALLEST, np.int64),
        np.empty((8 * MAX_PARTS, 3), np.int64),
    )


def _longer(array: Ints, length: int) -> Ints:
    if len(array) == length:
        return array
    longer = np.zeros((length, *array.shape[1:]), np.int64)
    longer[: len(array)] = array
    return longer
