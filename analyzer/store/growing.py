"""A numpy array that grows at its end without copying each time: what is kept beside the tables, and follows them."""

from __future__ import annotations

from itertools import count
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from analyzer.store.chunk_memory import ChunkMemory

T = TypeVar("T", bound=np.generic)

_SMALLEST = 64
_STEP = 0.6180339887
"""Times any number, without the whole part, it is spread evenly."""
_COUNTER = count()


class Growing(Generic[T]):
    """One-dimensional; `view` is valid until the next `append`."""

    def __init__(self, dtype: DTypeLike, memory: ChunkMemory | None = None) -> None:
        """`memory`: that of the capture's tables, whose limit is for this too."""
        self._memory = memory or ChunkMemory()
        # Arrays that grow together get room at different lengths: copying all of them at once holds up whoever draws.
        room = int(_SMALLEST * 2 ** (next(_COUNTER) * _STEP % 1))
        self._buffer: NDArray[T] = np.empty(room, dtype)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def view(self) -> NDArray[T]:
        """Everything so far, shape (n,); writable in place."""
        return self._buffer[: self._length]

    def append(self, values: NDArray[T]) -> None:
        """Add `values`, shape (n,), at the end."""
        needed = self._length + len(values)
        if needed > len(self._buffer):
            room = len(self._buffer)
            while room < needed:
                room *= 2
            larger = self._memory.room(room, self._buffer.dtype)
            larger[: self._length] = self.view
            self._buffer = larger.view(self._buffer.dtype)
        self._buffer[self._length : needed] = values
        self._length = needed

    def cut(self, length: int) -> None:
        """Keep the first `length` values, which is no more than there are."""
        self._length = length
