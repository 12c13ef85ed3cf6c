"""Acknowledgements as numbers: what is believed, in which order they stand, and which rows they amend.

What they say of failures, whose causes are objects, is test_attribution's.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.snapshots.tracking import acks, ticks
from analyzer.snapshots.tracking.columns import (
    ACK_PACKET,
    ACK_REBUILT,
    ACKED,
    BELIEVED_ACK,
    CAUSE,
    CAUSES,
    HAS,
    LAST_ACK,
    LATER,
    N_ACKS,
    N_UNPASSED,
    NEVER,
    NEWEST_ACK,
    NONE,
    RETENTION_TICKS,
    WATCHED,
    Track,
)
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.row_columns import AMEND_ACKED_PACKET, AMEND_CLIENT_HAS, N_AMENDMENTS

SEEN = 1000


class Acked:
    """An epoch whose newest tick is SEEN, with what was amended."""

    def __init__(self) -> None:
        self.tracker = Tracker()
        self.track: Track = self.tracker.track
        ticks.see(self.track, SEEN)

    def acknowledge(self, tick: int, packet: int = 7) -> list[tuple[int, int, int]]:
        """Column, row and value of what that amends; there is exactly the room that is promised to suffice."""
        self.tracker.make_room()
        self.track = self.tracker.track
        room = np.full((2 + self.track.numbers[N_UNPASSED], 3), NONE, np.int64)
        counts = np.zeros(8, np.int64)
        acks.acknowledge(self.track, tick, packet, room.data, counts.data)
        return [(column, local, value) for column, local, value in room[: counts[N_AMENDMENTS]].tolist()]

    def watch(self, tick: int, local: int, *, caused: bool = False) -> tuple[int, int]:
        self.tracker.make_room()
        self.track = self.tracker.track
        return acks.watch(self.track, tick, local, caused)

    @property
    def acks(self) -> list[int]:
        return [self.track.acks[at] for at in range(self.track.numbers[N_ACKS])]

    @property
    def unpassed(self) -> list[int]:
        return [self.track.unpassed[at] for at in range(self.track.numbers[N_UNPASSED])]


class TestBelieved:
    @pytest.mark.parametrize(
        ("tick", "believed", "compared"),
        [
            (SEEN, True, True),
            (SEEN + RETENTION_TICKS, True, True),
            (SEEN + RETENTION_TICKS + 1, False, False),
            (SEEN - RETENTION_TICKS, True, True),
            (SEEN - RETENTION_TICKS - 1, True, False),
        ],
    )
    def test_within_the_retention(self, tick: int, believed: bool, compared: bool) -> None:
        track = Acked().track
        assert acks.believe(track, tick) == compared
        assert track.numbers[LAST_ACK] == tick
        assert track.numbers[BELIEVED_ACK] == (tick if believed else NONE)

    def test_none_before_the_first_snapshot(self) -> None:
        track = Tracker().track
        assert not acks.believe(track, 5)
        assert (track.numbers[LAST_ACK], track.numbers[BELIEVED_ACK]) == (5, NONE)


class TestAcknowledge:
    def test_a_watched_row_is_amended(self) -> None:
        acked = Acked()
        assert acked.watch(900, 3) == (NEVER, NONE)
        assert acked.acknowledge(900, 7) == [(AMEND_CLIENT_HAS, 3, ACKED), (AMEND_ACKED_PACKET, 3, 7)]
        entry = ticks.find(acked.track, 900)
        assert [acked.track.ticks[entry, column] for column in (ACK_PACKET, ACK_REBUILT, HAS)] == [7, 0, ACKED]
        assert acked.unpassed == []

    def test_older_ones_are_passed_once(self) -> None:
        acked = Acked()
        for local, tick in enumerate((900, 902, 904)):
            acked.watch(tick, local)
        assert acked.acknowledge(903) == [(AMEND_CLIENT_HAS, 0, LATER), (AMEND_CLIENT_HAS, 1, LATER)]
        assert acked.unpassed == [904]
        assert acked.acknowledge(901) == []
        assert acked.acknowledge(905) == [(AMEND_CLIENT_HAS, 2, LATER)]
        assert acked.track.numbers[NEWEST_ACK] == 905

    def test_was_it_a_base(self) -> None:
        acked = Acked()
        ticks.put_base(acked.track, 900, 0, 10, 0, True, 0, 0)
        acked.acknowledge(900)
        assert acked.track.ticks[ticks.find(acked.track, 900), ACK_REBUILT] == 1

    def test_a_row_behind_its_acknowledgement(self) -> None:
        acked = Acked()
        acked.acknowledge(900, 7)
        assert acked.watch(900, 3) == (ACKED, 7)
        assert acked.track.ticks[ticks.find(acked.track, 900), WATCHED] == NONE
        assert acked.watch(898, 4) == (LATER, NONE)
        assert acked.watch(902, 5) == (NEVER, NONE)
        assert acked.unpassed == [902]
        assert acked.watch(900, 6, caused=True) == (ACKED, 7)
        assert acked.track.ticks[ticks.find(acked.track, 900), WATCHED] == 6
        assert ticks.flags_of(acked.track, 900) == CAUSE

    @given(st.lists(st.integers(600, 1400), unique=True, max_size=80), st.lists(st.integers(600, 1400), unique=True))
    def test_as_sets(self, acknowledged: list[int], watched: list[int]) -> None:
        """In any order they stand ascending; a row is amended for itself once, and once for what came later."""
        acked = Acked()
        said: dict[int, list[int]] = {tick: [] for tick in watched}
        for tick in watched:
            acked.watch(tick, tick)
        for packet, tick in enumerate(acknowledged):
            for column, local, value in acked.acknowledge(tick, packet):
                if column == AMEND_CLIENT_HAS:
                    said[local].append(value)
                else:
                    assert (local, value) == (tick, packet)
        assert acked.acks == sorted(acknowledged)
        newest = max(acknowledged, default=NONE)
        assert acked.unpassed == [tick for tick in watched if tick > newest]
        for tick, values in said.items():
            assert values == sorted(set(values))
            assert values[-1:] == ([ACKED] if tick in acknowledged else [LATER] if tick < newest else [])
        for tick in range(590, 1410, 37):
            assert acks.acks_until(acked.track, tick) == sum(known <= tick for known in acknowledged)


class TestCauses:
    def test_without_any_nothing_bears_on_them(self) -> None:
        acked = Acked()
        acked.watch(900, 0, caused=True)
        assert not acks.ack_bears_on_causes(acked.track, 900)

    @pytest.mark.parametrize(
        ("tick", "bears"),
        [(899, False), (900, True), (901, True), (890, True), (889, True), (895, False)],
    )
    def test_what_does(self, tick: int, bears: bool) -> None:
        """The failed tick itself, a newer one that passes it, and whatever is not the newest."""
        acked = Acked()
        acked.watch(893, 0)
        acked.acknowledge(890)
        acked.watch(900, 0, caused=True)
        acked.track.numbers[CAUSES] = 1
        assert acks.ack_bears_on_causes(acked.track, tick) == bears

    def test_one_that_was_passed_already(self) -> None:
        acked = Acked()
        acked.watch(900, 0, caused=True)
        acked.track.numbers[CAUSES] = 1
        acked.acknowledge(910)
        assert not acks.ack_bears_on_causes(acked.track, 912)
        assert acks.ack_bears_on_causes(acked.track, 901)
