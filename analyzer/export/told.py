"""What an excerpt leaves out of what messages told of its sessions: who is who, and the map. It is told again.

Only where names are in messages alone; where snapshots hold them, they come with those.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.engine.query import Query
from analyzer.export.order import REPEATED
from analyzer.export.selection import Bools
from analyzer.protocols.base import Protocol, SessionFacts
from analyzer.stats.live import Ints, live_messages, live_sessions
from analyzer.store.tables import Tables
from analyzer.wire.errors import DecodeError


@dataclass(frozen=True, slots=True)
class Told:
    """Messages of a session that are not in the excerpt."""

    session: int
    packet: int
    """The packet of the excerpt that they go before."""
    model: int
    """A later packet from the server in the same session."""
    messages: tuple[int, ...]


def told(tables: Tables, protocols: Sequence[Protocol], packets: Bools) -> list[Told]:
    """What has to be told again in an excerpt, in the order of its packets; `packets`: shape (packets,)."""
    by_name = {protocol.name: protocol for protocol in protocols}
    found: list[Told] = []
    for session in live_sessions(tables).tolist():
        reading = tables.sessions.integer("reading", session)
        protocol = by_name.get(tables.readings.text("protocol", reading))
        if protocol is not None and protocol.excerpts is not None and protocol.name_messages is not None:
            names = protocol.name_messages.names(tables.sessions.text("dialect", session))
            if names:
                opener = protocol.excerpts.opens_epoch[0]
                found += _of_session(tables, session, reading, packets, (names, opener))
    return sorted(found, key=lambda entry: entry.packet)


def _of_session(
    tables: Tables, session: int, reading: int, packets: Bools, wanted: tuple[frozenset[str], str]
) -> Iterator[Told]:
    sessions = tables.packets.array("session", 0, len(packets))
    own = np.flatnonzero((sessions == session) & packets)
    if not len(own):
        return
    names, opener = wanted
    server = tables.flows.integer("server", tables.readings.integer("flow", reading))
    rows = _messages(tables, reading, {*names, opener}, server, len(packets))
    carriers = tables.messages.take("packet", rows).astype(np.int64)
    is_map = np.array([tables.names[name] == opener for name in tables.messages.take("name", rows)], dtype=np.bool_)
    maps = rows[is_map & (carriers <= own[0])][-1:] if tables.sessions.text("map", session) else rows[:0]
    told = np.sort(np.concatenate((maps, rows[~is_map & (sessions[carriers] == session)])))
    carriers = tables.messages.take("packet", told).astype(np.int64)
    places = np.searchsorted(own, carriers, side="right")
    groups: dict[int, list[int]] = defaultdict(list)
    for row, place in zip(told.tolist(), np.where(packets[carriers], len(own), places).tolist(), strict=True):
        groups[place].append(row)
    groups.pop(len(own), None)
    chunks = tables.packets.take("kind", own) == (tables.packets.integer("kind", int(carriers[0])) if groups else -1)
    models = np.flatnonzero(chunks & (tables.packets.take("direction", own) == server))
    for place, messages in groups.items():
        at = int(np.searchsorted(models, place))
        if at < len(models):
            yield Told(session, int(own[place]), int(own[models[at]]), tuple(messages))


def _messages(tables: Tables, reading: int, wanted: set[str], server: int, count: int) -> Ints:
    """Rows of the server's messages of some names, each once, in the first `count` packets."""
    alive = live_messages(tables)
    numbers = [number for number in range(len(tables.names)) if tables.names[number] in wanted]
    names, readings, carriers, flags = (
        tables.messages.integers(name, 0, len(alive)) for name in ("name", "reading", "packet", "flags")
    )
    rows = np.flatnonzero(
        alive & np.isin(names, numbers) & (readings == reading) & (carriers < count) & (flags & REPEATED == 0)
    )
    from_server: Bools = tables.packets.take("direction", carriers[rows]) == server
    return rows[from_server]


def payloads(tables: Tables, query: Query, entry: Told) -> tuple[bytes, ...]:
    """Of the packets that tell it; of several messages about one client the last."""
    protocol = query.protocol(entry.packet)
    facts = tables.sessions.get("facts", entry.session)
    assert protocol is not None
    assert protocol.excerpts is not None
    assert protocol.name_messages is not None
    assert isinstance(facts, SessionFacts)
    last: dict[int, tuple[bytes, int, int]] = {}
    for row in entry.messages:
        packet, offset, size = (tables.messages.integer(name, row) for name in ("packet", "offset", "size"))
        payload = query.payload(packet)
        try:
            client, _ = protocol.name_messages.read(payload, facts, offset, size)
        except DecodeError:
            client = -1  # the map
        last.pop(client, None)
        last[client] = payload, offset, size
    return protocol.excerpts.made_messages(list(last.values()), facts, query.payload(entry.model))
