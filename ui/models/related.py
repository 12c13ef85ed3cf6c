"""Which packets belong to the selected snapshot: its parts, those of its baseline, and what made that the baseline."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.stats.parts import part_packets
from analyzer.store.tables import Tables


@dataclass(frozen=True, slots=True)
class Related:
    """Packets around one snapshot, each list ascending."""

    parts: tuple[int, ...] = ()
    """They carried the snapshot's parts."""
    base: tuple[int, ...] = ()
    """They carried the baseline's parts."""
    ack: int = -1
    """It acknowledged the baseline; -1: none, or not seen."""

    @property
    def signs(self) -> dict[int, str]:
        """Packet -> its sign; a part of the snapshot itself counts first."""
        found = {self.ack: "ack"} if self.ack >= 0 else {}
        found.update(dict.fromkeys(self.base, "base"))
        found.update(dict.fromkeys(self.parts, "part"))
        return found


NOTHING = Related()


def related(tables: Tables, snapshot: int) -> Related:
    """The packets around a snapshot; none for -1."""
    if snapshot < 0:
        return NOTHING
    base = tables.snapshots.integer("base", snapshot)
    return Related(
        _packets(tables, snapshot),
        _packets(tables, base) if base >= 0 else (),
        tables.snapshots.integer("acked_packet", base) if base >= 0 else -1,
    )


def last_packet(tables: Tables, snapshot: int) -> int:
    """The packet of the snapshot's last part; of one without parts, the packet that decided its fate."""
    packets = _packets(tables, snapshot)
    return packets[-1] if packets else tables.snapshots.integer("packet", snapshot)


def _packets(tables: Tables, snapshot: int) -> tuple[int, ...]:
    return tuple(sorted(set(part_packets(tables, snapshot).tolist())))
