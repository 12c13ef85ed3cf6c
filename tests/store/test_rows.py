"""The buffers of a reading: numbers of its own that go on after a merge."""

from __future__ import annotations

import pytest

from analyzer.snapshots.status import ClientHas, LostBy, Proof, Status
from analyzer.store.names import MAX_NAMES, OVERFLOW
from analyzer.store.row_columns import (
    AMEND_CAUSE,
    M_FLAGS,
    M_PACKET,
    N_AMENDMENTS,
    N_MESSAGES,
    N_PACKETS,
    N_PARTS,
    N_SNAPSHOTS,
)
from analyzer.store.rows import Amend, FindingRow, PacketLate, PartRow, RowBuffers, Rows, SessionRow, SnapshotRow
from tests.row_views import amendments, messages, packets, snapshots


def session(number: int) -> SessionRow:
    return SessionRow(number, 0, 0, "toy", None, 0)


def snapshot(tick: int) -> SnapshotRow:
    return SnapshotRow(0, tick, -1, 0, 0, Status.OK, 0, 1)


def test_numbers_go_on_after_handing_over() -> None:
    rows = Rows(0, 0)
    assert [rows.session(session(0)), rows.session(session(1))] == [0, 1]
    assert rows.next_snapshot == 0
    assert [rows.snapshot(snapshot(2)), rows.snapshot(snapshot(4))] == [0, 1]
    assert rows.hand_over().sessions == [session(0), session(1)]
    assert (rows.session(session(2)), rows.next_snapshot, rows.snapshot(snapshot(6))) == (2, 2, 2)
    assert rows.first_snapshot == 2


def test_messages_are_counted_by_packet() -> None:
    rows = Rows(0, 0)
    rows.begin(5)
    assert rows.message("A", 1, 0, 65535, 3, 0) == PartRow(5, 0, 0)
    assert rows.message("B", 2, 0, 65535, 3, 3) == PartRow(5, 1, 0)
    rows.begin(6)
    assert rows.message("A", 1, 0, 65535, 3, 0, 4) == PartRow(6, 0, 0)
    assert [(row.packet, rows.names[row.name], row.code) for row in messages(rows)] == [
        (5, "A", 0),
        (5, "B", 0),
        (6, "A", 4),
    ]


def test_names_of_a_reading_are_bounded() -> None:
    rows = Rows(0, 0)
    rows.begin(0)
    for index in range(MAX_NAMES + 5):
        rows.message(f"unknown {index}", 0, 0, 65535, 0, 0)
    assert rows.names[messages(rows)[-1].name] == OVERFLOW
    assert len(rows.names) == MAX_NAMES + 1
    rows.message("unknown 7", 0, 0, 65535, 0, 0)
    assert rows.names[messages(rows)[-1].name] == "unknown 7"


def test_the_worst_finding_marks_the_packet() -> None:
    rows = Rows(0, 0)
    late = rows.begin(3)
    rows.finding("a", 2, "warning", offset=4)
    rows.finding("b", 1, "note", snapshot=0)
    assert late.severity == 2
    assert rows.findings == [FindingRow("a", 2, 3, -1, 4, "warning"), FindingRow("b", 1, 3, 0, -1, "note")]


def test_everything_but_the_names_is_handed_over() -> None:
    rows = Rows(0, 0)
    rows.begin(1)
    rows.message("A", 1, 0, 65535, 3, 0)
    rows.block(rows.snapshot(snapshot(2)), b"packed")
    rows.amend_session(rows.session(session(0)), "player", "name")
    rows.amend_snapshot(0, "base", -1)
    rows.finding("a", 1, "note")
    rows.count_type(0, "Flag", 1, 2, 1)
    assert rows.session_amendments == [Amend("player", 0, "name")]
    assert amendments(rows) == [("base", 0, -1)]
    assert rows.blocks == [(0, b"packed")]
    handed = rows.hand_over()
    assert handed.pending
    assert handed.owner is rows
    assert handed.session_amendments == [Amend("player", 0, "name")]
    assert [len(handed.sessions), len(handed.findings), handed.blocks, len(handed.types)] == [1, 1, [(0, b"packed")], 1]
    assert [len(matrix) for matrix in handed.buffers[:5]] == [1, 1, 1, 0, 1]
    assert not any((rows.sessions, rows.findings, rows.session_amendments, rows.blocks, rows.types))
    taken = rows.taken()
    assert not any(taken.counts)
    assert sum(matrix.size for matrix in taken) == len(taken.counts)
    assert not rows.hand_over().pending
    assert rows.names == ["A"]


def test_a_reading_may_go_on_with_its_last_packet() -> None:
    rows = Rows(0, 0)
    rows.resume()
    assert packets(rows) == []
    late = rows.begin(4)
    rows.resume()
    assert packets(rows) == [late]
    rows.hand_over()
    late.severity = 2
    rows.resume()
    assert packets(rows) == [late]


def test_a_packet_may_be_filled_in_until_the_next_begins() -> None:
    rows = Rows(0, 0)
    late = rows.begin(4)
    late.kind, late.snapshot = 3, 7
    assert packets(rows) == [PacketLate(4, kind=3, snapshot=7)]
    late.session = 1
    rows.begin(5).severity = 2
    late.kind = 9
    assert packets(rows) == [PacketLate(4, 1, 3, snapshot=7), PacketLate(5, severity=2)]


def test_a_message_may_be_flagged() -> None:
    rows = Rows(0, 0)
    rows.begin(0)
    rows.message("A", 1, 1, 5, 3, 0)
    rows.message("A", 1, 1, 6, 3, 3)
    rows.flag_message(8)
    assert [row.flags for row in messages(rows)] == [1, 9]


