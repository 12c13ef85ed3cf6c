"""One capture's tables as filters read them, with what is kept from one reading to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from analyzer.filters.endpoints import Endpoint, endpoint_of
from analyzer.filters.terms import ItemSource, MessageSource
from analyzer.filters.value_tests import Bools
from analyzer.filters.values import Array, Ints
from analyzer.filters.vocabulary import NO_PROTOCOL, Vocabulary, Words
from analyzer.store.growing import Growing
from analyzer.store.tables import Tables

SEVERITIES = ("", "note", "warn", "error")
"""By findings.severity, in the words of `snapscope-cli findings`."""
BLOCK = 1 << 14
"""Pairs of a packet and a snapshot that are looked at together."""
FEW_PACKETS = 4096
"""The messages of so few packets are looked for one by one."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What expert rules found, as filters need it; each array of shape (findings,)."""

    packet: Ints
    """Row of `packets`, -1: none."""
    snapshot: Ints
    """Row of `snapshots`, -1: none."""
    rule: Ints
    """Place in `rules`."""
    severity: Ints
    """Place in `SEVERITIES`."""
    rules: Sequence[str]


FindingsOf = Callable[[], Findings]
"""All findings there are now."""


def no_findings() -> Findings:
    """Where nobody looks for what is wrong."""
    nothing = np.empty(0, np.int64)
    return Findings(nothing, nothing, nothing, nothing, ())


def alive_readings(tables: Tables) -> Bools:
    """Which rows of `readings` count."""
    return tables.readings.array("alive").astype(np.bool_)


def alive_sessions(tables: Tables) -> Bools:
    """Which rows of `sessions` are of a reading that counts."""
    readings = tables.sessions.integers("reading")
    # Looked up last: more may have been published meanwhile.
    return alive_readings(tables)[readings]


def alive_snapshots(tables: Tables, rows: Ints) -> Bools:
    """Which of some rows of `snapshots` are of a reading that counts, shape like `rows`."""
    sessions = tables.snapshots.take("session", rows).astype(np.int64)
    return alive_sessions(tables)[sessions]


