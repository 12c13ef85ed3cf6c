"""Everything that is shown about one packet: its field tree with the delta's items by name, and where bytes came from.

The tree of a delta holds numbers; a change holds what they mean. Both know their bytes, and by those they are joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from analyzer.engine.garbage import no_collection
from analyzer.engine.query import Query
from analyzer.protocols.base import Protocol
from analyzer.snapshots.model import Change, FieldChange, JoinedDelta, Part
from analyzer.store.tables import Tables
from analyzer.wire.reader import Buffer, Field, FieldTree, Span, Value

KIND_TEXTS = {
    "added": "new item",
    "removed": "removed",
    "rewritten": "sent, nothing changed",
    "readded": "removed and sent again",
    "unknown": "differences or new values: the baseline is not known",
}
"""What a delta did to an item; of changed items the fields are counted instead."""
HEX_DIGITS = re.compile(r"[0-9a-f]{1,8}")


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
class Place:
    """Another packet."""

    packet: int
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
    """Row of the snapshot that the packet completed or carries a part of."""
    joined: JoinedDelta | None = None
    """Its delta; where parts never came, those that did, one after the other."""
    origins: tuple[Origin, ...] = ()
    parts: int = 0
    """Parts that the snapshot was announced to have."""
    completed_by: Place | None = None
    """The other packet that brought the last part to come; None: this one did, or none."""
    meanings: Mapping[Span, Meaning] = field(default_factory=dict)
    """By the bytes of an entry or number of the delta."""

    @property
    def missing(self) -> tuple[int, ...]:
        """Numbers of the parts that never came."""
        here = {origin.part.number for origin in self.origins}
        return tuple(number for number in range(self.parts) if number not in here) if here else ()

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
    with no_collection():
        return _packet_detail(query, tables, packet)


def _packet_detail(query: Query, tables: Tables, packet: int) -> PacketDetail:
    protocol = query.protocol(packet)
    tree = query.explain(packet)
    title = "" if protocol is None else protocol.title
    bare = PacketDetail(packet, _frame(tables, packet), title, tree)
    snapshot = query.snapshot(packet) if _has_snapshots(protocol) else -1
    if snapshot < 0:
        return bare
    joined = query.joined(snapshot)
    if joined is None:
        return _with_received(replace(bare, snapshot=snapshot), query.received(snapshot), tables)
    changes = query.changes(snapshot)
    meanings = _meanings(changes)
    fields = tuple(_named(node, meanings) for node in tree.fields)
    last = max((part.packet for part in joined.parts), default=packet)
    completed_by = None if last == packet else Place(last, _frame(tables, last))
    if completed_by is not None and fields[-1].span is not None:
        said = f"{fields[-1].text}, completed by packet {completed_by.frame}"
        fields = (*fields[:-1], replace(fields[-1], text=said))
    return replace(
        bare,
        tree=replace(tree, fields=fields),
        snapshot=snapshot,
        joined=joined,
        origins=_origins(joined, tables),
        parts=len(joined.parts),
        completed_by=completed_by,
        meanings=meanings,
    )


def _with_received(detail: PacketDetail, received: JoinedDelta, tables: Tables) -> PacketDetail:
    """The packet with a buffer of the parts that came, and fields that say which did and which did not."""
    if not received.parts:
        return detail
    tree, buffer = detail.tree, len(detail.tree.buffers)
    whole = replace(
        detail,
        joined=received,
        origins=_origins(received, tables),
        parts=tables.snapshots.integer("parts", detail.snapshot),
    )
    rows: dict[int, Field] = {number: Field(f"part {number + 1}", note="never came") for number in whole.missing}
    for origin in whole.origins:
        part = origin.part
        carrier = "this packet" if part.packet == detail.packet else f"packet {origin.frame}"
        span = Span(buffer, part.offset, part.length)
        rows[part.number] = Field(f"part {part.number + 1}", text=f"{part.length} bytes, {carrier}", span=span)
    text = f"{len(received.parts)} of {whole.parts} parts, {len(received.data)} bytes"
    span = Span(buffer, 0, len(received.data))
    group = Field("received parts", None, text, span, tuple(rows[number] for number in sorted(rows)))
    buffers = (*tree.buffers, Buffer("received parts", received.data))
    return replace(whole, tree=replace(tree, buffers=buffers, fields=(*tree.fields, group)))


def _origins(joined: JoinedDelta, tables: Tables) -> tuple[Origin, ...]:
    return tuple(Origin(part, _frame(tables, part.packet)) for part in joined.parts)


def _frame(tables: Tables, packet: int) -> int:
    return tables.packets.integer("frame", packet) + 1


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


def _named(node: Field, meanings: Mapping[Span, Meaning]) -> Field:
    """The same field with the names of items and fields, and what became of them."""
    meaning = None if node.span is None else meanings.get(node.span)
    children = tuple([_named(child, meanings) for child in node.children]) if node.children else ()
    if meaning is None:
        return replace(node, children=children) if children else node
    if meaning.field is not None:
        name, text = meaning.field.name, field_text(meaning.field)
    else:
        name, text = item_name(meaning.change), change_text(meaning.change)
    # There are thousands, and `replace` takes three times as long.
    return Field(name, node.value, text, node.span, children, node.note, node.secret, node.mask, node.wrong)


def item_name(change: Change) -> str:
    """Name and id of an item, and the player's name."""
    title = f"{change.name} {change.id}"
    return f"{title} \N{MIDDLE DOT} {change.owner}" if change.owner.strip() else title


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


def begins_in_hex(value: Value, text: str) -> bool:
    """Does a text begin with the number itself in hexadecimal, as that of a token, a checksum or flags does?"""
    first = text.partition(" ")[0]
    digits = first.removeprefix("0x")
    if not isinstance(value, int) or not HEX_DIGITS.fullmatch(digits) or (digits == first and len(first) not in (4, 8)):
        return False
    return int(digits, 16) == value & 0xFFFFFFFF


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
    return f"{part.old} -> {part.new} ({part.difference_said}){meaning}"


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
