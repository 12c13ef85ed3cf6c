"""Counts, means and quantiles of groups against counting by hand."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analyzer.stats.groups import Groups

PAIRS = st.lists(st.tuples(st.integers(0, 5) | st.just(70_000), st.integers(-(10**12), 10**12)), max_size=60)


@given(pairs=PAIRS, percent=st.integers(1, 100))
def test_every_group_is_counted_by_itself(pairs: list[tuple[int, int]], percent: int) -> None:
    numbers = np.array([group for group, _ in pairs], dtype=np.int64)
    values = np.array([value for _, value in pairs], dtype=np.int64)
    expected: dict[int, list[int]] = {}
    for group, value in pairs:
        expected.setdefault(group, []).append(value)
    groups = Groups(numbers)
    positive = {group: sum(value > 0 for value in found) for group, found in expected.items()}
    assert groups.count() == {group: len(found) for group, found in expected.items()}
    assert groups.count(values > 0) == {group: number for group, number in positive.items() if number}
    assert groups.quantile(values, percent) == {
        group: sorted(found)[max(1, math.ceil(percent * len(found) / 100)) - 1] for group, found in expected.items()
    }
    means = groups.mean(values)
    assert means.keys() == expected.keys()
    assert all(math.isclose(means[group], sum(found) / len(found)) for group, found in expected.items())
    assert [pairs[row] for row in groups.firsts()] == [
        next(pair for pair in pairs if pair[0] == group) for group in sorted(expected)
    ]
    split = groups.split(np.arange(len(pairs), dtype=np.int32))
    assert {group: [pairs[row][1] for row in rows] for group, rows in split.items()} == expected
