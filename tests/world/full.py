"""A full server: as many players as there are clients, who move, shoot, talk, come and go, on changing maps.

A snapshot has about 150 items of which 40 change between it and its base, as on a busy DDNet server.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from uuid import UUID, uuid3

from world.clock import TICK
from world.game import EXTENDED_TOP, Game
from world.huffman import CODES
from world.network import Weather
from world.wire import Items
from world.world import World

PROJECTILE, PICKUP, GAME_INFO, CHARACTER, PLAYER_INFO, CLIENT_INFO = 2, 4, 6, 9, 10, 11
NAMESPACE = UUID("e05ddaaa-c4e6-4cfb-b642-5d48e80c0029")
DDNET_CHARACTER = EXTENDED_TOP
DAMAGE = 20
ROOMS = (6, 10, 13, 15, 20)
"""Players who see each other; the sizes of 64 players' rooms, again and again for more."""
PLACES = tuple(room for room, size in enumerate(ROOMS) for _ in range(size))
AWAY = 60
"""Ticks after which a player whom nobody sends a snapshot is gone; more than a client of the state RECOVER waits."""
FLIGHT = 25
SECOND = 50
MAP_TIME = 40 * SECOND
WEATHER = Weather(loss=0.003, repeat=0.001, delay_ms=20, jitter_ms=15, spike=0.01)


@dataclass(slots=True)
class Player:
    """One player and what is known of him."""

    number: int
    seen: int
    """Tick of the last snapshot made for him."""
    client: tuple[int, ...]
    x: int
    y: int
    room: int
    score: int = 0
    latency: int = 30
    busy: bool = True
    """Moves; the others stand and change now and then."""
    character: tuple[int, ...] = ()
    extended: tuple[int, ...] = ()

    def info(self, local: bool) -> tuple[int, ...]:
        """His PlayerInfo, as he or as another sees it."""
        return (int(local), self.number, 0, self.score, self.latency)


@dataclass(slots=True)
class Room:
    """What players at one place see; made anew in every tick."""

    items: Items = field(default_factory=dict)
    shots: dict[int, int] = field(default_factory=dict)
    """Ends of projectiles by item id."""


