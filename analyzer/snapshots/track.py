"""What one epoch knows of its ticks, as arrays: parts, bases, acknowledgements (spec section 17.4).

Written in the subset of Python that numba compiles: protocols call these functions as they are, on memoryviews, and
compiled kernels call them on the arrays behind (track_kernels.py). Whoever calls one that adds something has asked
`has_room` before. What holds objects, such as causes of failures, is kept beside by tick and marked in FLAGS.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from analyzer.store.row_columns import A_COLUMN, A_LOCAL, A_VALUE, AMEND_ACKED_PACKET, AMEND_CLIENT_HAS, N_AMENDMENTS

RETENTION_TICKS = 500
"""Ten seconds. Bases in real traffic are at most 150 ticks old."""
REORDERED_TICKS = 150
"""A snapshot this far below the newest tick may belong to another epoch; less can be reordering."""
MAX_OPEN = 8
"""Ticks collected at once. Three suffice in the lossiest capture known; each costs at most `MAX_PARTS` parts."""
MAX_PARTS = 64
"""Parts of a snapshot."""
PURGE_EVERY = RETENTION_TICKS // 10
"""Ticks between two looks for what is older than the retention."""
NONE = -1

(
    TICK,
    LOCAL,
    SIZE,
    DEPTH,
    PROVED,
    CRC,
    ITEMS,
    AT,
    INTS,
    USED_BY,
    USED,
    ACK_PACKET,
    ACK_REBUILT,
    WATCHED,
    HAS,
    DONE,
    GIVEN_UP,
    COLLECTOR,
    FLAGS,
) = range(19)
"""Columns of `Track.ticks`.

Of a base, LOCAL not NONE: the reading's number of its row, state_bytes, deltas since the last stored block or full
snapshot, whether it is proved, checksum, items, and where compiled code keeps its state. USED_BY: highest tick whose
delta referred to this one. USED: a delta did, so the client acknowledged it. ACK_PACKET, ACK_REBUILT: the INPUT that
acknowledged it first, and whether it was a base then. WATCHED, HAS: the row whose standing may still change, and what
it is. DONE, GIVEN_UP: the row that ended the tick. COLLECTOR: where its parts are collected.
"""
TICK_COLUMNS = 19

FAILED, CAUSE, AWAITED, REPEATED = 1, 2, 4, 8
"""Bits of FLAGS: it failed; its watched row has a cause of its own; rows wait for it while it is open; parts of it
came twice while it was open."""

OPEN, C_TICK, C_BASE_TICK, C_PARTS, C_CRC, C_KIND, C_LATE = range(7)
"""Columns of `Track.collectors`: in use; the fields of the last part; a newer tick had begun when it came."""
COLLECTOR_COLUMNS = 7

PACKET, ORDINAL, LENGTH, WIRE_BYTES, DIGEST = range(5)
"""Columns of `Track.parts`: message of which packet; bytes, NONE while it is missing; bytes of its datagram; digest."""
PART_COLUMNS = 5

DONE_TICK, DONE_PART, DONE_DIGEST = range(3)
"""Columns of `Track.done`."""

(
    SEEN,
    LOWEST,
    ANY_SEEN,
    LAST_ACK,
    BELIEVED_ACK,
    NEWEST_ACK,
    FORGOTTEN,
    PURGE_AT,
    FLOOR,
    BYTES,
    CREDIT,
    CAUSES,
    FAILURES,
    N_TICKS,
    N_ACKS,
    N_UNPASSED,
    N_DONE,
    N_OPEN,
) = range(18)
"""Places in `Track.numbers`.

