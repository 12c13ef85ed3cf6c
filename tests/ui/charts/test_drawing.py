"""What is drawn never has more than two points a pixel, and still shows every peak, every fault and every gap."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from capture_files import BUNDLED, SAMPLE

from analyzer.engine.capture import Capture
from analyzer.stats.rates import PacketRates
from analyzer.stats.series import Metric, Rank, SnapshotSeries
from analyzer.stats.track import Track
from ui.charts import drawing
from ui.charts.drawing import GAP_S, Window

BADCRC = BUNDLED / "ddnet_tsunami_badcrc_head.pcap"
SLICES = BUNDLED / "ddnet_ctf1_24bots_slices.pcap.gz"
PATHS = [BADCRC, SLICES, SAMPLE]


@pytest.fixture(scope="module", params=PATHS, ids=lambda path: path.name)
def decoded(request: pytest.FixtureRequest) -> Capture:
    return _decoded(request.param)


def _decoded(path: Path) -> Capture:
    with Capture.open(path) as opened:
        opened.decode()
    return opened


def _track(opened: Capture, session: int) -> Track:
    series = SnapshotSeries(opened.tables)
    series.update()
    return Track(series, session)


@pytest.mark.parametrize("pixels", [40, 300])
@pytest.mark.parametrize("metric", [Metric.WIRE_BYTES, Metric.ITEMS, Metric.BASE_AGE_MS, Metric.ACK_MS])
def test_a_line_shows_every_extreme_with_two_points_a_pixel(decoded: Capture, metric: Metric, pixels: int) -> None:
    track = _track(decoded, -1)
    window = Window(0.0, float(track.time_s[-1]), pixels)
    for drawn in (drawing.line(track, metric, window), drawing.points(track, metric, window)):
        values = track.values(metric)
        assert np.isfinite(drawn.y).sum() <= 2 * (pixels + 2)
        assert drawn.top == np.nanmax(values)
        assert np.nanmin(drawn.y) == np.nanmin(values)
        assert set(drawn.y[np.isfinite(drawn.y)]) <= set(values)


def test_few_points_are_drawn_as_they_are(decoded: Capture) -> None:
    track = _track(decoded, 0)
    start, stop = 80, 120
    window = Window(float(track.time_s[start]), float(track.time_s[stop - 1]), 300)
    drawn = drawing.line(track, Metric.WIRE_BYTES, window)
    known = np.isfinite(drawn.y)
    inside = (drawn.x >= window.start) & (drawn.x <= window.stop) & known
    assert drawn.x[inside].tolist() == track.time_s[start:stop].tolist()
    assert drawn.y[inside].tolist() == track.values(Metric.WIRE_BYTES, start, stop).tolist()


def test_a_gap_in_the_data_is_a_gap_in_the_line(decoded: Capture) -> None:
    for session in (0, 1):
        track = _track(decoded, session)
        silent = int((np.diff(track.time_s) > GAP_S).sum())
        drawn = drawing.line(track, Metric.WIRE_BYTES, Window(0.0, float(track.time_s[-1]), 5000))
        assert int(np.isnan(drawn.y).sum()) == silent


def test_bars_reach_the_greatest_of_their_column(decoded: Capture) -> None:
    track = _track(decoded, -1)
    drawn = drawing.bars(track, Metric.PARTS, Window(0.0, float(track.time_s[-1]), 100))
    assert len(drawn.high) <= 102
    for left, right, high in zip(drawn.left, drawn.right, drawn.high, strict=True):
        inside = (track.time_s >= left) & (track.time_s < right)
        assert high == track.values(Metric.PARTS)[inside].max()


def test_a_band_has_no_holes_and_leaves_the_client_out() -> None:
    track = _track(_decoded(SLICES), -1)
    drawn = drawing.band(track, Metric.WIRE_BYTES, Window(2.0, 4.0, 2000), 0)
    assert (drawn.left[1:] == drawn.right[:-1]).all()
    assert (drawn.low <= drawn.high).all()
    alone = _track(_decoded(SAMPLE), 0)
    assert drawing.band(alone, Metric.WIRE_BYTES, Window(0.0, 30.0, 300), 0).empty


def test_the_median_of_all_runs_through_however_wide_its_stretches_are() -> None:
    track = _track(_decoded(SLICES), -1)
    values = track.values(Metric.WIRE_BYTES)
    for pixels in (16, 500):
        drawn = drawing.median(track, Metric.WIRE_BYTES, Window(0.0, float(track.time_s[-1]), pixels))
        assert np.isfinite(drawn.y).all()
        assert set(drawn.y) <= set(values)
        assert (np.diff(drawn.x) > 0).all()


def test_faults_of_a_capture_with_wrong_checksums() -> None:
    track = _track(_decoded(BADCRC), -1)
    wrong = track.time_s[_ranks(track) == Rank.FAILED]
    assert len(wrong) > 0
    window = Window(0.0, float(track.time_s[-1]), 200)
    fault = drawing.faults(track, window)[Rank.FAILED]
    for time in wrong:
        single = (np.abs(fault.lines - time) <= window.pixel_s).any()
        assert single or ((fault.left <= time) & (time <= fault.right)).any()
    assert (np.diff(fault.signs) > 0).all()
    assert not len(drawing.faults(track, Window(0.0, float(wrong[0]) - 0.1, 200))[Rank.FAILED].signs)


def _ranks(track: Track) -> np.ndarray:
    everywhere = np.arange(len(track))
    return track.extremes(Metric.WIRE_BYTES, everywhere, everywhere + 1).worst


def test_full_snapshots_are_marked_while_they_are_few(decoded: Capture) -> None:
    for session in (-1, 0):
        track = _track(decoded, session)
        number = int(track.full(0, len(track)).sum())
        drawn = drawing.full(track, Metric.WIRE_BYTES, Window(0.0, float(track.time_s[-1]), 600))
        assert len(drawn.x) == (number if number <= min(0.2 * len(track), 600) else 0)


def test_rates_sum_to_the_packets() -> None:
    opened = _decoded(SAMPLE)
    rates = PacketRates(opened.tables)
    rates.update()
    window = Window(0.0, 60.0, 300)
    drawn = drawing.rate(rates, -1, window, in_bytes=False)
    assert round(float(drawn.high.sum())) == len(opened.tables.packets)
    in_bytes = drawing.rate(rates, -1, window, in_bytes=True)
    assert round(1000 * float(in_bytes.high.sum())) == int(opened.tables.packets.integers("udp_length").sum())


def test_what_can_be_seen_of_it() -> None:
    line = drawing.Drawn(np.array([1.0, 2.0, 2.0, 5.0]), np.array([3.0, 4.0, np.nan, 6.0]))
    assert [line.seen_in(*view) for view in ((1.5, 3.0), (1.2, 1.8), (3.0, 4.0), (6.0, 9.0))] == [
        True, True, False, False,
    ]  # fmt: skip
    bars = drawing.Drawn(left=np.array([1.0]), right=np.array([2.0]), low=np.zeros(1), high=np.ones(1))
    assert [bars.seen_in(*view) for view in ((0.0, 1.5), (2.0, 3.0))] == [True, False]
