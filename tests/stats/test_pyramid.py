"""A pyramid answers as a look at every value would, however it grew and was changed."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analyzer.stats.pyramid import Pyramid

VALUES = st.one_of(st.just(float("nan")), st.integers(-50, 5000).map(float))
POINTS = st.lists(st.tuples(VALUES, st.integers(0, 3)), max_size=700)


def _arrays(points: list[tuple[float, int]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([value for value, _ in points], np.float64), np.array([rank for _, rank in points], np.uint8)


@given(points=POINTS, data=st.data())
def test_equals_brute_force(points: list[tuple[float, int]], data: st.DataObject) -> None:
    values, ranks = _arrays(points)
    pyramid = Pyramid()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(points)), max_size=6)))
    for start, stop in zip([0, *cuts], [*cuts, len(points)], strict=True):
        pyramid.append(values[start:stop], ranks[start:stop])
        if stop and data.draw(st.booleans()):
            at = np.unique(data.draw(st.lists(st.integers(0, stop - 1), max_size=20))).astype(np.int64)
            values[at], ranks[at] = _arrays(
                data.draw(st.lists(st.tuples(VALUES, st.integers(0, 3)), min_size=len(at), max_size=len(at)))
            )
            pyramid.put(at, values[at], ranks[at])
        if stop and data.draw(st.booleans()):
            kept = data.draw(st.integers(0, stop))
            pyramid.cut(kept)
            pyramid.append(values[kept:stop], ranks[kept:stop])
    assert len(pyramid) == len(points)
    ends = st.integers(0, len(points))
    stretches = data.draw(st.lists(st.tuples(ends, ends), min_size=1, max_size=30))
    found = pyramid.extremes(*(np.array(part, np.int64) for part in zip(*stretches, strict=True)))
    for index, (start, stop) in enumerate(stretches):
        known = values[start:stop][~np.isnan(values[start:stop])]
        expected = (known.min(), known.max()) if len(known) else (np.nan, np.nan)
        np.testing.assert_equal((found.low[index], found.high[index]), expected)
        assert found.worst[index] == ranks[start:stop].max(initial=0)


def test_long_stretches_at_every_alignment() -> None:
    values = np.random.default_rng(1).integers(0, 10**6, 9000).astype(np.float64)
    pyramid = Pyramid()
    pyramid.append(values, np.zeros(9000, np.uint8))
    starts, stops = np.arange(0, 600, 7), np.arange(9000, 8400, -7)[: len(np.arange(0, 600, 7))]
    found = pyramid.extremes(starts, stops)
    assert found.low.tolist() == [values[a:b].min() for a, b in zip(starts, stops, strict=True)]
    assert found.high.tolist() == [values[a:b].max() for a, b in zip(starts, stops, strict=True)]


def test_nothing() -> None:
    found = Pyramid().extremes(np.array([0]), np.array([0]))
    assert np.isnan(found.low).all()
    assert found.worst.tolist() == [0]
