"""Rows of a retired reading never count; the others come in the order of their packets."""

from __future__ import annotations

from analyzer.stats.live import live_messages, live_sessions, live_snapshots, snapshot_frames
from analyzer.store.tables import Tables
from tests.stats.hand_made import tables


def test_a_retired_reading_counts_nowhere() -> None:
    made = tables()
    assert live_sessions(made).tolist() == [1, 2]
    assert live_messages(made).tolist() == [False, False, True, True, True, True]


def test_snapshots_come_in_packet_order_and_keep_theirs_within_a_packet() -> None:
    made = tables()
    rows = live_snapshots(made)
    assert rows.tolist() == [2, 1, 3, 4]
    assert snapshot_frames(made, rows).tolist() == [4, 5, 5, 5]


def test_amending_a_reading_masks_its_rows() -> None:
    made = tables()
    made.readings.amend("alive", [1], [False])
    assert live_snapshots(made).tolist() == [2]


def test_an_empty_capture_has_none() -> None:
    assert live_snapshots(Tables()).tolist() == []
    assert live_sessions(Tables()).tolist() == []
