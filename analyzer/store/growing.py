"""A numpy array that grows at its end without copying each time: what is kept beside the tables, and follows them."""

from __future__ import annotations

from itertools import count
from mmap import mmap
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
        self._mapping: mmap | None = None
        """What the buffer is in, if it can grow where it is."""
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
            self._enlarge(needed)
        self._buffer[self._length : needed] = values
        self._length = needed

    def cut(self, length: int) -> None:
        """Keep the first `length` values, which is no more than there are."""
        self._length = length

    def _enlarge(self, needed: int) -> None:
        """Make room for so many values, without copying what is there if that can be."""
        room, dtype = len(self._buffer), self._buffer.dtype
        while room < needed:
            room *= 2
        size = room * dtype.itemsize
        if self._mapping is not None:
            # While an array refers to a mapping, also one of a caller, it has to stay where it is.
            self._buffer = np.empty(0, dtype)
            extended = self._memory.extend(self._mapping, size)
            self._buffer = np.frombuffer(self._mapping, dtype)
            if extended:
                return
        mapping = self._memory.mapping(size)
        larger = self._memory.room(room, dtype) if mapping is None else np.frombuffer(mapping, dtype)
        larger[: self._length] = self.view
        self._buffer, self._mapping = larger.view(dtype), mapping
