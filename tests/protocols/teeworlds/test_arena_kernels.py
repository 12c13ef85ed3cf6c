"""Room in the arena of states; that snapshots are made as by plain reading is test_flow_kernels's matter."""

from __future__ import annotations

from collections import deque

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.arena_kernels import free_places, oldest_state
from analyzer.snapshots.tracking import ticks
from analyzer.snapshots.tracking.columns import AT, INTS
from analyzer.snapshots.tracking.tracker import Tracker

ROOM = 60
NO_BLOCKS = np.empty((0, 3), dtype=np.int64)


@given(st.lists(st.tuples(st.integers(1, 25), st.integers(0, 4)), max_size=60))
def test_states_never_overlap(steps: list[tuple[int, int]]) -> None:
    """Each step lets some of the oldest states go and adds one, as the rebuilder does it."""
    tracker, arena = Tracker(), np.zeros(ROOM, dtype=np.int32)
    alive: deque[int] = deque()
    head = tail = 1
    for tick, (ints, gone) in enumerate(steps):
        for _ in range(min(gone, len(alive))):
            ticks.drop_base(tracker.track, ticks.find(tracker.track, alive.popleft()))
        oldest = oldest_state(tracker.arrays, NO_BLOCKS, tail)
        head, tail = (head, oldest) if oldest else (1, 1)
        place, room, other, more = free_places(arena, head, tail)
        if ints > room:
            place = other
            if ints > more:
                continue
        head = place + ints
        tracker.make_room()
        entry = ticks.put_base(tracker.track, tick, tick, 8, 0, proved=True, crc=0, items=0)
        tracker.track.ticks[entry, AT], tracker.track.ticks[entry, INTS] = place, ints
        alive.append(tick)
        taken = [0]
        for entry in tracker.bases().values():
            at = tracker.track.ticks[entry, AT]
            taken.extend(range(at, at + tracker.track.ticks[entry, INTS]))
        assert len(taken) == len(set(taken))
        assert max(taken) < ROOM


def test_an_empty_arena_is_free_but_for_the_empty_state() -> None:
    assert oldest_state(Tracker().arrays, NO_BLOCKS, 30) == 0
    assert free_places(np.zeros(ROOM, dtype=np.int32), 1, 1)[:2] == (1, ROOM - 1)


def test_the_beginning_comes_first_once_it_is_free() -> None:
    """What was never written is not in memory."""
    arena = np.zeros(ROOM, dtype=np.int32)
    assert free_places(arena, 30, 4) == (30, ROOM - 30, 1, 2)
    assert free_places(arena, 30, 10) == (1, 8, 30, ROOM - 30)


def test_what_waits_to_be_stored_is_not_free() -> None:
    blocks = np.array([[0, 0, 1], [1, 9, 4], [2, 40, 4]])
    assert oldest_state(Tracker().arrays, blocks, 30) == 40
    assert oldest_state(Tracker().arrays, blocks, 9) == 9
    assert oldest_state(Tracker().arrays, blocks[:2], 30) == 9
    assert oldest_state(Tracker().arrays, blocks[:1], 30) == 0
