"""Snapshots stored whole, one in every chain of deltas: bytes that only the protocol packs and unpacks."""

from __future__ import annotations

import numpy as np

from analyzer.store.chunk_memory import Array, ChunkMemory, in_file

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
        self._places: dict[int, int] = {}
        """Piece and offset in it, in one number: there a block stands behind its length."""
        self._nbytes = 0

    def __len__(self) -> int:
        return len(self._places)

    def put(self, snapshot: int, block: bytes) -> None:
        """Store the packed state of a snapshot row."""
        data = len(block).to_bytes(_LENGTH_BYTES, "little") + block
        if not self._pieces or self._used + len(data) > len(self._pieces[-1]):
            self._memory.add(self._pieces, max(PIECE_BYTES, len(data)), np.dtype(np.uint8))
            self._used = 0
        self._pieces[-1][self._used : self._used + len(data)] = np.frombuffer(data, np.uint8)
        self._places[snapshot] = len(self._pieces) - 1 << _OFFSET_BITS | self._used
        self._used += len(data)
        self._nbytes += len(block)

    def get(self, snapshot: int) -> bytes | None:
        """The packed state, or None where the snapshot is not stored whole."""
        place = self._places.get(snapshot)
        if place is None:
            return None
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
