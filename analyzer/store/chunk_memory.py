"""The memory of all chunks of a capture's tables: past a limit those closed first move to a temporary file."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analyzer.store.spill import SpillFile

Array = NDArray[np.generic]


class ChunkMemory:
    """Makes chunks and counts their bytes. Only the writer calls it; readers find a moved chunk where it was."""

    def __init__(self, limit: int | None = None, folder: Path | None = None) -> None:
        """`limit`: bytes of chunks that stay in memory, None for all. `folder`: of the temporary file."""
        self.limit = limit
        self.held = 0
        """Bytes of chunks in memory, with the room that is not used yet."""
        self.moved = 0
        """Bytes of chunks in the file."""
        self.trouble = ""
        """Why nothing moves any more, as part of a sentence; what was made since then stays in memory."""
        self._folder = folder
        self._file: SpillFile | None = None
        self._closed: deque[tuple[list[Array], int]] = deque()

    def add(self, chunks: list[Array], count: int, dtype: np.dtype[np.generic]) -> None:
        """Append a new chunk of `count` values to `chunks`. The last one before it is full, and may move from now on.

        Objects stay in memory.
        """
        if chunks and not dtype.hasobject:
            self._closed.append((chunks, len(chunks) - 1))
        chunk: Array = np.empty(count, dtype)
        chunks.append(chunk)
        self.held += chunk.nbytes
        while self.limit is not None and self.held > self.limit and self._closed and not self.trouble:
            self._move(*self._closed.popleft())

    def _move(self, chunks: list[Array], index: int) -> None:
        chunk = chunks[index]
        try:
            if self._file is None:
                self._file = SpillFile(self._folder)
            chunks[index] = self._file.move(chunk)
        except OSError as error:
            self.trouble = error.strerror or str(error)
            return
        self.held -= chunk.nbytes
        self.moved += chunk.nbytes


def in_file(chunks: list[Array]) -> int:
    """Bytes of those chunks that moved."""
    return sum(chunk.nbytes for chunk in chunks if not chunk.flags.owndata)
