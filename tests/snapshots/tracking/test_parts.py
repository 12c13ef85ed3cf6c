"""Parts collected by tick: what a part is, what is missing, what counts, what to give up."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.snapshots.tracking import parts, ticks
from analyzer.snapshots.tracking.columns import (
    C_BASE_TICK,
    C_CRC,
    C_KIND,
    C_LATE,
    C_PARTS,
    C_TICK,
    COLLECTOR,
    DIGEST,
    DONE,
    ENDED,
    ENDED_OTHERWISE,
    GIVEN_UP,
    HELD,
    JOINS,
    MAX_OPEN,
    MAX_PARTS,
    N_DONE,
    N_OPEN,
    NONE,
    OPENS,
    REPLACES,
    RETENTION_TICKS,
    SEEN,
    TOO_LATE,
    Matrix,
)
from analyzer.snapshots.tracking.tracker import Tracker

TICK = 10
OTHER = 2
"""Digest of another content."""


class Collecting:
    """One tick that is being collected."""

    def __init__(self, announced: int = 3) -> None:
        self.tracker = Tracker()
        self.track = self.tracker.track
        self.number = parts.open_collector(self.track, TICK)
        self.agree(8, announced, 1234)

    def agree(self, base_tick: int, announced: int, crc: int) -> None:
        parts.agree(self.track, self.number, base_tick, announced, crc, 0, False)

    def hold(self, part: int, length: int = 1, *, packet: int = 0, wire_bytes: int = 100, digest: int = 1) -> None:
        parts.hold(self.track, self.number, part, packet, 0, length, wire_bytes, digest)

    @property
    def missing(self) -> int:
        return parts.missing(self.track, self.number)

    @property
    def bytes(self) -> tuple[int, int, int]:
        return parts.bytes_of(self.track, self.number)

    @property
    def received(self) -> list[tuple[int, int]]:
        """Number and packet of each."""
        return [(row.number, row.packet) for row in self.tracker.received(self.number)]

    def fate(self, part: int, digest: int = 1) -> int:
        return parts.fate(self.track, TICK, part, digest)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_parts_in_any_order(order: tuple[int, ...]) -> None:
    made = Collecting()
    for place, number in enumerate(order):
        assert made.missing == min(order[place:])
        assert made.fate(number) == JOINS
        made.hold(number, number + 1, packet=place)
        assert made.fate(number) == HELD
    assert made.missing == NONE
    assert [number for number, _ in made.received] == [0, 1, 2]
    assert made.bytes == (3, 6, 300)


def test_datagrams_are_counted_once() -> None:
    made = Collecting()
    made.hold(0, packet=5, wire_bytes=1000)
    made.hold(1, packet=5, wire_bytes=1000)
    made.hold(2, packet=6, wire_bytes=30)
    assert made.bytes == (3, 3, 1030)


def test_a_part_that_comes_again() -> None:
    made = Collecting()
    made.hold(1, 4)
    assert (made.fate(1), made.fate(1, OTHER)) == (HELD, REPLACES)
    made.hold(1, 5, packet=2, digest=OTHER)
    assert made.received == [(1, 2)]
    assert made.bytes == (1, 5, 100)
    assert (made.fate(1), made.fate(1, OTHER)) == (REPLACES, HELD)


def test_an_empty_part_is_there() -> None:
    made = Collecting(1)
    made.hold(0, 0)
    assert made.missing == NONE
    assert made.bytes == (1, 0, 100)


def test_later_fields_count() -> None:
    made = Collecting()
    parts.agree(made.track, made.number, 6, 2, 99, 1, True)
    fields = (C_TICK, C_BASE_TICK, C_PARTS, C_CRC, C_KIND, C_LATE)
    assert [made.track.collectors[made.number, field] for field in fields] == [TICK, 6, 2, 99, 1, 1]


def test_parts_past_the_announced_number_do_not_count() -> None:
    """A later part announced fewer than are held already."""
    made = Collecting()
    made.hold(2, 7, packet=1)
    made.hold(0, 2, packet=2)
    made.agree(8, 2, 1234)
    made.hold(1, 1, packet=3)
    assert made.missing == NONE
    assert made.received == [(0, 2), (1, 3)]
    assert made.bytes == (2, 3, 200)


def test_one_collector_a_tick() -> None:
    made = Collecting()
    second = parts.open_collector(made.track, 4)
    assert second != made.number
    assert [made.track.ticks[ticks.find(made.track, tick), COLLECTOR] for tick in (TICK, 4)] == [made.number, second]
    assert made.track.numbers[N_OPEN] == 2
    parts.close_collector(made.track, made.number)
    assert made.track.ticks[ticks.find(made.track, TICK), COLLECTOR] == NONE
    assert made.tracker.open_collectors() == [second]


def test_a_collector_that_is_used_again_is_empty() -> None:
    made = Collecting()
    for part in range(3):
        made.hold(part)
    parts.close_collector(made.track, made.number)
    again = parts.open_collector(made.track, TICK + 2)
    parts.agree(made.track, again, 8, MAX_PARTS, 0, 0, False)
    assert again == made.number
    assert parts.missing(made.track, again) == 0
    assert parts.bytes_of(made.track, again) == (0, 0, 0)


class TestFate:
    def test_the_first_part_of_a_tick(self) -> None:
        track = Tracker().track
        ticks.see(track, TICK)
        assert parts.fate(track, TICK, 0, 1) == OPENS
        ticks.enter(track, TICK)
        assert parts.fate(track, TICK, 0, 1) == OPENS

    def test_a_tick_that_ended(self) -> None:
        made = Collecting(2)
        made.hold(0)
        made.hold(1, digest=OTHER)
        parts.close_collector(made.track, made.number)
        parts.end(made.track, made.number, 77)
        assert made.track.ticks[ticks.find(made.track, TICK), DONE] == 77
        assert [made.fate(0), made.fate(0, OTHER)] == [ENDED, ENDED_OTHERWISE]
        assert [made.fate(1), made.fate(1, OTHER)] == [ENDED_OTHERWISE, ENDED]
        assert made.fate(2) == ENDED_OTHERWISE

    def test_parts_past_the_announced_number_are_remembered(self) -> None:
        made = Collecting()
        made.hold(2)
        made.hold(0)
        made.agree(8, 1, 0)
        parts.close_collector(made.track, made.number)
        parts.end(made.track, made.number, 0)
        assert [made.fate(0), made.fate(1), made.fate(2)] == [ENDED, ENDED_OTHERWISE, ENDED]
        assert made.track.numbers[N_DONE] == 2

    def test_a_tick_that_was_given_up(self) -> None:
        made = Collecting()
        made.hold(0)
        parts.close_collector(made.track, made.number)
        made.track.ticks[ticks.find(made.track, TICK), GIVEN_UP] = 3
        assert made.fate(0) == TOO_LATE

    def test_a_tick_older_than_what_is_remembered(self) -> None:
        track = Tracker().track
        ticks.see(track, TICK + RETENTION_TICKS)
        assert parts.fate(track, TICK, 0, 1) == OPENS
        assert parts.fate(track, TICK - 1, 0, 1) == TOO_LATE
        ticks.forget(track)
        assert parts.fate(track, TICK + RETENTION_TICKS, 0, 1) == TOO_LATE
        assert parts.fate(track, TICK + RETENTION_TICKS + 1, 0, 1) == OPENS

    def test_a_tick_being_collected_goes_on_after_a_rest(self) -> None:
        made = Collecting()
        made.hold(0)
        ticks.see(made.track, TICK)
        ticks.forget(made.track)
        assert [made.fate(0), made.fate(1), made.fate(0, OTHER)] == [HELD, JOINS, REPLACES]
        assert made.track.parts[made.number, 0, DIGEST] == 1


class TestOverdue:
    @given(st.sets(st.integers(-5, 60), max_size=MAX_OPEN + 1), st.integers(-10, 70))
    def test_the_old_and_the_surplus_lowest_first(self, wanted: set[int], oldest: int) -> None:
        tracker = Tracker()
        track = tracker.track
        for tick in wanted:
            parts.open_collector(track, tick)
        given_up = []
        while (collector := parts.overdue(track, oldest)) != NONE:
            given_up.append(track.collectors[collector, C_TICK])
            parts.close_collector(track, collector)
        ordered = sorted(wanted)
        surplus = ordered[: max(0, len(ordered) - MAX_OPEN)]
        assert given_up == sorted(set(surplus) | {tick for tick in ordered if tick < oldest})
        left = [track.collectors[collector, C_TICK] for collector in tracker.open_collectors()]
        assert left == [tick for tick in ordered if tick not in given_up]

    def test_without_any_open(self) -> None:
        assert parts.overdue(Tracker().track, 100) == NONE


class Counted:
    """The parts of ticks that ended; how many were looked at."""

    def __init__(self, done: Matrix) -> None:
        self.done = done
        self.rows = set[int]()

    def __getitem__(self, place: tuple[int, int]) -> int:
        self.rows.add(place[0])
        return self.done[place]


def test_a_repeated_part_is_compared_with_those_of_its_own_tick() -> None:
    """However many others ended before, and after a purge moved them."""
    tracker = Tracker()
    for tick in range(100, 140):
        tracker.make_room()
        ticks.see(tracker.track, tick)
        collector = parts.open_collector(tracker.track, tick)
        parts.agree(tracker.track, collector, -1, 3, 0, 0, False)
        for part in range(3):
            parts.hold(tracker.track, collector, part, tick, 0, 5, 9, 10 * tick + part)
        parts.close_collector(tracker.track, collector)
        parts.end(tracker.track, collector, tick)
    for oldest in (0, 120):
        tracker.track.numbers[SEEN] = oldest + RETENTION_TICKS
        ticks.purge(tracker.track)
        for tick in range(max(oldest, 100), 140):
            counted = Counted(tracker.track.done)
            track = tracker.track._replace(done=counted)
            assert parts.fate(track, tick, 2, 10 * tick + 2) == ENDED
            assert parts.fate(track, tick, 2, 10 * tick + 1) == ENDED_OTHERWISE
            assert parts.fate(track, tick, 3, 10 * tick + 3) == ENDED_OTHERWISE
            assert len(counted.rows) <= 4
