"""A DDNet client: what it collects, rebuilds and acknowledges, exactly as spec section 16 has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from world import wire
from world.clock import MILLISECOND, TICK, Clock
from world.connection import Connection
from world.datagram import Address, Datagram, Input, Plain, Proof, Sent, Snap
from world.faults import FAULTS
from world.wire import Items

CONNECT_EVERY = 500 * MILLISECOND
LATE_BY = 4
"""Snapshots between the newest and the one a client of the policy `late` acknowledges."""
POLICIES = ("every", "second", "seldom", "late", "silent")
"""How often and what a client acknowledges; by number of ticks between INPUTs: 1, 2, 9, 2, never."""
PACE = {"every": 1, "second": 2, "seldom": 9, "late": 2, "silent": 0}
MAX_CRC_ERRORS = 10


class Client:
    """One player's program at one address."""

    def __init__(
        self,
        clock: Clock,
        address: Address,
        server: Address,
        tokens: bool,
        rng: Random,
        send: Callable[[Datagram], None],
        codes: Mapping[int, str] | None,
    ) -> None:
        self.address = address
        self.policy = "second"
        self.rebuilt: dict[Sent, Items] = {}
        """Every snapshot it rebuilt and stored, also of earlier connections."""
        self.ignored: set[Sent] = set()
        """Snapshots of which a part never came to the rules of section 16: no connection or no map yet, or a packet
        with an old acknowledgement (spec section 7.2)."""
        self.baseless: set[Sent] = set()
        """Snapshots whose base it had let go of (spec section 16, steps 7 and 10)."""
        self._clock = clock
        self._server = server
        self._tokens = tokens
        self._rng = rng
        self._send = send
        self._codes = codes
        self._connection: Connection | None = None
        self._wants_connection = False
        self._connect_at = 0
        self._ticks = 0
        self._forget()
        self._loaded = False
        clock.after(rng.randrange(1, TICK), self._tick)

    def connect(self) -> None:
        """Start (again) at this address, without a word about an earlier connection."""
        self._connection = None
        self._wants_connection = True
        self._connect_at = self._clock.now
        self._loaded = False
        self._forget()

    def close(self) -> None:
        """Leave."""
        if self._connection is not None:
            self._connection.control(wire.CLOSE, wire.text("quit"))
        self._connection = None
        self._wants_connection = False

    def resync(self) -> None:
        """Lose every snapshot, and ask for a full one."""
        self._store.clear()
        self._ack = -1
        self._acknowledge()

    def receive(self, datagram: Datagram) -> None:
        """Handle one datagram that arrived."""
        if datagram.control == wire.CONNECTACCEPT:
            self._on_accept(datagram)
        elif self._connection is None or datagram.token != self._connection.token:
            self._ignore(datagram)
        elif datagram.control == wire.CLOSE:
            self._connection = None
        elif datagram.control is None:
            messages = self._connection.accept(datagram)
            if messages is None or not self._loaded:
                self._ignore(datagram)
            for message in messages or ():
                if isinstance(message, Snap):
                    self._on_snap(message)
                elif isinstance(message, Proof):
                    self._ack = self._proof = message.token
                    self._acknowledge()
                elif isinstance(message, Plain):
                    self._on_plain(message)

    def _ignore(self, datagram: Datagram) -> None:
        messages = [chunk.message for chunk in datagram.chunks]
        self.ignored.update(message.sent for message in messages if isinstance(message, Snap))

    def _on_accept(self, datagram: Datagram) -> None:
        if not self._wants_connection:
            return
        self._wants_connection = False
        self._connection = Connection(self._clock, self.address, self._server, datagram.token, self._send, self._codes)
        self._connection.control(wire.ACCEPT)
        body = wire.text("0.6 626fce9a778df4d4") + wire.text("")
        self._connection.vital(Plain(wire.INFO), wire.system(wire.INFO, body))
        self._connection.flush()

    def _on_plain(self, message: Plain) -> None:
        assert self._connection is not None
        if message.number == wire.MAP_CHANGE:
            self._forget()
            self._loaded = True
            self._connection.vital(Plain(wire.READY), wire.system(wire.READY))
            self._connection.flush()
        elif message.number == wire.CON_READY:
            self._forget()
            self._connection.vital(Plain(wire.ENTERGAME), wire.system(wire.ENTERGAME))
            self._connection.flush()

    def _forget(self) -> None:
        self._store: dict[int, Items] = {}
        self._ack = -1
        self._proof = -2
        """The token of an anti-spoof handshake, while it stands for the newest tick."""
        self._collecting = 0
        self._parts: set[int] = set()
        self._crc_errors = 0
        self._history: list[int] = []

    def _on_snap(self, message: Snap) -> None:
        sent = message.sent
        if self._ack == self._proof:
            self.ignored.add(sent)
        malformed = sent.fault and FAULTS[sent.fault][1] == "F1"
        if malformed or not self._loaded or sent.tick < self._collecting or sent.tick <= self._ack:
            return
        if sent.tick != self._collecting:
            self._collecting = sent.tick
            self._parts.clear()
        self._parts.add(message.part)
        if len(self._parts) == sent.parts:
            self._parts.clear()
            self._rebuild(sent)

    def _rebuild(self, sent: Sent) -> None:
        base: Items | None = {} if sent.base_tick < 0 else self._store.get(sent.base_tick)
        if base is None:
            self.baseless.add(sent)
            self._ack = -1
            self._acknowledge()
            return
        code = FAULTS[sent.fault][1] if sent.fault else ""
        items = wire.applied(base, sent.delta)
        if items is None or code.startswith("D"):
            return
        if code == "C1" or (sent.kind != "SNAPEMPTY" and wire.crc(items) != sent.checksum):
            self._crc_errors += 1
            if self._crc_errors > MAX_CRC_ERRORS:
                self._crc_errors = 0
                self._ack = -1
                self._acknowledge()
            return
        self._crc_errors = max(0, self._crc_errors - 1)
        self._history = [*self._history[-LATE_BY:], sent.tick]
        oldest = min([tick for tick in (sent.base_tick, *self._history[-2:]) if tick >= 0])
        self._store = {tick: items for tick, items in self._store.items() if tick >= oldest}
        self._store[sent.tick] = items
        self.rebuilt[sent] = items
        self._ack = sent.tick

    def _acknowledge(self) -> None:
        if self._connection is None:
            return
        acked = self._ack
        if self.policy == "late" and acked >= 0 and self._history:
            acked = self._history[0]
        values = (1, self._rng.randrange(-200, 200), -50, 0, 3, 0, 1, 0, 0, 0)
        self._connection.flush((Input(acked), wire.input_message(acked, self._ack + 5, values)))

    def _tick(self) -> None:
        self._clock.after(TICK, self._tick)
        self._ticks += 1
        now = self._clock.now
        if self._wants_connection and now >= self._connect_at:
            self._connect_at = now + CONNECT_EVERY
            token = wire.NO_TOKEN if self._tokens else None
            payload = wire.control(wire.CONNECT, 0, token, b"TKEN" if self._tokens else b"")
            self._send(Datagram(self.address, self._server, payload, control=wire.CONNECT, token=token))
        if self._connection is None:
            return
        self._connection.repeat()
        pace = PACE[self.policy]
        if pace and self._ticks % pace == 0 and (self._history or self._ack >= 0):
            self._acknowledge()
        elif now - self._connection.sent_at > 1000 * MILLISECOND:
            self._connection.control(wire.KEEPALIVE)
