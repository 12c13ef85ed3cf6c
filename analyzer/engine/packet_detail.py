"""Everything that is shown about one packet: its field tree with the delta's items by name, and where bytes came from.

The tree of a delta holds numbers; a change holds what they mean. Both know their bytes, and by those they are joined.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from analyzer.engine.query import Query
from analyzer.protocols.base import Protocol
from analyzer.snapshots.model import Change, FieldChange, JoinedDelta, Part
from analyzer.store.tables import Tables
from analyzer.wire.reader import Field, FieldTree, Span

KIND_TEXTS = {
    "added": "new item",
    "removed": "removed",
    "rewritten": "sent, nothing changed",
    "readded": "removed and sent again",
    "unknown": "differences or new values: the baseline is not known",
}
"""What a delta did to an item; of changed items the fields are counted instead."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a number of a delta means: the item's change, and the field's, where the number is a field."""

    change: Change
    field: FieldChange | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """A part of the joined delta, and the frame that brought it."""

    part: Part
    frame: int
    """From 1."""


@dataclass(frozen=True, slots=True)
class PacketDetail:
    """One packet, ready to be shown."""

    packet: int
    frame: int
    """From 1."""
    protocol: str
    """Its title; empty while the protocol is not known."""
    tree: FieldTree
    snapshot: int = -1
    """Row of the snapshot that the joined delta belongs to."""
    joined: JoinedDelta | None = None
    origins: tuple[Origin, ...] = ()
    meanings: Mapping[Span, Meaning] = field(default_factory=dict)
    """By the bytes of an entry or number of the delta."""

    def meaning(self, node: Field) -> Meaning | None:
        """What a field of the delta means; None for all others."""
        return None if node.span is None else self.meanings.get(node.span)

    def item_span(self, item: tuple[int, int], field: str = "") -> Span | None:
        """Bytes of an entry of the delta by type and id, or of one field in it. None: the delta has no such."""
        for span, meaning in self.meanings.items():
            name = "" if meaning.field is None else meaning.field.name
            if (meaning.change.type, meaning.change.id) == item and name == field:
                return span
        return None

    def origins_of(self, span: Span) -> list[Origin]:
        """The parts that brought bytes of the joined delta, in order."""
        if self.joined is None or span.buffer != len(self.tree.buffers) - 1:
            return []
        end = span.offset + span.length
        return [o for o in self.origins if o.part.offset < end and span.offset < o.part.offset + o.part.length]


def packet_detail(query: Query, tables: Tables, packet: int) -> PacketDetail:
    """Everything about a packet. An undecided one is a buffer of bytes."""
    protocol = query.protocol(packet)
    tree = query.explain(packet)
    frame = tables.packets.integer("frame", packet) + 1
    title = "" if protocol is None else protocol.title
    snapshot = tables.packets.integer("snapshot", packet)
    if not _has_snapshots(protocol) or snapshot < 0:
        return PacketDetail(packet, frame, title, tree)
    joined = query.joined(snapshot)
    if joined is None:
        return PacketDetail(packet, frame, title, tree, snapshot)
    changes = query.changes(snapshot)
    meanings = _meanings(changes)
    origins = tuple(Origin(part, tables.packets.integer("frame", part.packet) + 1) for part in joined.parts)
    named = replace(tree, fields=tuple(_named(node, meanings, changes) for node in tree.fields))
    return PacketDetail(packet, frame, title, named, snapshot, joined, origins, meanings)


def _has_snapshots(protocol: Protocol | None) -> bool:
    return protocol is not None and protocol.snapshots is not None


def _meanings(changes: Sequence[Change]) -> dict[Span, Meaning]:
    found: dict[Span, Meaning] = {}
    for change in changes:
        if change.span is not None:
            found[change.span] = Meaning(change)
        for part in change.fields:
            if part.span is not None:
                found[part.span] = Meaning(change, part)
    return found


def _named(node: Field, meanings: Mapping[Span, Meaning], changes: Sequence[Change]) -> Field:
    """The same field with the names of items and fields, and what became of them."""
    meaning = None if node.span is None else meanings.get(node.span)
    children = tuple(_named(child, meanings, changes) for child in node.children)
    if meaning is None:
        return replace(node, children=children) if children else node
    if meaning.field is not None:
        return replace(node, name=meaning.field.name, text=field_text(meaning.field), children=children)
    return replace(node, name=item_name(meaning.change), text=change_text(meaning.change), children=children)


def item_name(change: Change) -> str:
    """Name and id of an item."""
    return f"{change.name} {change.id}"


def change_text(change: Change) -> str:
    """What a delta did to an item."""
    if change.kind == "changed":
        differing = sum(bool(part.difference) for part in change.fields)
        return f"{differing} of {len(change.fields)} fields changed"
    return KIND_TEXTS[change.kind]


def bare_text(value: int, text: str) -> str:
    """What a value means; texts that begin with the number itself lose it: "126  3.9 tiles", "126 (3.9 tiles)"."""
    number = str(value)
    if text == number:
        return ""
    if text.startswith(f"{number}  "):
        return text[len(number) + 2 :]
    return text[len(number) + 2 : -1] if text.startswith(f"{number} (") and text.endswith(")") else text


def field_text(part: FieldChange) -> str:
    """Old and new value with the difference; of an unchanged or new field just what its value means."""
    if part.new is None:
        return ""
    if part.old is None:
        return part.new_text
    words = bare_text(part.new, part.new_text)
    meaning = f", {words}" if words else ""
    if not part.difference:
        return f"{part.new}{meaning}"
    return f"{part.old} -> {part.new} ({part.difference:+}){meaning}"


def sources(detail: PacketDetail, span: Span) -> tuple[Span, ...]:
    """Bytes of the other buffers that a span was made from, as far as they are in this packet."""
    found: list[Span] = []
    for origin in detail.origins_of(span):
        if origin.part.packet == detail.packet:
            start, stop = shared_bytes(origin.part, span)
            piece = part_span(detail, part_bytes(detail, origin.part), start, stop - start)
            if piece is not None:
                found.append(piece)
    for made in [span, *found]:
        unpacked_from = detail.tree.buffers[made.buffer].source
        if unpacked_from is not None:
            found.append(unpacked_from)
    return tuple(dict.fromkeys(found))


def shared_bytes(part: Part, span: Span) -> tuple[int, int]:
    """First byte of a span of the joined delta that a part brought, and the end of those; counted in the part."""
    start = max(span.offset, part.offset) - part.offset
    return start, min(span.offset + span.length, part.offset + part.length) - part.offset


def part_bytes(detail: PacketDetail, part: Part) -> bytes:
    """The bytes of a part."""
    assert detail.joined is not None
    return detail.joined.data[part.offset : part.offset + part.length]


def part_span(detail: PacketDetail, data: bytes, start: int, length: int) -> Span | None:
    """Where a packet holds bytes of a part: a piece of the field that has the part's bytes. None: it has no such."""
    for span in _holding(detail.tree.fields, data):
        return Span(span.buffer, span.offset + start, length)
    return None


def _holding(fields: tuple[Field, ...], data: bytes) -> Iterator[Span]:
    for node in fields:
        if node.span is not None and node.value == data and isinstance(node.value, bytes):
            yield node.span
        yield from _holding(node.children, data)
