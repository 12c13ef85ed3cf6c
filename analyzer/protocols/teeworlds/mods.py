"""What mods add to a dialect: the schema files in use, combined with the dialect's own. `docs/schemas.md` tells people.

Which files are in use is one immutable value that `use` replaces as a whole: other threads see the old one or the new.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from analyzer.protocols.base import SchemaError
from analyzer.protocols.teeworlds.layout import ItemType, MessageType, has_password
from analyzer.protocols.teeworlds.schema import Schema, index, own_schema, own_tables
from analyzer.protocols.teeworlds.schema_file import read_families, read_tables
from analyzer.protocols.teeworlds.schema_tables import Tables

Entry = TypeVar("Entry", ItemType, MessageType)
Base = tuple[str, str]
"""A dialect's own schema file under `resources/`, and its family: what a mod's file says it is for."""


@dataclass(frozen=True, slots=True)
class Mods:
    """Schema files, and the schemas that they make with those of the dialects."""

    files: tuple[Path, ...] = ()
    schemas: Mapping[Base, Schema] = field(default_factory=dict)
    """Those that differ from the dialect's own."""

    def schema(self, base: Base) -> Schema:
        """Items and messages of a dialect, with what the files add."""
        return self.schemas.get(base) or own_schema(base[0])


class _Use:
    """The files in use."""

    mods = Mods()


def in_use() -> Mods:
    """The files in use now."""
    return _Use.mods


def use(mods: Mods) -> None:
    """From now on messages and items are read and named so. Flows that are being read keep what they began with."""
    _Use.mods = mods


def read_mods(files: Sequence[Path], bases: Iterable[Base]) -> Mods:
    """Read schema files and combine them with each of `bases` that they are for. Raises `SchemaError`."""
    if not files:
        return Mods()
    families = [read_families(file) for file in files]
    schemas: dict[Base, Schema] = {}
    for base in bases:
        own = own_tables(base[0])
        wanted = [file for file, named in zip(files, families, strict=True) if base[1] in named]
        tables = [read_tables(file, own) for file in wanted]
        if tables:
            schemas[base] = index(combined(own, tables))
    return Mods(tuple(files), schemas)


def combined(own: Tables, added: Sequence[Tables]) -> Tables:
    """A dialect's tables with those of mods. What the dialect has gives way to what has the same number or UUID.

    Raises `SchemaError`, which names both places, where two files say something of the same number, UUID or name.
    """
    items = _merged(own.items, [(tables, tables.items) for tables in added], _item_key, "item")
    messages = _merged(own.messages, [(tables, tables.messages) for tables in added], _message_key, "message")
    with_password = {_message_key(message): message for message in own.messages if has_password(message)}
    messages = [_kept_secret(message, with_password.get(_message_key(message))) for message in messages]
    title = ", ".join((own.title, *(tables.title for tables in added)))
    # A later one of a name counts.
    connless = [*own.connless, *(entry for tables in added for entry in tables.connless)]
    return Tables(title, own.slots, enums=own.enums, flags=own.flags, items=items, messages=messages, connless=connless)


def _kept_secret(message: MessageType, own: MessageType | None) -> MessageType:
    return message if own is None or message is own else replace(message, replaces=own)


def _merged(
    own: Sequence[Entry], added: Sequence[tuple[Tables, list[Entry]]], key_of: Callable[[Entry], Hashable], what: str
) -> list[Entry]:
    by_key: dict[Hashable, Entry] = {}
    places: dict[Hashable, str] = {}
    for tables, entries in added:
        for entry in entries:
            key, place = key_of(entry), tables.places[what, entry.name]
            if key in by_key:
                name = by_key[key].name
                raise SchemaError(f"{place}: {what} {entry.name} has the number or UUID of {name} in {places[key]}")
            if (what, entry.name) in places:
                raise SchemaError(f"{place}: the name {entry.name} is also that of {places[what, entry.name]}")
            by_key[key] = entry
            places[key] = places[what, entry.name] = place
    kept: list[Entry] = [entry for entry in own if key_of(entry) not in by_key]
    replaced = {entry.name for entry in own if key_of(entry) in by_key}
    for entry in kept:
        if (what, entry.name) in places and entry.name not in replaced and not _is_unused(entry):
            raise SchemaError(
                f"{places[what, entry.name]}: the dialect has another {what} that is called {entry.name}; "
                "to replace that one, give this its number or uuid_name"
            )
    kept.extend(by_key.values())
    return kept


def _is_unused(entry: Entry) -> bool:
    return isinstance(entry, MessageType) and entry.unused


def _item_key(item: ItemType) -> Hashable:
    return item.type if item.uuid is None else item.uuid


def _message_key(message: MessageType) -> Hashable:
    return message.system, message.number if message.uuid is None else message.uuid
