"""Where a step leads from the selected packet and snapshot: numbers over the tables, no widget."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.parts import part_packets
from analyzer.stats.snapshots import failed_mask, root_statuses
from analyzer.store.tables import Tables
from ui.marks import NO_PACKETS, PacketSet
from ui.models.related import last_packet
from ui.selection import Place

Ints = NDArray[np.int64]


def next_snapshot(tables: Tables, place: Place, step: int, ignored: PacketSet = NO_PACKETS) -> int:
    """The snapshot of the same client after (step 1) or before (-1) the place, but for those of ignored packets.

    Without a packet and snapshot to start from, the first or last of the capture. -1 if there is none.
    """
    candidates = _beyond(place, step, *snapshots_of_client(tables, _flow(tables, place)))
    candidates = _without(tables, candidates, ignored)
    return int(candidates[0]) if len(candidates) else -1


def next_failed(tables: Tables, place: Place, step: int, session: int, ignored: PacketSet = NO_PACKETS) -> int:
    """The snapshot after (step 1) or before (-1) the place that failed, of a session, or of any (-1); -1: none.

    Those of ignored packets do not count.
    """
    rows, packets = snapshots_of_client(tables, -1)
    if session >= 0:
        own = tables.snapshots.take("session", rows) == session
        rows, packets = rows[own], packets[own]
    candidates = _without(tables, _beyond(place, step, rows, packets), ignored)
    status = tables.snapshots.take("status", candidates).astype(np.int64)
    candidates = candidates[failed_mask(status, root_statuses(tables, candidates))]
    return int(candidates[0]) if len(candidates) else -1


def _without(tables: Tables, rows: Ints, ignored: PacketSet) -> Ints:
    """Snapshots but for those that an ignored packet decided."""
    return rows[~ignored.has(tables.snapshots.take("packet", rows).astype(np.int64))] if len(ignored) else rows


def _beyond(place: Place, step: int, rows: Ints, packets: Ints) -> Ints:
    """Of snapshots in the order of their packets those after or before a place, the nearest first."""
    if place.snapshot >= 0:
        here = np.flatnonzero(rows == place.snapshot)
        at = int(here[0]) if len(here) else int(np.searchsorted(packets, place.packet))
        following, preceding = rows[at + 1 :], rows[:at]
    elif place.packet >= 0:
        following = rows[np.searchsorted(packets, place.packet, side="right") :]
        preceding = rows[: np.searchsorted(packets, place.packet)]
    else:
        following = preceding = rows
    return following if step > 0 else preceding[::-1]


def baseline(tables: Tables, snapshot: int) -> int:
    """The snapshot's baseline, -1 if it has none or none is known."""
    return tables.snapshots.integer("base", snapshot) if snapshot >= 0 else -1


def acknowledgement(tables: Tables, snapshot: int) -> int:
    """The packet that acknowledged the snapshot's baseline, -1 if there is none."""
    base = baseline(tables, snapshot)
    return tables.snapshots.integer("acked_packet", base) if base >= 0 else -1


def cause(tables: Tables, snapshot: int) -> int:
    """The snapshot that is the first cause of a failure, -1 if there is none."""
    return tables.snapshots.integer("cause", snapshot) if snapshot >= 0 else -1


def next_part(tables: Tables, place: Place) -> int:
    """The packet of the snapshot's next part, after the last one the first; -1 if there is no other."""
    packets = sorted(set(part_packets(tables, place.snapshot).tolist())) if place.snapshot >= 0 else []
    later = [packet for packet in packets if packet > place.packet]
    other = later or [packet for packet in packets if packet != place.packet]
    return other[0] if other else -1


def packet_of(tables: Tables, snapshot: int) -> int:
    """The packet that stands for a snapshot, -1 for none."""
    return last_packet(tables, snapshot) if snapshot >= 0 else -1


def _flow(tables: Tables, place: Place) -> int:
    """The client's flow; -1 without a selection."""
    if place.packet >= 0:
        return tables.packets.integer("flow", place.packet)
    if place.snapshot >= 0:
        return tables.packets.integer("flow", tables.snapshots.integer("packet", place.snapshot))
    return -1


def snapshots_of_client(tables: Tables, flow: int) -> tuple[Ints, Ints]:
    """Live snapshots of a flow, or of all for -1, with the packets that decided them, in the order of these."""
    sessions = tables.snapshots.integers("session")
    readings = tables.sessions.integers("reading")
    count = len(tables.readings)
    wanted = tables.readings.array("alive", 0, count).astype(np.bool_)
    if flow >= 0:
        wanted &= tables.readings.integers("flow", 0, count) == flow
    rows = np.flatnonzero(wanted[readings][sessions]) if len(sessions) else np.zeros(0, dtype=np.int64)
    packets = tables.snapshots.take("packet", rows).astype(np.int64)
    order = np.argsort(packets, kind="stable")
    return rows[order], packets[order]
