"""The capture's clock: the latest time so far, for any frame, however the frames came in batches."""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analyzer.engine.clock import Clock
from analyzer.store.tables import Tables

TIMES = st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=30)


@given(times=TIMES, cuts=st.sets(st.integers(1, 29)), together=st.integers(1, 20), data=st.data())
def test_the_latest_time_up_to_a_frame(times: list[int], cuts: set[int], together: int, data: st.DataObject) -> None:
    clock, frames = Clock(together), Tables().frames
    edges = [0, *sorted(cut for cut in cuts if cut < len(times)), len(times)]
    expected = list(accumulate(times, max))
    for first, stop in pairwise(edges):
        clock.advance(first, np.array(times[first:stop]))
        columns = {spec.name: [0] * (stop - first) for spec in frames.specs}
        frames.append({**columns, "time_ns": times[first:stop]}, stop - first)
        assert clock.now_ns == expected[stop - 1]
    rows = sorted(data.draw(st.sets(st.integers(0, len(times) - 1))))
    found = clock.at(np.array(rows, dtype=np.int64), frames)
    assert found.tolist() == [expected[row] for row in rows]
