"""Round numbers at the axes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ui.charts.scale import grid, range_words, seconds, steady


@given(st.floats(2.0, 1e9))
def test_three_or_four_whole_numbers_from_zero(top: float) -> None:
    lines = grid(top)
    assert lines[0] == 0
    assert 3 <= len(lines) <= 4
    assert lines[-1] <= top
    assert all(line == int(line) for line in lines)
    assert len(set(np.diff(lines))) == 1


def test_samples() -> None:
    assert grid(3900) == [0, 1000, 2000, 3000]
    assert grid(1080) == [0, 500, 1000]
    assert grid(4.3) == [0, 2, 4]
    assert grid(1.2) == [0, 1]


def test_times() -> None:
    assert [text for _, text in seconds(0.9, 6.0, 5)] == ["2 s", "4 s", "6 s"]
    assert [text for _, text in seconds(1.0, 1.05, 5)] == ["1.00 s", "1.01 s", "1.02 s", "1.03 s", "1.04 s", "1.05 s"]
    assert seconds(0.0, 5000.0, 5)[1] == (1000.0, "1\u202f000 s")


@given(st.floats(0, 1e5), st.floats(0.02, 1e5), st.integers(2, 12))
def test_not_more_times_than_fit(start: float, width: float, most: int) -> None:
    found = seconds(start, start + width, most)
    assert len(found) <= most + 1
    assert all(start - width * 1e-3 <= time <= start + width * 1.001 for time, _ in found)
    assert len({text for _, text in found}) == len(found)


def test_a_range_is_said_as_finely_as_it_is_wide() -> None:
    assert range_words((0.0, 23.04), None, None) == ("0.0 – 23.0 s", "")
    assert range_words((1.0, 2.5), None, None) == ("1.00 – 2.50 s", "")
    assert range_words((1.0, 1.125), None, None) == ("1.000 – 1.125 s", "")


def test_a_chosen_range_also_says_its_length_and_a_pointer_where_it_is() -> None:
    assert range_words((0.0, 23.0), (1.0, 6.0), None) == ("1.00 – 6.00 s · 5.00 s", "\u0394 5.00 s")
    assert range_words((0.0, 23.0), (1.0, 6.0), 3.1234) == ("3.123 s", "")


@given(st.floats(1.0, 1e9))
def test_a_steady_axis_holds_the_value_and_little_more(top: float) -> None:
    assert top * (1 - 1e-6) <= steady(top) <= 1.4 * top


def test_a_steady_axis_does_not_creep() -> None:
    assert len({steady(top / 10) for top in range(1000, 10000)}) == 11
