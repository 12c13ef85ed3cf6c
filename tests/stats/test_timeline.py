"""The overview equals what is told slowly from the list of snapshots, before and after flows are read otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from capture_files import BUNDLED, capture_paths

from analyzer.engine.capture import Capture
from analyzer.engine.pins import NO_PINS, NOT_DECODED, Choice, Pin, Pins, Place
from analyzer.snapshots.status import LostBy
from analyzer.stats.bars import Kind
from analyzer.stats.byte_band import BIN_NS
from analyzer.stats.flows import ends_of
from analyzer.stats.lane import FIRST_WIDTH_NS
from analyzer.stats.lane_order import Sign, lane_order
from analyzer.stats.range_stats import range_stats
from analyzer.stats.strip import Window, band_of, bar_near, bar_within, strip_of
from analyzer.stats.timeline import Timeline
from tests.cli.cut_capture import first_records
from tests.stats.slow_timeline import SlowBar, slow_bars, slow_columns, slow_p, slow_scale

SMALL = 260_000
"""Bytes of a file that is read whole."""
HEAD = 700
"""Records of one that is not."""
OLD_US = 70_000
PCAP = BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap"
WISHES = [
    Pins((Pin(Place("8303"), Choice("teeworlds", "0.6.5")),)),
    NO_PINS,
    Pins((Pin(Place("127.0.0.1:8303", "127.0.0.1:42000"), NOT_DECODED),)),
    Pins((Pin(Place("8303"), Choice("teeworlds", "ddnet")),)),
]


def bars_by_flow(timeline: Timeline, bars: Sequence[SlowBar]) -> dict[int, list[SlowBar]]:
    ends = {flow: ends_of(timeline.tables, flow) for flow in timeline.flows.tolist()}
    assert {bar.lane for bar in bars} <= {(known.client, known.server) for known in ends.values()}
    return {flow: [bar for bar in bars if bar.lane == (known.client, known.server)] for flow, known in ends.items()}


def windows(timeline: Timeline) -> list[Window]:
    """The whole at several widths of a column, and parts of it."""
    start, last = timeline.packets.extent()
    span = last + 1 - start
    return [
        Window(start, last + 1, 997),
        Window(start, last + 1, 23),
        Window(start, last + 1, 1),
        Window(start + span // 3, start + span // 2 + 1, 40),
        Window(start - span, last + span, 11),
        Window(last + 5, last + 9, 3),
    ]


def check(timeline: Timeline, capture: Capture) -> None:
    """Everything that the overview says, of everything that is decoded."""
    every = slow_bars(capture)
    by_flow = bars_by_flow(timeline, every)
    for flow, bars in by_flow.items():
        lane = timeline.lane(flow)
        assert lane.rows.tolist() == [bar.row for bar in bars]
        assert lane.time_ns.tolist() == [bar.time_ns for bar in bars]
        assert lane.kind.tolist() == [bar.kind for bar in bars]
        assert lane.age_us.tolist() == [bar.age_us for bar in bars]
        assert lane.firsts_ns.tolist() == [bar.time_ns for bar in bars if bar.kind is Kind.FIRST]
    for window in windows(timeline):
        check_window(timeline, window, by_flow)
        check_band(timeline, window, every)
        check_range(timeline, window, by_flow)


def check_window(timeline: Timeline, window: Window, by_flow: dict[int, list[SlowBar]]) -> None:
    strip = strip_of(timeline, list(by_flow), window, OLD_US / 1000, least=True)
    assert strip.least_us is not None
    level = window.level(FIRST_WIDTH_NS)
    width = FIRST_WIDTH_NS * 4**level if level >= 0 else 0
    for index, bars in enumerate(by_flow.values()):
        painted = zip(*(values[index].tolist() for values in (strip.kind, strip.age_us, strip.least_us)), strict=True)
        assert list(painted) == slow_columns(bars, window, OLD_US, width)
    firsts = [
        (index, window.columns_of(timeline.lane(flow).time_ns[at : at + 1]).item())
        for index, (flow, bars) in enumerate(by_flow.items())
        for at, bar in enumerate(bars)
        if bar.kind is Kind.FIRST and window.start_ns <= bar.time_ns < window.stop_ns
    ]
    assert list(zip(strip.first_lane.tolist(), strip.first_column.tolist(), strict=True)) == firsts


def check_band(timeline: Timeline, window: Window, bars: Sequence[SlowBar]) -> None:
    level = window.level(BIN_NS)
    found = [[0] * window.columns for _ in range(3)]
    for bar in bars:
        time = bar.time_ns
        if level >= 0:
            width = BIN_NS * 4**level
            if not window.start_ns // width <= time // width <= (window.stop_ns - 1) // width:
                continue
            time = min(max(time // width * width + width // 2, window.start_ns), window.stop_ns - 1)
        if window.start_ns <= time < window.stop_ns:
            column = (time - window.start_ns) * window.columns // window.span_ns
            found[min(max(bar.parts, 1), 3) - 1][column] += bar.size
    band = band_of(timeline, window)
    assert band.bytes.tolist() == found
    totals = [sum(sizes) for sizes in zip(*found, strict=True)]
    assert band.scale == pytest.approx(slow_scale(totals) * window.columns * 1e9 / window.span_ns)
    assert band.peak == pytest.approx(max(totals) * window.columns * 1e9 / window.span_ns)


def check_range(timeline: Timeline, window: Window, by_flow: dict[int, list[SlowBar]]) -> None:
    start, stop = window.start_ns, window.stop_ns
    tables = timeline.tables
    zero = tables.frames.integer("time_ns", 0)
    packets = [
        (tables.packets.integer("flow", row), tables.packets.integer("udp_length", row))
        for row in range(len(tables.packets))
        if start <= tables.frames.integer("time_ns", tables.packets.integer("frame", row)) - zero < stop
    ]
    within = {flow: [bar for bar in bars if start <= bar.time_ns < stop] for flow, bars in by_flow.items()}
    for flows in (None, *([flow] for flow in by_flow)):
        stats = range_stats(timeline, start, stop, flows, OLD_US / 1000)
        own = [size for flow, size in packets if flows is None or flow in flows]
        bars = [bar for flow, bars in within.items() if flows is None or flow in flows for bar in bars]
        rebuilt = [bar for bar in bars if bar.rebuilt]
        sizes = [bar.size for bar in rebuilt]
        assert (stats.packets, stats.packet_bytes) == (len(own), sum(own))
        assert (stats.snapshots, stats.bytes) == (len(bars), sum(bar.size for bar in bars))
        assert stats.kinds == {kind: sum(bar.shown(OLD_US) is kind for bar in bars) for kind in Kind if kind}
        assert (stats.rebuilt, stats.lost) == (len(rebuilt), len(bars) - len(rebuilt))
        assert (stats.sizes.count, stats.sizes.max) == (len(sizes), max(sizes, default=None))
        assert stats.sizes.p95 == slow_p(sizes, 95)
        assert stats.sizes.mean == (round(sum(sizes) / len(sizes), 2) if sizes else None)
        assert stats.parts == {number: sum(bar.parts == number for bar in rebuilt) for number in stats.parts}
        assert sum(stats.parts.values()) == len(rebuilt)
        lost = [bar.lost_by for bar in bars if not bar.rebuilt]
        assert stats.lost_by == {loser: lost.count(loser.word) for loser in LostBy}
        assert stats.rate == pytest.approx(stats.bytes * 1e9 / (stop - start))
    signs = {flow: slow_sign(bars) for flow, bars in within.items()}
    order = [(lane.flow, lane.sign) for lane in lane_order(timeline, start, stop, OLD_US / 1000)]
    assert order == sorted(signs.items(), key=lambda lane: (lane[1], tables.flows.integer("first_packet", lane[0])))


def slow_sign(bars: Sequence[SlowBar]) -> Sign:
    kinds = [bar.shown(OLD_US) for bar in bars]
    counted = len(kinds) - kinds.count(Kind.UNKNOWN)
    if not kinds:
        return Sign.NONE
    if Kind.FAILED in kinds:
        return Sign.FAILED
    if Kind.OLD in kinds or (kinds.count(Kind.FULL) >= 5 and kinds.count(Kind.FULL) > counted / 5):
        return Sign.WARN
    return Sign.UNKNOWN if Kind.UNKNOWN in kinds else Sign.FINE


@pytest.fixture(scope="module", params=capture_paths(), ids=lambda path: path.name)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Capture]:
    """A capture, or its head where it is large."""
    path: Path = request.param
    if path.stat().st_size > SMALL:
        if ".pcapng" in path.name:
            pytest.skip("there is a head of it among the bundled ones")
        head = tmp_path_factory.mktemp("head") / path.name.removesuffix(".gz")
        head.write_bytes(first_records(path, HEAD))
        path = head
    with Capture.open(path) as capture:
        capture.decode()
        yield capture


def test_equals_a_slow_look(opened: Capture) -> None:
    timeline = Timeline(opened.tables)
    assert timeline.update() == (len(opened.tables.sessions) > 0)
    assert timeline.is_current
    assert not timeline.update()
    check(timeline, opened)


@pytest.mark.parametrize(("batch", "most"), [(97, None), (1024, 31)])
def test_follows_a_flow_that_is_read_anew(batch: int, most: int | None, tmp_path: Path) -> None:
    path = tmp_path / "head.pcap"
    path.write_bytes(first_records(PCAP, 1200))
    with Capture.open(path, batch=batch, strict=True, compiled=False) as capture:
        timeline = Timeline(capture.tables)
        more = True
        while more:
            more = capture.step()
            timeline.update(most)
            _, last = timeline.packets.extent()
            strip_of(timeline, timeline.flows.tolist(), Window(0, last + 1, 20))
            band_of(timeline, Window(0, last + 1, 20))
        lanes = {}
        for pins in WISHES:
            before = {flow: timeline.lane(flow) for flow in timeline.flows.tolist()}
            capture.pin(pins)
            while capture.is_rereading:
                capture.step()
                timeline.update(most)
            while not timeline.is_current:
                timeline.update(most)
            check(timeline, capture)
            lanes = {flow: timeline.lane(flow) for flow in timeline.flows.tolist()}
            kept = [flow for flow, lane in lanes.items() if lane is before.get(flow)]
            if pins is WISHES[2]:
                assert kept, "only one flow was read anew"
        assert lanes


def test_one_pixel_leads_to_one_snapshot(opened: Capture) -> None:
    timeline = Timeline(opened.tables)
    timeline.update()
    start, last = timeline.packets.extent()
    window = Window(start, last + 1, 150)
    for flow, bars in bars_by_flow(timeline, slow_bars(opened)).items():
        lane = timeline.lane(flow)
        for column in range(0, 150, 7):
            begin, end = window.edges(column, column)
            inside = [bar for bar in bars if begin <= bar.time_ns < end]
            worst = max(inside, key=lambda bar: (bar.shown(OLD_US), bar.age_us, -bar.row), default=None)
            assert bar_within(lane, begin, end, OLD_US / 1000) == (worst.row if worst else -1)
            near = min(bars, key=lambda bar: abs(bar.time_ns - begin), default=None)
            row = bar_near(lane, begin)
            times = {bar.row: bar.time_ns for bar in bars}
            assert (abs(times[row] - begin) if near else row) == (abs(near.time_ns - begin) if near else -1)
