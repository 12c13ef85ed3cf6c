"""What must stand in an excerpt before messages that a reader takes in their order, so that it takes them as it would.

Vital messages are numbered. A reader ignores one it had, and waits for those before one until the other side says that
it has them: then it is the capture that has not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.export.selection import Bools
from analyzer.protocols.base import Excerpts, Protocol
from analyzer.stats.live import Ints, live_messages
from analyzer.store.tables import Tables

VITAL, REPEATED, AHEAD, CONTROL = 2, 8, 16, 32
"""Bits of messages.flags."""
NO_ACK = 65535
"""packets.ack where there is none."""
MODULO = 1024
"""Of the numbers of vital messages."""
STEP = 400
"""Numbers that may be missing in a row; past half of the modulo, a later one would pass for an earlier one."""
CHAIN = 16
"""Messages that are taken along as they are rather than looking for a way around."""
FEW_PACKETS = 3
"""Of a flow with fewer, its dialect may not be certain without the handshake."""


@dataclass(frozen=True, slots=True)
class Flow:
    """The packets of a flow, ascending, and those of its messages that are vital or control it."""

    packets: Ints
    directions: Ints
    """Of the packets, as the next two."""
    sessions: Ints
    acks: Ints
    """What the header acknowledges."""
    message: Ints
    """Packets of the messages, as the others of shape (messages,)."""
    flags: Ints
    sequence: Ints
    direction: Ints
    tells_dialect: Bools
    """Whether they are messages of that kind, as the next two."""
    server_opens: Bools
    client_opens: Bools
    completes: Bools
    """Which of the packets complete a snapshot."""

    def add_order(self, found: Bools) -> None:
        """Add to the packets of an excerpt, at least one of them of this flow; shape (packets of the capture,)."""
        chosen = np.flatnonzero(found[self.packets])
        if len(chosen) < FEW_PACKETS:
            self._add_handshake(found, int(self.packets[chosen[0]]))
        self._add_opening(found)
        for direction in (0, 1):
            self._add_before(found, direction)
        of_session = chosen[self.sessions[chosen] >= 0]
        change = np.flatnonzero(np.diff(self.sessions[of_session]))
        if len(change):
            # Handshakes may lie well before the session that they begin.
            inside = (self.message > self.packets[chosen[0]]) & (self.message < self.packets[chosen[-1]])
            found[self.message[inside & (self.flags & CONTROL > 0)]] = True
        for before, after in zip(of_session[change].tolist(), of_session[change + 1].tolist(), strict=True):
            if after > before + 1:
                self._add_between(found, int(self.packets[before]), int(self.packets[after]))

    @property
    def _fresh(self) -> Bools:
        fresh: Bools = (self.flags & VITAL > 0) & (self.flags & REPEATED == 0)
        return fresh

    def _add_handshake(self, found: Bools, first: int) -> None:
        before = self.message[self.tells_dialect & (self.message < first)]
        if len(before) and not found[self.message[self.tells_dialect]].any():
            found[before[-1]] = True

    def _add_opening(self, found: Bools) -> None:
        """An epoch that the server began before the excerpt, where the client begins it in the excerpt."""
        openers = np.flatnonzero((self.server_opens | self.client_opens) & self._fresh)
        present = np.flatnonzero(found[self.message[openers]])
        at = int(present[0]) if len(present) else 0
        if at == 0 or not self.client_opens[openers[at]] or not self.server_opens[openers[at - 1]]:
            return
        begin, end = int(self.message[openers[at - 1]]), int(self.message[openers[at]])
        if self.completes[(self.packets > begin) & (self.packets < end)].any():
            ordered = self._fresh & (self.direction == self.direction[openers[at - 1]])
            found[self.message[ordered & (self.message >= begin) & (self.message < end)]] = True

    def _add_before(self, found: Bools, direction: int) -> None:
        """Without the last message before it, a repeated one would be taken for a new one."""
        own = (self.flags & VITAL > 0) & (self.direction == direction)
        present = np.flatnonzero(own & found[self.message])
        if len(present) and self.flags[present[0]] & (REPEATED | AHEAD):
            in_order = own & (self.flags & (REPEATED | AHEAD) == 0) & (self.message < self.message[present[0]])
            before = self.message[in_order]
            if len(before):
                found[before[-1]] = True

    def _add_between(self, found: Bools, before: int, after: int) -> None:
        """Two packets of different sessions: what ends the one and begins the other, between them."""
        inside = (self.message > before) & (self.message <= after)
        server = np.flatnonzero(inside & self._fresh & self.server_opens)
        client = np.flatnonzero(inside & self._fresh & self.client_opens)
        client = client[client > server[-1]] if len(server) else client
        for openers in (server, client):
            if len(openers):
                self._add_chain(found, before, int(openers[-1]))

    def _add_chain(self, found: Bools, before: int, opener: int) -> None:
        """What it takes that a message is processed when it comes, behind packet `before` of the excerpt."""
        end, direction = int(self.message[opener]), int(self.direction[opener])
        own = (self.direction == direction) & (self.flags & VITAL > 0)
        if not found[self.message[own & (self.message <= before)]].any():
            # The first of all is taken as it comes.
            found[end] = True
            return
        chain = np.flatnonzero(own & self._fresh & (self.message > before) & (self.message <= end))
        begins = np.flatnonzero((self.sequence[chain] == 1) & (np.append(0, self.sequence[chain][:-1]) != 0))
        # Of another connection than the last one nothing is needed.
        chain = chain[begins[-1] if len(begins) else 0 :]
        last = len(chain) - CHAIN
        while last > 0 and not self._has_ack(int(chain[last]), end):
            last -= CHAIN
        last = max(last, 0)
        found[self.message[chain[last:]]] = True
        if last > 0:
            for at in [*range(0, last, STEP), last]:
                found[self.message[chain[at]]] = True
                found[self._ack_of(int(chain[at]), end)] = True

    def _has_ack(self, message: int, end: int) -> bool:
        return self._ack_of(message, end) >= 0

    def _ack_of(self, message: int, end: int) -> int:
        """The first packet before `end` with which the other side says that it has a message; -1: there is none."""
        start, stop = np.searchsorted(self.packets, (self.message[message], end))
        acks = self.acks[start:stop]
        ahead = (acks - self.sequence[message]) % MODULO
        told = (self.directions[start:stop] != self.direction[message]) & (acks != NO_ACK) & (ahead < MODULO // 2)
        first = np.flatnonzero(told)
        return int(self.packets[start + first[0]]) if len(first) else -1


def read_flows(tables: Tables, protocols: Sequence[Protocol], count: int) -> Iterator[tuple[int, Flow]]:
    """The flows whose protocol has excerpts, by row, of the first `count` packets."""
    by_name = {protocol.name: protocol for protocol in protocols}
    flow_of = tables.packets.integers("flow", 0, count)
    by_flow = np.argsort(flow_of, kind="stable")
    packet_flows = flow_of[by_flow]
    alive = live_messages(tables)
    carriers = tables.messages.integers("packet", 0, len(alive))
    vital_or_control = tables.messages.integers("flags", 0, len(alive)) & (VITAL | CONTROL) > 0
    notable = np.flatnonzero(alive & (carriers < count) & vital_or_control)
    notable = notable[np.lexsort((notable, carriers[notable], flow_of[carriers[notable]]))]
    message_flows = flow_of[carriers[notable]]
    for flow in range(len(tables.flows)):
        excerpts = _excerpts(tables, by_name, flow)
        if excerpts is not None:
            packets = by_flow[slice(*np.searchsorted(packet_flows, (flow, flow + 1)))]
            messages = notable[slice(*np.searchsorted(message_flows, (flow, flow + 1)))]
            yield flow, _flow(tables, excerpts, packets, messages)


def _flow(tables: Tables, excerpts: Excerpts, packets: Ints, messages: Ints) -> Flow:
    directions, sessions, acks, snapshots = (
        tables.packets.take(name, packets).astype(np.int64) for name in ("direction", "session", "ack", "snapshot")
    )
    own, flags, sequence, names = (
        tables.messages.take(name, messages).astype(np.int64) for name in ("packet", "flags", "sequence", "name")
    )
    server, client = excerpts.opens_epoch
    known = range(len(tables.names))
    tells, server_opens, client_opens = (
        np.isin(names, [number for number in known if tables.names[number] in wanted])
        for wanted in (excerpts.tells_dialect, {server}, {client})
    )
    return Flow(
        packets,
        directions,
        sessions,
        acks,
        own,
        flags,
        sequence,
        directions[np.searchsorted(packets, own)],
        tells,
        server_opens,
        client_opens,
        snapshots >= 0,
    )


def _excerpts(tables: Tables, protocols: dict[str, Protocol], flow: int) -> Excerpts | None:
    reading = tables.flows.integer("reading", flow)
    protocol = protocols.get(tables.readings.text("protocol", reading)) if reading >= 0 else None
    return None if protocol is None else protocol.excerpts
