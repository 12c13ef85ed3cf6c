"""The arena that holds the states of an epoch, compiled: what is free, what is oldest, moving on to another one.

See `flow_columns.Store`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.snapshots.tracking import columns as track
from analyzer.snapshots.tracking.columns import Track

Ints = NDArray[np.int64]

BEGIN_AGAIN = 12
"""So many parts of an arena hold what is kept at once, and one is for what comes between two looks for old ones."""


@kernel
def oldest_state(epoch: Track, blocks: Ints, tail: int) -> int:
    """Where the oldest state in the arena is, 0 if there is none; `tail` is where the oldest one was.

    `blocks`, shape (n, 3), are states that are still to be stored, whether they can be a base any more or not.
    """
    before, behind = 0, 0
    for entry in range(epoch.numbers[track.N_TICKS]):
        at = epoch.ticks[entry, track.AT]
        if epoch.ticks[entry, track.LOCAL] < 0 or at == 0:
            continue
        # What stands before the tail was added later, when the arena began again.
        if at >= tail:
            behind = at if behind == 0 else min(at, behind)
        else:
            before = at if before == 0 else min(at, before)
    for number in range(len(blocks)):
        at = blocks[number, 1]
        # The empty state, at 0, takes no room.
        if at >= tail:
            behind = at if behind == 0 else min(at, behind)
        elif at:
            before = at if before == 0 else min(at, before)
    return behind if behind else before


@kernel
def free_places(arena: NDArray[np.int32], head: int, tail: int) -> tuple[int, int, int, int]:
    """Two places in the arena where a state may go, the better one first, each with how many ints are free from there.

    Head and tail are the same in an empty one only.
    """
    if head < tail:
        return head, tail - head - 1, head, 0
    behind, before = len(arena) - head, max(tail - 2, 0)
    # What was never written is not in memory, so it begins again as soon as the states to come have room there until
    # others have become too old.
    if before >= len(arena) // BEGIN_AGAIN:
        return 1, before, head, behind
    return head, behind, 1, before


@kernel
def order_states(epoch: Track, tail: int, entries: Ints) -> tuple[int, int]:
    """The bases whose states are in the arena into `entries`, the oldest state first; `tail` is where that is.

    Returns how many there are, and their ints. `entries` has room for all ticks.
    """
    count, ints = 0, 0
    for entry in range(epoch.numbers[track.N_TICKS]):
        at = epoch.ticks[entry, track.AT]
        if epoch.ticks[entry, track.LOCAL] < 0 or at == 0:
            continue
        # They mostly stand in the order in which they were added.
        place = count
        while place > 0 and _is_older(at, epoch.ticks[entries[place - 1], track.AT], tail):
            entries[place] = entries[place - 1]
            place -= 1
        entries[place] = entry
        count += 1
        ints += epoch.ticks[entry, track.INTS]
    return count, ints


@kernel
def _is_older(at: int, other: int, tail: int) -> bool:
    if (at < tail) != (other < tail):
        return at >= tail
    return at < other


@kernel
def move_states(epoch: Track, entries: Ints, count: int, old: NDArray[np.int32], new: NDArray[np.int32]) -> int:
    """Copy the states of the first `count` entries to another arena, one behind the other; returns where they end.

    Ticks that share a state, which stand side by side, go on to share it.
    """
    used, last, moved = 1, 0, 0
    for number in range(count):
        entry = entries[number]
        at, ints = epoch.ticks[entry, track.AT], epoch.ticks[entry, track.INTS]
        if at != last:
            last, moved = at, used
            for step in range(ints):
                new[np.uint64(used + step)] = old[np.uint64(at + step)]
            used += ints
        epoch.ticks[entry, track.AT] = moved
    return used
