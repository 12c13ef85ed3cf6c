"""What acknowledgements say of snapshots, as far as it takes no objects: the rest is attribution.py's."""

from __future__ import annotations

from analyzer.snapshots.tracking.columns import (
    ACK_PACKET,
    ACK_REBUILT,
    ACKED,
    BELIEVED_ACK,
    CAUSE,
    CAUSES,
    FLAGS,
    HAS,
    LAST_ACK,
    LATER,
    LOCAL,
    N_ACKS,
    N_UNPASSED,
    NEVER,
    NEWEST_ACK,
    RETENTION_TICKS,
    SEEN,
    WATCHED,
    Line,
    Matrix,
    Track,
)
from analyzer.snapshots.tracking.ticks import enter, find, flags_of
from analyzer.store.row_columns import A_COLUMN, A_LOCAL, A_VALUE, AMEND_ACKED_PACKET, AMEND_CLIENT_HAS, N_AMENDMENTS


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


COMPILED = (
    watch,
    believe,
    acks_until,
    acknowledge,
    _amend,
    _pass,
    ack_bears_on_causes,
)
"""What compiled kernels call, directly or not."""
