"""What tests of schema files write: the least that an item, a message and a file need, with other members added."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyzer.protocols.base import SchemaError
from analyzer.protocols.teeworlds.schema_file import read_tables

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


def check_error(folder: Path, content: object, error: str) -> None:
    """Such a file is refused, with this beginning of the sentence."""
    with pytest.raises(SchemaError) as raised:
        read_tables(write(folder, content))
    # All of it is written in one line; what cannot be read has none.
    assert str(raised.value).replace("s.json, line 1: ", "s.json: ").startswith(error)
