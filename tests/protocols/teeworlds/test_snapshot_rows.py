"""Rows of snapshots as messages and collected parts give them."""

from __future__ import annotations

import pytest

from analyzer.protocols.teeworlds import snapshot_rows
from analyzer.protocols.teeworlds.codes import CODE_NUMBERS
from analyzer.protocols.teeworlds.messages import SnapFields
from analyzer.protocols.teeworlds.snapshot_rows import F1_FIELDS, SnapMessage
from analyzer.snapshots.status import LostBy, Status
from analyzer.snapshots.tracking import parts, ticks
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.rows import PartRow, SnapshotRow
from analyzer.wire.errors import DecodeError
from tests.encoder import SNAP

PART = PartRow(7, 2, 1)
FIELDS = SnapFields(102, 100, 2, SNAP, 3, 1, -5, 12, 900)
NUMBER = 4
"""Of the session."""


def test_one_message() -> None:
    row = snapshot_rows.of_message(NUMBER, SnapMessage(FIELDS, bytes(900), 1, PART, 950), "S2")
    expected = SnapshotRow(NUMBER, 102, 100, 7, SNAP, Status.DUPLICATE, CODE_NUMBERS["S2"], 3)
    expected.wire_bytes, expected.delta_bytes, expected.crc_wire, expected.received = 950, 900, -5, (PART,)
    assert row == expected


@pytest.mark.parametrize("late", [False, True])
def test_collected_parts(late: bool) -> None:
    tracker = Tracker()
    tracker.make_room()
    ticks.see(tracker.track, 102)
    collector = parts.open_collector(tracker.track, 102)
    parts.agree(tracker.track, collector, 100, 3, -5, SNAP, late)
    parts.hold(tracker.track, collector, 1, 7, 2, 900, 950, 11)
    parts.hold(tracker.track, collector, 0, 8, 0, 900, 940, 12)
    row = snapshot_rows.of_collector(NUMBER, tracker, collector, 9, "P1")
    expected = SnapshotRow(NUMBER, 102, 100, 9, SNAP, Status.INCOMPLETE, CODE_NUMBERS["P1"], 3)
    expected.wire_bytes, expected.delta_bytes, expected.crc_wire, expected.client_kept = 1890, 1800, -5, not late
    expected.received = (PartRow(8, 0, 0), PART)
    assert row == expected


@pytest.mark.parametrize(("field", "detail"), [*((name, at) for at, name in enumerate(F1_FIELDS)), ("strange", -1)])
def test_a_malformed_message(field: str, detail: int) -> None:
    row = snapshot_rows.of_malformed(NUMBER, PART, 102, SNAP, DecodeError("F1", 3, f"{field}: cut off"), 950)
    expected = SnapshotRow(NUMBER, 102, -1, 7, SNAP, Status.MALFORMED, CODE_NUMBERS["F1"], 0, received=(PART,))
    expected.wire_bytes, expected.client_kept, expected.lost_by, expected.detail = 950, False, LostBy.GAME, detail
    assert row == expected


def test_a_bug() -> None:
    expected = SnapshotRow(NUMBER, 102, -1, 7, SNAP, Status.BUG, CODE_NUMBERS["BUG"], 0, received=(PART,))
    assert snapshot_rows.of_bug(NUMBER, PART, 102, SNAP) == expected
