"""Compiled reading of numbers and Huffman streams against the plain one."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from analyzer.transports.teeworlds_huffman import HUFFMAN
from analyzer.wire import varint
from analyzer.wire.errors import DecodeError
from analyzer.wire.kernels import HUFFMAN_EOF, HUFFMAN_LIMIT, decompress, huffman_tables, unpack_all, words_of

LOOKUP, TREE = huffman_tables(HUFFMAN)
LIMIT = 40
ROOM = 12
FAULTS = {"huffman-eof": HUFFMAN_EOF, "huffman-limit": HUFFMAN_LIMIT}
NUMBERS = st.lists(st.integers(-0x80000000, 0x7FFFFFFF), max_size=ROOM).map(
    lambda ints: b"".join(map(varint.pack, ints))
)


def array(data: bytes) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.frombuffer(data, dtype=np.uint8)


@given(st.binary(max_size=60) | st.binary(max_size=50).map(HUFFMAN.compress), st.integers(0, 3), st.binary(max_size=2))
@example(HUFFMAN.compress(bytes(range(256))), 0, b"")
@example(HUFFMAN.compress(bytes(range(0, 256, 7))), 3, b"")
@example(HUFFMAN.compress(b"\0" * LIMIT), 0, b"")
@example(HUFFMAN.compress(b"\0" * (LIMIT + 1)), 0, b"")
@example(b"", 0, b"")
def test_huffman(stream: bytes, before: int, behind: bytes) -> None:
    data = b"\xff" * before + stream + behind
    out = np.zeros(LIMIT, dtype=np.uint8)
    size = decompress(array(data), words_of(data), before, len(data), LOOKUP, TREE, out, LIMIT)
    assert (out[:size].tobytes() if size >= 0 else size) == plainly(data, before)


def plainly(data: bytes, start: int) -> bytes | int:
    try:
        return HUFFMAN.decompress(data, start, LIMIT)
    except DecodeError as error:
        return FAULTS[error.code]


@given(NUMBERS | st.binary(max_size=40), st.integers(0, 3))
@example(b"\xc0\xff\xff\xff\xff", 0)
@example(b"\x80\x00", 0)
@example(b"\x80\x80\x80\x80\x10", 0)
@example(b"\x80\x80\x80\x80\x80", 0)
@example(b"\x01" * ROOM + b"\x80", 0)
@example(b"\x01" * (ROOM + 1), 0)
def test_numbers(data: bytes, before: int) -> None:
    ints = np.zeros(ROOM, dtype=np.int32)
    offsets = np.zeros(ROOM + 1, dtype=np.int32)
    shifted = b"\xff" * before + data
    count, cut, odd = unpack_all(array(shifted), before, len(shifted), ints, offsets)
    whole = not cut and offsets[count] == len(data)
    assert offsets[: count + 1].tolist() == varint.offsets(data)[: count + 1]
    values, fault = numbers_of(data)
    assert ints[:count].tolist() == values
    assert whole == (fault is None)
    assert fault in (None, offsets[count])
    if whole:
        assert odd == (not varint.is_canonical(data))


def numbers_of(data: bytes) -> tuple[list[int], int | None]:
    """The numbers before a fault, and where that is."""
    try:
        return varint.unpack_all(data, ROOM), None
    except varint.VarintError as error:
        return error.values, error.offset
