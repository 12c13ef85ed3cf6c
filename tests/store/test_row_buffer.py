"""Growing arrays: what was added stays whatever room is made, and used memory is given back."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.store.row_buffer import SMALLEST, RowBuffer, RowNumbers, place_of

INT64 = st.integers(-(2**63), 2**63 - 1)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.tuples(INT64, INT64, INT64)),
        st.tuples(st.just("put"), st.tuples(INT64, INT64, INT64)),
        st.tuples(st.just("fill"), st.lists(st.tuples(INT64, INT64, INT64), max_size=40)),
        st.tuples(st.just("reserve"), st.integers(0, 100)),
        st.tuples(st.just("clear"), st.none()),
    ),
    max_size=40,
)


@given(STEPS)
def test_a_buffer_is_a_list_of_rows(steps: list[tuple[str, object]]) -> None:
    """`fill` is what a kernel does: it writes behind the rows in use and raises the count."""
    counts = np.zeros(3, np.int64)
    buffer = RowBuffer(3, counts, 1)
    model: list[tuple[int, ...]] = []
    for what, value in steps:
        if what == "add":
            assert buffer.add(*value) == len(model)
            model.append(value)
        elif what == "put" and model:
            buffer.put(len(model) // 2, *value)
            model[len(model) // 2] = value
        elif what == "fill":
            buffer.reserve(len(value))
            for row in value:
                buffer.matrix[counts[1]] = row
                counts[1] += 1
            model += value
        elif what == "reserve":
            buffer.reserve(value)
            assert len(buffer.matrix) >= len(model) + value
        elif what == "clear":
            buffer.clear()
            model.clear()
            assert buffer.matrix.nbytes == 0
        assert (len(buffer), counts.tolist()) == (len(model), [0, len(model), 0])
        assert buffer.taken().tolist() == [list(row) for row in model]
        assert len(buffer.matrix) <= max(SMALLEST, 2 * len(model) + 200)


def test_room_doubles() -> None:
    buffer = RowBuffer(2, np.zeros(1, np.int64), 0)
    rooms = []
    for row in range(4 * SMALLEST + 1):
        buffer.add(row, -row)
        rooms.append(len(buffer.matrix))
    assert sorted(set(rooms)) == [SMALLEST, 2 * SMALLEST, 4 * SMALLEST, 8 * SMALLEST]
    assert buffer.taken().tolist() == [[row, -row] for row in range(4 * SMALLEST + 1)]


def test_what_is_not_a_row_is_refused() -> None:
    buffer = RowBuffer(2, np.zeros(1, np.int64), 0)
    for values in ((1,), (1, 2, 3), (1, 2**63)):
        with pytest.raises(struct.error):
            buffer.add(*values)
    assert len(buffer) == 0


@given(st.lists(st.lists(st.integers(0, 2**31 - 1), max_size=20), max_size=12))
def test_numbers_are_looked_up(batches: list[list[int]]) -> None:
    numbers = RowNumbers()
    model: list[int] = []
    for batch in batches:
        numbers.extend(np.array(batch, dtype=np.int64))
        model += batch
        assert len(numbers) == len(model)
    assert list(numbers) == model
    local = np.arange(-3, len(model))
    assert numbers.placed[place_of(local)].tolist() == [-1, -1, -1, *model]
    assert [numbers[number] for number in local.tolist()] == [-1, -1, -1, *model]


def test_numbers_not_given_yet_are_refused() -> None:
    numbers = RowNumbers()
    numbers.extend([5, 6, 7])
    for local in (3, 4, 1000):
        with pytest.raises(IndexError):
            numbers[local]
        with pytest.raises(IndexError):
            numbers.placed[place_of(np.array([0, local]))]
