"""Rebuilds Teeworlds snapshots on demand, and writes them as records. Spec sections 8 to 12 and 18."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from analyzer.protocols.base import ItemPlaces, PartBytes, SessionFacts, SnapshotCodec, SnapshotView
from analyzer.protocols.teeworlds.changes import changes
from analyzer.protocols.teeworlds.codes import SNAPSHOT_KINDS
from analyzer.protocols.teeworlds.delta import Delta, apply, read_delta, read_to_fault
from analyzer.protocols.teeworlds.dialects import DIALECTS, Dialect
from analyzer.protocols.teeworlds.guesses import schema_of
from analyzer.protocols.teeworlds.layout import ItemType
from analyzer.protocols.teeworlds.messages import SNAPEMPTY, message_id, read_snap
from analyzer.protocols.teeworlds.rebuilder import PART_BYTES, join_parts
from analyzer.protocols.teeworlds.schema import Schema
from analyzer.protocols.teeworlds.state import EMPTY, State, items_sha256, pack_state, sorted_items, unpack_state
from analyzer.snapshots.layouts import is_named
from analyzer.snapshots.model import Change, Item, JoinedDelta
from analyzer.snapshots.status import ClientHas, LostBy, Proof
from analyzer.transports.teeworlds import read_packet
from analyzer.wire.errors import DecodeError


class Names:
    """The schema's names for a delta: of a type declared in a snapshot, its own declarations count.

    What is of the base has the names that players had then, where snapshots do not hold them.
    """

    def __init__(self, facts: SessionFacts, delta: Delta, tick: int) -> None:
        self._schema = schema_of(facts)
        told = self._schema.players is not None
        self._old_schema = replace(self._schema, players=facts.base_players) if told else self._schema
        self._tick = tick
        self._declared = {
            key: tuple(delta.ints[start : start + size]) for key, start, size in delta.updates if key < 0x8000
        }

    def item_name(self, type: int, state: State | None) -> str:
        return self._schema.item_name(type, self._items(state))

    def field_names(self, type: int, size: int, state: State | None) -> Sequence[str]:
        return self._schema.field_names(type, size, self._items(state))

    def is_event(self, type: int, state: State | None) -> bool:
        return self._schema.is_event(type, self._items(state))

    def owner(self, type: int, id: int, state: State | None, *, old: bool = False) -> str:
        return (self._old_schema if old else self._schema).owner(type, id, self._items(state))

    def texts(self, type: int, values: Sequence[int], state: State | None, *, old: bool = False) -> Sequence[str]:
        schema = self._old_schema if old else self._schema
        return schema.value_texts(type, values, self._items(state), None if old else self._tick)

    def differences(self, type: int, olds: Sequence[int], news: Sequence[int], state: State | None) -> Sequence[str]:
        return self._schema.difference_texts(type, olds, news, self._items(state))

    def _items(self, state: State | None) -> Mapping[int, tuple[int, ...]]:
        return self._declared if state is None else state.items


def _ways(schema: Schema, own: ItemType) -> list[tuple[str, ItemType]]:
    """What items of a type are called, and whose fields they have: its own, and what they may stand for."""
    real = None if own.disguise is None else schema.by_name.get(own.disguise.item)
    return [(own.name, own)] if real is None else [(own.name, own), (f"{own.name} ({real.name})", real)]


def _places(type: ItemType, field: str) -> tuple[int, ...] | None:
    """Ints of the fields of a name; None if one is no number."""
    found = []
    for one in type.fields:
        names = [one.name] if one.count == 1 else [f"{one.name}[{number}]" for number in range(one.count)]
        meant = [one.at + number * one.kind.ints for number, known in enumerate(names) if is_named(known, field)]
        if meant and one.kind.ints != 1:
            return None
        found += meant
    return tuple(found)


def part_of(payload: bytes, dialect: Dialect, message_offset: int, message_size: int) -> PartBytes:
    """The bytes of a snapshot message after its fields. Raises DecodeError."""
    packet = read_packet(payload, dialect.variant)
    if packet.error is not None and not packet.chunks:
        raise packet.error
    end = message_offset + message_size
    if end > len(packet.payload):
        raise DecodeError("short", len(packet.payload), f"the payload ends before byte {end}, where the message does")
    number, system, _, body = message_id(packet.payload, message_offset, end)
    role = dialect.roles.of(system, number, from_server=True)
    if not role.is_snap:
        raise DecodeError("id", message_offset, f"message {number} is no snapshot")
    fields = read_snap(packet.payload, role, body, end)
    data = packet.payload[fields.data_offset : fields.data_offset + fields.length]
    return PartBytes(data, fields.data_offset, packet.compressed)


class TeeworldsCodec(SnapshotCodec[State]):
    """Teeworlds of all versions."""

    def empty(self) -> State:
        """No items."""
        return EMPTY

    def part(self, payload: bytes, facts: SessionFacts, message_offset: int, message_size: int) -> PartBytes:
        """The bytes of a snapshot message after its fields."""
        return part_of(payload, DIALECTS[facts.dialect], message_offset, message_size)

    def join(self, parts: Mapping[int, bytes], announced: int) -> tuple[bytes, tuple[int, ...]]:
        """Parts in order, cut every 900 bytes."""
        return join_parts(parts, announced), tuple(PART_BYTES * number for number in range(announced))

    def apply(self, base: State, delta: bytes, facts: SessionFacts) -> State:
        """The next state; no bytes at all mean no difference."""
        return apply(base, read_delta(delta, facts.sizes)).state if delta else base

    def pack(self, state: State) -> bytes:
        """A state as bytes."""
        return pack_state(state)

    def unpack(self, block: bytes) -> State:
        """A state from bytes."""
        return unpack_state(block)

    def items(
        self, state: State, facts: SessionFacts, tick: int, chosen: Container[tuple[int, int]] | None = None
    ) -> tuple[Item, ...]:
        """Items with names and texts from the dialect's schema."""
        schema = schema_of(facts)
        return tuple(
            schema.describe_item(key >> 16, key & 0xFFFF, values, state.items, tick)
            for key, values in state.items.items()
            if chosen is None or (key >> 16, key & 0xFFFF) in chosen
        )

    def places(self, facts: SessionFacts, name: str, field: str, *, changes: bool) -> Sequence[ItemPlaces]:
        """From the dialect's schema."""
        schema = schema_of(facts)
        if [item.name for item in schema.items].count(name) != 1:
            return ()
        own = schema.by_name[name]
        ways = _ways(schema, own)
        if changes:
            # There an item has the names of its type, whatever it stands for.
            ints = tuple(at for at, one in enumerate(own.int_names) if is_named(one, field))
            return [ItemPlaces(called, ints) for called, _ in ways] if ints or not field else ()
        for item in schema.items:
            ways += [(called, real) for called, real in _ways(schema, item)[1:] if real is own]
        found = [(called, _places(real, field)) for called, real in ways]
        if field and (any(ints is None for _, ints in found) or not any(ints for _, ints in found)):
            return ()
        return [ItemPlaces(called, ints or ()) for called, ints in found]

    def changes(self, base: State | None, joined: JoinedDelta, facts: SessionFacts, tick: int) -> tuple[Change, ...]:
        """What the delta did, up to a fault."""
        if not joined.data:
            return ()
        delta, _ = read_to_fault(joined.data, facts.sizes)
        return tuple(changes(base, delta, joined, Names(facts, delta, tick)))

    def record(self, view: SnapshotView[State], with_items: bool) -> dict[str, object]:
        """The keys of the oracle files, and how the snapshot ended."""
        row, state = view.row, view.state
        base_tick = row["base_tick"]
        record: dict[str, object] = {
            "client": view.client,
            "server": view.server,
            "session": view.session,
            "ver": DIALECTS[view.facts.dialect].version,
            "tick": row["tick"],
            "base_tick": base_tick if isinstance(base_tick, int) and base_tick >= 0 else -1,
            "kind": SNAPSHOT_KINDS[_number(row["kind"])],
            "parts": row["parts"],
            "crc": row["crc_wire"],
            "crc_ok": None,
            "deleted": row["deleted"],
            "updated": row["updated"],
            "frame": view.frame,
        }
        if state is not None:
            if row["kind"] != SNAPEMPTY:
                record["crc_ok"] = row["proof"] == Proof.OWN
            record["num_items"] = len(state.items)
            record["items_sha256"] = items_sha256(state)
            if with_items:
                record["items"] = sorted_items(state)
        record["status"] = view.code.status.word
        record["code"] = view.code.name
        record["reason"] = view.reason
        record["cause_frame"] = view.cause_frame
        record["client_kept"] = row["client_kept"]
        record["client_has"] = ClientHas(_number(row["client_has"])).word
        record["lost_by"] = LostBy(_number(row["lost_by"])).word
        return record


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value
