"""Goes through the items of all snapshots once, for the rules about them: bit by bit, in bulk, with bounded memory."""

from __future__ import annotations

import time

import numpy as np

from analyzer.capture.frames import CaptureError
from analyzer.engine.states import States
from analyzer.expert.item_history import ItemHistory
from analyzer.protocols.base import SessionFacts
from analyzer.snapshots.status import Status
from analyzer.stats.live import Ints, live_mask
from analyzer.store.tables import Tables
from analyzer.wire.errors import DecodeError

AT_ONCE = 2048
"""Snapshots of all sessions that are looked at together."""
MOST_BYTES = 32 << 20
"""Of their states, which are in memory meanwhile; one is looked at in any case."""
REBUILT = (Status.OK, Status.PARTIAL)


class ItemWalk:
    """On one thread, as far as the tables go."""

    def __init__(self, tables: Tables, states: States, history: ItemHistory) -> None:
        self._tables = tables
        self._source = states
        self._history = history
        self._done = 0

    @property
    def progress(self) -> tuple[int, int]:
        """Snapshots that were passed, and how many there are."""
        return self._done, len(self._tables.snapshots)

    def step(self, seconds: float | None = None) -> bool:
        """Look at some snapshots, for so long at least, or all there are. False: nothing is left."""
        begin = time.perf_counter()
        while self._done < len(self._tables.snapshots):
            stop = self._end(self._done)
            self._pass(self._done, stop)
            self._done = stop
            if seconds is not None and time.perf_counter() - begin >= seconds:
                break
        return self._done < len(self._tables.snapshots)

    def _end(self, start: int) -> int:
        """How far the next step goes."""
        snapshots = self._tables.snapshots
        stop = min(start + AT_ONCE, len(snapshots))
        fits = np.cumsum(snapshots.integers("state_bytes", start, stop)) <= MOST_BYTES
        return start + max(int(np.count_nonzero(fits)), 1)

    def _pass(self, start: int, stop: int) -> None:
        tables = self._tables
        chosen = np.isin(tables.snapshots.array("status", start, stop), REBUILT) & live_mask(tables, stop, start)
        rows = np.flatnonzero(chosen).astype(np.int64) + start
        sessions = tables.snapshots.take("session", rows).astype(np.int64)
        for session in np.unique(sessions).tolist():
            self._look(session, rows[sessions == session])

    def _look(self, session: int, rows: Ints) -> None:
        look = self._source.protocol_of(int(rows[0])).expertise.look
        facts = self._tables.sessions.get("facts", session)
        if look is None or not isinstance(facts, SessionFacts):
            return
        try:
            states = self._source.states(rows.tolist())
        except (DecodeError, CaptureError):
            # The file is not any more what it was.
            return
        packed = [*map(self._source.codec(int(rows[0])).pack, states)]
        packets, ticks = (self._tables.snapshots.take(name, rows).astype(np.int64) for name in ("packet", "tick"))
        self._history.take(session, rows, packets, ticks, look(packed, facts))