Highest and lowest tick of any valid snapshot message; whether there was one since the epoch or the session began; the
last acknowledgement, the last one that can be of this epoch, and the highest; ticks up to which nothing is remembered;
the tick at which to look for what is old; the highest tick of a base let go; state_bytes of all bases; bytes that may
be stored as blocks; how many causes and failed ticks are kept beside; and how much of each array is used.
"""
NUMBERS = 18

OPENS, JOINS, HELD, REPLACES, ENDED, ENDED_OTHERWISE, TOO_LATE = range(7)
"""What a part is: first of its tick; a further one; held already, or held with another content; of a tick that was
completed, with the same or another content; of a tick that was given up or forgotten."""

NEVER, LATER, ACKED = range(3)
"""`status.ClientHas`, as numbers."""

CHAIN_LENGTH = 64
"""Deltas between two stored blocks."""
BLOCK_SHARE = 16
"""Bytes of blocks for each byte sent. Real traffic needs less than 1; a few bytes can repeat a snapshot of 64 KB."""
MESSAGE_BYTES = 8
"""What a snapshot without a delta counts as sent."""
MAX_DEPTH = 32767
"""Depths beyond it share this number: the column has 16 bits."""


class Line(Protocol):
    """Integers, by one index."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> int: ...
    def __setitem__(self, index: int, value: int, /) -> None: ...


class Matrix(Protocol):
    """Integers, by row and column."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: tuple[int, int], /) -> int: ...
    def __setitem__(self, place: tuple[int, int], value: int, /) -> None: ...


class Cube(Protocol):
    """Integers, by three indices."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: tuple[int, int, int], /) -> int: ...
    def __setitem__(self, place: tuple[int, int, int], value: int, /) -> None: ...


class Track(NamedTuple):
    """The arrays of one epoch, all of int64."""

    numbers: Line
    """Shape (NUMBERS,)."""
    ticks: Matrix
    """Shape (room, TICK_COLUMNS), an entry for every tick that something is known of, in no order."""
    places: Line
    """Shape (a power of two, at least 2 * room,), open addressing: 1 + entry of a tick; 0 is free."""
    acks: Line
    """Shape (room,): acknowledged ticks, ascending."""
    unpassed: Line
    """Shape (room,): ticks of watched rows above the newest acknowledgement."""
    done: Matrix
    """Shape (room, 3): the parts of ticks that were completed."""
    collectors: Matrix
    """Shape (MAX_OPEN + 1, COLLECTOR_COLUMNS)."""
    parts: Cube
    """Shape (MAX_OPEN + 1, MAX_PARTS, PART_COLUMNS)."""


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
    at = (tick * 0x9E3779B1 >> 12) & mask
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


def fate(track: Track, tick: int, part: int, digest: int) -> int:
    """What a part of a tick is: OPENS ... TOO_LATE."""
    entry = find(track, tick)
    if entry >= 0 and track.ticks[entry, DONE] >= 0:
        return ENDED if _done_digest(track, tick, part) == digest else ENDED_OTHERWISE
    collector = track.ticks[entry, COLLECTOR] if entry >= 0 else NONE
    if collector < 0:
        given_up = entry >= 0 and track.ticks[entry, GIVEN_UP] >= 0
        return TOO_LATE if given_up or tick < oldest_known(track) else OPENS
    if track.parts[collector, part, LENGTH] < 0:
        return JOINS
    return HELD if track.parts[collector, part, DIGEST] == digest else REPLACES


def _done_digest(track: Track, tick: int, part: int) -> int:
    for at in range(track.numbers[N_DONE]):
        if track.done[at, DONE_TICK] == tick and track.done[at, DONE_PART] == part:
            return track.done[at, DONE_DIGEST]
    return NONE


def open_collector(track: Track, tick: int) -> int:
    """Begin to collect a tick. At most MAX_OPEN are open before."""
    free = 0
    while track.collectors[free, OPEN]:
        free += 1
    track.collectors[free, OPEN] = 1
    track.collectors[free, C_TICK] = tick
    for part in range(MAX_PARTS):
        track.parts[free, part, LENGTH] = NONE
    track.numbers[N_OPEN] += 1
    track.ticks[enter(track, tick), COLLECTOR] = free
    return free


def agree(track: Track, collector: int, base_tick: int, parts: int, crc: int, kind: int, late: bool) -> None:
    """Take over the fields of a part, as a client does it."""
    track.collectors[collector, C_BASE_TICK] = base_tick
    track.collectors[collector, C_PARTS] = parts
    track.collectors[collector, C_CRC] = crc
    track.collectors[collector, C_KIND] = kind
    track.collectors[collector, C_LATE] = 1 if late else 0


