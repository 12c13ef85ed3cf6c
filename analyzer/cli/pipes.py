"""Captures that come through a pipe (`ssh host tcpdump -w - | snapscope-cli summary -`): taken into a file first."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from analyzer.cli.errors import CommandError
from analyzer.store.spill import spill_folder

STANDARD_INPUT = "-"
_READ_BYTES = 1 << 18


@contextmanager
def as_file(path: Path) -> Iterator[Path]:
    """The path itself, or of the standard input or a named pipe a temporary file with all that came through.

    Ctrl-C ends the pipe, not the command. Raises CommandError, and OSError where the pipe cannot be read or the file
    not be written.
    """
    if not _is_pipe(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="snapscope-", dir=spill_folder(), ignore_cleanup_errors=True) as folder:
        copy = Path(folder, "standard input" if str(path) == STANDARD_INPUT else path.name)
        # What has come before an interrupt is a capture as well, cut at the most in its last packet.
        with suppress(KeyboardInterrupt):
            _copy(path, copy)
        yield copy


def _is_pipe(path: Path) -> bool:
    if str(path) == STANDARD_INPUT:
        return True
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        # Opening it says why.
        return False


def _copy(path: Path, copy: Path) -> None:
    if str(path) != STANDARD_INPUT:
        with open(path, "rb", buffering=0) as pipe, open(copy, "wb", buffering=0) as file:
            _pump(pipe.fileno(), file.fileno())
        return
    if sys.stdin is None or sys.stdin.isatty():
        raise CommandError("no capture comes from the standard input: it is a terminal or closed")
    with open(copy, "wb", buffering=0) as file:
        _pump(sys.stdin.fileno(), file.fileno())


def _pump(source: int, target: int) -> None:
    while data := os.read(source, _READ_BYTES):
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(target, rest) :]
