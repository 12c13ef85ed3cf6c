"""Teeworlds' Huffman code: table, codes, and the vectors of spec section 5."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twnet_parser.huffman_twnet_parser import huffman as peer

from analyzer.transports.teeworlds_huffman import FREQUENCIES, HUFFMAN
from analyzer.wire.errors import DecodeError
from tests.encoder import pack_huffman

VECTORS = [
    (b"", "8a1b"),
    (b"\0", "1537"),
    (b"hello world", "ae95135c0957c216b156dcda2238b9129ca8b801"),
    (bytes.fromhex("00010002008000"), "b1082a6e00"),
    (bytes(range(16)), "51587876 1b37c2d4 fbcb1d7a 778a1b"),
    # decoded payload of a packet from real traffic, spec section 22.4
    (
        bytes.fromhex("00041387150f02050f88150494bbb1b90b1b000100090000000000000000000000000000000003000000000000"),
        "3d55aef6cd9db0bbd3e29b67b8978acbfca1c5ccff7f8b5f7103",
    ),
]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_frequencies() -> None:
    text = ",".join(map(str, FREQUENCIES)).encode()
    assert sha256(text) == "1135389b6da6446e38a52c99b9f3bcb5af38c7952f015061083813acba728024"


def test_codes() -> None:
    text = "".join(f"{symbol}:{code}\n" for symbol, code in enumerate(HUFFMAN.codes)).encode()
    assert len(text) == 3898
    assert sha256(text) == "95b5dbe82c21732342426803839d79270ed4e7138552eb36cc17e9ca4c3733dd"


@pytest.mark.parametrize(
    ("symbol", "code"),
    [
        (0, "1"),
        (1, "0001"),
        (2, "01000"),
        (4, "011110"),
        (128, "00000"),
        (255, "01001001"),
        (126, "01110101001001"),
        (256, "010100011101100"),
    ],
)
def test_code_of_a_symbol(symbol: int, code: str) -> None:
    assert HUFFMAN.codes[symbol] == code
    assert HUFFMAN.code_lengths[symbol] == len(code)


def test_code_lengths_go_from_1_to_15() -> None:
    assert (min(HUFFMAN.code_lengths), max(HUFFMAN.code_lengths)) == (1, 15)


@pytest.mark.parametrize(("plain", "packed"), VECTORS)
def test_vector(plain: bytes, packed: str) -> None:
    assert pack_huffman(HUFFMAN, plain) == bytes.fromhex(packed)
    assert HUFFMAN.decompress(bytes.fromhex(packed), 0, 1397) == plain


def test_the_extra_zero_byte_of_vanilla_is_ignored() -> None:
    assert HUFFMAN.decompress(bytes.fromhex("153700"), 0, 1397) == b"\0"


@pytest.mark.parametrize(
    ("plain", "size", "digest"),
    [
        (bytes(range(256)), 341, "0ca643d79f01a64cfeb90ea5749f8e1ac5980626fb548c2f242175d66334ecf3"),
        (bytes(1397), 177, "129807b1cb4cc75d26ba3bbea8730b0c59d1b34b2656283020936ffb3eb42e04"),
    ],
)
def test_long_vector(plain: bytes, size: int, digest: str) -> None:
    packed = pack_huffman(HUFFMAN, plain)
    assert (len(packed), sha256(packed)) == (size, digest)
    assert HUFFMAN.decompress(packed, 0, 1397) == plain


def test_a_missing_end_symbol_is_refused() -> None:
    for plain, packed in VECTORS:
        data = bytes.fromhex(packed)
        end = (HUFFMAN.bits(plain) + 15 - 1) // 8
        with pytest.raises(DecodeError, match="end symbol"):
            HUFFMAN.decompress(data[:end], 0, 1397)


@given(st.binary(max_size=200))
def test_a_peer_reads_what_is_compressed(plain: bytes) -> None:
    # without the zero byte that older coders append, the peer would read past the end
    assert peer.decompress(pack_huffman(HUFFMAN, plain) + b"\0") == plain


# the peer makes nothing at all of nothing
@given(st.binary(min_size=1, max_size=200))
def test_what_a_peer_compresses_is_read(plain: bytes) -> None:
    packed = bytes(peer.compress(plain))
    assert HUFFMAN.decompress(packed, 0, 1397) == plain
    ours = pack_huffman(HUFFMAN, plain)
    assert packed in (ours, ours + b"\0")
