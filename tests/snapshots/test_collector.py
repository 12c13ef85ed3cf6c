"""Parts collected by tick: what is missing, what disagrees, what to give up."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.snapshots.collector import MAX_OPEN, Collector, Collectors, HeldPart
from analyzer.store.rows import PartRow


def part(number: int, data: bytes = b"x", packet: int = 0, wire_bytes: int = 100) -> HeldPart:
    return HeldPart(PartRow(packet, 0, number), data, wire_bytes)


def collector(announced: int = 3, tick: int = 10) -> Collector:
    return Collector(tick, 8, announced, 1234, 0)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_parts_in_any_order(order: tuple[int, ...]) -> None:
    made = collector()
    for place, number in enumerate(order):
        assert not made.complete
        assert made.missing == sorted(order[place:])
        made.hold(part(number, bytes(number + 1), packet=place))
    assert made.complete
    assert [row.number for row in made.received] == [0, 1, 2]
    assert (made.delta_bytes, made.wire_bytes, made.conflicts) == (6, 300, [])


def test_datagrams_are_counted_once() -> None:
    made = collector()
    made.hold(part(0, packet=5, wire_bytes=1000))
    made.hold(part(1, packet=5, wire_bytes=1000))
    made.hold(part(2, packet=6, wire_bytes=30))
    assert made.wire_bytes == 1030


def test_a_part_that_comes_again() -> None:
    made = collector()
    made.hold(part(1, b"same"))
    made.hold(part(1, b"same", packet=1))
    assert made.conflicts == []
    made.hold(part(1, b"other", packet=2))
    assert made.conflicts == ["part 1 twice with different bytes"]
    assert [row.packet for row in made.received] == [2]
    assert made.delta_bytes == 5


def test_later_fields_count_and_disagreement_is_noted() -> None:
    made = collector()
    made.agree(8, 3, 1234)
    assert made.conflicts == []
    made.agree(6, 2, 99)
    assert made.conflicts == ["base tick 8 then 6", "number of parts 3 then 2", "crc 1234 then 99"]
    assert (made.base_tick, made.announced, made.checksum) == (6, 2, 99)


def test_parts_past_the_announced_number_do_not_count() -> None:
    """A later part announced fewer than are held already."""
    made = collector(3)
    made.hold(part(2, b"surplus", packet=1))
    made.hold(part(0, b"ab", packet=2))
    made.agree(8, 2, 1234)
    made.hold(part(1, b"c", packet=3))
    assert made.complete
    assert [row.number for row in made.received] == [0, 1]
    assert (made.delta_bytes, made.wire_bytes) == (3, 200)


def test_one_collector_a_tick() -> None:
    collectors = Collectors()
    first = collector(tick=10)
    collectors.open(first)
    collectors.open(collector(tick=4))
    assert collectors.get(10) is first
    assert collectors.get(6) is None
    assert [one.tick for one in collectors.all()] == [4, 10]
    collectors.close(10)
    assert [one.tick for one in collectors.all()] == [4]


@given(st.sets(st.integers(-5, 60), max_size=20), st.integers(-10, 70))
def test_overdue_are_the_old_and_the_surplus(ticks: set[int], oldest: int) -> None:
    collectors = Collectors()
    for tick in ticks:
        collectors.open(collector(tick=tick))
    overdue = [one.tick for one in collectors.overdue(oldest)]
    ordered = sorted(ticks)
    assert overdue == sorted(overdue)
    kept = [tick for tick in ordered if tick not in overdue]
    assert len(kept) <= MAX_OPEN
    assert all(tick >= oldest for tick in kept)
    surplus = ordered[: max(0, len(ordered) - MAX_OPEN)]
    assert set(overdue) == set(surplus) | {tick for tick in ordered if tick < oldest}
