"""Where a packet number, a tick or a time is in the tables. Large ones are looked through on the query thread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.store.tables import Tables
from ui.dialogs.go_to import Target
from ui.models.steps import snapshots_of_client
from ui.selection import Place
from ui.words import decimal

NS = 1_000_000_000
DAY_NS = 86_400 * NS


@dataclass(frozen=True, slots=True)
class Found:
    """What is to be selected."""

    packet: int
    snapshot: int
    """-1: none."""
    said: str
    """What it is, as the beginning of a sentence: "Packet 12"."""


def find_target(tables: Tables, place: Place, target: Target) -> Found | str:
    """What is to be selected, or a sentence that says why there is nothing."""
    if not len(tables.packets):
        return "There are no packets yet"
    if target.packet is not None:
        return _packet(tables, target.packet)
    if target.step is not None:
        return _step(tables, place, target.step)
    if target.tick is not None:
        return _tick(tables, place, target.tick)
    return _time(tables, place, target)


def _found(tables: Tables, packet: int, snapshot: int | None = None) -> Found:
    number = tables.packets.integer("frame", packet) + 1
    chosen = tables.packets.integer("snapshot", packet) if snapshot is None else snapshot
    return Found(packet, chosen, f"Packet {number}")


def _packet(tables: Tables, number: int) -> Found | str:
    if number < 1:
        return "Packets are numbered from 1"
    if number > len(tables.frames):
        return f"There is no packet {number}: the last one is {len(tables.frames)}"
    frames = tables.packets.integers("frame")
    row = int(np.searchsorted(frames, number - 1))
    if row < len(frames) and frames[row] == number - 1:
        return _found(tables, row)
    near = [int(frames[at]) + 1 for at in (row - 1, row) if 0 <= at < len(frames)]
    listed = " and ".join(map(str, near))
    return f"Packet {number} is no UDP datagram; the nearest {'one is' if len(near) == 1 else 'ones are'} {listed}"


def _step(tables: Tables, place: Place, step: int) -> Found | str:
    if place.packet < 0:
        return "No packet is selected to count from"
    row, last = place.packet + step, len(tables.packets) - 1
    if 0 <= row <= last:
        return _found(tables, row)
    left = last - place.packet if step > 0 else place.packet
    return f"There are only {left} packets {'behind' if step > 0 else 'before'} the selected one"


def _tick(tables: Tables, place: Place, tick: int) -> Found | str:
    """Of the selected client, if it has the tick; else the first client that has it."""
    rows, packets = snapshots_of_client(tables, -1)
    if not len(rows):
        return "There are no snapshots"
    ticks = tables.snapshots.take("tick", rows).astype(np.int64)
    here = np.flatnonzero(ticks == tick)
    if not len(here):
        below, above = ticks[ticks < tick], ticks[ticks > tick]
        near = [str(int(below.max()))] if len(below) else []
        near += [str(int(above.min()))] if len(above) else []
        return (
            f"No snapshot of tick {tick} was seen; the nearest {'is' if len(near) == 1 else 'are'} {' and '.join(near)}"
        )
    chosen = int(here[0])
    if place.snapshot >= 0:
        session = tables.snapshots.integer("session", place.snapshot)
        own = here[tables.snapshots.take("session", rows[here]) == session]
        chosen = int(own[0]) if len(own) else chosen
    return _found(tables, int(packets[chosen]), int(rows[chosen]))


def _time(tables: Tables, place: Place, target: Target) -> Found | str:
    times = tables.frames.take("time_ns", tables.packets.integers("frame")).astype(np.int64)
    begin, first, last = tables.frames.integer("time_ns", 0), int(times.min()), int(times.max())
    if target.since is not None:
        if place.packet < 0:
            return "No packet is selected to count from"
        wanted = int(times[place.packet]) + round(target.since * NS)
    elif target.day_s is not None:
        wanted = begin // DAY_NS * DAY_NS + round(target.day_s * NS)
        wanted += DAY_NS if wanted < first and wanted + DAY_NS <= last else 0
    else:
        wanted = begin + round((target.seconds or 0.0) * NS)
    if wanted > last + NS:
        return f"That is behind the end: the last packet is at {decimal((last - begin) / NS, 6)} s"
    if wanted < first - NS:
        return f"That is before the capture: the first packet is at {decimal((first - begin) / NS, 6)} s"
    return _found(tables, int(np.abs(times - wanted).argmin()))
