"""Schema files: what is wrong with one is said with its place."""

from __future__ import annotations

import json
import os
import re
import uuid
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzer.protocols.base import SchemaError
from analyzer.protocols.teeworlds.schema_file import read_tables, uuid_of

X = {"at": 0, "name": "x", "kind": "int"}
ITEM = {"type": 1, "name": "A", "size": 1, "ids": "none", "fields": [X]}
MESSAGE = {"system": True, "number": 1, "name": "M", "direction": "both", "vital": True, "fields": []}
TOP = {"format": 1, "title": "t", "enums": {"E": {"-1": "a", "0": "b"}}, "flags": {"F": ["a"]}, "slots": 16}


def write(folder: Path, content: object, name: str = "s.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def item(**members: object) -> dict[str, object]:
    return TOP | {"items": [ITEM | members]}


def item_field(**members: object) -> dict[str, object]:
    return item(fields=[X | members])


def message(**members: object) -> dict[str, object]:
    return TOP | {"items": [ITEM], "messages": [MESSAGE | members]}


def message_fields(*fields: dict[str, object]) -> dict[str, object]:
    return message(fields=list(fields))


N = {"name": "n", "kind": "int"}
S = {"name": "s", "kind": "str"}
R = {"name": "r", "kind": "raw"}


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
        (item(size=2), "s.json: items[0].size: expected 1, the sum of its fields, found 2"),
        (item(type=0x4000), "s.json: items[0].type: expected a whole number from 0 to 16383"),
        (item(uuid_name="a@b"), "s.json: items[0]: expected either a type or a uuid_name"),
        (
            item(type=64, pre_agreed=True),
            "s.json: items[0].pre_agreed: expected false, unless the type is from 1 to 63",
        ),
        (item(pre_agreed=1), "s.json: items[0].pre_agreed: expected true or false, found 1"),
        (item(ids="x"), "s.json: items[0].ids: expected one of any, none, client, e"),
        (item(disguise={"at": 0, "bit": 1, "item": "B"}), "s.json: items[0].disguise.item: expected one of , found"),
        (item(fields=[X | {"at": 1}]), "s.json: items[0].fields[0].at: expected 0, where the field before it ends"),
        (item(fields=[X, X | {"at": 1}]), "s.json: items[0].fields[1].name: expected a name that no other field has"),
        (TOP | {"items": [ITEM, ITEM | {"name": "B"}]}, "s.json: items[1]: expected a name and a type or UUID of its"),
        (TOP | {"items": [ITEM, ITEM | {"type": 2}]}, "s.json: items[1]: expected a name and a type or UUID of its"),
        (
            item_field(kind="float"),
            "s.json: items[0].fields[0].kind: expected uuid, strN, enum:X, flags:X, owned:X or",
        ),
        (item_field(kind="enum:X"), "s.json: items[0].fields[0].kind: expected the name of an enumeration, one of E"),
        (item_field(kind="flags:X"), "s.json: items[0].fields[0].kind: expected the name of a flag set, one of F"),
        (item_field(clamp=[1]), "s.json: items[0].fields[0].clamp: expected two bounds, found [1]"),
        (item_field(clamp=[1, 0]), "s.json: items[0].fields[0].clamp: expected the lower bound first, found [1, 0]"),
        (item_field(clamp=[0, "D"]), "s.json: items[0].fields[0].clamp[1]: expected one of min, max, C, C-1, found"),
        (item_field(named=[]), "s.json: items[0].fields[0].named: expected an object, found []"),
        (
            item_field(select={"field": "y", "kinds": {}}),
            's.json: items[0].fields[0].select.field: expected one of x, found "y"',
        ),
        (
            item_field(select={"field": "x", "kinds": {}, "bit": 1, "sign": True}),
            "s.json: items[0].fields[0].select: expected either a bit or the sign",
        ),
        (
            item_field(select={"field": "x", "kinds": {"1": "str4"}}),
            "s.json: items[0].fields[0].select.kinds.1: expected enum:X, flags:X, owned:X or one of an",
        ),
        (item_field(reads="uuid"), "s.json: items[0].fields[0].reads: expected enum:X, flags:X, owned:X or one of an"),
        (
            item_field(reads="owned:G"),
            "s.json: items[0].fields[0].reads: expected the name of a flag set, one of F",
        ),
        (
            item(
                size=2,
                fields=[X, {"at": 1, "name": "y", "kind": "int", "select": {"field": "x", "kinds": {"3": "enum:G"}}}],
            ),
            's.json: items[0].fields[1].select.kinds.3: expected the name of an enumeration, one of E, found "enum:G"',
        ),
        (message(direction="up"), "s.json: messages[0].direction: expected one of server, client, both, none, found"),
        (message(uuid_name="a@b"), "s.json: messages[0]: expected either a number or a uuid_name"),
        (message(number=65536), "s.json: messages[0].number: expected a whole number from 0 to 65535, found 65536"),
        (
            TOP | {"messages": [MESSAGE, MESSAGE]},
            "s.json: messages[1]: expected a name and a number or UUID of its own",
        ),
        (
            message_fields(N | {"kind": "strange"}),
            "s.json: messages[0].fields[0].kind: expected str, str!, str!!, text, u",
        ),
        (
            message_fields(N | {"kind": "raw0"}),
            "s.json: messages[0].fields[0].kind: expected str, str!, str!!, text, u",
        ),
        (message_fields(N, N), "s.json: messages[0].fields[1].name: expected a name that no other field has"),
        (message_fields(N | {"rest": True}, N), "s.json: messages[0].fields[1]: expected nothing after a field that t"),
        (
            message_fields(N, N | {"name": "m", "length": "n"}),
            "s.json: messages[0].fields[1]: expected a 'length' if t",
        ),
        (message_fields(N | {"kind": "raw"}), "s.json: messages[0].fields[0]: expected a 'length' if the kind is"),
        (
            message_fields(N, {"name": "r", "kind": "raw2", "length": "n"}),
            "s.json: messages[0].fields[1]: expected a '",
        ),
        (
            message_fields(N, {"name": "i", "kind": "item:B", "length": "n"}),
            "s.json: messages[0].fields[1].kind: expected the name of an item",
        ),
        (
            message_fields(N | {"kind": "raw2", "rest": True}),
            "s.json: messages[0].fields[0]: expected no repetition of",
        ),
        (
            message_fields(N | {"kind": "raw", "length": "m"}),
            "s.json: messages[0].fields[0].length: expected one of , f",
        ),
        (message_fields(N | {"labels": "L"}), "s.json: messages[0].fields[0].labels: expected one of , found"),
    ],
)
def test_error_names_the_place(tmp_path: Path, content: object, error: str) -> None:
    with pytest.raises(SchemaError) as raised:
        read_tables(write(tmp_path, content))
    # All of it is written in one line; what cannot be read has none.
    assert str(raised.value).replace("s.json, line 1: ", "s.json: ").startswith(error)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ([N, S | {"times": "m"}], "fields[1].times: expected one of n, found"),
        ([N, S | {"times": "n", "count": 2}], "fields[1]: expected one of 'count', 'times' and 'rest'"),
        ([N | {"encoding": "decimal"}, S | {"times": "n"}], "fields[1].times: expected one of , found"),
        ([N | {"encoding": "octal"}], "fields[0].encoding: expected one of decimal, byte, big16, found"),
        ([S | {"encoding": "byte"}], "fields[0]: expected an 'encoding' of numbers only"),
        ([S, N | {"when": {"field": "s", "values": [1]}}], "fields[1].when.field: expected one of , found"),
        ([N, S | {"when": {"field": "n"}}], "fields[1].when: expected an object with 'values'"),
        ([N, S | {"when": {"field": "n", "values": ["a"]}}], "fields[1].when.values[0]: expected a whole number"),
        ([S | {"keys": "K"}], "fields[0].keys: expected one of , found"),
        ([N, R | {"length": "n", "rest": True}], "fields[1]: expected a 'length' if the kind is raw, unless it"),
        ([R | {"rest": True}, N], "fields[1]: expected nothing after a field that takes the rest"),
        ([{"name": "g", "kind": "group"}], "fields[0]: expected 'fields' if the kind is group, and only then"),
        ([N | {"fields": [S]}], "fields[0]: expected 'fields' if the kind is group, and only then"),
        ([{"name": "g", "kind": "group", "fields": [S, S]}], "fields[0].fields[1].name: expected a name that no other"),
    ],
)
def test_error_in_what_a_field_depends_on(tmp_path: Path, fields: list[dict[str, object]], error: str) -> None:
    with pytest.raises(SchemaError) as raised:
        read_tables(write(tmp_path, message_fields(*fields)))
    assert f"messages[0].{error}" in str(raised.value)


