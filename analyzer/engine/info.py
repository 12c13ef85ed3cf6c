"""One line about a packet from the tables alone: its messages, the snapshots it carries parts of, what went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzer.capture.frames import MADE_INTERFACE
from analyzer.protocols.base import Protocol
from analyzer.snapshots.status import REBUILT, REPEATED, Code, LostBy, Status
from analyzer.stats.parts import CarriedPart, PartIndex
from analyzer.store.tables import Tables

MINUS = "\u2212"
DOT = " \u00b7 "
CHECKSUMS = ("crc_wire", "crc_computed")
"""Columns that hold a checksum: sentences have it in hex."""
NO_NOTES: Mapping[int, str] = {}


class PacketInfo:
    """Answers about packets, quickly, from published rows. Not for two threads at once."""

    def __init__(self, tables: Tables, protocols: Sequence[Protocol]) -> None:
        self._tables = tables
        self._protocols = {protocol.name: protocol for protocol in protocols}
        self._parts = PartIndex(tables)

    def protocol(self, packet: int) -> Protocol | None:
        """The protocol of the packet's flow, None while it is undecided."""
        tables = self._tables
        reading = tables.flows.integer("reading", tables.packets.integer("flow", packet))
        return None if reading < 0 else self._protocols[tables.readings.text("protocol", reading)]

    def messages(self, packet: int) -> range:
        """Rows of the packet's messages."""
        first = self._tables.packets.integer("first_message", packet)
        if first < 0:
            return range(0)
        messages = self._tables.messages
        stop = first + 1
        while stop < len(messages) and messages.integer("packet", stop) == packet:
            stop += 1
        return range(first, stop)

    def name(self, message: int) -> str:
        """The name of a message, as its protocol has it."""
        return self._tables.names[self._tables.messages.integer("name", message)]

    def follow(self, most: int) -> None:
        """Look at snapshots that were published, at most so many: what is left is looked at when it is asked for."""
        self._parts.catch_up(most)

    def parts(self, packet: int) -> list[CarriedPart]:
        """The parts of snapshots in a packet, in wire order."""
        self._parts.catch_up()
        found = (self._parts.carried(message) for message in self.messages(packet))
        return [part for part in found if part is not None]

    def snapshot_of_part(self, packet: int) -> int:
        """The snapshot that the packet's first part belongs to, -1 if it carries none."""
        parts = self.parts(packet)
        return parts[0].snapshot if parts else -1

    def snapshot(self, packet: int) -> int:
        """The snapshot that the packet completes or belongs to, -1 if there is none."""
        completed = self._tables.packets.integer("snapshot", packet)
        return completed if completed >= 0 else self.snapshot_of_part(packet)

    def line(self, packet: int, notes: Mapping[int, str] = NO_NOTES) -> str:
        """The line; what went wrong comes first. `notes` are those of `Query.notes`: values beside a message's name."""
        tables = self._tables
        protocol = self.protocol(packet)
        made = MADE_INTERFACE if self._is_made(packet) else ""
        if protocol is None:
            recognised = tables.flows.text("recognised", tables.packets.integer("flow", packet))
            return f"{recognised} (not decoded)" if recognised else f"{tables.packets.integer('length', packet)} bytes"
        kind = protocol.packet_kinds[tables.packets.integer("kind", packet)]
        code, _, sentence = protocol.packet_codes[tables.packets.integer("code", packet)].partition(": ")
        fault = f"{sentence} ({code})" if sentence else code
        names = ", ".join(self._messages(packet, protocol, notes))
        pieces = [names or ("" if code == kind else kind)]
        carried = [part.snapshot for part in self.parts(packet)]
        completed = tables.packets.integer("snapshot", packet)
        if completed >= 0 and completed not in carried:
            pieces.append(f"{self._head(completed)}{self._outcome(completed)}")
            carried.append(completed)
        failures = [self.reason(snapshot) for snapshot in carried if self._failed(snapshot)]
        return DOT.join(filter(None, dict.fromkeys((made, fault, *failures, *pieces))))

    def _is_made(self, packet: int) -> bool:
        """It was not captured: an excerpt has it so that others decode."""
        tables = self._tables
        if not tables.made_interfaces:
            return False
        interface = tables.frames.integer("interface", tables.packets.integer("frame", packet))
        return interface in tables.made_interfaces

    def reason(self, snapshot: int) -> str:
        """The sentence that goes with the snapshot's code, of itself: without the first cause."""
        row = self._tables.snapshots.row(snapshot)
        for name in CHECKSUMS:
            row[name] = f"{self._tables.snapshots.integer(name, snapshot) & 0xFFFFFFFF:08x}"
        text = self.code(snapshot).text
        lost = self.lost_here(snapshot)
        if lost:
            text += f"; the capture lost {lost} packet{'' if lost == 1 else 's'} here"
        return text.format(**row, missing=self._missing(snapshot) if "{missing}" in text else "")

    def known(self, snapshot: int) -> str:
        """How much the deltas tell of a snapshot without a base; empty if they tell of no item."""
        snapshots = self._tables.snapshots
        if snapshots.integer("status", snapshot) != Status.NO_BASE:
            return ""
        known, unknown = snapshots.integer("items", snapshot), snapshots.integer("detail2", snapshot)
        if not known and not unknown:
            return ""
        told = f"; deltas alone tell {known or 'no'} item{'s' if known > 1 else ''}"
        return f"{told}, at least {unknown}{' more' if known else ''} without values" if unknown else told

    def lost_here(self, snapshot: int) -> int:
        """Packets that the capturing program says it lost, where something is missing for which that is the reason."""
        if self._tables.snapshots.integer("lost_by", snapshot) != LostBy.CAPTURE or not self.code(snapshot).missing:
            return 0
        return self._tables.snapshots.integer("detail", snapshot)

    def code(self, snapshot: int) -> Code:
        """The snapshot's report code."""
        tables = self._tables
        reading = tables.sessions.integer("reading", tables.snapshots.integer("session", snapshot))
        protocol = self._protocols[tables.readings.text("protocol", reading)]
        return protocol.codes[tables.snapshots.integer("code", snapshot)]

    def _messages(self, packet: int, protocol: Protocol, notes: Mapping[int, str]) -> list[str]:
        """A text for each message; neighbours that say the same are counted."""
        self._parts.catch_up()
        texts: list[str] = []
        counts: list[int] = []
        for row in self.messages(packet):
            text = protocol.short_name(self.name(row))
            part = self._parts.carried(row)
            if part is not None:
                text += self._part(packet, part)
            elif notes.get(row):
                text += f", {notes[row]}"
            if texts and texts[-1] == text:
                counts[-1] += 1
            else:
                texts.append(text)
                counts.append(1)
        return [text if count == 1 else f"{text} ×{count}" for text, count in zip(texts, counts, strict=True)]

    def _part(self, packet: int, part: CarriedPart) -> str:
        snapshots = self._tables.snapshots
        parts = snapshots.integer("parts", part.snapshot)
        number = f" part {part.number + 1}/{parts}" if parts > 1 else ""
        ended = snapshots.integer("packet", part.snapshot) == packet or not self._is_ok(part.snapshot)
        return f" {self._head(part.snapshot, number)}{self._outcome(part.snapshot) if ended else ''}"

    def _is_ok(self, snapshot: int) -> bool:
        return self._tables.snapshots.integer("status", snapshot) == Status.OK

    def _failed(self, snapshot: int) -> bool:
        status = Status(self._tables.snapshots.integer("status", snapshot))
        return status is not Status.OK and status not in REPEATED

    def _head(self, snapshot: int, number: str = "") -> str:
        """Tick, part and distance of the base."""
        snapshots = self._tables.snapshots
        tick, base = snapshots.integer("tick", snapshot), snapshots.integer("base_tick", snapshot)
        against = f"base {MINUS}{tick - base}" if 0 <= base < tick else "full" if base < 0 else f"base {base}"
        return f"{tick}{number} {against}"

    def _outcome(self, snapshot: int) -> str:
        """Items and changes of a snapshot that was rebuilt, what a repeated one repeats."""
        get = self._tables.snapshots.integer
        status = Status(get("status", snapshot))
        text = f"{DOT}{self.reason(snapshot)}" if status in REPEATED else ""
        if status not in REBUILT:
            return text
        items = get("items", snapshot)
        text += f"{DOT}{items} item{'' if items == 1 else 's'}"
        if get("base_tick", snapshot) < 0:
            return text
        added, changed, removed = (get(name, snapshot) for name in ("added", "changed", "removed"))
        return text + (f", +{added} ~{changed} {MINUS}{removed}" if added or changed or removed else ", unchanged")

    def _missing(self, snapshot: int) -> str:
        """Numbers of the parts that did not arrive, counted from 1 as everywhere a person reads them."""
        tables = self._tables
        first = tables.snapshots.integer("first_part", snapshot)
        count = tables.snapshots.integer("part_count", snapshot)
        here = set(tables.parts.array("number", first, first + count).tolist()) if count else set()
        return ", ".join(str(n + 1) for n in range(tables.snapshots.integer("parts", snapshot)) if n not in here)
