"""Everything that leaves the tool is one valid line, whatever it holds."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.cli.output import Column, bracketed, csv_lines, json_text, one_line, table_lines

ANY_TEXT = st.text(st.characters(exclude_categories=()))


def test_json_has_no_nan_no_bytes_and_no_numpy() -> None:
    value = {"nan": float("nan"), "inf": [float("inf")], "raw": b"\x01\xff", "number": np.int64(7), 3: (1, None)}
    assert json.loads(json_text(value)) == {"nan": "nan", "inf": ["inf"], "raw": "01ff", "number": 7, "3": [1, None]}


def test_json_is_compact_and_keeps_scripts() -> None:
    assert json_text({"player": "ねこ", "n": 1}) == '{"player":"ねこ","n":1}'


@given(ANY_TEXT)
def test_json_survives_the_way_out(text: str) -> None:
    """Lone surrogates (from file names and hostile names) leave as escapes, which JSON reads back as the same."""
    written = json_text([text]).encode("utf-8", "backslashreplace").decode("utf-8")
    assert json.loads(written) == json.loads(json.dumps([text]))


@given(ANY_TEXT)
def test_one_line_is_one_line_and_cannot_drive_a_terminal(text: str) -> None:
    shown = one_line(text)
    assert shown.isprintable()
    assert len(shown.splitlines()) <= 1


def test_plain_text_is_left_alone() -> None:
    assert one_line("nameless tee ä") == "nameless tee ä"
    assert one_line("a\x1b[2Jb\n") == "a\\x1b[2Jb\\n"


def test_csv_quotes_and_reads_back() -> None:
    records = [
        {"a": 'say "hi", you', "b": None, "c": True},
        {"a": "two\nlines", "b": 5, "c": ["x", "y"]},
    ]
    text = "\n".join(csv_lines(["a", "b", "c"], records))
    assert list(csv.reader(io.StringIO(text))) == [
        ["a", "b", "c"],
        ['say "hi", you', "", "true"],
        ["two\\nlines", "5", "x y"],
    ]
    assert len(text.splitlines()) == 3


def test_table_aligns() -> None:
    columns = (Column("name"), Column("n", right=True), Column("rest"))
    assert list(table_lines(columns, [("a", "1", "x"), ("long", "1,000", "")])) == [
        "name      n  rest",
        "a         1  x",
        "long  1,000",
    ]


def test_table_streams_past_the_rows_it_measured() -> None:
    rows = [("x", "1")] * 400 + [("wider than all", "2")]
    lines = list(table_lines((Column("name"), Column("n", right=True)), rows))
    assert len(lines) == 402
    assert lines[-1] == "wider than all  2"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("5  grabbed", "5 (grabbed)"), ("42 ms", "42 ms"), ("", ""), ('"a  b"', '"a  b"')],
)
def test_meaning_in_brackets(text: str, sentence: str) -> None:
    assert bracketed(text) == sentence
