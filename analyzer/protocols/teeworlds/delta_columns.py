"""What the kernels that make a snapshot of its base and a delta work in, and what they return. See delta_kernels.py."""

from __future__ import annotations

from secrets import randbits
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.protocols.teeworlds.delta import MAX_INTS, MAX_ITEMS, MAX_STATE_BYTES
from analyzer.protocols.teeworlds.state import HEADER_BYTES, INT_BYTES

MAX_UPDATES = MAX_INTS // 2
MAX_STATE_INTS = 1 + (MAX_STATE_BYTES - HEADER_BYTES) // INT_BYTES
"""Room a state needs at most."""
SLOTS = 1 << 15
"""Of the hash table: twice the keys there can be at most."""
HINTS = 1 << 11

FAULT, OFFSET, DETAIL, ITEMS, STATE_BYTES, CRC, ADDED, CHANGED, REMOVED, DELETED, UPDATED, WARNINGS, LENGTH = range(13)
"""Results. FAULT: 0, or n for Dn of spec section 17.7, with OFFSET in the delta and DETAIL, its first detail.

LENGTH: int32 that the state takes. FAULT NO_ROOM: there is no room for it. The rest as in `Applied` and the columns of
`snapshots`.
"""
RESULTS = 13
NO_ROOM = 10

KEY, FIRST, COUNT, ITEM = range(4)
"""Columns of `Scratch.updates`."""
STAYS, GONE, MOVED = -1, -2, -3
"""Values of `Scratch.marks`: nothing was sent of the item; it was removed; it was removed and sent again."""


class Scratch(NamedTuple):
    """Working memory of one thread; but for `hints` nothing in it outlives a call."""

    ints: NDArray[np.int32]
    updates: NDArray[np.int32]
    """Shape (MAX_UPDATES, 4): key, index of the first value in `ints`, number of values, and the item of the base to
    whose values they are added, or -1."""
    marks: NDArray[np.int32]
    """Shape (MAX_ITEMS,), of each item of the base: the number of the update that changes it, or STAYS, GONE, MOVED."""
    places: NDArray[np.int32]
    """Shape (MAX_ITEMS,): where the values of each item of the base are in the state that is made."""
    others: NDArray[np.int32]
    """Shape (MAX_UPDATES, 2), of the items that stand behind those of the base: number of the update that gives the
    values, and the item of the base it was before, or -1."""
    slots: NDArray[np.int64]
    """Shape (SLOTS, 3), open addressing: stamp, key, index. A slot with another stamp is free."""
    stamp: NDArray[np.int64]
    """Shape (1,): of the table."""
    factor: NDArray[np.int64]
    """Shape (1,), odd, below 2^32, and nobody else's: keys that all belong to one slot would take 100 ms a packet."""
    hints: NDArray[np.int16]
    """Shape (HINTS,): at which item of a state a key was found the last time. It may well be elsewhere now."""


def make_scratch() -> Scratch:
    """Working memory for one thread."""
    return Scratch(
        np.empty(MAX_INTS, dtype=np.int32),
        np.empty((MAX_UPDATES, 4), dtype=np.int32),
        np.empty(MAX_ITEMS, dtype=np.int32),
        np.empty(MAX_ITEMS, dtype=np.int32),
        np.empty((MAX_UPDATES, 2), dtype=np.int32),
        np.zeros((SLOTS, 3), dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.array([randbits(32) | 1], dtype=np.int64),
        np.zeros(HINTS, dtype=np.int16),
    )
