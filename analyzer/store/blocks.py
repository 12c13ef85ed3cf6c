"""Snapshots stored whole, one in every chain of deltas: bytes that only the protocol packs and unpacks."""

from __future__ import annotations

import numpy as np

from analyzer.store.chunk_memory import ChunkMemory
from analyzer.store.growing import Growing
from analyzer.store.pieces import Pieces


class Blocks:
    """Packed states by snapshot row. Written once, never changed."""

    def __init__(self, memory: ChunkMemory | None = None) -> None:
        """`memory`: that of the capture's tables."""
        memory = memory or ChunkMemory()
        self._pieces = Pieces(memory)
        self._rows: Growing[np.int32] = Growing(np.int32, memory)
        """Snapshots with a block, ascending."""
        self._places: Growing[np.int64] = Growing(np.int64, memory)
        self._count = 0
        self._nbytes = 0

    def __len__(self) -> int:
        return self._count

    def put(self, snapshot: int, block: bytes) -> None:
        """Store the packed state of a snapshot row, which lies behind all that were stored before."""
        self._places.append(np.array([self._pieces.put(block)], np.int64))
        self._rows.append(np.array([snapshot], np.int32))
        self._count += 1
        self._nbytes += len(block)

    def get(self, snapshot: int) -> bytes | None:
        """The packed state, or None where the snapshot is not stored whole."""
        count = self._count
        rows = self._rows.view[:count]
        # A number of another width would have all of them copied.
        at = int(np.searchsorted(rows, np.int32(snapshot)))
        if at == count or rows[at] != snapshot:
            return None
        return self._pieces.get(int(self._places.view[at]))

    @property
    def nbytes(self) -> int:
        """Bytes of all blocks, wherever they are; their index left out."""
        return self._nbytes

    @property
    def in_file(self) -> int:
        """Bytes of pieces that moved to the temporary file."""
        return self._pieces.in_file
