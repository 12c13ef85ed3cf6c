"""Plain rebuilding as an epoch uses it: parts, what a delta did, states by tick, and what was sent of each type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.teeworlds.delta import SURPLUS_INTS
from analyzer.protocols.teeworlds.rebuilder import PART_BYTES, PlainRebuilder, PlainTypeCounter, join_parts
from analyzer.protocols.teeworlds.schema import default_schema
from analyzer.protocols.teeworlds.state import unpack_state
from analyzer.snapshots.tracking import ticks
from analyzer.snapshots.tracking.columns import RETENTION_TICKS
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.rows import TypeCount
from analyzer.wire.errors import DecodeError
from analyzer.wire.varint import pack

DECLARED = (1, 2, 3, 4)


def delta(*ints: int) -> bytes:
    return b"".join(map(pack, ints))


class Plain:
    """A rebuilder with its track and counts."""

    def __init__(self) -> None:
        self.types = PlainTypeCounter()
        self.tracker = Tracker()
        self.rebuilder = PlainRebuilder(default_schema(), self.types, self.tracker)

    def base(self, tick: int) -> None:
        """The track has a base of the tick."""
        ticks.see(self.tracker.track, tick)
        ticks.put_base(self.tracker.track, tick, 0, 0, 0, True, 0, 0)

    def items(self, tick: int) -> dict[int, tuple[int, ...]]:
        return dict(unpack_state(self.rebuilder.pack(tick)).items)


@pytest.fixture
def plain() -> Plain:
    return Plain()


def test_what_a_delta_did(plain: Plain) -> None:
    rebuilder = plain.rebuilder
    first = rebuilder.rebuild(-1, delta(0, 2, 0, 300, 1, 1, 5, 300, 2, 1, 6), 0)
    rebuilder.keep(10)
    assert (first.size, first.count, first.crc, first.warnings) == (8 + 2 * 8 + 2 * 4, 2, 11, 0)
    assert (first.added, first.changed, first.removed, first.deleted, first.updated) == (2, 0, 0, 0, 2)
    second = rebuilder.rebuild(10, delta(1, 1, 0, 300 << 16 | 2, 300, 1, 1, 2, 9), 1)
    assert (second.added, second.changed, second.removed, second.deleted, second.updated) == (0, 1, 1, 1, 1)
    assert second.warnings == SURPLUS_INTS
    rebuilder.keep(12)
    assert plain.items(12) == {300 << 16 | 1: (7,)}
    assert plain.items(10) == {300 << 16 | 1: (5,), 300 << 16 | 2: (6,)}


def test_a_tick_shares_the_snapshot_of_its_base(plain: Plain) -> None:
    rebuilder = plain.rebuilder
    rebuilder.rebuild(-1, delta(0, 1, 0, 300, 1, 1, 5), 0)
    rebuilder.keep(10)
    rebuilder.share(12, 10)
    rebuilder.share(14, -1)
    assert plain.items(12) == plain.items(10) == {300 << 16 | 1: (5,)}
    assert plain.items(14) == {}
    assert rebuilder.player(12) == ""


def test_states_go_with_their_bases(plain: Plain) -> None:
    for tick in (10, 11 + RETENTION_TICKS):
        plain.rebuilder.rebuild(-1, delta(0, 0, 0), 0)
        plain.rebuilder.keep(tick)
        plain.base(tick)
    plain.rebuilder.purge()
    assert plain.items(10) == {}
    plain.tracker.purge()
    plain.rebuilder.purge()
    assert plain.items(11 + RETENTION_TICKS) == {}
    with pytest.raises(KeyError):
        plain.rebuilder.pack(10)


def test_types_are_counted_until_they_are_taken(plain: Plain) -> None:
    declaration = (0, 0x4001, 4, *DECLARED)
    plain.rebuilder.rebuild(-1, delta(0, 3, 0, *declaration, 0x4001, 7, 2, 1, 1, 300, 1, 0), 8)
    plain.rebuilder.keep(10)
    plain.rebuilder.rebuild(10, delta(0, 1, 0, 0x4001, 7, 2, 1, 1), 9)
    assert plain.types.take() == {
        (0, None): TypeCount(8, 1, 4),
        (0x4001, DECLARED): TypeCount(8, 2, 4),
        (300, None): TypeCount(8, 1, 0),
    }
    assert plain.types.take() == {}


def test_what_cannot_be_rebuilt_is_not_counted(plain: Plain) -> None:
    with pytest.raises(DecodeError) as caught:
        plain.rebuilder.rebuild(-1, delta(0, 2, 0, 300, 1, 0), 0)
    assert caught.value.code == "D4"
    assert plain.types.take() == {}


@given(st.lists(st.binary(max_size=PART_BYTES), min_size=1, max_size=4))
def test_parts_are_joined_once(contents: list[bytes]) -> None:
    plain = Plain()
    for number, content in enumerate(contents):
        plain.rebuilder.hold(3, number, b"before")
        plain.rebuilder.hold(3, number, content)
        plain.rebuilder.hold(4, number, b"another collector")
        assert plain.rebuilder.held(3, number) == content
    assert plain.rebuilder.join(3, len(contents)) == join_parts(dict(enumerate(contents)), len(contents))
    with pytest.raises(KeyError):
        plain.rebuilder.held(3, 0)
