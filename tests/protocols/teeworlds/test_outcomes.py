"""Rows and their links; how messages lead to them is test_epoch's."""

from __future__ import annotations

from analyzer.protocols.teeworlds.codes import CODE_NUMBERS, CODES
from analyzer.protocols.teeworlds.outcomes import Outcomes, set_code
from analyzer.protocols.teeworlds.state import State
from analyzer.snapshots.bases import MAX_WAITING, Bases
from analyzer.snapshots.status import LostBy, Status
from analyzer.store.rows import Rows, SnapshotRow
from tests.row_views import amended


class Kept:
    """Outcomes with their rows."""

    def __init__(self) -> None:
        self.rows = Rows(0, 0)
        self.bases: Bases[State] = Bases()
        self.outcomes = Outcomes(self.rows, self.bases)

    def row(self, tick: int) -> SnapshotRow:
        return SnapshotRow(0, tick, tick - 2, 0, 0, Status.OK, CODE_NUMBERS["OK"], 1)

    def links(self) -> list[tuple[int, str, int, LostBy]]:
        """Tick, code, cause and loser of every row."""
        return [(row.tick, CODES[row.code].name, row.cause, row.lost_by) for row in amended(self.rows)]


def test_a_code_brings_its_status() -> None:
    row = Kept().row(100)
    set_code(row, "D4")
    assert (row.code, row.status) == (CODE_NUMBERS["D4"], Status.MALFORMED)


def test_a_failure_is_known_to_the_bases() -> None:
    kept = Kept()
    assert kept.outcomes.fail(kept.row(100), "B3", lost_by=LostBy.CAPTURE) == 0
    cause = kept.bases.cause_of(100)
    assert cause is not None
    assert kept.outcomes.fail_through(kept.row(102), cause) == 1
    assert kept.bases.cause_of(102) is cause
    assert kept.links() == [(100, "B3", -1, LostBy.CAPTURE), (102, "B2", 0, LostBy.CAPTURE)]


def test_a_wrong_snapshot_that_came_whole_is_the_games() -> None:
    kept = Kept()
    kept.outcomes.fail(kept.row(100), "C1", whole=True)
    kept.outcomes.fail(kept.row(102), "P1")
    assert kept.links() == [(100, "C1", -1, LostBy.GAME), (102, "P1", -1, LostBy.UNKNOWN)]


def test_a_chain_of_open_ones_ends_at_the_first() -> None:
    kept = Kept()
    kept.outcomes.fail_through(kept.row(104), kept.outcomes.of_open(102))
    kept.outcomes.fail_through(kept.row(102), kept.outcomes.of_open(100))
    cause = kept.bases.cause_of(104)
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