class Links:
    """Which packets carried parts of which snapshots or ended them: pairs, each once, in the order of snapshots."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._seen = 0
        self._packet: Growing[np.int32] = Growing(np.int32, tables.chunks)
        self._snapshot: Growing[np.int32] = Growing(np.int32, tables.chunks)
        self._reach: tuple[Growing[np.int32], Growing[np.int32]] = (Growing(np.int32), Growing(np.int32))
        """Of each block of pairs the lowest and the highest packet."""

    def catch_up(self) -> None:
        """Take in the snapshots that were published since."""
        snapshots = self._tables.snapshots
        start, stop = self._seen, len(snapshots)
        if stop == start:
            return
        self._seen = stop
        rows = np.arange(start, stop)
        first, count = snapshots.integers("first_part", start, stop), snapshots.integers("part_count", start, stop)
        count[first < 0] = 0
        parts = np.arange(count.sum()) + np.repeat(first - (np.cumsum(count) - count), count)
        messages = self._tables.parts.take("message", parts).astype(np.int64)
        packets = self._tables.messages.take("packet", messages).astype(np.int64)
        keys = np.concatenate(
            [np.repeat(rows, count) << 32 | packets, rows << 32 | snapshots.integers("packet", start, stop)]
        )
        keys = np.unique(keys)
        known = len(self._packet)
        self._packet.append((keys & 0xFFFFFFFF).astype(np.int32))
        self._snapshot.append((keys >> 32).astype(np.int32))
        self._note_reach(known)

    def of_packets(self, first: int, stop: int) -> tuple[Ints, Ints]:
        """Packets and snapshots of the pairs whose packet is in a range."""
        self.catch_up()
        packet, snapshot = self._packet.view, self._snapshot.view
        low, high = self._reach
        blocks = np.flatnonzero((low.view < stop) & (high.view >= first))
        if not len(blocks):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        # Pairs are nearly in the order of packets, so the blocks that reach into a range are few, and neighbours.
        begin, end = int(blocks[0]) * BLOCK, (int(blocks[-1]) + 1) * BLOCK
        packet, snapshot = packet[begin:end], snapshot[begin:end]
        here = (packet >= first) & (packet < stop)
        return packet[here].astype(np.int64), snapshot[here].astype(np.int64)

    def _note_reach(self, known: int) -> None:
        """The lowest and highest packet of each block of pairs, from the one that pair `known` is in."""
        start = known // BLOCK
        own = self._packet.view[start * BLOCK :]
        edges = np.arange(0, len(own), BLOCK)
        for kept, found in zip(self._reach, (np.minimum, np.maximum), strict=True):
            kept.cut(start)
            kept.append(found.reduceat(own, edges))

    def packets_of(self, first: int, stop: int) -> Ints:
        """Packets of a range of snapshots."""
        self.catch_up()
        start, end = np.searchsorted(self._snapshot.view, (first, stop)).tolist()
        return self._packet.view[start:end].astype(np.int64)


class View:
    """The tables of a capture, for one thread at a time."""

    def __init__(
        self,
        tables: Tables,
        vocabulary: Vocabulary,
        *,
        messages: MessageSource | None = None,
        items: ItemSource | None = None,
        findings: FindingsOf = no_findings,
    ) -> None:
        """`messages`, `items`: what answers for fields that no table holds; without it only `Filter.needs` none can.

        `findings`: what was found so far.
        """
        self.tables = tables
        self.vocabulary = vocabulary
        self.messages = messages
        self.items = items
        self.findings = findings
        self.links = Links(tables)
        self._ends: tuple[list[Endpoint], list[Endpoint]] = ([], [])

    def ends(self, count: int) -> tuple[list[Endpoint], list[Endpoint]]:
        """Endpoints a and b of the first `count` flows or more."""
        for side, column in zip(self._ends, ("address_a", "address_b"), strict=True):
            if len(side) < count:
                side += [endpoint_of(str(text)) for text in self.tables.flows.array(column, len(side), count).tolist()]
        return self._ends

    def protocol_of_flow(self) -> tuple[list[str], Ints]:
        """Protocol names, `NO_PROTOCOL` first, and for each flow the place of its own among them."""
        tables = self.tables
        readings = tables.flows.integers("reading")
        texts = [str(text) for text in tables.readings.array("protocol").tolist()]
        names = [NO_PROTOCOL, *sorted(set(texts))]
        places = np.array([names.index(text) for text in texts] + [0], np.int64)
        return names, places[readings]

    def words(self, protocol: str) -> Words:
        """Those of a protocol; of none, no words."""
        return self.vocabulary.protocols.get(protocol, Words())


class Scope(Protocol):
    """Rows that a filter is asked about: packets, or snapshots with their packets."""

    view: View
    rows: int
    """How many."""

    def packet(self, column: str) -> Array:
        """A column of the packet of each row, shape (rows,)."""
        ...

    @property
    def packet_rows(self) -> Ints:
        """The packet of each row, shape (rows,)."""
        ...

    @property
    def messages(self) -> Carried:
        """The messages of the packets."""
        ...

    @property
    def snapshots(self) -> Carried:
        """The snapshots of each row."""
        ...

    @property
    def found(self) -> tuple[Findings, Ints, Ints]:
        """All findings, those of these rows, and the row of each."""
        ...


class Carried:
    """Rows of `messages` or `snapshots` that belong to the rows of a scope."""

    def __init__(self, table: str, view: View, rows: Ints | slice, owner: Ints) -> None:
        self._table = getattr(view.tables, table)
        self.rows = rows
        """A slice, where that is all of a stretch."""
        self.owner = owner
        """The scope's row of each, shape (m,)."""
        self._columns: dict[str, Array] = {}

    def column(self, name: str) -> Array:
        """A column of them, shape (m,)."""
        if name not in self._columns:
            rows = self.rows
            table = self._table
            self._columns[name] = (
                table.array(name, rows.start, rows.stop) if isinstance(rows, slice) else table.take(name, rows)
            )
        found: Array = self._columns[name]
        return found

    @property
    def numbers(self) -> Ints:
        """Their row numbers, shape (m,)."""
        return np.arange(self.rows.start, self.rows.stop) if isinstance(self.rows, slice) else self.rows


