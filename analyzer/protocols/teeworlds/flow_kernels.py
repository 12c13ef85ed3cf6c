"""Reads the datagrams of a flow in bulk, compiled: header, compression, chunks, snapshots and acknowledgements.

Reads what is usual, and stops where plain reading has to go on: at a datagram, at a chunk of one, or behind the last
part of a snapshot. Nothing is changed before it is sure that a step can be made whole. How an epoch is tracked is said
once, in snapshots/track.py; the rows are those of reading.py and epoch.py. Spec sections 2, 7, 8 and 17.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.protocols.base import REST_NS
from analyzer.protocols.teeworlds import kernels as making
from analyzer.protocols.teeworlds.codes import CHUNKS, CODE_NUMBERS, NO_NUMBER, REPEATED, RESENT, SYSTEM, VITAL
from analyzer.protocols.teeworlds.messages import MAX_PART_LENGTH, MAX_PARTS, SNAP, SNAPEMPTY, SNAPSINGLE
from analyzer.protocols.teeworlds.state import HEADER_BYTES
from analyzer.protocols.teeworlds.vital import BACKROOM, MODULO
from analyzer.snapshots import kernels as tracking
from analyzer.snapshots import track
from analyzer.snapshots.status import Proof, Status
from analyzer.snapshots.track import Track
from analyzer.snapshots.tracker import MAX_STORE_BYTES
from analyzer.store.row_columns import (
    M_CODE,
    M_FLAGS,
    M_ID,
    M_NAME,
    M_OFFSET,
    M_PACKET,
    M_SEQUENCE,
    M_SIZE,
    N_AMENDMENTS,
    N_MESSAGES,
    N_PACKETS,
    N_PARTS,
    N_SNAPSHOTS,
    P_ACK,
    P_CHUNKS,
    P_CODE,
    P_FLAGS,
    P_KIND,
    P_PACKET,
    P_SESSION,
    P_SEVERITY,
    P_SNAPSHOT,
    R_NUMBER,
    R_ORDINAL,
    R_PACKET,
    S_ACKED_PACKET,
    S_ADDED,
    S_BASE,
    S_BASE_TICK,
    S_CAUSE,
    S_CHANGED,
    S_CLIENT_HAS,
    S_CLIENT_KEPT,
    S_CODE,
    S_CRC_COMPUTED,
    S_CRC_WIRE,
    S_DELETED,
    S_DELTA_BYTES,
    S_DEPTH,
    S_DETAIL,
    S_DETAIL2,
    S_FIRST_PART,
    S_ITEMS,
    S_KIND,
    S_LOST_BY,
    S_PACKET,
    S_PART_COUNT,
    S_PARTS,
    S_PROOF,
    S_REMOVED,
    S_SESSION,
    S_STATE_BYTES,
    S_STATUS,
    S_TICK,
    S_UPDATED,
    S_WIRE_BYTES,
)
from analyzer.store.rows import RowBuffers
from analyzer.transports.teeworlds_packet import COMPRESSED, CONNLESS, CONTROL, TOKEN, TOKEN_SIZE, TokenPlace
from analyzer.wire.kernels import decompress, digest, unpack

Ints = NDArray[np.int64]

HEADER_SIZE = 3
MAX_CHUNKS = 255
KNOWN_NUMBERS = 256
"""Message numbers that have a place in the table of names; others are left to plain reading."""

(
    SESSION,
    SERVER,
    TOKEN_VALUE,
    TOKEN_PLACE,
    SIZE_SHIFT,
    LAST,
    LAST_OTHER,
    ACKED,
    ACKED_OTHER,
    EARLY,
    EARLY_OTHER,
    LAST_NS,
    NAMED,
    MERGED,
    ARENA_USED,
    STOP,
    STAGE,
    CHUNK,
    AT_COLLECTOR,
    IN_ORDER,
) = range(20)
"""Places in the `state` of a reading: session; direction of the server; the connection's token, -1 without one, where
it stands, and the variant's size shift; of the vital chunks of either direction the last number in order, the last that
that the peer is known to have, -1 for none, and how many wait for their turn; the capture's clock; is the player's name
known; local number of the first snapshot in the rows; ints of the arena in use. And what `read` leaves: index of the
datagram at which it stopped, why, at which of its chunks, for AT_LAST_PART the collector, and whether there was a
snapshot message whose tick did not fall back."""
STATE_SIZE = 20

GOES_ON, AT_DATAGRAM, AT_MESSAGE, AT_LAST_PART, AT_HOUSEKEEPING = range(5)
"""Why `read` stopped: it did not; nothing of the datagram was read; nothing of the message; a collector is complete and
its snapshot is to be made; a message was read, and what is too old is to be let go of."""

OFFSET, SIZE, FLAGS, SEQUENCE = range(4)
"""Columns of `Work.chunks`: where the message begins in the bytes that hold the payload, and bits of messages.flags."""

TICK, BASE_TICK, KIND, PARTS, PART, CHECKSUM, DATA, DATA_SIZE, WHOLE = range(9)
"""Places in `Work.fields`, of a snapshot message; WHOLE is the digest of all of it."""

_FLAGGED, _TAIL = int(TokenPlace.FLAGGED), int(TokenPlace.TAIL)
_OK, _OK_EMPTY = CODE_NUMBERS["OK"], CODE_NUMBERS["OK-E"]
_STATUS_OK = int(Status.OK)
_UNPROVED, _OWN, _BASE = int(Proof.NONE), int(Proof.OWN), int(Proof.BASE)

MAP_CHANGE, SNAP_NUMBER, SNAPEMPTY_NUMBER, SNAPSINGLE_NUMBER, ENTERGAME, INPUT = 2, 5, 6, 7, 15, 16
START_INFO, CHANGE_INFO = 20, 21


class Datagrams(NamedTuple):
    """`DatagramBatch`, with its bytes as an array that cannot be written."""

    packet: Ints
    clock_ns: Ints
    direction: NDArray[np.int8]
    offset: Ints
    length: Ints
    udp_length: Ints
    buffer: NDArray[np.uint8]
    words: NDArray[np.uint64]


class Format(NamedTuple):
    """What the dialect says, and what plain reading has learned."""

    lookup: NDArray[np.int32]
    tree: NDArray[np.int16]
    sizes: NDArray[np.int32]
    names: Ints
    """Shape (2, KNOWN_NUMBERS): by system bit and message number the number of its name in the rows; -1: none yet."""
    handshake_ticks: Ints


class Work(NamedTuple):
    """Working memory of one thread."""

    plain: NDArray[np.uint8]
    """Decompressed payload."""
    plain_view: NDArray[np.uint8]
    """The same, read-only."""
    chunks: Ints
    """Shape (MAX_CHUNKS, 4)."""
    fields: Ints
    """Shape (9,)."""
    scratch: making.Scratch
    counts: making.TypeCounts
    result: Ints


class Store(NamedTuple):
    """Bytes and states of one epoch."""

    parts: NDArray[np.uint8]
    """Shape (collectors, bytes): part p of a collector begins at MAX_PART_LENGTH * p."""
    parts_view: NDArray[np.uint8]
    """The same, read-only."""
    arena: NDArray[np.int32]
    """States, each where AT says; the empty one at 0."""


class Flow(NamedTuple):
    """All that a flow is read with."""

    format: Format
    work: Work
    store: Store
    epoch: Track
    rows: RowBuffers
    state: Ints
    """See SESSION."""


@kernel
def read(
    datagrams: Datagrams,
    start: int,
    flow: Flow,
) -> None:
    """Read datagrams from index `start` on; `state` says how far, see STOP."""
    state = flow.state
    for number in range(start, len(datagrams.packet)):
        state[STOP] = number
        state[STAGE] = _read_datagram(datagrams, number, flow)
        if state[STAGE] != GOES_ON:
            return
    state[STOP] = len(datagrams.packet)
    state[STAGE] = GOES_ON


@kernel
def _read_datagram(
    datagrams: Datagrams,
    number: int,
    flow: Flow,
) -> int:
    format, work, rows, state = flow.format, flow.work, flow.rows, flow.state
    buffer = datagrams.buffer
    start, length = datagrams.offset[number], datagrams.length[number]
    if length < HEADER_SIZE or length != datagrams.udp_length[number]:
        return AT_DATAGRAM
    if datagrams.clock_ns[number] - state[LAST_NS] > REST_NS:
        return AT_DATAGRAM
    first = int(buffer[start])
    if first & (CONNLESS | CONTROL) or (length >= 8 and _has_stun_cookie(buffer, start)):
        return AT_DATAGRAM
    flags = first & (0xF8 if state[TOKEN_PLACE] == _FLAGGED else 0xF0)
    data, begin, end = buffer, start + HEADER_SIZE, start + length
    token = -1
    if flags & TOKEN:
        if begin + TOKEN_SIZE > end:
            return AT_DATAGRAM
        token = _token(buffer, begin)
        begin += TOKEN_SIZE
    if flags & COMPRESSED:
        size = decompress(buffer, datagrams.words, begin, end, format.lookup, format.tree, work.plain, len(work.plain))
        if size < 0:
            return AT_DATAGRAM
        data, begin, end = work.plain_view, 0, size
    if state[TOKEN_PLACE] == _TAIL:
        end -= TOKEN_SIZE
        if end < begin:
            return AT_DATAGRAM
        token = _token(data, end)
    if token != state[TOKEN_VALUE]:
        return AT_DATAGRAM
    count = int(buffer[start + 2])
    if not _find_chunks(data, begin, end, count, state[SIZE_SHIFT], work.chunks):
        return AT_DATAGRAM
    if not _has_room(rows, count):
        return AT_DATAGRAM
    direction = int(datagrams.direction[number])
    ack = (first & 3) << 8 | int(buffer[start + 1])
    if not _acknowledge(state, 1 - direction, ack):
        return AT_DATAGRAM
    state[LAST_NS] = datagrams.clock_ns[number]
    _add_packet(rows, datagrams.packet[number], state[SESSION], flags, ack, count)
    for chunk in range(count):
        stage = _read_message(datagrams, number, chunk, data, begin, flow)
        if stage != GOES_ON:
            state[CHUNK] = chunk
            return stage
    return GOES_ON


@kernel
def _has_stun_cookie(buffer: NDArray[np.uint8], start: int) -> bool:
    return _token(buffer, start + 4) == 0x2112A442


@kernel
def _token(data: NDArray[np.uint8], at: int) -> int:
    return int(data[at]) << 24 | int(data[at + 1]) << 16 | int(data[at + 2]) << 8 | int(data[at + 3])


@kernel
def _find_chunks(data: NDArray[np.uint8], begin: int, end: int, count: int, shift: int, chunks: Ints) -> bool:
    """Where the messages are. False: something is odd, or a connection may begin."""
    low = (1 << shift) - 1
    at = begin
    for chunk in range(count):
        if end - at < 2:
            return False
        first, second = int(data[np.uint64(at)]), int(data[np.uint64(at + 1)])
        size = (first & 0x3F) << shift | second & low
        at += 2
        sequence = NO_NUMBER
        flags = 0
        if first & 0x40:
            if at >= end:
                return False
            sequence = (second & (0xFF ^ low)) << 2 | int(data[np.uint64(at)])
            at += 1
            flags = VITAL
            if sequence == 1:
                return False
        if first & 0x80:
            flags |= RESENT
        if size > end - at:
            return False
        chunks[chunk, OFFSET] = at
        chunks[chunk, SIZE] = size
        chunks[chunk, FLAGS] = flags
        chunks[chunk, SEQUENCE] = sequence
        at += size
    return at == end


@kernel
def _has_room(rows: RowBuffers, messages: int) -> bool:
    packets, known = int(rows.counts[N_PACKETS]), int(rows.counts[N_MESSAGES])
    return packets < len(rows.packets) and known + messages <= len(rows.messages)


@kernel
def _acknowledge(state: Ints, sender: int, ack: int) -> bool:
    """What the peer of `sender` has of its vital chunks. False: some that were lost are to be given up."""
    last = state[LAST + sender]
    if last >= 0 and 0 < (ack - last) % MODULO <= BACKROOM:
        if state[EARLY + sender]:
            return False
        state[ACKED + sender] = ack
    return True


@kernel
def _add_packet(rows: RowBuffers, packet: int, session: int, flags: int, ack: int, chunks: int) -> None:
    at = rows.counts[N_PACKETS]
    rows.counts[N_PACKETS] = at + 1
    row = rows.packets[at]
    row[P_PACKET] = packet
    row[P_SESSION] = session
    row[P_KIND] = CHUNKS
    row[P_FLAGS] = flags
    row[P_ACK] = ack
    row[P_CHUNKS] = chunks
    row[P_CODE] = 0
    row[P_SNAPSHOT] = -1
    row[P_SEVERITY] = 0


@kernel
def _read_message(
    datagrams: Datagrams,
    number: int,
    chunk: int,
    data: NDArray[np.uint8],
    begin: int,
    flow: Flow,
) -> int:
    format, work, epoch, rows, state = flow.format, flow.work, flow.epoch, flow.rows, flow.state
    offset, size = work.chunks[chunk, OFFSET], work.chunks[chunk, SIZE]
    flags, sequence = work.chunks[chunk, FLAGS], work.chunks[chunk, SEQUENCE]
    end = offset + size
    value, body = unpack(data, offset, end)
    id = value >> 1
    if body < 0 or id <= 0 or id >= KNOWN_NUMBERS or format.names[value & 1, id] < 0:
        return AT_MESSAGE
    direction = int(datagrams.direction[number])
    from_server = direction == state[SERVER]
    if value & 1:
        flags |= SYSTEM
    is_snap, is_input = False, False
    if flags & SYSTEM and from_server:
        is_snap = SNAP_NUMBER <= id <= SNAPSINGLE_NUMBER
        if flags & VITAL and (is_snap or id == MAP_CHANGE):
            return AT_MESSAGE
    elif flags & SYSTEM:
        is_input = id == INPUT
        if flags & VITAL and (is_input or id == ENTERGAME):
            return AT_MESSAGE
    elif not from_server and START_INFO <= id <= CHANGE_INFO:
        return AT_MESSAGE
    if flags & VITAL:
        last = state[LAST + direction]
        if last < 0 or sequence == (last + 1) % MODULO:
            if state[EARLY + direction]:
                return AT_MESSAGE
            state[LAST + direction] = sequence
        elif (last - sequence) % MODULO <= BACKROOM:
            flags |= REPEATED
        else:
            return AT_MESSAGE
    packet = datagrams.packet[number]
    if is_snap:
        if not _read_fields(data, id, body, end, work.fields):
            return AT_MESSAGE
        work.fields[WHOLE] = digest(data, body, end)
        if not _can_receive(flow):
            return AT_MESSAGE
    tick = -1
    if is_input:
        tick, body = _read_input(data, body, end)
        if body < 0 or (tick >= 0 and not _can_acknowledge(epoch, tick, rows)):
            return AT_MESSAGE
    _add_message(rows, packet, format.names[value & 1, id], id, flags, sequence, size, offset - begin)
    if is_snap:
        return _receive(data, packet, chunk, datagrams.udp_length[number], flow)
    if tick >= 0 and not _is_in(format.handshake_ticks, tick) and tracking.believe(epoch, tick):
        entry = tracking.find(epoch, tick)
        if entry < 0 or epoch.ticks[entry, track.ACK_PACKET] < 0:
            tracking.acknowledge(epoch, tick, packet, rows.amendments, rows.counts)
    return GOES_ON


@kernel
def _is_in(ticks: Ints, tick: int) -> bool:
    for at in range(len(ticks)):  # noqa: SIM110 (numba has no generators here)
        if ticks[at] == tick:
            return True
    return False


@kernel
def _add_message(
    rows: RowBuffers, packet: int, name: int, id: int, flags: int, sequence: int, size: int, offset: int
) -> None:
    at = rows.counts[N_MESSAGES]
    rows.counts[N_MESSAGES] = at + 1
    row = rows.messages[at]
    row[M_PACKET] = packet
    row[M_NAME] = name
    row[M_ID] = id
    row[M_FLAGS] = flags
    row[M_SEQUENCE] = sequence
    row[M_SIZE] = size
    row[M_OFFSET] = offset
    row[M_CODE] = 0


@kernel
def _read_input(data: NDArray[np.uint8], at: int, end: int) -> tuple[int, int]:
    """The tick that an INPUT acknowledges, and where its third number ends; -1 instead if it is cut off."""
    tick, at = unpack(data, at, end)
    for _ in range(2):
        if at >= 0:
            _, at = unpack(data, at, end)
    return tick, at


@kernel
def _can_acknowledge(epoch: Track, tick: int, rows: RowBuffers) -> bool:
    wanted = 2 + epoch.numbers[track.N_UNPASSED]
    return (
        tracking.has_room(epoch)
        and rows.counts[N_AMENDMENTS] + wanted <= len(rows.amendments)
        and not tracking.ack_bears_on_causes(epoch, tick)
    )


@kernel
def _read_fields(data: NDArray[np.uint8], id: int, at: int, end: int, fields: Ints) -> bool:
    """The fields of a snapshot message, with the checks of `messages.read_snap`."""
    kind = SNAP if id == SNAP_NUMBER else SNAPEMPTY if id == SNAPEMPTY_NUMBER else SNAPSINGLE
    parts, part, crc, length = 1, 0, 0, 0
    tick, at = unpack(data, at, end)
    delta_tick = 0
    if at >= 0:
        delta_tick, at = unpack(data, at, end)
    if kind == SNAP and at >= 0:
        parts, at = unpack(data, at, end)
        if at >= 0:
            part, at = unpack(data, at, end)
    if kind != SNAPEMPTY and at >= 0:
        crc, at = unpack(data, at, end)
        if at >= 0:
            length, at = unpack(data, at, end)
    if at < 0 or not 1 <= parts <= MAX_PARTS or not 0 <= part < parts:
        return False
    if not 0 <= length <= MAX_PART_LENGTH or length > end - at:
        return False
    fields[TICK] = tick
    fields[BASE_TICK] = making.signed(tick - delta_tick)
    fields[KIND] = kind
    fields[PARTS] = parts
    fields[PART] = part
    fields[CHECKSUM] = crc
    fields[DATA] = at
    fields[DATA_SIZE] = length
    return True


@kernel
def _can_receive(flow: Flow) -> bool:
    """Is a part a new one of a tick that is not over, does it agree with those before, and is there room for all?"""
    epoch, rows, fields = flow.epoch, flow.rows, flow.work.fields
    tick, base_tick, part = fields[TICK], fields[BASE_TICK], fields[PART]
    counts = rows.counts
    if counts[N_SNAPSHOTS] >= len(rows.snapshots) or counts[N_PARTS] + MAX_PARTS > len(rows.parts):
        return False
    if not tracking.has_room(epoch) or MAX_PART_LENGTH * (part + 1) > flow.store.parts.shape[1]:
        return False
    if tick < epoch.numbers[track.SEEN] - track.REORDERED_TICKS:
        return False
    if 0 <= base_tick < tick:
        base = tracking.find(epoch, base_tick)
        if base >= 0 and epoch.ticks[base, track.FLAGS] & track.CAUSE and not epoch.ticks[base, track.USED]:
            return False
    fate = tracking.fate(epoch, tick, part, fields[WHOLE])
    if fate == track.JOINS:
        collector = epoch.ticks[tracking.find(epoch, tick), track.COLLECTOR]
        agrees: bool = (
            epoch.collectors[collector, track.C_BASE_TICK] == base_tick
            and epoch.collectors[collector, track.C_PARTS] == fields[PARTS]
            and epoch.collectors[collector, track.C_CRC] == fields[CHECKSUM]
        )
        return agrees
    return fate == track.OPENS


@kernel
def _receive(
    data: NDArray[np.uint8],
    packet: int,
    ordinal: int,
    wire_bytes: int,
    flow: Flow,
) -> int:
    """Take a part in, and make the snapshot if it is the last."""
    work, epoch, state = flow.work, flow.epoch, flow.state
    fields = work.fields
    tick, base_tick, part, length = fields[TICK], fields[BASE_TICK], fields[PART], fields[DATA_SIZE]
    state[IN_ORDER] = 1
    late = tracking.see(epoch, tick)
    if 0 <= base_tick < tick:
        tracking.refer(epoch, base_tick, tick)
    entry = tracking.find(epoch, tick)
    collector = epoch.ticks[entry, track.COLLECTOR] if entry >= 0 else -1
    if collector < 0:
        collector = tracking.open_collector(epoch, tick)
    tracking.agree(epoch, collector, base_tick, fields[PARTS], fields[CHECKSUM], fields[KIND], late)
    tracking.hold(epoch, collector, part, packet, ordinal, length, wire_bytes, fields[WHOLE])
    begin = fields[DATA]
    if fields[PARTS] > 1:
        _keep_part(data, begin, length, flow.store.parts[collector], part)
        data, begin = flow.store.parts_view[collector], 0
    if tracking.missing(epoch, collector) < 0 and not _complete(data, begin, collector, packet, flow):
        if fields[PARTS] == 1:
            _keep_part(data, begin, length, flow.store.parts[collector], part)
        state[AT_COLLECTOR] = collector
        return AT_LAST_PART
    return GOES_ON if _keep_house(epoch) else AT_HOUSEKEEPING


@kernel
def _keep_part(data: NDArray[np.uint8], begin: int, length: int, held: NDArray[np.uint8], part: int) -> None:
    place = MAX_PART_LENGTH * part
    for step in range(length):
        held[np.uint64(place + step)] = data[np.uint64(begin + step)]


@kernel
def _keep_house(epoch: Track) -> bool:
    """Forget what is too old. False: that concerns what plain reading keeps beside."""
    numbers = epoch.numbers
    if tracking.overdue(epoch, numbers[track.SEEN] - track.RETENTION_TICKS) >= 0:
        return False
    if numbers[track.SEEN] < numbers[track.PURGE_AT]:
        return True
    if not tracking.nothing_beside(epoch) or numbers[track.BYTES] > MAX_STORE_BYTES:
        return False
    tracking.purge(epoch)
    return True


@kernel
def _complete(
    data: NDArray[np.uint8],
    begin: int,
    collector: int,
    packet: int,
    flow: Flow,
) -> bool:
    """Make the snapshot whose parts are all here: from `begin` on in `data`, one behind the other. False: it failed, or something about it is unusual."""
    work, store, epoch, rows, state = flow.work, flow.store, flow.epoch, flow.rows, flow.state
    tick, base_tick = epoch.collectors[collector, track.C_TICK], epoch.collectors[collector, track.C_BASE_TICK]
    announced, kind = epoch.collectors[collector, track.C_PARTS], epoch.collectors[collector, track.C_KIND]
    made, result = store.arena[state[ARENA_USED] :], work.result
    if tracking.flags_of(epoch, tick) & (track.AWAITED | track.REPEATED):
        return False
    for part in range(announced - 1):
        if epoch.parts[collector, part, track.LENGTH] != MAX_PART_LENGTH:
            return False
    base, at, ints, depth = -1, 0, 1, -1
    if base_tick >= 0:
        base = tracking.find(epoch, base_tick)
        if base_tick >= tick or base < 0 or epoch.ticks[base, track.LOCAL] < 0:
            return False
        at, ints = epoch.ticks[base, track.AT], epoch.ticks[base, track.INTS]
        depth = epoch.ticks[base, track.DEPTH]
    depth = min(depth + 1, track.MAX_DEPTH)
    _, delta_bytes, wire_bytes = tracking.bytes_of(epoch, collector)
    unchanged = kind == SNAPEMPTY or delta_bytes == 0
    if unchanged:
        _unchanged(epoch, base, result)
    else:
        making.rebuild(
            data,
            begin,
            begin + delta_bytes,
            store.arena[at : at + ints],
            flow.format.sizes,
            work.scratch,
            made,
            result,
        )
        if result[making.FAULT] or result[making.WARNINGS]:
            return False
        if not state[NAMED] and making.find_own_info(made) >= 0:
            return False
    if kind != SNAPEMPTY and epoch.collectors[collector, track.C_CRC] != result[making.CRC]:
        return False
    if tracking.block_due(epoch, depth, delta_bytes, result[making.STATE_BYTES]):
        return False
    if not unchanged:
        if not making.count_types(made, work.scratch.updates, result[making.UPDATED], packet, work.counts):
            return False
        at, ints = state[ARENA_USED], result[making.LENGTH]
        state[ARENA_USED] += ints
    tracking.close_collector(epoch, collector)
    local = state[MERGED] + rows.counts[N_SNAPSHOTS]
    proof = _add_snapshot(collector, packet, base, depth, delta_bytes, wire_bytes, local, flow)
    entry = tracking.put_base(
        epoch,
        tick,
        local,
        result[making.STATE_BYTES],
        depth,
        proof != _UNPROVED,
        result[making.CRC],
        result[making.ITEMS],
    )
    epoch.ticks[entry, track.AT] = at
    epoch.ticks[entry, track.INTS] = ints
    tracking.pay(epoch, delta_bytes, 0)
    tracking.end(epoch, collector, local)
    rows.packets[rows.counts[N_PACKETS] - 1, P_SNAPSHOT] = local
    return True


@kernel
def _unchanged(epoch: Track, base: int, result: Ints) -> None:
    """The snapshot is its base."""
    result[:] = 0
    result[making.STATE_BYTES] = HEADER_BYTES
    if base >= 0:
        result[making.STATE_BYTES] = epoch.ticks[base, track.SIZE]
        result[making.ITEMS] = epoch.ticks[base, track.ITEMS]
        result[making.CRC] = epoch.ticks[base, track.CRC]


@kernel
def _add_snapshot(
    collector: int,
    packet: int,
    base: int,
    depth: int,
    delta_bytes: int,
    wire_bytes: int,
    local: int,
    flow: Flow,
) -> int:
    """The row of a snapshot that was made; returns what proves it."""
    epoch, rows, result, fields = flow.epoch, flow.rows, flow.work.result, flow.epoch.collectors
    empty = fields[collector, track.C_KIND] == SNAPEMPTY
    proof = _OWN
    if empty:
        proof = _BASE if base < 0 or epoch.ticks[base, track.PROVED] else _UNPROVED
    has, acked_packet = tracking.watch(epoch, fields[collector, track.C_TICK], local, False)
    first, count = _add_parts(collector, epoch, rows)
    at = rows.counts[N_SNAPSHOTS]
    rows.counts[N_SNAPSHOTS] = at + 1
    row = rows.snapshots[at]
    row[S_SESSION] = flow.state[SESSION]
    row[S_TICK] = fields[collector, track.C_TICK]
    row[S_BASE_TICK] = fields[collector, track.C_BASE_TICK]
    row[S_PACKET] = packet
    row[S_KIND] = fields[collector, track.C_KIND]
    row[S_STATUS] = _STATUS_OK
    row[S_CODE] = _OK_EMPTY if empty else _OK
    row[S_PARTS] = fields[collector, track.C_PARTS]
    row[S_BASE] = epoch.ticks[base, track.LOCAL] if base >= 0 else -1
    row[S_WIRE_BYTES] = wire_bytes
    row[S_DELTA_BYTES] = delta_bytes
    row[S_STATE_BYTES] = result[making.STATE_BYTES]
    row[S_ITEMS] = result[making.ITEMS]
    row[S_ADDED] = result[making.ADDED]
    row[S_CHANGED] = result[making.CHANGED]
    row[S_REMOVED] = result[making.REMOVED]
    row[S_DELETED] = result[making.DELETED]
    row[S_UPDATED] = result[making.UPDATED]
    row[S_CRC_WIRE] = result[making.CRC] if empty else fields[collector, track.C_CRC]
    row[S_CRC_COMPUTED] = result[making.CRC]
    row[S_CAUSE] = -1
    row[S_DEPTH] = depth
    row[S_CLIENT_KEPT] = 1 - fields[collector, track.C_LATE]
    row[S_CLIENT_HAS] = has
    row[S_LOST_BY] = 0
    row[S_PROOF] = proof
    row[S_ACKED_PACKET] = acked_packet
    row[S_DETAIL] = 0
    row[S_DETAIL2] = 0
    row[S_FIRST_PART] = first
    row[S_PART_COUNT] = count
    return proof


@kernel
def _add_parts(collector: int, epoch: Track, rows: RowBuffers) -> tuple[int, int]:
    """Rows of the parts, by number: the first, and how many."""
    first = rows.counts[N_PARTS]
    count = epoch.collectors[collector, track.C_PARTS]
    for part in range(count):
        rows.parts[first + part, R_PACKET] = epoch.parts[collector, part, track.PACKET]
        rows.parts[first + part, R_ORDINAL] = epoch.parts[collector, part, track.ORDINAL]
        rows.parts[first + part, R_NUMBER] = part
    rows.counts[N_PARTS] = first + count
    return first, count


@kernel
def states(epoch: Track, entries: Ints) -> tuple[int, int]:
    """The bases whose states are in the arena, by their places, into `entries`, and how many ints they take.

    Returns these two counts. `entries` has room for all ticks.
    """
    count, ints = 0, 0
    for entry in range(epoch.numbers[track.N_TICKS]):
        if epoch.ticks[entry, track.LOCAL] < 0 or epoch.ticks[entry, track.AT] == 0:
            continue
        # They mostly stand in the order in which they were added.
        at = count
        while at > 0 and epoch.ticks[entries[at - 1], track.AT] > epoch.ticks[entry, track.AT]:
            entries[at] = entries[at - 1]
            at -= 1
        entries[at] = entry
        count += 1
        ints += epoch.ticks[entry, track.INTS]
    return count, ints


@kernel
def move_states(epoch: Track, entries: Ints, count: int, old: NDArray[np.int32], new: NDArray[np.int32]) -> int:
    """Move the states of `entries`, which are ordered by place, to the front of an arena; returns the ints in use.

    `new` may be `old`. Ticks that share a state go on to share it.
    """
    used, last, moved = 1, 0, 0
    for number in range(count):
        entry = entries[number]
        at, ints = epoch.ticks[entry, track.AT], epoch.ticks[entry, track.INTS]
        if at != last:
            last, moved = at, used
            for step in range(ints):
                new[np.uint64(used + step)] = old[np.uint64(at + step)]
            used += ints
        epoch.ticks[entry, track.AT] = moved
    return used
