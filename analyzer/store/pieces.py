"""Strings of bytes one behind the other, in pieces of memory that move to the temporary file when they are full."""

from __future__ import annotations

import numpy as np

from analyzer.store.chunk_memory import Array, ChunkMemory, in_file

PIECE_BYTES = 1 << 18
"""A longer string has a piece of its own."""
_LENGTH_BYTES = 4
_OFFSET_BITS = 40


class Pieces:
    """Written once, never changed."""

    def __init__(self, memory: ChunkMemory) -> None:
        """`memory`: that of the capture's tables."""
        self._memory = memory
        self._pieces: list[Array] = []
        self._used = 0
        """Bytes of the last piece that are taken."""

    def put(self, string: bytes) -> int:
        """Store a string, and return its place: piece and offset in it, in one number."""
        data = len(string).to_bytes(_LENGTH_BYTES, "little") + string
        if not self._pieces or self._used + len(data) > len(self._pieces[-1]):
            self._memory.add(self._pieces, max(PIECE_BYTES, len(data)), np.dtype(np.uint8))
            self._used = 0
        self._pieces[-1][self._used : self._used + len(data)] = np.frombuffer(data, np.uint8)
        place = len(self._pieces) - 1 << _OFFSET_BITS | self._used
        self._used += len(data)
        return place

    def get(self, place: int) -> bytes:
        """The string at a place."""
        piece = self._pieces[place >> _OFFSET_BITS]
        start = (place & ((1 << _OFFSET_BITS) - 1)) + _LENGTH_BYTES
        length = int.from_bytes(piece[start - _LENGTH_BYTES : start].tobytes(), "little")
        return piece[start : start + length].tobytes()

    @property
    def in_file(self) -> int:
        """Bytes of pieces that moved to the temporary file."""
        return in_file(self._pieces)
