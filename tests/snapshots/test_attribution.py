"""Who had a snapshot and who lost it, from acknowledgements in any order."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.snapshots.attribution import Attribution
from analyzer.snapshots.causes import Cause
from analyzer.snapshots.status import ClientHas, LostBy, Status
from analyzer.snapshots.tracking import ticks
from analyzer.snapshots.tracking.columns import CAUSES, RETENTION_TICKS
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.rows import Rows, SnapshotRow
from tests.row_views import amended, amendments

INPUT_PACKET = 1000
"""The INPUT for tick t lies in packet 1000 + t."""


class Scene:
    """One epoch: rows that are settled as a reading does it, and their standing with all amendments carried out."""

    def __init__(self, *rebuilt: int) -> None:
        self.rows = Rows(0, 0)
        self.tracker = Tracker()
        self.attribution = Attribution(self.rows, self.tracker)
        self.causes: dict[int, Cause] = {}
        for tick in rebuilt:
            self._rebuild(tick)

    def good(self, tick: int) -> int:
        """A rebuilt snapshot."""
        self._rebuild(tick)
        return self._add(tick, None, whole=False)

    def incomplete(self, tick: int) -> int:
        """A snapshot with parts missing."""
        return self._add(tick, Cause(), whole=False)

    def wrong(self, tick: int) -> int:
        """A snapshot that arrived whole and has a wrong checksum."""
        return self._add(tick, Cause(), whole=True)

    def follower(self, tick: int, root: int) -> int:
        """A snapshot based on the failed row `root`: it waits for what becomes of that cause."""
        local = self._add(tick, None, whole=False, lost_by=self.causes[root].lost_by)
        self.causes[root].wait(local)
        return local

    def ack(self, *acknowledged: int) -> None:
        for tick in acknowledged:
            self.tracker.make_room()
            self.attribution.acknowledge(tick, INPUT_PACKET + tick)

    def refer(self, *base_ticks: int) -> None:
        """The server bases a snapshot on each."""
        for tick in base_ticks:
            self.tracker.make_room()
            self.attribution.refer(tick, tick + 4)

    def purge(self, newest: int) -> None:
        """What is older than the retention goes, as an epoch lets it."""
        ticks.see(self.tracker.track, newest)
        self.attribution.purge()
        self.tracker.purge()

    def rest(self) -> None:
        """Everything goes, as an epoch lets it."""
        self.attribution.forget()
        self.tracker.rest()

    def standing(self, local: int) -> tuple[ClientHas, int, LostBy]:
        """client_has, acked_packet and lost_by of a row."""
        row = amended(self.rows)[local]
        return row.client_has, row.acked_packet, row.lost_by

    def lost_by(self, local: int) -> LostBy:
        return self.standing(local)[2]

    def _add(self, tick: int, cause: Cause | None, *, whole: bool, lost_by: LostBy = LostBy.NOBODY) -> int:
        self.tracker.make_room()
        row = SnapshotRow(0, tick, -1, tick, 0, Status.OK, 0, 1, lost_by=lost_by)
        self.attribution.settle(row, cause, whole=whole)
        local = self.rows.snapshot(row)
        if cause is not None:
            cause.local = local
            self.causes[local] = cause
        return local

    def _rebuild(self, tick: int) -> None:
        self.tracker.make_room()
        ticks.put_base(self.tracker.track, tick, self.rows.next_snapshot, 0, 0, True, 0, 0)


NEVER = (ClientHas.NEVER, -1, LostBy.NOBODY)


def test_a_good_snapshot_is_acknowledged() -> None:
    scene = Scene()
    first, second, third = scene.good(10), scene.good(12), scene.good(14)
    scene.ack(12)
    assert scene.standing(first) == (ClientHas.LATER, -1, LostBy.NOBODY)
    assert scene.standing(second) == (ClientHas.ACKED, INPUT_PACKET + 12, LostBy.NOBODY)
    assert scene.standing(third) == NEVER


def test_the_first_acknowledgement_counts() -> None:
    scene = Scene()
    row = scene.good(10)
    scene.ack(10)
    scene.attribution.acknowledge(10, 9999)
    assert scene.standing(row) == (ClientHas.ACKED, INPUT_PACKET + 10, LostBy.NOBODY)


def test_rows_that_come_after_their_acknowledgement() -> None:
    """The two directions of a capture may be out of step."""
    scene = Scene(12)
    scene.ack(12)
    assert scene.standing(scene.good(12)) == (ClientHas.ACKED, INPUT_PACKET + 12, LostBy.NOBODY)
    assert scene.standing(scene.good(10)) == (ClientHas.LATER, -1, LostBy.NOBODY)
    assert scene.standing(scene.good(14)) == NEVER
    assert scene.standing(scene.incomplete(10)) == (ClientHas.LATER, -1, LostBy.NETWORK)
    assert scene.standing(scene.incomplete(12)) == (ClientHas.ACKED, INPUT_PACKET + 12, LostBy.CAPTURE)
    assert scene.standing(scene.incomplete(14)) == (ClientHas.NEVER, -1, LostBy.UNKNOWN)
    assert scene.standing(scene.wrong(12)) == (ClientHas.ACKED, INPUT_PACKET + 12, LostBy.CAPTURE)
    assert scene.standing(scene.wrong(10)) == (ClientHas.LATER, -1, LostBy.GAME)


def test_an_acknowledged_incomplete_one_was_lost_by_the_capture() -> None:
    scene = Scene()
    row = scene.incomplete(10)
    assert scene.standing(row) == (ClientHas.NEVER, -1, LostBy.UNKNOWN)
    scene.ack(10)
    assert scene.standing(row) == (ClientHas.ACKED, INPUT_PACKET + 10, LostBy.CAPTURE)


def test_use_as_a_base_stands_for_an_acknowledgement() -> None:
    scene = Scene()
    before = scene.incomplete(10)
    scene.refer(10, 10, 12)
    assert scene.standing(before) == (ClientHas.NEVER, -1, LostBy.CAPTURE)
    assert scene.lost_by(scene.incomplete(12)) is LostBy.CAPTURE


def test_the_client_went_on_without_it() -> None:
    scene = Scene()
    row = scene.incomplete(10)
    scene.good(12)
    scene.ack(12)
    assert scene.standing(row) == (ClientHas.LATER, -1, LostBy.NETWORK)


def test_a_hole_in_the_capture() -> None:
    """The next tick that the client acknowledged is not in the capture either."""
    scene = Scene()
    row = scene.incomplete(10)
    scene.ack(12)
    assert scene.standing(row) == (ClientHas.LATER, -1, LostBy.CAPTURE)
    scene.good(14)
    scene.ack(14)
    assert scene.lost_by(row) is LostBy.CAPTURE


def test_acknowledgements_of_older_ticks_say_nothing_of_newer_ones() -> None:
    scene = Scene()
    scene.good(8)
    row = scene.incomplete(10)
    scene.ack(8)
    assert scene.standing(row) == (ClientHas.NEVER, -1, LostBy.UNKNOWN)


@pytest.mark.parametrize("order", list(permutations((8, 12, 14, 16))))
def test_reordered_inputs_tell_the_same(order: tuple[int, ...]) -> None:
    """Tick 12 was never seen; it is the next after 10, whatever INPUT comes first."""
    scene = Scene()
    scene.good(8)
    hole, after = scene.incomplete(10), scene.incomplete(13)
    scene.good(14)
    newest = scene.incomplete(15)
    scene.good(16)
    scene.ack(*order)
    assert scene.standing(hole) == (ClientHas.LATER, -1, LostBy.CAPTURE)
    assert scene.standing(after) == (ClientHas.LATER, -1, LostBy.NETWORK)
    assert scene.standing(newest) == (ClientHas.LATER, -1, LostBy.NETWORK)


@given(st.permutations(range(8)), st.sets(st.integers(0, 7)), st.sets(st.integers(0, 7)), st.sets(st.integers(0, 7)))
def test_the_order_of_inputs_does_not_matter(
    order: list[int], acked: set[int], seen: set[int], failed: set[int]
) -> None:
    scene, ordered = Scene(), Scene()
    rows = []
    for tick in sorted(seen | failed):
        for one in (scene, ordered):
            local = one.incomplete(tick) if tick in failed else one.good(tick)
        rows.append(local)
    scene.ack(*(tick for tick in order if tick in acked))
    ordered.ack(*sorted(acked))
    assert [scene.standing(row) for row in rows] == [ordered.standing(row) for row in rows]


def test_a_wrong_snapshot_is_the_games_fault_unless_acknowledged() -> None:
    scene = Scene()
    row, other = scene.wrong(10), scene.wrong(11)
    assert scene.lost_by(row) is LostBy.GAME
    scene.good(12)
    scene.ack(12)
    assert scene.standing(row) == (ClientHas.LATER, -1, LostBy.GAME)
    scene.ack(10)
    assert scene.standing(row) == (ClientHas.ACKED, INPUT_PACKET + 10, LostBy.CAPTURE)
    assert scene.lost_by(other) is LostBy.GAME


def test_rows_that_follow_a_cause_change_with_it() -> None:
    scene = Scene()
    root = scene.incomplete(10)
    follower = scene.follower(14, root)
    assert scene.lost_by(follower) is LostBy.UNKNOWN
    scene.ack(10)
    assert scene.lost_by(root) is LostBy.CAPTURE
    assert scene.lost_by(follower) is LostBy.CAPTURE


def test_the_last_row_of_a_tick_counts() -> None:
    """A reading adds one; a second one is possible where an exception of ours came between."""
    scene = Scene()
    first, second = scene.incomplete(10), scene.good(10)
    scene.ack(10)
    assert scene.standing(second)[:2] == (ClientHas.ACKED, INPUT_PACKET + 10)
    assert scene.lost_by(first) is LostBy.CAPTURE


def test_what_is_older_than_the_retention_keeps_its_standing() -> None:
    scene = Scene()
    old, kept = scene.incomplete(10), scene.incomplete(12)
    follower = scene.follower(14, old)
    scene.refer(8)
    scene.ack(8)
    assert scene.tracker.numbers[CAUSES] == 2
    scene.purge(11 + RETENTION_TICKS)
    assert scene.tracker.numbers[CAUSES] == 1
    scene.ack(10, 12)
    scene.refer(10)
    assert scene.standing(old) == (ClientHas.NEVER, -1, LostBy.UNKNOWN)
    assert scene.lost_by(follower) is LostBy.UNKNOWN
    assert scene.causes[old].settled
    assert scene.standing(kept) == (ClientHas.ACKED, INPUT_PACKET + 12, LostBy.CAPTURE)
    assert not scene.causes[kept].settled


def test_a_good_row_older_than_the_retention_is_forgotten() -> None:
    scene = Scene()
    row = scene.good(10)
    scene.purge(11 + RETENTION_TICKS)
    scene.ack(12)
    assert scene.standing(row) == NEVER


def test_a_rest_leaves_rows_as_they_are() -> None:
    scene = Scene()
    lost, good = scene.incomplete(10), scene.good(12)
    scene.refer(8)
    scene.ack(8)
    before = [scene.standing(row) for row in (lost, good)]
    scene.rest()
    assert scene.tracker.numbers[CAUSES] == 0
    scene.ack(10, 12)
    assert [scene.standing(row) for row in (lost, good)] == before
    assert scene.causes[lost].settled
    after = scene.incomplete(14)
    scene.good(16)
    scene.ack(16)
    assert scene.lost_by(after) is LostBy.NETWORK


def test_nothing_is_amended_twice() -> None:
    scene = Scene()
    scene.incomplete(10)
    scene.good(12)
    scene.ack(12, 12, 14)
    scene.refer(12)
    said = [(local, column) for column, local, _ in amendments(scene.rows)]
    assert len(said) == len(set(said))
