"""Messages of a schema file, each word checked. `docs/schemas.md`, `resources/schemas/README.md`: the format."""

from __future__ import annotations

import re
from collections.abc import Mapping

from analyzer.protocols.teeworlds.json_node import Node
from analyzer.protocols.teeworlds.layout import ENCODINGS, ConnlessType, ItemType, MessageField, MessageType, When
from analyzer.protocols.teeworlds.schema_members import (
    DIRECTIONS,
    bounds,
    optional_flag,
    optional_text,
    read_identity,
    table_kind,
)
from analyzer.protocols.teeworlds.schema_tables import Tables
from analyzer.protocols.teeworlds.values import INT_KINDS, Kind

MAX_MESSAGE_NUMBER = 65535
MESSAGE_STRINGS = frozenset(("str", "str!", "str!!"))
OTHER_KINDS = frozenset(("raw", "uuid", "text", "address", "group"))
CONNLESS_NAME = 4
"""Characters of the name of a connectionless message."""


def _message_kind(node: Node, tables: Tables) -> Kind:
    kind = table_kind(node, tables)
    if kind is not None:
        return kind
    name = node.text()
    if name in MESSAGE_STRINGS:
        return Kind(name, "str")
    if name in OTHER_KINDS or re.fullmatch(r"raw[1-9]\d{0,3}", name):
        return Kind(name, name.rstrip("0123456789"))
    if name.startswith("item:"):
        return Kind(name, "item")
    raise node.error(
        "str, str!, str!!, text, uuid, raw, rawN, address, group, item:X, enum:X, flags:X, owned:X or one of "
        + ", ".join(sorted(INT_KINDS))
    )


def _message_fields(nodes: list[Node], tables: Tables, slots: int) -> tuple[MessageField, ...]:
    fields: list[MessageField] = []
    for node in nodes:
        members = node.record(
            ("name", "kind"),
            (
                *("count", "times", "rest", "optional", "when", "range", "length", "secret"),
                *("labels", "keys", "named", "encoding", "fields", "note"),
            ),
        )
        kind = _message_kind(members["kind"], tables)
        to_the_end = kind.name == "raw" and "rest" in members
        counted = kind.name == "raw" and not to_the_end
        if "length" not in members if counted else "length" in members and kind.base != "item":
            raise node.error("a 'length' if the kind is raw, unless it takes the 'rest', or item:X, and only then")
        if sum(key in members for key in ("count", "times", "rest")) > 1:
            raise node.error("one of 'count', 'times' and 'rest'")
        if kind.base in ("item", "raw") and not to_the_end and members.keys() & {"rest", "count", "times"}:
            raise node.error("no repetition of this kind")
        single = [field for field in fields if _decides(field)]
        lengths = [field.name for field in single if field.kind.base == "int"]
        parsed = MessageField(
            name=members["name"].text(),
            kind=kind,
            count=members["count"].integer(1, 1000) if "count" in members else 1,
            optional=optional_flag(members, "optional"),
            rest=optional_flag(members, "rest"),
            range=bounds(members["range"], slots) if "range" in members else None,
            length=members["length"].one_of(lengths) if "length" in members else "",
            secret=optional_flag(members, "secret"),
            labels=_name_list(members, "labels", tables),
            keys=_name_list(members, "keys", tables),
            times=members["times"].one_of(lengths) if "times" in members else "",
            when=_when(members["when"], single) if "when" in members else None,
            named=members["named"].numbered() if "named" in members else None,
            item=_item_named(members["kind"], tables) if kind.base == "item" else None,
            encoding=members["encoding"].one_of(ENCODINGS) if "encoding" in members else "",
            fields=_message_fields(members["fields"].entries(), tables, slots) if "fields" in members else (),
            note=optional_text(members, "note"),
        )
        if (kind.name == "group") != bool(parsed.fields):
            raise node.error("'fields' if the kind is group, and only then")
        if parsed.secret and kind.name not in MESSAGE_STRINGS:
            raise members["secret"].error("false, unless the kind is one of " + ", ".join(sorted(MESSAGE_STRINGS)))
        if parsed.encoding and kind.base not in (*INT_KINDS, "enum", "flags"):
            raise node.error("an 'encoding' of numbers only")
        if fields and fields[-1].rest:
            raise node.error("nothing after a field that takes the rest")
        if any(parsed.name == other.name for other in fields):
            raise members["name"].error("a name that no other field has")
        fields.append(parsed)
    return tuple(fields)


def _decides(field: MessageField) -> bool:
    """Is it read exactly once, and as a number, so that others can depend on it?"""
    return not (field.count > 1 or field.rest or field.times or field.when or field.encoding == "decimal")


def _name_list(members: Mapping[str, Node], key: str, tables: Tables) -> tuple[str, ...]:
    name_lists = tables.all_name_lists()
    return name_lists[members[key].one_of(name_lists)] if key in members else ()


def _when(node: Node, earlier: list[MessageField]) -> When:
    members = node.record(("field", "values"), ())
    decider = members["field"].one_of(field.name for field in earlier if field.kind.base in ("int", "enum", "bool"))
    return When(decider, tuple(value.integer() for value in members["values"].entries()))


def _item_named(node: Node, tables: Tables) -> ItemType:
    name = node.text().partition(":")[2]
    items = tables.all_items()
    if name not in items:
        raise node.error("the name of an item")
    return items[name]


def add_message(tables: Tables, node: Node, slots: int) -> None:
    """Read an entry of "messages". Raises `SchemaError`."""
    members = node.record(
        ("name", "system", "fields"), ("number", "uuid_name", "uuid", "direction", "vital", "unused", "note")
    )
    identity = read_identity(node, members, "number")
    uuid_name = optional_text(members, "uuid_name")
    message = MessageType(
        name=members["name"].text(),
        system=members["system"].flag(),
        number=members["number"].integer(0, MAX_MESSAGE_NUMBER) if "number" in members else None,
        uuid_name=uuid_name,
        uuid=identity,
        direction=members["direction"].one_of(DIRECTIONS) if "direction" in members else "both",
        vital=optional_flag(members, "vital"),
        unused=optional_flag(members, "unused"),
        fields=_message_fields(members["fields"].entries(), tables, slots),
        note=optional_text(members, "note"),
    )
    for other in tables.messages:
        same_key = (message.system, message.number, message.uuid) == (other.system, other.number, other.uuid)
        alike = message.name == other.name and (message.number is None) == (other.number is None)
        if same_key or (alike and not message.unused):
            raise node.error(f"a name and a number or UUID of its own, unlike {other.name}")
    tables.places["message", message.name] = node.place
    tables.messages.append(message)


def add_connless(tables: Tables, node: Node, slots: int) -> None:
    """Read an entry of "connless". Raises `SchemaError`."""
    members = node.record(("name", "title", "direction", "fields"), ("note",))
    message = ConnlessType(
        name=members["name"].text(),
        title=members["title"].text(),
        direction=members["direction"].one_of(DIRECTIONS),
        fields=_message_fields(members["fields"].entries(), tables, slots),
        note=optional_text(members, "note"),
    )
    if len(message.name) != CONNLESS_NAME:
        raise members["name"].error(f"{CONNLESS_NAME} characters")
    if any(message.name == other.name for other in tables.connless):
        raise members["name"].error("a name that no other message has")
    tables.connless.append(message)
