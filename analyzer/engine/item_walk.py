"""Goes through the items of all snapshots once, for the rules about them: bit by bit, in bulk, with bounded memory."""

from __future__ import annotations

import time
from collections import deque

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
"""Snapshots of all sessions that are passed together, session by session."""
PIECE = 128
"""Of one session: before the next ones, others may be answered."""
MOST_BYTES = 32 << 20
"""Of the states of a piece, which are in memory meanwhile; one is looked at in any case."""
REBUILT = (Status.OK, Status.PARTIAL)


class ItemWalk:
    """On one thread, as far as the tables go."""

    def __init__(self, tables: Tables, states: States, history: ItemHistory) -> None:
        self._tables = tables
        self._source = states
        self._history = history
        self._done = 0
        self._reached = 0
        """What is left of the snapshots before is in `_pieces`."""
        self._pieces: deque[tuple[int, Ints]] = deque()

    @property
    def progress(self) -> tuple[int, int]:
        """Snapshots that were passed, and how many there are."""
        return self._done, len(self._tables.snapshots)

    def step(self, seconds: float | None = None) -> bool:
        """Look at some snapshots, for so long at least, or all there are. False: nothing is left."""
        begin = time.perf_counter()
        while self._pieces or self._reached < len(self._tables.snapshots):
            if self._pieces:
                self._look(*self._pieces.popleft())
            else:
                self._begin_stretch()
            if not self._pieces:
                self._done = self._reached
            if seconds is not None and time.perf_counter() - begin >= seconds:
                break
        return self._done < len(self._tables.snapshots)

    def _begin_stretch(self) -> None:
        """The next snapshots of all sessions, in pieces."""
        tables, start = self._tables, self._reached
        stop = self._reached = min(start + AT_ONCE, len(tables.snapshots))
        chosen = np.isin(tables.snapshots.array("status", start, stop), REBUILT) & live_mask(tables, stop, start)
        rows = np.flatnonzero(chosen).astype(np.int64) + start
        sessions = tables.snapshots.take("session", rows).astype(np.int64)
        for session in np.unique(sessions).tolist():
            own = rows[sessions == session]
            while len(own):
                fits = np.cumsum(tables.snapshots.take("state_bytes", own[:PIECE]).astype(np.int64)) <= MOST_BYTES
                count = max(int(np.count_nonzero(fits)), 1)
                self._pieces.append((session, own[:count]))
                own = own[count:]

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
