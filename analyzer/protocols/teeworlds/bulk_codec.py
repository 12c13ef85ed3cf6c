"""Rebuilds snapshots on demand with compiled code; what a person sees of them is made by the plain codec.

What the kernels refuse is read plainly, so that faults and texts are the same. Spec sections 5 and 8 to 12.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from analyzer.protocols.base import (
    ItemPlaces,
    ItemTable,
    MessagePlace,
    PartBytes,
    SessionFacts,
    SnapshotCodec,
    SnapshotView,
)
from analyzer.protocols.teeworlds.bulk_messages import prepared
from analyzer.protocols.teeworlds.chain_kernels import find_parts, rebuild_all
from analyzer.protocols.teeworlds.codec import TeeworldsCodec, part_of
from analyzer.protocols.teeworlds.delta_columns import MAX_STATE_INTS, RESULTS, make_scratch
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.item_kernels import take_items
from analyzer.protocols.teeworlds.layout import Disguise
from analyzer.protocols.teeworlds.schema import Schema, ints_of
from analyzer.protocols.teeworlds.schema_tables import FIRST_UUID_TYPE
from analyzer.protocols.teeworlds.state import EMPTY, State, pack_state, signed, unpack_state
from analyzer.snapshots.model import Change, Item, JoinedDelta

_MOST_AT_ONCE = 512
"""Deltas of one call, which bounds its memory."""
_NO_INTS: NDArray[np.int32] = np.empty(0, dtype=np.int32)
_DECLARATIONS = np.zeros((1, 5), dtype=np.int32)
"""As `take_items` takes it: type 0."""
_FULL_STATES = 64
"""There is room for so many of the largest size, and so for far more of an ordinary one."""


@dataclass(frozen=True, slots=True, eq=False)
class PackedState:
    """A snapshot as kernels have it. Nobody changes it."""

    ints: NDArray[np.int32]
    """What `pack_state` packs."""
    crc: int
    """Sum of all values, signed 32-bit."""

    def plain(self) -> State:
        """The same as items."""
        return unpack_state(self.ints.tobytes())


class BulkCodec(SnapshotCodec[PackedState]):
    """Teeworlds of all versions. Not for two threads at once: it has working memory."""

    def __init__(self) -> None:
        self._plain = TeeworldsCodec()
        self._scratch = make_scratch()
        self._result = np.zeros(RESULTS, dtype=np.int64)

    def empty(self) -> PackedState:
        """No items."""
        return _packed(EMPTY)

    def part(self, payload: bytes, facts: SessionFacts, message_offset: int, message_size: int) -> PartBytes:
        """The bytes of a snapshot message after its fields."""
        return self._plain.part(payload, facts, message_offset, message_size)

    def parts(self, messages: Sequence[MessagePlace], facts: SessionFacts) -> list[PartBytes]:
        """The bytes of snapshot messages, of all packets at once."""
        dialect = DIALECTS[facts.dialect]
        packets, found = prepared(messages, dialect)
        find_parts(packets, found)
        buffer = packets.buffer
        parts = []
        for message, row, (start, offset, size, compressed) in zip(
            messages, found.plain_bytes, found.parts.tolist(), strict=True
        ):
            if size < 0:
                # What is unusual, plain reading tells.
                payload, at, length = message
                parts.append(part_of(payload, dialect, at, length))
            else:
                data = (row if compressed else buffer)[start : start + size]
                parts.append(PartBytes(data.tobytes(), offset, compressed != 0))
        return parts

    def join(self, parts: Mapping[int, bytes], announced: int) -> tuple[bytes, tuple[int, ...]]:
        """As the plain codec joins them."""
        return self._plain.join(parts, announced)

    def apply(self, base: PackedState, delta: bytes, facts: SessionFacts) -> PackedState:
        """The next state; no bytes at all mean no difference."""
        return self.apply_all([base], [0], [delta], facts)[0]

    def apply_all(
        self, known: Sequence[PackedState], bases: Sequence[int], deltas: Sequence[bytes], facts: SessionFacts
    ) -> list[PackedState]:
        """The states that deltas make, each on a known state or on one made before."""
        states = list(known)
        for start in range(0, len(deltas), _MOST_AT_ONCE):
            stop = min(start + _MOST_AT_ONCE, len(deltas))
            while (at := len(states) - len(known)) < stop:
                made = self._made(states, bases[at:stop], deltas[at:stop], facts)
                # Whatever a kernel refuses, plain reading has the last word on.
                base, delta = states[bases[at]], deltas[at]
                states += made or [_packed(self._plain.apply(base.plain(), delta, facts)) if delta else base]
        return states[len(known) :]

    def _made(
        self, states: Sequence[PackedState], bases: Sequence[int], deltas: Sequence[bytes], facts: SessionFacts
    ) -> list[PackedState]:
        """States of the first of the deltas, up to one at fault, or as many as there is room for."""
        first = len(states)
        given = sorted({base for base in bases if base < first})
        place_of = {base: place for place, base in enumerate(given)}
        places = np.empty((len(given) + len(deltas), 3), dtype=np.int64)
        at = 0
        for place, base in zip(places, given, strict=False):
            place[:] = at, len(states[base].ints), states[base].crc
            at += len(states[base].ints)
        # What no state is written to is not in memory.
        arena = np.empty(at + min(len(deltas), _FULL_STATES) * MAX_STATE_INTS, dtype=np.int32)
        np.concatenate([states[base].ints for base in given] or [arena[:0]], out=arena[:at])
        count = rebuild_all(
            np.frombuffer(b"".join(deltas), dtype=np.uint8),
            np.array([*accumulate(map(len, deltas))], dtype=np.int64),
            np.array([place_of[base] if base < first else len(given) + base - first for base in bases], dtype=np.int64),
            arena,
            places,
            len(given),
            _agreed(facts.sizes),
            self._scratch,
            self._result,
        )
        made = list[PackedState]()
        for base, delta, (start, ints, crc) in zip(bases, deltas, places[len(given) :].tolist(), strict=True):
            if len(made) == count:
                break
            unchanged = states[base] if base < first else made[base - first]
            made.append(PackedState(arena[start : start + ints].copy(), crc) if delta else unchanged)
        return made

    def pack(self, state: PackedState) -> bytes:
        """A state as bytes."""
        return state.ints.astype("<i4").tobytes()

    def unpack(self, block: bytes) -> PackedState:
        """A state from bytes."""
        ints = np.frombuffer(block, dtype="<i4").astype(np.int32)
        return PackedState(ints, signed(int(ints[1 + 2 * int(ints[0]) :].sum(dtype=np.int64))))

    def items(
        self, state: PackedState, facts: SessionFacts, tick: int, chosen: Container[tuple[int, int]] | None = None
    ) -> tuple[Item, ...]:
        """Items with names and texts from the dialect's schema."""
        return self._plain.items(state.plain(), facts, tick, chosen)

    def table(self, states: Sequence[PackedState], facts: SessionFacts, name: str) -> ItemTable:
        """All items of one type in many states; of one that the schema does not have plainly."""
        schema = DIALECTS[facts.dialect].schema
        type_name, _, real = name.removesuffix(")").partition(" (")
        kinds = _kinds(schema, type_name)
        if not len(kinds):
            return super().table(states, facts, name)
        table = _taken(states, kinds)
        own = _stands_for(table, schema.by_name[type_name].disguise, real)
        return ItemTable(table.state[own], table.id[own], table.size[own], table.values[own])

    def are_named_alike(
        self, olds: Sequence[PackedState], news: Sequence[PackedState], facts: SessionFacts
    ) -> NDArray[np.bool_]:
        """Those that declare the same types."""
        before, after = _declared(olds), _declared(news)
        alike = np.ones(len(news), np.bool_)
        if not np.array_equal(before, after):
            bounds = range(len(news) + 1)
            pairs = [pairwise(np.searchsorted(rows[:, 0], bounds)) for rows in (before, after)]
            for number, ((start, stop), (begin, end)) in enumerate(zip(*pairs, strict=True)):
                alike[number] = np.array_equal(before[start:stop], after[begin:end])
        return alike

    def places(self, facts: SessionFacts, name: str, field: str, *, changes: bool) -> Sequence[ItemPlaces]:
        """From the dialect's schema."""
        return self._plain.places(facts, name, field, changes=changes)

    def changes(
        self, base: PackedState | None, joined: JoinedDelta, facts: SessionFacts, tick: int
    ) -> tuple[Change, ...]:
        """What the delta did, up to a fault."""
        return self._plain.changes(None if base is None else base.plain(), joined, facts, tick)

    def record(self, view: SnapshotView[PackedState], with_items: bool) -> dict[str, object]:
        """As the plain codec writes it."""
        state = None if view.state is None else view.state.plain()
        return self._plain.record(
            SnapshotView(
                view.row,
                view.code,
                view.reason,
                view.client,
                view.server,
                view.session,
                view.facts,
                view.frame,
                view.cause_frame,
                state,
            ),
            with_items,
        )


