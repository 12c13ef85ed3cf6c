"""The summary of a whole capture: time, frames, packets by protocol and kind, flows, sessions, snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from analyzer.stats.flows import FlowEnds, flow_ends
from analyzer.stats.item_types import ItemType, all_item_types
from analyzer.stats.live import ints, live_snapshots
from analyzer.stats.sessions import SessionStats, session_stats
from analyzer.stats.snapshots import CodeNames, SnapshotStats, snapshot_stats
from analyzer.store.tables import Tables

PacketKinds = Mapping[str, tuple[str, ...]]
"""By protocol name: its kinds of packets, by packets.kind."""


@dataclass(frozen=True, slots=True)
class PacketGroup:
    """Packets of one protocol, dialect and kind."""

    protocol: str
    """Empty: no protocol reads the flow."""
    dialect: str
    kind: str
    packets: int
    bytes: int
    """UDP payload, captured or not."""


@dataclass(frozen=True, slots=True)
class CaptureStats:
    """Everything `summary` says that comes from the tables."""

    start_ns: int | None
    """Time of the earliest frame; None without frames."""
    duration_s: float
    frames: int
    frame_kinds: dict[int, int]
    """frames.kind -> frames."""
    frame_bytes: int
    made_frames: int
    """Frames that were not captured but made for an excerpt."""
    cut_packets: int
    """Datagrams the capture holds only the beginning of."""
    packets: int
    packet_groups: list[PacketGroup]
    flows: list[FlowEnds]
    snapshots: SnapshotStats
    item_types: list[ItemType]
    sessions: list[SessionStats]


def capture_stats(tables: Tables, packet_kinds: PacketKinds, code_names: CodeNames) -> CaptureStats:
    """The summary of what is published."""
    times = ints(tables.frames, "time_ns")
    kinds, counts = np.unique(ints(tables.frames, "kind"), return_counts=True)
    flows = flow_ends(tables)
    snapshots = live_snapshots(tables)
    sessions = session_stats(tables, flows, snapshots, code_names)
    cut = ints(tables.packets, "length") < ints(tables.packets, "udp_length")
    return CaptureStats(
        start_ns=int(times.min()) if len(times) else None,
        duration_s=int(times.max() - times.min()) / 1e9 if len(times) else 0.0,
        frames=len(tables.frames),
        frame_kinds=dict(zip(kinds.tolist(), counts.tolist(), strict=True)),
        frame_bytes=int(ints(tables.frames, "original").sum()),
        made_frames=_made_frames(tables),
        cut_packets=int(cut.sum()),
        packets=len(tables.packets),
        packet_groups=_packet_groups(tables, flows, packet_kinds),
        flows=flows,
        snapshots=snapshot_stats(tables, snapshots, code_names),
        item_types=all_item_types(session.item_types for session in sessions),
        sessions=sessions,
    )


def _made_frames(tables: Tables) -> int:
    made = sorted(tables.made_interfaces)
    return int(np.isin(tables.frames.array("interface"), made).sum()) if made else 0


def kind_name(flow: FlowEnds, kind: int, packet_kinds: PacketKinds) -> str:
    """Name of packets.kind in a flow; empty where no protocol reads the flow."""
    known = packet_kinds.get(flow.protocol, ())
    return known[kind] if kind < len(known) else ""


def _packet_groups(tables: Tables, flows: list[FlowEnds], packet_kinds: PacketKinds) -> list[PacketGroup]:
    pairs = ints(tables.packets, "flow") * 256 + ints(tables.packets, "kind")
    numbers, where, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    sizes = np.bincount(where, weights=ints(tables.packets, "udp_length"), minlength=len(numbers))
    groups: dict[tuple[str, str, str], tuple[int, int]] = {}
    for pair, count, size in zip(numbers.tolist(), counts.tolist(), sizes.tolist(), strict=True):
        flow = flows[pair // 256]
        key = (flow.protocol, flow.dialect, kind_name(flow, pair % 256, packet_kinds))
        packets, total = groups.get(key, (0, 0))
        groups[key] = packets + count, total + int(size)
    found = [PacketGroup(*key, packets, total) for key, (packets, total) in groups.items()]
    return sorted(found, key=lambda group: (group.protocol == "", group.protocol, group.dialect, -group.packets))
