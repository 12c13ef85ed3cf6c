"""Takes the compression off many packets at once, with compiled code. Spec sections 2.4 and 5."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.kernel import kernel
from analyzer.transports.teeworlds_packet import COMPRESSED, CONNLESS, TOKEN, TOKEN_SIZE
from analyzer.wire.kernels import decompress

HEADER_SIZE = 3


@kernel
def decompress_payloads(
    buffer: NDArray[np.uint8],
    offset: NDArray[np.int64],
    length: NDArray[np.int64],
    flagged: bool,
    lookup: NDArray[np.int32],
    tree: NDArray[np.int16],
    out: NDArray[np.uint8],
    sizes: NDArray[np.int64],
) -> None:
    """The plain payload of datagram n into `out[n]`, shape (datagrams, limit), and its size into `sizes[n]`.

    -1: it is not compressed, or cannot be decompressed, which is left to the plain reading. `flagged`: a bit of the
    first byte says that a token stands between header and payload. Bits are those of the 0.6 family.
    """
    limit = out.shape[1]
    for number in range(len(offset)):
        sizes[number] = -1
        start = offset[number]
        stop = start + length[number]
        if length[number] < HEADER_SIZE:
            continue
        first = int(buffer[start])
        if first & CONNLESS or not first & COMPRESSED:
            continue
        start += HEADER_SIZE + (TOKEN_SIZE if flagged and first & TOKEN else 0)
        if start > stop:
            continue
        size = decompress(buffer, start, stop, lookup, tree, out[number], limit)
        if size >= 0:
            sizes[number] = size