def _packed(state: State) -> PackedState:
    return PackedState(np.frombuffer(pack_state(state), dtype="<i4").astype(np.int32), state.crc)


def _kinds(schema: Schema, name: str) -> NDArray[np.int32]:
    """As `take_items` takes them; none where the schema has no such type."""
    found = [(type, 0, 0, 0, 0) for type, known in schema.by_type.items() if known.name == name]
    found += [(-1, *ints_of(uuid)) for uuid, known in schema.by_uuid.items() if known.name == name]
    return np.array(found, dtype=np.int32).reshape(-1, 5)


def _taken(states: Sequence[PackedState], kinds: NDArray[np.int32]) -> ItemTable:
    """What `take_items` finds."""
    ints = np.concatenate([state.ints for state in states] or [_NO_INTS])
    ends = np.array([*accumulate(len(state.ints) for state in states)], dtype=np.int64)
    count, width = take_items(ints, ends, kinds, np.empty((0, 3), dtype=np.int64), np.empty((0, 0), np.int32))
    places, values = np.empty((count, 3), dtype=np.int64), np.empty((count, width), dtype=np.int32)
    take_items(ints, ends, kinds, places, values)
    return ItemTable(places[:, 0], places[:, 1], places[:, 2], values)


def _declared(states: Sequence[PackedState]) -> NDArray[np.int64]:
    """State, type number and the four ints of the UUID of each declaration, in that order, shape (n, 6)."""
    table = _taken(states, _DECLARATIONS)
    whole = (table.size >= 4) & (table.id >= FIRST_UUID_TYPE)
    if not whole.any():
        return np.empty((0, 6), dtype=np.int64)
    rows = np.column_stack([table.state[whole], table.id[whole], table.values[whole, :4]])
    return rows[np.lexsort((rows[:, 1], rows[:, 0]))]


def _stands_for(table: ItemTable, mark: Disguise | None, real: str) -> NDArray[np.bool_]:
    """Which items stand for those of the type `real`; for nothing but themselves, if it is empty."""
    disguised = np.zeros(len(table.id), np.bool_)
    if mark is not None and table.values.shape[1] > mark.at:
        value = table.values[:, mark.at]
        disguised = (table.size > mark.at) & (value >= 0) & (value >> mark.bit & 1 != 0)
    if not real:
        return ~disguised
    return disguised if mark is not None and mark.item == real else np.zeros(len(table.id), np.bool_)


@cache
def _agreed(sizes: tuple[int, ...]) -> NDArray[np.int32]:
    return np.array(sizes, dtype=np.int32)
