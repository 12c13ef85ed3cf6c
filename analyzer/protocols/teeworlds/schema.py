"""What the numbers in items mean: names, types, units, from data files (spec sections 6.3, 10 and 11)."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

from analyzer.protocols.teeworlds.delta import AGREED_TYPES
from analyzer.protocols.teeworlds.differences import difference_text
from analyzer.protocols.teeworlds.layout import ConnlessType, ItemFieldType, ItemType, MessageType
from analyzer.protocols.teeworlds.players import client_name
from analyzer.protocols.teeworlds.schema_file import read_tables
from analyzer.protocols.teeworlds.schema_tables import FIRST_UUID_TYPE, Tables
from analyzer.protocols.teeworlds.values import (
    OWNER_BITS,
    Kind,
    explained,
    kind_text,
    readable,
    unless_plain,
    unpack_string,
)
from analyzer.resources import resource
from analyzer.snapshots.model import Item, ItemField

MAX_TYPE = 0x7FFF
DEFAULT_SCHEMA = "schemas/teeworlds-0.6-ddnet.json"
SEVEN_SCHEMA = "schemas/teeworlds-0.7.json"

TICK_KINDS = ("tick", "minus_tick")
"""Kinds that relate to the tick of the snapshot."""
REMEMBERED = 1 << 12
"""Values of which the texts are remembered: snapshots mostly hold what those before them held. Some 1 MB."""

Items = Mapping[int, tuple[int, ...]]
"""The state of a snapshot: (type << 16) | id -> values."""


@dataclass(frozen=True, slots=True)
class Schema:
    """Items and messages of one dialect. Type numbers are resolved through the declarations of the snapshot at hand."""

    title: str
    sizes: tuple[int, ...]
    """Pre-agreed number of ints by type, 64 entries; -1: the size is on the wire."""
    items: tuple[ItemType, ...]
    messages: tuple[MessageType, ...]
    by_type: Mapping[int, ItemType]
    by_uuid: Mapping[uuid.UUID, ItemType]
    by_name: Mapping[str, ItemType]
    by_message_number: Mapping[tuple[bool, int], MessageType]
    """(system, number) -> message."""
    by_message_uuid: Mapping[tuple[bool, uuid.UUID], MessageType]
    """(system, UUID) -> message."""
    connless: Mapping[str, ConnlessType]
    """Name of four characters -> message outside of any connection."""
    uuid_names: Mapping[uuid.UUID, str]
    """UUID of an item or a message -> its name."""
    guessed: Mapping[str, ItemType] = field(default_factory=dict)
    """What types look like that are not known, by what `item_name` calls them."""
    players: Mapping[int, str] | None = None
    """Names of players by client id, where snapshots do not hold them; None: they do."""

    def item_type(self, type: int, items: Items) -> ItemType | None:
        """The type behind a number in this snapshot, or a guess; None if it is not known."""
        known = self._known(type, items)
        return self.guessed.get(self.item_name(type, items)) if known is None and self.guessed else known

    def _known(self, type: int, items: Items) -> ItemType | None:
        if type < FIRST_UUID_TYPE:
            return self.by_type.get(type)
        declared = declared_uuid(type, items)
        return None if declared is None else self.by_uuid.get(declared)

    def item_name(self, type: int, items: Items) -> str:
        """Name of a type; if it is not known, a text that says so."""
        known = self._known(type, items)
        if known is not None:
            return known.name
        if not FIRST_UUID_TYPE <= type <= MAX_TYPE:
            return f"unknown type {type}"
        declared = declared_uuid(type, items)
        return f"type {type} (not declared)" if declared is None else f"unknown item {declared}"

    def field_names(self, type: int, size: int, items: Items) -> Sequence[str]:
        """A name for each of the `size` ints of an item."""
        known = self.item_type(type, items)
        names = () if known is None else known.int_names
        if size <= len(names):
            return names[:size]
        stem = "value" if known is None else "extra"
        return (*names, *(f"{stem}[{number}]" for number in range(size - len(names))))

    def is_event(self, type: int, items: Items) -> bool:
        """The item lives for one snapshot only."""
        known = self.item_type(type, items)
        return known is not None and known.event

    def value_texts(self, type: int, values: Sequence[int], items: Items, tick: int | None = None) -> list[str]:
        """The ints of an item as a person reads them; empty where the number says it all.

        `tick` is that of the snapshot, to which ticks in the item relate.
        """
        known = self.item_type(type, items)
        fields = () if known is None else known.int_fields
        texts = [
            unless_plain(self._text_among(field, _kind_among(field, values), value, tick, items), value)
            for field, value in zip(fields, values, strict=False)
        ]
        return texts + [""] * (len(values) - len(texts))

    def difference_texts(self, type: int, olds: Sequence[int], news: Sequence[int], items: Items) -> list[str]:
        """What the difference of each int of an item means; empty where it means nothing, and in events."""
        known = self.item_type(type, items)
        fields = () if known is None or known.event else known.int_fields
        texts = [
            "" if old == new else _difference(field, _kind_among(field, news), old, new)
            for field, old, new in zip(fields, olds, news, strict=False)
        ]
        return texts + [""] * (len(news) - len(texts))

    def owner(self, type: int, id: int, items: Items) -> str:
        """Name of the player whose item it is; empty if items of the type belong to nobody, or it is not known."""
        known = self.item_type(type, items)
        return self._player(id, items) if known is not None and known.ids == "client" else ""

    def _player(self, client: int, items: Items) -> str:
        return client_name(items, client) if self.players is None else self.players.get(client, "")

    def describe_item(self, type: int, id: int, values: Sequence[int], items: Items, tick: int) -> Item:
        """An item with all its fields; `tick` is the tick of its snapshot, to which ticks in the item relate."""
        values = tuple(values)
        known = self.item_type(type, items)
        name = self.item_name(type, items)
        if known is None:
            unknown = tuple(ItemField(f"value[{number}]", (value,), str(value)) for number, value in enumerate(values))
            return Item(type, id, name, values, unknown)
        real = self._undisguised(known, values)
        if real is not known:
            name = f"{known.name} ({real.name})"
        fields: list[ItemField] = []
        for layout in real.fields:
            if _stands_alone(layout) and layout.at < len(values):
                fields.append(_int_field(layout, values[layout.at]))
            else:
                fields += self._describe_field(layout, values, items, tick)
        extra = tuple(
            ItemField(f"extra[{number}]", (value,), str(value)) for number, value in enumerate(values[real.size :])
        )
        return Item(type, id, name, values, (*fields, *extra), real.event, self.owner(type, id, items))

    def _undisguised(self, known: ItemType, values: tuple[int, ...]) -> ItemType:
        mark = known.disguise
        if mark is None or len(values) <= mark.at:
            return known
        value = values[mark.at]
        # A mod may have replaced the item by one that is called otherwise.
        return self.by_name.get(mark.item, known) if value >= 0 and value >> mark.bit & 1 else known

    def _describe_field(
        self, field: ItemFieldType, values: tuple[int, ...], items: Items, tick: int
    ) -> list[ItemField]:
        parts: list[ItemField] = []
        width = field.kind.ints
        for number in range(field.count):
            start = field.at + number * width
            own = values[start : start + width]
            name = field.name if field.count == 1 else f"{field.name}[{number}]"
            parts.append(ItemField(name, own, self._field_text(field, own, values, items, tick)))
        return parts

    def _field_text(
        self, field: ItemFieldType, own: tuple[int, ...], values: tuple[int, ...], items: Items, tick: int
    ) -> str:
        if len(own) < field.kind.ints:
            if own:
                return "cut off"
            if field.default is None:
                return "not sent"
            return f"not sent, read as {_in_brackets(int_text(field, field.shown, field.default, tick))}"
        if field.kind.base == "str":
            return _packed_text(unpack_string(own))
        if field.kind.base == "uuid":
            declared = uuid_from_ints(own)
            return self.uuid_names.get(declared, "unknown") + f" ({declared})"
        return self._text_among(field, _kind_among(field, values), own[0], tick, items)

    def _text_among(self, field: ItemFieldType, kind: Kind, value: int, tick: int | None, items: Items) -> str:
        """The text of an int; a client id with the player's name."""
        if kind.base == "cid":
            name = self._player(value, items)
            if name:
                return explained(str(value), name)
        if kind.base == "owned":
            client = value & (1 << OWNER_BITS) - 1
            name = self._player(client, items)
            if name:
                return int_text(field, kind, value, None).replace(f"client {client}", f"client {client} {name}", 1)
        return int_text(field, kind, value, tick if kind.base in TICK_KINDS else None)


