"""Growing arrays of integers: rows that wait for the writer (columns in row_columns.py), and local numbers' rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from analyzer.store.chunk_memory import ChunkMemory
from analyzer.store.columns import Ints
from analyzer.store.growing import Growing

SMALLEST = 16
"""Rows that a buffer has room for once it is used at all."""


class RowBuffer:
    """Rows of int64 in one matrix. How many are used stands in `counts[index]`, where a kernel may raise it."""

    def __init__(self, width: int, counts: Ints, index: int) -> None:
        self.matrix: Ints = _no_rows(width)
        """Shape (room, width), row-major; replaced when it grows."""
        self._memory = self.matrix.data
        self._counts = counts.data
        self._index = index
        self._pack = Struct(f"{width}q").pack_into
        self._row_bytes = 8 * width

    def __len__(self) -> int:
        return self._counts[self._index]

    def add(self, *values: int) -> int:
        """Add a row and return its number."""
        row = self._counts[self._index]
        if row == len(self.matrix):
            self.reserve(1)
        self._pack(self._memory, row * self._row_bytes, *values)
        self._counts[self._index] = row + 1
        return row

    def put(self, row: int, *values: int) -> None:
        """Overwrite a row that is used."""
        self._pack(self._memory, row * self._row_bytes, *values)

    def reserve(self, rows: int) -> None:
        """Make room for `rows` more, at least twice what there was; what is used stays."""
        used = self._counts[self._index]
        if used + rows > len(self.matrix):
            room = max(used + rows, 2 * len(self.matrix), SMALLEST)
            larger = np.empty((room, self.matrix.shape[1]), np.int64)
            larger[:used] = self.matrix[:used]
            self._replace(larger)

    def taken(self) -> Ints:
        """The rows in use, shape (n, width); not a copy."""
        return self.matrix[: self._counts[self._index]]

    def clear(self) -> None:
        """Drop all rows and their memory: a flow that fell silent must not keep what it needed once."""
        self._counts[self._index] = 0
        self._replace(_no_rows(self.matrix.shape[1]))

    def _replace(self, matrix: Ints) -> None:
        self.matrix = matrix
        self._memory = matrix.data


@cache
def _no_rows(width: int) -> Ints:
    return np.empty((0, width), np.int64)


class RowNumbers:
    """The table row of each local number, 4 bytes each. Filled by the writer."""

    def __init__(self, memory: ChunkMemory | None = None) -> None:
        self._placed: Growing[np.int32] = Growing(np.int32, memory)
        self._placed.append(np.full(1, -1, np.int32))

    @property
    def placed(self) -> NDArray[np.int32]:
        """By `place_of` a local number: its row."""
        return self._placed.view

    def __len__(self) -> int:
        return len(self._placed) - 1

    def __getitem__(self, local: int) -> int:
        """The row of one local number; -1 for anything below 0."""
        return self.placed.item(max(local, -1) + 1)

    def extend(self, rows: NDArray[np.integer] | Sequence[int]) -> None:
        """The next local numbers stand for these rows."""
        self._placed.append(np.asarray(rows, np.int32))


def place_of(local: Ints) -> Ints:
    """Where `RowNumbers.placed` holds local numbers: behind the row of "none", whose number is anything below 0."""
    return np.maximum(local, -1) + 1
