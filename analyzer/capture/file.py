"""Positioned reads of a capture file, in bulk for the index and in pieces for single rows.

Never memory-mapped: a file that is truncated meanwhile must not end the process.
"""

from __future__ import annotations

import os
import stat
import sys
import threading
from pathlib import Path

from analyzer.capture.frames import CaptureError

BLOCK_BYTES = 4 << 20
"""Read at once while frames are indexed."""

_LARGEST_READ = 1 << 30
"""The operating systems refuse or shorten reads of more than about 2 GiB."""


class CaptureFile:
    """A file that is open for reading at any offset; safe to use from several threads."""

    def __init__(self, descriptor: int, name: str, lock: threading.Lock | None = None) -> None:
        """Take over `descriptor`; `lock` is shared by handles that share one file position."""
        self.name = name
        self._descriptor = descriptor
        self._lock = lock or threading.Lock()

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> CaptureFile:
        """Open a regular file.

        Raises CaptureError when it does not exist, may not be read or is no regular file.
        """
        name = Path(path).name or str(path)
        try:
            # Asked before opening: opening a named pipe would wait for its writer.
            mode = os.stat(path).st_mode
            if stat.S_ISDIR(mode):
                raise CaptureError(f"{name} is a directory, not a capture file.")
            if not stat.S_ISREG(mode):
                raise CaptureError(f"{name} is a device or a pipe, not a capture file.")
            return cls(os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0)), name)
        except FileNotFoundError:
            raise CaptureError(f"{name} does not exist.") from None
        except PermissionError:
            raise CaptureError(f"{name} may not be read by this user.") from None
        except (OSError, ValueError) as error:
            raise CaptureError(f"{name} cannot be opened: {error}.") from error

    def read(self, offset: int, length: int) -> bytes:
        """Bytes from `offset` on, fewer than `length` where the file ends.

        Raises CaptureError when the file is closed or the medium fails.
        """
        try:
            data = self._read_at(offset, min(length, _LARGEST_READ))
            while len(data) < length:
                more = self._read_at(offset + len(data), min(length - len(data), _LARGEST_READ))
                if not more:
                    break
                data += more
            return data
        except OSError as error:
            raise CaptureError(f"{self.name} cannot be read at byte {offset}: {error.strerror}.") from error

    def read_again(self, offset: int, length: int) -> bytes:
        """Bytes that the file is known to have had.

        Raises CaptureError like `read`, and when they are gone: the file was truncated or replaced meanwhile.
        """
        data = self.read(offset, length)
        if len(data) < length:
            raise CaptureError(f"{self.name} was cut short while it was open: it ends before byte {offset + length}.")
        return data

    if sys.platform == "win32":

        def _read_at(self, offset: int, length: int) -> bytes:
            with self._lock:
                os.lseek(self._descriptor, offset, os.SEEK_SET)
                return os.read(self._descriptor, length)

    else:

        def _read_at(self, offset: int, length: int) -> bytes:
            return os.pread(self._descriptor, length, offset)

    def size(self) -> int:
        """Bytes in the file now; it may be growing."""
        try:
            return os.fstat(self._descriptor).st_size
        except OSError as error:
            raise CaptureError(f"{self.name} cannot be read: {error.strerror}.") from error

    def duplicate(self) -> CaptureFile:
        """A handle of its own to the same file, for another thread; it outlives this one."""
        try:
            return CaptureFile(os.dup(self._descriptor), self.name, self._lock)
        except OSError as error:
            raise CaptureError(f"{self.name} cannot be opened again: {error.strerror}.") from error

    def close(self) -> None:
        """Give the handle back; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class BlockWindow:
    """The part of a file that an index is looking at: one block in memory, moved forward on demand."""

    def __init__(self, file: CaptureFile, block_bytes: int = BLOCK_BYTES) -> None:
        self._file = file
        self.block_bytes = block_bytes
        self.start = 0
        """Offset of the block in the file."""
        self.data = b""

    def holds(self, position: int, length: int, *, alone: bool = False) -> bool:
        """Bring `length` bytes from `position` on into `data`; False when the file does not have them (yet).

        `alone`: no more than these, for who opens a file and must not wait for a block of it.
        """
        if self.reaches(position, length):
            return True
        self.data = self._file.read(position, length if alone else max(length, self.block_bytes))
        self.start = position
        return len(self.data) >= length

    def reaches(self, position: int, length: int) -> bool:
        """Whether `length` bytes from `position` on are in `data` now."""
        return self.start <= position and position + length <= self.start + len(self.data)

    def forget(self) -> None:
        """Read again what was read: a writer may fill in what it had only reserved."""
        self.data = b""
