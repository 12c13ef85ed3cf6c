"""What stands for rows of a reading that was replaced."""

from __future__ import annotations

from capture_files import BUNDLED

from analyzer.engine.capture import Capture
from analyzer.stats.flows import session_flow
from analyzer.stats.live import live_sessions, live_snapshots, session_counts
from analyzer.stats.renewed import session_now, snapshot_now

PCAP = BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap"


def test_the_same_tick_and_session_of_the_flow() -> None:
    with Capture.open(PCAP, compiled=False) as capture:
        capture.decode()
        tables = capture.tables
        sessions, snapshots = live_sessions(tables).tolist(), live_snapshots(tables).tolist()
        assert [session_now(tables, row) for row in (-1, *sessions)] == [-1, *sessions]
        assert [snapshot_now(tables, row) for row in (-1, snapshots[5])] == [-1, snapshots[5]]
        capture.reinterpret()
        capture.decode()
        now = [session_now(tables, row) for row in sessions]
        assert sorted(now) == live_sessions(tables).tolist()
        for old, new in zip(sessions, now, strict=True):
            assert session_flow(tables, new) == session_flow(tables, old)
            for column in ("number", "first_packet", "map", "player"):
                assert tables.sessions.get(column, new) == tables.sessions.get(column, old)
        for row in snapshots[::50]:
            found = snapshot_now(tables, row)
            assert found != row
            assert session_counts(tables, tables.snapshots.integer("session", found))
            for column in ("tick", "packet", "status", "crc_computed"):
                assert tables.snapshots.get(column, found) == tables.snapshots.get(column, row)
        tables.readings.amend("alive", range(len(tables.readings)), [False] * len(tables.readings))
        assert session_now(tables, sessions[0]) == -1
        assert snapshot_now(tables, snapshots[0]) == -1
