"""Arrays that grow at their end."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analyzer.stats.growing import Growing


@given(st.lists(st.integers(0, 700), max_size=12), st.integers(0, 300))
def test_everything_stays_in_order(lengths: list[int], cut: int) -> None:
    growing: Growing[np.int64] = Growing(np.int64)
    added = 0
    for length in lengths:
        growing.append(np.arange(added, added + length))
        added += length
        assert growing.view.tolist() == list(range(added))
    growing.cut(min(cut, added))
    assert growing.view.tolist() == list(range(min(cut, added)))


def test_arrays_that_grow_together_are_copied_apart() -> None:
    """A turn that adds one value to each of many arrays copies only a few of them."""
    together: list[Growing[np.int8]] = [Growing(np.int8) for _ in range(40)]
    value = np.zeros(1, dtype=np.int8)
    for length in range(4000):
        before = [growing.view.base for growing in together]
        for growing in together:
            growing.append(value)
        copied = sum(growing.view.base is not old for growing, old in zip(together, before, strict=True))
        assert length < 1000 or copied <= 4
