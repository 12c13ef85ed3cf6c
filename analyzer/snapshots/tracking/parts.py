"""Parts of snapshots that are not complete yet: several ticks at once, since a bystander sees what a peer drops."""

from __future__ import annotations

from analyzer.snapshots.tracking.columns import (
    C_BASE_TICK,
    C_CRC,
    C_KIND,
    C_LATE,
    C_PARTS,
    C_TICK,
    COLLECTOR,
    DIGEST,
    DONE,
    DONE_AT,
    DONE_DIGEST,
    DONE_PART,
    DONE_TICK,
    ENDED,
    ENDED_OTHERWISE,
    GIVEN_UP,
    HELD,
    JOINS,
    LENGTH,
    MAX_OPEN,
    MAX_PARTS,
    N_DONE,
    N_OPEN,
    NONE,
    OPEN,
    OPENS,
    ORDINAL,
    PACKET,
    REPLACES,
    TICK,
    TOO_LATE,
    WIRE_BYTES,
    Track,
)
from analyzer.snapshots.tracking.ticks import enter, find, oldest_known


def fate(track: Track, tick: int, part: int, digest: int) -> int:
    """What a part of a tick is: OPENS ... TOO_LATE."""
    entry = find(track, tick)
    if entry >= 0 and track.ticks[entry, DONE] >= 0:
        return ENDED if _done_digest(track, entry, part) == digest else ENDED_OTHERWISE
    collector = track.ticks[entry, COLLECTOR] if entry >= 0 else NONE
    if collector < 0:
        given_up = entry >= 0 and track.ticks[entry, GIVEN_UP] >= 0
        return TOO_LATE if given_up or tick < oldest_known(track) else OPENS
    if track.parts[collector, part, LENGTH] < 0:
        return JOINS
    return HELD if track.parts[collector, part, DIGEST] == digest else REPLACES


def _done_digest(track: Track, entry: int, part: int) -> int:
    tick, at = track.ticks[entry, TICK], track.ticks[entry, DONE_AT]
    while at < track.numbers[N_DONE] and track.done[at, DONE_TICK] == tick:
        if track.done[at, DONE_PART] == part:
            return track.done[at, DONE_DIGEST]
        at += 1
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
    entry = enter(track, tick)
    track.ticks[entry, DONE] = local
    track.ticks[entry, DONE_AT] = track.numbers[N_DONE]
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


COMPILED = (
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
)
"""What compiled kernels call, directly or not."""
