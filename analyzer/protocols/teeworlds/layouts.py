"""What the schemas of all dialects name, for whoever lists fields without reading packets (spec sections 4, 8, 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.layout import ConnlessType, ItemFieldType, ItemType, MessageField, MessageType
from analyzer.protocols.teeworlds.schema import Schema
from analyzer.protocols.teeworlds.values import Kind
from analyzer.protocols.teeworlds.words import short_name
from analyzer.snapshots.layouts import Layout, LayoutField, Layouts, ValueKind

TEXTS = ("str", "text", "uuid", "address")
UNSENT = ("base", "example", "never")
"""`ids` of item types that are in no snapshot."""
YES_OR_NO = {0: "no", 1: "yes"}
CONTROL_FIELDS = {"CLOSE": (LayoutField("reason", ValueKind.TEXT, "why the peer hangs up"),)}
"""Fields of control messages that say something to a person."""


def layouts() -> Layouts:
    """Of the schemas in use now, each once; of messages also those without fields."""
    schemas: list[Schema] = []
    for dialect in DIALECTS.values():
        if dialect.schema not in schemas:
            schemas.append(dialect.schema)
    controls = dict.fromkeys(name for dialect in DIALECTS.values() for name in dialect.variant.control_names if name)
    messages = [_message(message) for schema in schemas for message in schema.messages if not message.unused]
    messages += [_message(message) for schema in schemas for message in schema.connless.values()]
    messages += [Layout(name, short_name(name), CONTROL_FIELDS.get(name, ())) for name in controls]
    items = [_item(item) for schema in schemas for item in schema.items if item.ids not in UNSENT]
    return Layouts(tuple(items), tuple(messages))


def _message(message: MessageType | ConnlessType) -> Layout:
    meaning = message.title if isinstance(message, ConnlessType) else message.note
    fields = {field.name: field for field in _message_fields(message.fields)}
    return Layout(message.name, short_name(message.name), tuple(fields.values()), meaning)


def _message_fields(fields: Iterable[MessageField]) -> Iterator[LayoutField]:
    """As `explain` names them, without the index of repetitions. Passwords are nobody's affair."""
    for field in fields:
        if field.secret:
            continue
        if field.kind.base == "group":
            yield from _message_fields(field.fields)
        elif field.kind.base == "item" and field.item is not None:
            yield from (_item_field(part, in_message=True) for part in field.item.fields)
        else:
            for name in field.labels or (field.name,):
                words = YES_OR_NO if field.kind.base == "bool" else field.kind.names
                named = {**words, **(field.named or {})}
                yield LayoutField(name, _kind(field.kind), field.note, named, field.kind.bits)


def _item(item: ItemType) -> Layout:
    return Layout(item.name, item.name, tuple(_item_field(field) for field in item.fields), item.note)


def _item_field(field: ItemFieldType, *, in_message: bool = False) -> LayoutField:
    """In messages all fields are plain numbers."""
    words = YES_OR_NO if field.shown.base == "bool" else field.shown.names
    kind = ValueKind.NUMBER if in_message else _kind(field.kind)
    return LayoutField(field.name, kind, field.note, {**words, **(field.named or {})}, field.shown.bits)


def _kind(kind: Kind) -> ValueKind:
    return ValueKind.BYTES if kind.base == "raw" else ValueKind.TEXT if kind.base in TEXTS else ValueKind.NUMBER
