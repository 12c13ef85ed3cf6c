"""The tables of one opened capture, and what every column means. Filters, the list and exports use the same names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzer.store.blocks import Blocks
from analyzer.store.chunk_memory import ChunkMemory
from analyzer.store.columns import ColumnSpec as C
from analyzer.store.columns import Table
from analyzer.store.journal import Journal
from analyzer.store.names import Names

FRAMES = (
    C("time_ns", "i8", "nanoseconds since 1970-01-01 UTC"),
    C("offset", "i8", "where the frame's bytes begin in the (unpacked) capture file"),
    C("captured", "u4", "bytes in the file"),
    C("original", "u4", "bytes the frame had"),
    C("interface", "u2", "number of the capture interface"),
    C("kind", "u1", "what the frame was (net.FrameKind)"),
)
PACKETS = (
    C("frame", "i4", "frame that holds the datagram, or its last fragment", ref="frames"),
    C("flow", "i4", "the two endpoints", ref="flows"),
    C("direction", "i1", "0: sent by the flow's endpoint a, 1: by endpoint b"),
    C("start", "u4", "offset of the UDP payload in the frame (of the first fragment, where there are several)"),
    C("length", "u2", "captured bytes of the UDP payload"),
    C("udp_length", "u2", "bytes of the UDP payload, captured or not"),
    C("pieces", "u1", "1: all in `frame`; else its rows of `fragments` (255: or more)"),
    C("session", "i4", "the client's epoch it belongs to", -1, ref="sessions"),
    C("kind", "u1", "the protocol's kind of packet, index into Protocol.packet_kinds; 0: not decided", 0),
    C("flags", "u1", "header flags as on the wire", 0),
    C("ack", "u2", "header acknowledgement; 65535: none", 65535),
    C("chunks", "u1", "messages announced by the header", 0),
    C("first_message", "i4", "first of the packet's messages; they are contiguous", -1, ref="messages"),
    C("code", "u1", "what was wrong, index into Protocol.packet_codes; 0: nothing", 0),
    C("snapshot", "i4", "the snapshot this packet completed (the last one, if several)", -1, ref="snapshots"),
    C("severity", "u1", "worst that decoding noted on the packet: 0 nothing, 1 note, 2 warning, 3 error", 0),
)
FRAGMENTS = (
    C("packet", "i4", "the datagram", ref="packets"),
    C("frame", "i4", "frame of this fragment; fragments stand in payload order", ref="frames"),
    C("start", "u4", "offset of the payload bytes in that frame"),
    C(
        "length",
        "u2",
        "payload bytes taken from that frame; 0: it had a header alone, or what the capture cut is before it",
    ),
)
DROPS = (
    C("since", "i4", "frames were lost behind the one before this, the first frame that may be behind them"),
    C("frame", "i4", "and before this one, the first that is behind them; as many as there are where none came"),
    C("interface", "u2", "number of the capture interface that lost them"),
    C("lost", "i4", "frames lost"),
    C("packet", "i4", "first datagram behind them; as many as there are where none came"),
    C("begin_ns", "i8", "the capture's clock when it had everything last"),
    C("end_ns", "i8", "the capture's clock when it had everything again"),
    C("vague", "?", "the file does not say when it was well enough to put single snapshots down to it"),
)
FLOWS = (
    C("address_a", "O", "endpoint a, the sender of the first datagram, as address:port"),
    C("address_b", "O", "endpoint b"),
    C("first_packet", "i4", "first datagram", ref="packets"),
    C("packets", "u4", "datagrams so far", 0),
    C("server", "i1", "0: endpoint a is the server, 1: endpoint b, -1: not known", -1),
    C("reading", "i4", "live reading", -1, ref="readings"),
    C("recognised", "O", "what detection says where there is no reading: a dialect that is not decoded, or empty", ""),
    C("pinned", "O", "what a person wants it read as: a dialect, or none; empty: what detection says", ""),
)
READINGS = (
    C("flow", "i4", "the flow it interprets", ref="flows"),
    C("protocol", "O", "Protocol.name"),
    C("dialect", "O", "which of the protocol's dialects"),
    C("number", "u4", "counts the readings of a flow from 0"),
    C("alive", "?", "false once another reading replaced it; its rows stay and are masked", True),
)
SESSIONS = (
    C("reading", "i4", "reading it belongs to", ref="readings"),
    C("number", "u4", "sessions of the flow from 0, epochs without snapshots not counted (spec section 17.5)"),
    C("generation", "u4", "connection on the flow, from 0", 0),
    C("epoch", "u4", "map of the flow, from 0, empty ones counted", 0),
    C("dialect", "O", "dialect"),
    C("facts", "O", "what explaining a packet needs to know (protocols.base.SessionFacts)"),
    C("player", "O", "player's name, empty while unknown", ""),
    C("map", "O", "map name, empty while unknown", ""),
    C("first_packet", "i4", "first datagram", ref="packets"),
    C("last_packet", "i4", "last datagram so far", -1, ref="packets"),
)
MESSAGES = (
    C("packet", "i4", "datagram that carries it", ref="packets"),
    C("reading", "i4", "reading it belongs to", ref="readings"),
    C("name", "u2", "number of its name in Tables.names"),
    C("id", "u2", "message number on the wire; 65535: named by UUID or unreadable"),
    C("flags", "u1", "1 system, 2 vital, 4 resent, 8 repeated, 16 ahead of a gap, 32 control, 64 connectionless"),
    C("sequence", "u2", "sequence number of a vital message; 65535: none"),
    C("size", "u2", "bytes of the message body with its id"),
    C("offset", "u2", "where it begins in the packet's plain payload"),
    C("code", "u1", "what was wrong, index into Protocol.packet_codes; 0: nothing", 0),
)
PARTS = (
    C("message", "i4", "message that carries the part; a snapshot's parts are contiguous", ref="messages"),
    C("number", "u1", "part number on the wire, from 0"),
)
SNAPSHOTS = (
    C("session", "i4", "session it belongs to", ref="sessions"),
    C("tick", "i4", "server tick"),
    C("base_tick", "i4", "tick of its base; negative: the empty snapshot"),
    C("base", "i4", "the base's row", -1, ref="snapshots"),
    C("packet", "i4", "datagram that completed it, or that decided its fate", ref="packets"),
    C("first_part", "i4", "first of its parts", -1, ref="parts"),
    C("part_count", "u1", "parts received"),
    C("parts", "u1", "parts announced"),
    C("kind", "u1", "index into Protocol.snapshot_kinds"),
    C("wire_bytes", "u4", "UDP payload of the datagrams that carried its parts"),
    C("delta_bytes", "u4", "sum of part lengths (the packed delta)"),
    C("state_bytes", "u4", "8 + 8 an item + 4 an int; 0 if not rebuilt"),
    C("items", "u4", "items of the rebuilt snapshot; without a base, those that deltas made known"),
    C("added", "u4", "items not in the base"),
    C("changed", "u4", "items of the base with a difference"),
    C("removed", "u4", "items of the base that are gone"),
    C("deleted", "u4", "removed keys on the wire"),
    C("updated", "u4", "updates on the wire"),
    C("crc_wire", "i4", "checksum on the wire; 0 where there is none"),
    C("crc_computed", "i4", "checksum of what was rebuilt"),
    C("status", "u1", "snapshots.status.Status"),
    C("code", "u1", "index into Protocol.codes"),
    C("cause", "i4", "first cause of a failure: the snapshot at the root of the chain", -1, ref="snapshots"),
    C("depth", "i2", "deltas since the last stored block or full snapshot; -1: not rebuilt"),
    C("client_kept", "?", "false: the real client would have dropped it"),
    C("client_has", "u1", "snapshots.status.ClientHas", 0),
    C("lost_by", "u1", "snapshots.status.LostBy", 0),
    C("proof", "u1", "snapshots.status.Proof"),
    C("acked_packet", "i4", "the packet that acknowledged it", -1, ref="packets"),
    C("detail", "i4", "first argument of the reason (offset, base tick, ...)", 0),
    C(
        "detail2",
        "i4",
        "second argument of the reason; without a base, items known to be there, but not their values",
        0,
    ),
)
FINDINGS = (
    C("reading", "i4", "reading that noted it", ref="readings"),
    C("rule", "u2", "number of the expert rule's name in Tables.rules"),
    C("severity", "u1", "1 note, 2 warning, 3 error"),
    C("packet", "i4", "datagram it rests on", -1, ref="packets"),
    C("snapshot", "i4", "snapshot it rests on", -1, ref="snapshots"),
    C("offset", "i4", "byte in the packet's plain payload or the joined delta; -1: the whole", -1),
    C("text", "O", "a sentence with the rule's arguments", moves=True),
)
TYPES = (
    C("session", "i4", "session", ref="sessions"),
    C("name", "O", "name of the item type"),
    C("updates", "u4", "times an item of the type was sent in a snapshot that was rebuilt", 0),
    C("values", "u4", "values sent with them", 0),
)


class Tables:
    """Every table of one capture. Only the engine's writer appends; all others read."""

    def __init__(self, memory_limit: int | None = None) -> None:
        """`memory_limit`: bytes of rows and blocks that stay in memory, None for all (chunk_memory.py)."""
        self.chunks = ChunkMemory(memory_limit)
        self.journal = Journal()
        self.names = Names()
        """Message names."""
        self.rules = Names()
        """Names of expert rules."""
        self.made_interfaces: set[int] = set()
        """Values of frames.interface whose frames were not captured but written by this program."""
        self.blocks = Blocks(self.chunks)
        self.frames = Table("frames", FRAMES, self.journal, self.chunks)
        self.packets = Table("packets", PACKETS, self.journal, self.chunks)
        self.fragments = Table("fragments", FRAGMENTS, self.journal, self.chunks)
        self.drops = Table("drops", DROPS, self.journal, self.chunks)
        self.flows = Table("flows", FLOWS, self.journal, self.chunks)
        self.readings = Table("readings", READINGS, self.journal, self.chunks)
        self.sessions = Table("sessions", SESSIONS, self.journal, self.chunks)
        self.messages = Table("messages", MESSAGES, self.journal, self.chunks)
        self.parts = Table("parts", PARTS, self.journal, self.chunks)
        self.snapshots = Table("snapshots", SNAPSHOTS, self.journal, self.chunks)
        self.findings = Table("findings", FINDINGS, self.journal, self.chunks)
        self.types = Table("types", TYPES, self.journal, self.chunks)
        self.type_rows: dict[tuple[int, str], int] = {}
        """(session, name) -> row of `types`; the writer's index."""

    def __iter__(self) -> Iterator[Table]:
        yield from (
            self.frames,
            self.packets,
            self.fragments,
            self.drops,
            self.flows,
            self.readings,
            self.sessions,
            self.messages,
            self.parts,
            self.snapshots,
            self.findings,
            self.types,
        )

    def publish(self, ends: Mapping[str, int] | None = None) -> None:
        """Let readers see what was appended; a row is published after the rows it refers to.

        `ends`: by name of a table, how many rows of it may be seen, where that is not all.
        """
        for table in self:
            table.publish(ends.get(table.name) if ends else None)

    def memory(self) -> dict[str, tuple[int, int]]:
        """Rows and bytes of each table, wherever they are, chain blocks last; memory.py has more."""
        sizes = {table.name: (len(table), table.nbytes) for table in self}
        sizes["blocks"] = (len(self.blocks), self.blocks.nbytes)
        return sizes
