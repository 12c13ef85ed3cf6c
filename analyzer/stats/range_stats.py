"""The numbers of a range of time, of all clients or of some: what was sent, how large it was, and who lost what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.snapshots.status import LostBy
from analyzer.stats.bars import Bars, Kind
from analyzer.stats.clients import OLD_BASE_MS
from analyzer.stats.live import Ints
from analyzer.stats.sizes import Sizes, sizes
from analyzer.stats.snapshots import rebuilt_mask
from analyzer.stats.timeline import Timeline


@dataclass(frozen=True, slots=True)
class RangeStats:
    """From one moment up to before another, nanoseconds from the first frame. Sizes are bytes of UDP payload."""

    start_ns: int
    stop_ns: int
    packets: int
    """UDP datagrams; of all clients also those that no protocol reads."""
    packet_bytes: int
    snapshots: int
    """Those that draw a bar: without late parts and duplicates."""
    bytes: int
    """Of the datagrams that carried parts of these, one that carried parts of two counted for each."""
    kinds: dict[Kind, int]
    """Every kind but `NONE` -> snapshots; together all of them."""
    rebuilt: int
    sizes: Sizes
    """`wire_bytes` of the rebuilt ones, as in the table of clients: what is incomplete has no size."""
    parts: dict[int, int]
    """Parts announced -> rebuilt snapshots."""
    lost_by: dict[LostBy, int]
    """Who lost those that were not rebuilt; together all of them."""

    @property
    def duration_s(self) -> float:
        """How long the range is."""
        return (self.stop_ns - self.start_ns) / 1e9

    @property
    def lost(self) -> int:
        """Snapshots that were not rebuilt."""
        return self.snapshots - self.rebuilt

    @property
    def rate(self) -> float | None:
        """Bytes of snapshots a second; None of no time."""
        return self.bytes / self.duration_s if self.stop_ns > self.start_ns else None

    @property
    def packet_rate(self) -> float | None:
        """Bytes of packets a second; None of no time."""
        return self.packet_bytes / self.duration_s if self.stop_ns > self.start_ns else None


def range_stats(
    timeline: Timeline,
    start_ns: int,
    stop_ns: int,
    flows: Sequence[int] | None = None,
    old_ms: float = OLD_BASE_MS,
) -> RangeStats:
    """The numbers from `start_ns` up to before `stop_ns`, of all lanes or of those of some flows."""
    every = timeline.flows.tolist() if flows is None else flows
    lanes = [timeline.lane(flow) for flow in every]
    bars = Bars.together([lane.bars(*lane.between(start_ns, stop_ns)) for lane in lanes])
    chosen = None if flows is None else np.array(flows, np.int64)
    packets, packet_bytes = timeline.packets.between(start_ns, stop_ns, chosen)
    kinds = np.where(bars.age_us > old_ms * 1000, np.uint8(Kind.OLD), bars.kind)
    counts = np.bincount(kinds, minlength=len(Kind)).tolist()
    rebuilt, losers = _lost(timeline, bars)
    parts = np.bincount(bars.parts[rebuilt])
    return RangeStats(
        start_ns=start_ns,
        stop_ns=stop_ns,
        packets=packets,
        packet_bytes=packet_bytes,
        snapshots=len(bars),
        bytes=int(bars.size.sum(dtype=np.int64)),
        kinds={kind: counts[kind] for kind in Kind if kind is not Kind.NONE},
        rebuilt=int(rebuilt.sum()),
        sizes=sizes(bars.size[rebuilt].astype(np.int64)),
        parts={number: int(parts[number]) for number in np.flatnonzero(parts).tolist()},
        lost_by={loser: int((losers == loser).sum()) for loser in LostBy},
    )


def _lost(timeline: Timeline, bars: Bars) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], Ints]:
    """Which bars are of rebuilt snapshots, shape (n,), and who lost the others, shape (m,)."""
    snapshots = timeline.tables.snapshots
    rebuilt = np.ones(len(bars), np.bool_)
    doubtful = np.flatnonzero((bars.kind == Kind.FAILED) | (bars.kind == Kind.UNKNOWN))
    rows = bars.rows[doubtful].astype(np.int64)
    rebuilt[doubtful] = rebuilt_mask(snapshots.take("status", rows).astype(np.int64))
    return rebuilt, snapshots.take("lost_by", rows[~rebuilt[doubtful]]).astype(np.int64)
