"""One world: a server, its clients, the network and the tap, all driven by one seed."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from world.capture import Tap
from world.client import Client
from world.clock import TICK, Clock
from world.game import Game
from world.network import Network
from world.server import MakeGame, Server

SERVER = ("10.0.0.1", 8303)


class World:
    """Everything, and the time it runs in. Peers compress what gets shorter where `codes` are given."""

    def __init__(
        self,
        seed: int,
        *,
        tokens: bool = True,
        clients: int = 1,
        tap_at_server: bool = False,
        codes: Mapping[int, str] | None = None,
        anti_spoof: bool = False,
        make_game: MakeGame = Game,
    ) -> None:
        rng = Random(seed)
        self.clock = Clock()
        self.tokens = tokens
        self.tap = Tap(self.clock, Random(rng.getrandbits(64)), tap_at_server)
        self.network = Network(self.clock, Random(rng.getrandbits(64)), self.tap, SERVER)
        self.server = Server(
            self.clock, SERVER, tokens, Random(rng.getrandbits(64)), self.network.send, codes, anti_spoof, make_game
        )
        self.network.receivers[SERVER] = self.server.receive
        self.clients = []
        for number in range(clients):
            address = (f"10.0.0.{2 + number}", 50000 + number)
            client = Client(self.clock, address, SERVER, tokens, Random(rng.getrandbits(64)), self.network.send, codes)
            self.network.receivers[address] = client.receive
            self.clients.append(client)
            client.connect()

    def play(self, ticks: int) -> None:
        """Let the game go on."""
        self.clock.run(ticks * TICK)

    def forget(self) -> None:
        """Drop what only the truth looks at: all that passed the tap, was sent and was rebuilt so far."""
        self.tap.passes.clear()
        self.server.sent.clear()
        for client in self.clients:
            client.rebuilt.clear()
            client.ignored.clear()
            client.baseless.clear()
