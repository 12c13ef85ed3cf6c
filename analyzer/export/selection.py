"""What of a capture is to be saved, as frames: all of it, a time range, a client's session, chosen packets.

A datagram that came in fragments is chosen as a whole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.live import Ints
from analyzer.store.tables import Tables

Bools = NDArray[np.bool_]


def everything(tables: Tables) -> Bools:
    """Every frame; shape (frames,), as of all functions here."""
    return np.ones(len(tables.frames), dtype=np.bool_)


def in_time(tables: Tables, start_ns: int | None, stop_ns: int | None) -> Bools:
    """The frames from `start_ns` to `stop_ns`, both included, in nanoseconds since 1970; None: without a limit."""
    times = tables.frames.integers("time_ns")
    chosen = np.ones(len(times), dtype=np.bool_)
    if start_ns is not None:
        chosen &= times >= start_ns
    if stop_ns is not None:
        chosen &= times <= stop_ns
    return frames_of(tables, packets_in(tables, chosen), chosen)


def of_session(tables: Tables, session: int) -> Bools:
    """What a client and its server sent each other in one row of `sessions`."""
    return frames_of(tables, tables.packets.array("session") == session)


def of_packets(tables: Tables, packets: Ints) -> Bools:
    """Rows of `packets`."""
    chosen = np.zeros(len(tables.packets), dtype=np.bool_)
    chosen[packets] = True
    return frames_of(tables, chosen)


def of_frames(tables: Tables, frames: Ints) -> Bools:
    """Rows of `frames`, and all other fragments of the datagrams that they belong to."""
    chosen = np.zeros(len(tables.frames), dtype=np.bool_)
    chosen[frames] = True
    return frames_of(tables, packets_in(tables, chosen), chosen)


def packets_in(tables: Tables, frames: Bools) -> Bools:
    """The packets of which any frame is chosen; shape (packets,)."""
    carriers = tables.packets.integers("frame")
    chosen = frames[np.minimum(carriers, len(frames) - 1)] & (carriers < len(frames))
    pieces, owners = _fragments(tables, len(frames), len(chosen))
    chosen[owners[frames[pieces]]] = True
    return chosen


def frames_of(tables: Tables, packets: Bools, beside: Bools | None = None) -> Bools:
    """All frames of the packets, and those `beside` them."""
    chosen = np.zeros(len(tables.frames), dtype=np.bool_)
    if beside is not None:
        chosen[: len(beside)] = beside
    chosen[tables.packets.integers("frame", 0, len(packets))[packets]] = True
    pieces, owners = _fragments(tables, len(chosen), len(packets))
    chosen[pieces[packets[owners]]] = True
    return chosen


def _fragments(tables: Tables, frames: int, packets: int) -> tuple[Ints, Ints]:
    """Frame and packet of every fragment of the first so many frames and packets."""
    pieces, owners = tables.fragments.integers("frame"), tables.fragments.integers("packet")
    known = (pieces < frames) & (owners < packets)
    return pieces[known], owners[known]
