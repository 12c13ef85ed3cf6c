"""Reads schema files and checks every word of them. `docs/schemas.md`, `resources/schemas/README.md`: the format."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from analyzer.protocols.base import SchemaError
from analyzer.protocols.teeworlds.json_node import Node
from analyzer.protocols.teeworlds.json_text import JsonError, read_json
from analyzer.protocols.teeworlds.layout import (
    ENCODINGS,
    ID_SCHEMES,
    ConnlessType,
    Disguise,
    ItemFieldType,
    ItemType,
    MessageField,
    MessageType,
    Range,
    Select,
    When,
    int_names,
)
from analyzer.protocols.teeworlds.values import INT_KINDS, INT_MAX, INT_MIN, Kind

FORMAT = 1
MAX_FILE_BYTES = 8 << 20
FAMILIES = ("0.6", "ddnet", "0.7")
"""What a file of a mod may be for; without a word it is for the first two."""
UUID_NAMESPACE = uuid.UUID("e05ddaaa-c4e6-4cfb-b642-5d48e80c0029")
FIRST_UUID_TYPE = 0x4000
MAX_ITEM_INTS = 16384
MAX_MESSAGE_NUMBER = 65535
SIZE_TABLE = 64
"""Types from here up always carry their size (spec section 10)."""
MESSAGE_STRINGS = frozenset(("str", "str!", "str!!"))
OTHER_KINDS = frozenset(("raw", "uuid", "text", "address", "group"))
CONNLESS_NAME = 4
"""Characters of the name of a connectionless message."""
DIRECTIONS = ("server", "client", "both", "none")


def uuid_of(name: str) -> uuid.UUID:
    """The UUID that stands for a name on the wire (spec section 7.3)."""
    return uuid.uuid3(UUID_NAMESPACE, name)


@dataclass(slots=True)
class Tables:
    """All that a schema file and those it includes say."""

    title: str = ""
    slots: int = 0
    """Client slots; 0: nobody said."""
    enums: dict[str, dict[int, str]] = field(default_factory=dict)
    flags: dict[str, tuple[str, ...]] = field(default_factory=dict)
    name_lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    items: list[ItemType] = field(default_factory=list)
    messages: list[MessageType] = field(default_factory=list)
    connless: list[ConnlessType] = field(default_factory=list)
    places: dict[tuple[str, str], str] = field(default_factory=dict)
    """("item" or "message", its name) -> file and line."""
    known: Tables | None = None
    """What this is added to: it may be referred to, and replaced."""

    def all_enums(self) -> Mapping[str, dict[int, str]]:
        """Those of what this is added to as well."""
        return self.enums if self.known is None else {**self.known.enums, **self.enums}

    def all_flags(self) -> Mapping[str, tuple[str, ...]]:
        """Those of what this is added to as well."""
        return self.flags if self.known is None else {**self.known.flags, **self.flags}

    def all_name_lists(self) -> Mapping[str, tuple[str, ...]]:
        """Those of what this is added to as well."""
        return self.name_lists if self.known is None else {**self.known.name_lists, **self.name_lists}

    def all_items(self) -> Mapping[str, ItemType]:
        """Those of what this is added to as well, by name."""
        below = self.known.items if self.known is not None else []
        return {item.name: item for item in (*below, *self.items)}


def read_tables(path: Path, known: Tables | None = None) -> Tables:
    """Read a file and those it includes. Raises `SchemaError`.

    `known`: what a mod's file adds to. The file may refer to it, and replace items and messages of it.
    """
    tables = Tables(known=known)
    _read_into(tables, Path(os.path.realpath(path)) if path.is_file() else path, [], set())
    return tables


def read_families(path: Path) -> tuple[str, ...]:
    """Which dialects a mod's file is for, of `FAMILIES`. Raises `SchemaError`."""
    members = _parse(path).members()
    if "dialects" not in members:
        return FAMILIES[:2]
    named = {node.one_of(FAMILIES) for node in members["dialects"].entries()}
    if not named:
        raise members["dialects"].error("at least one of " + ", ".join(FAMILIES))
    return tuple(family for family in FAMILIES if family in named)