def hold(
    track: Track, collector: int, part: int, packet: int, ordinal: int, length: int, wire_bytes: int, digest: int
) -> None:
    """Keep a part that message `ordinal` of `packet` carried."""
    track.parts[collector, part, PACKET] = packet
    track.parts[collector, part, ORDINAL] = ordinal
    track.parts[collector, part, LENGTH] = length
    track.parts[collector, part, WIRE_BYTES] = wire_bytes
    track.parts[collector, part, DIGEST] = digest


def missing(track: Track, collector: int) -> int:
    """The first part that is not here, NONE if all are."""
    for part in range(track.collectors[collector, C_PARTS]):
        if track.parts[collector, part, LENGTH] < 0:
            return part
    return NONE


def bytes_of(track: Track, collector: int) -> tuple[int, int, int]:
    """Of the parts that count: how many there are, bytes of delta, bytes of their datagrams, each of these once.

    A later part may have announced fewer than are held.
    """
    count, delta_bytes, wire_bytes = 0, 0, 0
    for part in range(track.collectors[collector, C_PARTS]):
        if track.parts[collector, part, LENGTH] < 0:
            continue
        count += 1
        delta_bytes += track.parts[collector, part, LENGTH]
        packet = track.parts[collector, part, PACKET]
        again = False
        for other in range(part):
            if track.parts[collector, other, LENGTH] >= 0 and track.parts[collector, other, PACKET] == packet:
                again = True
        if not again:
            wire_bytes += track.parts[collector, part, WIRE_BYTES]
    return count, delta_bytes, wire_bytes


def close_collector(track: Track, collector: int) -> None:
    """Forget the parts of a tick."""
    track.collectors[collector, OPEN] = 0
    track.numbers[N_OPEN] -= 1
    track.ticks[enter(track, track.collectors[collector, C_TICK]), COLLECTOR] = NONE


def end(track: Track, collector: int, local: int) -> None:
    """The tick of a closed collector is complete, by row `local`; its parts are remembered to tell repetitions."""
    tick = track.collectors[collector, C_TICK]
    track.ticks[enter(track, tick), DONE] = local
    for part in range(MAX_PARTS):
        if track.parts[collector, part, LENGTH] >= 0:
            at = track.numbers[N_DONE]
            track.numbers[N_DONE] = at + 1
            track.done[at, DONE_TICK] = tick
            track.done[at, DONE_PART] = part
            track.done[at, DONE_DIGEST] = track.parts[collector, part, DIGEST]


def overdue(track: Track, oldest: int) -> int:
    """The collector to give up next, NONE if there is none: the lowest tick, if it is below `oldest` or too many are
    open."""
    if track.numbers[N_OPEN] == 0:
        return NONE
    lowest = NONE
    for collector in range(MAX_OPEN + 1):
        if track.collectors[collector, OPEN] and (
            lowest < 0 or track.collectors[collector, C_TICK] < track.collectors[lowest, C_TICK]
        ):
            lowest = collector
    if track.numbers[N_OPEN] > MAX_OPEN or track.collectors[lowest, C_TICK] < oldest:
        return lowest
    return NONE


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


def watch(track: Track, tick: int, local: int, caused: bool) -> tuple[int, int]:
    """A row is added. Does the client have it, and which packet said so? `caused`: something is missing or wrong."""
    entry = enter(track, tick)
    has = NEVER
    if track.ticks[entry, ACK_PACKET] >= 0:
        has = ACKED
    elif track.numbers[NEWEST_ACK] > tick:
        has = LATER
    if has != ACKED or caused:
        track.ticks[entry, WATCHED] = local
        track.ticks[entry, HAS] = has
        if caused:
            track.ticks[entry, FLAGS] |= CAUSE
        if tick > track.numbers[NEWEST_ACK]:
            track.unpassed[track.numbers[N_UNPASSED]] = tick
            track.numbers[N_UNPASSED] += 1
    return has, track.ticks[entry, ACK_PACKET]


def believe(track: Track, tick: int) -> bool:
    """An INPUT acknowledged `tick`, 0 or above. Is it to be compared with the snapshots?

    More than the retention ahead is not believed: no peer of this epoch can have such a snapshot.
    """
    numbers = track.numbers
    numbers[LAST_ACK] = tick
    if numbers[SEEN] < 0 or tick > numbers[SEEN] + RETENTION_TICKS:
        return False
    numbers[BELIEVED_ACK] = tick
    return tick >= numbers[SEEN] - RETENTION_TICKS


