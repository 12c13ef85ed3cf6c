"""Snapshots stored whole, one in every chain of deltas: bytes that only the protocol packs and unpacks."""

from __future__ import annotations

import numpy as np

from analyzer.store.chunk_memory import Array, ChunkMemory, in_file
from analyzer.store.growing import Growing

PIECE_BYTES = 1 << 18
"""Blocks lie one behind the other in pieces of this size; a larger block has a piece of its own."""
_LENGTH_BYTES = 4
_OFFSET_BITS = 40


class Blocks:
    """Packed states by snapshot row. Written once, never changed."""

    def __init__(self, memory: ChunkMemory | None = None) -> None:
        """`memory`: that of the capture's tables."""
        self._memory = memory or ChunkMemory()
        self._pieces: list[Array] = []
        self._used = 0
        """Bytes of the last piece that are taken."""
        self._rows: Growing[np.int32] = Growing(np.int32, self._memory)
        """Snapshots with a block, ascending."""
        self._places: Growing[np.int64] = Growing(np.int64, self._memory)
        """Piece and offset in it, in one number: there a block stands behind its length."""
        self._count = 0
        self._nbytes = 0

    def __len__(self) -> int:
        return self._count

    def put(self, snapshot: int, block: bytes) -> None:
        """Store the packed state of a snapshot row, which lies behind all that were stored before."""
        data = len(block).to_bytes(_LENGTH_BYTES, "little") + block
        if not self._pieces or self._used + len(data) > len(self._pieces[-1]):
            self._memory.add(self._pieces, max(PIECE_BYTES, len(data)), np.dtype(np.uint8))
            self._used = 0
        self._pieces[-1][self._used : self._used + len(data)] = np.frombuffer(data, np.uint8)
        self._places.append(np.array([len(self._pieces) - 1 << _OFFSET_BITS | self._used], np.int64))
        self._rows.append(np.array([snapshot], np.int32))
        self._count += 1
        self._used += len(data)
        self._nbytes += len(block)

    def get(self, snapshot: int) -> bytes | None:
        """The packed state, or None where the snapshot is not stored whole."""
        count = self._count
        rows = self._rows.view[:count]
        # A number of another width would have all of them copied.
        at = int(np.searchsorted(rows, np.int32(snapshot)))
        if at == count or rows[at] != snapshot:
            return None
        place = int(self._places.view[at])
        piece = self._pieces[place >> _OFFSET_BITS]
        start = (place & ((1 << _OFFSET_BITS) - 1)) + _LENGTH_BYTES
        length = int.from_bytes(piece[start - _LENGTH_BYTES : start].tobytes(), "little")
        return piece[start : start + length].tobytes()

    @property
    def nbytes(self) -> int:
        """Bytes of all blocks, wherever they are; their index left out."""
        return self._nbytes

    @property
    def in_file(self) -> int:
        """Bytes of pieces that moved to the temporary file."""
        return in_file(self._pieces)
