"""Schema files: what is wrong with one is said with its place."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzer.protocols.base import SchemaError
from analyzer.protocols.teeworlds.schema_file import read_tables, sources
from tests.protocols.teeworlds.schema_texts import (
    ITEM,
    MESSAGE,
    TOP,
    X,
    check_error,
    write,
)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ([], "s.json: top level: expected an object, found []"),
        ({"format": 1}, "s.json: top level: expected an object with 'title', found {\"format\": 1}"),
        (TOP | {"format": 2}, "s.json: format: expected format 1, found 2"),
        (TOP | {"extra": 2}, "s.json: extra: expected no member of this name, but connless, dialects, enums, fl"),
        (TOP | {"title": ""}, 's.json: title: expected a text, found ""'),
        (TOP | {"items": {}}, "s.json: items: expected a list, found {}"),
        (TOP | {"slots": 0}, "s.json: slots: expected a whole number from 1 to 65536, found 0"),
        (TOP | {"slots": True}, "s.json: slots: expected a whole number from 1 to 65536, found true"),
        (TOP | {"enums": {"E": {"x": "a"}}}, 's.json: enums.E.x: expected a number as its key, found "a"'),
        (TOP | {"flags": {"F": ["a"] * 33}}, "s.json: flags.F: expected at most 32 names"),
        (TOP | {"include": ["s.json"]}, "s.json: include[0]: expected a file that does not include this one"),
    ],
)
def test_error_names_the_place(tmp_path: Path, content: object, error: str) -> None:
    check_error(tmp_path, content, error)


def test_not_json(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(SchemaError, match=r"s\.json, line 1, column 2: not JSON: a name in"):
        read_tables(path)


def test_member_given_twice(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('{"format": 1, "format": 1}', encoding="utf-8")
    with pytest.raises(SchemaError, match="member 'format' stands twice in one object"):
        read_tables(path)


def test_long_value_is_shortened_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(SchemaError) as raised:
        read_tables(write(tmp_path, TOP | {"title": ["x" * 200]}))
    assert str(raised.value) == 's.json, line 1: title: expected a text, found ["' + "x" * 55 + "..."


def test_file_included_twice_is_read_once(tmp_path: Path) -> None:
    write(tmp_path, TOP, "values.json")
    write(tmp_path, {"format": 1, "title": "m", "include": ["values.json"], "items": [ITEM]}, "middle.json")
    top = {"format": 1, "title": "top", "include": ["values.json", "middle.json"], "slots": 64}
    fields = [X | {"kind": "enum:E", "clamp": ["min", "C-1"]}]
    tables = read_tables(write(tmp_path, top | {"items": [ITEM | {"type": 2, "name": "B", "fields": fields}]}))
    assert tables.title == "top"
    assert [item.name for item in tables.items] == ["A", "B"]
    assert tables.items[1].fields[0].clamp == (-0x80000000, 63)
    assert tables.items[1].fields[0].kind.names == {-1: "a", 0: "b"}


def test_include_in_a_circle(tmp_path: Path) -> None:
    write(tmp_path, TOP | {"include": ["s.json"]}, "other.json")
    with pytest.raises(
        SchemaError, match=r"other\.json, line 1: include\[0\]: expected a file that does not include this one"
    ):
        read_tables(write(tmp_path, TOP | {"include": ["other.json"]}))


@pytest.mark.parametrize("name", ["folder/../s.json", "link.json"])
def test_include_in_a_circle_under_another_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.json").symlink_to(tmp_path / "s.json")
    with pytest.raises(
        SchemaError, match=r"s\.json, line 1: include\[0\]: expected a file that does not include this one"
    ):
        read_tables(write(tmp_path, TOP | {"include": [name]}))


@pytest.mark.parametrize(
    ("name", "reason"),
    [("none.json", "No such file or directory"), (".", "Is a directory"), ("\0", "embedded null byte")],
)
def test_include_that_cannot_be_read(tmp_path: Path, name: str, reason: str) -> None:
    expected = f"s.json, line 1: include[0]: expected a file that can be read ({reason}), found {json.dumps(name)}"
    with pytest.raises(SchemaError, match=re.escape(expected)):
        read_tables(write(tmp_path, TOP | {"include": [name]}))


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    """A pipe might never begin, a device never end."""
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    with pytest.raises(SchemaError, match=r"^pipe\.json: cannot be read: it is not a file$"):
        read_tables(pipe)
    with pytest.raises(SchemaError, match=r"\(it is not a file\), found"):
        read_tables(write(tmp_path, TOP | {"include": ["pipe.json"]}))


@pytest.mark.parametrize("table", ["enums", "flags", "name_lists"])
def test_name_of_a_table_is_taken(tmp_path: Path, table: str) -> None:
    content = {"format": 1, "title": "t", table: {"E": {} if table == "enums" else []}}
    write(tmp_path, content, "other.json")
    with pytest.raises(
        SchemaError, match=rf"s\.json, line 1: {table}\.E: expected a name other than E, which is taken"
    ):
        read_tables(write(tmp_path, content | {"include": ["other.json"]}))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 70) | st.sampled_from(["x", "C", "int", "str4", "enum:E", "none"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*X, *ITEM, *MESSAGE]), inner),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([*TOP, "items", "messages", "include", "name_lists"]), JSON)
def test_any_member_is_taken_or_refused(tmp_path: Path, key: str, value: object) -> None:
    with suppress(SchemaError):
        read_tables(write(tmp_path, TOP | {key: value}))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([*ITEM, "uuid_name", "disguise"]), JSON, st.sampled_from([*MESSAGE, "uuid_name"]), JSON)
def test_any_entry_is_taken_or_refused(tmp_path: Path, key: str, value: object, other: str, second: object) -> None:
    content = TOP | {"items": [ITEM, ITEM | {key: value}], "messages": [MESSAGE | {other: second}]}
    with suppress(SchemaError):
        read_tables(write(tmp_path, content))


def test_sources_are_all_that_a_file_draws_on(tmp_path: Path) -> None:
    """Whatever is wrong with them: what is put right must be noticed."""
    top = write(tmp_path, TOP | {"include": ["one.json", "none/two.json", "nul\0.json"]})
    assert sources(top) == [top]
    write(tmp_path, TOP | {"include": ["one.json", "none/two.json"]})
    write(tmp_path, TOP | {"include": ["three.json", "s.json"]}, "one.json")
    (tmp_path / "three.json").write_text("{", encoding="utf-8")
    assert sources(top) == [top, *(tmp_path / name for name in ("one.json", "none/two.json", "three.json"))]
    (tmp_path / "link.json").symlink_to(top)
    assert sources(tmp_path / "link.json") == sources(top)
    assert sources(tmp_path / "nothing.json") == [tmp_path / "nothing.json"]
