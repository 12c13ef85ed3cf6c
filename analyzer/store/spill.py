"""A temporary file without a name, into which arrays move that need not be in memory: they stay arrays, mapped."""

from __future__ import annotations

import contextlib
import mmap
import os
import sys
import tempfile
import weakref
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SEGMENT_BYTES = 64 << 20
"""Room made and mapped at once. The number of mappings of a process is limited, so segments grow with the file."""
_SEGMENT_SHARE = 4
_ZEROS = bytes(1 << 20)

Array = NDArray[np.generic]


class SpillFile:
    """Grows by segments whose room on the disk is certain before anything is mapped: a write never fails later."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: where the file lies, if not where large temporary files do. Raises OSError."""
        place = folder or spill_folder()
        self._file = tempfile.TemporaryFile(prefix="snapscope-", dir=place, buffering=0)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self.size = 0
        """Bytes of the file."""
        self._segment: mmap.mmap | None = None
        self._used = 0
        """Bytes of the newest segment that are taken."""
        self._segments: list[mmap.mmap] = []
        self._free: list[tuple[mmap.mmap, int, int]] = []
        """Segment, offset in it and length of room that was given back."""

    def move(self, array: Array) -> Array:
        """A copy of the one-dimensional array that lies in the file, to be read and written like it. Raises OSError."""
        place = self.room(len(array), array.dtype)
        place[:] = array
        return place

    def room(self, count: int, dtype: np.dtype[np.generic]) -> Array:
        """An array of that many values, whatever they are, that lies in the file. Raises OSError.

        When nothing refers to it any more, its room is used again.
        """
        taken = -(-count * dtype.itemsize // mmap.PAGESIZE) * mmap.PAGESIZE
        segment, start = self._take(taken)
        place = np.frombuffer(segment, dtype, count, start)
        if taken:
            weakref.finalize(place, self._free.append, (segment, start, taken)).atexit = False
        return place

    def let_go(self) -> None:
        """What was read or written lately need not be in memory: from now on it is looked up in the file again.

        Elsewhere than on Linux the system takes pages back when it needs them; here they go from our memory at once.
        """
        if sys.platform == "linux":
            for segment in self._segments:
                segment.madvise(mmap.MADV_DONTNEED)

    def _take(self, taken: int) -> tuple[mmap.mmap, int]:
        for index, (segment, start, length) in enumerate(self._free):
            if taken <= length:
                self._free[index : index + 1] = [(segment, start + taken, length - taken)] if taken < length else []
                return segment, start
        segment = self._segment or self._grow(taken)
        if self._used + taken > len(segment):
            segment = self._grow(taken)
        start = self._used
        self._used += taken
        return segment, start

    def _grow(self, least: int) -> mmap.mmap:
        """A further segment of at least that many bytes."""
        wanted = max(SEGMENT_BYTES, least, self.size // _SEGMENT_SHARE)
        size = -(-wanted // SEGMENT_BYTES) * SEGMENT_BYTES
        start = self.size
        _allocate(self._file.fileno(), start, size)
        segment = mmap.mmap(self._file.fileno(), size, offset=start)
        self._segments.append(segment)
        self._segment, self._used = segment, 0
        self.size += size
        return segment


def spill_folder() -> str:
    """Where large temporary files belong: /tmp is often memory itself."""
    if not any(os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP")) and os.access("/var/tmp", os.W_OK):
        return "/var/tmp"
    return tempfile.gettempdir()


def _allocate(descriptor: int, start: int, size: int) -> None:
    """Make room that a full disk cannot deny any more. Raises OSError, leaving the file as long as it was."""
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(descriptor, start, size)
            return
        os.lseek(descriptor, start, os.SEEK_SET)
        for _ in range(0, size, len(_ZEROS)):
            if os.write(descriptor, _ZEROS) < len(_ZEROS):
                raise OSError(28, "No space left on device")
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, start)
        raise
