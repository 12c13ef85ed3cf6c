"""Locks of files that end with the process that holds them, however it ends: who comes later sees what has no owner."""

from __future__ import annotations

import contextlib
import os
import sys
import weakref
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _hold(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _hold(descriptor: int) -> bool:
        try:
            # Of the open file, not of the process as with lockf: closing another descriptor of it lets nothing go.
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class Lock:
    """A lock that is held until it is released, dropped, or the process ends. Children do not inherit it."""

    def __init__(self, descriptor: int) -> None:
        """Use `Lock.take`."""
        self._close = weakref.finalize(self, os.close, descriptor)

    @classmethod
    def take(cls, path: Path) -> Lock | None:
        """Lock a file, which is made where there is none. None: somebody holds it, or has just removed it.

        Raises OSError where it cannot be made or file systems of its kind have no locks.
        """
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        lock = cls(descriptor)
        if not _hold(descriptor) or not _is(path, descriptor):
            lock.release()
            return None
        return lock

    def release(self) -> None:
        """Let go of it; a second call does nothing."""
        self._close()


def mark_written(descriptor: int) -> None:
    """Let `is_written` see that whoever has this new file open still writes it. Windows knows that by itself."""
    if sys.platform != "win32":
        # Where there are no locks the file can be written all the same.
        with contextlib.suppress(OSError):
            _hold(descriptor)


def is_written(path: Path) -> bool:
    """Whether a process that called `mark_written` still has the file open. Raises OSError where there is none."""
    if sys.platform == "win32":
        try:
            # Whoever has it open does not let it be renamed.
            path.rename(path)
        except PermissionError:
            return True
        return False
    descriptor = os.open(path, os.O_RDWR)
    try:
        return not _hold(descriptor)
    finally:
        os.close(descriptor)


def _is(path: Path, descriptor: int) -> bool:
    """Whether the path still names the file that is open."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except OSError:
        return False