def _read_into(tables: Tables, path: Path, opened: list[Path], done: set[Path]) -> None:
    top = _parse(path).record(
        ("format", "title"),
        ("dialects", "include", "slots", "enums", "flags", "name_lists", "items", "messages", "connless"),
    )
    if top["format"].integer() != FORMAT:
        raise top["format"].error(f"format {FORMAT}")
    for node in _entries(top, "include"):
        included = _included(path, node)
        if included in (*opened, path):
            raise node.error("a file that does not include this one")
        if included not in done:
            _read_into(tables, included, [*opened, path], done)
    done.add(path)
    tables.title = top["title"].text()
    slots = top["slots"].integer(1, 65536) if "slots" in top else 0 if tables.known is None else tables.known.slots
    tables.slots = slots
    for name, node in _members(top, "enums").items():
        _check_new(tables.enums, name, node)
        tables.enums[name] = node.numbered()
    for name, node in _members(top, "flags").items():
        _check_new(tables.flags, name, node)
        tables.flags[name] = tuple(entry.text() for entry in node.entries())
        if len(tables.flags[name]) > 32:
            raise node.error("at most 32 names")
    for name, node in _members(top, "name_lists").items():
        _check_new(tables.name_lists, name, node)
        tables.name_lists[name] = tuple(entry.text() for entry in node.entries())
    for node in _entries(top, "items"):
        _add_item(tables, node, slots)
    for node in _entries(top, "messages"):
        _add_message(tables, node, slots)
    for node in _entries(top, "connless"):
        _add_connless(tables, node, slots)


def _included(path: Path, node: Node) -> Path:
    """The file that one names. Raises `SchemaError`, with the place of the name, if it cannot be read."""
    try:
        included = Path(os.path.realpath(path.parent / node.text()))
        _read(included)
    except (OSError, ValueError) as error:
        raise node.error(f"a file that can be read ({_reason(error)})") from error
    return included


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)


def _read(path: Path) -> bytes:
    """The file's bytes. Raises OSError and ValueError; what is no file on a disk might never end, or never begin."""
    if path.exists() and not path.is_dir() and not path.is_file():
        raise ValueError("it is not a file")
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(f"it has more than {MAX_FILE_BYTES >> 20} MiB")
    return data


def _parse(path: Path) -> Node:
    try:
        data = _read(path)
    except (OSError, ValueError) as error:
        raise SchemaError(f"{path.name}: cannot be read: {_reason(error)}") from error
    try:
        value, line = read_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SchemaError(f"{path.name}, line {line}: not UTF-8 text") from error
    except JsonError as error:
        raise SchemaError(f"{path.name}, line {error.line}, column {error.column}: not JSON: {error.text}") from error
    return Node(path.name, "", value, line)


def _entries(top: Mapping[str, Node], key: str) -> list[Node]:
    return top[key].entries() if key in top else []


def _members(top: Mapping[str, Node], key: str) -> dict[str, Node]:
    return top[key].members() if key in top else {}


def _check_new(taken: Mapping[str, object], name: str, node: Node) -> None:
    if name in taken:
        raise node.error(f"a name other than {name}, which is taken")


def _bound(node: Node, slots: int) -> int:
    words = {"min": INT_MIN, "max": INT_MAX}
    if slots:
        words |= {"C": slots, "C-1": slots - 1}
    if isinstance(node.value, str):
        return words[node.one_of(words)]
    return node.integer()


def _range(node: Node, slots: int) -> Range:
    bounds = node.entries()
    if len(bounds) != 2:
        raise node.error("two bounds")
    low, high = (_bound(bound, slots) for bound in bounds)
    if low > high:
        raise node.error("the lower bound first")
    return low, high


def _optional_text(members: Mapping[str, Node], key: str) -> str:
    return members[key].text() if key in members else ""


def _optional_flag(members: Mapping[str, Node], key: str) -> bool:
    return key in members and members[key].flag()


def _table_kind(node: Node, tables: Tables) -> Kind | None:
    """A kind that every int of a message or an item can have."""
    name = node.text()
    base, _, table = name.partition(":")
    if name in INT_KINDS:
        return Kind(name, name)
    if base == "enum":
        enums = tables.all_enums()
        if table not in enums:
            raise node.error("the name of an enumeration, one of " + ", ".join(enums))
        return Kind(name, base, names=enums[table])
    if base in ("flags", "owned"):
        flags = tables.all_flags()
        if table not in flags:
            raise node.error("the name of a flag set, one of " + ", ".join(flags))
        return Kind(name, base, bits=flags[table])
    return None


def _item_kind(node: Node, tables: Tables) -> Kind:
    kind = _table_kind(node, tables)
    if kind is not None:
        return kind
    name = node.text()
    if name == "uuid":
        return Kind(name, name, ints=4)
    digits = re.fullmatch(r"str([1-9]\d?)", name)
    if digits is None:
        raise node.error("uuid, strN, enum:X, flags:X, owned:X or one of " + ", ".join(sorted(INT_KINDS)))
    return Kind(name, "str", ints=int(digits[1]))


def _message_kind(node: Node, tables: Tables) -> Kind:
    kind = _table_kind(node, tables)
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
            clamp=_range(members["clamp"], slots) if "clamp" in members else None,
            default=members["default"].integer() if "default" in members else None,
            named=members["named"].numbered() if "named" in members else None,
            masked=_optional_flag(members, "masked"),
            reads=_int_kind(members["reads"], tables) if "reads" in members else None,
            note=_optional_text(members, "note"),
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
    kind = _table_kind(node, tables)
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
        _optional_flag(members, "sign"),
    )


