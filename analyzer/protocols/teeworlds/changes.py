"""What a delta did to each item, field by field, and what each entry cost on the wire. Spec section 18."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import accumulate
from typing import Protocol

from analyzer.protocols.teeworlds.delta import Delta, apply
from analyzer.protocols.teeworlds.partial import PartialState, follow
from analyzer.protocols.teeworlds.state import State, make_state, signed
from analyzer.snapshots.model import Change, FieldChange, JoinedDelta
from analyzer.transports.teeworlds_huffman import HUFFMAN
from analyzer.wire import varint
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Span

JOINED_BUFFER = 2
"""Index of the joined delta in `FieldTree.buffers`."""

CODE_LENGTHS = HUFFMAN.code_lengths[:256]
"""Bits of each byte in a compressed packet, as a table for `bytes.translate`."""


class Names(Protocol):
    """What items and fields are called. A type declared inside a snapshot is known by that snapshot's state only."""

    def item_name(self, type: int, state: State | None) -> str:
        """Name of an item type; for an unknown one a text that says so."""
        ...

    def field_names(self, type: int, size: int, state: State | None) -> Sequence[str]:
        """Names of the ints of an item of `size` ints, one each."""
        ...

    def is_event(self, type: int, state: State | None) -> bool:
        """Whether items of the type live for one snapshot only."""
        ...

    def owner(self, type: int, id: int, state: State | None, *, old: bool = False) -> str:
        """Name of the player whose item it is, or `old`: was in the base; empty if there is none."""
        ...

    def texts(self, type: int, values: Sequence[int], state: State | None, *, old: bool = False) -> Sequence[str]:
        """The ints of an item as a person reads them; empty where the number says it all. `old`: of the base."""
        ...

    def differences(self, type: int, olds: Sequence[int], news: Sequence[int], state: State | None) -> Sequence[str]:
        """What the difference of each int means, in the units of its text; empty where it means nothing."""
        ...


def byte_bits(joined: JoinedDelta) -> bytes:
    """What each byte of a joined delta cost, in bits: its Huffman code length where its packet was compressed, else 8.

    Bytes that no part covers cost nothing.
    """
    bits = bytearray(len(joined.data))
    for part in joined.parts:
        data = joined.data[part.offset : part.offset + part.length]
        bits[part.offset : part.offset + len(data)] = (
            data.translate(CODE_LENGTHS) if part.compressed else b"\x08" * len(data)
        )
    return bytes(bits)


def changes(base: State | None, delta: Delta, joined: JoinedDelta, names: Names) -> list[Change]:
    """One change for each removed key and each update, in the order of the wire; a key in both lists gives one.

    Without a base, or with one that the delta does not fit, values stay unknown and only the ints on the wire are told.
    """
    try:
        state = None if base is None else apply(base, delta).state
    except DecodeError:
        base = state = None
    return _Changes(base, state, None, delta, joined, names).all()


def partial_changes(base: PartialState, delta: Delta, joined: JoinedDelta, names: Names) -> list[Change]:
    """The same with a base of which only some items are known.

    Raises `DecodeError` where what is known and the delta contradict each other.
    """
    followed = follow(base, delta)
    old, new = make_state(base.known), make_state(followed.state.known)
    return _Changes(old, new, followed.told, delta, joined, names).all()


