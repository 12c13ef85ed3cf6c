"""What an excerpt needs beyond the packets that were chosen, so that it decodes as the whole capture does.

A snapshot needs all its parts and its base; a repetition needs what it repeats; messages that are taken in their order
need the one before the first. A base that is not in the excerpt is not fetched with its packets: it is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.export.selection import Bools
from analyzer.protocols.base import Excerpts, Protocol
from analyzer.snapshots.status import REPEATED as REPEATED_STATUSES
from analyzer.stats.live import Ints, live_mask, live_messages
from analyzer.store.tables import Tables

VITAL, REPEATED, AHEAD, CONTROL = 2, 8, 16, 32
"""Bits of messages.flags."""
FEW_PACKETS = 3
"""Of a flow with fewer, its dialect may not be certain without the handshake."""


@dataclass(frozen=True, slots=True)
class Base:
    """A snapshot that others of an excerpt refer to and that is not in it."""

    snapshot: int
    packet: int
    """The packet of the excerpt that it goes before."""
    model: int
    """A later packet from the server in the same connection."""


@dataclass(frozen=True, slots=True)
class _Flow:
    """The packets of a flow, ascending, and those of its messages that are taken in order or that control it."""

    packets: Ints
    message: Ints
    """Their packets, as the others of shape (messages,)."""
    flags: Ints
    direction: Ints
    tells_dialect: Bools
    """Whether they are messages of that kind, as the next two."""
    server_opens: Bools
    client_opens: Bools


class Needs:
    """The links between the packets of a capture. What is published later is not known here."""

    def __init__(self, tables: Tables, protocols: Sequence[Protocol]) -> None:
        self._tables = tables
        self._protocols = {protocol.name: protocol for protocol in protocols}
        self._snapshots = len(tables.snapshots)
        self._packets = len(tables.packets)
        self._base = self._column("base")
        self._cause = self._column("cause")
        self._repeats = np.isin(self._column("status"), REPEATED_STATUSES) & (self._cause >= 0)
        self._owner, self._carrier = self._parts()
        self._flows = dict(self._read_flows())

    def complete(self, packets: Bools) -> Bools:
        """The packets with those that decoding them needs; shape (packets,)."""
        found = packets[: self._packets].copy()
        while True:
            before = int(found.sum())
            self._add_parts(found)
            for flow in self._flows.values():
                if found[flow.packets].any():
                    self._add_order(flow, found)
            if int(found.sum()) == before:
                return found

    def bases(self, packets: Bools) -> list[Base]:
        """What has to be made for a complete excerpt, in the order in which it was sent."""
        inside = self._inside(packets)
        needed = self._outside_bases(inside)
        found = []
        users = np.flatnonzero(inside & np.isin(self._base, needed))
        user_of = dict(zip(self._base[users][::-1].tolist(), users[::-1].tolist(), strict=True))
        for snapshot in needed.tolist():
            place = self._place(snapshot, user_of[snapshot], packets)
            if place is not None:
                found.append(place)
        ticks = self._column("tick")
        return sorted(found, key=lambda base: (base.packet, ticks[base.snapshot]))

    def baseless(self, packets: Bools) -> int:
        """How many snapshots of a complete excerpt cannot be rebuilt unless bases are made."""
        inside = self._inside(packets)
        lost = np.append(inside & np.isin(self._base, self._outside_bases(inside)), False)
        # The last entry stands for no base.
        before = np.append(np.where(inside & (self._base >= 0), self._base, self._snapshots), self._snapshots)
        for _ in range(max(1, self._snapshots.bit_length())):
            lost |= lost[before]
            before = before[before]
        return int((lost[:-1] & inside).sum())

    def _column(self, name: str) -> Ints:
        return self._tables.snapshots.integers(name, 0, self._snapshots)

    def _parts(self) -> tuple[Ints, Ints]:
        """Snapshot and packet of every part of the live readings."""
        tables = self._tables
        first, count = self._column("first_part"), self._column("part_count")
        count = np.where(live_mask(tables, self._snapshots) & (first >= 0), count, 0)
        owner = np.repeat(np.arange(self._snapshots), count)
        parts = np.arange(count.sum()) + np.repeat(first - (np.cumsum(count) - count), count)
        messages = tables.parts.take("message", parts).astype(np.int64)
        return owner, tables.messages.take("packet", messages).astype(np.int64)

    def _read_flows(self) -> Iterator[tuple[int, _Flow]]:
        """The flows whose protocol has excerpts, by row."""
        tables, count = self._tables, self._packets
        alive = live_messages(tables)
        carriers = tables.messages.integers("packet", 0, len(alive))
        flags = tables.messages.integers("flags", 0, len(alive))
        names = tables.messages.integers("name", 0, len(alive))
        directions = tables.packets.integers("direction", 0, count)
        flow_of = tables.packets.integers("flow", 0, count)
        by_flow = np.argsort(flow_of, kind="stable")
        packet_flows = flow_of[by_flow]
        notable = np.flatnonzero(alive & (carriers < count) & (flags & (VITAL | CONTROL) > 0))
        notable = notable[np.lexsort((notable, carriers[notable], flow_of[carriers[notable]]))]
        message_flows = flow_of[carriers[notable]]
        for flow in range(len(tables.flows)):
            excerpts = self._excerpts(flow)
            if excerpts is None:
                continue
            packets = by_flow[slice(*np.searchsorted(packet_flows, (flow, flow + 1)))]
            messages = notable[slice(*np.searchsorted(message_flows, (flow, flow + 1)))]
            own = carriers[messages]
            server, client = excerpts.opens_epoch
            kinds = (self._named(names[messages], group) for group in (excerpts.tells_dialect, {server}, {client}))
            yield flow, _Flow(packets, own, flags[messages], directions[own], *kinds)

    def _excerpts(self, flow: int) -> Excerpts | None:
        reading = self._tables.flows.integer("reading", flow)
        if reading < 0:
            return None
        protocol = self._protocols.get(self._tables.readings.text("protocol", reading))
        return None if protocol is None else protocol.excerpts

    def _named(self, names: Ints, wanted: frozenset[str] | set[str]) -> Bools:
        known = self._tables.names
        return np.isin(names, [number for number in range(len(known)) if known[number] in wanted])

    def _inside(self, packets: Bools) -> Bools:
        """Which snapshots have a part in the excerpt."""
        inside = np.zeros(self._snapshots, dtype=np.bool_)
        inside[self._owner[packets[self._carrier]]] = True
        return inside

    def _outside_bases(self, inside: Bools) -> Ints:
        bases = np.unique(self._base[inside & (self._base >= 0)])
        return bases[~inside[bases]]

    def _place(self, snapshot: int, user: int, packets: Bools) -> Base | None:
        """Before the first packet of its flow in the excerpt that came after it."""
        table = self._tables.packets
        sent, used = (self._tables.snapshots.integer("packet", row) for row in (snapshot, user))
        flow = self._flows.get(table.integer("flow", used))
        if flow is None:
            return None
        later = flow.packets[(flow.packets > sent) & packets[flow.packets]]
        kinds, directions = table.take("kind", later), table.take("direction", later)
        like = (kinds == table.integer("kind", used)) & (directions == table.integer("direction", used))
        models = later[like]
        return Base(snapshot, int(later[0]), int(models[0])) if len(models) else None

    def _add_parts(self, found: Bools) -> None:
        """All parts of a snapshot of which one is there, and what a repetition repeats."""
        while True:
            inside = self._inside(found)
            inside[self._cause[inside & self._repeats]] = True
            wanted = self._carrier[inside[self._owner]]
            if found[wanted].all():
                return
            found[wanted] = True

    def _add_order(self, flow: _Flow, found: Bools) -> None:
        """What must stand before the messages of a flow that are taken in order."""
        chosen = flow.packets[found[flow.packets]]
        if len(chosen) < FEW_PACKETS:
            self._add_handshake(flow, found, int(chosen[0]))
        self._add_opening(flow, found)
        for direction in (0, 1):
            self._add_before(flow, found, direction)
        sessions = self._tables.packets.take("session", chosen).astype(np.int64)
        if len(np.unique(sessions[sessions >= 0])) > 1:
            between = (flow.message > chosen[0]) & (flow.message < chosen[-1]) & (flow.flags & REPEATED == 0)
            found[flow.message[between]] = True

    def _add_handshake(self, flow: _Flow, found: Bools, first: int) -> None:
        before = flow.message[flow.tells_dialect & (flow.message < first)]
        if len(before) and not found[flow.message[flow.tells_dialect]].any():
            found[before[-1]] = True

    def _add_opening(self, flow: _Flow, found: Bools) -> None:
        """An epoch that the server began before the excerpt, where the client begins it in the excerpt."""
        server, client = flow.server_opens, flow.client_opens
        fresh = (flow.flags & VITAL > 0) & (flow.flags & REPEATED == 0)
        openers = np.flatnonzero((server | client) & fresh)
        present = np.flatnonzero(found[flow.message[openers]])
        at = int(present[0]) if len(present) else 0
        if at == 0 or not client[openers[at]] or not server[openers[at - 1]]:
            return
        begin, end = int(flow.message[openers[at - 1]]), int(flow.message[openers[at]])
        between = flow.packets[(flow.packets > begin) & (flow.packets < end)]
        if not (self._tables.packets.take("snapshot", between).astype(np.int64) >= 0).any():
            return
        ordered = fresh & (flow.direction == flow.direction[openers[at - 1]])
        found[flow.message[ordered & (flow.message >= begin) & (flow.message < end)]] = True

    def _add_before(self, flow: _Flow, found: Bools, direction: int) -> None:
        """Without the last message before it, a repeated one would be taken for a new one."""
        own = (flow.flags & VITAL > 0) & (flow.direction == direction)
        present = np.flatnonzero(own & found[flow.message])
        if len(present) and flow.flags[present[0]] & (REPEATED | AHEAD):
            in_order = own & (flow.flags & (REPEATED | AHEAD) == 0) & (flow.message < flow.message[present[0]])
            before = flow.message[in_order]
            if len(before):
                found[before[-1]] = True
