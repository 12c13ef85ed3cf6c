"""The memory of a capture's tables, and of what is counted from them: past a limit it is in a temporary file."""

from __future__ import annotations

import mmap
import threading
import weakref
from collections import deque
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analyzer.store.spill import SpillFile

Array = NDArray[np.generic]


SMALLEST_ROOM = 1 << 12
"""Bytes of an array that are worth counting, and a place in the file."""
SMALLEST_MAPPING = 1 << 18
"""Bytes of an array that are worth a mapping of their own."""
_PRIVATE = getattr(mmap, "MAP_PRIVATE", 0) | getattr(mmap, "MAP_ANONYMOUS", 0)
"""0 where the system makes no private mappings; a shared one has no memory beyond its first size."""
LET_GO_BYTES = 16 << 20
"""So much of the file, written or made, may be in memory beside what is read."""


class ChunkMemory:
    """Makes chunks, which the writer alone does, and other arrays, on any thread, and counts their bytes.

    Of the chunks those closed first move; readers find a moved chunk where it was. Other arrays stay where they were
    made.
    """

    def __init__(self, limit: int | None = None, folder: Path | None = None) -> None:
        """`limit`: bytes of chunks that stay in memory, None for all. `folder`: of the temporary file."""
        self.limit = limit
        self.held = 0
        """Bytes in memory, with the room that is not used yet."""
        self.moved = 0
        """Bytes in the file."""
        self.trouble = ""
        """Why nothing moves any more, as part of a sentence; what was made since then stays in memory."""
        self._folder = folder
        self._file: SpillFile | None = None
        self._closed: deque[tuple[list[Array], int]] = deque()
        self._written = 0
        """Bytes written to the file since all of it was let go of."""
        # What is given back may be so while something is made.
        self._lock = threading.RLock()

    def add(self, chunks: list[Array], count: int, dtype: np.dtype[np.generic]) -> None:
        """Append a new chunk of `count` values to `chunks`. The last one before it is full, and may move from now on.

        Objects stay in memory.
        """
        with self._lock:
            if chunks and not dtype.hasobject:
                self._closed.append((chunks, len(chunks) - 1))
            chunk: Array = np.empty(count, dtype)
            chunks.append(chunk)
            self.held += chunk.nbytes
            while self._is_over(0) and self._closed:
                self._move(*self._closed.popleft())

    def room(self, count: int, dtype: np.dtype[np.generic]) -> Array:
        """An array of `count` values, whatever they are: in the file, where it would be over the limit.

        It is not counted any more once nothing refers to it.
        """
        size = count * dtype.itemsize
        if size < SMALLEST_ROOM:
            return np.empty(count, dtype)
        with self._lock:
            made = self._in_file(count, dtype) if self._is_over(size) else None
            if made is None:
                made = np.empty(count, dtype)
                self._count(made, size)
            else:
                weakref.finalize(made, self._give_back, 0, size).atexit = False
            return made

    def mapping(self, size: int) -> mmap.mmap | None:
        """Private memory of `size` bytes, which `extend` makes larger without copying; None where it is to be `room`.

        It is counted as long as something refers to it.
        """
        if size < SMALLEST_MAPPING or not _PRIVATE:
            return None
        with self._lock:
            if self._is_over(size):
                return None
            try:
                made = mmap.mmap(-1, size, _PRIVATE)
            except OSError:
                return None
            self._count(made, size)
            return made

    def extend(self, mapping: mmap.mmap, size: int) -> bool:
        """Make a mapping larger. False: the system cannot, an array refers to it, or it would be over the limit."""
        more = size - len(mapping)
        with self._lock:
            if self._is_over(more):
                return False
            try:
                mapping.resize(size)
            except (OSError, SystemError, BufferError):
                return False
            self._count(mapping, more)
            return True

    def _count(self, made: mmap.mmap | Array, size: int) -> None:
        self.held += size
        weakref.finalize(made, self._give_back, size, 0).atexit = False

    def _is_over(self, more: int) -> bool:
        return self.limit is not None and self.held + more > self.limit and not self.trouble

    def _move(self, chunks: list[Array], index: int) -> None:
        chunk = chunks[index]
        place = self._in_file(len(chunk), chunk.dtype)
        if place is not None:
            place[:] = chunk
            chunks[index] = place
            self.held -= chunk.nbytes

    def _in_file(self, count: int, dtype: np.dtype[np.generic]) -> Array | None:
        """Room in the file; None, and trouble, where there is none."""
        try:
            if self._file is None:
                self._file = SpillFile(self._folder)
            place = self._file.room(count, dtype)
        except OSError as error:
            self.trouble = error.strerror or str(error)
            return None
        self.moved += place.nbytes
        self._written += place.nbytes
        if self._written > LET_GO_BYTES:
            self._file.let_go()
            self._written = 0
        return place

    def _give_back(self, held: int, moved: int) -> None:
        with self._lock:
            self.held -= held
            self.moved -= moved


def in_file(chunks: list[Array]) -> int:
    """Bytes of those chunks that moved."""
    return sum(chunk.nbytes for chunk in chunks if not chunk.flags.owndata)
