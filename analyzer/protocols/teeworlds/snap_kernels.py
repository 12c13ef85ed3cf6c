"""Takes in the parts of snapshots and makes snapshots of them, compiled. Spec sections 8, 9 and 17.

How an epoch is tracked is said once, in snapshots/tracking; rows and faults are those of epoch.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.protocols.teeworlds import delta_columns as making
from analyzer.protocols.teeworlds import item_kernels as items
from analyzer.protocols.teeworlds.arena_kernels import free_places, oldest_state
from analyzer.protocols.teeworlds.codes import CODE_NUMBERS
from analyzer.protocols.teeworlds.delta_kernels import rebuild
from analyzer.protocols.teeworlds.flow_columns import (
    AT_COLLECTOR,
    AT_HOUSEKEEPING,
    AT_LAST_PART,
    BASE_TICK,
    CHECKSUM,
    DATA,
    DATA_SIZE,
    GOES_ON,
    HEAD,
    IN_ORDER,
    KIND,
    MERGED,
    N_BLOCKS,
    NAMED,
    PART,
    PARTS,
    SESSION,
    TAIL,
    TICK,
    WHOLE,
    Flow,
    Ints,
)
from analyzer.protocols.teeworlds.messages import MAX_PART_LENGTH, MAX_PARTS, SNAP, SNAPEMPTY
from analyzer.protocols.teeworlds.state import HEADER_BYTES
from analyzer.protocols.teeworlds.state_kernels import signed
from analyzer.snapshots.status import Proof, Status
from analyzer.snapshots.tracking import columns as track
from analyzer.snapshots.tracking import kernels as tracking
from analyzer.snapshots.tracking.columns import Track
from analyzer.snapshots.tracking.tracker import MAX_STORE_BYTES
from analyzer.store.row_columns import (
    N_PACKETS,
    N_PARTS,
    N_SNAPSHOTS,
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
from analyzer.wire.kernels import unpack

_OK, _OK_EMPTY = CODE_NUMBERS["OK"], CODE_NUMBERS["OK-E"]
_STATUS_OK = int(Status.OK)
_UNPROVED, _OWN, _BASE = int(Proof.NONE), int(Proof.OWN), int(Proof.BASE)


@kernel
def read_fields(data: NDArray[np.uint8], kind: int, at: int, end: int, fields: Ints) -> bool:
    """The fields of a snapshot message, with the checks of `messages.read_snap`."""
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
    fields[BASE_TICK] = signed(tick - delta_tick)
    fields[KIND] = kind
    fields[PARTS] = parts
    fields[PART] = part
    fields[CHECKSUM] = crc
    fields[DATA] = at
    fields[DATA_SIZE] = length
    return True


@kernel
def can_receive(flow: Flow) -> bool:
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
def receive(
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
    """Make the snapshot whose parts are all here: from `begin` on in `data`, one behind the other.

    False: it failed, or something about it is unusual.
    """
    work, store, epoch, rows, state = flow.work, flow.store, flow.epoch, flow.rows, flow.state
    tick, base_tick = epoch.collectors[collector, track.C_TICK], epoch.collectors[collector, track.C_BASE_TICK]
    announced, kind = epoch.collectors[collector, track.C_PARTS], epoch.collectors[collector, track.C_KIND]
    result = work.result
    if tracking.flags_of(epoch, tick) & track.WHILE_OPEN:
        return False
    for part in range(announced - 1):
        if epoch.parts[collector, part, track.LENGTH] != MAX_PART_LENGTH:
            return False
    base, at, ints, depth, crc = -1, 0, 1, -1, 0
    if base_tick >= 0:
        base = tracking.find(epoch, base_tick)
        if base_tick >= tick or base < 0 or epoch.ticks[base, track.LOCAL] < 0:
            return False
        at, ints = epoch.ticks[base, track.AT], epoch.ticks[base, track.INTS]
        depth, crc = epoch.ticks[base, track.DEPTH], epoch.ticks[base, track.CRC]
    depth = min(depth + 1, track.MAX_DEPTH)
    _, delta_bytes, wire_bytes = tracking.bytes_of(epoch, collector)
    unchanged = kind == SNAPEMPTY or delta_bytes == 0
    place, made = state[HEAD], store.arena[:0]
    if unchanged:
        _unchanged(epoch, base, result)
    else:
        old, sizes, end = store.arena[at : at + ints], flow.format.sizes, begin + delta_bytes
        place, room, other, more = free_places(store.arena, place, state[TAIL])
        for attempt in range(4):
            made = store.arena[place : place + room]
            rebuild(data, begin, end, old, crc, sizes, work.scratch, made, result)
            if result[making.FAULT] != making.NO_ROOM:
                break
            if attempt == 1:
                # The bases that were there have become old meanwhile.
                _find_tail(flow)
                place, room, other, more = free_places(store.arena, state[HEAD], state[TAIL])
            else:
                place, room = other, more
        if result[making.FAULT] or result[making.WARNINGS]:
            return False
        if not state[NAMED] and items.find_own_info(made) >= 0:
            return False
    if kind != SNAPEMPTY and epoch.collectors[collector, track.C_CRC] != result[making.CRC]:
        return False
    stored = tracking.block_due(epoch, depth, delta_bytes, result[making.STATE_BYTES])
    if stored and state[N_BLOCKS] == len(store.blocks):
        return False
    if not unchanged:
        if not items.count_types(made, work.scratch.updates, result[making.UPDATED], packet, work.counts):
            return False
        at, ints = place, result[making.LENGTH]
        state[HEAD] = at + ints
    tracking.close_collector(epoch, collector)
    local = state[MERGED] + rows.counts[N_SNAPSHOTS]
    if stored:
        depth = 0
        block = store.blocks[state[N_BLOCKS]]
        block[0], block[1], block[2] = local, at, ints
        state[N_BLOCKS] += 1
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
    tracking.pay(epoch, delta_bytes, result[making.STATE_BYTES] if stored else 0)
    tracking.end(epoch, collector, local)
    rows.packets[rows.counts[N_PACKETS] - 1, P_SNAPSHOT] = local
    return True


@kernel
def _find_tail(flow: Flow) -> None:
    """Find out what is free of the arena, beside what waits to be stored whole."""
    state = flow.state
    oldest = oldest_state(flow.epoch, flow.store.blocks[: state[N_BLOCKS]], state[TAIL])
    if oldest:
        state[TAIL] = oldest
    else:
        state[HEAD] = state[TAIL] = 1


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
