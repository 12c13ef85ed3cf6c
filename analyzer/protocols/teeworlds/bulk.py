"""Makes snapshots and takes off compression with compiled code; states are runs of int32, see kernels.py.

Spec sections 5 and 9 to 13.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.protocols.base import DatagramBatch
from analyzer.protocols.teeworlds import kernels
from analyzer.protocols.teeworlds.players import NAME_INTS, name_of
from analyzer.protocols.teeworlds.reading import FED_AT_ONCE, Decompress
from analyzer.protocols.teeworlds.rebuilder import Rebuilder, Rebuilt, TypeKey
from analyzer.protocols.teeworlds.schema import Schema
from analyzer.protocols.teeworlds.schema_file import FIRST_UUID_TYPE
from analyzer.protocols.teeworlds.state import HEADER_BYTES
from analyzer.store.rows import TypeCount
from analyzer.transports.kernels import decompress_payloads
from analyzer.transports.teeworlds_huffman import HUFFMAN
from analyzer.transports.teeworlds_packet import MAX_PAYLOAD_06, TokenPlace, Variant
from analyzer.wire.errors import DecodeError
from analyzer.wire.kernels import huffman_tables


@dataclass(frozen=True, slots=True)
class PackedState:
    """A snapshot as `pack_state` packs it. Nobody changes its array."""

    ints: NDArray[np.int32]
    crc: int
    size: int
    count: int


EMPTY = PackedState(np.zeros(1, dtype=np.int32), 0, HEADER_BYTES, 0)


_HUFFMAN = huffman_tables(HUFFMAN)


class _Memory(threading.local):
    """Working memory of the thread that rebuilds; readings of one thread share it."""

    def __init__(self) -> None:
        self.payloads = np.empty((FED_AT_ONCE, MAX_PAYLOAD_06), dtype=np.uint8)
        self.payload_sizes = np.empty(FED_AT_ONCE, dtype=np.int64)
        self.scratch = kernels.make_scratch()
        self.out = np.zeros(kernels.MAX_STATE_INTS, dtype=np.int32)
        self.counts = kernels.make_type_counts()
        """Emptied at the end of every batch of a reading."""
        self.result = np.zeros(kernels.RESULTS, dtype=np.int64)


_MEMORY = _Memory()


def decompressor(variant: Variant) -> Decompress:
    """Takes the compression off a batch of at most FED_AT_ONCE datagrams."""

    def decompress(batch: DatagramBatch) -> Iterator[bytes | None]:
        memory = _MEMORY
        sizes = memory.payload_sizes
        decompress_payloads(
            np.frombuffer(batch.buffer, dtype=np.uint8),
            batch.offset,
            batch.length,
            variant.token_place is TokenPlace.FLAGGED,
            *_HUFFMAN,
            memory.payloads[:, : variant.max_payload],
            sizes,
        )
        # Copied at once: another reading of the thread may come before the last one is asked for.
        sized = enumerate(sizes[: len(batch)].tolist())
        payloads = memory.payloads
        return iter([payloads[number, :size].tobytes() if size >= 0 else None for number, size in sized])

    return decompress


class BulkRebuilder(Rebuilder[PackedState]):
    """With compiled code; rows and faults are those of `PlainRebuilder`."""

    def __init__(self, schema: Schema) -> None:
        self._sizes = np.asarray(schema.sizes, dtype=np.int32)
        self._taken: dict[TypeKey, TypeCount] = {}

    @property
    def empty(self) -> PackedState:
        """The snapshot of no items."""
        return EMPTY

    def rebuild(self, base: PackedState, delta: bytes, packet: int) -> Rebuilt[PackedState]:
        """The next snapshot. Raises `DecodeError` D1 to D9, whose texts are left to the plain reading."""
        memory = _MEMORY
        data = np.frombuffer(delta, dtype=np.uint8)
        result = memory.result
        kernels.rebuild(data, 0, len(data), base.ints, self._sizes, memory.scratch, memory.out, result)
        numbers: list[int] = result.tolist()
        if numbers[kernels.FAULT]:
            raise DecodeError(f"D{numbers[kernels.FAULT]}", numbers[kernels.OFFSET], "", numbers[kernels.DETAIL])
        ints = memory.out[: numbers[kernels.LENGTH]].copy()
        updated = numbers[kernels.UPDATED]
        updates = memory.scratch.updates
        if not kernels.count_types(ints, updates, updated, packet, memory.counts):
            self._take()
            kernels.count_types(ints, updates, updated, packet, memory.counts)
        return Rebuilt(
            PackedState(ints, numbers[kernels.CRC], numbers[kernels.STATE_BYTES], numbers[kernels.ITEMS]),
            numbers[kernels.ADDED],
            numbers[kernels.CHANGED],
            numbers[kernels.REMOVED],
            numbers[kernels.DELETED],
            updated,
            numbers[kernels.WARNINGS],
        )

    def pack(self, state: PackedState) -> bytes:
        """The state as bytes."""
        return state.ints.astype("<i4", copy=False).tobytes()

    def player(self, state: PackedState) -> str:
        """Name of the receiving client."""
        at = kernels.find_own_info(state.ints)
        return name_of(state.ints[at : at + NAME_INTS].tolist()) if at >= 0 else ""

    def take_types(self) -> dict[TypeKey, TypeCount]:
        """What was counted since the last time."""
        self._take()
        types, self._taken = self._taken, {}
        return types

    def _take(self) -> None:
        counts = _MEMORY.counts
        used = int(counts.used[0])
        for type in counts.types[:used].tolist():
            packet, updates, values = counts.counts[type].tolist()
            known, *declared = counts.declared[type].tolist() if type >= FIRST_UUID_TYPE else (0,)
            key = type, tuple(declared) if known else None
            count = self._taken.setdefault(key, TypeCount(packet))
            count.updates += updates
            count.values += values
            counts.counts[type] = 0
        counts.used[0] = 0
