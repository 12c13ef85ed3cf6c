"""JSON with lines: the same values as the standard library's reader, and every place named."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.json_text import MAX_DEPTH, JsonError, LinedDict, LinedList, read_json
from analyzer.resources import resource

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_values_are_those_of_the_standard_library(value: object, indent: int | str | None, plain: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=plain)
    assert read_json(text) == (json.loads(text), 1)


@given(st.text(alphabet='[]{}:,"\\u0d8x1e.-+ \n\ttrufalsn', max_size=24))
def test_any_text_is_read_alike_or_refused(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(JsonError) as raised:
            read_json(text)
        assert 1 <= raised.value.line <= text.count("\n") + 1
        assert raised.value.column >= 1
        return
    with suppress(_TwiceError):
        assert _read(text) == expected


class _TwiceError(Exception):
    """The standard library takes the last of two members of a name."""


def _read(text: str) -> object:
    try:
        return read_json(text)[0]
    except JsonError as error:
        if "stands twice" in error.text:
            raise _TwiceError from error
        raise


@pytest.mark.parametrize("name", ["teeworlds-0.6-ddnet", "teeworlds-0.7", "teeworlds-values", "teeworlds-ddnet"])
def test_own_files(name: str) -> None:
    text = resource(f"schemas/{name}.json").read_text(encoding="utf-8")
    assert read_json(text)[0] == json.loads(text)


def test_lines() -> None:
    value, line = read_json('\n{"a": 1,\n "b":\n [2,\n\n 3, {"c": "x\\ny"}]}')
    assert line == 2
    assert isinstance(value, LinedDict)
    assert value.lines == {"a": 2, "b": 3}
    entries = value["b"]
    assert isinstance(entries, LinedList)
    assert entries.lines == [4, 6, 6]


HALF = "a character is written by half, \\ud800 to \\udfff only count in pairs"


@pytest.mark.parametrize(
    ("text", "line", "column", "why"),
    [
        ("", 1, 1, "the text ends too early"),
        ("[1,\n 2\n 3]", 3, 2, "a comma or ] is expected behind an entry"),
        ('{"a": 1\n "b": 2}', 2, 2, "a comma or } is expected behind a member"),
        ("[1,\n]", 1, 3, "no comma is expected before ]"),
        ('{"a": 1,\n}', 1, 8, "no comma is expected before }"),
        ('{"a"\n 1}', 2, 2, "a colon is expected behind a name"),
        ("{a: 1}", 1, 2, "a name in double quotes is expected"),
        ("[tru]", 1, 2, "a value is expected"),
        ("[NaN]", 1, 2, "a value is expected"),
        ('{"a": 1,\n "a": 2}', 2, 2, "member 'a' stands twice in one object"),
        ("1\n1", 2, 1, "nothing is expected behind the last bracket"),
        ('["a\nb"]', 1, 4, "invalid control character"),
        ('["a', 1, 2, "unterminated string starting"),
        ("[" * (MAX_DEPTH + 1), 1, MAX_DEPTH + 1, f"more than {MAX_DEPTH} brackets are open here"),
        (
            '["a",\n "\\ud800\\udc00 \\udc00"]',
            2,
            2,
            "a character is written by half, \\ud800 to \\udfff only count in pairs",
        ),
        ("9" * 401, 1, 1, "a number has more than 400 digits"),
    ],
)
def test_wrong_text_is_told_with_line_and_column(text: str, line: int, column: int, why: str) -> None:
    with pytest.raises(JsonError) as raised:
        read_json(text)
    assert (raised.value.line, raised.value.column, raised.value.text) == (line, column, why)
