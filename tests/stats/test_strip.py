"""Pixel columns of any window, and the worst of a long lane."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.stats import lane as lanes
from analyzer.stats.bars import NO_AGE, Bars, Kind
from analyzer.stats.lane import FIRST_WIDTH_NS, Lane, Worst
from analyzer.stats.strip import Window
from analyzer.store.chunk_memory import ChunkMemory

MOMENT = st.integers(-(10**13), 10**18)
WINDOWS = st.builds(
    lambda start, span, columns: Window(start, start + span, columns),
    MOMENT,
    st.integers(1, 10**18),
    st.integers(1, 4000),
)


@given(WINDOWS, st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=50))
def test_columns(window: Window, shares: list[float]) -> None:
    times = np.array([window.start_ns + min(int(share * window.span_ns), window.span_ns - 1) for share in shares])
    columns = window.columns_of(times)
    assert ((columns >= 0) & (columns < window.columns)).all()
    if window.span_ns < 1 << 50:
        for time, column in zip(times.tolist(), columns.tolist(), strict=True):
            begin, end = window.edges(column, column)
            assert begin <= time < end
    assert window.edges(0, window.columns - 1) == (window.start_ns, window.stop_ns)


@given(WINDOWS)
def test_a_column_is_one_to_four_stretches(window: Window) -> None:
    level = window.level(FIRST_WIDTH_NS)
    width = window.span_ns / window.columns / FIRST_WIDTH_NS
    if level < 0:
        assert width < 1
        return
    assert 1 <= width / 4**level < 4
    first, last, columns = window.stretches(FIRST_WIDTH_NS * 4**level)
    assert len(columns) == last - first + 1
    counts = np.bincount(columns, minlength=window.columns)
    # At both ends stretches may be within in part.
    assert counts[1:-1].max(initial=1) <= 4
    assert counts[1:-1].min(initial=1) >= 1 or window.span_ns >= 1 << 50
    assert (np.diff(columns) >= 0).all()


BAR = st.tuples(st.integers(-(10**10), 10**12), st.sampled_from([k for k in Kind if k not in (Kind.NONE, Kind.OLD)]))


@given(st.lists(BAR, max_size=60), st.lists(st.tuples(MOMENT, st.integers(0, 10**12)), max_size=8))
def test_the_worst_of_a_stretch(bars: list[tuple[int, Kind]], stretches: list[tuple[int, int]]) -> None:
    times = np.array([time for time, _ in bars], np.int64)
    kinds = np.array([kind for _, kind in bars], np.uint8)
    ages = np.where(kinds == Kind.FINE, times % 997 - 1, NO_AGE).astype(np.int32)
    ones = np.ones(len(bars), np.uint8)
    lane = Lane(ChunkMemory())
    lane.insert(Bars(np.arange(len(bars), dtype=np.int32), times * 0, times, kinds, ages, ones.astype(np.uint32), ones))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lanes, "FEW", 4)
        for start, span in [*stretches, (-(10**10), 2 * 10**12), (0, 10**11), (5, 0)]:
            inside = (times >= start) & (times < start + span)
            expected = Worst(Kind(int(kinds[inside].max(initial=Kind.NONE))), int(ages[inside].max(initial=NO_AGE)))
            assert lane.worst(start, start + span) == expected
    assert Worst(Kind.FULL, 500_000).with_limit(500_000) is Kind.FULL
    assert Worst(Kind.FULL, 500_001).with_limit(500_000) is Kind.OLD
    assert Worst(Kind.FAILED, 500_001).with_limit(500_000) is Kind.FAILED
