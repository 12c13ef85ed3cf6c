"""State of the server by ticks and bases (spec section 15.3)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.pace import pace

NONE = -1


@pytest.mark.parametrize(
    ("sent", "index", "state", "per_second"),
    [
        ([(80, NONE), (90, NONE), (100, NONE)], 1, "INIT", 5.0),
        ([(90, NONE)], 0, "INIT", None),
        ([(100, NONE)], 0, "", None),
        ([(100, NONE), (110, NONE)], 0, "INIT", None),
        ([(100, NONE), (150, NONE), (200, NONE)], 2, "RECOVER", 1.0),
        ([(80, NONE), (82, 80), (84, 82), (86, 82)], 3, "FULL", 25.0),
        ([(80, NONE), (81, 80), (82, 80), (83, 80)], 3, "FULL", 50.0),
        ([(84, 82), (86, NONE), (100, NONE), (150, NONE)], 1, "RECOVER", None),
        ([(84, 82), (86, NONE), (100, NONE), (150, NONE), (200, NONE)], 4, "RECOVER", 1.0),
        ([(600, NONE), (602, NONE), (604, NONE)], 1, "FULL", 25.0),
        ([(80, NONE), (90, NONE), (92, 90)], 0, "INIT", None),
    ],
)
def test_state(sent: list[tuple[int, int]], index: int, state: str, per_second: float | None) -> None:
    ticks, bases = np.array(sent, dtype=np.int32).T
    found = pace(ticks, bases, index)
    assert (found.state, found.per_second) == (state, per_second)
    assert found.reason


@given(sent=st.lists(st.tuples(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1)), min_size=1))
def test_any_ticks_have_an_answer(sent: list[tuple[int, int]]) -> None:
    ticks, bases = np.array(sent, dtype=np.int32).T
    for index in range(len(sent)):
        assert pace(ticks, bases, index).state in ("INIT", "FULL", "RECOVER", "")
