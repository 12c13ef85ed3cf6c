"""What a bar means, of rows laid down by hand."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.snapshots.status import LostBy, Status
from analyzer.stats.bars import NO_AGE, NO_BARS, Bars, Kind, bars_of
from analyzer.stats.timeline import Timeline
from analyzer.store.tables import Tables
from tests.stats.hand_made import tables


def test_numbers() -> None:
    made = tables()
    made.snapshots.amend("status", [3], [Status.OK])
    bars = bars_of(made, np.arange(5))
    assert bars.rows.tolist() == [0, 1, 2, 3, 4]
    assert bars.time_ns.tolist() == [500_000_000, 2_000_000_000, 1_500_000_000, 2_000_000_000, 2_000_000_000]
    assert bars.kind.tolist() == [Kind.FULL, Kind.FULL, Kind.FULL, Kind.FINE, Kind.UNKNOWN]
    assert bars.age_us.tolist() == [NO_AGE, NO_AGE, NO_AGE, 0, NO_AGE]
    assert (bars.size.tolist(), bars.parts.tolist()) == ([1, 160, 30, 140, 140], [1, 2, 1, 1, 1])
    assert len(Bars.together([])) == len(NO_BARS) == 0
    assert Bars.together([bars, bars]).rows.tolist() == [0, 1, 2, 3, 4] * 2


def test_an_age_is_rounded_up_to_microseconds() -> None:
    made = tables()
    start = made.frames.integer("time_ns", 0)
    made.frames.columns["time_ns"].put([(0, slice(None), np.array([1, 4]))], np.array([start, start + 500_000_001]))
    made.snapshots.amend("status", [3], [Status.OK])
    made.snapshots.amend("base", [3], [0])
    assert bars_of(made, np.array([3])).age_us.tolist() == [500_001]


@pytest.mark.parametrize(
    ("status", "cause", "lost_by", "kind"),
    [
        (Status.NO_BASE, -1, LostBy.CAPTURE, Kind.UNKNOWN),
        (Status.NO_BASE, -1, LostBy.LIMIT, Kind.UNKNOWN),
        (Status.NO_BASE, 3, LostBy.GAME, Kind.FAILED),
        (Status.INCOMPLETE, -1, LostBy.NETWORK, Kind.FAILED),
        (Status.INCOMPLETE, -1, LostBy.UNKNOWN, Kind.FAILED),
        (Status.INCOMPLETE, -1, LostBy.CAPTURE, Kind.UNKNOWN),
        (Status.CRC, -1, LostBy.CAPTURE, Kind.FAILED),
        (Status.MALFORMED, -1, LostBy.GAME, Kind.FAILED),
        (Status.BUG, -1, LostBy.NOBODY, Kind.FAILED),
        (Status.PARTIAL, -1, LostBy.NOBODY, Kind.FINE),
    ],
)
def test_kinds(status: Status, cause: int, lost_by: LostBy, kind: Kind) -> None:
    made = tables()
    for column, value in (("status", status), ("cause", cause), ("lost_by", lost_by)):
        made.snapshots.amend(column, [4], [value])
    assert bars_of(made, np.array([4])).kind.tolist() == [kind]


@pytest.mark.parametrize("status", [Status.LATE, Status.DUPLICATE])
def test_repetitions_draw_nothing(status: Status) -> None:
    made = tables()
    made.snapshots.amend("status", [1], [status])
    assert bars_of(made, np.arange(5)).rows.tolist() == [0, 2, 3, 4]


def test_the_first_of_a_session_stands_out() -> None:
    timeline = Timeline(tables())
    timeline.update()
    assert timeline.flows.tolist() == [0, 1]
    assert timeline.lane(0).rows.tolist() == [1, 3, 4], "not that of the retired reading"
    assert timeline.lane(0).kind.tolist() == [Kind.FIRST, Kind.FAILED, Kind.UNKNOWN]
    assert timeline.lane(0).firsts_ns.tolist() == [2_000_000_000]
    assert [timeline.flow_of(session) for session in (-1, 0, 1, 2, 3)] == [-1, -1, 0, 1, -1]
    assert timeline.sessions(0).tolist() == [1]
    assert len(timeline.lane(2)) == 0
    assert [timeline.place_of(row) for row in (0, 2, 3)] == [None, (1, 1_500_000_000), (0, 2_000_000_000)]
    timeline.tables.snapshots.amend("status", [3], [Status.LATE])
    assert timeline.place_of(3) is None
    assert not timeline.is_current
    assert timeline.update()
    assert timeline.lane(0).rows.tolist() == [1, 4]


def test_no_frames_at_all() -> None:
    timeline = Timeline(Tables())
    assert not timeline.update()
    assert timeline.flows.tolist() == []
    assert timeline.packets.extent() == (0, 0)
