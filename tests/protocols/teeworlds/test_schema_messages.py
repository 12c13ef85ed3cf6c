"""Messages of schema files: what is wrong with one is said with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.protocols.base import SchemaError
from analyzer.protocols.teeworlds.schema_file import read_tables
from tests.protocols.teeworlds.schema_texts import (
    MESSAGE,
    TOP,
    N,
    R,
    S,
    check_error,
    message,
    message_fields,
    write,
)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (message(direction="up"), "s.json: messages[0].direction: expected one of server, client, both, none, found"),
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
def test_error_in_a_message(tmp_path: Path, content: object, error: str) -> None:
    check_error(tmp_path, content, error)


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


@pytest.mark.parametrize("kind", ["int", "text", "raw3"])
def test_only_strings_are_secret(tmp_path: Path, kind: str) -> None:
    fields = message_fields({"name": "p", "kind": kind, "secret": True})
    with pytest.raises(SchemaError, match=r"\.secret: expected false, unless the kind is one of str, str!, str!!, fo"):
        read_tables(write(tmp_path, fields))
