"""JSON values that know their place."""

from __future__ import annotations

import pytest

from analyzer.protocols.teeworlds.json_node import Node, SchemaError

NODE = Node("s.json", "", {"a": [1, {"b": "x"}], "n": {"-1": "minus", "20": "twenty"}})


def test_places_are_paths() -> None:
    inner = NODE.members()["a"].entries()[1].members()["b"]
    assert (inner.where, inner.text()) == ("a[1].b", "x")
    assert str(inner.error("a number")) == 's.json: a[1].b: expected a number, found "x"'
    assert str(NODE.error("a list")).startswith("s.json: top level: expected a list, found {")


def test_numbers_as_keys() -> None:
    assert NODE.members()["n"].numbered() == {-1: "minus", 20: "twenty"}


@pytest.mark.parametrize("key", ["", "01", "+1", "1.0", " 1", "-", "12345678901", "١"])
def test_key_that_is_no_number(key: str) -> None:
    with pytest.raises(SchemaError, match="expected a number as its key"):
        Node("s.json", "", {key: "x"}).numbered()


@pytest.mark.parametrize("value", [None, 1.0, "1", True, 11, [1]])
def test_value_that_is_no_integer_in_range(value: object) -> None:
    with pytest.raises(SchemaError, match="expected a whole number from 0 to 10"):
        Node("s.json", "", value).integer(0, 10)


def test_record_refuses_missing_and_unknown_members() -> None:
    node = Node("s.json", "a", {"x": 1, "y": 2})
    assert set(node.record(("x",), ("y", "z"))) == {"x", "y"}
    with pytest.raises(SchemaError, match="a: expected an object with 'z'"):
        node.record(("x", "z"), ("y",))
    with pytest.raises(SchemaError, match=r"a\.y: expected no member of this name, but x, found 2"):
        node.record(("x",), ())
