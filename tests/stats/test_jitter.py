"""Deviations of snapshots that came too early or too late."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.stats.jitter import Jitter
from analyzer.stats.tally import MOST_CELLS

PERCENTS = (1, 25, 50, 75, 90, 99, 100)


def jitter(times: list[int], ticks: list[int], step: int = 3) -> Jitter:
    made = Jitter()
    for start in range(0, len(times), step):
        made.add(*(np.array(values[start : start + step], dtype=np.int64) for values in (times, ticks)))
    return made


def deviations(times: np.ndarray, ticks: np.ndarray) -> np.ndarray:
    """All of them, of at least two ticks."""
    per_tick = (times[-1] - times[0]) / (ticks[-1] - ticks[0])
    return np.rint(np.abs(np.diff(times) - np.diff(ticks) * per_tick)).astype(np.int64)


def test_even_snapshots_have_none() -> None:
    assert jitter([0, 20, 40, 100], [10, 11, 12, 15]).quantile(100) == 0


def test_one_that_came_late_counts_twice() -> None:
    late = jitter([0, 27, 40, 60], [0, 1, 2, 3])
    assert [late.quantile(percent) for percent in (33, 34, 67)] == [0, 7, 7]


def test_too_few_snapshots_or_ticks() -> None:
    assert jitter([], []).quantile(50) is None
    assert jitter([0], [5]).quantile(50) is None
    assert jitter([1, 2], [5, 6]).quantile(50) is None
    assert jitter([3, 4], [9, 8]).quantile(50) is None


def test_one_that_was_overtaken_counts() -> None:
    overtaken = jitter([0, 20, 22, 60], [0, 2, 1, 3])
    assert [overtaken.quantile(percent) for percent in (33, 66, 99)] == [2, 20, 22]


@given(
    steps=st.lists(st.tuples(st.integers(-5, 10**9), st.integers(-3, 60)), min_size=1, max_size=40),
    step=st.integers(1, 41),
    percent=st.integers(1, 100),
)
def test_few_snapshots_are_exact(steps: list[tuple[int, int]], step: int, percent: int) -> None:
    times, ticks = np.cumsum([(0, 0), *steps], axis=0).T
    found = jitter(times.tolist(), ticks.tolist(), step).quantile(percent)
    if ticks[-1] <= 1:
        assert found is None
    else:
        assert found == int(np.percentile(deviations(times, ticks), percent, method="inverted_cdf"))


@pytest.mark.parametrize(("seed", "gaps"), [(1, 0.0), (2, 0.0), (3, 0.001)])
def test_of_hours_they_are_near_and_few_numbers_are_kept(seed: int, gaps: float) -> None:
    random = np.random.default_rng(seed)
    count = 150_000
    passed = np.where(random.random(count) < gaps, random.integers(17, 100, count), random.choice([1, 2], count))
    ticks = np.cumsum(passed)
    times = ticks * 20_000_137 + random.gamma(2.0, 1.5e6, count).astype(np.int64)
    made, other = Jitter(), Jitter()
    kept = []
    for rows in np.array_split(np.arange(count), 61):
        made.add(times[rows], ticks[rows])
        kept.append(len(made))
    other.add(times, ticks)
    assert max(kept) <= 4 * MOST_CELLS
    assert kept[-1] <= 2 * kept[10]
    every = deviations(times, ticks)
    for percent in PERCENTS[2:6]:
        expected = int(np.percentile(every, percent, method="inverted_cdf"))
        found = made.quantile(percent)
        assert found == other.quantile(percent)
        assert abs(found - expected) <= 0.005 * expected