def acks_until(track: Track, tick: int) -> int:
    """How many acknowledged ticks are up to `tick`."""
    low = 0
    high = track.numbers[N_ACKS]
    while low < high:
        middle = (low + high) // 2
        if track.acks[middle] <= tick:
            low = middle + 1
        else:
            high = middle
    return low


def acknowledge(track: Track, tick: int, packet: int, amendments: Matrix, counts: Line) -> None:
    """The INPUT of row `packet` acknowledged `tick` for the first time.

    Amends watched rows: there is room for 2 amendments and one for each of the unpassed ticks.
    """
    entry = enter(track, tick)
    track.ticks[entry, ACK_PACKET] = packet
    track.ticks[entry, ACK_REBUILT] = 1 if track.ticks[entry, LOCAL] >= 0 else 0
    position = acks_until(track, tick)
    at = track.numbers[N_ACKS]
    while at > position:
        track.acks[at] = track.acks[at - 1]
        at -= 1
    track.acks[position] = tick
    track.numbers[N_ACKS] += 1
    watched = track.ticks[entry, WATCHED]
    if watched >= 0:
        track.ticks[entry, HAS] = ACKED
        _amend(AMEND_CLIENT_HAS, watched, ACKED, amendments, counts)
        _amend(AMEND_ACKED_PACKET, watched, packet, amendments, counts)
    if tick > track.numbers[NEWEST_ACK]:
        track.numbers[NEWEST_ACK] = tick
        _pass(track, tick, amendments, counts)


def _amend(column: int, local: int, value: int, amendments: Matrix, counts: Line) -> None:
    at = counts[N_AMENDMENTS]
    counts[N_AMENDMENTS] = at + 1
    amendments[at, A_COLUMN] = column
    amendments[at, A_LOCAL] = local
    amendments[at, A_VALUE] = value


def _pass(track: Track, tick: int, amendments: Matrix, counts: Line) -> None:
    """A tick newer than all before was acknowledged: the client went on without those below that it did not have."""
    kept = 0
    for at in range(track.numbers[N_UNPASSED]):
        older = track.unpassed[at]
        if older > tick:
            track.unpassed[kept] = older
            kept += 1
        elif older < tick:
            entry = find(track, older)
            if track.ticks[entry, HAS] == NEVER:
                track.ticks[entry, HAS] = LATER
                _amend(AMEND_CLIENT_HAS, track.ticks[entry, WATCHED], LATER, amendments, counts)
    track.numbers[N_UNPASSED] = kept


def ack_bears_on_causes(track: Track, tick: int) -> bool:
    """May an acknowledgement tell something about causes, which are kept beside?"""
    if track.numbers[CAUSES] == 0:
        return False
    if tick <= track.numbers[NEWEST_ACK] or flags_of(track, tick) & CAUSE:
        return True
    for at in range(track.numbers[N_UNPASSED]):
        if track.unpassed[at] < tick and flags_of(track, track.unpassed[at]) & CAUSE:
            return True
    return False


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
    ticks[entry, FLAGS] &= AWAITED | REPEATED
    return ticks[entry, LOCAL] < 0 and ticks[entry, USED_BY] < 0 and ticks[entry, COLLECTOR] < 0


def reindex(track: Track) -> None:
    """Fill the index anew."""
    for at in range(len(track.places)):
        track.places[at] = 0
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
        if track.done[at, DONE_TICK] >= oldest:
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
        flags = track.ticks[entry, FLAGS] & (AWAITED | REPEATED)
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
    fate,
    _done_digest,
    open_collector,
    agree,
    hold,
    missing,
    bytes_of,
    close_collector,
    end,
    overdue,
    put_base,
    drop_base,
    block_due,
    pay,
    watch,
    believe,
    acks_until,
    acknowledge,
    _amend,
    _pass,
    ack_bears_on_causes,
    nothing_beside,
    purge,
    _outdates,
    reindex,
    _forget_lists,
)
"""What compiled kernels call, directly or not."""
