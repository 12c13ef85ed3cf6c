"""A capture of a server whose mod has items and messages of its own: numbered, by UUID, and a longer vanilla item."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

from analyzer.protocols.teeworlds.schema import default_schema
from analyzer.protocols.teeworlds.schema_tables import uuid_of
from analyzer.transports.teeworlds_packet import TAIL
from tests.capture.builders import pcap_file
from tests.encoder import chunk, control, key, message, pack_varints, packet, snapshot
from tests.net.builders import ethernet, ipv4, udp
from tests.protocols.teeworlds.played import ENTERGAME, INFO, input_message, map_change

TOKEN = 0x12345678
TURRET, SHIELD = 70, 0x7FFF
FLAG = 5
"""A vanilla item of 3 ints, agreed beforehand; the mod gives it one more."""
FIRST_TICK = 30_000
SNAPSHOTS = 120
SHIELD_UUID = uuid_of("shield@mymod.example")
SCORE_UUID = uuid_of("score@mymod.example")
HELLO = 120
NAMES = ("nameless tee", "Überläufer", "x")

X = {"name": "x", "kind": "int"}
"""A field."""


def fields(**kinds: str) -> list[dict[str, str]]:
    """Fields of an item or a message: the kind of each, by name."""
    return [{"name": name, "kind": kind} for name, kind in kinds.items()]


SCHEMA: dict[str, object] = {
    "format": 1,
    "title": "My mod",
    "enums": {"MOOD": {"0": "calm", "1": "angry"}},
    "items": [
        {
            "type": TURRET,
            "name": "Turret",
            "ids": "pool",
            "fields": fields(x="pos", y="pos", owner="cid", ready_tick="tick", mood="enum:MOOD", label="str4"),
        },
        {"uuid_name": "shield@mymod.example", "name": "Shield", "fields": fields(strength="int")},
    ],
    "messages": [
        {
            "number": HELLO,
            "system": False,
            "name": "Sv_Hello",
            "fields": fields(client_id="cid", text="str"),
        },
        {
            "uuid_name": "score@mymod.example",
            "system": False,
            "name": "Sv_Score",
            "fields": fields(score="int"),
        },
    ],
}
LONGER_FLAG = {
    "type": FLAG,
    "name": "Flag",
    "ids": "team",
    "fields": fields(x="pos", y="pos", team="enum:TEAM", carrier="cid"),
}
LONG_SCHEMA = {**SCHEMA, "items": [*SCHEMA["items"], LONGER_FLAG]}  # type: ignore[misc]


def write_schema(path: Path, content: object = SCHEMA) -> Path:
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def write_mod(folder: Path, name: str = "mod.json", **members: object) -> Path:
    """A schema file with some members besides those that it must have."""
    return write_schema(folder / name, {"format": 1, "title": "t", **members})


def packed(text: str, ints: int) -> tuple[int, ...]:
    """Text in ints of an item, as a game packs it."""
    data = bytearray(byte ^ 0x80 for byte in text.encode().ljust(4 * ints, b"\0"))
    data[-1] = 0
    return tuple(int.from_bytes(data[at : at + 4], "big", signed=True) for at in range(0, len(data), 4))


def items(number: int, *, flag: bool) -> dict[int, tuple[int, ...]]:
    """What snapshot `number` holds."""
    tick = FIRST_TICK + 2 * number
    words = SHIELD_UUID.bytes
    declared = tuple(int.from_bytes(words[at : at + 4], "big", signed=True) for at in range(0, 16, 4))
    made: dict[int, tuple[int, ...]] = {key(0, SHIELD): declared}
    for turret in range(3):
        x, y = 640 + 320 * turret + 4 * number, 800 + 32 * turret + number % 5
        ready = tick - 40 + (number * 7 + turret * 13) % 60
        made[key(TURRET, turret)] = (x, y, turret, ready, (number + turret) % 2, *packed(NAMES[turret], 4))
    made[key(SHIELD, 0)] = (100 - number % 50,)
    if flag:
        made[key(FLAG, 0)] = (320 + number, 640, number % 2, number % 3)
    return made


def capture(*, flag: bool = False) -> bytes:
    """The capture file. `flag`: with the item that has one int more than the game's own."""
    sizes = list(default_schema().sizes)
    if flag:
        sizes[FLAG] = 4
    sent: list[tuple[int, bytes]] = []

    def say(direction: int, *chunks: bytes) -> None:
        sent.append((direction, packet(chunks, token=TOKEN, ack=1, variant=TAIL)))

    sent.append((0, control(1, b"TKEN", token=0xFFFFFFFF, variant=TAIL)))
    sent.append((1, control(2, b"TKEN", token=TOKEN, variant=TAIL)))
    sent.append((0, control(3, token=TOKEN, variant=TAIL)))
    say(0, chunk(INFO, vital=True, sequence=1))
    say(1, chunk(map_change("dm1"), vital=True, sequence=1))
    say(0, chunk(ENTERGAME, vital=True, sequence=2))
    base: dict[int, tuple[int, ...]] = {}
    base_tick = -1
    for number in range(SNAPSHOTS):
        tick, new = FIRST_TICK + 2 * number, items(number, flag=flag)
        extra = []
        if number % 10 == 0:
            text = f"hello number {number}".encode() + b"\0"
            extra = [
                chunk(message(HELLO, False, pack_varints((number // 10 % 4,)) + text)),
                chunk(message(0, False, SCORE_UUID.bytes + pack_varints((1000 * number,)))),
            ]
        for body in snapshot(tick, base_tick, base, new, sizes):
            say(1, chunk(body), *extra)
        say(0, chunk(input_message(tick)))
        base, base_tick = new, tick
    return pcap_file([(1 + at // 50, at % 50 * 20_000, _frame(*one)) for at, one in enumerate(sent)])


def _frame(direction: int, payload: bytes) -> bytes:
    """0: from the client at 10.0.0.1, 1: from the server."""
    ports = {"source": 50000, "destination": 8303} if direction == 0 else {}
    packet = ipv4(udp(payload, **ports))
    if direction:
        packet = packet[:12] + packet[16:20] + packet[12:16] + packet[20:]
    return ethernet(packet)


def write_capture(path: Path, *, flag: bool = False) -> Path:
    path.write_bytes(capture(flag=flag))
    return path


def unknown_name(identity: uuid.UUID) -> str:
    """What an item is called of which nothing but the UUID is known."""
    return f"unknown item {identity}"
