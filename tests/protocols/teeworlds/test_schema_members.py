"""Kinds, bounds and identities in schema files: what is wrong with one is said with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.protocols.base import SchemaError
from analyzer.protocols.teeworlds.schema_file import read_tables
from tests.protocols.teeworlds.schema_texts import (
    ITEM,
    X,
    check_error,
    item,
    item_field,
    message,
    write,
)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (item(uuid_name="a@b"), "s.json: items[0]: expected either a type or a uuid_name"),
        (item_field(kind="enum:X"), "s.json: items[0].fields[0].kind: expected the name of an enumeration, one of E"),
        (item_field(kind="flags:X"), "s.json: items[0].fields[0].kind: expected the name of a flag set, one of F"),
        (item_field(clamp=[1]), "s.json: items[0].fields[0].clamp: expected two bounds, found [1]"),
        (item_field(clamp=[1, 0]), "s.json: items[0].fields[0].clamp: expected the lower bound first, found [1, 0]"),
        (item_field(clamp=[0, "D"]), "s.json: items[0].fields[0].clamp[1]: expected one of min, max, C, C-1, found"),
        (message(uuid_name="a@b"), "s.json: messages[0]: expected either a number or a uuid_name"),
    ],
)
def test_error_in_a_member(tmp_path: Path, content: object, error: str) -> None:
    check_error(tmp_path, content, error)


def test_bound_by_slots_needs_slots(tmp_path: Path) -> None:
    content = {"format": 1, "title": "t", "items": [ITEM | {"fields": [X | {"clamp": [0, "C-1"]}]}]}
    with pytest.raises(SchemaError, match=r"clamp\[1\]: expected one of min, max, found \"C-1\""):
        read_tables(write(tmp_path, content))
