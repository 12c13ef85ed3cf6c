"""Reads flows with compiled code where it can, plain where it must. Spec sections 2, 5, 7 and 8."""

from __future__ import annotations

import numpy as np

from analyzer.protocols.flow import Datagram, DatagramBatch, Reading
from analyzer.protocols.teeworlds import flow_columns as flow
from analyzer.protocols.teeworlds import flow_kernels
from analyzer.protocols.teeworlds.bulk_rebuilder import MEMORY, BulkRebuilder, BulkTypeCounter
from analyzer.protocols.teeworlds.dialects import Dialect
from analyzer.protocols.teeworlds.epoch import Epoch
from analyzer.protocols.teeworlds.messages import message_id, message_name
from analyzer.protocols.teeworlds.reading import TeeworldsReading
from analyzer.protocols.teeworlds.rebuilder import Tools
from analyzer.snapshots.tracking import parts
from analyzer.snapshots.tracking.columns import (
    MAX_PARTS,
    N_UNPASSED,
)
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.columns import Ints
from analyzer.store.rows import Rows
from analyzer.transports.teeworlds import read_packet
from analyzer.transports.teeworlds_huffman import HUFFMAN
from analyzer.transports.teeworlds_packet import (
    COMPRESSED,
    CONNLESS,
    FLAGS_SIZE,
    TOKEN,
    TOKEN_SIZE,
    Chunk,
    Packet,
    TokenPlace,
)
from analyzer.wire.errors import DecodeError
from analyzer.wire.kernels import decompress, digest, huffman_tables, words_of

_HUFFMAN = huffman_tables(HUFFMAN)


def bulk_tools(dialect: Dialect) -> Tools:
    """With compiled code."""
    types, schema = BulkTypeCounter(), dialect.schema
    last: list[BulkRebuilder] = []

    def open_rebuilder(tracker: Tracker) -> BulkRebuilder:
        rebuilder = BulkRebuilder(schema, types, tracker)
        if last:
            # The epoch before has ended, and the next one mostly needs as much memory.
            rebuilder.take_over(last.pop())
        last.append(rebuilder)
        return rebuilder

    return Tools(
        open_rebuilder,
        types,
        lambda message: digest(np.frombuffer(message, dtype=np.uint8), words_of(message), 0, len(message)),
    )


