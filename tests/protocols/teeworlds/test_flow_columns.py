"""The places in what a reading and its kernels tell each other: none twice, all inside."""

from __future__ import annotations

from analyzer.protocols.teeworlds import flow_columns as flow


def test_every_place_of_the_state_is_inside() -> None:
    assert (flow.SESSION, flow.IN_ORDER) == (0, flow.STATE_SIZE - 1)
    # The two directions stand behind each other.
    assert (flow.LAST_OTHER, flow.ACKED_OTHER, flow.EARLY_OTHER) == (flow.LAST + 1, flow.ACKED + 1, flow.EARLY + 1)
    assert flow.TOKEN_OTHER == flow.TOKEN_VALUE + 1
