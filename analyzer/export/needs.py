"""What an excerpt needs beyond the packets that were chosen, so that it decodes as the whole capture does.

A snapshot needs all its parts and its base; a repetition needs what it repeats; order.py says what messages need that
are taken in their order. A base that is not in the excerpt is not fetched with its packets: it is made. One that is
known in part only cannot be made: it is fetched, with those before it, where a snapshot was rebuilt all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.export.order import read_flows
from analyzer.export.selection import Bools
from analyzer.protocols.base import Protocol
from analyzer.snapshots.status import REPEATED as REPEATED_STATUSES
from analyzer.stats.live import Ints, live_mask
from analyzer.stats.snapshots import rebuilt_mask
from analyzer.store.tables import Tables


@dataclass(frozen=True, slots=True)
class Base:
    """A snapshot that others of an excerpt refer to and that is not in it."""

    snapshot: int
    packet: int
    """The packet of the excerpt that it goes before."""
    model: int
    """A later packet from the server in the same connection."""


class Needs:
    """The links between the packets of a capture. What is published later is not known here."""

    def __init__(self, tables: Tables, protocols: Sequence[Protocol]) -> None:
        self._tables = tables
        self._snapshots = len(tables.snapshots)
        self._packets = len(tables.packets)
        self._rebuilt = rebuilt_mask(self._column("status"))
        self._base, self._partial = self._bases()
        self._cause = self._column("cause")
        self._repeats = np.isin(self._column("status"), REPEATED_STATUSES) & (self._cause >= 0)
        self._owner, self._carrier = self._parts()
        self._flows = dict(read_flows(tables, protocols, self._packets))

    def complete(self, packets: Bools) -> Bools:
        """The packets with those that decoding them needs; shape (packets,)."""
        found = packets[: self._packets].copy()
        while True:
            before = int(found.sum())
            self._add_parts(found)
            for flow in self._flows.values():
                if found[flow.packets].any():
                    flow.add_order(found)
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

    def _bases(self) -> tuple[Ints, Ints]:
        """The base of every snapshot that can be made, and of every one that cannot, as it was not rebuilt; else -1."""
        base = self._column("base")
        made = (base >= 0) & self._rebuilt[base]
        return np.where(made, base, -1), np.where((base >= 0) & ~made, base, -1)

    def _parts(self) -> tuple[Ints, Ints]:
        """Snapshot and packet of every part of the live readings."""
        tables = self._tables
        first, count = self._column("first_part"), self._column("part_count")
        count = np.where(live_mask(tables, self._snapshots) & (first >= 0), count, 0)
        owner = np.repeat(np.arange(self._snapshots), count)
        parts = np.arange(count.sum()) + np.repeat(first - (np.cumsum(count) - count), count)
        messages = tables.parts.take("message", parts).astype(np.int64)
        return owner, tables.messages.take("packet", messages).astype(np.int64)

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
        """All parts of a snapshot of which one is there, what a repetition repeats, and what was rebuilt in part."""
        while True:
            inside = self._inside(found)
            inside[self._cause[inside & self._repeats]] = True
            self._add_partial(inside)
            wanted = self._carrier[inside[self._owner]]
            if found[wanted].all():
                return
            found[wanted] = True

    def _add_partial(self, inside: Bools) -> None:
        """What a rebuilt snapshot rests on whose base was not: each base, as far as there is one."""
        ahead = np.unique(self._partial[inside & self._rebuilt])
        while len(ahead) and ahead[-1] >= 0:
            ahead = ahead[ahead >= 0]
            inside[ahead] = True
            ahead = np.unique(self._partial[ahead])
