"""One entry for each live session."""

from __future__ import annotations

from analyzer.stats.flows import flow_ends
from analyzer.stats.live import live_snapshots
from analyzer.stats.sessions import SessionStats, session_stats
from tests.stats.hand_made import CODES, tables


def sessions() -> list[SessionStats]:
    made = tables()
    return session_stats(made, flow_ends(made), live_snapshots(made), CODES)


def test_who_and_when() -> None:
    first, second = sessions()
    assert (first.client, first.server, first.player, first.map) == (
        "10.0.0.2:5000",
        "10.0.0.1:8303",
        "nameless tee",
        "dm1",
    )
    assert (first.first_frame, first.last_frame, first.start_s, first.duration_s) == (1, 5, 0.0, 2.0)
    assert (second.client, second.server) == ("[::1]:6000", "[::1]:8303")
    assert (second.start_s, second.packets) == (1.5, 1)


def test_each_has_its_own_snapshots() -> None:
    first, second = sessions()
    assert (first.packets, first.snapshots.rebuilt, first.snapshots.proved, first.snapshots.unproven) == (3, 2, 1, 0)
    assert (second.snapshots.rebuilt, second.snapshots.proved, second.snapshots.unproven) == (1, 0, 1)
    assert first.snapshots.statuses["no-base"] == 1
