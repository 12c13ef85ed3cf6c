"""Report codes of snapshots (spec section 17.7) and of packets, with the sentences a person reads."""

from __future__ import annotations

from analyzer.snapshots.status import Code, Status

CODES = (
    Code("OK", Status.OK, "rebuilt, crc equal"),
    Code(
        "OK-E",
        Status.OK,
        "unchanged since tick {base_tick}, no crc on the wire",
        "unchanged since its base, no crc on the wire",
    ),
    Code("F1", Status.MALFORMED, "malformed snapshot message", rule="snap.malformed"),
    Code("S1", Status.LATE, "a part of a tick that was given up already", rule="snap.part_late"),
    Code("S2", Status.DUPLICATE, "repeats what was received before", rule="snap.part_dup"),
    Code("S3", Status.DUPLICATE, "repeats a tick with different bytes", rule="snap.part_dup", severity=2),
    Code(
        "P1",
        Status.INCOMPLETE,
        "parts missing: {missing} of {parts}",
        "parts missing",
        missing=True,
        rule="snap.part_missing",
    ),
    Code(
        "B1",
        Status.NO_BASE,
        "base tick {base_tick} is older than the capture",
        "base older than the capture",
        rule="base.unknown",
    ),
    Code("B2", Status.NO_BASE, "base tick {base_tick} could not be rebuilt itself", "base could not be rebuilt itself"),
    Code(
        "B3",
        Status.NO_BASE,
        "base tick {base_tick} was never seen: the capture has a gap",
        "base never seen: the capture has a gap",
        missing=True,
        rule="base.unknown",
        severity=2,
    ),
    Code(
        "B4",
        Status.NO_BASE,
        "base tick {base_tick} was let go of to bound memory",
        "base let go of to bound memory",
        rule="base.unknown",
    ),
    Code(
        "B5",
        Status.MALFORMED,
        "base tick {base_tick} is not below the snapshot's own",
        "base not below the snapshot's own tick",
        rule="snap.malformed",
    ),
    Code(
        "D1",
        Status.MALFORMED,
        "the delta ends inside a number or holds too many, at byte {detail}",
        "the delta ends inside a number or holds too many",
        rule="snap.malformed",
    ),
    Code("D2", Status.MALFORMED, "the delta holds fewer than three numbers", rule="snap.malformed"),
    Code("D3", Status.MALFORMED, "the count of removed items is negative or beyond the data", rule="snap.malformed"),
    Code(
        "D4",
        Status.MALFORMED,
        "update {detail2} is cut off at byte {detail}",
        "an update is cut off",
        rule="snap.malformed",
    ),
    Code(
        "D5",
        Status.MALFORMED,
        "update {detail2} has a type out of range at byte {detail}",
        "an update has a type out of range",
        rule="snap.type_range",
    ),
    Code(
        "D6",
        Status.MALFORMED,
        "update {detail2} has an id out of range at byte {detail}",
        "an update has an id out of range",
        rule="snap.id_range",
    ),
    Code(
        "D7",
        Status.MALFORMED,
        "update {detail2} announces a size beyond the data at byte {detail}",
        "an update announces a size beyond the data",
        rule="snap.malformed",
    ),
    Code(
        "D8",
        Status.MALFORMED,
        "an update differs in size from the item it changes, at byte {detail}",
        "an update differs in size from the item it changes",
        rule="snap.size_mismatch",
    ),
    Code("D9", Status.MALFORMED, "more items or bytes than a snapshot may have", rule="snap.malformed"),
    Code(
        "C1",
        Status.CRC,
        "crc mismatch: {crc_wire} on the wire, {crc_computed} computed, difference {detail:+}",
        "rebuilt, crc mismatch",
        rule="snap.crc",
    ),
    Code("BUG", Status.BUG, "this program failed on it; please report the capture"),
    Code("OK-P", Status.OK, "rebuilt without its base: deltas made every item known, crc equal"),
)
"""By snapshots.code."""

CODE_NUMBERS = {code.name: number for number, code in enumerate(CODES)}

PACKET_KINDS = (
    "undecided",
    "chunks",
    "control",
    "connless",
    "connless-extended",
    "stun",
    "foreign",
    "cut",
    "malformed",
    "connless-0.7",
)
"""By packets.kind."""
(
    UNDECIDED,
    CHUNKS,
    CONTROL_PACKET,
    CONNLESS_PACKET,
    CONNLESS_EXTENDED,
    STUN,
    FOREIGN,
    CUT,
    MALFORMED,
    CONNLESS_07,
) = range(len(PACKET_KINDS))

SYSTEM, VITAL, RESENT, REPEATED, AHEAD, CONTROL, CONNLESS = 1, 2, 4, 8, 16, 32, 64
"""Bits of messages.flags."""
NO_NUMBER = 65535
"""messages.id and messages.sequence where there is none."""

_PACKET_FAULTS = {
    "": "",
    "cut": "the capture kept only the beginning of the datagram",
    "token": "the token is not that of the connection",
    "short": "too short for what it announces",
    "token-short": "ends inside the token",
    "huffman-eof": "the compressed data end before their end mark",
    "huffman-limit": "the compressed data expand beyond the limit",
    "control-empty": "a control packet without a message",
    "chunk-header": "a chunk header does not fit",
    "chunk-size": "a chunk is longer than the packet",
    "surplus": "bytes after the last chunk",
    "message": "a message could not be read to its end",
    "bug": "this program failed on it; please report the capture",
}
PACKET_RULES = {
    name: {"cut": "", "surplus": "", "bug": "own.bug", "token": "proto.foreign"}.get(name, "proto.malformed")
    for name in _PACKET_FAULTS
    if name
}
"""Expert rule that the short name of a packet code stands for; that a packet is cut shows in its lengths."""
PACKET_CODES = tuple(f"{name}: {text}" if name else "" for name, text in _PACKET_FAULTS.items())
"""By packets.code and messages.code."""
PACKET_CODE_NUMBERS = {name: number for number, name in enumerate(_PACKET_FAULTS)}

SNAPSHOT_KINDS = ("SNAPEMPTY", "SNAPSINGLE", "SNAP")
"""By snapshots.kind."""
