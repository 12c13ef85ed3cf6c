"""States of sending of sessions that ended, which are not kept, are those of sessions that are."""

from __future__ import annotations

import numpy as np
import pytest
from capture_files import BUNDLED

from analyzer.engine.capture import Capture
from analyzer.protocols.base import Pace
from analyzer.stats import client_counts
from analyzer.stats.clients import client_stats
from ui.models.client_source import paces
from ui.selection import Place


def test_states_of_sessions_that_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    with Capture.open(BUNDLED / "ddnet_dm2_reconnect_mapchange.pcap", compiled=False) as capture:
        capture.decode()
        tables, protocols = capture.tables, capture.protocols
        kept = client_stats(tables)
        monkeypatch.setattr(client_counts, "SILENT_NS", 0)
        monkeypatch.setattr(client_counts, "AT_ONCE", 50)
        rested = client_stats(tables)
        over = [session for session in rested.histories if not rested.histories.is_kept(session)]
        assert over
        assert all(map(kept.histories.is_kept, kept.histories))
        snapshots = len(tables.snapshots)
        places = [Place(packet=packet) for packet in range(0, len(tables.packets), len(tables.packets) // 25)]
        places += [
            Place(packet=tables.snapshots.integer("packet", row), snapshot=row)
            for row in range(0, snapshots, snapshots // 25)
        ]
        ended: dict[int, tuple[int, Pace]] = {}
        for place in (Place(), *places, Place()):
            found = paces(tables, rested, protocols, place, ended)
            assert found == paces(tables, kept, protocols, place)
        assert found.keys() >= set(over)
        assert ended.keys() == set(over)
        looked_at: list[int] = []
        take = tables.snapshots.take

        def counted(column: str, rows: np.ndarray) -> np.ndarray:
            looked_at.append(len(rows))
            return take(column, rows)

        monkeypatch.setattr(tables.snapshots, "take", counted)
        paces(tables, rested, protocols, Place(), ended)
        assert not looked_at
        paces(tables, rested, protocols, Place())
        assert looked_at
