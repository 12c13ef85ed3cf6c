"""Percentiles by nearest rank, of stretches that are sorted once: of any values, and of all but some of them."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analyzer.stats.quantiles import SortedStretches, keys_of

STRETCHES = 4
POINTS = st.lists(
    st.tuples(st.integers(0, STRETCHES - 1), st.sampled_from([-70.5, -2.0, 0.0, 1.0, 1.5, 3.0, 1e6]), st.booleans()),
    max_size=40,
)


def _expected(values: list[float], percent: int) -> float:
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1] if values else math.nan


@given(points=POINTS, first=st.integers(-2, 5), length=st.integers(1, 6))
def test_all_but_some(points: list[tuple[int, float, bool]], first: int, length: int) -> None:
    found = SortedStretches()
    for begin in (0, 2):
        here = [(at - begin, value) for at, value, _ in points if begin <= at < begin + 2]
        found.add(np.array([at for at, _ in here], np.int64), np.array([value for _, value in here]), 2)
    assert len(found) == STRETCHES
    seen = range(first, first + length)
    out = [(at, value) for at, value, left_out in points if left_out and at in seen]
    keys = keys_of(np.array([at for at, _ in out], np.int64), np.array([value for _, value in out]))
    spread = found.spread(seen.start, seen.stop, keys)
    for percent, column in ((10, spread.p10), (50, spread.p50), (90, spread.p90)):
        expected = [_expected([value for at, value, out in points if at == one and not out], percent) for one in seen]
        np.testing.assert_array_equal(column, expected)


def test_what_does_not_hold_is_cut_off() -> None:
    found, nobody = SortedStretches(), np.empty(0, np.int64)
    found.add(np.array([0, 0, 1]), np.array([5.0, 3.0, 9.0]), 2)
    found.cut(1)
    assert len(found) == 1
    found.add(np.array([0]), np.array([4.0]), 1)
    assert found.spread(0, 2, nobody).p50.tolist() == [3.0, 4.0]
    found.cut(0)
    assert np.isnan(found.spread(0, 1, nobody).p50).all()
