"""The ticks of an epoch and their bases: entries are found, made and forgotten (spec section 17.4).

Whoever calls a function that adds something has asked `has_room` before.
"""

from __future__ import annotations

from analyzer.snapshots.tracking.columns import (
    ACK_PACKET,
    ACK_REBUILT,
    ANY_SEEN,
    BELIEVED_ACK,
    BLOCK_SHARE,
    BYTES,
    CAUSES,
    CHAIN_LENGTH,
    COLLECTOR,
    CRC,
    CREDIT,
    DEPTH,
    DONE,
    DONE_AT,
    DONE_TICK,
    FACTOR,
    FAILED,
    FAILURES,
    FLAGS,
    FLOOR,
    FORGOTTEN,
    GIVEN_UP,
    HAS,
    ITEMS,
    LOCAL,
    LOWEST,
    MAX_PARTS,
    MESSAGE_BYTES,
    N_ACKS,
    N_DONE,
    N_TICKS,
    N_UNPASSED,
    NONE,
    PROVED,
    PURGE_AT,
    PURGE_EVERY,
    RETENTION_TICKS,
    SEEN,
    SIZE,
    TICK,
    TICK_COLUMNS,
    USED,
    USED_BY,
    WATCHED,
    WHILE_OPEN,
    Track,
)


def has_room(track: Track) -> bool:
    """Is there room for what one message may add: its tick, its base's, and its parts?"""
    numbers = track.numbers
    return numbers[N_TICKS] + 2 <= len(track.ticks) and numbers[N_DONE] + MAX_PARTS <= len(track.done)


def oldest_known(track: Track) -> int:
    """The lowest tick whose fate is remembered."""
    return max(track.numbers[SEEN] - RETENTION_TICKS, track.numbers[FORGOTTEN] + 1)


def place_of(track: Track, tick: int) -> int:
    """Where the index holds a tick, or would."""
    mask = len(track.places) - 1
    # Of the lower 32 bits of the product, the highest: they depend on all bits of the tick.
    at = (tick * track.numbers[FACTOR] & 0xFFFFFFFF) * (mask + 1) >> 32
    while track.places[at] > 0 and track.ticks[track.places[at] - 1, TICK] != tick:
        at = (at + 1) & mask
    return at


def find(track: Track, tick: int) -> int:
    """The entry of a tick, NONE if there is none."""
    return track.places[place_of(track, tick)] - 1


def enter(track: Track, tick: int) -> int:
    """The entry of a tick, made if there is none."""
    at = place_of(track, tick)
    entry = track.places[at] - 1
    if entry < 0:
        entry = track.numbers[N_TICKS]
        track.numbers[N_TICKS] = entry + 1
        track.places[at] = entry + 1
        for column in range(TICK_COLUMNS):
            track.ticks[entry, column] = NONE
        track.ticks[entry, TICK] = tick
        for column in (PROVED, USED, ACK_REBUILT, HAS, FLAGS):
            track.ticks[entry, column] = 0
    return entry


def flags_of(track: Track, tick: int) -> int:
    """The marks of a tick, 0 if nothing is known of it."""
    entry = find(track, tick)
    return track.ticks[entry, FLAGS] if entry >= 0 else 0


def see(track: Track, tick: int) -> bool:
    """A valid snapshot message of a tick came. Is it late: was there one of a higher tick?"""
    numbers = track.numbers
    late = tick < numbers[SEEN]
    numbers[ANY_SEEN] = 1
    numbers[LOWEST] = min(numbers[LOWEST], tick)
    numbers[SEEN] = max(numbers[SEEN], tick)
    return late


def refer(track: Track, base_tick: int, tick: int) -> bool:
    """A delta of `tick` refers to `base_tick`, 0 or above, so a later one may again. Is it the first that does?"""
    entry = enter(track, base_tick)
    track.ticks[entry, USED_BY] = max(track.ticks[entry, USED_BY], tick)
    first = track.ticks[entry, USED] == 0
    track.ticks[entry, USED] = 1
    return first


def put_base(track: Track, tick: int, local: int, size: int, depth: int, proved: bool, crc: int, items: int) -> int:
    """Store a rebuilt snapshot, in place of an older one of the same tick; its entry."""
    entry = enter(track, tick)
    older = track.ticks[entry, SIZE] if track.ticks[entry, LOCAL] >= 0 else 0
    track.numbers[BYTES] += size - older
    track.ticks[entry, LOCAL] = local
    track.ticks[entry, SIZE] = size
    track.ticks[entry, DEPTH] = depth
    track.ticks[entry, PROVED] = 1 if proved else 0
    track.ticks[entry, CRC] = crc
    track.ticks[entry, ITEMS] = items
    track.ticks[entry, FLAGS] &= ~FAILED
    return entry


def drop_base(track: Track, entry: int) -> None:
    """Let a base go."""
    track.numbers[BYTES] -= track.ticks[entry, SIZE]
    track.numbers[FLOOR] = max(track.numbers[FLOOR], track.ticks[entry, TICK])
    track.ticks[entry, LOCAL] = NONE


