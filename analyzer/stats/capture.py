"""The summary of a whole capture: time, frames, packets by protocol and kind, flows, sessions, snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from analyzer.stats.flows import FlowEnds, flow_ends
from analyzer.stats.item_types import ItemType, all_item_types
from analyzer.stats.live import Ints, ints, live_snapshots
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


@dataclass(frozen=True, slots=True)
class Chosen:
    """What of a capture is summed up."""

    packets: Ints
    """Rows of `packets`, ascending; frames are those that hold them."""
    snapshots: Ints
    """Live rows of `snapshots`, in the order of the packets that decided them."""


def capture_stats(
    tables: Tables, packet_kinds: PacketKinds, code_names: CodeNames, chosen: Chosen | None = None
) -> CaptureStats:
    """The summary of what is published, or of what is `chosen`; how often items were sent is then not known."""
    packets = np.arange(len(tables.packets)) if chosen is None else chosen.packets
    frames = np.arange(len(tables.frames)) if chosen is None else _frames_of(tables, packets)
    times = tables.frames.take("time_ns", frames).astype(np.int64)
    kinds, counts = np.unique(tables.frames.take("kind", frames).astype(np.int64), return_counts=True)
    flows = flow_ends(tables)
    snapshots = live_snapshots(tables) if chosen is None else chosen.snapshots
    sessions = session_stats(tables, flows, snapshots, code_names, None if chosen is None else packets)
    cut = tables.packets.take("length", packets) < tables.packets.take("udp_length", packets)  # type: ignore[operator]
    return CaptureStats(
        start_ns=int(times.min()) if len(times) else None,
        duration_s=int(times.max() - times.min()) / 1e9 if len(times) else 0.0,
        frames=len(frames),
        frame_kinds=dict(zip(kinds.tolist(), counts.tolist(), strict=True)),
        frame_bytes=int(tables.frames.take("original", frames).astype(np.int64).sum()),
        made_frames=_made_frames(tables, frames),
        cut_packets=int(cut.sum()),
        packets=len(packets),
        packet_groups=_packet_groups(tables, flows, packet_kinds, packets),
        flows=flows if chosen is None else _flows_of(tables, flows, packets),
        snapshots=snapshot_stats(tables, snapshots, code_names),
        item_types=all_item_types(session.item_types for session in sessions),
        sessions=sessions,
    )


def _frames_of(tables: Tables, packets: Ints) -> Ints:
    """The frames of some packets, also those of fragments, ascending."""
    pieces = np.isin(ints(tables.fragments, "packet"), packets)
    whole = tables.packets.take("frame", packets).astype(np.int64)
    return np.union1d(whole, ints(tables.fragments, "frame")[pieces])


def _flows_of(tables: Tables, flows: list[FlowEnds], packets: Ints) -> list[FlowEnds]:
    """Flows that some packets are of, with how many of them, and the first."""
    of = tables.packets.take("flow", packets).astype(np.int64)
    rows, first, counts = np.unique(of, return_index=True, return_counts=True)
    return [
        replace(flows[row], packets=count, first_packet=int(packets[at]))
        for row, at, count in zip(rows.tolist(), first.tolist(), counts.tolist(), strict=True)
    ]


def _made_frames(tables: Tables, frames: Ints) -> int:
    made = sorted(tables.made_interfaces)
    return int(np.isin(tables.frames.take("interface", frames), made).sum()) if made else 0


def kind_name(flow: FlowEnds, kind: int, packet_kinds: PacketKinds) -> str:
    """Name of packets.kind in a flow; empty where no protocol reads the flow."""
    known = packet_kinds.get(flow.protocol, ())
    return known[kind] if kind < len(known) else ""


def _packet_groups(
    tables: Tables, flows: list[FlowEnds], packet_kinds: PacketKinds, packets: Ints
) -> list[PacketGroup]:
    flow, kind, size = (tables.packets.take(name, packets).astype(np.int64) for name in ("flow", "kind", "udp_length"))
    pairs = flow * 256 + kind
    numbers, where, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    sizes = np.bincount(where, weights=size, minlength=len(numbers))
    groups: dict[tuple[str, str, str], tuple[int, int]] = {}
    for pair, count, total in zip(numbers.tolist(), counts.tolist(), sizes.tolist(), strict=True):
        ends = flows[pair // 256]
        key = (ends.protocol, ends.dialect, kind_name(ends, pair % 256, packet_kinds))
        known, known_bytes = groups.get(key, (0, 0))
        groups[key] = known + count, known_bytes + int(total)
    found = [PacketGroup(*key, *sums) for key, sums in groups.items()]
    return sorted(found, key=lambda group: (group.protocol == "", group.protocol, group.dialect, -group.packets))
