"""Rows of a group stand together, in their own order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analyzer.stats.groups import stable_order


@given(groups=st.lists(st.integers(0, 5) | st.just(70_000), max_size=60))
def test_rows_stand_by_group_and_then_as_they_came(groups: list[int]) -> None:
    found = stable_order(np.array(groups, dtype=np.int64)).tolist()
    assert found == sorted(range(len(groups)), key=groups.__getitem__)
