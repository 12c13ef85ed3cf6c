"""Writes a whole snapshot the way a server sends one without a base, for captures that leave its base out; and
messages again.

Spec sections 2, 7, 8 and 9; the packet is that of the connection it is to be read in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.delta import AGREED_TYPES
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.rebuilder import PART_BYTES
from analyzer.protocols.teeworlds.roles import Role, Roles
from analyzer.protocols.teeworlds.state import State, signed, unpack_state
from analyzer.snapshots.tracking.columns import MAX_PARTS
from analyzer.transports.teeworlds import read_packet
from analyzer.transports.teeworlds_packet import TOKEN, TOKEN_SIZE, TokenPlace, Variant
from analyzer.wire.varint import pack

NO_BASE = -1
CHUNK_HEADER = 2
MAX_CHUNKS = 255


def made_snapshot(block: bytes, tick: int, facts: SessionFacts, model: bytes) -> tuple[bytes, ...]:
    """Payloads of the packets that carry the snapshot `block` of `tick`, each with one part, not compressed.

    `model`: a packet of the server's in the same connection, whose acknowledgement and token they repeat. Empty: it is
    larger than the format can carry.
    """
    dialect = DIALECTS[facts.dialect]
    variant = dialect.variant
    like = read_packet(model, variant)
    token = facts.token if like.token is None else like.token
    messages = _messages(unpack_state(block), tick, facts.sizes, dialect.roles)
    return tuple(_packet(variant, like.ack, token, [message]) for message in messages)


def made_messages(messages: Sequence[tuple[bytes, int, int]], facts: SessionFacts, model: bytes) -> tuple[bytes, ...]:
    """Payloads of packets that say again what messages said, not vital, so that they stand in no order.

    `messages`: payload, offset and size of each. `model`: as for `made_snapshot`.
    """
    variant = DIALECTS[facts.dialect].variant
    like = read_packet(model, variant)
    token = facts.token if like.token is None else like.token
    packets: list[list[bytes]] = []
    room = 0
    for payload, offset, size in messages:
        message = read_packet(payload, variant).payload[offset : offset + size]
        if len(message) > room or len(packets[-1]) == MAX_CHUNKS:
            packets.append([])
            room = PART_BYTES
        packets[-1].append(message)
        room -= len(message) + CHUNK_HEADER
    return tuple(_packet(variant, like.ack, token, some) for some in packets)


def _messages(state: State, tick: int, sizes: Sequence[int], roles: Roles) -> list[bytes]:
    data = _numbers(_full_delta(state, sizes))
    head = (tick, signed(tick - NO_BASE))
    if len(data) <= PART_BYTES:
        return [_numbers((roles.number(Role.SNAPSINGLE) << 1 | 1, *head, state.crc, len(data))) + data]
    parts = [data[start : start + PART_BYTES] for start in range(0, len(data), PART_BYTES)]
    if len(parts) > MAX_PARTS:
        return []
    snap = roles.number(Role.SNAP)
    return [
        _numbers((snap << 1 | 1, *head, len(parts), number, state.crc, len(part))) + part
        for number, part in enumerate(parts)
    ]


def _full_delta(state: State, sizes: Sequence[int]) -> Iterator[int]:
    """removed count 0, updated count, 0, then each item: type, id, size where it is not agreed, values"""
    yield from (0, state.count, 0)
    for key, values in state.items.items():
        kind = key >> 16
        yield from (kind, key & 0xFFFF)
        if kind >= AGREED_TYPES or sizes[kind] < 0:
            yield len(values)
        yield from values


def _packet(variant: Variant, ack: int, token: int | None, messages: Sequence[bytes]) -> bytes:
    """flags and ack bits 9..8, ack bits 7..0, count [token], then chunk header of 2 bytes and message, each [token]"""
    token_bytes = b"" if token is None else token.to_bytes(TOKEN_SIZE, "big")
    behind = variant.token_place in (TokenPlace.FLAGGED, TokenPlace.HEADER)
    bits = sum(bit for _, bit, flag in variant.flag_bits if flag == TOKEN) if token is not None else 0
    header = bytes((bits | ack >> 8, ack & 0xFF, len(messages))) + (token_bytes if behind else b"")
    low = (1 << variant.size_shift) - 1
    chunks = [bytes((len(message) >> variant.size_shift, len(message) & low)) + message for message in messages]
    return header + b"".join(chunks) + (token_bytes if variant.token_place is TokenPlace.TAIL else b"")


def _numbers(values: Iterable[int]) -> bytes:
    return b"".join(map(pack, values))
