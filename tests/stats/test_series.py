"""Numbers of snapshots equal a slow look into the tables, and do not depend on when one looked."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from capture_files import BUNDLED, SAMPLE

from analyzer.engine.capture import Capture
from analyzer.snapshots.status import LostBy, Status
from analyzer.stats.series import Metric, Rank, SnapshotSeries
from analyzer.store.tables import Tables
from tests.stats.hand_made import tables

AMENDED = [
    BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap",
    BUNDLED / "serverinfo_and_play_head.pcap",
    BUNDLED / "ddnet_tsunami_badcrc_head.pcap",
    SAMPLE,
]


def _slow_time(made: Tables, packet: int) -> int:
    return made.frames.integer("time_ns", made.packets.integer("frame", packet))


def _slow_packet(made: Tables, row: int) -> int:
    """Where a snapshot stands in time: an incomplete one where its last part came, not where it was given up."""
    first, count = made.snapshots.integer("first_part", row), made.snapshots.integer("part_count", row)
    if made.snapshots.integer("status", row) != Status.INCOMPLETE or count == 0:
        return made.snapshots.integer("packet", row)
    messages = [made.parts.integer("message", part) for part in range(first, first + count)]
    return max(made.messages.integer("packet", message) for message in messages)


def _slow(made: Tables, row: int) -> dict[Metric, float]:
    """The numbers of one snapshot, one look-up after the other."""
    snapshot = made.snapshots
    number = {name: snapshot.integer(name, row) for name in ("packet", "base", "base_tick", "acked_packet", "tick")}
    own = _slow_time(made, _slow_packet(made, row))
    base, acked = number["base"], number["acked_packet"]
    rebuilt = snapshot.integer("status", row) in (Status.OK, Status.CRC, Status.PARTIAL)
    return {
        Metric.WIRE_BYTES: snapshot.integer("wire_bytes", row),
        Metric.DELTA_BYTES: snapshot.integer("delta_bytes", row),
        Metric.PARTS: snapshot.integer("parts", row),
        Metric.ITEMS: snapshot.integer("items", row) if rebuilt else math.nan,
        Metric.BASE_AGE_MS: (own - _slow_time(made, snapshot.integer("packet", base))) / 1e6 if base >= 0 else math.nan,
        Metric.BASE_AGE_TICKS: number["tick"] - number["base_tick"] if number["base_tick"] >= 0 else math.nan,
        Metric.ACK_MS: (_slow_time(made, acked) - own) / 1e6 if acked >= 0 else math.nan,
    }


def _slow_rows(made: Tables, session: int) -> list[int]:
    rows = []
    for row in range(len(made.snapshots)):
        own = made.snapshots.integer("session", row)
        alive = made.readings.get("alive", made.sessions.integer("reading", own))
        counts = made.snapshots.integer("status", row) not in (Status.LATE, Status.DUPLICATE)
        if alive and counts and session in (-1, own):
            rows.append(row)
    return rows


def _same(one: SnapshotSeries, other: SnapshotSeries) -> None:
    np.testing.assert_array_equal(one.time_s, other.time_s)
    np.testing.assert_array_equal(one.rank, other.rank)
    np.testing.assert_array_equal(one.session, other.session)
    np.testing.assert_array_equal(one.full, other.full)
    for metric in Metric:
        np.testing.assert_array_equal(one.values(metric), other.values(metric), metric.value)


def test_equals_a_slow_look(capture: Path) -> None:
    with Capture.open(capture) as opened:
        opened.decode()
        made = opened.tables
    series = SnapshotSeries(made)
    series.update()
    assert len(series) == len(made.snapshots)
    slow = [_slow(made, row) for row in range(len(series))]
    for metric in Metric:
        np.testing.assert_array_equal(series.values(metric), [numbers[metric] for numbers in slow], metric.value)
    for session in (-1, *range(len(made.sessions))):
        assert series.rows(session).tolist() == _slow_rows(made, session)


@pytest.mark.parametrize("path", AMENDED, ids=lambda path: path.name)
@pytest.mark.parametrize(("batch", "most"), [(7, None), (50, None), (50, 3)])
def test_looking_after_every_batch_changes_nothing(path: Path, batch: int, most: int | None) -> None:
    amended = 0
    with Capture.open(path, batch=batch) as opened:
        followed = SnapshotSeries(opened.tables)
        more = True
        while more:
            more = opened.step()
            while not followed.is_current:
                found = followed.update(most)
                amended += len(found.amended)
                assert most is None or max(len(found.amended), len(followed) - found.first_new) <= most
        at_once = SnapshotSeries(opened.tables)
        at_once.update()
    _same(followed, at_once)
    assert amended > 0


def test_an_update_names_what_changed() -> None:
    made = tables()
    series = SnapshotSeries(made)
    first = series.update()
    assert (first.first_new, first.amended.tolist(), first.regrouped) == (0, [], False)
    made.snapshots.amend("acked_packet", [1, 3], [4, -1])
    made.snapshots.amend("client_has", [2], [1])
    found = series.update()
    assert (found.first_new, found.amended.tolist(), found.regrouped) == (5, [1], False)
    assert series.values(Metric.ACK_MS)[1] == 500.0
    made.snapshots.amend("base", [0, 4], [-1, -1])
    made.snapshots.amend("items", [3, 1], [2, 2])
    seen = []
    while not series.is_current:
        seen.append(series.update(2))
    assert [found.first_new for found in seen] == [5, 5, 5]
    made.readings.amend("alive", [1], [False])
    assert series.update().regrouped
    assert series.rows().tolist() == [2]


def test_ranks() -> None:
    made = tables()
    series = SnapshotSeries(made)
    series.update()
    assert series.rank.tolist() == [Rank.FINE, Rank.FINE, Rank.FINE, Rank.FAILED, Rank.UNKNOWN]
    assert series.full.tolist() == [True, True, True, False, False]
    made.snapshots.amend("lost_by", [4], [LostBy.NETWORK])
    series.update()
    assert series.rank[4] == Rank.LOST
    made.snapshots.amend("cause", [4], [3])
    series.update()
    assert series.rank[4] == Rank.FAILED, "its base failed"


def test_no_frames_at_all() -> None:
    series = SnapshotSeries(Tables())
    series.update()
    assert (len(series), series.rows().tolist()) == (0, [])
