"""What a click asks for: one packet's field tree, one snapshot's items and changes. Reads tables and file only."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.capture.file import CaptureFile
from analyzer.engine.autopsies import autopsy
from analyzer.engine.guessing import Guessing
from analyzer.engine.info import PacketInfo
from analyzer.engine.payloads import Payloads
from analyzer.engine.players import Players, ToldNames, last_rebuilt
from analyzer.engine.states import States
from analyzer.protocols.base import MessageNote, MessagePlace, Protocol, SessionFacts, SnapshotView
from analyzer.snapshots.autopsy import Autopsy
from analyzer.snapshots.model import Change, Item, JoinedDelta, PartialItems
from analyzer.snapshots.status import Code, Status
from analyzer.stats.live import Ints
from analyzer.stats.parts import part_frames
from analyzer.store.tables import Tables
from analyzer.wire.errors import DecodeError
from analyzer.wire.reader import Buffer, Field, FieldTree

if TYPE_CHECKING:
    from analyzer.engine.expertise import FindingWords
    from analyzer.engine.item_walk import ItemWalk
    from analyzer.expert.findings import Findings


class Query:
    """Answers about rows. Not for two threads at once."""

    def __init__(
        self, tables: Tables, file: CaptureFile, protocols: Sequence[Protocol], *, compiled: bool = False
    ) -> None:
        """`compiled`: kernels are loaded and may be used; the answers are the same."""
        self._tables = tables
        self._file = file
        self._payloads = Payloads(tables, file)
        self.states = States(tables, self._payloads, protocols, compiled=compiled)
        self._info = PacketInfo(tables, protocols)
        self._guessing = Guessing(self, tables)
        self._told_names = ToldNames(tables, self._payloads.payloads)
        self._findings: Findings | None = None
        self._walk: ItemWalk | None = None

    def close(self) -> None:
        """Let go of the file."""
        self.states.close()
        # It refers to this query.
        del self._guessing
        self._file.close()

    @property
    def findings(self) -> Findings:
        """What expert rules find. It is to be updated before it is asked."""
        if self._findings is None:
            # Most commands have no use for rules, and loading them takes longer than decoding a small file.
            from analyzer.engine.expertise import open_findings

            self._findings = open_findings(self._tables, list(self.states.protocols.values()))
        return self._findings

    def share(self, findings: Findings) -> None:
        """Have those that another query keeps, which alone may update them; before they are asked for here."""
        self._findings = findings

    @property
    def finding_words(self) -> FindingWords:
        """Findings in words."""
        from analyzer.engine.expertise import FindingWords

        return FindingWords(self._tables, self.states.protocols, self.reason, self.findings.items.texts)

    def look_at_items(self, seconds: float | None = None) -> bool:
        """Go on looking at items for the rules about them, for so long at least; False: nothing is left for now.

        What is found is in `findings` after its next update.
        """
        return self._item_walk.step(seconds)

    @property
    def items_looked_at(self) -> tuple[int, int]:
        """Snapshots that were passed, and how many there are."""
        return self._item_walk.progress

    @property
    def _item_walk(self) -> ItemWalk:
        if self._walk is None:
            from analyzer.engine.item_walk import ItemWalk

            self._walk = ItemWalk(self._tables, self.states, self.findings.items)
        return self._walk

    def autopsy(self, snapshot: int) -> Autopsy | None:
        """What could explain the checksum of a snapshot; None where it is right, or nobody can tell."""
        return autopsy(self._tables, self.states, snapshot)

    def payload(self, packet: int) -> bytes:
        """Captured bytes of the UDP payload."""
        return self._payloads.payload(packet)

    def payloads(self, packets: Sequence[int]) -> list[bytes]:
        """Captured bytes of the UDP payloads of several packets, in few reads."""
        return self._payloads.payloads(packets)

    def frame(self, frame: int) -> bytes:
        """Captured bytes of a frame."""
        return self._payloads.frame(frame)

    def protocol(self, packet: int) -> Protocol | None:
        """The protocol of the packet's flow, None while it is undecided."""
        return self._info.protocol(packet)

    def facts(self, packet: int) -> SessionFacts:
        """What explaining the packet needs; of a packet outside any session, just the dialect."""
        tables = self._tables
        session = tables.packets.integer("session", packet)
        if session >= 0:
            return self._session_facts(session)
        reading = tables.flows.integer("reading", tables.packets.integer("flow", packet))
        return SessionFacts(tables.readings.text("dialect", reading))

    def explain(self, packet: int) -> FieldTree:
        """Every byte of the packet named, with the delta it completed or carries a part of, once all parts are here.

        An undecided packet is one buffer of bytes.
        """
        protocol = self.protocol(packet)
        payload = self.payload(packet)
        if protocol is None:
            return FieldTree((Buffer("captured", payload),), ())
        snapshot = self.snapshot(packet)
        joined = self.joined(snapshot) if snapshot >= 0 and protocol.snapshots is not None else None
        facts = self.facts(packet)
        session = self._tables.packets.integer("session", packet)
        if session < 0:
            return protocol.explain(payload, facts, joined)
        # What the packet itself tells, the protocol reads.
        told = self._told_names.players(session, packet - 1, facts, protocol)
        facts = replace(facts, players=Players(lambda: self._names_at(packet)) if told is None else told)
        return protocol.explain(payload, self._guessing.facts(session, facts, protocol), joined)

    def _names_at(self, packet: int) -> dict[int, str]:
        """The names in the newest snapshot."""
        snapshot = last_rebuilt(self._tables, packet)
        return {item.id: item.owner for item in self.items(snapshot) if item.owner} if snapshot >= 0 else {}

    def messages(self, packet: int) -> range:
        """Rows of the packet's messages."""
        return self._info.messages(packet)

    def info(self, packet: int) -> str:
        """One line about the packet: its messages with their key values, and the snapshots it carries parts of."""
        return self._info.line(packet, self.notes([packet]))

    def notes(self, packets: Iterable[int]) -> dict[int, str]:
        """Key values that no table holds, by message row; for messages whose protocol has such notes."""
        found: dict[int, str] = {}
        for packet in packets:
            protocol = self._info.protocol(packet)
            if protocol is None or protocol.message_note is None:
                continue
            for row in self.messages(packet):
                read = protocol.message_note(self._info.name(row))
                if read is not None:
                    found[row] = self._note(read, packet, row)
        return found

    def message_fields(self, messages: Ints) -> list[tuple[Field, ...]]:
        """The fields of rows of `messages`, shape (n,), without guesses; none of one whose protocol knows none."""
        packets = self._tables.messages.take("packet", messages).tolist()
        found: list[tuple[Field, ...]] = []
        for packet, place in zip(packets, self._message_places(messages), strict=True):
            protocol = self._info.protocol(packet)
            read = protocol.message_fields if protocol is not None else None
            payload, offset, size = place
            found.append(() if read is None else read(payload, self.facts(packet), offset, size))
        return found

    def message_ints(self, messages: Ints, field: str) -> Ints | None:
        """The number in a field of rows of `messages`, shape (n,), of one name and dialect; see `base.MessageInts`."""
        if not self.states.compiled or not len(messages):
            return None
        first = int(messages[0])
        packet = self._tables.messages.integer("packet", first)
        protocol = self._info.protocol(packet)
        if protocol is None or protocol.message_ints is None:
            return None
        places = self._message_places(messages)
        return protocol.message_ints(places, self.facts(packet), self._info.name(first), field)

    def _message_places(self, messages: Ints) -> list[MessagePlace]:
        columns = self._tables.messages
        different, place = np.unique(columns.take("packet", messages).astype(np.int64), return_inverse=True)
        payloads = self._payloads.payloads(different.tolist())
        offsets, sizes = (columns.take(name, messages).tolist() for name in ("offset", "size"))
        return [(payloads[at], offset, size) for at, offset, size in zip(place.tolist(), offsets, sizes, strict=True)]

    def snapshots_of(self, packet: int) -> list[int]:
        """Snapshot rows that this packet completed or decided, of the live reading."""
        deciding = self._tables.snapshots.array("packet")
        return [row for row in np.flatnonzero(deciding == packet).tolist() if self.alive(row)]

    def snapshot_of_part(self, packet: int) -> int:
        """The snapshot that one of the packet's messages is a part of, -1 if none."""
        return self._info.snapshot_of_part(packet)

    def snapshot(self, packet: int) -> int:
        """The snapshot that the packet completed or decided, else the one it carries a part of; -1 if there is none."""
        return self._info.snapshot(packet)

    def alive(self, snapshot: int) -> bool:
        """Does the snapshot belong to a reading that was not replaced?"""
        tables = self._tables
        reading = tables.sessions.integer("reading", tables.snapshots.integer("session", snapshot))
        return bool(tables.readings.get("alive", reading))

    def state(self, snapshot: int) -> object | None:
        """The protocol's state of a snapshot, rebuilt from the file; None for one that cannot be rebuilt."""
        return self.states.state(snapshot)

    def packed(self, snapshot: int) -> bytes | None:
        """The state as the protocol packs it; None for one that cannot be rebuilt."""
        state = self.state(snapshot)
        return None if state is None else self.states.codec(snapshot).pack(state)

    def items(self, snapshot: int, chosen: Container[tuple[int, int]] | None = None) -> tuple[Item, ...]:
        """The snapshot's items, or those of them whose (type, id) is `chosen`; none where it cannot be rebuilt."""
        state = self.state(snapshot)
        if state is None:
            return ()
        return self.states.codec(snapshot).items(state, self._shown_facts(snapshot), self._tick(snapshot), chosen)

    def plain_items(self, snapshot: int) -> tuple[Item, ...]:
        """All of the snapshot's items without guesses."""
        state = self.state(snapshot)
        if state is None:
            return ()
        return self.states.codec(snapshot).items(state, self.states.facts_of(snapshot), self._tick(snapshot))

    def forget_guesses(self) -> None:
        """Other schema files count from now on."""
        self._guessing.forget()

    def partial(self, snapshot: int) -> PartialItems | None:
        """What is known of a snapshot whose base is not; None of any other, or if the delta tells nothing."""
        codec, state = self.states.protocol_of(snapshot).partial, self.states.partial_state(snapshot)
        if codec is None or state is None:
            return None
        return codec.items(state, self._shown_facts(snapshot), self._tick(snapshot))

    def changes(self, snapshot: int) -> tuple[Change, ...]:
        """What the snapshot's delta did; with an unknown base, what the delta says by itself."""
        tables = self._tables
        joined = self.joined(snapshot)
        if joined is None:
            return ()
        codec = self.states.codec(snapshot)
        base = tables.snapshots.integer("base", snapshot)
        partial = self.states.protocol_of(snapshot).partial
        if partial is not None and self.lacks_base(snapshot):
            known = self.states.partial_state(base) if base >= 0 else None
            known = partial.nothing() if known is None else known
            return partial.changes(known, joined, self._shown_facts(snapshot), self._tick(snapshot))
        state: object | None
        if base >= 0:
            state = self.state(base)
        else:
            state = codec.empty() if tables.snapshots.integer("base_tick", snapshot) < 0 else None
        return codec.changes(state, joined, self._shown_facts(snapshot), self._tick(snapshot))

    def lacks_base(self, snapshot: int) -> bool:
        """Was the snapshot sent against one that could not be rebuilt, or that the capture does not have?"""
        return self.states.lacks_base(snapshot)

    def joined(self, snapshot: int) -> JoinedDelta | None:
        """The delta joined from its parts; None while parts are missing or unreadable."""
        return self.states.joined(snapshot)

    def received(self, snapshot: int) -> JoinedDelta:
        """The parts that are here, one after the other by number: all there is of a delta that never was completed.

        Without parts, or with an unreadable one, it is empty.
        """
        return self.states.received(snapshot)

    def view(self, snapshot: int) -> SnapshotView[Any]:
        """The row with what stands around it."""
        tables = self._tables
        row = tables.snapshots.row(snapshot)
        session = tables.snapshots.integer("session", snapshot)
        reading = tables.sessions.integer("reading", session)
        flow = tables.readings.integer("flow", reading)
        ends = tables.flows.text("address_a", flow), tables.flows.text("address_b", flow)
        server = 0 if tables.flows.integer("server", flow) == 0 else 1
        cause = tables.snapshots.integer("cause", snapshot)
        return SnapshotView(
            row,
            self._code(snapshot),
            self.reason(snapshot),
            ends[1 - server],
            ends[server],
            tables.sessions.integer("number", session),
            self._session_facts(session),
            self._frame_of(snapshot),
            None if cause < 0 else self._frame_of(cause),
            self.state(snapshot),
        )

    def record(self, snapshot: int, with_items: bool) -> dict[str, object]:
        """The snapshot as the protocol's JSON record."""
        record = self.states.codec(snapshot).record(self.view(snapshot), with_items)
        partial = self.partial(snapshot)
        return record if partial is None else record | {"partial": partial_record(partial, with_items)}

    def lost_here(self, snapshot: int) -> int:
        """Packets that the capturing program says it lost where something of a snapshot is missing."""
        return self._info.lost_here(snapshot)

    def reason(self, snapshot: int, record: str = "frame") -> str:
        """The sentence that goes with the snapshot's code. `record`: what a captured record is called in it."""
        text = self._info.reason(snapshot)
        cause = self._tables.snapshots.integer("cause", snapshot)
        if self._code(snapshot).status is Status.INCOMPLETE:
            text += self._parts_here(snapshot, record)
        if self._code(snapshot).status is Status.NO_BASE and cause >= 0:
            why = self._code(cause).legend
            text += f"; first cause: tick {self._tick(cause)} in {record} {self._frame_of(cause)}"
            text += f" ({why})" if why else ""
        return text + self._info.known(snapshot)

    def _parts_here(self, snapshot: int, record: str) -> str:
        """Where the parts of an incomplete snapshot are; empty if none is here."""
        tables = self._tables
        first = max(0, tables.snapshots.integer("first_part", snapshot))
        frames = part_frames(tables, snapshot)
        numbers = tables.parts.array("number", first, first + len(frames)).tolist()
        here = ", ".join(
            f"part {number + 1} in {record} {frame}" for number, frame in zip(numbers, frames, strict=True)
        )
        return f" ({here})" if here else ""

    def _note(self, read: MessageNote, packet: int, message: int) -> str:
        messages = self._tables.messages
        offset, size = messages.integer("offset", message), messages.integer("size", message)
        try:
            return read(self.payload(packet), self.facts(packet), offset, size)
        except DecodeError:
            return ""

    def _code(self, snapshot: int) -> Code:
        return self.states.protocol_of(snapshot).codes[self._tables.snapshots.integer("code", snapshot)]

    def _shown_facts(self, snapshot: int) -> SessionFacts:
        """With guesses of what nobody named, and the names that messages told."""
        session, protocol = self._tables.snapshots.integer("session", snapshot), self.states.protocol_of(snapshot)
        facts = self._guessing.facts(session, self._session_facts(session), protocol, snapshot)
        return self._told_names.facts(snapshot, facts, protocol)

    def _session_facts(self, session: int) -> SessionFacts:
        facts = self._tables.sessions.get("facts", session)
        assert isinstance(facts, SessionFacts)
        return facts

    def _tick(self, snapshot: int) -> int:
        return self._tables.snapshots.integer("tick", snapshot)

    def _frame_of(self, snapshot: int) -> int:
        """Number of the frame that completed or decided the snapshot, from 1."""
        packet = self._tables.snapshots.integer("packet", snapshot)
        return self._tables.packets.integer("frame", packet) + 1


def partial_record(partial: PartialItems, with_items: bool) -> dict[str, object]:
    """Counts, and with the items their types, ids and values."""
    record: dict[str, object] = {
        "known": len(partial.known),
        "unknown": len(partial.unknown),
        "absent": len(partial.absent),
    }
    if with_items:
        record["known_items"] = [[item.type, item.id, list(item.values)] for item in partial.known]
        record["unknown_items"] = [[item.type, item.id] for item in partial.unknown]
        record["absent_items"] = [[item.type, item.id] for item in partial.absent]
    return record
