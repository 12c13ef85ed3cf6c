"""What compiled rebuilding keeps beside the track: parts, an arena of states, players, counts of item types."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.bulk_rebuilder import KEPT_STATES, BulkRebuilder, BulkTypeCounter
from analyzer.protocols.teeworlds.rebuilder import PART_BYTES, join_parts
from analyzer.protocols.teeworlds.schema import default_schema
from analyzer.protocols.teeworlds.state import make_state, pack_state, unpack_state
from analyzer.snapshots.tracking import parts, ticks
from analyzer.snapshots.tracking.columns import AT, COLLECTOR, MAX_PARTS, RETENTION_TICKS
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.wire.varint import pack

SCHEMA = default_schema()
OWN_INFO, OTHER_INFO, CLIENT = 10 << 16 | 3, 10 << 16 | 4, 11 << 16 | 3
NAME = struct.unpack(">4i", bytes((byte + 128) & 0xFF for byte in b"eve~".ljust(15, b"\0")) + b"\0")
"""As an item has it: each byte with 128 added, the last one zero."""
Items = dict[int, tuple[int, ...]]


def delta(*items: tuple[int, tuple[int, ...]]) -> bytes:
    ints = [0, len(items), 0]
    for key, values in items:
        type = key >> 16
        size = [] if type < 64 and SCHEMA.sizes[type] >= 0 else [len(values)]
        ints += [type, key & 0xFFFF, *size, *values]
    return b"".join(map(pack, ints))


class Bulk:
    """A rebuilder with its track and counts, which begin empty."""

    def __init__(self) -> None:
        self.types = BulkTypeCounter()
        self.types.take()
        self.tracker = Tracker()
        self.rebuilder = BulkRebuilder(SCHEMA, self.types, self.tracker)

    def make(self, tick: int, data: bytes, base_tick: int = -1, packet: int = 0) -> None:
        """A snapshot, made and kept as an epoch does it."""
        made = self.rebuilder.rebuild(base_tick, data, packet)
        self.put(tick, made.size, made.crc)
        self.rebuilder.keep(tick)

    def put(self, tick: int, size: int, crc: int = 0) -> None:
        self.tracker.make_room()
        ticks.see(self.tracker.track, tick)
        ticks.put_base(self.tracker.track, tick, tick, size, 0, True, crc, 0)

    def share(self, tick: int, base_tick: int) -> None:
        self.put(tick, 8)
        self.rebuilder.share(tick, base_tick)

    def items(self, tick: int) -> Items:
        return dict(unpack_state(self.rebuilder.pack(tick)).items)


def test_a_state_is_what_the_plain_one_packs() -> None:
    bulk = Bulk()
    made = bulk.rebuilder.rebuild(-1, delta((300 << 16 | 1, (5, -6)), (70 << 16, ())), 0)
    bulk.put(10, made.size, made.crc)
    bulk.rebuilder.keep(10)
    expected = make_state({300 << 16 | 1: (5, -6), 70 << 16: ()})
    assert bulk.rebuilder.pack(10) == pack_state(expected)
    assert (made.crc, made.size, made.count) == (-1, 8 + 2 * 8 + 2 * 4, 2)
    bulk.types.take()


def test_a_snapshot_that_is_its_base_takes_no_memory() -> None:
    bulk = Bulk()
    bulk.make(10, delta((300 << 16 | 1, (5,))))
    used = bulk.rebuilder.head
    bulk.share(12, 10)
    bulk.share(14, -1)
    assert bulk.items(12) == {300 << 16 | 1: (5,)}
    assert bulk.items(14) == {}
    assert bulk.rebuilder.head == used
    bulk.types.take()


def test_the_player_is_the_local_one() -> None:
    client = (CLIENT, (*NAME, *(0,) * (SCHEMA.sizes[11] - 4)))
    other = (OTHER_INFO, (0, 4, 0, 0, 0))
    own = (OWN_INFO, (1, 3, 0, 0, 0))
    bulk = Bulk()
    for tick, items in enumerate([(other, own, client), (other, own), (other, client)]):
        bulk.make(tick, delta(*items))
    assert [bulk.rebuilder.player(tick) for tick in range(3)] == ["eve~", "", ""]
    bulk.types.take()


def test_a_type_declared_anew_is_counted_apart() -> None:
    first = [0, 2, 0, 0, 0x4001, 4, 1, 2, 3, 4, 0x4001, 0, 1, 5]
    second = [0, 2, 0, 0, 0x4001, 4, 9, 0, 0, 0, 0x4001, 0, 1, 5]
    bulk = Bulk()
    bulk.make(10, b"".join(map(pack, first)), packet=3)
    bulk.make(12, b"".join(map(pack, second)), 10, packet=4)
    declared = {key: count.packet for key, count in bulk.types.take().items() if key[0] == 0x4001}
    assert declared == {(0x4001, (1, 2, 3, 4)): 3, (0x4001, (10, 2, 3, 4)): 4}
    assert bulk.types.take() == {}


@given(
    st.lists(
        st.tuples(st.sampled_from(["make", "make", "make", "share", "purge", "again"]), st.integers(0, 90)),
        max_size=60,
    )
)
def test_the_arena_keeps_what_the_track_keeps(steps: list[tuple[str, int]]) -> None:
    """States move, are shared, are replaced and let go of; those of bases stay what they were."""
    bulk = Bulk()
    known: dict[int, Items] = {}
    tick = largest = 0
    for kind, number in steps:
        tick += 1 + number
        base_tick = max(known, default=-1)
        if kind == "purge":
            bulk.tracker.purge()
            bulk.rebuilder.purge()
            known = {tick: items for tick, items in known.items() if tick >= max(known) - RETENTION_TICKS}
        elif kind == "share":
            bulk.share(tick, base_tick)
            known[tick] = known.get(base_tick, {})
        else:
            at = base_tick if kind == "again" and known else tick
            items = [(300 << 16 | number, tuple(range(tick, tick + number))), (70 << 16, (tick,))]
            bulk.make(at, delta(*items))
            known[at] = dict(items)
        assert {tick: bulk.items(tick) for tick in bulk.tracker.bases()} == known
        sizes = [1 + sum(2 + len(values) for values in items.values()) for items in known.values()]
        largest = max([largest, *sizes])
        assert len(bulk.rebuilder.store.arena) <= max(1024, 8 * (sum(sizes) + 200), KEPT_STATES * largest)
    bulk.types.take()


def test_all_memory_goes_with_the_last_base() -> None:
    bulk = Bulk()
    for tick in range(40):
        bulk.make(tick, delta((300 << 16, tuple(range(100)))))
    assert len(bulk.rebuilder.store.arena) > 1024
    ticks.forget(bulk.tracker.track)
    bulk.rebuilder.purge()
    assert (len(bulk.rebuilder.store.arena), bulk.rebuilder.head) == (1024, 1)
    bulk.types.take()


@pytest.mark.parametrize("announced", [1, 2, 5, MAX_PARTS])
@given(lengths=st.lists(st.integers(0, PART_BYTES), min_size=MAX_PARTS, max_size=MAX_PARTS), backwards=st.booleans())
def test_parts_are_joined(announced: int, lengths: list[int], backwards: bool) -> None:
    bulk = Bulk()
    track = bulk.tracker.track
    held: dict[int, bytes] = {}
    for tick in (10, 12):
        collector = parts.open_collector(track, tick)
        parts.agree(track, collector, -1, announced, 0, 0, False)
        for part in range(announced)[:: -1 if backwards else 1]:
            content = bytes([tick + part]) * lengths[part]
            parts.hold(track, collector, part, 0, 0, len(content), 0, 0)
            bulk.rebuilder.hold(collector, part, content)
            if tick == 10:
                held[part] = content
    collector = track.ticks[ticks.find(track, 10), COLLECTOR]
    assert [bulk.rebuilder.held(collector, part) for part in range(announced)] == [held[n] for n in range(announced)]
    assert bulk.rebuilder.join(collector, announced) == join_parts(held, announced)


def test_the_empty_state_stands_first() -> None:
    bulk = Bulk()
    bulk.share(10, -1)
    assert bulk.tracker.track.ticks[ticks.find(bulk.tracker.track, 10), AT] == 0
    assert bulk.items(10) == {}
