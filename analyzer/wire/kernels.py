"""Numbers and Huffman streams at the speed of compiled code: the bulk reading of varint.py and huffman.py.

Spec sections 5 and 6.1. Bytes come as uint8 arrays; nothing here raises, results say what was wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.wire.huffman import END, Huffman

LOOKUP_BITS = 11
"""Bits of the window that the table answers; longer codes, which are rare, walk the tree."""
MAX_BITS = 16
"""Bits of the longest code that `huffman_tables` takes."""
MOST_SYMBOLS = 6
"""That the table answers at once."""
HUFFMAN_EOF, HUFFMAN_LIMIT = -1, -2
"""What `decompress` returns instead of a size."""

_COUNT_SHIFT, _BITS_SHIFT = 48, 56
_SYMBOLS = (1 << _COUNT_SHIFT) - 1


class HuffmanTables(NamedTuple):
    """What `decompress` reads."""

    lookup: NDArray[np.int64]
    """Shape (2 ** LOOKUP_BITS,): the symbols whose codes fit into the window, at most MOST_SYMBOLS and none behind the
    end symbol, a byte each, the first one lowest; from bit 48 on their number, from bit 56 on the bits of their codes.
    Where there are none, the node of the tree at which to go on, from bit 56 on behind so many bits."""
    tree: NDArray[np.int16]
    """Shape (nodes, 2): child by bit; symbols are nodes up to END."""


@cache
def huffman_tables(coder: Huffman) -> HuffmanTables:
    """The tables of a code none of whose symbols has more than MAX_BITS bits; made once."""
    children = coder.children
    assert _depth(coder.root, children) <= MAX_BITS
    tree = np.zeros((max(children) + 1, 2), dtype=np.int16)
    for node, pair in children.items():
        tree[node] = pair
    lookup = np.array([_entry(coder, window) for window in range(1 << LOOKUP_BITS)], dtype=np.int64)
    return HuffmanTables(lookup, tree)


def _depth(node: int, children: Mapping[int, tuple[int, int]]) -> int:
    return 1 + max(_depth(child, children) for child in children[node]) if node in children else 0


def _entry(coder: Huffman, window: int) -> int:
    node, begin = coder.root, 0
    symbols, count = 0, 0
    for used in range(1, LOOKUP_BITS + 1):
        node = coder.children[node][window >> (used - 1) & 1]
        if node == END:
            break
        if node < END:
            symbols |= node << 8 * count
            count += 1
            node, begin = coder.root, used
            if count == MOST_SYMBOLS:
                break
    if count:
        return begin << _BITS_SHIFT | count << _COUNT_SHIFT | symbols
    return used << _BITS_SHIFT | node


def words_of(buffer: bytes) -> NDArray[np.uint64]:
    """The bytes of a buffer eight at a time, without those that are left over; shape (len // 8,), not a copy."""
    return np.frombuffer(buffer, dtype="<u8", count=len(buffer) // 8)


@kernel
def decompress(
    data: NDArray[np.uint8],
    words: NDArray[np.uint64],
    start: int,
    stop: int,
    tables: HuffmanTables,
    out: NDArray[np.uint64],
    limit: int,
) -> int:
    """Decode `data[start:stop]` into `out` up to the end symbol; bytes behind it are ignored. `words`: see `words_of`.

    Returns the size in bytes, at most `limit`; HUFFMAN_EOF if the input ends first; HUFFMAN_LIMIT if there is more.
    Where both are so, the end of the input is the fault, as in `Huffman.decompress`. `out`, eight bytes in each, has
    room for `limit` bytes at least; what is behind the size is anything.
    """
    lookup = tables.lookup
    position, last = 8 * start, 8 * stop
    size, place = 0, 0
    # The bytes that are not in `out` yet.
    word, held = np.uint64(0), 0
    while position < last:
        window = _window(data, words, position)
        # No code has more than MAX_BITS bits, so 64 of them hold several symbols, whatever they are.
        for _ in range(64 // MAX_BITS):
            entry = int(lookup[window & np.uint64((1 << LOOKUP_BITS) - 1)])
            used, count, symbols = entry >> _BITS_SHIFT, entry >> _COUNT_SHIFT & 0xFF, np.uint64(entry & _SYMBOLS)
            if count == 0:
                symbol, used = _walk(window, entry & _SYMBOLS, used, tables.tree)
                if symbol == END:
                    if place < len(out):
                        out[np.uint64(place)] = word
                    if position + used > last:
                        return HUFFMAN_EOF
                    return size if size <= limit else HUFFMAN_LIMIT
                symbols, count = np.uint64(symbol), 1
            position += used
            window >>= np.uint64(used)
            size += count
            word |= symbols << np.uint64(8 * held)
            held += count
            if held >= 8:
                if place < len(out):
                    out[np.uint64(place)] = word
                place += 1
                held -= 8
                word = symbols >> np.uint64(8 * (count - held))
    return HUFFMAN_EOF


@kernel
def _window(data: NDArray[np.uint8], words: NDArray[np.uint64], position: int) -> np.uint64:
    """The 64 bits from one on, the first one lowest; behind the data there are zeros."""
    at, shift = position >> 6, np.uint64(position & 63)
    if at + 1 < len(words):
        window: np.uint64 = words[np.uint64(at)] >> shift
        if shift:
            window |= words[np.uint64(at + 1)] << (np.uint64(64) - shift)
        return window
    first, shift = position >> 3, np.uint64(position & 7)
    window = np.uint64(data[np.uint64(first)]) >> shift
    for step in range(1, min(9 if shift else 8, len(data) - first)):
        window |= np.uint64(data[np.uint64(first + step)]) << (np.uint64(8 * step) - shift)
    return window


@kernel
def _walk(window: np.uint64, node: int, used: int, tree: NDArray[np.int16]) -> tuple[int, int]:
    """Go on from a node of the tree, which stands behind so many bits; the symbol, and the bits of its code."""
    while node > END:
        node = int(tree[np.uint64(node), (window >> np.uint64(used)) & np.uint64(1)])
        used += 1
    return node, used


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
def digest(data: NDArray[np.uint8], words: NDArray[np.uint64], start: int, end: int) -> int:
    """A number, 0 or above, that tells `data[start:end]` from other bytes; not one that withstands forgers.

    `words`: see `words_of`.
    """
    mixed = np.uint64(end - start)
    for at in range(start, end, 8):
        window = _window(data, words, 8 * at)
        if end - at < 8:
            window &= (np.uint64(1) << np.uint64(8 * (end - at))) - np.uint64(1)
        mixed = (mixed ^ window) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return int(mixed >> np.uint64(1))


@kernel
def unpack_all(data: NDArray[np.uint8], start: int, end: int, ints: NDArray[np.int32]) -> tuple[int, int, bool]:
    """All numbers of `data[start:end]` into `ints`.

    Returns how many whole numbers there are; where the last of them ends, which is not `end` if one is cut off or
    `ints` has no room for more; whether one is longer than needed or holds bits that fall off.
    """
    count = 0
    room = len(ints)
    at = start
    odd = False
    while at < end and count < room:
        byte = int(data[np.uint64(at)])
        next = at + 1
        value = byte & 0x3F
        # Without a branch, as nobody can guess the sign of a number.
        sign = -(byte >> 6 & 1)
        if byte >= 0x80:
            shift = 6
            while byte >= 0x80 and shift <= 27:
                if next >= end:
                    return count, at, odd
                byte = int(data[np.uint64(next)])
                next += 1
                value |= (byte & (0x0F if shift == 27 else 0x7F)) << shift
                shift += 7
            if byte == 0 or (shift == 34 and byte >= 0x10):
                odd = True
        at = next
        ints[np.uint64(count)] = value ^ sign
        count += 1
    return count, at, odd


@kernel
def offset_of(data: NDArray[np.uint8], start: int, index: int) -> int:
    """Where a number begins, from `start` on, which is where the first one does; those before it are whole."""
    at = start
    for _ in range(index):
        last = at + 4
        while at < last and data[np.uint64(at)] >= 0x80:
            at += 1
        at += 1
    return at - start
