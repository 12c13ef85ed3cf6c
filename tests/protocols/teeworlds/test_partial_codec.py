"""What a person sees of partial states: names of declared types, changes on a base known in part, and faults."""

from __future__ import annotations

import struct
from itertools import accumulate

import pytest

from analyzer.protocols.base import SessionFacts
from analyzer.protocols.teeworlds.partial import PartialState, pack_partial
from analyzer.protocols.teeworlds.partial_codec import TeeworldsPartialCodec
from analyzer.protocols.teeworlds.schema import default_schema
from analyzer.snapshots.model import Change, JoinedDelta, Part
from analyzer.wire.errors import DecodeError
from tests.encoder import key, pack_varints

CODEC = TeeworldsPartialCodec()
FACTS = SessionFacts("ddnet", sizes=default_schema().sizes)
UUID = struct.unpack(">4i", bytes.fromhex("76ce455bf9eb3a48add7e04b941d045c"))
"""character@netobj.ddnet.tw, spec section 7.3."""
BASE = PartialState({key(5, 1): (1, 2, 3)}, {key(5, 2): 3}, {key(5, 3): None})


def changes(base: PartialState, *ints: int) -> dict[int, Change]:
    data = pack_varints(ints)
    joined = JoinedDelta(data, (Part(0, 0, 0, len(data), 0, False),))
    return {change.id: change for change in CODEC.changes(base, joined, FACTS, 100)}


def test_states() -> None:
    assert CODEC.nothing().entries == 0
    assert CODEC.unpack(pack_partial(BASE)) == BASE
    deltas = [b"", pack_varints([1, 0, 0, key(5, 1)]), pack_varints([0, 1, 0, 5, 1, 7, 7, 7])]
    states = list(accumulate(deltas, lambda state, delta: CODEC.follow(state, delta, FACTS), initial=BASE))[1:]
    assert [dict(state.known) for state in states] == [{key(5, 1): (1, 2, 3)}, {}, {key(5, 1): (7, 7, 7)}]
    with pytest.raises(DecodeError):
        CODEC.follow(BASE, b"\x01", FACTS)


def test_a_declared_type_has_its_name() -> None:
    declared = PartialState({key(0, 0x7FFF): UUID}, {key(0x7FFF, 4): 10}, {})
    items = CODEC.items(declared, FACTS, 100)
    assert [item.name for item in items.unknown] != ["type 32767 (not declared)"]
    undeclared = CODEC.items(PartialState({}, {key(0x7FFF, 4): 10}, {}), FACTS, 100)
    assert [item.name for item in undeclared.unknown] == ["type 32767 (not declared)"]


def test_changes_on_a_base_known_in_part() -> None:
    found = changes(BASE, 0, 3, 0, 5, 1, 1, 0, 0, 5, 2, 1, 0, 0, 5, 3, 9, 9, 9)
    assert {id: change.kind for id, change in found.items()} == {1: "changed", 2: "unknown", 3: "added"}
    assert [(field.old, field.new) for field in found[1].fields] == [(1, 2), (2, 2), (3, 3)]
    assert [(field.old, field.new, field.difference) for field in found[2].fields][:1] == [(None, None, 1)]
    assert [field.new for field in found[3].fields] == [9, 9, 9]


def test_removed_and_sent() -> None:
    found = changes(BASE, 3, 3, 0, *(key(5, n) for n in (1, 2, 3)), *(v for n in (1, 2, 3) for v in (5, n, 1, 1, 1)))
    assert {id: change.kind for id, change in found.items()} == {1: "readded", 2: "readded", 3: "added"}
    assert [field.new for field in found[1].fields] == [2, 3, 4]
    assert [field.new for field in found[2].fields] == [None, None, None]


def test_what_contradicts_or_breaks_off_is_told_as_on_the_wire() -> None:
    sized = PartialState({key(70, 1): (1, 2)}, {}, {})
    assert changes(sized, 0, 1, 0, 70, 1, 1, 5)[1].kind == "unknown"
    cut = changes(BASE, 0, 2, 0, 5, 1, 1, 0, 0, 5)
    assert [change.kind for change in cut.values()] == ["unknown"]
    assert CODEC.changes(BASE, JoinedDelta(b"", ()), FACTS, 100) == ()
