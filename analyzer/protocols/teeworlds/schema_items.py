"""Items of a schema file, each word checked. `docs/schemas.md`, `resources/schemas/README.md`: the format."""

from __future__ import annotations

import re
from dataclasses import replace

from analyzer.protocols.teeworlds.delta import AGREED_TYPES
from analyzer.protocols.teeworlds.json_node import Node
from analyzer.protocols.teeworlds.layout import ID_SCHEMES, Disguise, ItemFieldType, ItemType, Select, int_names
from analyzer.protocols.teeworlds.schema_members import bounds, optional_flag, optional_text, read_identity, table_kind
from analyzer.protocols.teeworlds.schema_tables import FIRST_UUID_TYPE, Tables
from analyzer.protocols.teeworlds.values import INT_KINDS, Kind

MAX_ITEM_INTS = 16384


def _item_kind(node: Node, tables: Tables) -> Kind:
    kind = table_kind(node, tables)
    if kind is not None:
        return kind
    name = node.text()
    if name == "uuid":
        return Kind(name, name, ints=4)
    digits = re.fullmatch(r"str([1-9]\d?)", name)
    if digits is None:
        raise node.error("uuid, strN, enum:X, flags:X, owned:X or one of " + ", ".join(sorted(INT_KINDS)))
    return Kind(name, "str", ints=int(digits[1]))


def _item_fields(nodes: list[Node], tables: Tables, slots: int) -> tuple[ItemFieldType, ...]:
    fields: list[ItemFieldType] = []
    selects: dict[int, Node] = {}
    at = 0
    for node in nodes:
        members = node.record(
            ("name", "kind"), ("at", "count", "clamp", "masked", "default", "named", "select", "reads", "note")
        )
        if "at" in members and members["at"].integer() != at:
            raise members["at"].error(f"{at}, where the field before it ends")
        parsed = ItemFieldType(
            name=members["name"].text(),
            kind=_item_kind(members["kind"], tables),
            at=at,
            count=members["count"].integer(1, MAX_ITEM_INTS) if "count" in members else 1,
            clamp=bounds(members["clamp"], slots) if "clamp" in members else None,
            default=members["default"].integer() if "default" in members else None,
            named=members["named"].numbered() if "named" in members else None,
            masked=optional_flag(members, "masked"),
            reads=_int_kind(members["reads"], tables) if "reads" in members else None,
            note=optional_text(members, "note"),
        )
        if any(parsed.name == other.name for other in fields):
            raise members["name"].error("a name that no other field has")
        if "select" in members:
            selects[len(fields)] = members["select"]
        fields.append(parsed)
        at = parsed.end
        if at > MAX_ITEM_INTS:
            raise node.error(f"at most {MAX_ITEM_INTS} ints in an item")
    for number, node in selects.items():
        fields[number] = replace(fields[number], select=_select(node, fields, tables))
    return tuple(fields)


def _int_kind(node: Node, tables: Tables) -> Kind:
    kind = table_kind(node, tables)
    if kind is None:
        raise node.error("enum:X, flags:X, owned:X or one of " + ", ".join(sorted(INT_KINDS)))
    return kind


def _select(node: Node, fields: list[ItemFieldType], tables: Tables) -> Select:
    members = node.record(("field", "kinds"), ("bit", "sign"))
    if "bit" in members and "sign" in members:
        raise node.error("either a bit or the sign")
    places = {field.name: field.at for field in fields}
    choices = members["kinds"]
    return Select(
        places[members["field"].one_of(places)],
        {
            value: _int_kind(replace(choices, where=f"{choices.where}.{value}", value=name), tables)
            for value, name in choices.numbered().items()
        },
        members["bit"].integer(0, 31) if "bit" in members else -1,
        optional_flag(members, "sign"),
    )


def add_item(tables: Tables, node: Node, slots: int) -> None:
    """Read an entry of "items". Raises `SchemaError`."""
    members = node.record(
        ("name", "fields"), ("type", "uuid_name", "uuid", "size", "ids", "pre_agreed", "event", "note", "disguise")
    )
    identity = read_identity(node, members, "type")
    fields = _item_fields(members["fields"].entries(), tables, slots)
    uuid_name = optional_text(members, "uuid_name")
    names = tuple(name for field in fields for name in int_names(field))
    type = members["type"].integer(0, FIRST_UUID_TYPE - 1) if "type" in members else None
    item = ItemType(
        name=members["name"].text(),
        type=type,
        uuid_name=uuid_name,
        uuid=identity,
        size=members["size"].integer(0, MAX_ITEM_INTS) if "size" in members else len(names),
        pre_agreed=members["pre_agreed"].flag() if "pre_agreed" in members else _is_agreed(tables, type),
        ids=members["ids"].one_of(ID_SCHEMES) if "ids" in members else "any",
        event=optional_flag(members, "event"),
        fields=fields,
        int_names=names,
        int_fields=tuple(field for field in fields for _ in range(field.end - field.at)),
        disguise=_disguise(members["disguise"], tables) if "disguise" in members else None,
        note=optional_text(members, "note"),
    )
    if item.size != len(item.int_names):
        raise members["size"].error(f"{len(item.int_names)}, the sum of its fields")
    if item.pre_agreed and (item.type is None or not 0 < item.type < AGREED_TYPES):
        raise members["pre_agreed"].error(f"false, unless the type is from 1 to {AGREED_TYPES - 1}")
    for other in tables.items:
        if item.name == other.name or (item.type, item.uuid) == (other.type, other.uuid):
            raise node.error(f"a name and a type or UUID of its own, unlike {other.name}")
    tables.places["item", item.name] = node.place
    tables.items.append(item)


def _is_agreed(tables: Tables, type: int | None) -> bool:
    """Of an item that replaces a known one, as of that; a new one carries its size."""
    below = tables.known.items if tables.known is not None else []
    return type is not None and any(item.type == type and item.pre_agreed for item in below)


def _disguise(node: Node, tables: Tables) -> Disguise:
    members = node.record(("at", "bit", "item"), ())
    return Disguise(
        members["at"].integer(0, MAX_ITEM_INTS),
        members["bit"].integer(0, 30),
        members["item"].one_of(tables.all_items()),
    )
