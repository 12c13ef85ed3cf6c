"""What stands for a snapshot or session of a reading that counts no more, after its flow was read anew."""

from __future__ import annotations

import numpy as np

from analyzer.stats.live import session_counts
from analyzer.store.tables import Tables


def snapshot_now(tables: Tables, snapshot: int, others: Tables | None = None) -> int:
    """The snapshot of the same flow and tick that counts, that of the nearest packet if there are several; -1: none.

    `others`: tables of the same packets to find it in.
    """
    if snapshot < 0 or (others is None and session_counts(tables, tables.snapshots.integer("session", snapshot))):
        return snapshot
    flow = _flow(tables, tables.snapshots.integer("session", snapshot))
    tick, packet = (tables.snapshots.integer(name, snapshot) for name in ("tick", "packet"))
    tables = others or tables
    same = np.flatnonzero(tables.snapshots.array("tick") == tick)
    of_session = {
        session: session_counts(tables, session) and _flow(tables, session) == flow
        for session in np.unique(tables.snapshots.take("session", same)).tolist()
    }
    own = [row for row in same.tolist() if of_session[tables.snapshots.integer("session", row)]]
    return min(own, key=lambda row: abs(tables.snapshots.integer("packet", row) - packet), default=-1)


def session_now(tables: Tables, session: int, others: Tables | None = None) -> int:
    """The session of the same flow and number that counts; -1: none. `others`: as for `snapshot_now`."""
    if session < 0 or (others is None and session_counts(tables, session)):
        return session
    flow, number = _flow(tables, session), tables.sessions.integer("number", session)
    tables = others or tables
    for row in range(len(tables.sessions) - 1, -1, -1):
        same = tables.sessions.integer("number", row) == number and _flow(tables, row) == flow
        if same and session_counts(tables, row):
            return row
    return -1


def _flow(tables: Tables, session: int) -> int:
    return tables.readings.integer("flow", tables.sessions.integer("reading", session))
