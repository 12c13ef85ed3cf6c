"""States rebuilt along their bases: the right state in few steps, from wherever one starts."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.snapshots.chain import CACHED_STATES, Chain
from analyzer.snapshots.tracking.columns import CHAIN_LENGTH


class Recorded:
    """Snapshot rows laid down as a reading does it: a state is the tuple of rows from the full snapshot to its own."""

    def __init__(self) -> None:
        self.bases: list[int] = []
        self.depths: list[int] = []
        self.blocks: dict[int, tuple[int, ...]] = {}
        self.steps: list[int] = []

    def add(self, base: int) -> int:
        row = len(self.bases)
        depth = self.depths[base] + 1 if base >= 0 else 0
        self.bases.append(base)
        if depth >= CHAIN_LENGTH:
            self.blocks[row] = self.expected(row)
            depth = 0
        self.depths.append(depth)
        return row

    def expected(self, row: int) -> tuple[int, ...]:
        links = []
        while row >= 0:
            links.append(row)
            row = self.bases[row]
        return tuple(reversed(links))

    def make(self, rows: Sequence[int], known: Mapping[int, tuple[int, ...]]) -> list[tuple[int, ...]]:
        self.steps += rows
        states = {-1: (), **known}
        for row in rows:
            states[row] = (*states[self.bases[row]], row)
        return [states[row] for row in rows]

    def chain(self) -> Chain[tuple[int, ...]]:
        return Chain(self.bases.__getitem__, self.blocks.get, self.make)


def line(length: int) -> Recorded:
    recorded = Recorded()
    for row in range(length):
        recorded.add(row - 1)
    return recorded


def steps_for(recorded: Recorded, row: int) -> int:
    recorded.steps.clear()
    assert recorded.chain().state(row) == recorded.expected(row)
    return len(recorded.steps)


def test_no_row_of_a_long_line_takes_more_than_a_chain() -> None:
    recorded = line(5 * CHAIN_LENGTH + 10)
    assert sorted(recorded.blocks) == [CHAIN_LENGTH * number for number in range(1, 6)]
    counts = [steps_for(recorded, row) for row in range(len(recorded.bases))]
    assert max(counts) == CHAIN_LENGTH
    assert counts[CHAIN_LENGTH - 1 : CHAIN_LENGTH + 2] == [CHAIN_LENGTH, 0, 1]


@given(st.lists(st.integers(1, 12), min_size=1, max_size=400), st.randoms(use_true_random=False))
def test_any_bases_in_any_order(ages: list[int], order: random.Random) -> None:
    """A base lies up to twelve rows back; before the first row is the empty snapshot."""
    recorded = Recorded()
    for row, age in enumerate(ages):
        recorded.add(max(-1, row - age))
    rows = list(range(len(ages)))
    order.shuffle(rows)
    chain = recorded.chain()
    for row in rows:
        recorded.steps.clear()
        assert chain.state(row) == recorded.expected(row)
        assert len(recorded.steps) <= CHAIN_LENGTH
        assert recorded.steps == sorted(recorded.steps)


@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=300),
    st.lists(st.lists(st.integers(0, 299), max_size=40), max_size=4),
)
def test_many_at_once_take_each_link_once(ages: list[int], questions: list[list[int]]) -> None:
    recorded = Recorded()
    for row, age in enumerate(ages):
        recorded.add(max(-1, row - age))
    chain = recorded.chain()
    for question in questions:
        rows = [row % len(ages) for row in question]
        recorded.steps.clear()
        assert chain.states(rows) == [recorded.expected(row) for row in rows]
        assert recorded.steps == sorted(set(recorded.steps))


def test_walking_forward_takes_one_step_a_row() -> None:
    recorded = line(3 * CHAIN_LENGTH)
    chain = recorded.chain()
    for row in range(3 * CHAIN_LENGTH):
        assert chain.state(row)[-1] == row
    assert recorded.steps == [row for row in range(3 * CHAIN_LENGTH) if row not in recorded.blocks]


def test_the_cache_is_bounded_and_keeps_what_was_asked_last() -> None:
    recorded = Recorded()
    for _ in range(CACHED_STATES + 1):
        recorded.add(-1)
    chain = recorded.chain()
    for row in range(CACHED_STATES):
        chain.state(row)
    chain.state(0)
    chain.state(CACHED_STATES)
    recorded.steps.clear()
    chain.state(0)
    assert recorded.steps == []
    chain.state(1)
    assert recorded.steps == [1]


def test_a_block_is_unpacked_once() -> None:
    recorded = line(CHAIN_LENGTH + 2)
    asked: list[int] = []

    def stored(row: int) -> tuple[int, ...] | None:
        asked.append(row)
        return recorded.blocks.get(row)

    chain = Chain(recorded.bases.__getitem__, stored, recorded.make)
    assert chain.state(CHAIN_LENGTH) == chain.state(CHAIN_LENGTH) == recorded.expected(CHAIN_LENGTH)
    assert asked == [CHAIN_LENGTH]


def test_an_empty_state_is_a_state() -> None:
    """One that is false as a condition must not be taken for a missing one."""
    steps: list[int] = []

    def make(rows: Sequence[int], known: Mapping[int, int]) -> list[int]:
        steps.extend(rows)
        return [0] * len(rows)

    nothing: Callable[[int], int | None] = lambda row: None  # noqa: E731
    chain = Chain(lambda row: row - 1, nothing, make)
    assert chain.state(2) == chain.state(1) == 0
    assert steps == [0, 1, 2]


def test_what_a_step_raises_passes_through_and_spoils_nothing() -> None:
    recorded = line(4)
    bad = {2}

    def make(rows: Sequence[int], known: Mapping[int, tuple[int, ...]]) -> list[tuple[int, ...]]:
        if bad & set(rows):
            raise EOFError("unreadable")
        return recorded.make(rows, known)

    chain = Chain(recorded.bases.__getitem__, recorded.blocks.get, make)
    with pytest.raises(EOFError, match="unreadable"):
        chain.state(3)
    assert chain.state(1) == (0, 1)
    bad.clear()
    assert chain.state(3) == (0, 1, 2, 3)
