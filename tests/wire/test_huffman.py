"""The Huffman coder, with a code small enough to follow by hand; Teeworlds' own code is tested beside its table."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.wire.errors import DecodeError
from analyzer.wire.huffman import END, SYMBOLS, Huffman
from tests.encoder import pack_huffman

# symbol 0 as frequent as all others together: its code is one bit, the others form a balanced tree below
EVEN = Huffman([255 if symbol == 0 else 1 for symbol in range(SYMBOLS)])


def test_frequencies_of_257_symbols_are_wanted() -> None:
    with pytest.raises(ValueError, match="257"):
        Huffman([1] * 256)


def test_codes_are_complete_and_prefix_free() -> None:
    assert sum(2.0**-length for length in EVEN.code_lengths) == 1.0
    ordered = sorted(EVEN.codes)
    assert not any(longer.startswith(code) for code, longer in pairwise(ordered))


def test_code_lengths_belong_to_the_codes() -> None:
    assert list(EVEN.code_lengths) == [len(code) for code in EVEN.codes]
    assert EVEN.code_lengths[0] == 1


def test_bits_count_code_lengths_without_the_end() -> None:
    assert EVEN.bits(b"") == 0
    assert EVEN.bits(b"\0\0\x05") == 2 + EVEN.code_lengths[5]


def test_decoding_begins_at_the_offset_and_ignores_what_follows_the_end() -> None:
    packed = pack_huffman(EVEN, b"abc")
    assert EVEN.decompress(b"\xff\xff" + packed + b"\x12\x34", 2, 3) == b"abc"


def test_input_that_ends_before_the_end_symbol_is_refused() -> None:
    packed = pack_huffman(EVEN, b"hello")
    for length in range(len(packed)):
        with pytest.raises(DecodeError) as caught:
            EVEN.decompress(packed[:length], 0, 1000)
        assert (caught.value.code, caught.value.offset) == ("huffman-eof", length)


@pytest.mark.parametrize(("limit", "byte"), [(79, 9), (80, 10)])
def test_output_beyond_the_limit_is_refused_where_it_gets_too_long(limit: int, byte: int) -> None:
    packed = pack_huffman(EVEN, bytes(100))
    assert EVEN.decompress(packed, 0, 100) == bytes(100)
    with pytest.raises(DecodeError) as caught:
        EVEN.decompress(b"\x01" + packed, 1, limit)
    # eight zeros a byte: the eightieth is in byte 9, the next one in byte 10
    assert (caught.value.code, caught.value.offset) == ("huffman-limit", 1 + byte)


def test_the_end_symbol_may_end_on_the_byte_boundary() -> None:
    end = EVEN.code_lengths[END]
    plain = bytes(-end % 8)
    packed = pack_huffman(EVEN, plain)
    assert len(packed) * 8 == len(plain) + end
    assert EVEN.decompress(packed, 0, 8) == plain


@given(st.binary(max_size=300))
def test_what_is_compressed_comes_back(plain: bytes) -> None:
    packed = pack_huffman(EVEN, plain)
    assert EVEN.decompress(packed, 0, len(plain)) == plain
    assert len(packed) == (EVEN.bits(plain) + EVEN.code_lengths[END] + 7) // 8


@given(st.binary(max_size=300), st.integers(0, 300), st.integers(0, 400))
def test_a_stream_that_is_cut_tells_how_it_begins(plain: bytes, cut: int, limit: int) -> None:
    packed = b"\xee" + pack_huffman(EVEN, plain)
    kept = packed[: max(1, len(packed) - cut)]
    begun = EVEN.beginning(kept, 1, limit)
    assert plain.startswith(begun)
    assert EVEN.bits(begun) <= 8 * (len(kept) - 1)
    # Nothing that is whole is left out.
    whole = EVEN.bits(plain[: len(begun) + 1]) <= 8 * (len(kept) - 1)
    assert begun == plain or len(begun) == limit or not whole
    assert EVEN.beginning(packed + kept, 1, 400) == plain


@given(st.binary(max_size=300), st.integers(0, 310), st.integers(0, 400))
def test_any_bytes_decode_or_are_refused(data: bytes, offset: int, limit: int) -> None:
    plain, code = b"", ""
    try:
        plain = EVEN.decompress(data, offset, limit)
    except DecodeError as error:
        code = error.code
    assert code in ("", "huffman-eof", "huffman-limit")
    assert len(plain) <= min(limit, 8 * len(data))
