"""The fields that schemas name: of messages, of items of snapshots, and of what deltas change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from analyzer.filters.fields import FieldInfo
from analyzer.filters.kinds import Kind, Owner
from analyzer.filters.terms import ItemTerm, MessageTerm
from analyzer.snapshots.layouts import Layout, LayoutField, ValueKind

CHANGE_KINDS = {
    "added": "items that were not in the base",
    "changed": "items of the base with a difference",
    "removed": "items of the base that are gone",
    "rewritten": "items that were sent without a difference",
    "readded": "items that were removed and sent in one delta",
    "unknown": "items that were sent, but the base is not known",
}
"""Kinds of changes, as `changes` prints them, and what they are."""


def spelled(name: str) -> str:
    """A name of a schema as it is written in filters: signs that have no place there are underscores."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def message_fields(messages: Iterable[Layout]) -> Iterator[FieldInfo]:
    """Fields of the messages that are called alike, each once."""
    found: dict[str, list[Layout]] = {}
    for message in messages:
        found.setdefault(spelled(message.short).lower(), []).append(message)
    for short, alike in found.items():
        names = frozenset(message.name for message in alike)
        merged: dict[str, list[LayoutField]] = {}
        for message in alike:
            for part in message.fields:
                merged.setdefault(part.name, []).append(part)
        for name, parts in merged.items():
            full = f"message.{short}.{spelled(name)}"
            title = f"{alike[0].short}: {parts[0].meaning or name.replace('_', ' ')}"
            yield _schema_field(full, title, Owner.MESSAGE, parts, message=MessageTerm(names, name))


def item_fields(items: Iterable[Layout]) -> Iterator[FieldInfo]:
    """Of each type: that items of it are there, their ids, their owners, their fields; and the same of changes."""
    found: dict[str, list[Layout]] = {}
    for item in items:
        found.setdefault(item.name, []).append(item)
    for name, alike in found.items():
        merged: dict[str, list[LayoutField]] = {}
        for item in alike:
            for part in item.fields:
                merged.setdefault(part.name, []).append(part)
        meaning = next((item.meaning for item in alike if item.meaning), "")
        yield from _fields_of_items(name, merged, meaning)
        yield from _fields_of_changes(name, merged)


def _fields_of_items(name: str, fields: Mapping[str, list[LayoutField]], meaning: str) -> Iterator[FieldInfo]:
    stem = f"item.{spelled(name)}"
    title = f"items of this type in the rebuilt snapshot{f': {meaning}' if meaning else ''}"
    yield FieldInfo(stem, Kind.PRESENCE, title, Owner.ITEM, f"count({stem}) > 2", item=ItemTerm(False, name))
    yield FieldInfo(
        f"{stem}.id", Kind.NUMBER, "id of the item", Owner.ITEM, f"{stem}.id == 0", item=ItemTerm(False, name, "", "id")
    )
    if "owner" not in fields:
        own = ItemTerm(False, name, "", "owner")
        yield FieldInfo(f"{stem}.owner", Kind.TEXT, "name of the player whose item it is", Owner.ITEM, item=own)
    for field_name, parts in fields.items():
        if field_name != "id":
            title = parts[0].meaning or field_name.replace("_", " ")
            yield _schema_field(
                f"{stem}.{spelled(field_name)}", title, Owner.ITEM, parts, item=ItemTerm(False, name, field_name)
            )


def _fields_of_changes(name: str, fields: Mapping[str, list[LayoutField]]) -> Iterator[FieldInfo]:
    stem = f"change.{spelled(name)}"
    yield FieldInfo(
        stem, Kind.PRESENCE, "the delta says something of such an item", Owner.ITEM, stem, item=ItemTerm(True, name)
    )
    for kind, title in CHANGE_KINDS.items():
        own = ItemTerm(True, name, "", kind)
        yield FieldInfo(f"{stem}.{kind}", Kind.PRESENCE, title, Owner.ITEM, f"count({stem}.{kind}) > 1", item=own)
    for part, title in {"id": "id of the item", "bits": "bits that the change took"}.items():
        if part not in fields:
            own = ItemTerm(True, name, "", part)
            yield FieldInfo(f"{stem}.{part}", Kind.NUMBER, title, Owner.ITEM, f"{stem}.{part} > 20", item=own)
    for field_name, parts in fields.items():
        if field_name in CHANGE_KINDS:
            continue
        title = parts[0].meaning or field_name.replace("_", " ")
        numbers = [LayoutField(part.name, ValueKind.NUMBER, part.meaning, part.words, part.bits) for part in parts]
        for part, words in {
            "": "new value, where it was sent and differs",
            "old": "value in the base, where it differs",
            "difference": "difference on the wire, where it is not 0",
        }.items():
            full = f"{stem}.{spelled(field_name)}{f'.{part}' if part else ''}"
            own = ItemTerm(True, name, field_name, part or "new")
            shown = numbers if part != "difference" else [LayoutField(field_name, ValueKind.NUMBER)]
            yield _schema_field(full, f"{title}: {words}", Owner.ITEM, shown, item=own)


_KINDS = {ValueKind.NUMBER: Kind.NUMBER, ValueKind.TEXT: Kind.TEXT, ValueKind.BYTES: Kind.BYTES}


def _schema_field(
    name: str,
    meaning: str,
    of: Owner,
    parts: list[LayoutField],
    *,
    message: MessageTerm | None = None,
    item: ItemTerm | None = None,
) -> FieldInfo:
    kinds = {part.kind for part in parts}
    words: dict[str, tuple[int, ...]] = {}
    bits: dict[str, int] = {}
    for part in parts:
        for number, word in part.words.items():
            known = words.get(word.lower(), ())
            words[word.lower()] = tuple(dict.fromkeys((*known, number)))
        if part.words == {0: "no", 1: "yes"}:
            words.update({"false": (0,), "true": (1,)})
        bits.update({word.lower(): 1 << place for place, word in enumerate(part.bits) if word})
    kind = _KINDS[parts[0].kind] if len(kinds) == 1 else Kind.ANY
    example = {
        Kind.NUMBER: f"{name} > 0",
        Kind.TEXT: f'{name} contains "a"',
        Kind.BYTES: f"len({name}) > 0",
        Kind.ANY: f"{name} != 0",
    }[kind]
    return FieldInfo(name, kind, meaning, of, example, words=words, bits=bits, message=message, item=item)
