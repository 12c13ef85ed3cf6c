"""The partly known snapshots of an epoch: which base a delta finds, and how many are kept."""

from __future__ import annotations

from analyzer.protocols.teeworlds.partial import UNKNOWN
from analyzer.protocols.teeworlds.partial_states import MAX_ENTRIES, MAX_STATES, PartialStates, Step
from analyzer.protocols.teeworlds.schema import default_schema
from tests.encoder import key, pack_varints

SIZES = default_schema().sizes
FLAG = 5
ONE = key(FLAG, 1)
GONE = pack_varints([1, 0, 0, ONE])
NEW = pack_varints([0, 1, 0, FLAG, 1, 7, 8, 9])


def step(states: PartialStates, base_tick: int, data: bytes) -> Step:
    found = states.step(base_tick, data)
    assert found is not None
    return found


def test_a_delta_finds_what_is_known_of_its_base() -> None:
    states = PartialStates(SIZES)
    first = step(states, 90, GONE)
    assert (first.base, first.depth, first.state.absent) == (-1, 0, {ONE: None})
    states.keep(100, first, 5, stored=False)
    second = step(states, 100, NEW)
    assert (second.base, second.depth, second.state.known) == (5, 1, {ONE: (7, 8, 9)})
    states.keep(102, second, 6, stored=True)
    assert (step(states, 102, b"").base, step(states, 102, b"").depth) == (6, 1)
    assert step(states, 102, b"").state == second.state
    assert step(states, 98, NEW).state.unknown == {ONE: 3}


def test_what_cannot_be_read_is_not_followed() -> None:
    assert PartialStates(SIZES).step(90, b"\x01") is None


def test_old_ones_are_let_go_of() -> None:
    states = PartialStates(SIZES)
    for tick in range(MAX_STATES + 1):
        states.keep(tick, step(states, -5, GONE), tick, stored=False)
    assert step(states, 0, b"").state == UNKNOWN
    assert step(states, 1, b"").base == 1
    states.purge(100)
    assert [step(states, tick, b"").base for tick in (99, 100)] == [-1, 100]
    states.clear()
    assert step(states, 100, b"").base == -1


def test_memory_is_bounded_by_what_is_known() -> None:
    states = PartialStates(SIZES)
    count = 1000
    data = pack_varints([count, 0, 0, *(key(FLAG, number) for number in range(count))])
    for tick in range(MAX_STATES):
        states.keep(tick, step(states, -5, data), tick, stored=False)
    kept = [tick for tick in range(MAX_STATES) if step(states, tick, b"").base == tick]
    assert kept == list(range(MAX_STATES - MAX_ENTRIES // count, MAX_STATES))
