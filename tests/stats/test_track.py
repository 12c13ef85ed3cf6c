"""A session's points in the order of their times: followed in small batches, they are what they are at the end."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from capture_files import BUNDLED, SAMPLE
from hypothesis import given
from hypothesis import strategies as st

from analyzer.engine.capture import Capture
from analyzer.stats.series import Metric, SnapshotSeries, Update
from analyzer.stats.track import Track
from analyzer.store.tables import Tables
from tests.stats.hand_made import START_NS, tables

PATHS = [
    BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap",
    BUNDLED / "ddnet_tsunami_badcrc_head.pcap",
    BUNDLED / "serverinfo_and_play_head.pcap",
    BUNDLED / "ddnet_dm6_snaplen220.pcap",
    SAMPLE,
]
METRICS = (Metric.WIRE_BYTES, Metric.BASE_AGE_MS, Metric.ACK_MS, Metric.ITEMS)


def _stretches(track: Track) -> tuple[np.ndarray, np.ndarray]:
    edges = np.linspace(0, len(track), 40).astype(np.int64)
    return edges[:-1], edges[1:]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_following_equals_building_once(path: Path) -> None:
    with Capture.open(path, batch=7) as opened:
        series = SnapshotSeries(opened.tables)
        tracks = [Track(series, session) for session in (-1, 0, 1)]
        for track in tracks:
            for metric in METRICS:
                track.extremes(metric, np.array([0]), np.array([0]))
        more = True
        while more:
            more = opened.step()
            update = series.update()
            for track in tracks:
                track.follow(update)
    for track in tracks:
        once = Track(series, track.session)
        assert len(once) > 0
        assert track.rows.tolist() == once.rows.tolist()
        assert (np.diff(track.time_s) >= 0).all()
        for metric in METRICS:
            found, expected = track.extremes(metric, *_stretches(track)), once.extremes(metric, *_stretches(track))
            np.testing.assert_array_equal(found.low, expected.low)
            np.testing.assert_array_equal(found.high, expected.high)
            np.testing.assert_array_equal(found.worst, expected.worst)


def _times(seconds: list[float], values: list[int], sessions: list[int]) -> SnapshotSeries:
    """A series with a snapshot a packet a frame."""
    made, count = Tables(), len(seconds)
    hand = tables()
    made.readings.append({"flow": [0], "protocol": ["toy"], "dialect": ["new"], "number": [0]}, 1)
    columns = {spec.name: [hand.sessions.get(spec.name, 1)] * 3 for spec in hand.sessions.specs}
    made.sessions.append(columns | {"reading": [0] * 3}, 3)
    frames = {spec.name: [hand.frames.get(spec.name, 0)] * count for spec in hand.frames.specs}
    made.frames.append(frames | {"time_ns": [START_NS + round(1e9 * time) for time in seconds]}, count)
    packets = {spec.name: [hand.packets.get(spec.name, 0)] * count for spec in hand.packets.specs}
    made.packets.append(packets | {"frame": range(count)}, count)
    snapshots = {spec.name: [hand.snapshots.get(spec.name, 2)] * count for spec in hand.snapshots.specs}
    given_ = {"packet": range(count), "wire_bytes": values, "session": sessions}
    made.snapshots.append(snapshots | given_, count)
    made.publish()
    series = SnapshotSeries(made)
    series.update()
    return series


def test_times_that_go_back_are_put_in_order() -> None:
    track = Track(_times([0.0, 2.0, 1.0, 1.0, 3.0], [1, 2, 3, 4, 5], [0] * 5), 0)
    assert track.rows.tolist() == [0, 2, 3, 1, 4]
    assert track.between(1.0, 2.0) == (1, 4)
    assert [track.position(row) for row in (0, 3, 1, 9, -1)] == [0, 2, 3, -1, -1]


@given(
    points=st.lists(st.tuples(st.floats(0, 10), st.integers(0, 1 << 23), st.integers(0, 2)), min_size=1, max_size=60),
    without=st.integers(-1, 2),
)
def test_quantiles_by_nearest_rank(points: list[tuple[float, int, int]], without: int) -> None:
    ordered = sorted(points)
    series = _times(*(list(column) for column in zip(*ordered, strict=True)))
    track, edges = Track(series, -1), np.arange(-1, 7) * 2.0
    spread = track.spread(Metric.WIRE_BYTES, 2.0, -1, 6, without)
    for index, (left, right) in enumerate(pairwise(edges)):
        times = series.time_s
        inside = sorted(
            value
            for time, (_, value, own) in zip(times, ordered, strict=True)
            if left <= time < right and own != without
        )
        for percent, found in ((10, spread.p10), (50, spread.p50), (90, spread.p90)):
            if inside:
                assert found[index] == inside[math.ceil(len(inside) * percent / 100) - 1]
            else:
                assert math.isnan(found[index])


def test_a_replaced_reading_leaves_the_track() -> None:
    made = tables()
    series = SnapshotSeries(made)
    series.update()
    track = Track(series, -1)
    assert track.rows.tolist() == [2, 1, 3, 4]
    made.readings.amend("alive", [1], [False])
    track.follow(series.update())
    assert track.rows.tolist() == [2]


def test_long_stretches_are_kept_until_rows_come() -> None:
    count = 30_000
    random = np.random.default_rng(3)
    series = _times(
        np.sort(random.uniform(0, 100, count)).tolist(), random.integers(0, 5000, count).tolist(), [0] * count
    )
    track = Track(series, -1)
    for first, stop in ((0, 100), (-7, 130), (2, 95)):
        found = track.spread(Metric.WIRE_BYTES, 1.0, first, stop)
        seconds = range(first, stop)
        single = [track.spread(Metric.WIRE_BYTES, 1.0, second, second + 1) for second in seconds]
        for name in ("p10", "p50", "p90"):
            np.testing.assert_array_equal(getattr(found, name), [getattr(one, name)[0] for one in single])
    track.follow(Update(count, np.empty(0, np.int64), regrouped=False))
    np.testing.assert_array_equal(track.spread(Metric.WIRE_BYTES, 1.0, 2, 95).p50, found.p50)


@pytest.mark.parametrize("without", [-1, 0, 2, 7])
def test_sorted_a_part_at_a_time_all_but_any_session(without: int) -> None:
    count = 30_000
    random = np.random.default_rng(7)
    series = _times(
        np.sort(random.uniform(0, 100, count)).tolist(),
        random.integers(0, 40, count).tolist(),
        random.choice(3, count, p=(0.05, 0.9, 0.05)).tolist(),
    )
    parts, once = Track(series, -1), Track(series, -1)
    calls = 1
    while not parts.prepare(Metric.WIRE_BYTES, 1.0, 0, 100, 4000):
        calls += 1
    assert calls > 5
    found = parts.spread(Metric.WIRE_BYTES, 1.0, 0, 100, without)
    whole = once.spread(Metric.WIRE_BYTES, 1.0, 0, 100, without)
    short = [once.spread(Metric.WIRE_BYTES, 1.0, second, second + 1, without) for second in range(100)]
    for name in ("p10", "p50", "p90"):
        assert np.isfinite(getattr(found, name)).all()
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))
        np.testing.assert_array_equal(getattr(found, name), [getattr(one, name)[0] for one in short])


def test_kept_quantiles_follow_what_comes() -> None:
    count = 60_000
    random = np.random.default_rng(5)
    times, values = np.sort(random.uniform(0, 100, count)).tolist(), random.integers(0, 5000, count).tolist()
    series = _times(times, values, [0] * count)
    grown = SnapshotSeries(series.tables)
    grown.update(30_000)
    track = Track(grown, -1)
    for _ in range(3):
        track.spread(Metric.WIRE_BYTES, 1.0, 0, 100)
        track.follow(grown.update(10_000))
    once, found = Track(series, -1).spread(Metric.WIRE_BYTES, 1.0, 0, 100), track.spread(Metric.WIRE_BYTES, 1.0, 0, 100)
    for name in ("p10", "p50", "p90"):
        np.testing.assert_array_equal(getattr(found, name), getattr(once, name))


def test_kept_quantiles_follow_what_is_amended() -> None:
    count = 30_000
    series = _times(np.linspace(0, 99.9, count).tolist(), [5] * count, [0] * count)
    track = Track(series, -1)
    assert set(track.spread(Metric.WIRE_BYTES, 1.0, 0, 100).p50) == {5.0}
    series.tables.snapshots.amend("wire_bytes", range(15_000, count), [7] * (count - 15_000))
    track.follow(series.update())
    p50 = track.spread(Metric.WIRE_BYTES, 1.0, 0, 100).p50
    assert set(p50[:50]) == {5.0}
    assert set(p50[51:]) == {7.0}


def test_taken_in_piece_by_piece_it_is_the_same() -> None:
    with Capture.open(SAMPLE) as opened:
        opened.decode()
    series = SnapshotSeries(opened.tables)
    track = Track(series, -1)
    while len(series) < len(opened.tables.snapshots):
        track.follow(series.update(100))
        for width in (0.5, 1.0):
            track.spread(Metric.ITEMS, width, 0, 40)
    whole = SnapshotSeries(opened.tables)
    whole.update()
    assert track.rows.tolist() == Track(whole, -1).rows.tolist()


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 99)), min_size=1, max_size=80), st.integers(1, 9))
def test_points_that_come_late_are_put_where_they_belong(points: list[tuple[int, int]], batch: int) -> None:
    seconds, values = ([float(part) for part in column] for column in zip(*points, strict=True))
    whole = _times(seconds, [int(value) for value in values], [0] * len(points))
    series = SnapshotSeries(whole.tables)
    growing = Track(series, -1)
    growing.extremes(Metric.WIRE_BYTES, np.array([0]), np.array([0]))
    while not series.is_current:
        growing.follow(series.update(batch))
    once = Track(whole, -1)
    assert growing.rows.tolist() == once.rows.tolist()
    found, expected = (
        track.extremes(Metric.WIRE_BYTES, np.arange(len(once)), np.full(len(once), len(once)))
        for track in (growing, once)
    )
    np.testing.assert_array_equal(found.high, expected.high)
    np.testing.assert_array_equal(found.low, expected.low)
    assert [growing.position(row) for row in range(len(points))] == [once.position(row) for row in range(len(points))]
