"""All payloads and all deltas of many snapshots in one call each, compiled: what a jump to any snapshot needs.

Spec sections 5, 9 and 10. In one call, because the thread that decodes may have the interpreter after each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.protocols.teeworlds.delta_columns import CRC, FAULT, LENGTH, NO_ROOM, Scratch
from analyzer.protocols.teeworlds.delta_kernels import rebuild
from analyzer.protocols.teeworlds.flow_columns import DATA, DATA_SIZE, KNOWN_NUMBERS
from analyzer.protocols.teeworlds.flow_kernels import find_chunks
from analyzer.protocols.teeworlds.roles import Role
from analyzer.protocols.teeworlds.snap_kernels import read_fields
from analyzer.transports.teeworlds_packet import (
    COMPRESSED,
    CONNLESS,
    CONTROL,
    FLAGS_SIZE,
    TOKEN,
    TOKEN_SIZE,
    TokenPlace,
)
from analyzer.wire.kernels import HuffmanTables, decompress, unpack

Ints = NDArray[np.int64]

_HEADER, _TAIL = int(TokenPlace.HEADER), int(TokenPlace.TAIL)
_LAST_SNAP = int(Role.SNAP)


class Packets(NamedTuple):
    """Payloads, each with a message that is looked for, and how they are read."""

    buffer: NDArray[np.uint8]
    """Payloads, one behind the other."""
    words: NDArray[np.uint64]
    ends: Ints
    """Where each ends, shape (n,)."""
    messages: Ints
    """Offset and size of each message in the plain payload, shape (n, 2)."""
    huffman: HuffmanTables
    flags: Ints
    """As `Format.flags`."""
    roles: Ints
    """As `Format.roles`."""
    token_place: int
    size_shift: int
    max_payload: int


class Found(NamedTuple):
    """What is made of them."""

    plain: NDArray[np.uint64]
    """Decompressed payloads, shape (n, max_payload / 8 at least)."""
    plain_bytes: NDArray[np.uint8]
    """The same, read-only."""
    chunks: Ints
    """Working memory, shape (MAX_CHUNKS, 4)."""
    fields: Ints
    """Working memory, shape (FIELDS,)."""
    parts: Ints
    """Shape (n, 4): where the bytes of the part begin in the buffer, or in `plain_bytes` of its payload; where that is
    in the plain payload; their number, or -1 where plain reading has to tell; and was the payload compressed?"""


@kernel
def find_parts(packets: Packets, found: Found) -> None:
    """Find the bytes of snapshot messages behind their fields, where nothing about packet and message is unusual."""
    start = 0
    for number in range(len(packets.ends)):
        stop = packets.ends[number]
        part = found.parts[number]
        part[2] = -1
        packed, begin, at, end = _find_message(packets, found, number, start, stop)
        start = stop
        if begin < 0:
            continue
        data = found.plain_bytes[number] if packed else packets.buffer
        value, body = unpack(data, at, end)
        id = value >> 1
        if body < 0 or id <= 0 or id >= KNOWN_NUMBERS:
            continue
        role = packets.roles[1, value & 1, id]
        if 0 <= role <= _LAST_SNAP and read_fields(data, role, body, end, found.fields):
            part[0], part[1] = found.fields[DATA], found.fields[DATA] - begin
            part[2], part[3] = found.fields[DATA_SIZE], packed


@kernel
def read_ints(packets: Packets, found: Found, head: int, index: int, length: int, item: int, values: Ints) -> None:
    """Read the number `index` of messages that begin with numbers; `head` is the number with the message's id.

    Into `values`, shape (n, 2): the number, and 1 if it is there, 0 if the message ends before, -1 where plain reading
    has to tell. `length`: index of the number that says, times four, how many numbers stand from `item` on; -1: none.
    """
    start = 0
    for number in range(len(packets.ends)):
        stop = packets.ends[number]
        made = values[number]
        made[1] = -1
        packed, begin, at, end = _find_message(packets, found, number, start, stop)
        start = stop
        if begin < 0:
            continue
        data = found.plain_bytes[number] if packed else packets.buffer
        id, at = unpack(data, at, end)
        if at < 0 or id != head:
            continue
        made[1], counted = 1, 0
        for step in range(index + 1):
            if step >= item and length >= 0 and step - item >= counted >> 2:
                made[1] = 0
                break
            made[0], at = unpack(data, at, end)
            if at < 0:
                made[1] = 0
                break
            if step == length:
                counted = made[0]


@kernel
def _find_message(packets: Packets, found: Found, number: int, start: int, stop: int) -> tuple[int, int, int, int]:
    """Was the payload compressed, and where plain payload, message and the end of that are.

    They are places in the buffer, or in `plain_bytes`; -1 if anything about the packet is unusual.
    """
    buffer = packets.buffer
    if stop - start < FLAGS_SIZE:
        return 0, -1, 0, 0
    flags = packets.flags[int(buffer[start])]
    if flags & (CONNLESS | CONTROL):
        return 0, -1, 0, 0
    data, begin, end = buffer, start + FLAGS_SIZE, stop
    if flags & TOKEN or packets.token_place == _HEADER:
        begin += TOKEN_SIZE
        if begin > end:
            return 0, -1, 0, 0
    if flags & COMPRESSED:
        size = decompress(buffer, packets.words, begin, end, packets.huffman, found.plain[number], packets.max_payload)
        if size < 0:
            return 0, -1, 0, 0
        data, begin, end = found.plain_bytes[number], 0, size
    if packets.token_place == _TAIL:
        end -= TOKEN_SIZE
    if end < begin or not find_chunks(data, begin, end, int(buffer[start + 2]), packets.size_shift, found.chunks):
        return 0, -1, 0, 0
    at = begin + packets.messages[number, 0]
    last = at + packets.messages[number, 1]
    return flags & COMPRESSED, begin if last <= end else -1, at, last


@kernel
def rebuild_all(
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    bases: NDArray[np.int64],
    arena: NDArray[np.int32],
    places: NDArray[np.int64],
    given: int,
    sizes: NDArray[np.int32],
    scratch: Scratch,
    result: NDArray[np.int64],
) -> int:
    """Make a state of each delta; returns how many there are before a fault, of which there is none in `result` if
    there was no room.

    Deltas lie one behind the other in `data`; `ends`, shape (n,), says where each ends; one of no bytes changes
    nothing. States lie one behind the other in `arena`. `places`, shape (given + n, 3): where each begins, the int32 it
    takes, and its checksum; the first `given` are known. `bases`, shape (n,): the place of each delta's base. The other
    arguments are those of `delta_kernels.rebuild`.
    """
    at = 0
    for place in range(given):
        at = max(at, places[place, 0] + places[place, 1])
    start = 0
    for number in range(len(ends)):
        base, made = places[bases[number]], places[given + number]
        if ends[number] == start:
            made[0], made[1], made[2] = base[0], base[1], base[2]
            continue
        old = arena[base[0] : base[0] + base[1]]
        rebuild(data, start, ends[number], old, base[2], sizes, scratch, arena[at:], result)
        if result[FAULT] != 0:
            if result[FAULT] == NO_ROOM:
                result[FAULT] = 0
            return number
        made[0], made[1], made[2] = at, result[LENGTH], result[CRC]
        at += result[LENGTH]
        start = ends[number]
    return len(ends)
