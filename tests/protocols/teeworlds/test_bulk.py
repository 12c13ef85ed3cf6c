"""What compiled rebuilding keeps beside the snapshots: packed states, players, counts of item types."""

from __future__ import annotations

import struct

from analyzer.protocols.teeworlds.bulk import EMPTY, BulkRebuilder
from analyzer.protocols.teeworlds.schema import default_schema
from analyzer.protocols.teeworlds.state import make_state, pack_state, unpack_state
from analyzer.wire.varint import pack

SCHEMA = default_schema()
OWN_INFO, OTHER_INFO, CLIENT = 10 << 16 | 3, 10 << 16 | 4, 11 << 16 | 3
NAME = struct.unpack(">4i", bytes((byte + 128) & 0xFF for byte in b"eve~".ljust(15, b"\0")) + b"\0")
"""As an item has it: each byte with 128 added, the last one zero."""


def delta(*items: tuple[int, tuple[int, ...]]) -> bytes:
    ints = [0, len(items), 0]
    for key, values in items:
        type = key >> 16
        size = [] if type < 64 and SCHEMA.sizes[type] >= 0 else [len(values)]
        ints += [type, key & 0xFFFF, *size, *values]
    return b"".join(map(pack, ints))


def test_a_state_is_what_the_plain_one_packs() -> None:
    bulk = BulkRebuilder(SCHEMA)
    bulk.take_types()
    made = bulk.rebuild(EMPTY, delta((300 << 16 | 1, (5, -6)), (70 << 16, ())), 0)
    expected = make_state({300 << 16 | 1: (5, -6), 70 << 16: ()})
    assert bulk.pack(made.state) == pack_state(expected)
    assert unpack_state(bulk.pack(made.state)) == expected
    assert (made.state.crc, made.state.size, made.state.count) == (-1, 8 + 2 * 8 + 2 * 4, 2)
    assert unpack_state(bulk.pack(bulk.empty)).items == {}


def test_the_player_is_the_local_one() -> None:
    bulk = BulkRebuilder(SCHEMA)
    client = (CLIENT, (*NAME, *(0,) * (SCHEMA.sizes[11] - 4)))
    other = (OTHER_INFO, (0, 4, 0, 0, 0))
    own = (OWN_INFO, (1, 3, 0, 0, 0))
    assert bulk.player(bulk.rebuild(EMPTY, delta(other, own, client), 0).state) == "eve~"
    assert bulk.player(bulk.rebuild(EMPTY, delta(other, own), 0).state) == ""
    assert bulk.player(bulk.rebuild(EMPTY, delta(other, client), 0).state) == ""
    bulk.take_types()


def test_a_type_declared_anew_is_counted_apart() -> None:
    first = [0, 2, 0, 0, 0x4001, 4, 1, 2, 3, 4, 0x4001, 0, 1, 5]
    second = [0, 2, 0, 0, 0x4001, 4, 9, 0, 0, 0, 0x4001, 0, 1, 5]
    bulk = BulkRebuilder(SCHEMA)
    bulk.take_types()
    state = bulk.rebuild(bulk.empty, b"".join(map(pack, first)), 3).state
    bulk.rebuild(state, b"".join(map(pack, second)), 4)
    declared = {key: count.packet for key, count in bulk.take_types().items() if key[0] == 0x4001}
    assert declared == {(0x4001, (1, 2, 3, 4)): 3, (0x4001, (10, 2, 3, 4)): 4}
