"""Reads the datagrams of a flow in bulk, compiled: header, compression, chunks, snapshots and acknowledgements.

Reads what is usual, and stops where plain reading has to go on: at a datagram, at a chunk of one, or behind the last
part of a snapshot. Nothing is changed before it is sure that a step can be made whole. How an epoch is tracked is said
once, in snapshots/track.py; the rows are those of reading.py and epoch.py. Spec sections 2, 7, 8 and 17.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.protocols.flow import REST_NS
from analyzer.protocols.teeworlds.codes import CHUNKS, NO_NUMBER, REPEATED, RESENT, SYSTEM, VITAL
from analyzer.protocols.teeworlds.flow_columns import (
    ACKED,
    AT_DATAGRAM,
    AT_MESSAGE,
    CHUNK,
    EARLY,
    FLAGS,
    GOES_ON,
    KNOWN_NUMBERS,
    LAST,
    LAST_NS,
    MAX_PAYLOAD,
    OFFSET,
    SEQUENCE,
    SERVER,
    SESSION,
    SIZE,
    SIZE_SHIFT,
    STAGE,
    STOP,
    TOKEN_PLACE,
    TOKEN_VALUE,
    WHOLE,
    Datagrams,
    Flow,
    Ints,
)
from analyzer.protocols.teeworlds.roles import Role
from analyzer.protocols.teeworlds.snap_kernels import can_receive, read_fields, receive
from analyzer.protocols.teeworlds.vital import BACKROOM, MODULO
from analyzer.snapshots.tracking import columns as track
from analyzer.snapshots.tracking import kernels as tracking
from analyzer.snapshots.tracking.columns import Track
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
    P_ACK,
    P_CHUNKS,
    P_CODE,
    P_FLAGS,
    P_KIND,
    P_PACKET,
    P_SESSION,
    P_SEVERITY,
    P_SNAPSHOT,
)
from analyzer.store.rows import RowBuffers
from analyzer.transports.teeworlds_packet import (
    COMPRESSED,
    CONNLESS,
    CONTROL,
    FLAGS_SIZE,
    TOKEN,
    TOKEN_SIZE,
    TokenPlace,
)
from analyzer.wire.kernels import decompress, digest, unpack

_HEADER, _TAIL = int(TokenPlace.HEADER), int(TokenPlace.TAIL)
_NO_ROLE, _LAST_SNAP, _INPUT = int(Role.NONE), int(Role.SNAP), int(Role.INPUT)
_OWN_NAME, _MAP_CHANGE = int(Role.OWN_NAME), int(Role.MAP_CHANGE)


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
    if length < FLAGS_SIZE or length != datagrams.udp_length[number]:
        return AT_DATAGRAM
    if datagrams.clock_ns[number] - state[LAST_NS] > REST_NS:
        return AT_DATAGRAM
    first = int(buffer[start])
    flags = format.flags[first]
    if flags & (CONNLESS | CONTROL) or (length >= 8 and _has_stun_cookie(buffer, start)):
        return AT_DATAGRAM
    data, words, begin, end = buffer, datagrams.words, start + FLAGS_SIZE, start + length
    token = -1
    if flags & TOKEN or state[TOKEN_PLACE] == _HEADER:
        if begin + TOKEN_SIZE > end:
            return AT_DATAGRAM
        token = _token(buffer, begin)
        begin += TOKEN_SIZE
    if flags & COMPRESSED:
        size = decompress(buffer, words, begin, end, format.huffman, work.plain, state[MAX_PAYLOAD])
        if size < 0:
            return AT_DATAGRAM
        data, words, begin, end = work.plain_bytes, work.plain_words, 0, size
    if state[TOKEN_PLACE] == _TAIL:
        end -= TOKEN_SIZE
        if end < begin:
            return AT_DATAGRAM
        token = _token(data, end)
    direction = int(datagrams.direction[number])
    if token != state[TOKEN_VALUE + direction]:
        return AT_DATAGRAM
    count = int(buffer[start + 2])
    if not find_chunks(data, begin, end, count, state[SIZE_SHIFT], work.chunks):
        return AT_DATAGRAM
    if not _has_room(rows, count):
        return AT_DATAGRAM
    ack = (first & 3) << 8 | int(buffer[start + 1])
    if not _acknowledge(state, 1 - direction, ack):
        return AT_DATAGRAM
    state[LAST_NS] = datagrams.clock_ns[number]
    _add_packet(rows, datagrams.packet[number], state[SESSION], flags, ack, count)
    for chunk in range(count):
        stage = _read_message(datagrams, number, chunk, data, words, begin, flow)
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
def find_chunks(data: NDArray[np.uint8], begin: int, end: int, count: int, shift: int, chunks: Ints) -> bool:
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
    words: NDArray[np.uint64],
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
    role = format.roles[int(from_server), value & 1, id]
    is_snap, is_input = 0 <= role <= _LAST_SNAP, role == _INPUT
    if role >= _OWN_NAME or role == _MAP_CHANGE or (flags & VITAL and role != _NO_ROLE):
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
        if not read_fields(data, role, body, end, work.fields):
            return AT_MESSAGE
        work.fields[WHOLE] = digest(data, words, body, end)
        if not can_receive(flow):
            return AT_MESSAGE
    tick = -1
    if is_input:
        tick, body = _read_input(data, body, end)
        if body < 0 or (tick >= 0 and not _can_acknowledge(epoch, tick, rows)):
            return AT_MESSAGE
    _add_message(rows, packet, format.names[value & 1, id], id, flags, sequence, size, offset - begin)
    if is_snap:
        return receive(data, packet, chunk, datagrams.udp_length[number], flow)
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
