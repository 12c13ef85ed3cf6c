"""Rows of short tables that were amended or added."""

from __future__ import annotations

from analyzer.stats.watched import Watched
from tests.stats.hand_made import tables


def test_new_and_amended_rows_are_told_once() -> None:
    made = tables()
    watched = Watched(made.sessions, ("player", "last_packet"))
    assert watched.changed().tolist() == [0, 1, 2]
    assert watched.changed().tolist() == []
    made.sessions.amend("player", [2], ["a"])
    made.sessions.amend("last_packet", [0, 1], [4, 3])
    made.sessions.amend("map", [1], ["dm2"])
    assert watched.changed().tolist() == [0, 2]
    made.sessions.append({"reading": [1], "number": [1], "dialect": [""], "facts": [None], "first_packet": [0]}, 1)
    assert watched.changed().tolist() == []
    made.publish()
    assert watched.changed().tolist() == [3]
