"""The buffers of a reading: numbers of its own that go on after a merge."""

from __future__ import annotations

from analyzer.snapshots.status import Status
from analyzer.store.names import MAX_NAMES, OVERFLOW
from analyzer.store.rows import Amend, FindingRow, PartRow, Rows, SessionRow, SnapshotRow


def session(number: int) -> SessionRow:
    return SessionRow(number, 0, 0, "toy", None, 0)


def snapshot(tick: int) -> SnapshotRow:
    return SnapshotRow(0, tick, -1, 0, 0, Status.OK, 0, 1)


def test_numbers_go_on_after_a_merge() -> None:
    rows = Rows(0, 0)
    assert [rows.session(session(0)), rows.session(session(1))] == [0, 1]
    assert rows.next_snapshot == 0
    assert [rows.snapshot(snapshot(2)), rows.snapshot(snapshot(4))] == [0, 1]
    rows.merged([10, 11], [20, 22])
    assert (rows.session(session(2)), rows.next_snapshot, rows.snapshot(snapshot(6))) == (2, 2, 2)
    assert (list(rows.session_rows), list(rows.snapshot_rows)) == ([10, 11], [20, 22])


def test_messages_are_counted_by_packet() -> None:
    rows = Rows(0, 0)
    rows.begin(5)
    assert rows.message("A", 1, 0, 65535, 3, 0) == PartRow(5, 0, 0)
    assert rows.message("B", 2, 0, 65535, 3, 3) == PartRow(5, 1, 0)
    rows.begin(6)
    assert rows.message("A", 1, 0, 65535, 3, 0, 4) == PartRow(6, 0, 0)
    assert [(row.packet, rows.names[row.name], row.code) for row in rows.messages] == [
        (5, "A", 0),
        (5, "B", 0),
        (6, "A", 4),
    ]


def test_names_of_a_reading_are_bounded() -> None:
    rows = Rows(0, 0)
    rows.begin(0)
    for index in range(MAX_NAMES + 5):
        rows.message(f"unknown {index}", 0, 0, 65535, 0, 0)
    assert rows.names[rows.messages[-1].name] == OVERFLOW
    assert len(rows.names) == MAX_NAMES + 1
    rows.message("unknown 7", 0, 0, 65535, 0, 0)
    assert rows.names[rows.messages[-1].name] == "unknown 7"


def test_the_worst_finding_marks_the_packet() -> None:
    rows = Rows(0, 0)
    late = rows.begin(3)
    rows.finding("a", 2, "warning", offset=4)
    rows.finding("b", 1, "note", snapshot=0)
    assert late.severity == 2
    assert rows.findings == [FindingRow("a", 2, 3, -1, 4, "warning"), FindingRow("b", 1, 3, 0, -1, "note")]


def test_a_merge_empties_everything_but_the_names() -> None:
    rows = Rows(0, 0)
    rows.begin(1)
    rows.message("A", 1, 0, 65535, 3, 0)
    rows.block(rows.snapshot(snapshot(2)), b"packed")
    rows.amend_session(rows.session(session(0)), "player", "name")
    rows.amend_snapshot(0, "base", -1)
    rows.finding("a", 1, "note")
    assert rows.amendments == [Amend("sessions", "player", 0, "name"), Amend("snapshots", "base", 0, -1)]
    assert rows.blocks == [(0, b"packed")]
    rows.merged([0], [0])
    left = (rows.packets, rows.sessions, rows.messages, rows.snapshots, rows.findings, rows.amendments, rows.blocks)
    assert not any(left)
    assert rows.names == ["A"]


def test_a_reading_may_go_on_with_its_last_packet() -> None:
    rows = Rows(0, 0)
    rows.resume()
    assert rows.packets == []
    late = rows.begin(4)
    rows.resume()
    assert rows.packets == [late]
    rows.merged([], [])
    rows.resume()
    assert rows.packets == [late]