class PacketScope:
    """Packets first to stop - 1."""

    def __init__(self, view: View, first: int, stop: int) -> None:
        self.view = view
        self.first = first
        self.stop = stop
        self.rows = stop - first
        self._columns: dict[str, Array] = {}

    def packet(self, column: str) -> Array:
        """A column of the packets, shape (rows,)."""
        if column not in self._columns:
            self._columns[column] = self.view.tables.packets.array(column, self.first, self.stop)
        return self._columns[column]

    @property
    def packet_rows(self) -> Ints:
        """Their row numbers."""
        return np.arange(self.first, self.stop)

    @cached_property
    def messages(self) -> Carried:
        """Messages of live readings, in the order of their rows."""
        tables = self.view.tables
        first_message = self.packet("first_message").astype(np.int64)
        if self.rows <= FEW_PACKETS:
            return messages_of(self.view, first_message, self.packet_rows)
        have = first_message[np.asarray(first_message >= 0)]
        if not len(have):
            return Carried("messages", self.view, slice(0, 0), np.empty(0, np.int64))
        low, high = int(have.min()), int(have.max()) + 1
        while high < len(tables.messages) and tables.messages.get("packet", high) == tables.messages.get(
            "packet", high - 1
        ):
            high += 1
        packets = tables.messages.integers("packet", low, high)
        readings = tables.messages.array("reading", low, high)
        kept = alive_readings(tables)[readings]
        kept &= (packets >= self.first) & (packets < self.stop)
        if kept.all():
            return Carried("messages", self.view, slice(low, high), packets - self.first)
        rows = np.flatnonzero(kept)
        return Carried("messages", self.view, rows + low, packets[rows] - self.first)

    @cached_property
    def snapshots(self) -> Carried:
        """Live snapshots that the packets carry a part of or end."""
        view = self.view
        packets, snapshots = view.links.of_packets(self.first, self.stop)
        kept = alive_snapshots(view.tables, snapshots)
        if not kept.all():
            packets, snapshots = packets[kept], snapshots[kept]
        return Carried("snapshots", view, snapshots, packets - self.first)

    @cached_property
    def found(self) -> tuple[Findings, Ints, Ints]:
        """Findings on the packets."""
        findings = self.view.findings()
        here = np.flatnonzero((findings.packet >= self.first) & (findings.packet < self.stop))
        return findings, here, findings.packet[here] - self.first


class SnapshotScope:
    """Some rows of `snapshots`, each with the packet that ended it."""

    def __init__(self, view: View, rows: Ints) -> None:
        self.view = view
        self.snapshot_rows = rows
        self.rows = len(rows)
        self._columns: dict[str, Array] = {}

    @cached_property
    def packet_rows(self) -> Ints:
        """The packets that ended them."""
        return self.view.tables.snapshots.take("packet", self.snapshot_rows).astype(np.int64)

    def packet(self, column: str) -> Array:
        """A column of those packets, shape (rows,)."""
        if column not in self._columns:
            self._columns[column] = self.view.tables.packets.take(column, self.packet_rows)
        return self._columns[column]

    @cached_property
    def messages(self) -> Carried:
        """Messages of those packets."""
        return messages_of(self.view, self.packet("first_message").astype(np.int64), self.packet_rows)

    @cached_property
    def snapshots(self) -> Carried:
        """Themselves, where they count."""
        kept = np.flatnonzero(alive_snapshots(self.view.tables, self.snapshot_rows))
        return Carried("snapshots", self.view, self.snapshot_rows[kept], kept)

    @cached_property
    def found(self) -> tuple[Findings, Ints, Ints]:
        """Findings on the snapshots."""
        findings = self.view.findings()
        order = np.argsort(self.snapshot_rows, kind="stable")
        ordered = self.snapshot_rows[order]
        at = np.minimum(np.searchsorted(ordered, findings.snapshot), max(len(ordered) - 1, 0))
        here = np.flatnonzero(ordered[at] == findings.snapshot) if len(ordered) else np.empty(0, np.int64)
        return findings, here, order[at[here]]


def messages_of(view: View, first_message: Ints, packets: Ints) -> Carried:
    """Messages of any packets, given with the first of each; they are contiguous. In the order of packets."""
    messages = view.tables.messages
    alive = alive_readings(view.tables)
    owners, rows = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    owner = np.flatnonzero(first_message >= 0)
    row = first_message[owner]
    reading: NDArray[np.generic] | None = None
    while len(owner):
        inside = row < len(messages)
        owner, row = owner[inside], row[inside]
        own = messages.take("reading", row)
        here = (messages.take("packet", row) == packets[owner]) & alive[own]
        reading = own if reading is None else reading[inside]
        here &= own == reading
        owner, row, reading = owner[here], row[here], reading[here]
        owners.append(owner)
        rows.append(row)
        row = row + 1
    found, of = np.concatenate(rows), np.concatenate(owners)
    order = np.lexsort((found, of))
    return Carried("messages", view, found[order], of[order])