def test_a_snapshot_is_kept_as_it_was_added() -> None:
    rows = Rows(0, 0)
    rows.begin(3)
    carrier = rows.message("Snap", 5, 0, 65535, 9, 0)
    row = SnapshotRow(0, 6, 4, 3, 2, Status.CRC, 5, 1, *range(10, 24), client_kept=False)
    row.client_has, row.lost_by, row.proof = ClientHas.ACKED, LostBy.NETWORK, Proof.BASE
    row.received = (carrier, PartRow(2, 1, 1))
    other = snapshot(8)
    rows.snapshot(row)
    rows.snapshot(other)
    assert snapshots(rows) == [row, other]
    row.tick = other.tick = 99
    assert [row.tick for row in snapshots(rows)] == [6, 8]


def test_only_late_columns_are_amended() -> None:
    rows = Rows(0, 0)
    for column in ("tick", "session", "first_part", "nonsense"):
        with pytest.raises(KeyError):
            rows.amend_snapshot(0, column, 1)
    rows.amend_snapshot(0, "lost_by", LostBy.GAME)
    assert amendments(rows) == [("lost_by", 0, LostBy.GAME)]


def fill(buffers: RowBuffers, packet: int, size: int) -> None:
    """What a kernel does for a packet with two messages, a snapshot in two parts and what it says of the one before."""
    counts = buffers.counts
    buffers.packets[counts[N_PACKETS]] = (packet, 0, 1, 0, 9, 2, 0, 0, 0)
    for ordinal in range(2):
        buffers.messages[counts[N_MESSAGES] + ordinal] = (packet, 0, 5, 0, 65535, size, 7 * ordinal, 0)
        buffers.parts[counts[N_PARTS] + ordinal] = (packet, ordinal, ordinal)
    buffers.snapshots[counts[N_SNAPSHOTS]] = (0, packet, -1, packet, *[0] * 25, counts[N_PARTS], 2)
    buffers.amendments[counts[N_AMENDMENTS]] = (AMEND_CAUSE, 0, counts[N_SNAPSHOTS])
    counts[[N_PACKETS, N_SNAPSHOTS, N_AMENDMENTS]] += 1
    counts[[N_MESSAGES, N_PARTS]] += 2


def test_kernels_and_plain_code_take_turns() -> None:
    rows = Rows(0, 0)
    assert rows.name("Snap") == 0
    count = 0
    for turn in range(6):
        buffers = rows.reserve(packets=40, messages=80, snapshots=40, parts=80, amendments=40)
        for _ in range(40):
            fill(buffers, count, turn)
            count += 1
        rows.begin(count).kind = 2
        assert rows.message("Other", 1, 0, 65535, 1, 0) == PartRow(count, 0, 0)
        assert rows.next_snapshot == 40 * (turn + 1)
        count += 1
    assert [late.packet for late in packets(rows)] == list(range(count))
    assert [late.kind for late in packets(rows)] == ([1] * 40 + [2]) * 6
    assert [row.size for row in messages(rows)] == [size for turn in range(6) for size in [turn] * 80 + [1]]
    assert [row.received for row in snapshots(rows)] == [
        (PartRow(packet, 0, 0), PartRow(packet, 1, 1)) for packet in range(count) if packet % 41 != 40
    ]
    assert amendments(rows) == [("cause", 0, local) for local in range(240)]
    assert rows.names == ["Snap", "Other"]


def test_making_room_keeps_the_packet_that_is_open() -> None:
    rows = Rows(0, 0)
    late = rows.begin(0)
    late.kind = 1
    fill(rows.reserve(1, 2, 1, 2, 1), 1, 0)
    late.severity = 3
    assert [(row.kind, row.severity) for row in packets(rows)] == [(1, 3), (1, 0)]


def test_plain_code_goes_on_with_a_packet_of_a_kernel() -> None:
    rows = Rows(0, 0)
    rows.follow()
    assert rows.packet == PacketLate(-1)
    late = rows.begin(3)
    rows.message("A", 1, 0, 65535, 3, 0)
    rows.follow()
    assert rows.packet is late
    late.kind = 7
    fill(rows.reserve(1, 2, 1, 2, 1), 4, 0)
    rows.follow()
    assert rows.packet == PacketLate(4, 0, 1, 0, 9, 2, 0, 0)
    rows.finding("a", 2, "late")
    assert rows.message("A", 1, 0, 65535, 3, 0) == PartRow(4, 2, 0)
    assert [(row.packet, row.kind, row.severity) for row in packets(rows)] == [(3, 7, 0), (4, 1, 2)]
    rows.hand_over()
    rows.resume()
    assert [(row.packet, row.severity) for row in packets(rows)] == [(4, 2)]


def test_matrices_have_room_and_say_what_is_used() -> None:
    rows = Rows(0, 0)
    buffers = rows.reserve(packets=100, amendments=3)
    assert [matrix.shape for matrix in buffers[:5]] == [(100, 9), (0, 8), (0, 31), (0, 3), (16, 3)]
    assert all(matrix.flags.c_contiguous and matrix.dtype == "i8" for matrix in buffers)
    assert buffers.counts.tolist() == [0] * 8
    rows.begin(1)
    rows.message("A", 1, 4, 65535, 3, 0)
    taken = rows.taken()
    assert taken.counts is buffers.counts
    assert (taken.messages[0, M_PACKET], taken.messages[0, M_FLAGS]) == (1, 4)
