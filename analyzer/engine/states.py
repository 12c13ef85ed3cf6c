"""Deltas and states of snapshots, made again from the file: parts joined, and chains of deltas followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.engine.payloads import Payloads
from analyzer.protocols.base import ItemPlaces, ItemTable, PartBytes, Protocol, SessionFacts, SnapshotCodec
from analyzer.snapshots.chain import CACHED_STATES, Chain
from analyzer.snapshots.model import JoinedDelta, Part
from analyzer.snapshots.status import REBUILT, Status
from analyzer.store.tables import Tables
from analyzer.wire.errors import DecodeError

COMPILED_STATES = 8 * CACHED_STATES
"""States kept where they are a few kB each: what is asked about is often the next snapshots of many sessions."""


class States:
    """By snapshot row. States are the protocol's own."""

    def __init__(self, tables: Tables, payloads: Payloads, protocols: Sequence[Protocol], *, compiled: bool) -> None:
        """`compiled`: kernels are loaded and may be used; what is made is the same."""
        self._tables = tables
        self._payloads = payloads
        self.protocols = {protocol.name: protocol for protocol in protocols}
        """By name."""
        self.compiled = compiled
        self._codecs: dict[str, SnapshotCodec[Any]] = {}
        """By protocol, as are the chains."""
        self._chains: dict[str, Chain[Any]] = {}
        self._partial_chains: dict[str, Chain[Any]] = {}

    def close(self) -> None:
        """Let go of what refers to this."""
        self._chains.clear()
        self._partial_chains.clear()

    def protocol_of(self, snapshot: int) -> Protocol:
        """The protocol of the snapshot's flow."""
        tables = self._tables
        reading = tables.sessions.integer("reading", tables.snapshots.integer("session", snapshot))
        return self.protocols[tables.readings.text("protocol", reading)]

    def codec(self, snapshot: int) -> SnapshotCodec[Any]:
        """How the protocol's snapshots are rebuilt."""
        protocol = self.protocol_of(snapshot)
        codec = self._codecs.get(protocol.name)
        if codec is None:
            opens = protocol.open_bulk_snapshots if self.compiled else None
            codec = protocol.snapshots if opens is None else opens()
            assert codec is not None
            self._codecs[protocol.name] = codec
        return codec

    def facts_of(self, snapshot: int) -> SessionFacts:
        """The facts of the snapshot's session."""
        facts = self._tables.sessions.get("facts", self._tables.snapshots.integer("session", snapshot))
        assert isinstance(facts, SessionFacts)
        return facts

    def state(self, snapshot: int) -> object | None:
        """The protocol's state of a snapshot, rebuilt from the file; None for one that cannot be rebuilt."""
        if Status(self._tables.snapshots.integer("status", snapshot)) not in REBUILT:
            return None
        state: object = self._chain(snapshot).state(snapshot)
        return state

    def item_places(self, snapshot: int, name: str, field: str, *, changes: bool) -> Sequence[ItemPlaces]:
        """Where the values of a field stand in items of the snapshot's session, see `SnapshotCodec.places`."""
        return self.codec(snapshot).places(self.facts_of(snapshot), name, field, changes=changes)

    def item_table(self, snapshots: Sequence[int], name: str) -> ItemTable:
        """The items of a type in rebuilt snapshots of one session; -1 is the empty one.

        Raises DecodeError and CaptureError for those that cannot be read again.
        """
        row = max(snapshots, default=-1)
        if row < 0:
            nothing = np.empty(0, np.int64)
            return ItemTable(nothing, nothing, nothing, nothing.reshape(0, 0))
        return self.codec(row).table(self._all(snapshots, row), self.facts_of(row), name)

    def are_named_alike(self, bases: Sequence[int], snapshots: Sequence[int]) -> NDArray[np.bool_]:
        """Of which rebuilt snapshots of one session types have the names that they have in its base, shape (n,).

        The same exceptions.
        """
        if not snapshots:
            return np.empty(0, np.bool_)
        row = snapshots[0]
        olds, news = (self._all(rows, row) for rows in (bases, snapshots))
        return self.codec(row).are_named_alike(olds, news, self.facts_of(row))

    def _all(self, snapshots: Sequence[int], like: int) -> list[Any]:
        """The states of rows of the session that the row `like` is of."""
        made = iter(self._chain(like).states([row for row in snapshots if row >= 0]))
        empty = self.codec(like).empty()
        return [next(made) if row >= 0 else empty for row in snapshots]

    def states(self, snapshots: Sequence[int]) -> list[object]:
        """The states of rebuilt snapshots of one session, rows ascending.

        Raises DecodeError and CaptureError for those that cannot be read again.
        """
        return list(self._chain(snapshots[0]).states(snapshots)) if snapshots else []

    def partial_state(self, snapshot: int) -> object | None:
        """What is known of a snapshot without a base."""
        protocol = self.protocol_of(snapshot)
        codec = protocol.partial
        if codec is None or self._tables.snapshots.integer("status", snapshot) != Status.NO_BASE:
            return None
        chain = self._partial_chains.get(protocol.name)
        if chain is None:

            def stored(row: int) -> object | None:
                block = self._tables.blocks.get(row)
                return None if block is None else codec.unpack(block)

            def steps(rows: Sequence[int], known: Mapping[int, object]) -> Sequence[object]:
                states = {-1: codec.nothing(), **known}
                for row, delta in zip(rows, self._deltas(rows), strict=True):
                    states[row] = codec.follow(states[self._base_of(row)], delta, self.facts_of(row))
                return [states[row] for row in rows]

            chain = self._partial_chains[protocol.name] = Chain(self._base_of, stored, steps)
        try:
            state: object = chain.state(snapshot)
        except DecodeError:
            return None
        return state

    def lacks_base(self, snapshot: int) -> bool:
        """Was the snapshot sent against one that could not be rebuilt, or that the capture does not have?"""
        snapshots = self._tables.snapshots
        base = snapshots.integer("base", snapshot)
        return snapshots.integer("status", base if base >= 0 else snapshot) == Status.NO_BASE

    def joined(self, snapshot: int) -> JoinedDelta | None:
        """The delta joined from its parts; None while parts are missing or unreadable."""
        return self._joined([snapshot])[0]

    def received(self, snapshot: int) -> JoinedDelta:
        """The parts that are here, one after the other by number: all there is of a delta that never was completed.

        Without parts, or with an unreadable one, it is empty.
        """
        data, parts = b"", []
        for number, (packet, piece) in sorted(self._pieces([snapshot])[0].items()):
            parts.append(_part(number, packet, piece, len(data)))
            data += piece.data
        return JoinedDelta(data, tuple(parts))

    def _joined(self, snapshots: Sequence[int]) -> list[JoinedDelta | None]:
        """The deltas of snapshots of one session."""
        codec, found = self.codec(snapshots[0]), list[JoinedDelta | None]()
        every = self._tables.snapshots.take("parts", _rows(snapshots)).tolist()
        for announced, pieces in zip(every, self._pieces(snapshots), strict=True):
            if not announced or any(number not in pieces for number in range(announced)):
                found.append(None)
                continue
            data, offsets = codec.join({number: part.data for number, (_, part) in pieces.items()}, announced)
            parts = tuple(_part(number, *pieces[number], at) for number, at in enumerate(offsets))
            found.append(JoinedDelta(data, parts))
        return found

    def _pieces(self, snapshots: Sequence[int]) -> list[dict[int, tuple[int, PartBytes]]]:
        """Packet and bytes of each part by number, of snapshots of one session; none if one of them is unreadable."""
        try:
            return self._parts(snapshots)
        except DecodeError:
            return [{}] if len(snapshots) == 1 else [self._pieces([snapshot])[0] for snapshot in snapshots]

    def _parts(self, snapshots: Sequence[int]) -> list[dict[int, tuple[int, PartBytes]]]:
        """Packet and bytes of each part by number, of snapshots of one session. Raises DecodeError."""
        tables = self._tables
        firsts, counts = (
            tables.snapshots.take(name, _rows(snapshots)).astype(np.int64) for name in ("first_part", "part_count")
        )
        # Those of a snapshot are contiguous.
        rows = np.repeat(firsts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        messages = tables.parts.take("message", rows).astype(np.int64)
        packets, offsets, sizes = (
            tables.messages.take(name, messages).tolist() for name in ("packet", "offset", "size")
        )
        places = list(zip(self._payloads.payloads(packets), offsets, sizes, strict=True))
        parts = self.codec(snapshots[0]).parts(places, self.facts_of(snapshots[0]))
        numbered = iter(zip(tables.parts.take("number", rows).tolist(), packets, parts, strict=True))
        return [
            {number: (packet, part) for number, packet, part in islice(numbered, count)} for count in counts.tolist()
        ]

    def _chain(self, snapshot: int) -> Chain[Any]:
        """One chain a protocol; its cache serves all of the protocol's sessions."""
        name = self.protocol_of(snapshot).name
        chain = self._chains.get(name)
        if chain is None:
            cached = COMPILED_STATES if self.compiled else CACHED_STATES
            chain = self._chains[name] = Chain(self._base_of, self._stored, self._steps, cached)
        return chain

    def _base_of(self, snapshot: int) -> int:
        return self._tables.snapshots.integer("base", snapshot)

    def _stored(self, snapshot: int) -> object | None:
        block = self._tables.blocks.get(snapshot)
        return None if block is None else self.codec(snapshot).unpack(block)

    def _steps(self, snapshots: Sequence[int], known: Mapping[int, object]) -> Sequence[object]:
        """The states of snapshots of one session."""
        codec = self.codec(snapshots[0])
        place_of = {row: place for place, row in enumerate([-1, *known, *snapshots])}
        bases = [place_of[base] for base in self._tables.snapshots.take("base", _rows(snapshots)).tolist()]
        states = [codec.empty(), *known.values()]
        return codec.apply_all(states, bases, self._deltas(snapshots), self.facts_of(snapshots[0]))

    def _deltas(self, snapshots: Sequence[int]) -> list[bytes]:
        """The deltas of snapshots of one session, all of whose parts are here. Raises DecodeError if one is not."""
        deltas = []
        for snapshot, joined in zip(snapshots, self._joined(snapshots), strict=True):
            if joined is None:
                raise DecodeError("chain", 0, f"snapshot {snapshot} was rebuilt before and cannot be read again")
            deltas.append(joined.data)
        return deltas


def _part(number: int, packet: int, piece: PartBytes, offset: int) -> Part:
    return Part(number, packet, offset, len(piece.data), piece.source_offset, piece.compressed)


def _rows(snapshots: Sequence[int]) -> NDArray[np.int64]:
    return np.array(snapshots, np.int64)
