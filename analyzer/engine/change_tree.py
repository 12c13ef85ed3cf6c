"""One snapshot as a tree of item types, items and fields, with what each cost; made on demand, on the query thread.

Design section 4 has the words; the costs are those of spec section 18.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace

from analyzer.engine.garbage import no_collection
from analyzer.engine.query import Query
from analyzer.snapshots.model import Change, FieldChange, Item, ItemField, NamedItem
from analyzer.snapshots.status import REBUILT, LostBy, Proof, Status
from analyzer.store.tables import Tables

KINDS = ("removed", "added", "readded", "changed", "unknown", "rewritten", "same", "there", "absent")
"""What can have become of an item, in the order in which items stand. The last three are not in the delta: `same` as in
the base; `there`, but nobody can tell its values; `absent`, known not to be there."""
_RANK = {kind: rank for rank, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Value:
    """What a field holds."""

    raw: str
    """Its ints, parted by spaces; empty where the sender left the field out."""
    text: str
    """The raw number first, then two spaces apart what it means; text in quotes, and words, alone."""


@dataclass(frozen=True, slots=True)
class FieldNode:
    """One field of an item. `old` is None where there was none or nobody knows it, `new` alike."""

    name: str
    old: Value | None
    new: Value | None
    difference: int | None
    """The int on the wire; None where there is none, where a field has several, or where it is a whole value."""
    wire: str
    """The ints on the wire, parted by spaces; empty where the field was not sent."""
    bits: int
    same: bool
    """Neither sent with a difference nor changed."""
    difference_unit: str = ""
    """What the difference means, in the units of the values, without the number; empty where it means nothing."""

    @property
    def sent(self) -> bool:
        """The item has it, rather than what receivers assume where it ends before the field."""
        return any(value is not None and value.raw for value in (self.old, self.new)) or bool(self.wire)


@dataclass(frozen=True, slots=True)
class ItemNode:
    """One item and what became of it."""

    type: int
    id: int
    name: str
    owner: str
    """Name of the player whose item it is."""
    kind: str
    """One of `KINDS`."""
    event: bool
    """Lives for one snapshot only: differences mean nothing."""
    bits: int
    fields: tuple[FieldNode, ...]
    changed: int
    """Fields that differ."""
    search: str
    """Name, id and owner in lower case."""


@dataclass(frozen=True, slots=True)
class TypeNode:
    """All items of one type."""

    type: int
    name: str
    event: bool
    items: tuple[ItemNode, ...]
    bits: int
    order: int
    """Place of the type's first item on the wire; types that were not sent follow by number."""


@dataclass(frozen=True, slots=True)
class PartNode:
    """One part of a snapshot."""

    number: int
    packet: int
    """The packet that carried it, -1: missing."""


@dataclass(frozen=True, slots=True)
class PartialCounts:
    """How much is known of a snapshot without a base."""

    known: int
    """Items with values."""
    unknown: int
    """Items that are there, at least; their values are not known."""
    absent: int
    """Items known not to be there."""


@dataclass(frozen=True, slots=True)
class SnapshotHead:
    """What stands above the tree."""

    snapshot: int
    packet: int
    tick: int
    base_tick: int
    """Negative: the empty snapshot."""
    base: int
    """Row of the baseline, -1: none, or not in the capture."""
    base_packet: int
    status: Status
    code: str
    reason: str
    cause: int
    """Row of the snapshot that is the first cause of a failure, -1: none but itself."""
    cause_tick: int
    cause_packet: int
    proof: Proof
    lost_by: LostBy
    lost: int
    """Packets that the capture says it lost where something is missing, 0 where it does not."""
    crc_wire: int
    crc_computed: int
    wire_bytes: int
    announced: int
    """Parts."""
    parts: tuple[PartNode, ...]
    items: int
    added: int
    changed: int
    removed: int
    deleted: int
    """Removed keys on the wire."""
    updated: int
    """Updates on the wire."""
    promoted: bool = False
    """It was rebuilt without its base: deltas made every item known, and the checksum proves them."""
    partial: PartialCounts | None = None
    """Of a snapshot without a base, if its delta tells something."""

    @property
    def rebuilt(self) -> bool:
        """The items are known."""
        return self.status in REBUILT

    @property
    def has_state(self) -> bool:
        """There are items to show beside those of the delta."""
        return self.rebuilt or self.partial is not None


