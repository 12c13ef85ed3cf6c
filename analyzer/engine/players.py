"""Names of players by client id, looked up when a field first asks: in a snapshot, or in messages of the server."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from analyzer.protocols.base import Arrived, NameMessages, Protocol, SessionFacts
from analyzer.snapshots.status import REBUILT
from analyzer.stats.live import packet_times
from analyzer.store.tables import Tables
from analyzer.wire.errors import DecodeError

MOST_READ = 1 << 14
"""Messages that are read to tell who is who: the last ones."""


class Players(Mapping[int, str]):
    """Few packets name a player: to rebuild a snapshot for each, or to read messages, would be in vain."""

    def __init__(self, look_up: Callable[[], Mapping[int, str]]) -> None:
        """`look_up`: is called once, if at all."""
        self._look_up = look_up
        self._names: Mapping[int, str] | None = None

    def __getitem__(self, client: int) -> str:
        return self._known()[client]

    def __iter__(self) -> Iterator[int]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())

    def _known(self) -> Mapping[int, str]:
        if self._names is None:
            self._names = self._look_up()
        return self._names


@dataclass(frozen=True, slots=True)
class _Message:
    """A message that tells a name."""

    row: int
    packet: int
    arrived: Arrived


@dataclass(slots=True)
class _Kept:
    """What is known of a session."""

    looked_at: int
    """Rows of `messages` that were looked at."""
    messages: list[_Message] = field(default_factory=list)
    read: dict[int, tuple[int, str] | None] = field(default_factory=dict)
    """By row: client id and name; None of one that cannot be read."""


class ToldNames:
    """The names that messages told by the time of a packet. Each message is read once."""

    def __init__(self, tables: Tables, payloads: Callable[[Sequence[int]], list[bytes]]) -> None:
        """`payloads`: of packets."""
        self._tables = tables
        self._payloads = payloads
        self._kept: dict[int, _Kept] = {}
        """By session."""

    def facts(self, snapshot: int, facts: SessionFacts, protocol: Protocol) -> SessionFacts:
        """The facts of a snapshot with the names at its time and at that of its base, where messages tell names."""
        snapshots = self._tables.snapshots
        session, packet = snapshots.integer("session", snapshot), snapshots.integer("packet", snapshot)
        players = self.players(session, packet, facts, protocol)
        if players is None:
            return facts
        base = snapshots.integer("base", snapshot)
        olds = players if base < 0 else self.players(session, snapshots.integer("packet", base), facts, protocol)
        return replace(facts, players=players, base_players=olds or {})

    def players(self, session: int, packet: int, facts: SessionFacts, protocol: Protocol) -> Players | None:
        """The names that a session's packets up to this one tell; None where snapshots hold the names."""
        how = protocol.name_messages
        if how is None or not how.names(facts.dialect):
            return None
        return Players(lambda: self._at(session, packet, facts, how))

    def _at(self, session: int, packet: int, facts: SessionFacts, how: NameMessages) -> dict[int, str]:
        kept = self._kept.get(session)
        if kept is None:
            first = self._tables.packets.integer(
                "first_message", self._tables.sessions.integer("first_packet", session)
            )
            kept = self._kept[session] = _Kept(max(0, first))
        self._look(kept, session, how.names(facts.dialect))
        stop = bisect_right(kept.messages, packet, key=lambda message: message.packet)
        messages = kept.messages[max(0, stop - MOST_READ) : stop]
        messages = [messages[index] for index in how.in_order([message.arrived for message in messages])]
        self._read(kept, messages, facts, how)
        names: dict[int, str] = {}
        for message in messages:
            told = kept.read[message.row]
            if told is not None:
                names[told[0]] = told[1]
        return {client: name for client, name in names.items() if name}

    def _look(self, kept: _Kept, session: int, names: frozenset[str]) -> None:
        """Find the messages that were published since."""
        tables = self._tables
        start, stop = kept.looked_at, len(tables.messages)
        if start >= stop:
            return
        numbers = [number for number in range(len(tables.names)) if tables.names[number] in names]
        rows = start + np.flatnonzero(np.isin(tables.messages.array("name", start, stop), numbers))
        reading = tables.sessions.integer("reading", session)
        rows = rows[tables.messages.take("reading", rows) == reading]
        packets = tables.messages.take("packet", rows).astype(np.int64)
        server = tables.flows.integer("server", tables.readings.integer("flow", reading))
        own = tables.packets.take("session", packets) == session
        own &= tables.packets.take("direction", packets) == server
        rows, packets = rows[own], packets[own]
        times = packet_times(tables, packets)
        sequences, flags = (tables.messages.take(name, rows) for name in ("sequence", "flags"))
        columns = (column.tolist() for column in (rows, packets, times, sequences, flags))
        for row, packet, *arrived in zip(*columns, strict=True):
            kept.messages.append(_Message(row, packet, Arrived(*arrived)))
        kept.looked_at = stop

    def _read(self, kept: _Kept, messages: Sequence[_Message], facts: SessionFacts, how: NameMessages) -> None:
        unread = [message for message in messages if message.row not in kept.read]
        payloads = self._payloads([message.packet for message in unread])
        for message, payload in zip(unread, payloads, strict=True):
            offset, size = (self._tables.messages.integer(name, message.row) for name in ("offset", "size"))
            try:
                kept.read[message.row] = how.read(payload, facts, offset, size)
            except DecodeError:
                kept.read[message.row] = None


def last_rebuilt(tables: Tables, packet: int) -> int:
    """The newest rebuilt snapshot of the packet's session that was there when the packet came; -1 if there is none."""
    session = tables.packets.integer("session", packet)
    if session < 0:
        return -1
    snapshots = tables.snapshots
    own = np.flatnonzero(snapshots.array("session") == session)
    before = own[snapshots.take("packet", own).astype(np.int64) <= packet]
    rows = before[np.isin(snapshots.take("status", before), [int(status) for status in REBUILT])]
    return int(rows[-1]) if len(rows) else -1