class BulkReading(TeeworldsReading):
    """One flow: a kernel reads on as long as nothing is unusual."""

    def __init__(self, rows: Rows, dialect: Dialect, server: int) -> None:
        super().__init__(rows, dialect, server, bulk_tools(dialect))
        self._sizes = np.asarray(self._schema.sizes, dtype=np.int32)
        self._handshakes: Ints = np.empty(0, dtype=np.int64)
        self._names: Ints = np.full((2, flow.KNOWN_NUMBERS), -1, dtype=np.int64)
        for (system, number), known in self._schema.by_message_number.items():
            if number < flow.KNOWN_NUMBERS:
                self._names[int(system), number] = rows.name(known.name)
        variant = dialect.variant
        self._roles, self._flags = flow.dialect_tables(dialect.name)
        self._state: Ints = np.zeros(flow.STATE_SIZE, dtype=np.int64)
        self._state[flow.SERVER] = server
        self._state[flow.TOKEN_PLACE] = variant.token_place
        self._state[flow.SIZE_SHIFT] = variant.size_shift
        self._state[flow.MAX_PAYLOAD] = variant.max_payload

    def feed(self, batch: DatagramBatch) -> None:
        """Read a batch."""
        datagrams = flow.Datagrams(
            batch.packet,
            batch.clock_ns,
            batch.direction,
            batch.offset,
            batch.length,
            batch.udp_length,
            np.frombuffer(batch.buffer, dtype=np.uint8),
            words_of(batch.buffer),
        )
        at = 0
        try:
            while at < len(batch):
                at = self._read_on(datagrams, at)
                if at < len(batch):
                    self._read_plainly(batch.part(at, at + 1))
                    at += 1
        finally:
            self._sessions.flush_types()

    def failed(self) -> None:
        """An exception of ours; where it struck in bulk, a tick may be left whose parts are all here."""
        is_in_bulk = self._pending is None
        super().failed()
        epoch, state = self._sessions.epoch, self._state
        if epoch is None or not is_in_bulk:
            return
        if state[flow.STAGE] == flow.AT_LAST_PART:
            epoch.bug_in(int(state[flow.AT_COLLECTOR]))
            return
        for collector in epoch.tracker.open_collectors():
            if parts.missing(epoch.tracker.track, collector) < 0:
                epoch.bug_in(collector)

    def _read_on(self, datagrams: flow.Datagrams, start: int) -> int:
        """Let the kernel read; the index of the datagram at which it stopped."""
        state, epoch = self._state, self._sessions.epoch
        state[flow.STAGE], state[flow.STOP] = flow.AT_DATAGRAM, start
        is_known = self._connection.token == self._sessions.facts.token and self._connection.is_settled
        if epoch is None or epoch.holed or self.last_ns is None or not is_known:
            return start
        rebuilder = epoch.rebuilder
        assert isinstance(rebuilder, BulkRebuilder)
        self._tell(epoch, rebuilder)
        left = len(datagrams.packet) - start
        rows = self.rows.reserve(
            packets=left,
            messages=4 * left + flow.MAX_CHUNKS,
            snapshots=left + 8,
            parts=left + 8 * MAX_PARTS,
            amendments=2 * left + 8 + epoch.tracker.numbers[N_UNPASSED],
        )
        handshakes = self._known_handshake_ticks()
        format = flow.Format(_HUFFMAN, self._sizes, self._names, self._roles, self._flags, handshakes)
        whole = flow.Flow(format, MEMORY.work, rebuilder.store, epoch.tracker.arrays, rows, state)
        try:
            flow_kernels.read(datagrams, start, whole)
        finally:
            self.rows.follow()
            self._learn_from(rebuilder)
        return int(state[flow.STOP])

    def _tell(self, epoch: Epoch, rebuilder: BulkRebuilder) -> None:
        """Tell the kernel what plain reading knows."""
        state = self._state
        state[flow.SESSION] = self._sessions.current
        for direction, stream in enumerate(self._vital):
            token = self._connection.token_from(direction)
            state[flow.TOKEN_VALUE + direction] = -1 if token is None else token
            state[flow.LAST + direction] = -1 if stream.last is None else stream.last
            state[flow.ACKED + direction] = -1 if stream.acked is None else stream.acked
            state[flow.EARLY + direction] = stream.early
        state[flow.LAST_NS] = self.last_ns or 0
        state[flow.NAMED] = not self._sessions.wants_player
        state[flow.MERGED] = self.rows.first_snapshot
        rebuilder.find_tail()
        rebuilder.reach()
        state[flow.HEAD], state[flow.TAIL] = rebuilder.head, rebuilder.tail
        state[flow.N_BLOCKS] = 0
        state[flow.IN_ORDER] = 0

    def _learn_from(self, rebuilder: BulkRebuilder) -> None:
        """Learn what the kernel found out."""
        known: list[int] = self._state.tolist()
        for direction, stream in enumerate(self._vital):
            if known[flow.LAST + direction] >= 0:
                stream.last = known[flow.LAST + direction]
            if known[flow.ACKED + direction] >= 0:
                stream.acked = known[flow.ACKED + direction]
        self.last_ns = known[flow.LAST_NS]
        rebuilder.head, rebuilder.tail = known[flow.HEAD], known[flow.TAIL]
        for local, packed in rebuilder.blocks(known[flow.N_BLOCKS]):
            self.rows.block(local, packed)
        if known[flow.IN_ORDER]:
            self._sessions.in_order()

    def _read_plainly(self, one: DatagramBatch) -> None:
        """Read the datagram at which the kernel stopped, or what is left of it."""
        stage = int(self._state[flow.STAGE])
        if stage == flow.AT_DATAGRAM:
            Reading.feed(self, one)
            return
        datagram = next(iter(one))
        packet = self._read_packet(datagram.payload)
        epoch = self._sessions.epoch
        assert epoch is not None
        chunk = int(self._state[flow.CHUNK])
        if stage != flow.AT_MESSAGE:
            chunk += 1
            epoch.wants_player = self._sessions.wants_player
            if stage == flow.AT_LAST_PART:
                epoch.complete(int(self._state[flow.AT_COLLECTOR]))
                self._state[flow.STAGE] = flow.AT_HOUSEKEEPING
            epoch.close_overdue()
            self._sessions.name_player(self._sessions.player or epoch.player)
        for message in packet.chunks[chunk:]:
            self._read_chunk(packet, message, datagram)
        self.rows.packet.session = self._sessions.current

    def _read_packet(self, payload: bytes) -> Packet:
        variant = self._dialect.variant
        plain = None
        flags = variant.flags_of(payload[0]) if payload else 0
        if len(payload) >= FLAGS_SIZE and flags & COMPRESSED and not flags & CONNLESS:
            start = FLAGS_SIZE
            if flags & TOKEN or variant.token_place is TokenPlace.HEADER:
                start += TOKEN_SIZE
            work, data = MEMORY.work, np.frombuffer(payload, dtype=np.uint8)
            words, limit = words_of(payload), variant.max_payload
            size = decompress(data, words, start, len(payload), _HUFFMAN, work.plain, limit)
            # Whatever is wrong with it is said by plain reading.
            plain = work.plain_bytes[:size].tobytes() if size >= 0 else None
        return read_packet(payload, variant, plain=plain)

    def _read_chunk(self, packet: Packet, chunk: Chunk, datagram: Datagram) -> None:
        super()._read_chunk(packet, chunk, datagram)
        try:
            number, system, _, _ = message_id(packet.payload, chunk.offset, chunk.offset + chunk.size)
        except DecodeError:
            return
        if 0 < number < flow.KNOWN_NUMBERS and self._names[int(system), number] < 0:
            known = self._schema.by_message_number.get((system, number))
            self._names[int(system), number] = self.rows.name(message_name(known, system, number))

    def _known_handshake_ticks(self) -> Ints:
        if len(self._handshakes) != len(self._handshake_ticks):
            self._handshakes = np.array(sorted(self._handshake_ticks), dtype=np.int64)
        return self._handshakes
