"""Schema files of mods beside what a dialect has by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.protocols.base import SchemaError
from analyzer.protocols.teeworlds.mods import read_mods
from analyzer.protocols.teeworlds.schema import DEFAULT_SCHEMA, SEVEN_SCHEMA, default_schema
from analyzer.protocols.teeworlds.schema_tables import uuid_of
from tests.modded import FLAG, LONGER_FLAG, TURRET, X, write_mod, write_schema

DDNET = (DEFAULT_SCHEMA, "ddnet")
OLD = (DEFAULT_SCHEMA, "0.6")
SEVEN = (SEVEN_SCHEMA, "0.7")


def test_items_and_messages_are_added(tmp_path: Path) -> None:
    schema = read_mods([write_schema(tmp_path / "mod.json")], [DDNET]).schema(DDNET)
    own = default_schema()
    assert len(schema.items) == len(own.items) + 2
    assert len(schema.messages) == len(own.messages) + 2
    assert schema.by_type[TURRET].int_names[:5] == ("x", "y", "owner", "ready_tick", "mood")
    assert schema.by_type[TURRET].size == 9
    assert schema.by_uuid[uuid_of("shield@mymod.example")].name == "Shield"
    assert schema.by_message_number[False, 120].name == "Sv_Hello"
    assert schema.by_message_uuid[False, uuid_of("score@mymod.example")].name == "Sv_Score"
    assert schema.sizes == own.sizes
    assert schema.title.endswith(", My mod")


def test_one_of_the_dialects_own_is_replaced(tmp_path: Path) -> None:
    path = write_mod(
        tmp_path, items=[LONGER_FLAG], messages=[{"system": False, "number": 3, "name": "Chat", "fields": [X]}]
    )
    schema = read_mods([path], [DDNET]).schema(DDNET)
    own = default_schema()
    assert schema.by_type[FLAG].pre_agreed
    assert (own.sizes[FLAG], schema.sizes[FLAG]) == (3, 4)
    assert schema.by_message_number[False, 3].name == "Chat"
    assert (len(schema.items), len(schema.messages)) == (len(own.items), len(own.messages))


def test_the_item_of_a_disguise_is_replaced_by_one_of_another_name(tmp_path: Path) -> None:
    path = write_mod(tmp_path, items=[{"uuid_name": "projectile@netobj.ddnet.tw", "name": "Arrow", "fields": [X]}])
    schema = read_mods([path], [DDNET]).schema(DDNET)
    assert schema.describe_item(2, 0, (1, 2, 3, 1 << 9, 5, 6), {}, 0).name == "Projectile"


def test_a_new_type_can_be_agreed_beforehand(tmp_path: Path) -> None:
    items = [{"type": 40, "name": "A", "fields": [X]}, {"type": 41, "name": "B", "pre_agreed": True, "fields": [X]}]
    sizes = read_mods([write_mod(tmp_path, items=items)], [DDNET]).schema(DDNET).sizes
    assert (sizes[40], sizes[41]) == (-1, 1)


def test_a_file_is_for_the_dialects_it_names(tmp_path: Path) -> None:
    seven = write_mod(tmp_path, "seven.json", dialects=["0.7"], items=[{"type": 70, "name": "A", "fields": [X]}])
    old = write_mod(tmp_path, "old.json", dialects=["0.6"], items=[{"type": 70, "name": "B", "fields": [X]}])
    both = write_mod(tmp_path, "both.json", items=[{"type": 71, "name": "C", "fields": [X]}])
    mods = read_mods([seven, old, both], [OLD, DDNET, SEVEN])
    found = {
        base[1]: [schema.by_type[type].name for type in (70, 71) if type in schema.by_type]
        for base, schema in mods.schemas.items()
    }
    assert found == {"0.6": ["B", "C"], "ddnet": ["C"], "0.7": ["A"]}


@pytest.mark.parametrize(
    ("items", "why"),
    [
        (
            [{"type": 70, "name": "B", "fields": [X]}],
            "b.json, line 5: item B has the number or UUID of A in a.json, line 5",
        ),
        ([{"type": 71, "name": "A", "fields": [X]}], "b.json, line 5: the name A is also that of a.json, line 5"),
    ],
)
def test_contradiction_names_both_files(tmp_path: Path, items: object, why: str) -> None:
    files = [
        write_mod(tmp_path, "a.json", items=[{"type": 70, "name": "A", "fields": [X]}]),
        write_mod(tmp_path, "b.json", items=items),
    ]
    with pytest.raises(SchemaError) as raised:
        read_mods(files, [DDNET])
    assert str(raised.value) == why


def test_a_name_of_the_dialect_under_another_number(tmp_path: Path) -> None:
    path = write_mod(tmp_path, items=[{"type": 70, "name": "Flag", "fields": [X]}])
    with pytest.raises(SchemaError, match=r"mod\.json, line 5: the dialect has another item that is called Flag; "):
        read_mods([path], [DDNET])


def test_tables_of_the_dialect_can_be_referred_to(tmp_path: Path) -> None:
    fields = [
        {"name": "team", "kind": "enum:TEAM", "clamp": [-1, "C-1"]},
        {"name": "mood", "kind": "enum:MOOD"},
        {"name": "flags", "kind": "flags:PLAYERFLAG"},
    ]
    path = write_mod(tmp_path, enums={"MOOD": {"0": "calm"}}, items=[{"type": 70, "name": "A", "fields": fields}])
    item = read_mods([path], [DDNET]).schema(DDNET).by_type[70]
    assert item.fields[0].kind.names[0] == "red"
    assert item.fields[0].clamp == (-1, 127)
    assert item.fields[1].kind.names == {0: "calm"}


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({"dialects": []}, "mod.json, line 4: dialects: expected at least one of 0.6, ddnet, 0.7, found []"),
        ({"dialects": ["0.5"]}, 'mod.json, line 5: dialects[0]: expected one of 0.6, ddnet, 0.7, found "0.5"'),
    ],
)
def test_wrong_dialects(tmp_path: Path, members: dict[str, object], why: str) -> None:
    with pytest.raises(SchemaError) as raised:
        read_mods([write_mod(tmp_path, **members)], [DDNET])
    assert str(raised.value) == why


def test_wrong_content_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "mod.json"
    lines = (
        '{\n"format": 1,\n"title": "t",\n"items": [\n{"type": 70, "name": "A",\n "fields": [\n',
        '{"name": "x", "kind": "int"},\n{"name": "y",\n "kind": "meters"}]}]}',
    )
    path.write_text("".join(lines), encoding="utf-8")
    place = r"^mod\.json, line 9: items\[0\]\.fields\[1\]\.kind: expected "
    with pytest.raises(SchemaError, match=place):
        read_mods([path], [DDNET])


def test_a_uuid_may_stand_for_its_name(tmp_path: Path) -> None:
    known = uuid_of("shield@mymod.example")
    path = write_mod(tmp_path, items=[{"uuid": str(known), "name": "Shield", "fields": [X]}])
    assert read_mods([path], [DDNET]).schema(DDNET).by_uuid[known].name == "Shield"
    wrong = write_mod(tmp_path, items=[{"uuid": "shield", "name": "Shield", "fields": [X]}])
    with pytest.raises(SchemaError, match=r"items\[0\]\.uuid: expected 32 hexadecimal digits"):
        read_mods([wrong], [DDNET])


@pytest.mark.parametrize("data", [b"\xff{}", b'{"format": 1, "title": "\xe9"}'])
def test_not_utf_8(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "mod.json"
    path.write_bytes(data)
    with pytest.raises(SchemaError, match=r"^mod\.json, line 1: not UTF-8 text$"):
        read_mods([path], [DDNET])


@pytest.mark.parametrize("name", ["none.json", "folder", "a\0b"])
def test_unreadable(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(SchemaError, match=": cannot be read: "):
        read_mods([tmp_path / name], [DDNET])
