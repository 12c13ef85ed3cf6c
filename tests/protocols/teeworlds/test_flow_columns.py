"""The places in what a reading and its kernels tell each other: none twice, all inside."""

from __future__ import annotations

from analyzer.protocols.teeworlds import flow_columns as flow
from analyzer.protocols.teeworlds.messages import SNAP_KINDS


def test_every_place_of_the_state_is_inside() -> None:
    assert (flow.SESSION, flow.IN_ORDER) == (0, flow.STATE_SIZE - 1)
    # The two directions stand behind each other.
    assert (flow.LAST_OTHER, flow.ACKED_OTHER, flow.EARLY_OTHER) == (flow.LAST + 1, flow.ACKED + 1, flow.EARLY + 1)


def test_the_numbers_of_snapshot_messages_are_the_plain_ones() -> None:
    assert {flow.SNAP_NUMBER, flow.SNAPEMPTY_NUMBER, flow.SNAPSINGLE_NUMBER} == set(SNAP_KINDS)
