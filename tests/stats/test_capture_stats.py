"""The whole summary of a small capture, and of none."""

from __future__ import annotations

from analyzer.stats.capture import PacketGroup, capture_stats
from analyzer.store.tables import Tables
from tests.stats.hand_made import CODES, KINDS, START_NS, tables


def test_frames_and_time() -> None:
    stats = capture_stats(tables(), KINDS, CODES)
    assert (stats.start_ns, stats.duration_s, stats.frames, stats.frame_bytes) == (START_NS, 2.5, 6, 700)
    assert stats.frame_kinds == {0: 5, 1: 1}
    assert (stats.packets, stats.cut_packets, len(stats.sessions), stats.snapshots.rebuilt) == (5, 1, 2, 3)


def test_packets_by_protocol_and_kind() -> None:
    assert capture_stats(tables(), KINDS, CODES).packet_groups == [
        PacketGroup("toy", "new", "data", 3, 190),
        PacketGroup("toy", "new", "control", 1, 10),
        PacketGroup("", "a foreign one", "", 1, 5),
    ]


def test_flows_tell_client_from_server() -> None:
    flows = capture_stats(tables(), KINDS, CODES).flows
    assert [(flow.client, flow.server_known) for flow in flows] == [
        ("10.0.0.2:5000", True),
        ("[::1]:6000", True),
        ("10.0.0.9:53", False),
    ]


def test_an_empty_capture() -> None:
    stats = capture_stats(Tables(), KINDS, CODES)
    assert (stats.start_ns, stats.duration_s, stats.frames, stats.packets) == (None, 0.0, 0, 0)
    assert (stats.packet_groups, stats.flows, stats.sessions) == ([], [], [])
