"""Varints: the vectors and rules of spec section 6.1."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twnet_parser.packer import Unpacker, pack_int

from analyzer.wire import varint
from analyzer.wire.errors import DecodeError
from analyzer.wire.varint import VarintError

INT32 = st.integers(-0x80000000, 0x7FFFFFFF)

VECTORS = [
    (0, "00"),
    (-1, "40"),
    (63, "3f"),
    (-64, "7f"),
    (64, "8001"),
    (-65, "c001"),
    (8191, "bf7f"),
    (8192, "808001"),
    (-8193, "c08001"),
    (1337, "b914"),
    (1048575, "bfff7f"),
    (1048576, "80808001"),
    (134217727, "bfffff7f"),
    (134217728, "8080808001"),
    (2147483647, "bfffffff0f"),
    (-2147483648, "ffffffff0f"),
]

# value, bytes: longer than needed, or with bits that fall off
NOT_CANONICAL = [
    (0, "8000"),
    (-1, "c000"),
    (64, "808100"),
    (0, "8080808000"),
    (0, "8080808010"),  # vanilla reads -2147483648
    (134217728, "8080808081"),  # the extend bit of the fifth byte means nothing
    (2147483647, "bfffffff7f"),
]


@pytest.mark.parametrize(("value", "packed"), VECTORS)
def test_vector(value: int, packed: str) -> None:
    data = bytes.fromhex(packed)
    assert varint.pack(value) == data
    assert varint.unpack(data, 0, len(data)) == (value, len(data))
    assert varint.unpack_all(data, 1) == [value]
    assert varint.is_canonical(data)


@pytest.mark.parametrize(("value", "packed"), NOT_CANONICAL)
def test_longer_forms_are_read_and_counted(value: int, packed: str) -> None:
    data = bytes.fromhex(packed)
    assert varint.unpack(data, 0, len(data)) == (value, len(data))
    assert varint.unpack_all(b"\x05" + data + b"\x06", 3) == [5, value, 6]
    assert not varint.is_canonical(data)
    assert varint.count_non_canonical(b"\x05" + data * 3 + b"\x00") == 3


def test_a_zero_after_a_fifth_byte_with_extend_bit_is_a_number_of_its_own() -> None:
    data = bytes.fromhex("808080808100")
    assert varint.unpack_all(data, 2) == [134217728, 0]
    assert varint.offsets(data) == [0, 5, 6]
    assert varint.count_non_canonical(data) == 1


@pytest.mark.parametrize("value", [0x80000000, -0x80000001])
def test_more_than_32_bits_are_not_packed(value: int) -> None:
    with pytest.raises(ValueError, match="32 bits"):
        varint.pack(value)


@pytest.mark.parametrize(("value", "packed"), VECTORS + NOT_CANONICAL)
def test_a_number_cut_off_is_refused(value: int, packed: str) -> None:
    data = b"\x01" + bytes.fromhex(packed)
    for end in range(1, len(data)):
        with pytest.raises(DecodeError) as caught:
            varint.unpack(data, 1, end)
        assert (caught.value.code, caught.value.offset) == ("varint-end", 1)
        if end > 1:
            with pytest.raises(VarintError) as list_caught:
                varint.unpack_all(data[:end], 10)
            assert (list_caught.value.code, list_caught.value.offset) == ("varint-end", 1)
            assert list_caught.value.values == [1]


def test_more_numbers_than_the_limit_are_refused() -> None:
    data = bytes.fromhex("8001 02 b914 04".replace(" ", ""))
    assert varint.unpack_all(data, 4) == [64, 2, 1337, 4]
    with pytest.raises(VarintError) as caught:
        varint.unpack_all(data, 2)
    error = caught.value
    assert (error.code, error.offset, error.values, error.details) == ("varint-limit", 3, [64, 2], (2,))


def test_offsets_are_where_numbers_begin_and_the_last_one_ends() -> None:
    assert varint.offsets(bytes.fromhex("8001 02 bfffffff0f 04".replace(" ", ""))) == [0, 2, 3, 8, 9]
    assert varint.offsets(b"") == [0]
    assert varint.offsets(b"\x01\x80") == [0, 1]


@given(st.lists(INT32, max_size=50))
def test_what_is_packed_comes_back(values: list[int]) -> None:
    data = b"".join(map(varint.pack, values))
    assert varint.unpack_all(data, len(values)) == values
    assert varint.is_canonical(data)
    offset = 0
    for value, start in zip(values, varint.offsets(data), strict=False):
        assert offset == start
        read, offset = varint.unpack(data, offset, len(data))
        assert read == value
    assert offset == len(data)


@given(st.binary(max_size=60), st.integers(0, 60))
def test_any_bytes_are_read_or_refused(data: bytes, limit: int) -> None:
    values: list[int] = []
    offset = 0
    fault = ""
    while offset < len(data):
        try:
            value, offset = varint.unpack(data, offset, len(data))
        except DecodeError as error:
            fault = error.code
            break
        assert -0x80000000 <= value <= 0x7FFFFFFF
        values.append(value)
    if len(values) > limit:
        fault = "varint-limit"
    assert varint.offsets(data)[len(values)] == offset
    code = ""
    try:
        read = varint.unpack_all(data, limit)
    except VarintError as error:
        code, read = error.code, error.values
    assert (code, read) == (fault, values[:limit])


@given(st.binary(max_size=60))
def test_canonical_is_what_packs_to_the_same_bytes(data: bytes) -> None:
    starts = varint.offsets(data)
    odd = 0
    for start, end in pairwise(starts):
        value, _ = varint.unpack(data, start, end)
        odd += varint.pack(value) != data[start:end]
    assert varint.count_non_canonical(data) == odd


@given(INT32)
def test_agrees_with_a_peer(value: int) -> None:
    assert varint.pack(value) == pack_int(value)
    assert Unpacker(varint.pack(value)).get_int() == value
