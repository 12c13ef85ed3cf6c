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
        self._size = 0
        self._segment: mmap.mmap | None = None
        self._used = 0
        """Bytes of the newest segment that are taken."""

    def move(self, array: Array) -> Array:
        """A copy of the one-dimensional array that lies in the file, to be read and written like it. Raises OSError."""
        taken = -(-array.nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
        segment = self._segment
        if segment is None or self._used + taken > len(segment):
            segment = self._segment = self._grow(taken)
            self._used = 0
        place = np.frombuffer(segment, array.dtype, len(array), self._used)
        place[:] = array
        if sys.platform == "linux" and taken:
            # Elsewhere the system takes the pages back when it needs them; here they go from our memory at once.
            segment.madvise(mmap.MADV_DONTNEED, self._used, taken)
        self._used += taken
        return place

    def _grow(self, least: int) -> mmap.mmap:
        """A further segment of at least that many bytes."""
        wanted = max(SEGMENT_BYTES, least, self._size // _SEGMENT_SHARE)
        size = -(-wanted // SEGMENT_BYTES) * SEGMENT_BYTES
        start = self._size
        _allocate(self._file.fileno(), start, size)
        segment = mmap.mmap(self._file.fileno(), size, offset=start)
        self._size += size
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