@dataclass(frozen=True, slots=True)
class ChangeTree:
    """One snapshot. Types stand by cost, items by what became of them and id."""

    head: SnapshotHead
    types: tuple[TypeNode, ...]
    bits: int
    """Cost of all entries of the delta."""


def change_tree(query: Query, tables: Tables, snapshot: int) -> ChangeTree:
    """The tree of a snapshot row: what its delta did and, where it is rebuilt, every other item it holds."""
    with no_collection():
        return _change_tree(query, tables, snapshot)


def _change_tree(query: Query, tables: Tables, snapshot: int) -> ChangeTree:
    found = query.changes(snapshot)
    partial = query.partial(snapshot)
    known = query.items(snapshot) if partial is None else partial.known
    items = {(item.type, item.id): item for item in known}
    base = tables.snapshots.integer("base", snapshot)
    sent = {(change.type, change.id) for change in found}
    old = _of_base(query, base, sent) if base >= 0 and found else {}
    nodes = [_changed(change, old.get(key), items.get(key)) for change in found for key in ((change.type, change.id),)]
    nodes += [_unsent(item) for key, item in items.items() if key not in sent]
    counts = None
    if partial is not None:
        counts = PartialCounts(len(partial.known), len(partial.unknown), len(partial.absent))
        nodes += [_bare(item, "there") for item in partial.unknown if (item.type, item.id) not in sent]
        nodes += [_bare(item, "absent") for item in partial.absent if (item.type, item.id) not in sent]
    types = _types(nodes)
    head = replace(snapshot_head(query, tables, snapshot), partial=counts)
    return ChangeTree(head, types, sum(node.bits for node in types))


def _of_base(query: Query, base: int, sent: Container[tuple[int, int]]) -> dict[tuple[int, int], Item]:
    """The items of the base that the delta speaks of, as far as they are known."""
    partial = query.partial(base)
    known = query.items(base, sent) if partial is None else partial.known
    return {(item.type, item.id): item for item in known if (item.type, item.id) in sent}


def _bare(item: NamedItem, kind: str) -> ItemNode:
    return ItemNode(item.type, item.id, item.name, "", kind, item.event, 0, (), 0, f"{item.name} {item.id} ".lower())


def snapshot_head(query: Query, tables: Tables, snapshot: int) -> SnapshotHead:
    """The head of a snapshot row."""
    view = query.view(snapshot)

    def number(column: str) -> int:
        return tables.snapshots.integer(column, snapshot)

    def of(row: int, column: str) -> int:
        return tables.snapshots.integer(column, row) if row >= 0 else -1

    return SnapshotHead(
        snapshot=snapshot,
        packet=number("packet"),
        tick=number("tick"),
        base_tick=number("base_tick"),
        base=number("base"),
        base_packet=of(number("base"), "packet"),
        status=Status(number("status")),
        code=view.code.name,
        reason=query.reason(snapshot, "packet"),
        cause=number("cause"),
        cause_tick=of(number("cause"), "tick"),
        cause_packet=of(number("cause"), "packet"),
        proof=Proof(number("proof")),
        lost_by=LostBy(number("lost_by")),
        lost=query.lost_here(snapshot),
        crc_wire=number("crc_wire") & 0xFFFFFFFF,
        crc_computed=number("crc_computed") & 0xFFFFFFFF,
        wire_bytes=number("wire_bytes"),
        announced=number("parts"),
        parts=_parts(tables, snapshot),
        items=number("items"),
        added=number("added"),
        changed=number("changed"),
        removed=number("removed"),
        deleted=number("deleted"),
        updated=number("updated"),
        promoted=number("status") == Status.OK and query.lacks_base(snapshot),
    )


def _parts(tables: Tables, snapshot: int) -> tuple[PartNode, ...]:
    first = tables.snapshots.integer("first_part", snapshot)
    here: dict[int, int] = {}
    for row in range(first, first + tables.snapshots.integer("part_count", snapshot) if first >= 0 else first):
        packet = tables.messages.integer("packet", tables.parts.integer("message", row))
        here.setdefault(tables.parts.integer("number", row), packet)
    announced = range(tables.snapshots.integer("parts", snapshot))
    return tuple(PartNode(part, here.get(part, -1)) for part in sorted({*announced, *here}))


