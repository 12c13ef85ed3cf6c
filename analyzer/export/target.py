"""A file that is either written whole or not touched: what is written lies beside it until it is complete."""

from __future__ import annotations

import contextlib
import errno
import gzip
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

GZIP_LEVEL = 6
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_BUFFER_BYTES = 1 << 20


class Output(Protocol):
    """What is written to."""

    def write(self, data: bytes, /) -> object:
        """Append it."""
        ...


class SaveError(Exception):
    """Nothing was saved, and no file was changed. The text is a sentence for a person."""


@contextmanager
def written(target: Path, source: Path, *, packed: bool) -> Iterator[Output]:
    """What is written here becomes the file `target` at the end, in place of an older one; gzip data if `packed`.

    An exception leaves the older file as it was, and nothing of the new one. Raises SaveError where the file cannot be
    written, and where it is `source`, the one that is read.
    """
    try:
        target = target.resolve()
        _check(target, source)
        part, descriptor = _make_part(target)
    except (OSError, ValueError) as error:
        raise _sentence(target, error) from error
    try:
        with _closed(os.fdopen(descriptor, "wb", _BUFFER_BYTES)) as plain:
            if packed:
                with gzip.GzipFile("", "wb", GZIP_LEVEL, plain, mtime=0) as packing:
                    yield packing
            else:
                yield plain
            plain.flush()
            os.fsync(plain.fileno())
        _keep_mode(target, part)
        os.replace(part, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(part)
        if isinstance(error, OSError):
            raise _sentence(target, error) from error
        raise


@contextmanager
def _closed(file: BinaryIO) -> Iterator[BinaryIO]:
    """Closes it, and where that fails on top of another failure, the first one counts."""
    try:
        yield file
    except BaseException:
        with contextlib.suppress(OSError):
            file.close()
        raise
    file.close()


def _check(target: Path, source: Path) -> None:
    if not target.parent.is_dir():
        raise SaveError(f"The folder {target.parent} does not exist.")
    if not target.exists():
        return
    mode = target.stat().st_mode
    if stat.S_ISDIR(mode):
        raise SaveError(f"{target.name} is a folder, not a file.")
    if not stat.S_ISREG(mode):
        raise SaveError(f"{target.name} is a device or a pipe, not a file.")
    if source.exists() and target.samefile(source):
        raise SaveError(f"{target.name} is the capture that is being read; choose another name.")
    if not os.access(target, os.W_OK):
        raise SaveError(f"{target.name} may not be changed by this user.")


def _make_part(target: Path) -> tuple[Path, int]:
    """A new file beside the target."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    number = 0
    while True:
        part = target.with_name(f"{target.name}.{number}.part" if number else f"{target.name}.part")
        try:
            return part, os.open(part, flags, 0o666)
        except FileExistsError:
            number += 1


def _keep_mode(target: Path, part: Path) -> None:
    """Whoever could read the older file can read the new one."""
    with contextlib.suppress(OSError):
        os.chmod(part, stat.S_IMODE(target.stat().st_mode))


def _sentence(target: Path, error: Exception) -> SaveError:
    if isinstance(error, PermissionError):
        return SaveError(f"{target.name} cannot be written: this user may not write to {target.parent}.")
    if isinstance(error, OSError) and error.errno in _FULL:
        return SaveError(f"There is no room left for {target.name}; it was not written.")
    words = error.strerror if isinstance(error, OSError) else str(error)
    return SaveError(f"{target.name} cannot be written: {words or error}.")
