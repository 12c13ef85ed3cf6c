"""Rows and their links; how messages lead to them is test_epoch's."""

from __future__ import annotations

from analyzer.protocols.teeworlds.codes import CODE_NUMBERS, CODES
from analyzer.protocols.teeworlds.outcomes import Outcomes, set_code
from analyzer.snapshots.causes import MAX_WAITING
from analyzer.snapshots.status import LostBy, Status
from analyzer.snapshots.tracking import ticks
from analyzer.snapshots.tracking.columns import (
    AWAITED,
    CAUSE,
    FAILED,
    FAILURES,
    LOCAL,
    REPEATED,
    RETENTION_TICKS,
    WHILE_OPEN,
)
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.rows import Rows, SnapshotRow
from tests.row_views import amended


class Kept:
    """Outcomes with their rows."""

    def __init__(self) -> None:
        self.rows = Rows(0, 0)
        self.tracker = Tracker()
        self.outcomes = Outcomes(self.rows, self.tracker)

    def row(self, tick: int) -> SnapshotRow:
        return SnapshotRow(0, tick, tick - 2, 0, 0, Status.OK, CODE_NUMBERS["OK"], 1)

    def flags(self, tick: int) -> int:
        return ticks.flags_of(self.tracker.track, tick)

    @property
    def failures(self) -> int:
        """Failed ticks that are kept beside the track, as the track has it."""
        return self.tracker.numbers[FAILURES]

    def links(self) -> list[tuple[int, str, int, LostBy]]:
        """Tick, code, cause and loser of every row."""
        return [(row.tick, CODES[row.code].name, row.cause, row.lost_by) for row in amended(self.rows)]


def test_a_code_brings_its_status() -> None:
    row = Kept().row(100)
    set_code(row, "D4")
    assert (row.code, row.status) == (CODE_NUMBERS["D4"], Status.MALFORMED)


def test_a_failure_is_known_by_its_tick() -> None:
    kept = Kept()
    assert kept.outcomes.fail(kept.row(100), "B3", lost_by=LostBy.CAPTURE) == 0
    cause = kept.outcomes.cause_of(100)
    assert cause is not None
    assert kept.outcomes.fail_through(kept.row(102), cause) == 1
    assert kept.outcomes.cause_of(102) is cause
    assert kept.links() == [(100, "B3", -1, LostBy.CAPTURE), (102, "B2", 0, LostBy.CAPTURE)]
    assert (kept.flags(100), kept.flags(102), kept.failures) == (FAILED, FAILED, 2)
    assert kept.outcomes.cause_of(104) is None


def test_a_failure_with_a_cause_of_its_own_is_marked() -> None:
    kept = Kept()
    kept.outcomes.fail(kept.row(100), "P1")
    assert kept.flags(100) == FAILED | CAUSE


def test_a_failed_tick_that_is_rebuilt_did_not_fail() -> None:
    kept = Kept()
    kept.outcomes.fail(kept.row(100), "P1")
    kept.outcomes.rebuilt(kept.row(100))
    ticks.put_base(kept.tracker.track, 100, 1, 0, 0, True, 0, 0)
    assert kept.outcomes.cause_of(100) is None
    assert (kept.flags(100) & FAILED, kept.failures) == (0, 0)
    assert kept.tracker.track.ticks[ticks.find(kept.tracker.track, 100), LOCAL] == 1


def test_failures_older_than_the_retention_are_forgotten() -> None:
    kept = Kept()
    for tick in (98, 100):
        kept.outcomes.fail(kept.row(tick), "P1")
    ticks.see(kept.tracker.track, 99 + RETENTION_TICKS)
    kept.outcomes.purge()
    assert kept.outcomes.cause_of(98) is None
    assert kept.outcomes.cause_of(100) is not None
    assert kept.failures == 1


def test_a_rest_forgets_failures_but_not_who_waits_for_an_open_one() -> None:
    kept = Kept()
    kept.outcomes.fail(kept.row(100), "P1")
    open_cause = kept.outcomes.of_open(102)
    kept.outcomes.forget()
    assert (kept.outcomes.cause_of(100), kept.failures) == (None, 0)
    assert kept.outcomes.of_open(102) is open_cause


def test_a_tick_is_marked_while_something_waits_for_it() -> None:
    kept = Kept()
    kept.outcomes.repeat(kept.row(100))
    assert kept.flags(100) == REPEATED
    kept.outcomes.of_open(100)
    assert kept.flags(100) == REPEATED | AWAITED
    kept.outcomes.rebuilt(kept.row(100))
    assert kept.flags(100) & WHILE_OPEN == 0


def test_a_wrong_snapshot_that_came_whole_is_the_games() -> None:
    kept = Kept()
    kept.outcomes.fail(kept.row(100), "C1", whole=True)
    kept.outcomes.fail(kept.row(102), "P1")
    assert kept.links() == [(100, "C1", -1, LostBy.GAME), (102, "P1", -1, LostBy.UNKNOWN)]


def test_a_chain_of_open_ones_ends_at_the_first() -> None:
    kept = Kept()
    kept.outcomes.fail_through(kept.row(104), kept.outcomes.of_open(102))
    kept.outcomes.fail_through(kept.row(102), kept.outcomes.of_open(100))
    cause = kept.outcomes.cause_of(104)
    assert cause is kept.outcomes.of_open(100)
    kept.outcomes.fail(kept.row(100), "B4", lost_by=LostBy.LIMIT)
    assert kept.links() == [
        (104, "B2", 2, LostBy.LIMIT),
        (102, "B2", 2, LostBy.LIMIT),
        (100, "B4", -1, LostBy.LIMIT),
    ]


def test_an_open_one_that_is_rebuilt_lost_nothing() -> None:
    kept = Kept()
    kept.outcomes.fail_through(kept.row(102), kept.outcomes.of_open(100))
    assert kept.outcomes.rebuilt(kept.row(100)) == 1
    assert kept.links() == [(102, "B2", 1, LostBy.NOBODY), (100, "OK", -1, LostBy.NOBODY)]


def test_repetitions_follow_their_tick() -> None:
    kept = Kept()
    for _ in range(MAX_WAITING + 5):
        kept.outcomes.repeat(kept.row(100))
    local = kept.outcomes.rebuilt(kept.row(100))
    assert [cause for _, _, cause, _ in kept.links()] == [local] * MAX_WAITING + [-1] * 6
