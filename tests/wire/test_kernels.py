"""Compiled reading of numbers and Huffman streams against the plain one."""

from __future__ import annotations

from functools import partial

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from analyzer.transports.teeworlds_huffman import HUFFMAN
from analyzer.wire import varint
from analyzer.wire.errors import DecodeError
from analyzer.wire.kernels import (
    HUFFMAN_EOF,
    HUFFMAN_LIMIT,
    decompress,
    digest,
    huffman_tables,
    offset_of,
    unpack_all,
    words_of,
)
from tests.encoder import pack_huffman

TABLES = huffman_tables(HUFFMAN)
LIMIT = 40
ROOM = 12
FAULTS = {"huffman-eof": HUFFMAN_EOF, "huffman-limit": HUFFMAN_LIMIT}
NUMBERS = st.lists(st.integers(-0x80000000, 0x7FFFFFFF), max_size=ROOM).map(
    lambda ints: b"".join(map(varint.pack, ints))
)


def array(data: bytes) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.frombuffer(data, dtype=np.uint8)


@given(
    st.binary(max_size=60) | st.binary(max_size=50).map(partial(pack_huffman, HUFFMAN)),
    st.integers(0, 3),
    st.binary(max_size=2) | st.just(b"\xff" * 20),
    st.sampled_from([0, 0, 0, 1, 2, 20]),
)
@example(pack_huffman(HUFFMAN, bytes(range(256))), 0, b"", 0)
@example(pack_huffman(HUFFMAN, bytes(range(0, 256, 7))), 3, b"", 0)
@example(pack_huffman(HUFFMAN, b"\0" * LIMIT), 0, b"", 0)
@example(pack_huffman(HUFFMAN, b"\0" * (LIMIT + 1)), 0, b"", 0)
@example(pack_huffman(HUFFMAN, bytes(range(0, 256, 7))), 0, b"\xff" * 20, 20)
@example(pack_huffman(HUFFMAN, bytes(range(0, 256, 7))), 0, b"\xff" * 20, 21)
@example(b"", 0, b"", 0)
def test_huffman(stream: bytes, before: int, behind: bytes, rest: int) -> None:
    """`rest`: bytes of the buffer that are none of the stream, whose end may be among them."""
    data = b"\xff" * before + stream + behind
    rest = min(rest, len(stream + behind))
    out = np.zeros(-(-LIMIT // 8), dtype=np.uint64)
    size = decompress(array(data), words_of(data), before, len(data) - rest, TABLES, out, LIMIT)
    assert (out.view(np.uint8)[:size].tobytes() if size >= 0 else size) == plainly(data[: len(data) - rest], before)


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
    shifted = b"\xff" * before + data
    count, end, odd = unpack_all(array(shifted), before, len(shifted), ints)
    offsets = [offset_of(array(shifted), before, index) for index in range(count + 1)]
    assert offsets == varint.offsets(data)[: count + 1]
    assert end - before == offsets[count]
    values, fault = numbers_of(data)
    assert ints[:count].tolist() == values
    assert fault == (None if end == len(shifted) else offsets[count])
    if fault is None:
        assert odd == (not varint.is_canonical(data))


@given(st.binary(min_size=1, max_size=40), st.binary(max_size=20), st.binary(max_size=20), st.data())
def test_the_digest_is_of_the_bytes_alone(one: bytes, before: bytes, behind: bytes, draw: st.DataObject) -> None:
    assert digest_of(before + one + behind, len(before), len(before + one)) == digest_of(one, 0, len(one))
    at = draw.draw(st.integers(0, len(one) - 1))
    other = one[:at] + bytes([one[at] ^ draw.draw(st.integers(1, 255))]) + one[at + 1 :]
    assert digest_of(other, 0, len(one)) != digest_of(one, 0, len(one)) >= 0
    assert digest_of(one + b"\0", 0, len(one) + 1) != digest_of(one, 0, len(one))


def digest_of(data: bytes, start: int, end: int) -> int:
    return int(digest(array(data), words_of(data), start, end))


def numbers_of(data: bytes) -> tuple[list[int], int | None]:
    """The numbers before a fault, and where that is."""
    try:
        return varint.unpack_all(data, ROOM), None
    except varint.VarintError as error:
        return error.values, error.offset
