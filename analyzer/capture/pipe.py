"""Bytes that come through a pipe: the standard input, or one that has a name. Another thread may call it off."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import time
from pathlib import Path
from types import TracebackType

STANDARD_INPUT = "-"
READ_BYTES = 1 << 18
_NO_WRITER_S = 0.05


class PipeError(Exception):
    """There is nothing to read from. The text is one sentence for a person, without a full stop."""


def is_pipe(path: str | os.PathLike[str]) -> bool:
    """Whether the path means the standard input, or names a pipe."""
    if str(path) == STANDARD_INPUT:
        return True
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        # Opening it says why.
        return False


class Pipe:
    """Read by one thread; `call_off` may come from any."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Raises PipeError, and OSError where the pipe cannot be opened. Whoever writes into it may come later."""
        self.name = "standard input" if str(path) == STANDARD_INPUT else Path(path).name
        self._is_standard = str(path) == STANDARD_INPUT
        self._descriptor = _standard_input() if self._is_standard else os.open(path, os.O_RDONLY | _NOT_BLOCKING)
        self._ended, self._end = os.pipe()
        self._called_off = self._closed = False
        self._begun = False

    def __enter__(self) -> Pipe:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(self) -> bytes:
        """What comes next, waiting for it; nothing: the end, or it was called off. Raises OSError."""
        while not self._called_off:
            if not self._wait():
                break
            try:
                data = os.read(self._descriptor, READ_BYTES)
            except BlockingIOError:
                continue
            if not data and not self._begun and not self._is_standard and sys.platform != "linux":
                # Elsewhere a named pipe that nobody writes into yet looks like one at its end.
                time.sleep(_NO_WRITER_S)
                continue
            self._begun = True
            return data
        return b""

    def call_off(self) -> None:
        """Let `read` return; on Windows only when the next bytes have come."""
        self._called_off = True
        if not self._closed:
            with contextlib.suppress(OSError):
                os.write(self._end, b"x")

    def close(self) -> None:
        """Let go of it, so that whoever still writes is told; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        os.close(self._ended)
        os.close(self._end)
        if not self._is_standard:
            os.close(self._descriptor)
            return
        # The number stays taken: another file that gets it would be taken for the standard input.
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), self._descriptor)

    if sys.platform == "win32":

        def _wait(self) -> bool:
            return True

    else:

        def _wait(self) -> bool:
            """Wait for bytes or the end. False: it was called off."""
            import select

            poll = select.poll()
            poll.register(self._descriptor, select.POLLIN)
            poll.register(self._ended, select.POLLIN)
            return self._ended not in dict(poll.poll())


_NOT_BLOCKING = getattr(os, "O_NONBLOCK", 0)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it to a file. Raises OSError."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _standard_input() -> int:
    with contextlib.suppress(ValueError):
        if sys.stdin is not None and not sys.stdin.isatty():
            return sys.stdin.fileno()
    raise PipeError("no capture comes from the standard input: it is a terminal or closed")
