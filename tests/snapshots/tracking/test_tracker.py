"""The arrays of an epoch: they grow without losing anything, and memory for bases is bounded."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analyzer.snapshots.tracking import acks, parts, ticks
from analyzer.snapshots.tracking.columns import (
    BYTES,
    FLOOR,
    MAX_OPEN,
    MAX_PARTS,
    N_ACKS,
    N_DONE,
    N_TICKS,
    N_UNPASSED,
    TICK,
)
from analyzer.snapshots.tracking.tracker import MAX_STORE_BYTES, Tracker
from analyzer.store.row_columns import N_AMENDMENTS
from analyzer.store.rows import PartRow

NEWEST = 10_000
THIRD = MAX_STORE_BYTES // 3


def with_bases(*sizes: int) -> Tracker:
    """Two ticks apart, up to the newest."""
    tracker = Tracker()
    for number, size in enumerate(sizes):
        tick = NEWEST - 2 * (len(sizes) - 1 - number)
        ticks.see(tracker.track, tick)
        ticks.put_base(tracker.track, tick, number, size, 0, True, 0, 0)
    return tracker


def test_arrays_and_views_are_the_same_memory() -> None:
    tracker = Tracker()
    tracker.track.numbers[0] = 77
    tracker.arrays.ticks[3, TICK] = 78
    assert tracker.arrays.numbers[0] == tracker.numbers[0] == 77
    assert tracker.track.ticks[3, TICK] == 78
    assert all(np.asarray(array).dtype == np.int64 for array in tracker.arrays)


def test_memory_is_bounded_by_dropping_the_oldest() -> None:
    tracker = with_bases(*[THIRD] * 4)
    tracker.purge()
    assert list(tracker.bases()) == [NEWEST - 4, NEWEST - 2, NEWEST]
    assert (tracker.numbers[BYTES], tracker.numbers[FLOOR]) == (3 * THIRD, NEWEST - 6)


def test_the_newest_stays_however_large() -> None:
    tracker = with_bases(1, 2 * MAX_STORE_BYTES)
    tracker.purge()
    assert list(tracker.bases()) == [NEWEST]


def test_a_tick_put_again_is_counted_once() -> None:
    tracker = with_bases(1, THIRD)
    for _ in range(5):
        ticks.put_base(tracker.track, NEWEST - 2, 0, THIRD, 0, True, 0, 0)
    tracker.purge()
    assert list(tracker.bases()) == [NEWEST - 2, NEWEST]


def test_after_a_rest_there_is_room_for_as_much() -> None:
    tracker = with_bases(*[THIRD] * 3)
    tracker.rest()
    for tick in range(NEWEST + 2, NEWEST + 8, 2):
        ticks.see(tracker.track, tick)
        ticks.put_base(tracker.track, tick, 0, THIRD, 0, True, 0, 0)
    tracker.purge()
    assert list(tracker.bases()) == [NEWEST + 2, NEWEST + 4, NEWEST + 6]


def test_collectors_by_tick_and_what_they_received() -> None:
    tracker = Tracker()
    track = tracker.track
    opened = {tick: parts.open_collector(track, tick) for tick in (10, 4, 8)}
    assert tracker.open_collectors() == [opened[4], opened[8], opened[10]]
    parts.agree(track, opened[8], 6, 3, 0, 0, False)
    parts.hold(track, opened[8], 2, 40, 1, 5, 100, 9)
    parts.hold(track, opened[8], 0, 41, 0, 5, 100, 9)
    assert tracker.received(opened[8]) == (PartRow(41, 0, 0), PartRow(40, 1, 2))
    parts.close_collector(track, opened[4])
    assert tracker.open_collectors() == [opened[8], opened[10]]


@given(st.lists(st.tuples(st.integers(0, 1200), st.integers(1, MAX_PARTS)), min_size=30, max_size=120))
def test_nothing_is_lost_when_it_grows(steps: list[tuple[int, int]]) -> None:
    """Ticks, acknowledgements, unpassed ticks and parts, against sets and dicts."""
    tracker = Tracker()
    amendments, counts = np.zeros((2000, 3), np.int64), np.zeros(8, np.int64)
    known: set[int] = set()
    acked: set[int] = set()
    unpassed: list[int] = []
    watched: set[int] = set()
    done: dict[int, int] = {}
    for packet, (tick, announced) in enumerate(steps):
        tracker.make_room()
        track = tracker.track
        ticks.see(track, tick)
        known.add(tick)
        if announced % 3 == 0 and tick not in acked:
            counts[N_AMENDMENTS] = 0
            acks.acknowledge(track, tick, packet, amendments.data, counts.data)
            newest = max(acked, default=-1)
            acked.add(tick)
            if tick > newest:
                unpassed = [older for older in unpassed if older > tick]
        elif announced % 3 == 1 and tick not in done:
            collector = parts.open_collector(track, tick)
            parts.agree(track, collector, -1, announced, 0, 0, False)
            for part in range(announced):
                parts.hold(track, collector, part, packet, 0, 1, 1, 1000 + part)
            parts.close_collector(track, collector)
            parts.end(track, collector, packet)
            done[tick] = announced
        elif tick not in watched:
            watched.add(tick)
            acks.watch(track, tick, packet, True)
            if tick > max(acked, default=-1):
                unpassed.append(tick)
    track = tracker.track
    entries = {track.ticks[entry, TICK]: entry for entry in range(track.numbers[N_TICKS])}
    assert set(entries) == known
    assert all(ticks.find(track, tick) == entry for tick, entry in entries.items())
    assert [track.acks[at] for at in range(track.numbers[N_ACKS])] == sorted(acked)
    assert [track.unpassed[at] for at in range(track.numbers[N_UNPASSED])] == unpassed
    assert track.numbers[N_DONE] == sum(done.values())
    for tick, announced in done.items():
        for part in range(announced):
            assert parts.fate(track, tick, part, 1000 + part) == parts.ENDED


def test_it_grows_as_much_as_it_must() -> None:
    tracker = Tracker()
    rooms = set()
    for tick in range(1000):
        tracker.make_room()
        ticks.enter(tracker.track, tick)
        rooms.add(len(tracker.track.ticks))
    assert len(rooms) <= 7
    assert len(tracker.track.ticks) <= 2048
    assert len(tracker.track.collectors) == MAX_OPEN + 1


def test_rest_lets_go_of_room_but_not_of_what_is_open() -> None:
    tracker = Tracker()
    smallest = len(tracker.arrays.ticks)

    def come(first: int) -> None:
        for number, tick in enumerate(range(first, first + 3 * smallest)):
            tracker.make_room()
            ticks.see(tracker.track, tick)
            ticks.put_base(tracker.track, tick, number, 10, 0, True, 0, 0)

    come(0)
    tracker.make_room()
    collector = parts.open_collector(tracker.track, 3 * smallest)
    grown = len(tracker.arrays.ticks)
    assert grown > smallest
    tracker.rest()
    assert len(tracker.arrays.ticks) == smallest
    assert list(tracker.bases()) == []
    assert tracker.open_collectors() == [collector]
    assert ticks.find(tracker.track, 5) < 0 <= ticks.find(tracker.track, 3 * smallest)
    come(4 * smallest)
    assert len(tracker.arrays.ticks) == grown
    assert ticks.find(tracker.track, 3 * smallest) >= 0
    assert list(tracker.bases()) == list(range(4 * smallest, 7 * smallest))
