"""Many payloads and many deltas in one call: each as if it were alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from analyzer.protocols.teeworlds.chain_kernels import Found, Packets, find_parts, rebuild_all
from analyzer.protocols.teeworlds.codec import part_of
from analyzer.protocols.teeworlds.delta_columns import FAULT, MAX_STATE_INTS, RESULTS, make_scratch
from analyzer.protocols.teeworlds.dialects import DIALECTS
from analyzer.protocols.teeworlds.flow_columns import MAX_CHUNKS, dialect_tables
from analyzer.transports.teeworlds_huffman import HUFFMAN
from analyzer.wire.kernels import huffman_tables, words_of
from tests.encoder import chunk, pack_varints, packet, snapshot
from tests.protocols.teeworlds.played import READY, SIZES, TOKEN, A, big_items


def parts_in(dialect: str, places: list[tuple[bytes, int, int]]) -> list[tuple[bytes, int, bool] | None]:
    """Bytes, where they begin in the plain payload, and were they compressed; None where plain reading has to tell."""
    payloads, count = [payload for payload, _, _ in places], len(places)
    buffer, variant = b"".join(payloads), DIALECTS[dialect].variant
    plain = np.zeros((count, -(-variant.max_payload // 8)), dtype=np.uint64)
    plain_bytes = plain.view(np.uint8)
    plain_bytes.flags.writeable = False
    roles, flags = dialect_tables(dialect)
    found = Found(
        plain,
        plain_bytes,
        np.zeros((MAX_CHUNKS, 4), dtype=np.int64),
        np.zeros(9, dtype=np.int64),
        np.zeros((count, 4), dtype=np.int64),
    )
    packets = Packets(
        np.frombuffer(buffer, dtype=np.uint8),
        words_of(buffer),
        np.cumsum([len(payload) for payload in payloads]),
        np.array([place[1:] for place in places], dtype=np.int64),
        huffman_tables(HUFFMAN),
        flags,
        roles,
        variant.token_place,
        variant.size_shift,
        variant.max_payload,
    )
    find_parts(packets, found)
    return [
        None if size < 0 else ((row.tobytes() if compressed else buffer)[start : start + size], offset, compressed != 0)
        for row, (start, offset, size, compressed) in zip(plain_bytes, found.parts.tolist(), strict=True)
    ]


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
@pytest.mark.parametrize("compress", [False, True])
def test_parts_are_found_where_nothing_is_unusual(dialect: str, compress: bool) -> None:
    variant = DIALECTS[dialect].variant
    places = []
    for message in snapshot(102, 100, A, big_items(2), SIZES, seven=dialect == "0.7"):
        chunks = [chunk(one, size_shift=variant.size_shift) for one in (READY, message)]
        payload = packet(chunks, token=TOKEN, variant=variant, compress=compress)
        places.append((payload, len(READY) + 4, len(message)))
    assert len(places) > 1
    plain = [part_of(payload, DIALECTS[dialect], *place) for payload, *place in places]
    assert parts_in(dialect, places) == [(part.data, part.source_offset, part.compressed) for part in plain]
    assert plain[0].compressed is compress


def test_what_is_unusual_is_left_to_plain_reading() -> None:
    message = snapshot(102, 100, A, A, SIZES)[0]
    payload = packet([chunk(message)], token=TOKEN, variant=DIALECTS["ddnet"].variant)
    size = len(message)
    odd = [(b"", 2, 1), (payload[:2], 2, size), (payload, 2, size + 1), (payload, 2, 1), (payload[:-3], 2, size)]
    odd += [(b"\x20" + payload[1:], 2, size), (b"\x80" + payload[1:], 2, size), (payload, 0, size)]
    usual = part_of(payload, DIALECTS["ddnet"], 2, size)
    found = parts_in("ddnet", [(payload, 2, size), *odd])
    assert found == [(usual.data, usual.source_offset, False), *[None] * len(odd)]


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
