"""Writes packets, chunks, snapshot messages and deltas the way servers do, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from analyzer.transports.teeworlds_huffman import HUFFMAN
from analyzer.transports.teeworlds_packet import (
    COMPRESSED,
    CONTROL,
    PLAIN,
    RESEND,
    TOKEN,
    TokenPlace,
    Variant,
)
from analyzer.wire.huffman import END, Huffman
from analyzer.wire.varint import pack as pack_varint

PART_SIZE = 900
SNAP, SNAPEMPTY, SNAPSINGLE = 5, 6, 7
"""System message numbers in the 0.6 family."""

Items = Mapping[int, Sequence[int]]
"""Key, which is (type << 16) | id, to values."""


def pack_huffman(code: Huffman, data: bytes) -> bytes:
    """With the end symbol, then zero bits up to the byte boundary and nothing more."""
    bits = "".join([code.codes[byte] for byte in data]) + code.codes[END]
    return int(bits[::-1], 2).to_bytes((len(bits) + 7) // 8, "little")


def pack_varints(values: Iterable[int]) -> bytes:
    return b"".join(map(pack_varint, values))


def signed(value: int) -> int:
    """`value` modulo 2^32, as a signed number."""
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


def key(item_type: int, item_id: int) -> int:
    return item_type << 16 | item_id


def crc(items: Items) -> int:
    return signed(sum(map(sum, items.values())))


def message(number: int, system: bool, body: bytes = b"") -> bytes:
    return pack_varint(number << 1 | system) + body


def chunk(message: bytes, vital: bool = False, sequence: int = 0, resend: bool = False, size_shift: int = 4) -> bytes:
    """A message with its chunk header."""
    low = (1 << size_shift) - 1
    size = len(message)
    if size >> size_shift > 0x3F:
        raise ValueError(f"{size} bytes are too many for a chunk")
    first = resend << 7 | vital << 6 | size >> size_shift
    if not vital:
        return bytes((first, size & low)) + message
    return bytes((first, size & low | sequence >> 2 & ~low & 0xFF, sequence & 0xFF)) + message


def packet(
    chunks: Sequence[bytes],
    *,
    ack: int = 0,
    resend: bool = False,
    token: int | None = None,
    variant: Variant = PLAIN,
    compress: bool | None = None,
) -> bytes:
    """A packet of chunks. `compress` None: if that makes it shorter."""
    payload = b"".join(chunks)
    if variant.token_place is TokenPlace.TAIL:
        payload += _token_bytes(token)
    packed = pack_huffman(HUFFMAN, payload)
    if compress is None:
        compress = len(packed) < len(payload)
    header = _header(variant, (COMPRESSED if compress else 0) | (RESEND if resend else 0), ack, len(chunks), token)
    return header + (packed if compress else payload)


def control(
    number: int, body: bytes = b"", *, ack: int = 0, token: int | None = None, variant: Variant = PLAIN
) -> bytes:
    """A control packet, with the token where the variant has it."""
    payload = bytes((number,)) + body
    if variant.token_place is TokenPlace.TAIL:
        payload += _token_bytes(token)
    return _header(variant, CONTROL, ack, 0, token) + payload


def connless_07(name: str, body: bytes = b"", token: int = 0, response_token: int = 0) -> bytes:
    """A connectionless packet of 0.7."""
    tokens = _token_bytes(token) + _token_bytes(response_token)
    return b"\x21" + tokens + b"\xff\xff\xff\xff" + name.encode("ascii") + body


def connless(name: str, body: bytes = b"", extra_token: int | None = None) -> bytes:
    """A connectionless packet; with `extra_token` the extended form."""
    header = b"\xff" * 6 if extra_token is None else b"xe" + extra_token.to_bytes(2, "big") + b"\0\0"
    return header + b"\xff\xff\xff\xff" + name.encode("ascii") + body


def delta(base: Items, new: Items, sizes: Sequence[int]) -> list[int]:
    """The ints that make `new` from `base`; items without a difference are left out. `sizes`: -1 or the agreed size."""
    removed = [known for known in base if known not in new]
    updates: list[int] = []
    count = 0
    for known, values in new.items():
        old = base.get(known)
        if old is None:
            wire = list(values)
        else:
            wire = [signed(value - before) for value, before in zip(values, old, strict=True)]
            if not any(wire):
                continue
        updates += update(known, wire, sizes)
        count += 1
    return [len(removed), count, 0, *removed, *updates]


def update(item_key: int, wire: Sequence[int], sizes: Sequence[int]) -> list[int]:
    """One update: type, id, size where it is not agreed, the ints."""
    item_type = item_key >> 16
    agreed = item_type < len(sizes) and sizes[item_type] >= 0
    return [item_type, item_key & 0xFFFF, *([] if agreed else [len(wire)]), *wire]


def snapshot(
    tick: int, base_tick: int, base: Items, new: Items, sizes: Sequence[int], *, seven: bool = False
) -> list[bytes]:
    """The messages that carry a snapshot: one SNAPEMPTY, one SNAPSINGLE, or several SNAP."""
    return snapshot_messages(tick, base_tick, pack_varints(delta(base, new, sizes)), crc(new), seven=seven)


def snapshot_messages(tick: int, base_tick: int, data: bytes, checksum: int, *, seven: bool = False) -> list[bytes]:
    """The messages that carry a packed delta; their numbers in 0.7 are one higher."""
    head = pack_varints((tick, signed(tick - base_tick)))
    if data == b"\0\0\0":
        return [message(SNAPEMPTY + seven, True, head)]
    if len(data) <= PART_SIZE:
        return [message(SNAPSINGLE + seven, True, head + pack_varints((checksum, len(data))) + data)]
    parts = [data[start : start + PART_SIZE] for start in range(0, len(data), PART_SIZE)]
    return [
        message(SNAP + seven, True, head + pack_varints((len(parts), number, checksum, len(part))) + part)
        for number, part in enumerate(parts)
    ]


def _header(variant: Variant, flags: int, ack: int, count: int, token: int | None) -> bytes:
    flagged = variant.token_place is TokenPlace.FLAGGED and token is not None
    if flagged:
        flags |= TOKEN
    bits = sum(bit for _, bit, flag in variant.flag_bits if flags & flag)
    behind = flagged or variant.token_place is TokenPlace.HEADER
    return bytes((bits | ack >> 8, ack & 0xFF, count)) + (_token_bytes(token) if behind else b"")


def _token_bytes(token: int | None) -> bytes:
    if token is None:
        raise ValueError("this variant needs a token")
    return token.to_bytes(4, "big")