@pytest.mark.parametrize(
    ("members", "error"),
    [
        ({"name": "abc"}, "connless[0].name: expected 4 characters"),
        ({"title": ""}, "connless[0].title: expected a text"),
        ({"direction": "up"}, "connless[0].direction: expected one of server, client, both, none, found"),
        ({"fields": [N, N]}, "connless[0].fields[1].name: expected a name that no other field has"),
        ({"vital": True}, "connless[0].vital: expected no member of this name"),
    ],
)
def test_error_in_a_connectionless_message(tmp_path: Path, members: dict[str, object], error: str) -> None:
    entry = {"name": "abcd", "title": "t", "direction": "both", "fields": [N]}
    assert read_tables(write(tmp_path, TOP | {"connless": [entry]})).connless[0].name == "abcd"
    with pytest.raises(SchemaError) as raised:
        read_tables(write(tmp_path, TOP | {"connless": [entry | members]}))
    assert error in str(raised.value)
    with pytest.raises(SchemaError, match=r"connless\[1\]\.name: expected a name that no other message has"):
        read_tables(write(tmp_path, TOP | {"connless": [entry, entry]}))


def test_numbered_message_may_be_called_as_one_by_uuid(tmp_path: Path) -> None:
    by_uuid = {key: value for key, value in MESSAGE.items() if key != "number"} | {"uuid_name": "a@b"}
    tables = read_tables(write(tmp_path, TOP | {"messages": [MESSAGE, by_uuid]}))
    assert [message.name for message in tables.messages] == ["M", "M"]


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


