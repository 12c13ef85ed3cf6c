"""A player without a window: joins a DDNet server, plays at random and acknowledges (spec sections 4, 7, 8, 14, 16).

It sends what the simulated clients send, but what comes it takes out of the bytes.
"""

from __future__ import annotations

import contextlib
import socket
import time
from dataclasses import dataclass
from random import Random

from world import wire
from world.clock import MILLISECOND, Clock
from world.connection import Connection
from world.datagram import Address, Chunk, Datagram, Input, Plain
from world.huffman import CODES

CONNECT_EVERY = 500 * MILLISECOND
INPUT_EVERY = 40 * MILLISECOND
READY_TO_ENTER, START_INFO = 8, 20
SNAPSHOTS = {wire.SNAP, wire.SNAPEMPTY, wire.SNAPSINGLE}
SYMBOLS = {bits: symbol for symbol, bits in CODES.items()}
END = 256


@dataclass(frozen=True, slots=True)
class Arrived:
    """A message out of a packet."""

    number: int
    system: bool
    body: bytes


class Player:
    """One player at one port. `step` does what there is to do."""

    def __init__(self, server: Address, name: str, seed: int) -> None:
        self.name = name
        self.ticks: list[int] = []
        """Of every snapshot of which all parts came, in the order in which they did."""
        self.sent = self.received = 0
        """Datagrams."""
        self._clock = Clock()
        self._rng = Random(seed)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.connect(server)
        self._socket.setblocking(False)
        self.address: Address = self._socket.getsockname()
        self._server = server
        self._connection: Connection | None = None
        self._connect_at = self._input_at = 0
        self._playing = False
        self._collecting = -1
        self._parts: set[int] = set()

    def step(self) -> None:
        """Take what has come, and send what is due."""
        self._clock.now = time.monotonic_ns()
        with contextlib.suppress(BlockingIOError, ConnectionRefusedError):
            while True:
                self._receive(self._socket.recv(2048))
        if self._connection is None:
            if self._clock.now >= self._connect_at:
                self._connect_at = self._clock.now + CONNECT_EVERY
                self._send(wire.control(wire.CONNECT, 0, wire.NO_TOKEN, b"TKEN"))
            return
        self._connection.repeat()
        if self._playing and self._clock.now >= self._input_at:
            self._input_at = self._clock.now + INPUT_EVERY
            self._acknowledge()

    def leave(self) -> None:
        """Say goodbye."""
        if self._connection is not None:
            self._connection.control(wire.CLOSE)
        self._socket.close()

    def _send(self, payload: bytes) -> None:
        with contextlib.suppress(ConnectionRefusedError):
            self._socket.send(payload)
            self.sent += 1

    def _receive(self, payload: bytes) -> None:
        self.received += 1
        if payload[:1] == b"\xff" or len(payload) < 7:
            return
        flags, ack = payload[0], (payload[0] & 3) << 8 | payload[1]
        body = decompressed(payload[3:]) if flags & wire.FLAG_COMPRESSED else payload[3:]
        data, token = body[:-4], int.from_bytes(body[-4:], "big")
        if flags & wire.FLAG_CONTROL:
            if data[:1] == bytes([wire.CONNECTACCEPT]) and self._connection is None:
                self._join(token)
        elif self._connection is not None and token == self._connection.token:
            chunks = tuple(read_chunks(data, payload[2]))
            resend = bool(flags & wire.FLAG_RESEND)
            datagram = Datagram(self._server, self.address, payload, ack, chunks, None, token, resend)
            for message in self._connection.accept(datagram) or ():
                assert isinstance(message, Arrived)
                self._on_message(message)

    def _join(self, token: int) -> None:
        self._connection = Connection(
            self._clock, self.address, self._server, token, lambda datagram: self._send(datagram.payload), CODES
        )
        self._connection.control(wire.ACCEPT)
        self._say(wire.system(wire.INFO, wire.text("0.6 626fce9a778df4d4") + wire.text("")))

    def _on_message(self, message: Arrived) -> None:
        if message.system and message.number == wire.MAP_CHANGE:
            self._say(wire.system(wire.READY))
        elif message.system and message.number == wire.CON_READY:
            words = wire.text(self.name) + wire.text("") + wire.varint(-1) + wire.text("default")
            self._say(wire.varint(START_INFO << 1) + words + wire.varints((0, 0, 0)))
        elif not message.system and message.number == READY_TO_ENTER:
            self._say(wire.system(wire.ENTERGAME))
            self._playing = True
        elif message.system and message.number in SNAPSHOTS:
            self._on_snapshot(message)

    def _on_snapshot(self, message: Arrived) -> None:
        tick, _, parts, part = read_numbers(message.body, 4) if message.number == wire.SNAP else (
            *read_numbers(message.body, 2), 1, 0
        )  # fmt: skip
        if tick < self._collecting or tick in self.ticks:
            return
        if tick != self._collecting:
            self._collecting = tick
            self._parts.clear()
        self._parts.add(part)
        if len(self._parts) == parts:
            self.ticks.append(tick)

    def _say(self, data: bytes) -> None:
        assert self._connection is not None
        self._connection.vital(Plain(0), data)
        self._connection.flush()

    def _acknowledge(self) -> None:
        assert self._connection is not None
        acked = self.ticks[-1] if self.ticks else -1
        between = self._rng.randrange
        values = (
            between(-1, 2),
            between(-200, 200),
            between(-200, 200),
            between(2),
            between(64),
            between(2),
            0,
            0,
            0,
            0,
        )
        self._connection.flush((Input(acked), wire.input_message(acked, acked + 10, values)))


def decompressed(payload: bytes) -> bytes:
    """What Huffman coding made of it, up to the end symbol."""
    out = bytearray()
    bits = ""
    for byte in payload:
        for place in range(8):
            bits += "1" if byte >> place & 1 else "0"
            symbol = SYMBOLS.get(bits)
            if symbol == END:
                return bytes(out)
            if symbol is not None:
                out.append(symbol)
                bits = ""
    raise AssertionError("a packet without its end")


def read_chunks(data: bytes, count: int) -> list[Chunk]:
    """The chunks of a packet (spec section 7.1)."""
    chunks = []
    at = 0
    for _ in range(count):
        vital = bool(data[at] & 0x40)
        size = (data[at] & 0x3F) << 4 | data[at + 1] & 0x0F
        sequence = (data[at + 1] & 0xF0) << 2 | data[at + 2] if vital else None
        at += 3 if vital else 2
        number, behind = read_varint(data, at)
        arrived = Arrived(number >> 1, bool(number & 1), data[behind : at + size])
        chunks.append(Chunk(arrived, data[at : at + size], sequence))  # type: ignore[arg-type]
        at += size
    return chunks


def read_numbers(data: bytes, count: int) -> tuple[int, ...]:
    """So many numbers from the beginning."""
    found = []
    at = 0
    for _ in range(count):
        value, at = read_varint(data, at)
        found.append(value)
    return tuple(found)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """A number, and where it ends (spec section 6.1)."""
    first = data[at]
    value, shift = first & 0x3F, 6
    more = first & 0x80
    at += 1
    while more:
        more = data[at] & 0x80
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
    return (~value if first & 0x40 else value), at
