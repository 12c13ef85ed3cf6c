"""Deltas and states of snapshots, made again from the file: parts joined, and chains of deltas followed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from analyzer.engine.payloads import Payloads
from analyzer.protocols.base import PartBytes, Protocol, SessionFacts, SnapshotCodec
from analyzer.snapshots.chain import Chain
from analyzer.snapshots.model import JoinedDelta, Part
from analyzer.snapshots.status import REBUILT, Status
from analyzer.store.tables import Tables
from analyzer.wire.errors import DecodeError


class States:
    """By snapshot row. States are the protocol's own."""

    def __init__(self, tables: Tables, payloads: Payloads, protocols: Sequence[Protocol], *, compiled: bool) -> None:
        """`compiled`: kernels are loaded and may be used; what is made is the same."""
        self._tables = tables
        self._payloads = payloads
        self.protocols = {protocol.name: protocol for protocol in protocols}
        """By name."""
        self._compiled = compiled
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
            opens = protocol.open_bulk_snapshots if self._compiled else None
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

            def steps(rows: Sequence[int], base: object | None) -> Sequence[object]:
                known = codec.nothing() if base is None else base
                return codec.follow_all(known, self._deltas(rows), self.facts_of(rows[0]))

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
        for snapshot, pieces in zip(snapshots, self._pieces(snapshots), strict=True):
            announced = self._tables.snapshots.integer("parts", snapshot)
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
        firsts = (tables.snapshots.integer("first_part", snapshot) for snapshot in snapshots)
        counts = [tables.snapshots.integer("part_count", snapshot) for snapshot in snapshots]
        ranges = [range(first, first + count) for first, count in zip(firsts, counts, strict=True)]
        rows = np.fromiter(chain.from_iterable(ranges), dtype=np.int64)
        messages = tables.parts.take("message", rows).astype(np.int64)
        packets, offsets, sizes = (
            tables.messages.take(name, messages).tolist() for name in ("packet", "offset", "size")
        )
        places = list(zip(self._payloads.payloads(packets), offsets, sizes, strict=True))
        parts = self.codec(snapshots[0]).parts(places, self.facts_of(snapshots[0]))
        numbered = iter(zip(tables.parts.take("number", rows).tolist(), packets, parts, strict=True))
        return [{number: (packet, part) for number, packet, part in islice(numbered, count)} for count in counts]

    def _chain(self, snapshot: int) -> Chain[Any]:
        """One chain a protocol; its cache serves all of the protocol's sessions."""
        name = self.protocol_of(snapshot).name
        chain = self._chains.get(name)
        if chain is None:
            chain = self._chains[name] = Chain(self._base_of, self._stored, self._steps)
        return chain

    def _base_of(self, snapshot: int) -> int:
        return self._tables.snapshots.integer("base", snapshot)

    def _stored(self, snapshot: int) -> object | None:
        block = self._tables.blocks.get(snapshot)
        return None if block is None else self.codec(snapshot).unpack(block)

    def _steps(self, snapshots: Sequence[int], base: object | None) -> Sequence[object]:
        """The states of a chain of snapshots, which are of one session."""
        codec = self.codec(snapshots[0])
        deltas = self._deltas(snapshots)
        return codec.apply_all(codec.empty() if base is None else base, deltas, self.facts_of(snapshots[0]))

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
