"""Numbers and Huffman streams at the speed of compiled code: the bulk reading of varint.py and huffman.py.

Spec sections 5 and 6.1. Bytes come as uint8 arrays; nothing here raises, results say what was wrong.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.wire.huffman import END, Huffman

LOOKUP_BITS = 11
"""Bits of the window that the first table answers; longer codes, which are rare, walk the tree."""
HUFFMAN_EOF, HUFFMAN_LIMIT = -1, -2
"""What `decompress` returns instead of a size."""


def huffman_tables(coder: Huffman) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
    """The tables `decompress` reads.

    First, shape (2 ** LOOKUP_BITS,): symbol << 8 | bits of its code, where the code fits into the window, else
    -1 - node of the tree at which to go on. Second, shape (nodes, 2): child by bit; symbols are nodes up to END.
    """
    children = coder.children
    tree = np.zeros((max(children) + 1, 2), dtype=np.int16)
    for node, pair in children.items():
        tree[node] = pair
    lookup = np.zeros(1 << LOOKUP_BITS, dtype=np.int32)
    for window in range(1 << LOOKUP_BITS):
        node = coder.root
        for used in range(1, LOOKUP_BITS + 1):
            node = children[node][window >> (used - 1) & 1]
            if node <= END:
                lookup[window] = node << 8 | used
                break
        else:
            lookup[window] = -1 - node
    return lookup, tree


@kernel
def decompress(
    data: NDArray[np.uint8],
    start: int,
    stop: int,
    lookup: NDArray[np.int32],
    tree: NDArray[np.int16],
    out: NDArray[np.uint8],
    limit: int,
) -> int:
    """Decode `data[start:stop]` into `out` up to the end symbol; bytes behind it are ignored.

    Returns the size, at most `limit`; HUFFMAN_EOF if the input ends first; HUFFMAN_LIMIT if there is more. Where both
    are so, the end of the input is the fault, as in `Huffman.decompress`. `out` has `limit` bytes at least.
    """
    window = np.uint64(0)
    bits = 0
    at = start
    size = 0
    mask = np.uint64((1 << LOOKUP_BITS) - 1)
    while True:
        while bits <= 56 and at < stop:
            window |= np.uint64(data[np.uint64(at)]) << np.uint64(bits)
            at += 1
            bits += 8
        entry = int(lookup[window & mask])
        if entry >= 0:
            used = entry & 0xFF
            symbol = entry >> 8
        else:
            node = -1 - entry
            used = LOOKUP_BITS
            while node > END:
                if used >= bits:
                    return HUFFMAN_EOF
                node = int(tree[np.uint64(node), (window >> np.uint64(used)) & np.uint64(1)])
                used += 1
            symbol = node
        if used > bits:
            return HUFFMAN_EOF
        window >>= np.uint64(used)
        bits -= used
        if symbol == END:
            return size if size <= limit else HUFFMAN_LIMIT
        if size < limit:
            out[np.uint64(size)] = np.uint8(symbol)
        size += 1


@kernel
def unpack(data: NDArray[np.uint8], at: int, end: int) -> tuple[int, int]:
    """The number at `data[at:end]` and where the next one begins; -1 instead if it is cut off."""
    if at >= end:
        return 0, -1
    byte = int(data[np.uint64(at)])
    at += 1
    value = byte & 0x3F
    negative = byte & 0x40
    shift = 6
    while byte >= 0x80 and shift <= 27:
        if at >= end:
            return 0, -1
        byte = int(data[np.uint64(at)])
        at += 1
        value |= (byte & (0x0F if shift == 27 else 0x7F)) << shift
        shift += 7
    return (~value if negative else value), at


@kernel
def digest(data: NDArray[np.uint8], start: int, end: int) -> int:
    """A number, 0 or above, that tells `data[start:end]` from other bytes; not one that withstands forgers."""
    mixed = np.uint64(end - start)
    at = start
    while at < end:
        word = np.uint64(0)
        for step in range(min(8, end - at)):
            word |= np.uint64(data[np.uint64(at + step)]) << np.uint64(8 * step)
        mixed = (mixed ^ word) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        at += 8
    return int(mixed >> np.uint64(1))


@kernel
def unpack_all(
    data: NDArray[np.uint8], start: int, end: int, ints: NDArray[np.int32], offsets: NDArray[np.int32]
) -> tuple[int, bool, bool]:
    """All numbers of `data[start:end]` into `ints`, and where each begins, from `start`, into `offsets`.

    Returns how many whole numbers there are; whether the last one is cut off; whether one is longer than needed or
    holds bits that fall off. Stops behind the last number that `ints` has room for; `offsets` has one entry more, which
    gets where the last whole one ends.
    """
    count = 0
    room = len(ints)
    at = start
    odd = False
    while at < end and count < room:
        offsets[np.uint64(count)] = at - start
        byte = int(data[np.uint64(at)])
        at += 1
        value = byte & 0x3F
        if byte >= 0x80:
            negative = byte & 0x40
            shift = 6
            while byte >= 0x80 and shift <= 27:
                if at >= end:
                    return count, True, odd
                byte = int(data[np.uint64(at)])
                at += 1
                value |= (byte & (0x0F if shift == 27 else 0x7F)) << shift
                shift += 7
            if byte == 0 or (shift == 34 and byte >= 0x10):
                odd = True
            if negative:
                value = ~value
        elif byte & 0x40:
            value = ~value
        ints[np.uint64(count)] = value
        count += 1
    offsets[np.uint64(count)] = at - start
    return count, False, odd
