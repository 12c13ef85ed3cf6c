"""Percentiles of many values: numpy's while all are kept, near them after that, and never more than so many cells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.stats.tally import MOST_CELLS, Grid, Tally, even, relative

GRIDS = st.sampled_from([relative, even])
VALUES = st.lists(st.integers(-(2**61), 2**61) | st.integers(-50, 50), min_size=1, max_size=80)
PERCENTS = (1, 10, 50, 95, 99, 100)


def numpy_quantile(values: np.ndarray, percent: int) -> int:
    return int(np.percentile(values, percent, method="inverted_cdf"))


@given(
    values=VALUES,
    gone=st.lists(st.integers(0, 79)),
    percent=st.integers(1, 100),
    grid=st.sampled_from([relative, even]),
)
def test_few_values_are_exact(values: list[int], gone: list[int], percent: int, grid: Grid) -> None:
    tally = Tally(grid)
    for start in range(0, len(values), 7):
        tally.add(np.array(values[start : start + 7], dtype=np.int64))
    removed = sorted({index for index in gone if index < len(values)})
    tally.remove(np.array([values[index] for index in removed], dtype=np.int64))
    left = sorted(value for index, value in enumerate(values) if index not in removed)
    assert len(tally) == len(set(left))
    rank = -(-percent * len(left) // 100)
    assert tally.quantiles(percent)[0] == (left[rank - 1] if left else None)


@pytest.mark.parametrize("seed", range(4))
def test_many_values_are_near(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = random.lognormal(np.log(60e6), 0.6, 200_000).astype(np.int64)
    tally = Tally()
    for part in np.array_split(values, 37):
        tally.add(part)
        assert len(tally) <= MOST_CELLS
    assert len(tally) < len(np.unique(values))
    for percent in PERCENTS[1:5]:
        expected = numpy_quantile(values, percent)
        assert abs(tally.quantiles(percent)[0] - expected) <= 0.001 * expected


@pytest.mark.parametrize("grid", [relative, even])
def test_portions_and_order_do_not_matter(grid: Grid) -> None:
    values = np.random.default_rng(5).integers(-(10**9), 10**9, 30_000)
    whole, parts = Tally(grid), Tally(grid)
    whole.add(values)
    for part in np.array_split(values[::-1], 211):
        parts.add(part)
    for left, right in zip(whole.counted(), parts.counted(), strict=True):
        assert left.tolist() == right.tolist()
    assert int(whole.counted()[1].sum()) == len(values)
    parts.remove(values[:100])
    assert int(parts.counted()[1].sum()) == len(values) - 100


def test_values_of_any_size_need_no_more_cells() -> None:
    random = np.random.default_rng(6)
    values = np.exp2(random.uniform(0, 32, 100_000)).astype(np.int64)
    tally = Tally()
    tally.add(values)
    tally.add(np.array([0, 2**62, -(2**62), 2**63 - 1]))
    assert len(tally) <= MOST_CELLS
    expected = numpy_quantile(values, 50)
    assert abs(tally.quantiles(50)[0] - expected) <= 0.004 * expected


def test_even_cells_are_narrow_where_values_are_near_each_other() -> None:
    values = (40e6 + np.random.default_rng(7).normal(0, 1e6, 200_000)).astype(np.int64)
    tally = Tally(even)
    tally.add(values)
    assert len(tally) <= MOST_CELLS
    for percent in PERCENTS:
        assert abs(tally.quantiles(percent)[0] - numpy_quantile(values, percent)) <= np.ptp(values) / 2048


def test_nothing() -> None:
    assert Tally().quantiles(50, 99) == [None, None]
