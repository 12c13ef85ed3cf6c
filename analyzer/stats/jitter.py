"""How unevenly the snapshots of many sessions came: what the time between two differs from what their ticks say."""

from __future__ import annotations

import numpy as np

from analyzer.stats.groups import stable_order
from analyzer.stats.live import Ints


def jitter(sessions: Ints, times: Ints, ticks: Ints) -> tuple[Ints, Ints]:
    """Sessions and deviations, one for every two snapshots of a session that follow each other, shape (m,) each.

    `sessions`, `times` and `ticks` are of snapshots in the order they came, shape (n,). A deviation is never negative
    and in the unit of `times`. How long a tick takes is not on the wire: it is the session's time over its ticks, so a
    session that went through less than two ticks has no deviations.
    """
    order = stable_order(sessions)
    session, time, tick = sessions[order], times[order], ticks[order]
    changes = np.flatnonzero(np.diff(session)) + 1
    if not len(session):
        return session, time
    starts, ends = np.concatenate(([0], changes)), np.concatenate((changes, [len(session)])) - 1
    passed = tick[ends] - tick[starts]
    per_tick = np.where(passed > 1, (time[ends] - time[starts]) / np.maximum(passed, 1), np.nan)
    mine = np.repeat(per_tick, ends - starts + 1)[1:]
    known = (session[1:] == session[:-1]) & ~np.isnan(mine)
    deviations = np.abs(np.diff(time)[known] - np.diff(tick)[known] * mine[known])
    return session[1:][known], np.rint(deviations).astype(np.int64)