def _types(nodes: Sequence[ItemNode]) -> tuple[TypeNode, ...]:
    groups: dict[int, list[ItemNode]] = {}
    for node in nodes:
        groups.setdefault(node.type, []).append(node)
    orders = {type: place for place, type in enumerate(groups)}
    types = (_type(type, orders[type], items) for type, items in groups.items())
    return tuple(sorted(types, key=lambda node: (-node.bits, node.order)))


def _type(type: int, order: int, items: list[ItemNode]) -> TypeNode:
    items.sort(key=lambda node: (_RANK[node.kind], node.id))
    # the delta's names come first: an item that looks different in one snapshot does not rename its type
    name = items[0].name
    return TypeNode(type, name, items[0].event, tuple(items), sum(node.bits for node in items), order)


def _item(
    of: Item | Change, kind: str, bits: int, fields: tuple[FieldNode, ...], *, owner: str, event: bool
) -> ItemNode:
    search = f"{of.name} {of.id} {owner}".lower()
    changed = sum(not field.same for field in fields)
    return ItemNode(of.type, of.id, of.name, owner, kind, event, bits, fields, changed, search)


def _unsent(item: Item) -> ItemNode:
    known = [(field.name, _value(field)) for field in item.fields]
    fields = tuple(FieldNode(name, value, value, None, "", 0, True) for name, value in known)
    return _item(item, "same", 0, fields, owner=item.owner, event=item.event)


def _changed(change: Change, old: Item | None, new: Item | None) -> ItemNode:
    """A change with its ints gathered to fields, as far as the items behind it are known."""
    shape = new or old
    if shape is None or sum(len(field.values) for field in shape.fields) != len(change.fields):
        fields = tuple(_single(change.kind, field) for field in change.fields)
    else:
        fields = tuple(_gathered(change, old, new, shape))
    return _item(change, change.kind, change.bits, fields, owner=change.owner, event=change.event)


def _gathered(change: Change, old: Item | None, new: Item | None, shape: Item) -> Iterable[FieldNode]:
    at = 0
    olds = _fields_like(old, shape)
    news = _fields_like(new, shape) if change.kind != "removed" else None
    for number, field in enumerate(shape.fields):
        ints = change.fields[at : at + len(field.values)]
        at += len(field.values)
        old_value = None if olds is None else _value(olds[number])
        new_value = None if news is None else _value(news[number])
        yield _field(change.kind, field.name, old_value, new_value, ints)


def _fields_like(item: Item | None, shape: Item) -> tuple[ItemField, ...] | None:
    """The fields of an item if they are cut like those of `shape`; an old item may have looked different."""
    if item is None or [len(field.values) for field in item.fields] != [len(field.values) for field in shape.fields]:
        return None
    return item.fields


def _single(kind: str, field: FieldChange) -> FieldNode:
    old = None if field.old is None else Value(str(field.old), field.old_text or str(field.old))
    new = None if field.new is None else Value(str(field.new), field.new_text or str(field.new))
    return _field(kind, field.name, old, new, (field,))


def _field(kind: str, name: str, old: Value | None, new: Value | None, ints: Sequence[FieldChange]) -> FieldNode:
    sent = [field.difference for field in ints if field.difference is not None]
    delta = kind in ("changed", "readded", "rewritten") and len(sent) == 1
    if kind in ("added", "removed", "unknown"):
        same = False
    else:
        same = not any(sent) and (old is None or new is None or old.raw == new.raw)
    return FieldNode(
        name,
        old,
        new,
        sent[0] if delta else None,
        " ".join(map(str, sent)),
        sum(field.bits for field in ints),
        same,
        ints[0].difference_unit if delta else "",
    )


def _value(field: ItemField) -> Value:
    values = field.values
    # Nearly all are of one int, and there are a thousand or two in a tree.
    return Value(str(values[0]) if len(values) == 1 else " ".join(map(str, values)), field.text)
