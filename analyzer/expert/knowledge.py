"""What rules have to be told of a protocol: which rule a code stands for, limits, how often its server sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What there is to know of one protocol; what it does not know, rules leave alone."""

    snapshot_rules: tuple[str, ...] = ()
    """By snapshots.code: the rule that it stands for, empty where it is nothing of its own."""
    severities: tuple[int, ...] = ()
    """By snapshots.code: severity of such findings, 0 for what the rule says."""
    packet_rules: tuple[str, ...] = ()
    """By packets.code, the same."""
    full_steps: Mapping[int, str] = field(default_factory=dict)
    """Ticks between two snapshots without a base -> the rule that names the rate."""
    ticks_per_second: float = 0
    """0: not known."""
    most_items: int = 0
    """Items that a snapshot may have; 0: any number."""
    most_bytes: int = 0
    """state_bytes that it may have; 0: any number."""
    pool_ids: int = 0
    """Ids that a server gives out and takes back; 0: not known."""
