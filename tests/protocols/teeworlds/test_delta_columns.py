"""The working memory of the kernels that make snapshots has room for the largest delta and state there can be."""

from __future__ import annotations

from analyzer.protocols.teeworlds import delta_columns as making
from analyzer.protocols.teeworlds.delta import MAX_INTS, MAX_ITEMS, MAX_STATE_BYTES
from analyzer.protocols.teeworlds.state import make_state, pack_state


def test_there_is_room_for_whatever_may_come() -> None:
    scratch = making.make_scratch()
    assert len(scratch.ints) == MAX_INTS
    # An update has a type and an id at least.
    assert len(scratch.updates) == len(scratch.others) == MAX_INTS // 2
    assert len(scratch.marks) == len(scratch.places) == MAX_ITEMS
    # At most half of the slots are in use, so that a search ends.
    assert len(scratch.slots) >= 2 * MAX_INTS
    assert MAX_ITEMS <= 1 << 15, "hints are 16 bits wide"


def test_the_largest_state_fits() -> None:
    values = (MAX_STATE_BYTES - 8 - 8) // 4
    assert len(pack_state(make_state({5: (0,) * values}))) <= 4 * making.MAX_STATE_INTS


def test_results_are_all_inside() -> None:
    assert making.LENGTH == making.RESULTS - 1
