"""Plain rebuilding as an epoch uses it: what a delta did, and what was sent of each item type."""

from __future__ import annotations

import pytest

from analyzer.protocols.teeworlds.delta import SURPLUS_INTS
from analyzer.protocols.teeworlds.rebuilder import PlainRebuilder
from analyzer.protocols.teeworlds.schema import default_schema
from analyzer.store.rows import TypeCount
from analyzer.wire.errors import DecodeError
from analyzer.wire.varint import pack

DECLARED = (1, 2, 3, 4)


def delta(*ints: int) -> bytes:
    return b"".join(map(pack, ints))


@pytest.fixture
def plain() -> PlainRebuilder:
    return PlainRebuilder(default_schema())


def test_what_a_delta_did(plain: PlainRebuilder) -> None:
    first = plain.rebuild(plain.empty, delta(0, 2, 0, 300, 1, 1, 5, 300, 2, 1, 6), 0)
    assert (first.added, first.changed, first.removed, first.deleted, first.updated) == (2, 0, 0, 0, 2)
    second = plain.rebuild(first.state, delta(1, 1, 0, 300 << 16 | 2, 300, 1, 1, 2, 9), 1)
    assert (second.added, second.changed, second.removed, second.deleted, second.updated) == (0, 1, 1, 1, 1)
    assert second.warnings == SURPLUS_INTS
    assert second.state.items == {300 << 16 | 1: (7,)}


def test_types_are_counted_until_they_are_taken(plain: PlainRebuilder) -> None:
    declaration = (0, 0x4001, 4, *DECLARED)
    state = plain.rebuild(plain.empty, delta(0, 3, 0, *declaration, 0x4001, 7, 2, 1, 1, 300, 1, 0), 8).state
    plain.rebuild(state, delta(0, 1, 0, 0x4001, 7, 2, 1, 1), 9)
    assert plain.take_types() == {
        (0, None): TypeCount(8, 1, 4),
        (0x4001, DECLARED): TypeCount(8, 2, 4),
        (300, None): TypeCount(8, 1, 0),
    }
    assert plain.take_types() == {}


def test_what_cannot_be_rebuilt_is_not_counted(plain: PlainRebuilder) -> None:
    with pytest.raises(DecodeError) as caught:
        plain.rebuild(plain.empty, delta(0, 2, 0, 300, 1, 0), 0)
    assert caught.value.code == "D4"
    assert plain.take_types() == {}
