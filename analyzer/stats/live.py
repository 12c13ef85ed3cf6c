"""Which rows count: those of readings that no later reading of their flow replaced. Retired rows stay, masked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.store.columns import Table
from analyzer.store.tables import Tables

Ints = NDArray[np.int64]


def ints(table: Table, column: str) -> Ints:
    """All published rows of a number column, shape (rows,)."""
    return table.array(column).astype(np.int64)


def live_sessions(tables: Tables) -> Ints:
    """Rows of `sessions` whose reading is alive, ascending."""
    return np.flatnonzero(_alive(tables, ints(tables.sessions, "reading")))


def session_counts(tables: Tables, session: int) -> bool:
    """Is the session's reading alive?"""
    return bool(tables.readings.get("alive", tables.sessions.integer("reading", session)))


def live_snapshots(tables: Tables) -> Ints:
    """Rows of `snapshots` whose reading is alive, in the order of the packets that decided them."""
    rows = np.flatnonzero(live_mask(tables, len(tables.snapshots)))
    return rows[np.argsort(ints(tables.snapshots, "packet")[rows], kind="stable")]


def live_mask(tables: Tables, stop: int, start: int = 0) -> NDArray[np.bool_]:
    """For each of the rows start to `stop` - 1 of `snapshots`: does its reading count? Shape (stop - start,)."""
    sessions = tables.snapshots.array("session", start, stop)
    alive: NDArray[np.bool_] = _alive(tables, ints(tables.sessions, "reading"))[sessions]
    return alive


def live_messages(tables: Tables) -> NDArray[np.bool_]:
    """For every row of `messages`: does its reading count? Shape (rows,)."""
    return _alive(tables, ints(tables.messages, "reading"))


def packet_times(tables: Tables, packets: Ints) -> Ints:
    """Time of the frame of each packet row, nanoseconds since 1970; shape like `packets`."""
    frames = tables.packets.take("frame", packets).astype(np.int64)
    return tables.frames.take("time_ns", frames).astype(np.int64)


def made_mask(tables: Tables, packets: Ints) -> NDArray[np.bool_]:
    """Which packet rows an excerpt was given for its missing bases: their time says nothing; shape like `packets`."""
    if not tables.made_interfaces:
        return np.zeros(len(packets), np.bool_)
    frames = tables.packets.take("frame", packets).astype(np.int64)
    return np.isin(tables.frames.take("interface", frames), sorted(tables.made_interfaces))


def snapshot_frames(tables: Tables, rows: Ints) -> Ints:
    """Number of the deciding frame of each snapshot row, counted from 1; shape like `rows`."""
    packets = tables.snapshots.take("packet", rows).astype(np.int64)
    return tables.packets.take("frame", packets).astype(np.int64) + 1


def _alive(tables: Tables, readings: Ints) -> NDArray[np.bool_]:
    """Does each of `readings` count? Looked up last: the one writer may have published more readings meanwhile."""
    return tables.readings.array("alive").astype(np.bool_)[readings]
