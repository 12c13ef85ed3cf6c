"""Captures that come through a pipe (`ssh host tcpdump -w - | snapscope-cli summary -`): taken into a file first."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from analyzer.capture.pipe import Pipe, PipeError, is_pipe, write_all
from analyzer.cli.errors import CommandError
from analyzer.store.spill import spill_folder


@contextmanager
def as_file(path: Path) -> Iterator[Path]:
    """The path itself, or of the standard input or a named pipe a temporary file with all that came through.

    Ctrl-C ends the pipe, not the command. Raises CommandError, and OSError where the pipe cannot be read.
    """
    if not is_pipe(path):
        yield path
        return
    try:
        pipe = Pipe(path)
    except PipeError as error:
        raise CommandError(str(error)) from error
    with (
        pipe,
        tempfile.TemporaryDirectory(prefix="snapscope-", dir=spill_folder(), ignore_cleanup_errors=True) as folder,
    ):
        copy = Path(folder, pipe.name)
        # What has come before an interrupt is a capture as well, cut at the most in its last packet.
        with suppress(KeyboardInterrupt), open(copy, "wb", buffering=0) as file:
            while data := pipe.read():
                _keep(file.fileno(), data, pipe.name)
        yield copy


def _keep(descriptor: int, data: bytes, name: str) -> None:
    try:
        write_all(descriptor, data)
    except OSError as error:
        raise CommandError(f"what comes through the {name} cannot be kept: {error.strerror}") from error
