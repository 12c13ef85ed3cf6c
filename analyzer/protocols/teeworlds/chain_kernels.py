"""All payloads and all deltas of a chain in one call each, compiled: what a jump to any snapshot needs.

Spec sections 5, 9 and 10. In one call, because the thread that decodes may have the interpreter after each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.protocols.teeworlds.delta_columns import CRC, FAULT, LENGTH, Scratch
from analyzer.protocols.teeworlds.delta_kernels import rebuild
from analyzer.wire.kernels import HuffmanTables, decompress


@kernel
def decompress_all(
    data: NDArray[np.uint8],
    words: NDArray[np.uint64],
    spans: NDArray[np.int64],
    tables: HuffmanTables,
    limit: int,
    out: NDArray[np.uint64],
    sizes: NDArray[np.int64],
) -> None:
    """Decode each `data[start:stop]` into a row of `out`, and say in `sizes` what `wire.kernels.decompress` returns.

    `spans`, shape (n, 2): start and stop. `out`, shape (n, limit / 8 at least). `sizes`, shape (n,).
    """
    for number in range(len(spans)):
        start, stop = spans[number, 0], spans[number, 1]
        sizes[number] = decompress(data, words, start, stop, tables, out[number], limit)


@kernel
def rebuild_all(
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    base: NDArray[np.int32],
    base_crc: int,
    sizes: NDArray[np.int32],
    scratch: Scratch,
    out: NDArray[np.int32],
    made: NDArray[np.int64],
    result: NDArray[np.int64],
) -> int:
    """Make a state of each delta from the one before, the first from `base`; returns how many there are before a fault.

    Deltas lie one behind the other in `data`; `ends`, shape (n,), says where each ends. `out`, shape
    (n, MAX_STATE_INTS): the states. `made`, shape (n, 2): int32 that each takes, and its checksum. The other arguments
    are those of `delta_kernels.rebuild`.
    """
    start = 0
    state, crc = base, base_crc
    for number in range(len(ends)):
        rebuild(data, start, ends[number], state, crc, sizes, scratch, out[number], result)
        if result[FAULT] != 0:
            return number
        crc = result[CRC]
        made[number, 0] = result[LENGTH]
        made[number, 1] = crc
        state = out[number][: result[LENGTH]]
        start = ends[number]
    return len(ends)