def _kind_among(field: ItemFieldType, values: Sequence[int]) -> Kind:
    """The kind of a field in an item with these ints."""
    selected = None if field.select is None else field.select.kind(values)
    return field.shown if selected is None else selected


@lru_cache(maxsize=REMEMBERED)
def _difference(field: ItemFieldType, kind: Kind, old: int, new: int) -> str:
    if field.named is not None and (old in field.named or new in field.named):
        return ""  # a value with a meaning of its own is no number to count from
    return difference_text(kind, old, new)


def _in_brackets(text: str) -> str:
    """A number with its meaning in brackets, for within a sentence."""
    number, _, meaning = text.partition("  ")
    return f"{number} ({meaning})" if meaning else number


def _packed_text(raw: bytes) -> str:
    """Packed text, and what clients make of it: they show nothing of text that is not UTF-8."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return f'"{readable(raw)}", not UTF-8: clients show nothing'
    return f'"{readable(raw)}"'


@cache
def _stands_alone(field: ItemFieldType) -> bool:
    """It is one int that means the same whatever stands around it."""
    alone = field.count == field.kind.ints == 1 and field.select is None
    return alone and field.shown.base not in ("cid", "owned", "str", "uuid", *TICK_KINDS)


@lru_cache(maxsize=REMEMBERED)
def _int_field(field: ItemFieldType, value: int) -> ItemField:
    return ItemField(field.name, (value,), int_text(field, field.shown, value, None))


@lru_cache(maxsize=REMEMBERED)
def int_text(field: ItemFieldType, kind: Kind, value: int, tick: int | None) -> str:
    """One int of an item, read as `kind`, and what clients make of it if that differs."""
    if field.named is not None and value in field.named:
        text = explained(str(value), field.named[value])
    else:
        text = kind_text(kind, value, tick)
    if field.clamp is not None and not field.clamp[0] <= value <= field.clamp[1]:
        low, high = field.clamp
        text += f", clients make it {min(max(value, low), high)}"
    if field.masked and value & ~((1 << len(kind.bits)) - 1):
        text += f", clients make it {value & (1 << len(kind.bits)) - 1}"
    return text


@lru_cache(maxsize=1024)
def uuid_from_ints(values: tuple[int, ...]) -> uuid.UUID:
    """The UUID that the first four ints of a declaration hold, big-endian."""
    return uuid.UUID(bytes=struct.pack(">4I", *(value & 0xFFFFFFFF for value in values[:4])))


def ints_of(uuid: uuid.UUID) -> tuple[int, int, int, int]:
    """The four ints of a declaration that hold a UUID."""
    first, second, third, fourth = struct.unpack(">4i", uuid.bytes)
    return first, second, third, fourth


def declared_uuid(type: int, items: Items) -> uuid.UUID | None:
    """The UUID that a snapshot's own declaration gives to a type number; None without declaration."""
    if not FIRST_UUID_TYPE <= type <= MAX_TYPE:
        return None
    values = items.get(type)  # declarations are of type 0, so their key is their id
    return None if values is None or len(values) < 4 else uuid_from_ints(tuple(values[:4]))


