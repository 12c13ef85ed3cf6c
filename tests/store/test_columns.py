"""Columns and tables: what was appended comes back, whatever chunk it lies in, and amendments are journalled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.store.chunk_memory import ChunkMemory
from analyzer.store.columns import CHUNK_ROWS, Column, ColumnSpec, Table, places_of
from analyzer.store.journal import Amendment, Journal, JournalReader
from analyzer.store.pieces import PIECE_BYTES

SPECS = (
    ColumnSpec("number", "i4", "a number"),
    ColumnSpec("late", "i2", "known later", -1),
    ColumnSpec("flag", "?", "known later", False),
    ColumnSpec("text", "O", "an object"),
    ColumnSpec("note", "O", "known later", ""),
)


def table() -> tuple[Table, JournalReader]:
    journal = Journal()
    return Table("things", SPECS, journal), journal.reader()


def filled(count: int) -> tuple[Table, JournalReader]:
    """`count` published rows with their own row number."""
    made, journal = table()
    assert made.append({"number": np.arange(count), "text": [f"t{row}" for row in range(count)]}, count) == 0
    made.publish()
    return made, journal


@pytest.mark.parametrize("count", [0, 1, CHUNK_ROWS - 1, CHUNK_ROWS, CHUNK_ROWS + 1, 2 * CHUNK_ROWS + 1])
def test_rows_at_chunk_borders(count: int) -> None:
    column = Column(ColumnSpec("n", "i4", ""))
    column.append(np.arange(count))
    assert column.slice(0, count).tolist() == list(range(count))
    assert column.nbytes == 4 * count
    for row in {0, CHUNK_ROWS - 1, CHUNK_ROWS, CHUNK_ROWS + 1, count - 1}:
        if 0 <= row < count:
            assert column.get(row) == row
            assert isinstance(column.get(row), int)


@pytest.mark.parametrize("first", [CHUNK_ROWS - 1, CHUNK_ROWS, CHUNK_ROWS + 1])
def test_appending_goes_on_where_a_chunk_ended(first: int) -> None:
    made, _ = filled(first)
    assert made.append({"number": [7, 8, 9], "text": ["a", "b", "c"]}, 3) == first
    assert made.columns["number"].slice(first - 2, first + 3).tolist() == [first - 2, first - 1, 7, 8, 9]
    assert made.columns["text"].slice(first - 1, first + 3).tolist() == [f"t{first - 1}", "a", "b", "c"]
    assert (len(made), made.appended) == (first, first + 3)


def test_take_and_put_across_chunks() -> None:
    column = Column(ColumnSpec("n", "i4", "", 0))
    column.append(np.arange(2 * CHUNK_ROWS + 10))
    rows = np.array([2 * CHUNK_ROWS + 9, 0, CHUNK_ROWS, CHUNK_ROWS - 1, 0])
    assert column.take(rows).tolist() == rows.tolist()
    assert column.take(np.empty(0, np.int64)).tolist() == []
    column.put(places_of(rows[:4]), np.array([-1, -2, -3, -4]))
    assert column.take(rows).tolist() == [-1, -2, -3, -4, -2]
    assert column.slice(CHUNK_ROWS - 2, CHUNK_ROWS + 2).tolist() == [CHUNK_ROWS - 2, -4, -3, CHUNK_ROWS + 1]
    column.put(places_of(np.empty(0, np.int64)), np.empty(0, np.int32))


def test_of_a_row_put_twice_the_last_value_stays() -> None:
    made, _ = filled(3)
    made.amend("late", [1, 2, 1], [5, 6, 7])
    assert made.array("late").tolist() == [-1, 7, 6]


def test_a_slice_is_a_copy() -> None:
    made, _ = filled(3)
    made.array("number")[0] = 99
    assert made.integer("number", 0) == 0


def test_rows_are_visible_once_published() -> None:
    made, journal = table()
    made.append({"number": [1, 2], "text": ["a", "b"]}, 2)
    assert len(made) == 0
    assert made.array("number").tolist() == []
    made.amend("late", [0, 1], [3, 4])
    assert len(journal) == 0
    made.publish()
    assert made.row(1) == {"number": 2, "late": 4, "flag": False, "text": "b", "note": ""}
    assert made.integers("late").dtype == np.int64


def test_amendments_of_published_rows_are_journalled() -> None:
    made, journal = filled(CHUNK_ROWS + 5)
    made.append({"number": [0], "text": [""]}, 1)
    made.amend("late", [CHUNK_ROWS + 2, CHUNK_ROWS - 3, CHUNK_ROWS + 5], [1, 2, 3])
    made.amend("note", iter([0]), iter(["x"]))
    made.amend("flag", [], [])
    made.amend("flag", [CHUNK_ROWS + 5], [True])
    late = Amendment("things", "late", CHUNK_ROWS - 3, CHUNK_ROWS + 3)
    assert journal.take() == (late, Amendment("things", "note", 0, 1))
    assert made.take("late", np.array([CHUNK_ROWS - 3, CHUNK_ROWS + 2, CHUNK_ROWS + 5])).tolist() == [2, 1, 3]
    assert made.text("note", 0) == "x"
    assert made.get("flag", CHUNK_ROWS + 5) is True


def test_objects_are_kept_as_they_are() -> None:
    """numpy alone would make a matrix of sequences of equal length."""
    made, _ = table()
    values: list[object] = [(1, 2), [3, 4], {"a": 1}]
    made.append({"number": [0, 1, 2], "text": values, "note": [b"", None, (5, 6)]}, 3)
    made.publish()
    assert [made.get("text", row) for row in range(3)] == values
    assert made.get("text", 1) is values[1]
    made.amend("note", [0, 1], [(7, 8), (9, 10)])
    assert made.array("note").tolist() == [(7, 8), (9, 10), (5, 6)]


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"text": ["a"]}, ValueError),
        ({"number": [1]}, ValueError),
        ({"number": [1], "text": ["a"], "nubmer": [1]}, ValueError),
        ({"number": [1, 2], "text": ["a"]}, ValueError),
        ({"number": [1], "text": []}, ValueError),
        ({"number": [[1]], "text": ["a"]}, ValueError),
        ({"number": [1 << 31], "text": ["a"]}, OverflowError),
        ({"number": [1], "text": ["a"], "late": [1 << 15]}, OverflowError),
    ],
    ids=["missing", "missing object", "unknown", "longer", "shorter", "matrix", "overflow", "late overflow"],
)
def test_refused_rows_leave_no_trace(values: dict[str, Sequence[object]], error: type[Exception]) -> None:
    made, _ = filled(2)
    before = made.nbytes
    with pytest.raises(error):
        made.append(values, 1)
    assert (made.appended, made.nbytes) == (2, before)
    made.append({"number": [5], "text": ["after"]}, 1)
    made.publish()
    assert made.row(2) == {"number": 5, "late": -1, "flag": False, "text": "after", "note": ""}


@pytest.mark.parametrize("value", [-(1 << 31) - 1, 1 << 31, -(1 << 63), (1 << 63) - 1])
def test_arrays_of_numbers_too_large_are_refused(value: int) -> None:
    """numpy alone would wrap them round."""
    made, journal = filled(2)
    with pytest.raises(OverflowError):
        made.append({"number": np.array([1, value]), "text": ["a", "b"]}, 2)
    with pytest.raises(OverflowError):
        made.amend("late", np.array([0, 1]), np.array([1, value]))
    assert made.appended == 2
    assert made.array("late").tolist() == [-1, -1]
    assert len(journal) == 0


def test_arrays_are_amended_as_they_are() -> None:
    made, journal = filled(3)
    made.amend("late", np.array([2, 0, 2]), np.array([5, -(1 << 15), (1 << 15) - 1]))
    made.amend("flag", np.array([1]), np.array([1]))
    made.amend("note", np.array([0]), np.array([(1, 2), None], dtype="O")[:1])
    made.amend("late", np.empty(0, np.int64), np.empty(0, np.int64))
    assert made.array("late").tolist() == [-(1 << 15), -1, (1 << 15) - 1]
    assert made.array("flag").tolist() == [False, True, False]
    assert made.text("text", 0) == "t0"
    assert made.get("note", 0) == (1, 2)
    assert [entry.column for entry in journal.take()] == ["late", "flag", "note"]


def test_wrong_kinds_of_value_are_refused() -> None:
    made, _ = filled(1)
    with pytest.raises(AssertionError):
        made.integer("text", 0)
    with pytest.raises(AssertionError):
        made.text("number", 0)


ROW = st.fixed_dictionaries(
    {"number": st.integers(-(2**31), 2**31 - 1), "text": st.one_of(st.text(max_size=3), st.tuples(st.integers()))}
)
STEP = st.one_of(
    st.tuples(st.just("append"), st.lists(ROW, max_size=5)),
    st.tuples(st.just("publish"), st.none()),
    st.tuples(
        st.just("amend"), st.lists(st.tuples(st.integers(0, 10**6), st.integers(-(2**15), 2**15 - 1)), max_size=4)
    ),
)


@given(offset=st.integers(-6, 2), steps=st.lists(STEP, max_size=12))
def test_a_table_is_a_list_of_records(offset: int, steps: list[tuple[str, Any]]) -> None:
    """The border of a chunk lies somewhere among the rows that are added."""
    made, journal = filled(CHUNK_ROWS + offset)
    start = made.appended - 3
    model: list[dict[str, object]] = [
        {"number": row, "late": -1, "flag": False, "text": f"t{row}", "note": ""} for row in range(start, start + 3)
    ]
    published = 3
    entries: list[Amendment] = []
    for what, given_rows in steps:
        if what == "append":
            columns = {name: [row[name] for row in given_rows] for name in ("number", "text")}
            assert made.append(columns, len(given_rows)) == start + len(model)
            model += [{"late": -1, "flag": False, "note": "", **row} for row in given_rows]
        elif what == "publish":
            made.publish()
            published = len(model)
        else:
            changes = [(row % len(model), value) for row, value in given_rows]
            made.amend("late", [start + row for row, _ in changes], [value for _, value in changes])
            for row, value in changes:
                model[row]["late"] = value
            seen = [start + row for row, _ in changes if row < published]
            if seen:
                entries.append(Amendment("things", "late", min(seen), max(seen) + 1))
    assert len(made) == start + published
    assert [made.row(start + row) for row in range(len(model))] == model
    for name in ("number", "late", "flag", "text", "note"):
        assert made.array(name, start).tolist() == [row[name] for row in model[:published]]
    rows = np.arange(start, start + len(model))[::-1]
    assert made.take("number", rows).tolist() == [row["number"] for row in reversed(model)]
    assert journal.take() == tuple(entries)


def test_amended_together_is_amended_one_by_one() -> None:
    rows = np.array([5, CHUNK_ROWS + 1, 2, CHUNK_ROWS, 5], dtype=np.int64)
    values = {"late": np.array([1, 2, 3, 4, 5]), "flag": np.array([True, True, False, True, True])}
    made = []
    for together in (True, False):
        journal = Journal()
        table = Table("t", SPECS, journal)
        count = CHUNK_ROWS + 2
        table.append({"number": np.arange(count), "text": ["x"] * count}, count)
        table.publish(CHUNK_ROWS)
        reader = journal.reader()
        if together:
            table.amend_together(rows, values)
        else:
            for name, given_values in values.items():
                table.amend(name, rows, given_values)
        made.append(([table.array(name, 0, count).tolist() for name in values], reader.take()))
    assert made[0] == made[1]
    assert made[0][0][0][2] == 3
    assert made[0][0][0][5] == 5
    with pytest.raises(OverflowError):
        table.amend_together(rows, {"flag": values["flag"], "late": np.full(5, 1 << 20)})


@given(batches=st.lists(st.lists(st.text(), max_size=6), max_size=6), data=st.data())
def test_texts_that_move_read_like_others(batches: list[list[str]], data: st.DataObject) -> None:
    moving, staying = (
        Table("things", (ColumnSpec("text", "O", "a text", "", moves=moves),), Journal()) for moves in (True, False)
    )
    for batch in batches:
        for table in (moving, staying):
            table.append({"text": batch}, len(batch))
            table.publish()
    count = len(staying)
    if count:
        rows = data.draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=4))
        for table in (moving, staying):
            table.amend("text", rows, [f"new {row}" for row in rows])
        assert moving.take("text", np.array(rows)).tolist() == staying.take("text", np.array(rows)).tolist()
        assert [moving.text("text", row) for row in rows] == [staying.text("text", row) for row in rows]
    assert moving.array("text").tolist() == staying.array("text").tolist()


def test_texts_move_past_the_limit(tmp_path: Path) -> None:
    memory = ChunkMemory(1 << 20, tmp_path)
    table = Table("things", (ColumnSpec("text", "O", "a text", moves=True),), Journal(), memory)
    texts = [f"text {row} {'x' * 50}" for row in range(CHUNK_ROWS)]
    for _ in range(4):
        table.append({"text": texts}, CHUNK_ROWS)
    table.publish()
    column = table.columns["text"]
    assert memory.held <= (1 << 20) + 8 * CHUNK_ROWS + PIECE_BYTES
    assert column.in_file >= column.nbytes * 3 // 4
    assert column.nbytes == 4 * (8 * CHUNK_ROWS + sum(map(len, texts)))
    assert column.object_bytes() == 0
    assert table.text("text", CHUNK_ROWS + 5) == texts[5]
