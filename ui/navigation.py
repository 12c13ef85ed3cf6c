"""Where a packet number, a tick or a time is in the tables."""

from __future__ import annotations

import numpy as np

from analyzer.store.tables import Tables
from ui.dialogs.go_to import Target
from ui.selection import Place

NS = 1_000_000_000


def find_target(tables: Tables, place: Place, target: Target) -> tuple[int, int] | str:
    """Packet and snapshot (-1: none) to select, or a sentence that says why there are none."""
    if not len(tables.packets):
        return "There are no packets yet"
    if target.packet is not None:
        return _packet(tables, target.packet)
    if target.tick is not None:
        return _tick(tables, place, target.tick)
    return _time(tables, target.seconds or 0.0)


def _packet(tables: Tables, number: int) -> tuple[int, int] | str:
    frames = tables.packets.integers("frame")
    row = int(np.searchsorted(frames, number - 1))
    if row == len(frames) or frames[row] != number - 1:
        if number > len(tables.frames):
            return f"There is no packet {number}: the last one is {len(tables.frames)}"
        return f"Packet {number} is no UDP datagram; only these are listed"
    return row, tables.packets.integer("snapshot", row)


def _tick(tables: Tables, place: Place, tick: int) -> tuple[int, int] | str:
    """Of the selected client, if it has the tick; else the first client that has it."""
    found = np.flatnonzero(tables.snapshots.integers("tick") == tick)
    if not len(found):
        return f"No snapshot of tick {tick} was seen"
    chosen = int(found[0])
    if place.snapshot >= 0:
        session = tables.snapshots.integer("session", place.snapshot)
        own = found[tables.snapshots.integers("session")[found] == session]
        chosen = int(own[0]) if len(own) else chosen
    return tables.snapshots.integer("packet", chosen), chosen


def _time(tables: Tables, seconds: float) -> tuple[int, int] | str:
    times = tables.frames.integers("time_ns")[tables.packets.integers("frame")]
    wanted = tables.frames.integer("time_ns", 0) + round(seconds * NS)
    row = int(np.abs(times - wanted).argmin())
    return row, tables.packets.integer("snapshot", row)