class FullGame(Game):
    """Items of one map of a full server."""

    def __init__(self, rng: Random, declared: list[int]) -> None:
        super().__init__(rng, declared)
        self._tick = 0
        self._players: dict[int, Player] = {}
        self._rooms: dict[int, Room] = {}
        self._shared: Items = {}

    def step(self) -> None:
        self._tick += 1
        for number in [player.number for player in self._players.values() if self._tick - player.seen > AWAY]:
            del self._players[number]
        shared: Items = {(0, kind): uuid_words("character@netobj.ddnet.tw") for kind in self._declared}
        shared[GAME_INFO, 0] = (0, 0, 0, 0, 20, 0, 1, 1)
        for player in self._players.values():
            self._move(player)
            shared[CLIENT_INFO, player.number] = player.client
            shared[PLAYER_INFO, player.number] = player.info(local=False)
        self._shared = shared
        for room in self._rooms.values():
            self._furnish(room)
        for player in self._players.values():
            items = self._rooms[player.room].items
            items[CHARACTER, player.number] = player.character
            items[DDNET_CHARACTER, player.number] = player.extended

    def view(self, player: int) -> Items:
        own = self._players.get(player) or self._join(player)
        own.seen = self._tick
        # DDNet 16.4 declares a type only from the snapshot after its first on.
        if not self._declared:
            self._declared.append(DDNET_CHARACTER)
        return {**self._shared, (PLAYER_INFO, player): own.info(local=True), **self._rooms[own.room].items}

    def _join(self, number: int) -> Player:
        rng = self._rng
        names = (*packed(f"player {number}", 4), *packed("full house", 3))
        client = (*names, -1, *packed("cammostripes", 6), 1, rng.getrandbits(24), rng.getrandbits(24))
        x, y = rng.randrange(200, 6000), rng.randrange(200, 3000)
        player = self._players[number] = Player(number, self._tick, client, x, y, PLACES[number % len(PLACES)])
        player.busy = rng.random() < 0.9
        self._rooms.setdefault(player.room, Room())
        self._move(player)
        return player

    def _move(self, player: Player) -> None:
        rng = self._rng
        roll = rng.random()
        if roll < 0.004:
            player.score += 1
        if roll < 0.06:
            player.latency = rng.randrange(20, 60)
        if 0.06 < roll < 0.061 and len(self._rooms) > 1:
            player.room = rng.choice(list(self._rooms))
        if player.character and not player.busy and roll < 0.97:
            return
        speed_x, speed_y = rng.randrange(-2560, 2560), rng.randrange(-1280, 1280)
        player.x = (player.x + speed_x // 256) % 6000
        player.y = (player.y + speed_y // 256) % 3000
        angle, shot = rng.randrange(-804, 805), self._tick // FLIGHT * FLIGHT
        hook = (3, 0, player.x + 40, player.y - 90, 10, -20) if roll > 0.7 else (-1, 0, player.x, player.y, 0, 0)
        body = (self._tick, player.x, player.y, speed_x, speed_y, angle, rng.randrange(-1, 2), int(roll > 0.5))
        player.character = (*body, -1, *hook, 1, 10, 0, 10, 1, 0, shot)
        player.extended = (0, 0, 2, -1, player.number, self._tick // 40, -1, -1, angle // 4, speed_y // 10, -1)

    def _furnish(self, room: Room) -> None:
        """Pickups that stay and projectiles that fly, which are constant between firing and hitting."""
        rng = self._rng
        shots = {number: end for number, end in room.shots.items() if end > self._tick}
        kept = {(PROJECTILE, number): room.items[PROJECTILE, number] for number in shots}
        if rng.random() < 0.2:
            number = self._tick % 256
            shots[number] = self._tick + FLIGHT
            place = (rng.randrange(6000), rng.randrange(3000), rng.randrange(-100, 100), rng.randrange(-100, 100))
            kept[PROJECTILE, number] = (*place, 1, self._tick)
        if rng.random() < 0.02:
            # A big explosion: events, which are items of one tick.
            for number in range(rng.choice((60, 150))):
                kept[DAMAGE, number] = (rng.randrange(6000), rng.randrange(3000), rng.randrange(256))
        pickups: Items = {(PICKUP, number): (300 + 40 * number, 500, number % 4, 0) for number in range(5)}
        room.items, room.shots = {**pickups, **kept}, shots


def packed(text: str, size: int) -> tuple[int, ...]:
    """A string in ints (spec section 6): its bytes plus 128, the first one highest, the last one of all zero."""
    data = bytearray(byte + 128 & 0xFF for byte in text.encode().ljust(4 * size, b"\0"))
    data[-1] = 0
    return _words(data)


def uuid_words(name: str) -> tuple[int, ...]:
    """The four ints that declare an extended type."""
    return _words(uuid3(NAMESPACE, name).bytes)


def _words(data: bytes | bytearray) -> tuple[int, ...]:
    return tuple(int.from_bytes(data[start : start + 4], "big", signed=True) for start in range(0, len(data), 4))


class FullServer:
    """A world with a full server, and what its players do. The tap is at the server."""

    def __init__(self, seed: int, clients: int, capture_loss: float = 0.0) -> None:
        self.world = World(seed, clients=clients, tap_at_server=True, codes=CODES, make_game=FullGame)
        self.world.network.weather = WEATHER
        self.world.server.talk = 0.05
        self.world.server.rates["full"] = 1
        self.world.tap.loss = capture_loss
        for client in self.world.clients:
            client.policy = "every"
        self._rng = Random(seed + 1)
        self._ticks = 0

    def play(self, ticks: int) -> None:
        """Let the game go on. About every 5 seconds somebody leaves and comes again; a map takes 40 seconds."""
        for _ in range(ticks):
            self._ticks += 1
            if self._ticks % MAP_TIME == 0:
                self.world.server.change_map()
            elif self._rng.random() < 0.004:
                self._come_again()
            self.world.clock.run(TICK)

    def _come_again(self) -> None:
        client = self._rng.choice(self.world.clients)
        client.close()
        self.world.clock.after(self._rng.randrange(5, 100) * TICK, client.connect)
