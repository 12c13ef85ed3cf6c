"""Writes Teeworlds 0.6 and DDNet bytes (spec sections 2, 4, 6 to 9): numbers, chunks, packets, deltas.

Written from the format, not from the decoder: nothing here is imported from the program under test.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

Key = tuple[int, int]
"""Type and id of an item."""
Items = dict[Key, tuple[int, ...]]

PRE_AGREED = dict(zip(range(1, 21), (10, 6, 5, 4, 3, 8, 4, 15, 22, 5, 17, 3, 2, 2, 2, 2, 3, 3, 3, 3), strict=True))
"""Ints of an item by type; every other type says its size on the wire (spec section 10)."""
MAX_PART = 900
INFO, MAP_CHANGE, MAP_DATA, CON_READY, SNAP, SNAPEMPTY, SNAPSINGLE, READY, ENTERGAME, INPUT = (
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    14,
    15,
    16,
)
RCON_LINE, RCON_CMD = 11, 17
KEEPALIVE, CONNECT, CONNECTACCEPT, ACCEPT, CLOSE = range(5)
FLAG_CONTROL, FLAG_RESEND, FLAG_COMPRESSED = 0x10, 0x40, 0x80
NO_TOKEN = 0xFFFFFFFF


def signed(value: int) -> int:
    """The value modulo 2^32, read as signed."""
    return (value + 0x80000000) % 0x100000000 - 0x80000000


def varint(value: int) -> bytes:
    """The shortest form of a signed 32-bit number."""
    first = 0
    if value < 0:
        first, value = 0x40, ~value
    first |= value & 0x3F
    value >>= 6
    out = bytearray()
    while value:
        out.append(first | 0x80)
        first = value & 0x7F
        value >>= 7
    out.append(first)
    return bytes(out)


_SHORT = {value: varint(value) for value in range(-1024, 1024)}
CACHED = 1 << 15
"""Results that are kept: what changes in a tick goes to every client that sees it."""


def varints(values: Iterable[int]) -> bytes:
    """Numbers behind each other."""
    return b"".join([_SHORT.get(value) or varint(value) for value in values])


def text(value: str) -> bytes:
    """A string with its terminator."""
    return value.encode() + b"\0"


def system(number: int, body: bytes = b"") -> bytes:
    """A system message."""
    return varint(number << 1 | 1) + body


def crc(items: Items) -> int:
    """The checksum of a snapshot: the wrapped sum of all ints."""
    return signed(sum(map(sum, items.values())))


@dataclass(frozen=True, slots=True)
class Delta:
    """What a snapshot message says against its base, before it becomes numbers."""

    removed: tuple[Key, ...]
    updates: tuple[tuple[int, int, tuple[int, ...]], ...]
    """Type, id and ints; differences where the base has the key."""

    @property
    def empty(self) -> bool:
        """Nothing differs."""
        return not self.removed and not self.updates

    def ints(self) -> list[int]:
        """The numbers of the delta stream, header first."""
        out = self._head()
        for update in self.updates:
            out += _update_ints(*update)
        return out

    def data(self) -> bytes:
        """The bytes of the delta stream; none where nothing differs."""
        return b"" if self.empty else varints(self._head()) + b"".join([_update_data(*one) for one in self.updates])

    def _head(self) -> list[int]:
        return [len(self.removed), len(self.updates), 0, *(kind << 16 | number for kind, number in self.removed)]


def _update_ints(kind: int, number: int, values: tuple[int, ...]) -> tuple[int, ...]:
    size = () if kind in PRE_AGREED else (len(values),)
    return (kind, number, *size, *values)


@lru_cache(CACHED)
def _update_data(kind: int, number: int, values: tuple[int, ...]) -> bytes:
    return varints(_update_ints(kind, number, values))


@lru_cache(CACHED)
def _differences(old: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(signed(now - was) for now, was in zip(new, old, strict=True))


@lru_cache(CACHED)
def _sums(old: tuple[int, ...], differences: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(signed(was + by) for was, by in zip(old, differences, strict=True))


def difference(base: Items, items: Items) -> Delta:
    """The delta from `base` to `items` as the reference writes it: unchanged items are left out."""
    removed = () if base.keys() <= items.keys() else tuple(key for key in base if key not in items)
    updates = []
    for key, values in items.items():
        old = base.get(key)
        if old is None:
            updates.append((*key, values))
        elif old is not values and old != values:
            updates.append((*key, _differences(old, values)))
    return Delta(removed, tuple(updates))


def applied(base: Items, delta: Delta) -> Items | None:
    """What a client makes of a delta (spec section 9); None where it refuses an item's size."""
    items = dict(base)
    for key in delta.removed:
        items.pop(key, None)
    for kind, number, values in delta.updates:
        old = base.get((kind, number))
        if old is None:
            items[kind, number] = values
        elif len(old) != len(values):
            return None
        else:
            items[kind, number] = _sums(old, values)
    return items


def snapshot_messages(tick: int, back: int, checksum: int, data: bytes, first_part: int = 0) -> list[bytes]:
    """One SNAPEMPTY, one SNAPSINGLE, or SNAP parts that carry a delta stream. `back`: tick minus base tick."""
    if not data:
        return [system(SNAPEMPTY, varints((tick, back)))]
    if len(data) <= MAX_PART:
        return [system(SNAPSINGLE, varints((tick, back, checksum, len(data))) + data)]
    pieces = [data[start : start + MAX_PART] for start in range(0, len(data), MAX_PART)]
    return [
        system(SNAP, varints((tick, back, len(pieces), number, checksum, len(piece))) + piece)
        for number, piece in enumerate(pieces, first_part)
    ]


def input_message(acked: int, intended: int, values: Sequence[int]) -> bytes:
    """INPUT: the acknowledgement of a snapshot and what the player does."""
    return system(INPUT, varints((acked, intended, 4 * len(values), *values)))


def chunk(message: bytes, sequence: int | None = None, resent: bool = False) -> bytes:
    """A message with its chunk header; vital where it has a sequence number."""
    size = len(message)
    if sequence is None:
        return bytes((size >> 4, size & 15)) + message
    first = (0xC0 if resent else 0x40) | size >> 4
    return bytes((first, size & 15 | sequence >> 2 & 0xF0, sequence & 0xFF)) + message


def packet(
    chunks: Sequence[bytes], ack: int, token: int | None, codes: Mapping[int, str] | None = None, resend: bool = False
) -> bytes:
    """A packet of chunks; compressed with the Huffman `codes`, where they are given and make it shorter."""
    payload = b"".join(chunks) + (b"" if token is None else token.to_bytes(4, "big"))
    flags = FLAG_RESEND if resend else 0
    if codes is not None:
        packed = compress(payload, codes)
        if len(packed) < len(payload):
            flags, payload = flags | FLAG_COMPRESSED, packed
    return bytes((flags | ack >> 8, ack & 0xFF, len(chunks))) + payload


def control(number: int, ack: int, token: int | None, body: bytes = b"") -> bytes:
    """A control packet."""
    tail = b"" if token is None else token.to_bytes(4, "big")
    return bytes((FLAG_CONTROL | ack >> 8, ack & 0xFF, 0, number)) + body + tail


def compress(payload: bytes, codes: Mapping[int, str]) -> bytes:
    """Huffman coding; `codes` gives the bits of each byte and of the end (256), first bit leftmost."""
    bits = "".join([codes[byte] for byte in payload]) + codes[256]
    bits += "0" * (-len(bits) % 8)
    return int(bits[::-1], 2).to_bytes(len(bits) // 8, "little")