def block_due(track: Track, depth: int, delta_bytes: int, size: int) -> bool:
    """Is a rebuilt snapshot, `depth` deltas from a stored block or a full snapshot, to be stored whole?

    Blocks are paid for with the bytes that were sent, so memory stays linear in the capture; where a block cannot be
    paid for, the chain grows and a jump takes longer.
    """
    return depth >= CHAIN_LENGTH and size <= track.numbers[CREDIT] + BLOCK_SHARE * (MESSAGE_BYTES + delta_bytes)


def pay(track: Track, delta_bytes: int, stored: int) -> None:
    """A snapshot of so many bytes of delta was rebuilt, and `stored` bytes of it were stored."""
    track.numbers[CREDIT] += BLOCK_SHARE * (MESSAGE_BYTES + delta_bytes) - stored


def nothing_beside(track: Track) -> bool:
    """Is nothing kept beside that a purge had to care for?"""
    return track.numbers[CAUSES] == 0 and track.numbers[FAILURES] == 0


def purge(track: Track) -> None:
    """Forget what is older than the retention. What is kept beside has been cared for, collectors have been closed."""
    oldest = track.numbers[SEEN] - RETENTION_TICKS
    track.numbers[PURGE_AT] = track.numbers[SEEN] + PURGE_EVERY
    kept = 0
    for entry in range(track.numbers[N_TICKS]):
        if _outdates(track, entry, oldest):
            continue
        if kept != entry:
            for column in range(TICK_COLUMNS):
                track.ticks[kept, column] = track.ticks[entry, column]
        kept += 1
    track.numbers[N_TICKS] = kept
    reindex(track)
    _forget_lists(track, oldest)


def _outdates(track: Track, entry: int, oldest: int) -> bool:
    """Take from an entry what is too old. Is nothing left of it?"""
    ticks = track.ticks
    tick = ticks[entry, TICK]
    if tick >= oldest:
        if ticks[entry, USED_BY] < oldest:
            ticks[entry, USED_BY] = NONE
        return False
    if ticks[entry, LOCAL] >= 0 and tick != track.numbers[BELIEVED_ACK] and ticks[entry, USED_BY] < oldest:
        drop_base(track, entry)
    if ticks[entry, USED_BY] < oldest:
        ticks[entry, USED_BY] = NONE
    for column in (ACK_PACKET, WATCHED, DONE, GIVEN_UP):
        ticks[entry, column] = NONE
    for column in (USED, ACK_REBUILT, HAS):
        ticks[entry, column] = 0
    ticks[entry, FLAGS] &= WHILE_OPEN
    return ticks[entry, LOCAL] < 0 and ticks[entry, USED_BY] < 0 and ticks[entry, COLLECTOR] < 0


def reindex(track: Track) -> None:
    """Fill the index anew."""
    for at in range(len(track.places)):
        track.places[at] = 0
    index(track)


def index(track: Track) -> None:
    """Fill an index that is empty."""
    for entry in range(track.numbers[N_TICKS]):
        track.places[place_of(track, track.ticks[entry, TICK])] = entry + 1


def _forget_lists(track: Track, oldest: int) -> None:
    """Forget acknowledgements, unpassed ticks and parts below `oldest`."""
    kept = 0
    for at in range(track.numbers[N_ACKS]):
        if track.acks[at] >= oldest:
            track.acks[kept] = track.acks[at]
            kept += 1
    track.numbers[N_ACKS] = kept
    kept = 0
    for at in range(track.numbers[N_UNPASSED]):
        if track.unpassed[at] >= oldest:
            track.unpassed[kept] = track.unpassed[at]
            kept += 1
    track.numbers[N_UNPASSED] = kept
    kept = 0
    for at in range(track.numbers[N_DONE]):
        tick = track.done[at, DONE_TICK]
        if tick >= oldest:
            if kept == 0 or track.done[kept - 1, DONE_TICK] != tick:
                track.ticks[find(track, tick), DONE_AT] = kept
            for column in range(3):
                track.done[kept, column] = track.done[at, column]
            kept += 1
    track.numbers[N_DONE] = kept


def forget(track: Track) -> None:
    """Forget everything but the ticks that are being collected: nobody waits for the others any more."""
    kept = 0
    for entry in range(track.numbers[N_TICKS]):
        if track.ticks[entry, LOCAL] >= 0:
            drop_base(track, entry)
        collector = track.ticks[entry, COLLECTOR]
        if collector < 0:
            continue
        tick = track.ticks[entry, TICK]
        flags = track.ticks[entry, FLAGS] & WHILE_OPEN
        for column in range(TICK_COLUMNS):
            track.ticks[kept, column] = NONE
        for column in (PROVED, USED, ACK_REBUILT, HAS):
            track.ticks[kept, column] = 0
        track.ticks[kept, TICK] = tick
        track.ticks[kept, COLLECTOR] = collector
        track.ticks[kept, FLAGS] = flags
        kept += 1
    track.numbers[N_TICKS] = kept
    reindex(track)
    for number in (N_ACKS, N_UNPASSED, N_DONE):
        track.numbers[number] = 0
    track.numbers[FORGOTTEN] = track.numbers[SEEN]


COMPILED = (
    has_room,
    oldest_known,
    place_of,
    find,
    enter,
    flags_of,
    see,
    refer,
    put_base,
    drop_base,
    block_due,
    pay,
    nothing_beside,
    purge,
    _outdates,
    reindex,
    index,
    _forget_lists,
)
"""What compiled kernels call, directly or not."""