@pytest.mark.parametrize("kind", ["int", "text", "raw3"])
def test_only_strings_are_secret(tmp_path: Path, kind: str) -> None:
    fields = message_fields({"name": "p", "kind": kind, "secret": True})
    with pytest.raises(SchemaError, match=r"\.secret: expected false, unless the kind is one of str, str!, str!!, fo"):
        read_tables(write(tmp_path, fields))


@pytest.mark.parametrize("table", ["enums", "flags", "name_lists"])
def test_name_of_a_table_is_taken(tmp_path: Path, table: str) -> None:
    content = {"format": 1, "title": "t", table: {"E": {} if table == "enums" else []}}
    write(tmp_path, content, "other.json")
    with pytest.raises(
        SchemaError, match=rf"s\.json, line 1: {table}\.E: expected a name other than E, which is taken"
    ):
        read_tables(write(tmp_path, content | {"include": ["other.json"]}))


def test_bound_by_slots_needs_slots(tmp_path: Path) -> None:
    content = {"format": 1, "title": "t", "items": [ITEM | {"fields": [X | {"clamp": [0, "C-1"]}]}]}
    with pytest.raises(SchemaError, match=r"clamp\[1\]: expected one of min, max, found \"C-1\""):
        read_tables(write(tmp_path, content))


def test_uuid_of_a_name() -> None:
    assert uuid_of("character@netobj.ddnet.tw") == uuid.UUID("76ce455b-f9eb-3a48-add7-e04b941d045c")


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
