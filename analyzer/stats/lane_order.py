"""Which lanes of the overview come first: the worst within a range of time, then the earlier ones."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from analyzer.stats.bars import Kind
from analyzer.stats.clients import FEWEST_FULL, MOST_FULL, OLD_BASE_MS
from analyzer.stats.lane import Lane
from analyzer.stats.timeline import Timeline


class Sign(IntEnum):
    """Stands before the name of a lane, worst first."""

    FAILED = 0
    """A snapshot failed."""
    WARN = 1
    """A baseline is old, or too many snapshots are full, by the measure of the table of clients."""
    UNKNOWN = 2
    """Of a snapshot nobody can tell."""
    FINE = 3
    NONE = 4
    """No snapshots."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A lane in its order."""

    flow: int
    sign: Sign


def sign_of(lane: Lane, start_ns: int, stop_ns: int, old_ms: float = OLD_BASE_MS) -> Sign:
    """What a lane is like from `start_ns` up to before `stop_ns`."""
    worst = lane.worst(start_ns, stop_ns).with_limit(old_ms * 1000)
    if worst is Kind.NONE:
        return Sign.NONE
    if worst in (Kind.FAILED, Kind.OLD):
        return Sign.FAILED if worst is Kind.FAILED else Sign.WARN
    if worst is Kind.FULL:
        kinds = lane.kind[slice(*lane.between(start_ns, stop_ns))]
        full, unknown = (int(np.count_nonzero(kinds == kind)) for kind in (Kind.FULL, Kind.UNKNOWN))
        if full >= FEWEST_FULL and full > MOST_FULL * (len(kinds) - unknown):
            return Sign.WARN
        return Sign.UNKNOWN if unknown else Sign.FINE
    return Sign.UNKNOWN if worst is Kind.UNKNOWN else Sign.FINE


def lane_order(timeline: Timeline, start_ns: int, stop_ns: int, old_ms: float = OLD_BASE_MS) -> list[Placed]:
    """Every lane, by what it is like from `start_ns` up to before `stop_ns`, then by its first packet."""
    placed = [Placed(flow, sign_of(timeline.lane(flow), start_ns, stop_ns, old_ms)) for flow in timeline.flows.tolist()]
    return sorted(placed, key=lambda lane: lane.sign)
