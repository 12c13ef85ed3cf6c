"""States written by compiled code are those that the plain reading makes, to the order of their items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from analyzer.protocols.teeworlds.delta import apply, read_delta
from analyzer.protocols.teeworlds.delta_columns import CRC, FAULT, LENGTH, NO_ROOM, RESULTS, STATE_BYTES, make_scratch
from analyzer.protocols.teeworlds.delta_kernels import rebuild
from analyzer.protocols.teeworlds.schema import default_schema
from analyzer.protocols.teeworlds.state import State, make_state, pack_state
from analyzer.protocols.teeworlds.state_kernels import signed
from tests.encoder import key, pack_varints

SIZES = default_schema().sizes
FLAG, MOD = 5, 70
BASE = make_state({key(FLAG, 0): (1, 2, 3), key(MOD, 1): (0x7FFFFFFF,), key(MOD, 2): (7, 8), key(FLAG, 3): (4, 5, 6)})
NEW = (FLAG, 9, 1, 1, 1)


def made(base: State, delta: bytes, room: int) -> tuple[np.ndarray, np.ndarray]:
    """What was written, and the result."""
    state = np.frombuffer(pack_state(base), np.int32)
    out, result = np.zeros(room, np.int32), np.zeros(RESULTS, np.int64)
    data, sizes = np.frombuffer(delta, np.uint8), np.array(SIZES, np.int32)
    rebuild(data, 0, len(data), state, base.crc, sizes, make_scratch(), out, result)
    return out, result


def delta(removed: Sequence[int], *updates: tuple[int, ...]) -> bytes:
    ints = [value for update in updates for value in update]
    return pack_varints([len(removed), len(updates), 0, *removed, *ints])


@pytest.mark.parametrize(
    "data",
    [
        delta([]),
        delta([], (FLAG, 0, 5, 0, -5), (MOD, 1, 1, 1)),
        delta([], NEW, (FLAG, 3, 1, 0, 0), (MOD, 8, 2, 3, 4)),
        delta([key(FLAG, 0), key(MOD, 2)]),
        delta([key(MOD, 1), key(MOD, 2)], NEW),
        # Removed and sent again: it counts from what it was, and stands behind the others.
        delta([key(MOD, 1)], (MOD, 1, 1, 1), NEW),
        delta([key(FLAG, 0), key(MOD, 1), key(MOD, 2), key(FLAG, 3)]),
    ],
)
def test_a_state_is_that_of_the_plain_reading(data: bytes) -> None:
    expected = apply(BASE, read_delta(data, SIZES)).state
    packed = pack_state(expected)
    out, result = made(BASE, data, len(packed) // 4)
    assert (result[FAULT], result[CRC], result[STATE_BYTES]) == (0, expected.crc, expected.size)
    assert out[: result[LENGTH]].tobytes() == packed


def test_too_little_room_is_told_with_what_is_needed() -> None:
    data = delta([], NEW)
    needed = len(pack_state(apply(BASE, read_delta(data, SIZES)).state)) // 4
    _, result = made(BASE, data, needed - 1)
    assert (result[FAULT], result[LENGTH]) == (NO_ROOM, needed)


@pytest.mark.parametrize(
    ("value", "expected"), [(5, 5), (-5, -5), (0x7FFFFFFF, 0x7FFFFFFF), (0x80000000, -0x80000000), (1 << 32, 0)]
)
def test_sums_wrap_at_32_bits(value: int, expected: int) -> None:
    assert signed(value) == expected