class _Changes:
    def __init__(
        self,
        base: State | None,
        state: State | None,
        told: Container[int] | None,
        delta: Delta,
        joined: JoinedDelta,
        names: Names,
    ) -> None:
        """`told`: keys of the only updates whose values are known; None: all are, unless `base` is None."""
        self.base = base
        self.state = state
        self.told = told
        self.delta = delta
        self.names = names
        self.offsets = varint.offsets(joined.data)
        self.costs = list(accumulate(byte_bits(joined), initial=0))
        self.removed = {key: 3 + number for number, key in enumerate(delta.removed)}
        """Key to index of its int."""

    def all(self) -> list[Change]:
        """Removed items, then updates."""
        updated = {key for key, _, _ in self.delta.updates}
        removed = [self._removed(key, index) for key, index in self.removed.items() if key not in updated]
        index = 3 + len(self.delta.removed)
        updates = []
        for key, start, size in self.delta.updates:
            updates.append(self._updated(key, index, start, size))
            index = start + size
        return removed + updates

    def _span(self, first: int, last: int) -> Span:
        """Bytes of the ints `first` up to, not including, `last`."""
        start = self.offsets[first]
        return Span(JOINED_BUFFER, start, self.offsets[last] - start)

    def _bits(self, first: int, last: int) -> int:
        return self.costs[self.offsets[last]] - self.costs[self.offsets[first]]

    def _removed(self, key: int, index: int) -> Change:
        item_type, state, names = key >> 16, self.base, self.names
        values = state.items.get(key, ()) if state is not None else ()
        fields = tuple(
            FieldChange(name, value, None, None, 0, None, text)
            for name, value, text in zip(
                names.field_names(item_type, len(values), state),
                values,
                names.texts(item_type, values, state, old=True),
                strict=True,
            )
        )
        return Change(
            "removed",
            item_type,
            key & 0xFFFF,
            names.item_name(item_type, state),
            fields,
            self._bits(index, index + 1),
            self._span(index, index + 1),
            names.is_event(item_type, state),
            names.owner(item_type, key & 0xFFFF, state, old=True),
        )

    def _updated(self, key: int, first: int, start: int, size: int) -> Change:
        item_type, state, names = key >> 16, self.state, self.names
        wire = self.delta.ints[start : start + size]
        old = self.base.items.get(key) if self.base is not None else None
        bits = self._bits(first, start + size)
        is_told = self.base is not None and (self.told is None or key in self.told)
        if key in self.removed and (not is_told or old is not None):
            kind = "readded"
            bits += self._bits(self.removed[key], self.removed[key] + 1)
        elif not is_told:
            kind = "unknown"
        elif old is None:
            kind = "added"
        else:
            kind = "changed" if any(wire) else "rewritten"
        return Change(
            kind,
            item_type,
            key & 0xFFFF,
            names.item_name(item_type, state),
            self._fields(item_type, start, wire, old, is_told=is_told),
            bits,
            self._span(first, start + size),
            names.is_event(item_type, state),
            names.owner(item_type, key & 0xFFFF, state),
        )

    def _fields(
        self, item_type: int, start: int, wire: Sequence[int], old: Sequence[int] | None, *, is_told: bool
    ) -> tuple[FieldChange, ...]:
        """The fields of an update, whose ints begin at index `start`."""
        size, state, names, offsets, costs = len(wire), self.state, self.names, self.offsets, self.costs
        olds: Sequence[int | None] = [None] * size if old is None else old
        news: Sequence[int | None] = [None] * size
        new_texts: Sequence[str] = [""] * size
        meanings: Sequence[str] = new_texts
        old_texts = new_texts if old is None else names.texts(item_type, old, state, old=True)
        if is_told:
            known = [signed(value + (before or 0)) for value, before in zip(wire, olds, strict=True)]
            news, new_texts = known, names.texts(item_type, known, state)
            if old is not None:
                meanings = names.differences(item_type, old, known, state)
        columns = zip(
            names.field_names(item_type, size, state),
            olds,
            news,
            wire,
            old_texts,
            new_texts,
            meanings,
            range(start, start + size),
            strict=True,
        )
        return tuple(
            FieldChange(
                name,
                before,
                after,
                sent,
                costs[offsets[index + 1]] - costs[offsets[index]],
                Span(JOINED_BUFFER, offsets[index], offsets[index + 1] - offsets[index]),
                old_text,
                new_text,
                meaning,
            )
            for name, before, after, sent, old_text, new_text, meaning, index in columns
        )
