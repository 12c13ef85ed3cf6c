"""What the kernels that read a flow are given, and what stands where in it. See flow_kernels.py."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.protocols.teeworlds import item_kernels as items
from analyzer.protocols.teeworlds.delta_columns import Scratch
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.roles import Role
from analyzer.snapshots.tracking.columns import Track
from analyzer.store.rows import RowBuffers
from analyzer.wire.kernels import HuffmanTables

Ints = NDArray[np.int64]

MAX_CHUNKS = 255
KNOWN_NUMBERS = 256
"""Message numbers that have a place in the table of names; others are left to plain reading."""

(
    SESSION,
    SERVER,
    TOKEN_VALUE,
    TOKEN_OTHER,
    TOKEN_PLACE,
    SIZE_SHIFT,
    MAX_PAYLOAD,
    LAST,
    LAST_OTHER,
    ACKED,
    ACKED_OTHER,
    EARLY,
    EARLY_OTHER,
    LAST_NS,
    NAMED,
    MERGED,
    HEAD,
    TAIL,
    N_BLOCKS,
    STOP,
    STAGE,
    CHUNK,
    AT_COLLECTOR,
    IN_ORDER,
) = range(24)
"""Places in the `state` of a reading: session; direction of the server; the tokens that packets of either direction
carry, -1 without one, where they stand, the variant's size shift and its largest payload; of the vital chunks of either
direction the last number in order, the last that the peer is known to have, -1 for none, and how many wait for their
turn; the capture's clock; is the player's name known, or not to be found in snapshots; local number of the first
snapshot in the rows; where the next state goes in the arena and where the oldest one is; rows of `Store.blocks` in use.
And what `read` leaves: index of the datagram at which it stopped, why, at which of its chunks, for AT_LAST_PART the
collector, and whether there was a snapshot message whose tick did not fall back."""
STATE_SIZE = 24

GOES_ON, AT_DATAGRAM, AT_MESSAGE, AT_LAST_PART, AT_HOUSEKEEPING = range(5)
"""Why `read` stopped: it did not; nothing of the datagram was read; nothing of the message; a collector is complete and
its snapshot is to be made; a message was read, and what is too old is to be let go of."""

OFFSET, SIZE, FLAGS, SEQUENCE = range(4)
"""Columns of `Work.chunks`: where the message begins in the bytes that hold the payload, and bits of messages.flags."""

TICK, BASE_TICK, KIND, PARTS, PART, CHECKSUM, DATA, DATA_SIZE, WHOLE = range(9)
"""Places in `Work.fields`, of a snapshot message; WHOLE is the digest of all of it."""
FIELDS = 9


class Datagrams(NamedTuple):
    """`DatagramBatch`, with its bytes as an array that cannot be written."""

    packet: Ints
    clock_ns: Ints
    direction: NDArray[np.int8]
    offset: Ints
    length: Ints
    udp_length: Ints
    buffer: NDArray[np.uint8]
    words: NDArray[np.uint64]


class Format(NamedTuple):
    """What the dialect says, and what plain reading has learned."""

    huffman: HuffmanTables
    sizes: NDArray[np.int32]
    names: Ints
    """Shape (2, KNOWN_NUMBERS): by system bit and message number the number of its name in the rows; -1: none yet."""
    roles: Ints
    """Shape (2, 2, KNOWN_NUMBERS): the `Role` of messages, first of the client, then of the server, by system bit and
    message number."""
    flags: Ints
    """Shape (256,): bits of packets.flags, by the first byte of a packet."""
    handshake_ticks: Ints


class Work(NamedTuple):
    """Working memory of one thread."""

    plain: NDArray[np.uint64]
    """Decompressed payload, eight bytes in each."""
    plain_bytes: NDArray[np.uint8]
    """The same, read-only, as all bytes that are only read."""
    plain_words: NDArray[np.uint64]
    chunks: Ints
    """Shape (MAX_CHUNKS, 4)."""
    fields: Ints
    """Shape (FIELDS,)."""
    scratch: Scratch
    counts: items.TypeCounts
    result: Ints


class Store(NamedTuple):
    """Bytes and states of one epoch."""

    parts: NDArray[np.uint8]
    """Shape (collectors, bytes): part p of a collector begins at MAX_PART_LENGTH * p."""
    parts_view: NDArray[np.uint8]
    """The same, read-only."""
    arena: NDArray[np.int32]
    """States, each where AT says, the empty one at 0; the others one behind the other, and from 1 on again behind the
    last one that there is room for. Those from TAIL up to HEAD may be bases."""
    blocks: Ints
    """Shape (room, 3): snapshots to be stored whole: local number, place in the arena and ints. See N_BLOCKS."""


class Flow(NamedTuple):
    """All that a flow is read with."""

    format: Format
    work: Work
    store: Store
    epoch: Track
    rows: RowBuffers
    state: Ints
    """See SESSION."""


@cache
def dialect_tables(dialect: str) -> tuple[Ints, Ints]:
    """As `Format.roles` and `Format.flags`: the same for all flows of a dialect."""
    variant, roles = DIALECTS[dialect].variant, DIALECTS[dialect].roles
    table: Ints = np.full((2, 2, KNOWN_NUMBERS), int(Role.NONE), dtype=np.int64)
    for from_server, sent in enumerate((roles.client, roles.server)):
        for (system, number), role in sent.items():
            table[from_server, int(system), number] = role
    return table, np.array([variant.flags_of(first) for first in range(256)], dtype=np.int64)
