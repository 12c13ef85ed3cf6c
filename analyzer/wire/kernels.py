"""Numbers and Huffman streams at the speed of compiled code: the bulk reading of varint.py and huffman.py.

Spec sections 5 and 6.1. Bytes come as uint8 arrays; nothing here raises, results say what was wrong.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.wire.huffman import END, Huffman

LOOKUP_BITS = 11
"""Bits of the window that the first table answers; longer codes, which are rare, walk the tree."""
MAX_BITS = 16
"""Bits of the longest code that `huffman_tables` takes."""
HUFFMAN_EOF, HUFFMAN_LIMIT = -1, -2
"""What `decompress` returns instead of a size."""


def huffman_tables(coder: Huffman) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
    """The tables `decompress` reads.

    First, shape (2 ** LOOKUP_BITS,): symbol << 8 | bits of its code, where the code fits into the window, else
    -1 - node of the tree at which to go on. Second, shape (nodes, 2): child by bit; symbols are nodes up to END.
    """
    children = coder.children
    assert _depth(coder.root, children) <= MAX_BITS
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


def _depth(node: int, children: Mapping[int, tuple[int, int]]) -> int:
    return 1 + max(_depth(child, children) for child in children[node]) if node in children else 0


def words_of(buffer: bytes) -> NDArray[np.uint64]:
    """The bytes of a buffer eight at a time, without those that are left over; shape (len // 8,), not a copy."""
    return np.frombuffer(buffer, dtype="<u8", count=len(buffer) // 8)


@kernel
def decompress(
    data: NDArray[np.uint8],
    words: NDArray[np.uint64],
    start: int,
    stop: int,
    lookup: NDArray[np.int32],
    tree: NDArray[np.int16],
    out: NDArray[np.uint8],
    limit: int,
) -> int:
    """Decode `data[start:stop]` into `out` up to the end symbol; bytes behind it are ignored. `words`: see `words_of`.

    Returns the size, at most `limit`; HUFFMAN_EOF if the input ends first; HUFFMAN_LIMIT if there is more. Where both
    are so, the end of the input is the fault, as in `Huffman.decompress`. `out` has `limit` bytes at least.
    """
    size = 0
    position = 8 * start
    mask = np.uint64((1 << LOOKUP_BITS) - 1)
    # No code has more than MAX_BITS bits, so 64 of them hold several symbols, whatever they are.
    while position + 64 <= 8 * stop and (position >> 6) + 1 < len(words):
        word = np.uint64(position >> 6)
        shift = np.uint64(position & 63)
        window = words[word] >> shift
        if shift:
            window |= words[word + np.uint64(1)] << (np.uint64(64) - shift)
        for _ in range(64 // MAX_BITS):
            entry = int(lookup[window & mask])
            if entry < 0:
                entry = _walk(window, -1 - entry, tree)
            position += entry & 0xFF
            window >>= np.uint64(entry & 0xFF)
            symbol = entry >> 8
            if symbol == END:
                return size if size <= limit else HUFFMAN_LIMIT
            if size < limit:
                out[np.uint64(size)] = np.uint8(symbol)
            size += 1
    return _decompress_rest(data, position, stop, lookup, tree, out, limit, size)


@kernel
def _walk(window: np.uint64, node: int, tree: NDArray[np.int16]) -> int:
    """Go on from a node of the tree behind LOOKUP_BITS bits; the result is as in `lookup`."""
    used = LOOKUP_BITS
    while node > END:
        node = int(tree[np.uint64(node), (window >> np.uint64(used)) & np.uint64(1)])
        used += 1
    return node << 8 | used


@kernel
def _decompress_rest(
    data: NDArray[np.uint8],
    position: int,
    stop: int,
    lookup: NDArray[np.int32],
    tree: NDArray[np.int16],
    out: NDArray[np.uint8],
    limit: int,
    size: int,
) -> int:
    """The last symbols, from bit `position` on: behind the input there are only zeros, which are none of it."""
    at = position >> 3
    bits = 8 * (stop - at) - (position & 7)
    mask = np.uint64((1 << LOOKUP_BITS) - 1)
    window = np.uint64(0)
    held = 0
    skip = position & 7
    while True:
        while held <= 56 and at < stop:
            window |= (np.uint64(data[np.uint64(at)]) >> np.uint64(skip)) << np.uint64(held)
            held += 8 - skip
            skip = 0
            at += 1
        entry = int(lookup[window & mask])
        if entry < 0:
            entry = _walk(window, -1 - entry, tree)
        used = entry & 0xFF
        if used > bits:
            return HUFFMAN_EOF
        bits -= used
        held -= used
        window >>= np.uint64(used)
        symbol = entry >> 8
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
