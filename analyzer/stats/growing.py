"""A numpy array that grows at its end without copying each time: what incremental statistics keep their numbers in."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

T = TypeVar("T", bound=np.generic)


class Growing(Generic[T]):
    """One-dimensional; `view` is valid until the next `append`."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._buffer: NDArray[T] = np.empty(64, dtype)
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
            larger = np.empty(max(needed, 2 * len(self._buffer)), self._buffer.dtype)
            larger[: self._length] = self.view
            self._buffer = larger
        self._buffer[self._length : needed] = values
        self._length = needed

    def cut(self, length: int) -> None:
        """Keep the first `length` values, which is no more than there are."""
        self._length = length
