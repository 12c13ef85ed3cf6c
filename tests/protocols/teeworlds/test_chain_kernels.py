"""Many payloads and many deltas in one call: each as if it were alone."""

from __future__ import annotations

import numpy as np

from analyzer.protocols.teeworlds.chain_kernels import decompress_all, rebuild_all
from analyzer.protocols.teeworlds.delta_columns import DETAIL, FAULT, MAX_STATE_INTS, RESULTS, make_scratch
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


def test_states_up_to_a_fault() -> None:
    """Type 70, id 1 of one int: set to 5, changed by 2, then cut off; what follows is not made."""
    update = [70, 1, 1]
    deltas = [pack_varints([0, 1, 0, *update, value]) for value in (5, 2)]
    deltas += [pack_varints([0, 1, 0, 70, 1]), deltas[0]]
    out, made = np.zeros((4, MAX_STATE_INTS), dtype=np.int32), np.zeros((4, 2), dtype=np.int64)
    result = np.zeros(RESULTS, dtype=np.int64)
    count = rebuild_all(
        np.frombuffer(b"".join(deltas), dtype=np.uint8),
        np.cumsum([len(delta) for delta in deltas]),
        np.zeros(1, dtype=np.int32),
        0,
        np.full(64, -1, dtype=np.int32),
        make_scratch(),
        out,
        made,
        result,
    )
    assert (count, result[FAULT], result[DETAIL]) == (2, 4, 0)
    assert [(out[n, : made[n, 0]].tolist(), int(made[n, 1])) for n in range(2)] == [
        ([1, 70 << 16 | 1, 1, 5], 5),
        ([1, 70 << 16 | 1, 1, 7], 7),
    ]
