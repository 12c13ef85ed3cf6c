"""All payloads and all deltas of many snapshots in one call each, compiled: what a jump to any snapshot needs.

Spec sections 5, 9 and 10. In one call, because the thread that decodes may have the interpreter after each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.protocols.teeworlds.delta_columns import CRC, FAULT, LENGTH, NO_ROOM, Scratch
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
    bases: NDArray[np.int64],
    arena: NDArray[np.int32],
    places: NDArray[np.int64],
    given: int,
    sizes: NDArray[np.int32],
    scratch: Scratch,
    result: NDArray[np.int64],
) -> int:
    """Make a state of each delta; returns how many there are before a fault, of which there is none in `result` if
    there was no room.

    Deltas lie one behind the other in `data`; `ends`, shape (n,), says where each ends; one of no bytes changes
    nothing. States lie one behind the other in `arena`. `places`, shape (given + n, 3): where each begins, the int32 it
    takes, and its checksum; the first `given` are known. `bases`, shape (n,): the place of each delta's base. The other
    arguments are those of `delta_kernels.rebuild`.
    """
    at = 0
    for place in range(given):
        at = max(at, places[place, 0] + places[place, 1])
    start = 0
    for number in range(len(ends)):
        base, made = places[bases[number]], places[given + number]
        if ends[number] == start:
            made[0], made[1], made[2] = base[0], base[1], base[2]
            continue
        old = arena[base[0] : base[0] + base[1]]
        rebuild(data, start, ends[number], old, base[2], sizes, scratch, arena[at:], result)
        if result[FAULT] != 0:
            if result[FAULT] == NO_ROOM:
                result[FAULT] = 0
            return number
        made[0], made[1], made[2] = at, result[LENGTH], result[CRC]
        at += result[LENGTH]
        start = ends[number]
    return len(ends)
