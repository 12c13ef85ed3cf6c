"""Ends a program that the sniffer started once the sniffer is gone without having ended it, as after kill -9.

The kernel can do so by itself, but not for a program that gets capabilities from its file, as dumpcap does. So a small
process waits beside it, started as this file: it holds one end of a socket, and a handle of the program comes over it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys

_ALONE = ("-I", "-S")
"""It imports nothing but what stands above, wherever it is started."""


class Watcher:
    """The sniffer's side. Where the system has no handles of processes, it does nothing."""

    def __init__(self) -> None:
        """Start the process, before the program that it is for: that is not to be alone at any time."""
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        if not hasattr(os, "pidfd_open"):
            return
        own, other = socket.socketpair()
        with other, contextlib.suppress(OSError):
            self._process = subprocess.Popen(
                [sys.executable, *_ALONE, __file__],
                stdin=other.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # Ctrl+C in the terminal is for the others.
                start_new_session=True,
            )
        self._socket = own

    def watch(self, process: int) -> None:
        """From now on a child process, by its number, ends with this process."""
        if self._process is None or self._socket is None:
            return
        with contextlib.suppress(OSError):
            handle = os.pidfd_open(process)
            try:
                socket.send_fds(self._socket, [b"\0"], [handle])
            finally:
                os.close(handle)

    def close(self) -> None:
        """End what is watched, and the watching."""
        if self._socket is not None:
            self._socket.close()
        if self._process is not None:
            self._process.wait()


def _main() -> None:
    """Wait for the handle on the standard input, then for whatever ends first."""
    with socket.socket(fileno=0) as other:
        _, handles, _, _ = socket.recv_fds(other, 1, 1)
        if not handles:
            return
        ended, _, _ = select.select([other.fileno(), handles[0]], [], [])
        if handles[0] not in ended:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(handles[0], signal.SIGKILL)


if __name__ == "__main__":
    _main()
