"""Snapshots on demand with compiled code against those without: the same parts, states, faults, items and records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.protocols.base import SessionFacts, SnapshotView
from analyzer.protocols.teeworlds.bulk_codec import BulkCodec, PackedState
from analyzer.protocols.teeworlds.codec import TeeworldsCodec
from analyzer.protocols.teeworlds.codes import CODE_NUMBERS, CODES
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.schema import default_schema, ints_of
from analyzer.protocols.teeworlds.state import EMPTY, State, make_state
from analyzer.snapshots.model import JoinedDelta, Part
from analyzer.wire.errors import DecodeError
from tests.encoder import chunk, delta, pack_varints, packet, snapshot
from tests.protocols.teeworlds.played import READY, SIZES, TOKEN, A, B, big_items

T = TypeVar("T")
PLAIN, BULK = TeeworldsCodec(), BulkCodec()
FACTS = SessionFacts("ddnet", TOKEN, SIZES)
WORLDS = [{}, A, B, big_items(1), big_items(2), {**A, 70 << 16 | 3: (1, -2, 0x7FFFFFFF)}]
ALTERED = st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=3)


def said(way: Callable[[], T]) -> T | tuple[object, ...]:
    """What it gives, or its fault."""
    try:
        return way()
    except DecodeError as error:
        return error.code, error.offset, error.text, error.details


def altered(data: bytes, changes: Sequence[tuple[int, int]]) -> bytes:
    found = bytearray(data)
    for at, value in changes if data else ():
        found[at % len(found)] = value
    return bytes(found)


def kept(states: Sequence[State]) -> list[tuple[State, list[int]]]:
    """States with the order of their items."""
    return [(state, list(state.items)) for state in states]


def both(base: State, deltas: Sequence[bytes], bases: Sequence[int] | None = None) -> object:
    """The states of both ways, which are the same, or the fault; `bases`: each is on the one before."""
    known, bases = [EMPTY, base], range(1, 1 + len(deltas)) if bases is None else bases
    plain = said(lambda: kept(PLAIN.apply_all(known, bases, deltas, FACTS)))
    start = [BULK.unpack(PLAIN.pack(state)) for state in known]
    assert said(lambda: kept([made.plain() for made in BULK.apply_all(start, bases, deltas, FACTS)])) == plain
    return plain


@given(st.lists(st.tuples(st.sampled_from(WORLDS), st.booleans(), st.just([]) | ALTERED), max_size=12))
def test_a_chain_of_deltas(links: list[tuple[dict[int, tuple[int, ...]], bool, list[tuple[int, int]]]]) -> None:
    """Some of them empty, some altered."""
    deltas, before = [], A
    for world, empty, changes in links:
        deltas.append(b"" if empty else altered(pack_varints(delta(before, world, SIZES)), changes))
        before = before if empty else world
    both(make_state({key: tuple(values) for key, values in A.items()}), deltas)


@given(st.lists(st.tuples(st.integers(0, 40), st.sampled_from(WORLDS), st.booleans()), max_size=16))
def test_deltas_on_any_states(links: list[tuple[int, dict[int, tuple[int, ...]], bool]]) -> None:
    worlds, bases, deltas = [{}, A], [], []
    for at, world, empty in links:
        bases.append(at % len(worlds))
        deltas.append(b"" if empty else pack_varints(delta(worlds[bases[-1]], world, SIZES)))
        worlds.append(worlds[bases[-1]] if empty else world)
    made = both(make_state({key: tuple(values) for key, values in A.items()}), deltas, bases)
    assert isinstance(made, list)
    assert [{**state.items} for state, _ in made] == worlds[2:]


@pytest.mark.parametrize("count", [1, 511, 512, 513, 1100])
def test_as_many_as_there_are(count: int) -> None:
    step = pack_varints([0, 1, 0, 4, 3, 1, 0, 0, 0])
    made = both(EMPTY, [pack_varints([0, 1, 0, 4, 3, 0, 0, 0, 0]), *[step] * (count - 1)])
    assert isinstance(made, list)
    assert [state.items[4 << 16 | 3][0] for state, _ in made] == list(range(count))


@pytest.mark.parametrize("data", [b"\x80", b"\0\1", b"\1\0\0", b"\0\1\0", b"\0\1\0\x84\x80\x80\x80\x08\0"])
def test_a_fault_is_that_of_plain_reading(data: bytes) -> None:
    step = pack_varints(delta(A, B, SIZES))
    assert isinstance(both(make_state({k: tuple(v) for k, v in A.items()}), [step, b"", data, step]), tuple)


def test_one_delta_and_the_empty_snapshot() -> None:
    state = BULK.apply(BULK.empty(), pack_varints(delta({}, A, SIZES)), FACTS)
    assert state.plain() == PLAIN.apply(EMPTY, pack_varints(delta({}, A, SIZES)), FACTS)
    assert BULK.apply(state, b"", FACTS) is state


@pytest.mark.parametrize("world", WORLDS)
def test_packed_and_unpacked(world: dict[int, tuple[int, ...]]) -> None:
    state = make_state({key: tuple(values) for key, values in world.items()})
    packed = BULK.unpack(PLAIN.pack(state))
    assert (packed.crc, packed.plain(), BULK.pack(packed)) == (state.crc, state, PLAIN.pack(state))


Sent = tuple[bytes, int, int]


def sent(world: dict[int, tuple[int, ...]], dialect: str, compress: bool) -> list[Sent]:
    """Payloads with a message before that of a snapshot, and where that one lies."""
    variant, seven = DIALECTS[dialect].variant, dialect == "0.7"
    places = []
    for body in [*snapshot(102, 100, A, world, SIZES, seven=seven), *snapshot(104, 102, A, A, SIZES, seven=seven)]:
        chunks = [chunk(message, size_shift=variant.size_shift) for message in (READY, body)]
        payload = packet(chunks, token=TOKEN, variant=variant, compress=compress)
        places.append((payload, len(READY) + 4, len(body)))
    return places


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_parts_of_all_kinds_of_packets(dialect: str) -> None:
    places = [place for world in WORLDS for compress in (True, False) for place in sent(world, dialect, compress)]
    facts = SessionFacts(dialect, TOKEN, SIZES)
    plain = PLAIN.parts(places, facts)
    assert {part.compressed for part in plain} == {True, False}
    assert BULK.parts(places, facts) == plain
    assert [BULK.part(*place[:1], facts, *place[1:]) for place in places] == plain
    assert BULK.parts([], facts) == []
    numbered = {number: part.data for number, part in enumerate(plain[:2])}
    assert BULK.join(numbered, 2) == PLAIN.join(numbered, 2)


@given(
    st.lists(
        st.tuples(st.sampled_from(WORLDS), st.booleans(), st.just([]) | ALTERED, st.integers(0, 8)),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(sorted(DIALECTS)),
)
def test_parts_of_altered_packets(
    packets: list[tuple[dict[int, tuple[int, ...]], bool, list[tuple[int, int]], int]], dialect: str
) -> None:
    places = []
    for world, compress, changes, cut in packets:
        payload, offset, size = sent(world, dialect, compress)[0]
        payload = altered(payload, changes)
        places.append((payload[: len(payload) * cut // 4] if cut < 4 else payload, offset, size))
    facts = SessionFacts(dialect, TOKEN, SIZES)
    assert said(lambda: BULK.parts(places, facts)) == said(lambda: PLAIN.parts(places, facts))


@given(st.lists(st.binary(max_size=60), max_size=3))
def test_any_payloads(payloads: list[bytes]) -> None:
    places = [(payload, 2, 9) for payload in payloads]
    assert said(lambda: BULK.parts(places, FACTS)) == said(lambda: PLAIN.parts(places, FACTS))


def test_what_a_person_sees() -> None:
    state = make_state({key: tuple(values) for key, values in A.items()})
    packed = BULK.unpack(PLAIN.pack(state))
    data = pack_varints(delta(A, B, SIZES))
    joined = JoinedDelta(data, (Part(0, 1, 0, len(data), 10, True),))
    assert BULK.items(packed, FACTS, 100) == PLAIN.items(state, FACTS, 100)
    assert BULK.items(packed, FACTS, 100, {(4, 3)}) == PLAIN.items(state, FACTS, 100, {(4, 3)})
    assert BULK.changes(packed, joined, FACTS, 102) == PLAIN.changes(state, joined, FACTS, 102)
    assert BULK.changes(None, joined, FACTS, 102) == PLAIN.changes(None, joined, FACTS, 102)


def view(state: T | None) -> SnapshotView[T]:
    numbers = dict.fromkeys(("base_tick", "kind", "parts", "crc_wire", "deleted", "updated", "proof"), 1)
    row = {"tick": 102, "client_kept": True, "client_has": 1, "lost_by": 0, **numbers}
    return SnapshotView(row, CODES[CODE_NUMBERS["OK"]], "why", "c:1", "s:2", 3, FACTS, 44, 40, state)


def test_records() -> None:
    state = make_state({key: tuple(values) for key, values in A.items()})
    packed = BULK.unpack(PLAIN.pack(state))
    nothing: PackedState | None = None
    for with_items in (True, False):
        assert BULK.record(view(packed), with_items) == PLAIN.record(view(state), with_items)
    assert BULK.record(view(nothing), True) == PLAIN.record(view(None), True)


def test_a_state_is_not_written_to_by_what_follows() -> None:
    first = BULK.apply(BULK.empty(), pack_varints(delta({}, A, SIZES)), FACTS)
    before = np.copy(first.ints)
    BULK.apply_all([first], [0], [pack_varints(delta(A, world, SIZES)) for world in WORLDS[2:3]], FACTS)
    assert np.array_equal(first.ints, before)


EXTENDED = ints_of(next(uuid for uuid, item in default_schema().by_uuid.items() if item.name == "DDNetCharacter"))
TYPES = ["Projectile", "Projectile (DDRaceProjectile)", "Pickup", "DDNetCharacter", "unknown type 70", "nothing"]


@given(
    st.lists(
        st.dictionaries(
            st.builds(
                lambda type, id: type << 16 | id,
                st.sampled_from([0, 2, 4, 70, 0x4001, 0x7FFF]),
                st.sampled_from([0, 1, 0x4001, 0x7FFF]),
            ),
            st.one_of(st.just(EXTENDED), st.lists(st.sampled_from([0, 1, -1, 512, 1 << 9 | 3]), max_size=7).map(tuple)),
            max_size=9,
        ),
        max_size=4,
    ),
    st.sampled_from(TYPES),
)
def test_tables_of_items(worlds: list[dict[int, tuple[int, ...]]], name: str) -> None:
    states = [make_state(world) for world in worlds]
    plain = PLAIN.table(states, FACTS, name)
    bulk = BULK.table([BULK.unpack(PLAIN.pack(state)) for state in states], FACTS, name)
    for column in ("state", "id", "size"):
        assert getattr(bulk, column).tolist() == getattr(plain, column).tolist()
    assert [row[:size].tolist() for row, size in zip(bulk.values, bulk.size, strict=True)] == [
        row[:size].tolist() for row, size in zip(plain.values, plain.size, strict=True)
    ]
