"""Parts of snapshots that are not complete yet: several ticks at once, since a bystander sees what a peer drops."""

from __future__ import annotations

from dataclasses import dataclass, field

from analyzer.store.rows import PartRow

MAX_OPEN = 8
"""Ticks collected at once. Three suffice in the lossiest capture known; each costs at most 64 parts."""


@dataclass(frozen=True, slots=True)
class HeldPart:
    """A part that arrived."""

    row: PartRow
    data: bytes
    wire_bytes: int
    """UDP payload of its datagram."""


@dataclass(slots=True)
class Collector:
    """The parts of one tick. Fields of a later part replace those of an earlier one, as a client does it."""

    tick: int
    base_tick: int
    announced: int
    checksum: int
    kind: int
    parts: dict[int, HeldPart] = field(default_factory=dict)
    late: bool = False
    """The last part came when a newer tick had begun: a client would not have taken it."""
    conflicts: list[str] = field(default_factory=list)
    """What later parts disagreed about with earlier ones."""

    def agree(self, base_tick: int, announced: int, checksum: int) -> None:
        """Take over the fields of a further part, and note where they differ."""
        for what, old, new in (
            ("base tick", self.base_tick, base_tick),
            ("number of parts", self.announced, announced),
            ("crc", self.checksum, checksum),
        ):
            if old != new:
                self.conflicts.append(f"{what} {old} then {new}")
        self.base_tick, self.announced, self.checksum = base_tick, announced, checksum

    def hold(self, part: HeldPart) -> None:
        """Keep a part; one with the same number and other bytes replaces the older."""
        number = part.row.number
        older = self.parts.get(number)
        if older is not None and older.data != part.data:
            self.conflicts.append(f"part {number} twice with different bytes")
        self.parts[number] = part

    @property
    def complete(self) -> bool:
        """Every part announced is here."""
        return not self.missing

    @property
    def missing(self) -> list[int]:
        """Numbers of the parts that did not arrive."""
        return [number for number in range(self.announced) if number not in self.parts]

    @property
    def received(self) -> tuple[PartRow, ...]:
        """Rows of the parts that count, by number."""
        return tuple(part.row for part in self._counted())

    @property
    def wire_bytes(self) -> int:
        """UDP payload of the datagrams that carried the parts that count, each datagram once."""
        return sum({part.row.packet: part.wire_bytes for part in self._counted()}.values())

    @property
    def delta_bytes(self) -> int:
        """Sum of the lengths of the parts that count."""
        return sum(len(part.data) for part in self._counted())

    def _counted(self) -> list[HeldPart]:
        """By number; a later part may have announced fewer than are held."""
        return [self.parts[number] for number in sorted(self.parts) if number < self.announced]


class Collectors:
    """The open collectors of an epoch, by tick."""

    def __init__(self) -> None:
        self._open: dict[int, Collector] = {}

    def get(self, tick: int) -> Collector | None:
        """The collector of a tick, if one is open."""
        return self._open.get(tick)

    def open(self, collector: Collector) -> None:
        """Add a collector."""
        self._open[collector.tick] = collector

    def close(self, tick: int) -> None:
        """Forget a collector."""
        del self._open[tick]

    def overdue(self, oldest: int) -> list[Collector]:
        """Collectors to give up, lowest tick first: those below tick `oldest` and those beyond `MAX_OPEN`."""
        ticks = sorted(self._open)
        surplus = max(0, len(ticks) - MAX_OPEN)
        return [self._open[tick] for index, tick in enumerate(ticks) if index < surplus or tick < oldest]

    def all(self) -> list[Collector]:
        """Every open collector, lowest tick first."""
        return [self._open[tick] for tick in sorted(self._open)]
