"""Compiled making of snapshots against the plain one, delta by delta."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.bulk_rebuilder import BulkRebuilder, BulkTypeCounter
from analyzer.protocols.teeworlds.delta import MAX_INTS, MAX_ITEMS, UNKNOWN_REMOVED_KEY
from analyzer.protocols.teeworlds.delta_columns import DELETED, FAULT, RESULTS, SLOTS, WARNINGS, make_scratch
from analyzer.protocols.teeworlds.delta_kernels import rebuild
from analyzer.protocols.teeworlds.rebuilder import (
    PlainRebuilder,
    PlainTypeCounter,
    Rebuilder,
    Rebuilt,
    TypeCounter,
    TypeKey,
)
from analyzer.protocols.teeworlds.schema import default_schema
from analyzer.snapshots.tracking import ticks
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.rows import TypeCount
from analyzer.wire.errors import DecodeError
from analyzer.wire.varint import pack

SCHEMA = default_schema()
SIZES = SCHEMA.sizes
TYPES = [0, 1, 2, 5, 9, 10, 11, 70, 300, 0x4001, 0x4002, 0x7FFF]
WILD = st.sampled_from([0, 0, 0, 1, -1, 63, 64, -65, 0x7FFFFFFF, -0x80000000])
Fault = tuple[str, int, int]


@st.composite
def deltas(draw: st.DrawFn) -> bytes:
    """Mostly a delta that can be read; sometimes with a count, a type, an id, a size or a byte that is wrong."""
    key = st.builds(lambda type, id: type << 16 | id, st.sampled_from(TYPES), st.integers(0, 3))
    removed = draw(st.lists(key | st.integers(-3, 3), max_size=3))
    updates = draw(st.lists(key, max_size=8))
    ints = [len(removed), len(updates) + draw(st.sampled_from([0] * 8 + [1, -1])), 0, *removed]
    for item in updates:
        type, id = item >> 16, item & 0xFFFF
        slips = st.sampled_from([(type, id)] * 30 + [(-1, id), (0x8000, id), (type, -1), (type, 0x10000)])
        ints += draw(slips)
        size = SIZES[type] if type < 64 else -1
        if size < 0:
            size = draw(st.sampled_from([1, 4, 4, 4, 5]))
            ints.append(size + draw(st.sampled_from([0] * 20 + [1, -9])))
        ints += draw(st.lists(WILD, min_size=size, max_size=size))
    data = b"".join(map(pack, ints + draw(st.sampled_from([[], [], [], [7]]))))
    if draw(st.sampled_from([False] * 5 + [True])):
        at = draw(st.integers(0, len(data) - 1))
        data = data[:at] + draw(st.sampled_from([b"", bytes([draw(st.integers(0, 255))]) + data[at + 1 :]]))
    return data


class Made:
    """Snapshots made by one of the two, each based on the one before."""

    def __init__(self, *, compiled: bool) -> None:
        self.tracker = Tracker()
        self.types: TypeCounter
        self.rebuilder: Rebuilder
        if compiled:
            bulk = self.types = BulkTypeCounter()
            bulk.take()
            self.rebuilder = BulkRebuilder(SCHEMA, bulk, self.tracker)
        else:
            plain = self.types = PlainTypeCounter()
            self.rebuilder = PlainRebuilder(SCHEMA, plain, self.tracker)
        self.tick = -1

    def make(self, delta: bytes, packet: int) -> tuple[Rebuilt, bytes, str] | Fault:
        """What was made with its block, so items, their order and their values, and its player; or the fault."""
        try:
            made = self.rebuilder.rebuild(self.tick, delta, packet)
        except DecodeError as error:
            return error.code, error.offset, error.details[0] if error.details else 0
        self.tracker.make_room()
        ticks.put_base(self.tracker.track, packet, packet, made.size, 0, True, made.crc, made.count)
        self.rebuilder.keep(packet)
        self.tick = packet
        return made, self.rebuilder.pack(packet), self.rebuilder.player(packet)

    def counted(self) -> list[tuple[TypeKey, TypeCount]]:
        """In the order in which types came first."""
        return list(self.types.take().items())


@settings(max_examples=300)
@given(st.lists(deltas(), min_size=1, max_size=12))
def test_a_chain_of_deltas(chain: Sequence[bytes]) -> None:
    plain, bulk = Made(compiled=False), Made(compiled=True)
    for packet, delta in enumerate(chain):
        assert plain.make(delta, packet) == bulk.make(delta, packet)
    assert plain.counted() == bulk.counted()


@pytest.mark.parametrize("items", [MAX_ITEMS, MAX_ITEMS + 1, 5000])
def test_the_most_items(items: int) -> None:
    ints = [0, items, 0]
    for number in range(items):
        ints += [70, number, 0]
    check_alone(b"".join(map(pack, ints)))


@pytest.mark.parametrize("values", [16376, MAX_INTS - 6, MAX_INTS - 5])
def test_the_largest_item(values: int) -> None:
    check_alone(b"".join(map(pack, [0, 1, 0, 70, 1, values, *range(values)])))


@pytest.mark.parametrize("announced", [2, MAX_INTS, 0x7FFFFFFF])
def test_more_updates_announced_than_sent(announced: int) -> None:
    check_alone(b"".join(map(pack, [0, announced, 0, 70, 1, 1, 5])))
    check_alone(b"".join(map(pack, [0, announced, 0, 1, 5, *range(10), 1, 5])))


def check_alone(delta: bytes) -> None:
    plain, bulk = Made(compiled=False), Made(compiled=True)
    assert plain.make(delta, 0) == bulk.make(delta, 0)
    assert plain.counted() == bulk.counted()


def test_keys_that_belong_together_do_not_make_it_slow() -> None:
    """Keys that a fixed hash function puts side by side lie apart: else each is compared with all before it."""
    keys = np.arange(1 << 24, dtype=np.int64)
    keys = keys[(keys * 0x9E3779B1 >> 12) & (SLOTS - 1) < 16][:8000]
    data = b"".join(map(pack, [len(keys), 0, 0, *keys.tolist()]))
    scratch, out, result = make_scratch(), np.empty(8, dtype=np.int32), np.zeros(RESULTS, dtype=np.int64)
    agreed = np.array(SIZES, dtype=np.int32)
    rebuild(np.frombuffer(data, np.uint8), 0, len(data), np.zeros(1, np.int32), 0, agreed, scratch, out, result)
    assert (result[FAULT], result[WARNINGS], result[DELETED]) == (0, UNKNOWN_REMOVED_KEY, len(keys))
    used = scratch.slots[:, 0] > 0
    assert np.count_nonzero(used) == len(keys)
    together = np.diff(np.flatnonzero(np.diff(used, prepend=False, append=False)))[::2]
    assert max(together) < len(keys) / 8
