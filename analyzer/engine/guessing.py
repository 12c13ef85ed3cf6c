"""Guesses of items and messages that nobody named: a few samples from the tables, for the protocol to guess from.

What is looked at is bounded, and only where something unknown was seen; guesses are kept, and made anew as more comes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from analyzer.protocols.base import ItemSample, Protocol, Schemas, SessionFacts
from analyzer.snapshots.status import REBUILT
from analyzer.stats.live import Ints, ints, live_messages
from analyzer.store.tables import Tables
from analyzer.wire.errors import DecodeError

if TYPE_CHECKING:
    from analyzer.engine.query import Query

RUNS = 6
"""Places of a session where snapshots are looked at."""
RUN = 8
"""Snapshots that follow on each other: how a value moves says what it is."""
MOST_SAMPLES = 600
"""Of one item type."""
MOST_BODIES = 64
"""Of one message."""
MOST_NAMES = 64
"""Unknown messages that are looked at."""
Samples = dict[str, list[ItemSample]]


@dataclass(slots=True)
class _Kept:
    """Guesses of a session."""

    guesses: object
    known: frozenset[str]
    """What was unknown when they were made."""
    rows: int
    """Snapshots and messages there were."""


class Guessing:
    """Answers for `Query`, on its thread."""

    def __init__(self, query: Query, tables: Tables) -> None:
        self._query = query
        self._tables = tables
        self._kept: dict[int, _Kept] = {}
        self._messages: dict[int, str] = {}
        """Number in messages.name -> name, of unknown messages."""
        self._names = 0
        """Names that were looked at."""

    def facts(self, session: int, facts: SessionFacts, protocol: Protocol, snapshot: int = -1) -> SessionFacts:
        """The facts of a session with guesses, where something in it is unknown. `snapshot`: look at this one too."""
        schemas = protocol.schemas
        if schemas is None:
            return facts
        unknown = self.unknown(schemas, session)
        if not unknown:
            return facts
        kept = self._kept.get(session)
        rows = len(self._tables.snapshots) + len(self._tables.messages)
        if kept is None or not unknown <= kept.known or rows > 2 * kept.rows:
            items = self.items(schemas, session, snapshot)
            bodies = self.bodies(schemas, facts, session)
            kept = self._kept[session] = _Kept(schemas.guess(items, bodies), unknown, rows)
        return replace(facts, guesses=kept.guesses)

    def forget(self) -> None:
        """Other schema files count now."""
        self._kept.clear()

    def unknown(self, schemas: Schemas, session: int) -> frozenset[str]:
        """What is unknown in a session: names of item types and messages."""
        types = self._tables.types
        rows = np.flatnonzero(ints(types, "session") == session).tolist()
        names = {types.text("name", row) for row in rows}
        names.update(self._unknown_messages(schemas).values())
        return frozenset(name for name in names if schemas.is_unknown(name))

    def items(self, schemas: Schemas, session: int, snapshot: int = -1) -> Samples:
        """Unknown items of some of a session's snapshots, by the name of their type."""
        snapshots = self._tables.snapshots
        rebuilt = np.isin(ints(snapshots, "status"), [int(status) for status in REBUILT])
        own = np.flatnonzero(rebuilt & (ints(snapshots, "session") == session))
        found: Samples = {}
        for row in _chosen(own, snapshot):
            tick = snapshots.integer("tick", row)
            for item in self._query.plain_items(row):
                samples = found.setdefault(item.name, []) if schemas.is_unknown(item.name) else None
                if samples is not None and len(samples) < MOST_SAMPLES:
                    samples.append(ItemSample(tick, item.id, item.values))
        return found

    def bodies(self, schemas: Schemas, facts: SessionFacts, session: int) -> Mapping[str, Sequence[bytes]]:
        """The fields of some unknown messages of a session, by key."""
        tables = self._tables
        names = ints(tables.messages, "name")
        live = live_messages(tables)[: len(names)]
        found: dict[str, list[bytes]] = {}
        for number in self._unknown_messages(schemas):
            rows = np.flatnonzero((names == number) & live)
            own = rows[ints(tables.packets, "session")[ints(tables.messages, "packet")[rows]] == session]
            for row in own[:: max(1, -(-len(own) // MOST_BODIES))].tolist():
                payload = self._query.payload(tables.messages.integer("packet", row))
                place = tables.messages.integer("offset", row), tables.messages.integer("size", row)
                try:
                    key, body = schemas.body(payload, facts, *place)
                except DecodeError:
                    continue
                found.setdefault(key, []).append(body)
        return found

    def _unknown_messages(self, schemas: Schemas) -> Mapping[int, str]:
        """Numbers in messages.name of unknown messages, the first of them."""
        names = self._tables.names
        count = len(names)
        for number in range(self._names, count):
            if len(self._messages) < MOST_NAMES and schemas.is_unknown(names[number]):
                self._messages[number] = names[number]
        self._names = count
        return self._messages


def _chosen(rows: Ints, snapshot: int) -> list[int]:
    """Runs of rows from all over a session, and one at `snapshot`."""
    last = max(0, len(rows) - RUN)
    starts = np.linspace(0, last, RUNS).astype(np.int64).tolist()
    if snapshot >= 0:
        starts.append(min(last, int(np.searchsorted(rows, snapshot))))
    chosen = {int(row) for start in starts for row in rows[start : start + RUN]}
    return sorted(chosen)
