"""Compiles all kernels in a child process, so that later ones load them from the cache within a moment, and loads them.

In a child, because compiling for seconds in a thread would hold up a window. Run as a module, this is that child.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

from analyzer import kernel_cache
from analyzer.capture.frames import CaptureError
from analyzer.engine.capture import Capture
from analyzer.engine.garbage import no_collection, set_aside
from analyzer.resources import resource

_POLL_S = 0.1
_NO_WINDOW = 0x08000000 if os.name == "nt" else 0
"""Windows would open a console for a child of a program that has none."""
_LOADED_BY = "ddnet_ctf3_midsession_head.pcap.gz"
"""The sample that calls most kernels."""
_FLOWS = 600
"""Made so many that the flow table grows."""


def warm_up(stop: threading.Event | None = None) -> str:
    """Fill the cache with every kernel, unless it is filled; what went wrong as a sentence, else nothing.

    Takes some ten seconds and waits for the child process, which `stop` ends early.
    """
    if kernel_cache.ready():
        return ""
    try:
        trouble = kernel_cache.folder().trouble
        with kernel_cache.scratch() as place:
            told = _run_child(Path(place), stop)
            if told:
                return told
            kernel_cache.keep(Path(place))
            kernel_cache.prune()
    except OSError as error:
        return f"The compiled code cannot be kept: {error}."
    return f"The compiled code is kept for this process only: {trouble}." if trouble else ""


class _Loading:
    """Of the process."""

    lock = threading.Lock()
    done = False


def load_kernels() -> None:
    """Load the kernels that decode from the cache, once in a process and whoever asks first; others wait for it.

    Reads a capture that needs nearly all; one that is not loaded here is when it is called. Half a second.
    """
    with _Loading.lock:
        if _Loading.done:
            return
        _Loading.done = True
        with no_collection(), contextlib.suppress(CaptureError, OSError):
            _decode(resource("samples") / _LOADED_BY, threads=1, asks=False)
            # Before the first collection, which would look at all that was made meanwhile.
            set_aside(anew=True)


def _run_child(place: Path, stop: threading.Event | None) -> str:
    """Have the child compile into `place`; what went wrong as a sentence, else nothing. Raises OSError."""
    environment = kernel_cache.environment(place)
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(kernel_cache.PACKAGE.parent), *filter(None, [environment.get("PYTHONPATH")])]
    )
    command = [sys.executable, "-P", "-m", __spec__.name if __spec__ else __name__]
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            creationflags=_NO_WINDOW,
        )
        try:
            while True:
                try:
                    code = child.wait(_POLL_S)
                    break
                except subprocess.TimeoutExpired:
                    if stop is not None and stop.is_set():
                        return "Compiling was stopped."
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
        if code == 0:
            return ""
        errors.seek(0)
        lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    return f"The kernels could not be compiled: {lines[-1] if lines else f'exit code {code}'}"


def exercise() -> list[str]:
    """Call every kernel, through captures that need them; those that were not reached, by name.

    Raises CaptureError and OSError where the captures cannot be read or made.
    """
    for name in kernel_cache.kernel_modules():
        importlib.import_module(name)
    for path in sorted(resource("samples").glob("*.pcap.gz")):
        _decode(path)
    with tempfile.TemporaryDirectory(prefix="snapscope-") as folder:
        for name, data in (("a.pcap", _many_flows()), ("b.pcapng", _blocks())):
            path = Path(folder, name)
            path.write_bytes(data)
            _decode(path)
    from analyzer.kernel import kernel_signatures

    return [name for name, signatures in kernel_signatures().items() if not signatures]


def _decode(path: Path, threads: int | None = None, *, asks: bool = True) -> None:
    """`asks`: also what only answers need."""
    with Capture.open(path, compiled=True, strict=True, threads=threads) as capture:
        capture.decode()
        if not asks:
            return
        query = capture.query()
        for snapshot in range(min(1, len(capture.tables.snapshots))):
            query.items(snapshot)
            query.states.are_named_alike([snapshot], [snapshot])
            first_part = capture.tables.snapshots.integer("first_part", snapshot)
            message = capture.tables.parts.integer("message", first_part)
            query.message_ints(np.array([message], np.int64), "tick")
        query.close()


def _frame(number: int) -> bytes:
    """Raw IPv4 and UDP, of a flow of its own for every number."""
    return struct.pack("!BxHxxxxBBxx4s4sHHHxx", 0x45, 29, 64, 17, bytes(4), bytes(4), 1 + number, 8303, 9) + b"\xff"


def _many_flows() -> bytes:
    head = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 0, 101)
    frames = [_frame(number) for number in range(_FLOWS)]
    return head + b"".join(struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame for frame in frames)


def _blocks() -> bytes:
    def block(kind: int, body: bytes) -> bytes:
        body += bytes(-len(body) % 4)
        return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)

    frame = _frame(0)
    section = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    interface = block(1, struct.pack("<HHI", 101, 0, 0))
    return section + interface + block(6, struct.pack("<IIIII", 0, 0, 0, len(frame), len(frame)) + frame)


def main() -> int:
    """The child: compile what there is, and fail with a last line that says why."""
    try:
        missed = exercise()
    except (CaptureError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    if missed:
        print(f"not reached: {', '.join(missed)}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
