"""Losses of the capture stand in time, those that touch each other as one."""

from __future__ import annotations

from analyzer.stats.losses import CaptureLoss, losses
from analyzer.stats.strip import Window, strip_of
from analyzer.stats.timeline import Timeline
from analyzer.store.tables import Tables
from tests.stats.hand_made import START_NS, tables

S = 1_000_000_000


def add_losses(made: Tables) -> None:
    begins, ends = [2, 0, 1, 7, 20], [3, 1, 2, 8, 30]
    made.drops.append(
        {
            "since": [0] * 5,
            "frame": [1] * 5,
            "interface": [0, 0, 1, 0, 0],
            "lost": [5, 1, 2, 9, 4],
            "packet": [1] * 5,
            "begin_ns": [START_NS + second * S for second in begins],
            "end_ns": [START_NS + second * S for second in ends],
            "vague": [False] * 4 + [True],
        },
        5,
    )
    made.publish()


def test_what_touches_is_one() -> None:
    made = tables()
    add_losses(made)
    near, far, vague = (
        CaptureLoss(0, 3 * S, 8, False),
        CaptureLoss(7 * S, 8 * S, 9, False),
        CaptureLoss(20 * S, 30 * S, 4, True),
    )
    assert losses(made, 0, 100 * S) == [near, far, vague]
    assert losses(made, 3 * S + 1, 7 * S) == []
    assert losses(made, 8 * S, 20 * S + 1) == [far, vague]
    assert losses(Tables(), 0, 1) == []


def test_columns() -> None:
    made = tables()
    timeline = Timeline(made)
    assert timeline.update()
    add_losses(made)
    assert timeline.update(), "there is something to draw"
    assert not timeline.update()
    lost = strip_of(timeline, [], Window(0, 40 * S, 40)).lost
    assert [column for column, is_lost in enumerate(lost.tolist()) if is_lost] == [0, 1, 2, 3, 7, 8, *range(20, 31)]
    assert strip_of(timeline, [], Window(S, 2 * S, 3)).lost.tolist() == [True] * 3
