"""Quantiles are values that occurred."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analyzer.stats.sizes import Sizes, sizes


def test_of_nothing() -> None:
    assert sizes(np.empty(0, np.int64)) == Sizes(0, 0, None, None, None, None)


def test_of_a_hundred() -> None:
    assert sizes(np.arange(100, 0, -1)) == Sizes(count=100, total=5050, mean=50.5, p50=50, p95=95, max=100)


@given(st.lists(st.integers(0, 2**32), min_size=1))
def test_nearest_rank(values: list[int]) -> None:
    found = sizes(np.array(values, np.int64))
    ordered = sorted(values)
    assert found.p50 == ordered[math.ceil(len(values) / 2) - 1]
    assert found.p95 == ordered[math.ceil(len(values) * 95 / 100) - 1]
    assert found.max == max(values)
    assert found.total == sum(values)
