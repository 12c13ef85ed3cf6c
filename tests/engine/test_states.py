"""States and deltas of snapshots, made again in any order, compiled or not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from capture_files import BUNDLED, oracle_records

from analyzer.engine.capture import Capture
from analyzer.engine.payloads import Payloads
from analyzer.engine.states import States
from analyzer.protocols.teeworlds.partial import PartialState
from analyzer.protocols.teeworlds.state import sorted_items, unpack_state
from analyzer.snapshots.status import REBUILT, Status

MIDWAY = BUNDLED / "ddnet_ctf3_midsession_head.pcap.gz"
BAD = BUNDLED / "ddnet_tsunami_badcrc_head.pcap"
CUT = BUNDLED / "ddnet_dm6_snaplen220.pcap"


@pytest.fixture(scope="module", params=[MIDWAY, BAD], ids=lambda path: path.name)
def decoded(request: pytest.FixtureRequest) -> Iterator[Capture]:
    with Capture.open(request.param, strict=True) as capture:
        capture.decode()
        yield capture


@contextmanager
def opened(capture: Capture, *, compiled: bool) -> Iterator[States]:
    file = capture.source.file.duplicate()
    made = States(capture.tables, Payloads(capture.tables, file), capture.protocols, compiled=compiled)
    yield made
    made.close()
    file.close()


@pytest.fixture(params=[False, True], ids=["plain", "compiled"])
def states(request: pytest.FixtureRequest, decoded: Capture) -> Iterator[States]:
    with opened(decoded, compiled=request.param) as made:
        yield made


def rows(capture: Capture, *statuses: Status) -> list[int]:
    """In some order."""
    found = [row for row, status in enumerate(capture.tables.snapshots.integers("status")) if status in statuses]
    random.Random(3).shuffle(found)
    return found


def test_states_are_those_of_the_oracle(decoded: Capture, states: States) -> None:
    expected = {(record["frame"], record["tick"]): record["items"] for record in oracle_records(decoded.path)}
    snapshots, packets = decoded.tables.snapshots, decoded.tables.packets
    rebuilt = rows(decoded, *REBUILT)[:80]
    assert rebuilt
    for row in rebuilt:
        state = unpack_state(states.codec(row).pack(states.state(row)))
        frame = packets.integer("frame", snapshots.integer("packet", row)) + 1
        assert sorted_items(state) == expected[frame, snapshots.integer("tick", row)]
    assert all(states.state(row) is None for row in rows(decoded, Status.NO_BASE, Status.INCOMPLETE))


def test_deltas_are_joined_where_all_parts_are_here(decoded: Capture, states: States) -> None:
    sizes = decoded.tables.snapshots.integers("delta_bytes")
    for row in rows(decoded, *REBUILT, Status.NO_BASE):
        joined = states.joined(row)
        assert joined is not None
        assert joined.data == states.received(row).data
        assert len(joined.data) == sizes[row]


def test_of_parts_that_are_not_all_here_those_that_are() -> None:
    with Capture.open(CUT, strict=True) as capture:
        capture.decode()
        (row,) = rows(capture, Status.INCOMPLETE)
        with opened(capture, compiled=False) as states:
            assert states.joined(row) is None
            assert len(states.received(row).data) == capture.tables.snapshots.integer("delta_bytes", row) > 0
            assert states.state(row) is None


def test_what_is_known_without_a_base(decoded: Capture, states: States) -> None:
    without = rows(decoded, Status.NO_BASE)
    assert without
    items = decoded.tables.snapshots.integers("items")
    for row in without:
        state = states.partial_state(row)
        assert isinstance(state, PartialState)
        assert len(state.known) == items[row]
        assert states.lacks_base(row)
    assert all(states.partial_state(row) is None for row in rows(decoded, *REBUILT))
