"""Items of schema files: what is wrong with one is said with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.protocols.teeworlds.schema_texts import (
    ITEM,
    TOP,
    X,
    check_error,
    item,
    item_field,
)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (item(size=2), "s.json: items[0].size: expected 1, the sum of its fields, found 2"),
        (item(type=0x4000), "s.json: items[0].type: expected a whole number from 0 to 16383"),
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
    ],
)
def test_error_in_an_item(tmp_path: Path, content: object, error: str) -> None:
    check_error(tmp_path, content, error)
