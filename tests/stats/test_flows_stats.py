"""Which end is the client, and what a flow was recognised as."""

from __future__ import annotations

from analyzer.stats.flows import FlowEnds, flow_ends, session_flow, undecoded_packets
from tests.stats.hand_made import tables


def test_ends_of_every_flow() -> None:
    assert flow_ends(tables()) == [
        FlowEnds("10.0.0.2:5000", "10.0.0.1:8303", True, "toy", "new", 3, 0),
        FlowEnds("[::1]:6000", "[::1]:8303", True, "toy", "new", 1, 2),
        FlowEnds("10.0.0.9:53", "10.0.0.8:53", False, "", "a foreign one", 1, 4),
    ]


def test_flow_of_a_session() -> None:
    assert [session_flow(tables(), session) for session in range(3)] == [0, 0, 1]


def test_what_was_recognised_but_has_no_reading() -> None:
    assert undecoded_packets(flow_ends(tables())) == {"a foreign one": 1}