def load(path: Path) -> Schema:
    """Read a schema file and those it includes. Raises `SchemaError`, which names file, place and what was expected."""
    return index(read_tables(path))


@cache
def own_tables(name: str) -> Tables:
    """What a dialect has by itself, read when first asked for; `name` is a file under `resources/`."""
    return read_tables(resource(name))


@cache
def own_schema(name: str) -> Schema:
    """The same, to look things up in."""
    return index(own_tables(name))


def default_schema() -> Schema:
    """Teeworlds 0.6 with all of DDNet."""
    return own_schema(DEFAULT_SCHEMA)


def seven_schema() -> Schema:
    """Teeworlds 0.7, with what DDNet servers add to it."""
    return own_schema(SEVEN_SCHEMA)


def index(tables: Tables) -> Schema:
    """Tables to look things up in."""
    by_type = {item.type: item for item in tables.items if item.type is not None}
    by_uuid = {item.uuid: item for item in tables.items if item.uuid is not None}
    by_message_uuid = {
        (message.system, message.uuid): message for message in tables.messages if message.uuid is not None
    }
    pre_agreed = {type: item.size for type, item in by_type.items() if item.pre_agreed}
    return Schema(
        title=tables.title,
        sizes=tuple(pre_agreed.get(type, -1) for type in range(AGREED_TYPES)),
        items=tuple(tables.items),
        messages=tuple(tables.messages),
        by_type=by_type,
        by_uuid=by_uuid,
        by_name={item.name: item for item in tables.items},
        by_message_number={
            (message.system, message.number): message for message in tables.messages if message.number is not None
        },
        by_message_uuid=by_message_uuid,
        connless={message.name: message for message in tables.connless},
        uuid_names={uuid: item.name for uuid, item in by_uuid.items()}
        | {uuid: message.name for (_, uuid), message in by_message_uuid.items()},
    )