def _add_item(tables: Tables, node: Node, slots: int) -> None:
    members = node.record(
        ("name", "fields"), ("type", "uuid_name", "uuid", "size", "ids", "pre_agreed", "event", "note", "disguise")
    )
    identity = _identity(node, members, "type")
    fields = _item_fields(members["fields"].entries(), tables, slots)
    uuid_name = _optional_text(members, "uuid_name")
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
        event=_optional_flag(members, "event"),
        fields=fields,
        int_names=names,
        int_fields=tuple(field for field in fields for _ in range(field.end - field.at)),
        disguise=_disguise(members["disguise"], tables) if "disguise" in members else None,
        note=_optional_text(members, "note"),
    )
    if item.size != len(item.int_names):
        raise members["size"].error(f"{len(item.int_names)}, the sum of its fields")
    if item.pre_agreed and (item.type is None or not 0 < item.type < SIZE_TABLE):
        raise members["pre_agreed"].error(f"false, unless the type is from 1 to {SIZE_TABLE - 1}")
    for other in tables.items:
        if item.name == other.name or (item.type, item.uuid) == (other.type, other.uuid):
            raise node.error(f"a name and a type or UUID of its own, unlike {other.name}")
    tables.places["item", item.name] = node.place
    tables.items.append(item)


def _identity(node: Node, members: Mapping[str, Node], number: str) -> uuid.UUID | None:
    """The UUID of an item or message; None if it has a number instead."""
    if sum(key in members for key in (number, "uuid_name", "uuid")) != 1:
        raise node.error(f"either a {number} or a uuid_name, or a uuid if its name is not known")
    if "uuid_name" in members:
        return uuid_of(members["uuid_name"].text())
    if "uuid" not in members:
        return None
    try:
        return uuid.UUID(members["uuid"].text())
    except ValueError:
        raise members["uuid"].error("32 hexadecimal digits, such as 76ce455b-f9eb-3a48-add7-e04b941d045c") from None


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
            optional=_optional_flag(members, "optional"),
            rest=_optional_flag(members, "rest"),
            range=_range(members["range"], slots) if "range" in members else None,
            length=members["length"].one_of(lengths) if "length" in members else "",
            secret=_optional_flag(members, "secret"),
            labels=_name_list(members, "labels", tables),
            keys=_name_list(members, "keys", tables),
            times=members["times"].one_of(lengths) if "times" in members else "",
            when=_when(members["when"], single) if "when" in members else None,
            named=members["named"].numbered() if "named" in members else None,
            item=_item_named(members["kind"], tables) if kind.base == "item" else None,
            encoding=members["encoding"].one_of(ENCODINGS) if "encoding" in members else "",
            fields=_message_fields(members["fields"].entries(), tables, slots) if "fields" in members else (),
            note=_optional_text(members, "note"),
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


def _add_message(tables: Tables, node: Node, slots: int) -> None:
    members = node.record(
        ("name", "system", "fields"), ("number", "uuid_name", "uuid", "direction", "vital", "unused", "note")
    )
    identity = _identity(node, members, "number")
    uuid_name = _optional_text(members, "uuid_name")
    message = MessageType(
        name=members["name"].text(),
        system=members["system"].flag(),
        number=members["number"].integer(0, MAX_MESSAGE_NUMBER) if "number" in members else None,
        uuid_name=uuid_name,
        uuid=identity,
        direction=members["direction"].one_of(DIRECTIONS) if "direction" in members else "both",
        vital=_optional_flag(members, "vital"),
        unused=_optional_flag(members, "unused"),
        fields=_message_fields(members["fields"].entries(), tables, slots),
        note=_optional_text(members, "note"),
    )
    for other in tables.messages:
        same_key = (message.system, message.number, message.uuid) == (other.system, other.number, other.uuid)
        alike = message.name == other.name and (message.number is None) == (other.number is None)
        if same_key or (alike and not message.unused):
            raise node.error(f"a name and a number or UUID of its own, unlike {other.name}")
    tables.places["message", message.name] = node.place
    tables.messages.append(message)


def _add_connless(tables: Tables, node: Node, slots: int) -> None:
    members = node.record(("name", "title", "direction", "fields"), ("note",))
    message = ConnlessType(
        name=members["name"].text(),
        title=members["title"].text(),
        direction=members["direction"].one_of(DIRECTIONS),
        fields=_message_fields(members["fields"].entries(), tables, slots),
        note=_optional_text(members, "note"),
    )
    if len(message.name) != CONNLESS_NAME:
        raise members["name"].error(f"{CONNLESS_NAME} characters")
    if any(message.name == other.name for other in tables.connless):
        raise members["name"].error("a name that no other message has")
    tables.connless.append(message)
