"""From frames to UDP datagrams and flow numbers, compiled: the bulk reading of link.py, ip.py, datagrams.py, flows.py.

A kernel takes ordinary frames; fragments, extension headers and whatever is damaged are left to the plain reading.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.net.datagrams import MAX_UDP_PAYLOAD, UDP_HEADER_BYTES
from analyzer.net.ip import EXTENSIONS, IPV4_BYTES, IPV6_BYTES, UDP
from analyzer.net.kinds import FrameKind
from analyzer.net.link import (
    AF_INET,
    AF_INET6,
    ETHERTYPE_IPV4,
    ETHERTYPE_IPV6,
    FAMILY_BYTES,
    MAX_TAGS,
    SLL2_BYTES,
    VLAN_ETHERTYPES,
)

LEFT = 255
"""In place of a frame kind: the plain reading must tell."""

UDP_FRAME, OTHER_IP, NOT_IP = int(FrameKind.UDP), int(FrameKind.OTHER_IP), int(FrameKind.NOT_IP)

KEY_WORDS = 5
"""Of the two endpoints: source address 2, destination address 2, then ports and IP version.

An IPv4 address is the upper half of its first word.
"""

ETHERTYPE, COOKED_2, FAMILY, RAW, RAW_4, RAW_6 = range(6)
"""Kinds of link layer: each is read by one branch of `find_ip`."""


@kernel
def read_u16(data: NDArray[np.uint8], at: int) -> int:
    """The two bytes from `at` on as a big-endian number."""
    place = np.uint64(at)
    return int(np.int64(data[place]) << 8 | np.int64(data[place + np.uint64(1)]))


@kernel
def read_u64(data: NDArray[np.uint8], at: int, size: int) -> np.uint64:
    """The `size` bytes from `at` on as the upper bytes of a big-endian number."""
    word = np.uint64(0)
    for index in range(size):
        word = word << np.uint64(8) | np.uint64(data[np.uint64(at + index)])
    return word << np.uint64(64 - 8 * size)


@kernel
def find_version(ethertype: int) -> int:
    """IP version of an EtherType; 0: something else."""
    if ethertype == ETHERTYPE_IPV4:
        return 4
    return 6 if ethertype == ETHERTYPE_IPV6 else 0


@kernel
def find_ip_by_type(data: NDArray[np.uint8], at: int, end: int) -> tuple[int, int]:
    """IP version and offset of its header behind the EtherType at `at` and any VLAN tags; -1: left."""
    for _ in range(MAX_TAGS + 1):
        if at + 2 > end:
            return -1, at
        ethertype = read_u16(data, at)
        if ethertype not in VLAN_ETHERTYPES:
            return find_version(ethertype), at + 2
        at += 4
    return -1, at


@kernel
def find_ip(data: NDArray[np.uint8], link: int, type_at: int, at: int, end: int) -> tuple[int, int]:
    """IP version (0: something else, -1: left) and offset of the header, of the frame `data[at:end]`.

    `link` is the kind of link layer, `type_at` where in the frame its EtherType is.
    """
    if link == ETHERTYPE:
        return find_ip_by_type(data, at + type_at, end)
    if link == COOKED_2 and at + SLL2_BYTES <= end:
        ethertype = read_u16(data, at)
        if ethertype in VLAN_ETHERTYPES:
            return find_ip_by_type(data, at + SLL2_BYTES + 2, end)
        return find_version(ethertype), at + SLL2_BYTES
    if link == FAMILY and at + FAMILY_BYTES <= end:
        # In either byte order; others than IP are left.
        first, last = int(data[np.uint64(at)]), int(data[np.uint64(at + 3)])
        if read_u16(data, at + 1) == 0 and (first == 0 or last == 0):
            if first + last == AF_INET:
                return 4, at + FAMILY_BYTES
            if first + last in AF_INET6:
                return 6, at + FAMILY_BYTES
    elif link == RAW and at < end:
        version = int(data[np.uint64(at)]) >> 4
        if version in (4, 6):
            return version, at
    elif link == RAW_4:
        return 4, at
    elif link == RAW_6:
        return 6, at
    return -1, at


@kernel
def read_ip(data: NDArray[np.uint8], version: int, at: int, end: int, extent: int) -> tuple[int, int, int]:
    """Protocol, and beginning and end of the payload by the header at `at`; protocol -1: left.

    `end` is where the captured bytes end, `extent` where the frame ended.
    """
    if version == 4:
        if at + IPV4_BYTES > end:
            return -1, 0, 0
        first = np.int64(data[np.uint64(at)])
        header = int(first & 0x0F) * 4
        total = read_u16(data, at + 2)
        if total == 0:
            total = extent - at
        if (
            first >> 4 != 4
            or header < IPV4_BYTES
            or total < header
            or at + header > end
            or read_u16(data, at + 6) & 0x3FFF
        ):
            return -1, 0, 0
        return int(data[np.uint64(at + 9)]), at + header, at + total
    if at + IPV6_BYTES > end or data[np.uint64(at)] >> 4 != 6:
        return -1, 0, 0
    protocol = int(data[np.uint64(at + 6)])
    if protocol in EXTENSIONS:
        return -1, 0, 0
    start = at + IPV6_BYTES
    length = read_u16(data, at + 4)
    return protocol, start, start + length if length else extent


@kernel
def write_key(data: NDArray[np.uint8], version: int, at: int, udp: int, key: NDArray[np.uint64]) -> None:
    """The endpoints of the IP header at `at` and the UDP header at `udp`, shape (KEY_WORDS,)."""
    if version == 4:
        key[0] = read_u64(data, at + 12, 4)
        key[1] = np.uint64(0)
        key[2] = read_u64(data, at + 16, 4)
        key[3] = np.uint64(0)
    else:
        for index in range(4):
            key[index] = read_u64(data, at + 8 + 8 * index, 8)
    key[4] = read_u64(data, udp, 4) | np.uint64(version)


@kernel
def read_frames(
    data: NDArray[np.uint8],
    offset: NDArray[np.int64],
    captured: NDArray[np.uint32],
    original: NDArray[np.uint32],
    interface: NDArray[np.uint16],
    links: NDArray[np.int64],
    kind: NDArray[np.uint8],
    start: NDArray[np.int64],
    length: NDArray[np.int64],
    udp_length: NDArray[np.int64],
    keys: NDArray[np.uint64],
) -> int:
    """What each frame is; of a UDP datagram, where its payload is in `data`, and its endpoints. Returns those left.

    `links` has shape (interfaces, 2): kind of link layer, or -1 where every frame is left, and where its EtherType is.
    `keys` has shape (frames, KEY_WORDS); all others have shape (frames,), from `kind` on to be written.
    """
    left = 0
    for index in range(len(offset)):
        row = np.uint64(index)
        at = int(offset[row])
        end = at + int(captured[row])
        extent = at + max(int(original[row]), int(captured[row]))
        number = np.uint64(interface[row])
        kind[row] = LEFT
        left += 1
        if at < 0 or end > len(data) or number >= np.uint64(len(links)):
            continue
        version, at = find_ip(data, int(links[number, np.uint64(0)]), int(links[number, np.uint64(1)]), at, end)
        if version <= 0:
            if version == 0:
                kind[row] = NOT_IP
                left -= 1
            continue
        protocol, udp, stop = read_ip(data, version, at, end, extent)
        if protocol < 0:
            continue
        if protocol != UDP:
            kind[row] = OTHER_IP
            left -= 1
            continue
        # An IP packet too short for the header, or a capture that cut it, is left.
        if udp + UDP_HEADER_BYTES > min(stop, end):
            continue
        size = read_u16(data, udp + 4)
        if size == 0:
            size = stop - udp
        size -= UDP_HEADER_BYTES
        if size < 0 or size > MAX_UDP_PAYLOAD:
            continue
        begin = udp + UDP_HEADER_BYTES
        start[row] = begin
        length[row] = min(min(stop, end) - begin, size)
        udp_length[row] = size
        write_key(data, version, at, udp, keys[row])
        kind[row] = UDP_FRAME
        left -= 1
    return left


@kernel
def mix(key: NDArray[np.uint64], seeds: NDArray[np.uint64]) -> np.uint64:
    """A number below 2 ** 32 for the endpoints in `key`, which nobody can choose who does not know the `seeds`.

    `seeds`: below 2 ** 32 and odd, shape (2 * KEY_WORDS,), so that no product overflows 64 bits.
    """
    mask = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    value = np.uint64(0)
    for index in range(KEY_WORDS):
        word = key[np.uint64(index)]
        product = (value ^ word >> half) * seeds[np.uint64(2 * index)]
        value = product >> half ^ product & mask
        product = (value ^ word & mask) * seeds[np.uint64(2 * index + 1)]
        value = product >> half ^ product & mask
    return value


@kernel
def find_slot(
    key: NDArray[np.uint64], seeds: NDArray[np.uint64], slots: NDArray[np.int32], known: NDArray[np.uint64]
) -> np.uint64:
    """The slot that holds `key`, or the free one where it belongs. There is a free one always."""
    mask = np.uint64(len(slots) - 1)
    slot = mix(key, seeds) & mask
    while slots[slot] != 0:
        entry = np.uint64(slots[slot] - 1)
        same = True
        for word in range(KEY_WORDS):
            if known[entry, np.uint64(word)] != key[np.uint64(word)]:
                same = False
                break
        if same:
            break
        slot = slot + np.uint64(1) & mask
    return slot


@kernel
def assign_flows(
    keys: NDArray[np.uint64],
    first: int,
    seeds: NDArray[np.uint64],
    slots: NDArray[np.int32],
    known: NDArray[np.uint64],
    places: NDArray[np.int32],
    counts: NDArray[np.int64],
    flow: NDArray[np.int32],
    direction: NDArray[np.int8],
) -> int:
    """Flow and direction of the datagrams from row `first` on, whose endpoints are in `keys`.

    Open addressing: a slot holds 0, or a number from 1 of a row of `known`, of shape (rows, KEY_WORDS), and `places`:
    2 * flow + direction. `counts` holds rows and flows in use. Returns the first datagram that there was no room for.
    """
    half = np.uint64(0xFFFF)
    room = min(len(known), len(slots) // 2)
    for index in range(first, len(keys)):
        row = np.uint64(index)
        key = keys[row]
        slot = find_slot(key, seeds, slots, known)
        if slots[slot] == 0:
            entry = counts[0]
            if entry + 2 > room:
                return index
            number = counts[1]
            for word in range(KEY_WORDS):
                known[np.uint64(entry), np.uint64(word)] = key[np.uint64(word)]
            places[np.uint64(entry)] = 2 * number
            slots[slot] = entry + 1
            counts[0] = entry + 1
            counts[1] = number + 1
            ports = key[4]
            # The next row is free: where the way back is there already, it stays so.
            other = known[np.uint64(entry + 1)]
            other[0], other[1], other[2], other[3] = key[2], key[3], key[0], key[1]
            other[4] = (
                (ports >> np.uint64(32) & half) << np.uint64(48)
                | (ports >> np.uint64(48)) << np.uint64(32)
                | ports & half
            )
            back = find_slot(other, seeds, slots, known)
            # A flow of an endpoint with itself sends in direction 0 only.
            if slots[back] == 0:
                places[np.uint64(entry + 1)] = 2 * number + 1
                slots[back] = entry + 2
                counts[0] = entry + 2
        place = places[np.uint64(slots[slot] - 1)]
        flow[row] = place >> 1
        direction[row] = place & 1
    return len(keys)


@kernel
def place_entries(used: int, seeds: NDArray[np.uint64], slots: NDArray[np.int32], known: NDArray[np.uint64]) -> None:
    """Put the first `used` rows of `known` into empty `slots`, which are more than twice as many."""
    for entry in range(used):
        slots[find_slot(known[np.uint64(entry)], seeds, slots, known)] = entry + 1
