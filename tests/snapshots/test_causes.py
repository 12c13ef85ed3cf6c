"""Rows that follow the first cause of their chain."""

from __future__ import annotations

from analyzer.snapshots.causes import MAX_WAITING, Cause
from analyzer.snapshots.status import LostBy


def test_rows_wait_for_a_cause_until_it_is_settled() -> None:
    cause = Cause()
    assert (cause.local, cause.lost_by) == (-1, LostBy.UNKNOWN)
    for local in range(MAX_WAITING + 3):
        cause.wait(local)
    assert cause.waiting == list(range(MAX_WAITING))
    cause.settle()
    cause.wait(7)
    assert (cause.waiting, cause.settled) == ([], True)


def test_two_causes_are_never_the_same() -> None:
    assert Cause() != Cause()
