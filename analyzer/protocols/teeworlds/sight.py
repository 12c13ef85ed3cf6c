"""Looks at the items of many snapshots at once for what expert rules speak of. Spec sections 10, 11, 13 and 19."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.layout import ItemType
from analyzer.protocols.teeworlds.players import PLAYER_INFO
from analyzer.protocols.teeworlds.schema import Schema, uuid_from_ints
from analyzer.protocols.teeworlds.schema_tables import FIRST_UUID_TYPE
from analyzer.snapshots.sight import ItemSight, Seen

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

CHARACTER = 9
LOCAL, CLIENT, TEAM, FIELDS = 0, 1, 2, 3
"""First ints of a PlayerInfo of 0.6."""
UUID_INTS = 4
POOL_IDS = 16384
"""Ids that a server gives out and takes back (spec section 20, 12)."""
_LOW, _HIGH = -0x80000000, 0x7FFFFFFF


class _Items:
    """The items of all the snapshots, one behind the other."""

    def __init__(self, packed: Sequence[bytes]) -> None:
        """`packed`: as from `state.pack_state`."""
        states = [np.frombuffer(state, "<i4") for state in packed]
        counts = np.array([int(state[0]) for state in states], np.int64)
        self.starts: Ints = np.concatenate(([0], np.cumsum(counts)))
        keys = [state[1 : 1 + count] for state, count in zip(states, counts.tolist(), strict=True)]
        sizes = [state[1 + count : 1 + 2 * count] for state, count in zip(states, counts.tolist(), strict=True)]
        values = [state[1 + 2 * count :] for state, count in zip(states, counts.tolist(), strict=True)]
        self.keys: Ints = np.concatenate(keys).astype(np.int64)
        self.sizes: Ints = np.concatenate(sizes).astype(np.int64)
        self.values: Ints = np.concatenate(values).astype(np.int64)
        self.at: Ints = np.cumsum(self.sizes) - self.sizes
        self.state: Ints = np.repeat(np.arange(len(states)), counts)
        self.types: Ints = self.keys >> 16

    def __len__(self) -> int:
        """Snapshots."""
        return len(self.starts) - 1

    def kinds(self, schema: Schema) -> Iterator[tuple[int, ItemType | None, Ints, bool]]:
        """Each type number and what it is, with the items of it; of an extended one also whether it is declared.

        A number that snapshots declare differently comes once for each.
        """
        for type in np.unique(self.types).tolist():
            own = np.flatnonzero(self.types == type)
            if type < FIRST_UUID_TYPE:
                yield type, schema.by_type.get(type), own, True
                continue
            # Declarations are of type 0, so their key is their id.
            declares = np.flatnonzero((self.keys == type) & (self.sizes >= UUID_INTS))
            by_state = np.full(len(self), -1)
            by_state[self.state[declares]] = declares
            declared = by_state[self.state[own]]
            if (declared < 0).any():
                yield type, None, own[declared < 0], False
            own, declared = own[declared >= 0], declared[declared >= 0]
            uuids = self.values[self.at[declared][:, None] + np.arange(UUID_INTS)]
            for ints in np.unique(uuids, axis=0) if len(own) else ():
                same = (uuids == ints).all(axis=1)
                yield type, schema.by_uuid.get(uuid_from_ints(tuple(ints.tolist()))), own[same], True


def look(packed: Sequence[bytes], facts: SessionFacts) -> ItemSight:
    """Packed states of one session, in their order, at least one."""
    dialect = DIALECTS[facts.dialect]
    schema, items = dialect.schema, _Items(packed)
    lasting, pooled = np.ones(len(items.keys), np.bool_), np.zeros(len(items.keys), np.bool_)
    seen: list[Seen] = []
    for type, known, own, declared in items.kinds(schema):
        if known is None:
            seen += _unknown(items, type, own) if declared else _undeclared(items, type, own)
            # Nobody knows for how long they live.
            lasting[own] = False
            continue
        lasting[own] = not known.event
        pooled[own] = known.ids == "pool"
        seen += _out_of_range(items, known, own)
    highest = np.full(len(items), -1)
    np.maximum.at(highest, items.state[pooled], items.keys[pooled] & 0xFFFF)
    missing = _own_missing(items) if dialect.names_in_snapshots else np.zeros(len(items), np.bool_)
    seen.sort(key=lambda one: one.state)
    return ItemSight(items.starts, items.keys, lasting, missing, highest, tuple(seen))


def _unknown(items: _Items, type: int, own: Ints) -> Iterator[Seen]:
    states, counts = np.unique(items.state[own], return_counts=True)
    for state, count in zip(states.tolist(), counts.tolist(), strict=True):
        yield Seen(state, "snap.unknown_type", type, f"type {type} is not known ({_items(count)} here)")


def _undeclared(items: _Items, type: int, own: Ints) -> Iterator[Seen]:
    states, counts = np.unique(items.state[own], return_counts=True)
    for state, count in zip(states.tolist(), counts.tolist(), strict=True):
        text = f"type {type} is used without its declaration ({_items(count)} here)"
        yield Seen(state, "snap.ext_unregistered", type, text)


def _items(count: int) -> str:
    return f"{count} item{'' if count == 1 else 's'}"


@lru_cache(maxsize=256)
def _ranges(known: ItemType) -> tuple[tuple[int, int, int, str], ...]:
    """Index, least, most and name of each int that has a range."""
    return tuple(
        (number, field.clamp[0], field.clamp[1], known.int_names[number])
        for number, field in enumerate(known.int_fields)
        if field.clamp is not None and (field.clamp[0] > _LOW or field.clamp[1] < _HIGH) and field.select is None
    )


def _out_of_range(items: _Items, known: ItemType, own: Ints) -> Iterator[Seen]:
    for number, low, high, name in _ranges(known):
        there = own[items.sizes[own] > number]
        values = items.values[items.at[there] + number]
        bad = np.flatnonzero((values < low) | (values > high))
        for index in bad.tolist():
            item = int(there[index])
            text = f"{known.name} {items.keys[item] & 0xFFFF}: {name} is {values[index]}, allowed {_allowed(low, high)}"
            yield Seen(int(items.state[item]), "snap.int_range", int(items.keys[item]) << 8 | number, text)


def _allowed(low: int, high: int) -> str:
    if high == _HIGH:
        return f"is {low} or more"
    return f"is {high} or less" if low == _LOW else f"are {low} to {high}"


def _own_missing(items: _Items) -> Mask:
    """Players on a team have a character, unless they are dead for a moment."""
    infos = np.flatnonzero((items.types == PLAYER_INFO) & (items.sizes >= FIELDS))
    at = items.at[infos]
    own = (items.values[at + LOCAL] == 1) & (items.values[at + TEAM] >= 0)
    infos, clients = infos[own], items.values[at[own] + CLIENT]
    expected = items.state[infos] << 32 | CHARACTER << 16 | (clients & 0xFFFF)
    characters = np.flatnonzero(items.types == CHARACTER)
    there = items.state[characters] << 32 | items.keys[characters]
    missing = np.zeros(len(items), np.bool_)
    missing[items.state[infos[~np.isin(expected, there)]]] = True
    return missing
