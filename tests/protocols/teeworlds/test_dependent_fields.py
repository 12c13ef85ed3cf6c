"""Fields of messages that depend on others: how often, whether at all, how their numbers are sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from analyzer.protocols.teeworlds.messages import explain_body, read_message
from analyzer.protocols.teeworlds.schema import load, seven_schema
from analyzer.wire.reader import Reader, Trace, Value
from analyzer.wire.varint import pack

N = {"name": "n", "kind": "int"}
WHEN_5 = {"field": "n", "values": [5]}
Explained = tuple[list[tuple[str, Value, str]], list[str]]
Explain = Callable[[list[dict[str, object]], bytes], Explained]


@pytest.fixture
def explain(tmp_path: Path) -> Explain:
    """Name, value and text of the fields that a message of these fields shows, and the notes."""

    def explained(fields: list[dict[str, object]], body: bytes) -> Explained:
        message = {"system": True, "number": 1, "name": "M", "direction": "both", "vital": True, "fields": fields}
        lists = {"K": ["a", "b"]}
        content = {"format": 1, "title": "t", "name_lists": lists, "messages": [message]}
        path = tmp_path / "s.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        schema = load(path)
        trace = Trace()
        reader = Reader(pack(3) + body, trace=trace)
        explain_body(reader, read_message(reader, schema), schema)
        assert reader.left == 0
        return [(field.name, field.value, field.text) for field in trace.fields[1:]], trace.notes

    return explained


def test_repeated_as_often_as_another_says(explain: Explain) -> None:
    fields = [N, {"name": "s", "kind": "str", "times": "n"}, {"name": "m", "kind": "int"}]
    assert explain(fields, b"\x02a\0b\0\x05")[0] == [("n", 2, ""), ("s[0]", "a", ""), ("s[1]", "b", ""), ("m", 5, "")]
    assert explain(fields, b"\x00\x05")[0] == [("n", 0, ""), ("m", 5, "")]
    assert explain(fields, b"\x40\x05")[0] == [("n", -1, ""), ("m", 5, "")]


def test_there_only_if_another_has_a_value(explain: Explain) -> None:
    fields = [N, {"name": "s", "kind": "str", "when": {"field": "n", "values": [1, -1]}}]
    assert explain(fields, b"\x01a\0")[0] == [("n", 1, ""), ("s", "a", "")]
    assert explain(fields, b"\x40a\0")[0] == [("n", -1, ""), ("s", "a", "")]
    assert explain(fields, b"\x02")[0] == [("n", 2, "")]


def test_repetitions_with_names_in_brackets(explain: Explain) -> None:
    found, _ = explain([{"name": "n", "kind": "bool", "count": 3, "keys": "K"}], b"\x00\x01\x00")
    assert [name for name, _, _ in found] == ["n[a]", "n[b]", "n[2]"]


def test_encodings(explain: Explain) -> None:
    fields = [N | {"name": name, "encoding": name} for name in ("byte", "big16", "decimal")]
    assert explain(fields, b"\xff\x01\x02-12\0") == ([("byte", 255, ""), ("big16", 258, ""), ("decimal", -12, "")], [])
    assert explain(fields, b"\xff\x01\x02x\0") == (
        [("byte", 255, ""), ("big16", 258, ""), ("decimal", "x", "")],
        ["decimal: not a number"],
    )


def test_the_rest_as_bytes(explain: Explain) -> None:
    fields = [N, {"name": "r", "kind": "raw", "rest": True}]
    assert explain(fields, b"\x01abc")[0] == [("n", 1, ""), ("r", b"abc", "")]
    assert explain(fields, b"\x01")[0] == [("n", 1, ""), ("r", b"", "")]


def test_what_takes_no_bytes_is_not_repeated_for_ever(explain: Explain) -> None:
    inner = [N, {"name": "s", "kind": "str", "when": WHEN_5}]
    found, notes = explain([{"name": "g", "kind": "group", "fields": inner, "rest": True}], b"\x01\x01")
    assert [name for name, _, _ in found] == ["g[0]", "g[1]"]
    assert notes == []
    empty = [
        N,
        {"name": "r", "kind": "group", "fields": [{"name": "x", "kind": "raw2", "optional": True}], "times": "n"},
    ]
    found, _ = explain(empty, b"\xbf\xff\xff\xff\x0f")
    assert [name for name, _, _ in found] == ["n", "r[0]"]


def test_flags_without_a_name_go() -> None:
    shown = seven_schema().value_texts(11, [0x1FF, 0, 0], {})
    assert shown[0].endswith(", clients make it 255")
    assert "clients make" not in seven_schema().value_texts(11, [0xFF, 0, 0], {})[0]
