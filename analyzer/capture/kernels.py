"""Walks the record headers of a block of a capture file, compiled: the bulk reading of pcap.py and pcapng.py.

A kernel stops at whatever it does not take; the plain reading goes on there, and says what is wrong with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.capture.pcap import MAX_CAPTURED
from analyzer.capture.pcapng import (
    ENHANCED_PACKET,
    INTERFACE_DESCRIPTION,
    INTERFACE_STATISTICS,
    LEAST_WITH_OPTIONS,
    OBSOLETE_PACKET,
    SECTION_HEADER,
    SIMPLE_PACKET,
)
from analyzer.capture.pcapng_blocks import EPB_DROPCOUNT, LOST_UNKNOWN, OPTION_END
from analyzer.kernel import kernel


@kernel
def read_u32(data: NDArray[np.uint8], at: int, big: bool) -> int:
    """The four bytes from `at` on as a number."""
    place = np.uint64(at)
    first = np.int64(data[place])
    second = np.int64(data[place + np.uint64(1)])
    third = np.int64(data[place + np.uint64(2)])
    fourth = np.int64(data[place + np.uint64(3)])
    if big:
        return int(first << 24 | second << 16 | third << 8 | fourth)
    return int(fourth << 24 | third << 16 | second << 8 | first)


@kernel
def tells_of_losses(data: NDArray[np.uint8], at: int, end: int, big: bool) -> bool:
    """Whether the options of an enhanced packet block, from `at` to `end`, say that frames were lost before it."""
    while at + 4 <= end:
        word = read_u32(data, at, big)
        code, length = (word >> 16, word & 0xFFFF) if big else (word & 0xFFFF, word >> 16)
        if code == OPTION_END or at + 4 + length > end:
            return False
        if code == EPB_DROPCOUNT and length == 8:
            return read_u32(data, at + 4, big) != 0 or read_u32(data, at + 8, big) != 0
        at += 4 + (length + 3 & ~3)
    return False


@kernel
def walk_records(
    data: NDArray[np.uint8],
    at: int,
    header_bytes: int,
    big: bool,
    fraction_ns: int,
    time_ns: NDArray[np.int64],
    offset: NDArray[np.int64],
    captured: NDArray[np.uint32],
    original: NDArray[np.uint32],
) -> tuple[int, int, int]:
    """The whole pcap records of `data` from `at` on, a row each, as many as the columns have room for.

    Returns how many there are, where the next one begins, and the first row with more captured bytes than the frame
    had, or -1. `offset` counts in `data`.
    """
    odd = -1
    count = 0
    room = len(time_ns)
    last_header = len(data) - header_bytes
    while at <= last_header and count < room:
        kept = read_u32(data, at + 8, big)
        end = at + header_bytes + kept
        if kept > MAX_CAPTURED or end > len(data):
            break
        had = read_u32(data, at + 12, big)
        if kept > had and odd < 0:
            odd = count
        row = np.uint64(count)
        time_ns[row] = read_u32(data, at, big) * 1_000_000_000 + read_u32(data, at + 4, big) * fraction_ns
        offset[row] = at + header_bytes
        captured[row] = kept
        original[row] = had
        count += 1
        at = end
    return count, at, odd


@kernel
def walk_blocks(
    data: NDArray[np.uint8],
    at: int,
    big: bool,
    clocks: NDArray[np.int64],
    last_time: int,
    simple: int,
    time_ns: NDArray[np.int64],
    offset: NDArray[np.int64],
    captured: NDArray[np.uint32],
    original: NDArray[np.uint32],
    interface: NDArray[np.uint16],
    telling: NDArray[np.int64],
) -> tuple[int, int, int, int]:
    """The faultless blocks of one pcapng section in `data` from `at` on, a row for each packet.

    `clocks` has shape (interfaces of the section, 2): nanoseconds a unit, or 0 where the plain reading must tell, and
    nanoseconds at unit 0, 2 ** 61 at most. `last_time` is that of the frame before; `simple` the bytes that a simple
    packet block keeps of a frame at most, -1 where the plain reading must look at such a block.

    Returns how many rows there are, where the next block begins, the time of the last frame, and how many blocks were
    passed that may tell of lost frames, which are all blocks of statistics and some packets: where they begin stands in
    `telling`. `offset` counts in `data`, too, `interface` within the section.
    """
    count = 0
    passed = 0
    room = len(time_ns)
    size = len(data)
    while at + 12 <= size and count < room:
        kind = read_u32(data, at, big)
        length = read_u32(data, at + 4, big)
        end = at + length
        if length < 12 or end > size or read_u32(data, end - 4, big) != length:
            break
        if kind in (ENHANCED_PACKET, OBSOLETE_PACKET):
            if length < 32:
                break
            number = read_u32(data, at + 8, big)
            lost = 0
            if kind == OBSOLETE_PACKET:
                lost = number & 0xFFFF if big else number >> 16
                number = number >> 16 if big else number & 0xFFFF
            kept = read_u32(data, at + 20, big)
            if number >= len(clocks) or kept > MAX_CAPTURED or 32 + kept > length:
                break
            unit = int(clocks[np.uint64(number), np.uint64(0)])
            zero = int(clocks[np.uint64(number), np.uint64(1)])
            high = read_u32(data, at + 12, big)
            # From 2 ** 62 ns (year 2116) on, the plain reading takes care that nothing overflows.
            if unit < 1 or high >= 0x3FFFFFFF // unit:
                break
            told = lost not in (0, LOST_UNKNOWN)
            if kind == ENHANCED_PACKET and length - kept >= LEAST_WITH_OPTIONS:
                told = tells_of_losses(data, at + 28 + (kept + 3 & ~3), end - 4, big)
            if told:
                if passed == len(telling):
                    break
                telling[np.uint64(passed)] = at
                passed += 1
            last_time = (high << 32 | read_u32(data, at + 16, big)) * unit + zero
            had = read_u32(data, at + 24, big)
            start = at + 28
        elif kind == SIMPLE_PACKET:
            if length < 16 or simple < 0:
                break
            had = read_u32(data, at + 8, big)
            kept = min(had, simple, length - 16)
            if kept > MAX_CAPTURED:
                break
            number = 0
            start = at + 12
        elif kind == INTERFACE_STATISTICS and passed < len(telling):
            telling[np.uint64(passed)] = at
            passed += 1
            at = end
            continue
        elif kind in (SECTION_HEADER, INTERFACE_DESCRIPTION, INTERFACE_STATISTICS):
            break
        else:
            at = end
            continue
        row = np.uint64(count)
        time_ns[row] = last_time
        offset[row] = start
        captured[row] = kept
        original[row] = had
        interface[row] = number
        count += 1
        at = end
    return count, at, last_time, passed
