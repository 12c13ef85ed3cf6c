"""The server: sessions, their stores of snapshots, the choice of a base, and what resets them (spec section 15)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from world import wire
from world.clock import MILLISECOND, TICK, Clock
from world.connection import Connection
from world.datagram import Address, Datagram, Input, Message, Plain, Proof, Sent, Snap
from world.faults import FAULTS, Wire
from world.game import Game
from world.wire import Items

RETENTION = 150
"""Ticks a snapshot is kept."""
MAP_LOADING = 300 * MILLISECOND
"""A server that loads a map is silent; what it sent before has arrived by then."""
MAX_PLAYERS = 64
RATES = {"init": 10, "recover": 50, "full": 2}
MakeGame = Callable[[Random, list[int]], Game]
"""The game of a map, of the extended types that the process has used so far."""


@dataclass(slots=True)
class Session:
    """One client as the server knows it."""

    connection: Connection
    player: int
    epoch: object
    phase: str = "connecting"
    """Then `ready`, then `entered`."""
    map_sequence: int = 0
    """Number of the MAP_CHANGE."""
    in_game: bool = False
    entered: bool = False
    """Entered the game once: after a rejoin snapshots start before ENTERGAME."""
    state: str = "init"
    acked: int = -1
    store: dict[int, Items] = field(default_factory=dict)
    fault: str = ""
    unchanged: Items | None = None


class Server:
    """One process at a time at one address."""

    def __init__(
        self,
        clock: Clock,
        address: Address,
        tokens: bool,
        rng: Random,
        send: Callable[[Datagram], None],
        codes: Mapping[int, str] | None,
        anti_spoof: bool,
        make_game: MakeGame = Game,
    ) -> None:
        self.address = address
        self.talk = 0.0
        """Share of snapshots that come behind a vital message in one packet."""
        self.rates = dict(RATES)
        """Ticks between two snapshots, by the session's state."""
        self.timeout = 2000 * MILLISECOND
        self.sent: list[Sent] = []
        """Every snapshot ever made."""
        self._clock = clock
        self._tokens = tokens
        self._rng = rng
        self._send = send
        self._codes = codes
        self._anti_spoof = anti_spoof and not tokens
        self._make_game = make_game
        self._silent_until = 0
        self._begin()
        clock.after(TICK, self._tick)

    def _begin(self) -> None:
        self.tick = self._rng.randrange(1, 40)
        self._secret = self._rng.getrandbits(31)
        self.sessions: dict[Address, Session] = {}
        self._unproved: dict[Address, Connection] = {}
        """Clients in the anti-spoof handshake."""
        self._declared: list[int] = []
        self.game = self._make_game(self._rng, self._declared)
        self._new_map = False

    def restart(self) -> None:
        """The process dies without a word and another one begins."""
        self._begin()
        self._silent_until = self._clock.now + MAP_LOADING

    def change_map(self) -> None:
        """Load another map; ticks begin anew."""
        self._silent_until = self._clock.now + MAP_LOADING
        self._new_map = True

    def say(self) -> None:
        """A vital line to everybody."""
        for session in self.sessions.values():
            session.connection.vital(Plain(wire.RCON_LINE), wire.system(wire.RCON_LINE, wire.text("hear, hear")))
            session.connection.flush()

    def spoil(self, client: Address, fault: str) -> None:
        """The next snapshot for `client` that lends itself to it is broken."""
        if client in self.sessions:
            self.sessions[client].fault = fault

    def token(self, client: Address) -> int | None:
        """The token of a client, where the server uses them: a function of its address."""
        return (self._secret * (client[1] | 1)) % 0xFFFFFFF1 if self._tokens else None

    def receive(self, datagram: Datagram) -> None:
        """Handle one datagram that arrived."""
        if self._clock.now < self._silent_until:
            return
        client = datagram.sender
        session = self.sessions.get(client)
        if datagram.control == wire.CONNECT:
            if self._tokens or session is None:
                token = self.token(client)
                body = b"TKEN" if self._tokens else b""
                payload = wire.control(wire.CONNECTACCEPT, 0, token, body)
                self._send(Datagram(self.address, client, payload, control=wire.CONNECTACCEPT, token=token))
                if not self._tokens and not self._anti_spoof:
                    self._open(client, None)
            return
        if datagram.token != self.token(client):
            return
        if datagram.control == wire.ACCEPT:
            if self._tokens:
                self._open(client, session)
            elif self._anti_spoof and session is None:
                self._ask_for_proof(client)
        elif session is None:
            self._on_unproved(datagram)
        elif datagram.control == wire.CLOSE:
            del self.sessions[client]
        elif datagram.control == wire.KEEPALIVE:
            session.connection.heard_at = self._clock.now
        elif datagram.control is None:
            for message in session.connection.accept(datagram) or ():
                self._on_message(session, message)

    def _connection(self, client: Address) -> Connection:
        return Connection(self._clock, self.address, client, self.token(client), self._send, self._codes)

    def _proof(self, client: Address) -> int:
        return 0x40000000 | (self._secret ^ client[1])

    def _ask_for_proof(self, client: Address) -> None:
        """Spec section 15.4: six vital chunks that lead any client to acknowledge a token."""
        connection = self._unproved[client] = self._connection(client)
        number = wire.MAP_CHANGE
        connection.vital(Plain(number), wire.system(number, wire.text("dummy") + wire.varints((0, 100))))
        connection.vital(Plain(wire.MAP_DATA), wire.system(wire.MAP_DATA, wire.varints((1, 0, 0, 0))))
        connection.vital(Plain(wire.CON_READY), wire.system(wire.CON_READY))
        token = self._proof(client)
        for _ in range(3):
            (empty,) = wire.snapshot_messages(token, token + 1, 0, b"")
            connection.vital(Proof(token), empty)
        connection.flush()

    def _on_unproved(self, datagram: Datagram) -> None:
        client = datagram.sender
        connection = self._unproved.get(client)
        if connection is None:
            return
        acks = [chunk.message.acked for chunk in datagram.chunks if isinstance(chunk.message, Input)]
        if self._proof(client) in acks:
            del self._unproved[client]
            connection.accept(datagram)
            connection.adopt()
            session = self.sessions[client] = Session(connection, client[1] % MAX_PLAYERS, object())
            self._send_map(session)
        elif datagram.chunks and self._clock.now - connection.sent_at > 500 * MILLISECOND:
            self._ask_for_proof(client)

    def _open(self, client: Address, old: Session | None) -> None:
        connection = self._connection(client)
        session = Session(connection, client[1] % MAX_PLAYERS, object(), entered=old is not None and old.entered)
        self.sessions[client] = session
        if self._tokens:
            # With a token the address is proved, and the map goes out at once; without it INFO is awaited.
            self._send_map(session)

    def _send_map(self, session: Session) -> None:
        session.epoch = object()
        session.store.clear()
        session.state, session.acked, session.in_game, session.unchanged = "init", -1, False, None
        session.phase = "connecting"
        body = wire.text("dm1") + wire.varints((12345, 5805))
        session.connection.vital(Plain(wire.RCON_LINE), wire.system(wire.RCON_LINE, wire.text("welcome")))
        session.connection.vital(Plain(wire.MAP_CHANGE, session.epoch), wire.system(wire.MAP_CHANGE, body))
        session.map_sequence = session.connection.sequence
        session.connection.flush()

    def _on_message(self, session: Session, message: Message) -> None:
        if isinstance(message, Input):
            if session.in_game and -1 <= message.acked <= self.tick:
                session.acked = message.acked
                if message.acked >= 0:
                    session.state = "full"
        elif isinstance(message, Plain):
            # READY and ENTERGAME may be of the handshake's dummy map, overtaken by the INPUT that proved the client.
            heard = session.connection.peer_has(session.map_sequence)
            if message.number == wire.INFO and not self._tokens and not self._anti_spoof:
                self._send_map(session)
            elif message.number == wire.READY and session.phase == "connecting" and heard:
                session.phase = "ready"
                session.connection.vital(Plain(wire.CON_READY), wire.system(wire.CON_READY))
                session.connection.flush()
                session.in_game = session.entered
            elif message.number == wire.ENTERGAME and session.phase == "ready" and heard:
                session.phase = "entered"
                session.in_game = session.entered = True

    def _tick(self) -> None:
        self._clock.after(TICK, self._tick)
        if self._clock.now < self._silent_until:
            return
        if self._new_map:
            self._new_map = False
            self.tick = 0
            self.game = self._make_game(self._rng, self._declared)
            for session in self.sessions.values():
                session.entered = False
                self._send_map(session)
        self.tick += 1
        self.game.step()
        for client, session in list(self.sessions.items()):
            session.connection.repeat()
            if self._clock.now - session.connection.heard_at > self.timeout:
                session.connection.control(wire.CLOSE, wire.text("Timeout"))
                del self.sessions[client]
            elif session.in_game and self.tick % self.rates[session.state] == 0:
                self._snapshot(client, session)
            elif self._rng.random() < 0.01:
                session.connection.vital(Plain(wire.RCON_LINE), wire.system(wire.RCON_LINE, wire.text("tick")))
                session.connection.flush()

    def _snapshot(self, client: Address, session: Session) -> None:
        """Spec section 15.1."""
        if self.game.frozen and session.unchanged is not None:
            items = session.unchanged
        else:
            items = self.game.view(session.player)
        session.unchanged = items
        store = session.store
        for old in [tick for tick in store if tick < max(self.tick - RETENTION, session.acked)]:
            del store[old]
        store[self.tick] = items
        base = store.get(session.acked) if session.acked != self.tick else None
        if base is None and session.state == "full":
            session.state = "recover"
        base_tick = -1 if base is None else session.acked
        if self.talk and self._rng.random() < self.talk:
            session.connection.vital(Plain(wire.RCON_LINE), wire.system(wire.RCON_LINE, wire.text("hear, hear")))
        self._emit(client, session, base_tick, base or {}, items)

    def _emit(self, client: Address, session: Session, base_tick: int, base: Items, items: Items) -> None:
        delta = wire.difference(base, items)
        data = delta.data()
        plan = Wire(self.tick, self.tick - base_tick, wire.crc(items), data)
        fault = ""
        if session.fault and data and base_tick >= 0:
            spoilt = FAULTS[session.fault][0](plan, base, delta)
            if spoilt is not None:
                fault, plan = session.fault, spoilt
                session.fault = ""
        bodies = wire.snapshot_messages(plan.tick, plan.back, plan.checksum, plan.data, plan.first_part)
        kind = "SNAPEMPTY" if not plan.data else "SNAPSINGLE" if len(bodies) == 1 else "SNAP"
        sent = Sent(
            client,
            session.epoch,
            plan.tick,
            plan.tick - plan.back,
            items,
            delta,
            plan.checksum,
            len(bodies),
            kind,
            fault,
        )
        self.sent.append(sent)
        pieces = [plan.data[start : start + wire.MAX_PART] for start in range(0, len(plan.data), wire.MAX_PART)] or [
            b""
        ]
        for part, (body, piece) in enumerate(zip(bodies, pieces, strict=True)):
            session.connection.flush((Snap(sent, part, piece), body))
