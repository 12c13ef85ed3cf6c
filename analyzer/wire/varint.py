"""Numbers of variable length: signed 32-bit, one to five bytes. Spec section 6.1.

first byte  E S D D D D D D      E extend, S sign, D value bits 5..0
next bytes  E D D D D D D D      value bits 12..6, 19..13, 26..20
fifth byte  . . . . D D D D      value bits 30..27
"""

from __future__ import annotations

from itertools import pairwise

from analyzer.wire.errors import DecodeError

MAX_BYTES = 5

_SINGLE = tuple(~(byte & 0x3F) if byte & 0x40 else byte & 0x3F for byte in range(0x80))
# classes of bytes, to search for suspicious runs at the speed of bytes.find: zero, below 10, below 80, extended
_CLASSES = b"0" + b"1" * 0x0F + b"2" * 0x70 + b"3" * 0x80


class VarintError(DecodeError):
    """A list of numbers that breaks off; `values` are those before the fault."""

    def __init__(self, code: str, offset: int, text: str, values: list[int]) -> None:
        super().__init__(code, offset, text, len(values))
        self.values = values


def pack(value: int) -> bytes:
    """The shortest form of a signed 32-bit number. Raises `ValueError` for anything larger."""
    if not -0x80000000 <= value <= 0x7FFFFFFF:
        raise ValueError(f"{value} does not fit into 32 bits")
    sign, rest = (0x40, ~value) if value < 0 else (0, value)
    packed = bytearray((sign | rest & 0x3F,))
    rest >>= 6
    while rest:
        packed[-1] |= 0x80
        packed.append(rest & 0x7F)
        rest >>= 7
    return bytes(packed)


def unpack(data: bytes, offset: int, end: int) -> tuple[int, int]:
    """The number at `data[offset:end]` and where the next one begins; `DecodeError` `varint-end` if it is cut off."""
    start = offset
    if offset >= end:
        raise DecodeError("varint-end", start, "a number is missing")
    byte = data[offset]
    offset += 1
    if byte < 0x80:
        return _SINGLE[byte], offset
    negative = byte & 0x40
    value = byte & 0x3F
    for shift, mask in ((6, 0x7F), (13, 0x7F), (20, 0x7F), (27, 0x0F)):
        if offset >= end:
            raise DecodeError("varint-end", start, "a number is cut off")
        byte = data[offset]
        offset += 1
        # vanilla masks the fifth byte with 7F and lets 32 bits overflow; the rule here is DDNet's
        value |= (byte & mask) << shift
        if byte < 0x80:
            break
    return ~value if negative else value, offset


def unpack_all(data: bytes, limit: int) -> list[int]:
    """All numbers of `data`.

    Raises `VarintError` with the numbers before the fault: `varint-end` if the last one is cut off, `varint-limit` if
    there are more than `limit`; its offset is where the number at fault begins.
    """
    values: list[int] = []
    append = values.append
    single = _SINGLE
    source = iter(data)
    try:
        for byte in source:
            if byte < 0x80:
                append(single[byte])
                continue
            second = next(source)
            value = byte & 0x3F | (second & 0x7F) << 6
            if second >= 0x80:
                third = next(source)
                value |= (third & 0x7F) << 13
                if third >= 0x80:
                    fourth = next(source)
                    value |= (fourth & 0x7F) << 20
                    if fourth >= 0x80:
                        value |= (next(source) & 0x0F) << 27
            append(~value if byte & 0x40 else value)
    except StopIteration:
        cut = True
    else:
        cut = False
    # a byte gives one number at most, so the list is bounded by the data; the limit can wait
    if len(values) > limit:
        raise VarintError("varint-limit", offsets(data)[limit], f"more than {limit} numbers", values[:limit])
    if cut:
        raise VarintError("varint-end", offsets(data)[-1], "the last number is cut off", values)
    return values


def offsets(data: bytes) -> list[int]:
    """Where each whole number of `data` begins, and as last entry where the last whole one ends."""
    starts = [0]
    start = 0
    for index, byte in enumerate(data, 1):
        if byte < 0x80 or index - start == MAX_BYTES:
            starts.append(index)
            start = index
    return starts


def is_canonical(data: bytes) -> bool:
    """Every number of `data` is in its shortest form, as all known senders write it."""
    return not count_non_canonical(data)


def count_non_canonical(data: bytes) -> int:
    """How many whole numbers of `data` are longer than needed, or hold bits that fall off."""
    classes = data.translate(_CLASSES)
    if b"30" not in classes and b"33332" not in classes and b"33333" not in classes:
        return 0
    starts = offsets(data)
    count = 0
    for start, end in pairwise(starts):
        last = data[end - 1]
        if end - start == MAX_BYTES:
            count += not 0 < last < 0x10
        elif end - start > 1:
            count += last == 0
    return count
