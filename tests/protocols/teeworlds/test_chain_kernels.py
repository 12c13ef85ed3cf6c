"""Many payloads and many deltas in one call: each as if it were alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.protocols.teeworlds.chain_kernels import decompress_all, rebuild_all
from analyzer.protocols.teeworlds.delta_columns import FAULT, MAX_STATE_INTS, RESULTS, make_scratch
from analyzer.transports.teeworlds_huffman import HUFFMAN
from analyzer.wire.kernels import HUFFMAN_EOF, HUFFMAN_LIMIT, huffman_tables, words_of
from tests.encoder import pack_huffman, pack_varints

LIMIT = 20


def test_payloads_that_can_be_decompressed_and_others() -> None:
    packed = [pack_huffman(HUFFMAN, plain) for plain in (b"", b"snapshot", bytes(LIMIT), bytes(LIMIT + 1))]
    packed.insert(2, packed[1][:-1])
    buffer = b"\xff" + b"\xff\xff".join(packed)
    starts = [1 + sum(len(one) + 2 for one in packed[:number]) for number in range(len(packed))]
    spans = np.array([[start, start + len(one)] for start, one in zip(starts, packed, strict=True)], dtype=np.int64)
    out, sizes = np.zeros((len(packed), 3), dtype=np.uint64), np.zeros(len(packed), dtype=np.int64)
    data = np.frombuffer(buffer, dtype=np.uint8)
    decompress_all(data, words_of(buffer), spans, huffman_tables(HUFFMAN), LIMIT, out, sizes)
    assert sizes.tolist() == [0, 8, HUFFMAN_EOF, LIMIT, HUFFMAN_LIMIT]
    assert [row[:size].tobytes() for row, size in zip(out.view(np.uint8), (0, 8), strict=False)] == [b"", b"snapshot"]


UPDATE = [70, 1, 1]
STEPS = [pack_varints([0, 1, 0, *UPDATE, value]) for value in (5, 2)]
CUT = pack_varints([0, 1, 0, 70, 1])


def rebuilt(
    deltas: list[bytes], bases: list[int], given: list[tuple[int, int, int]], arena: NDArray[np.int32]
) -> tuple[int, int, list[tuple[list[int], int]]]:
    """How many states there are, the fault, and the states with their checksums."""
    places = np.zeros((len(given) + len(deltas), 3), dtype=np.int64)
    places[: len(given)] = given
    result = np.zeros(RESULTS, dtype=np.int64)
    count = rebuild_all(
        np.frombuffer(b"".join(deltas), dtype=np.uint8),
        np.cumsum([len(delta) for delta in deltas]),
        np.array(bases, dtype=np.int64),
        arena,
        places,
        len(given),
        np.full(64, -1, dtype=np.int32),
        make_scratch(),
        result,
    )
    made = [(arena[at : at + ints].tolist(), crc) for at, ints, crc in places[len(given) : len(given) + count].tolist()]
    return count, int(result[FAULT]), made


def state_of(value: int) -> tuple[list[int], int]:
    """Type 70, id 1 of one int, and its checksum."""
    return [1, 70 << 16 | 1, 1, value], value


def test_states_up_to_a_fault() -> None:
    """The item is set to 5, changed by 2, left alone, then cut off; what follows is not made."""
    deltas = [*STEPS, b"", CUT, STEPS[0]]
    arena = np.zeros(5 * MAX_STATE_INTS, dtype=np.int32)
    assert rebuilt(deltas, [0, 1, 2, 3, 4], [(0, 1, 0)], arena) == (3, 4, [state_of(5), state_of(7), state_of(7)])


def test_states_on_any_that_are_known_or_were_made() -> None:
    arena = np.zeros(5 * MAX_STATE_INTS, dtype=np.int32)
    arena[1:5] = state_of(100)[0]
    deltas = [STEPS[0], STEPS[0], STEPS[1], STEPS[1]]
    _, _, made = rebuilt(deltas, [1, 0, 1, 2], [(0, 1, 0), (1, 4, 100)], arena)
    assert made == [state_of(105), state_of(5), state_of(102), state_of(107)]


def test_states_as_far_as_there_is_room() -> None:
    arena = np.zeros(1 + 4 + 3, dtype=np.int32)
    assert rebuilt(STEPS, [0, 1], [(0, 1, 0)], arena) == (1, 0, [state_of(5)])
