"""The side that starts a sniffer, follows what it says, and stops it. It needs no right and loads no scapy."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType

from analyzer.capture.live.messages import (
    Counts,
    Failed,
    Fault,
    Message,
    NetworkPlace,
    Running,
    Started,
    Stopped,
    decode,
    decode_places,
)
from analyzer.capture.live.rights import Through

STOP_S = 5.0
"""A sniffer that was told to stop has ended after this; otherwise it is killed."""
ASK_S = 20.0

_NO_WINDOW = 0x08000000 if os.name == "nt" else 0
"""Windows would open a console for a child of a program that has none."""
_ROOT = Path(__file__).resolve().parents[3]
"""Where the package `analyzer` lies."""


class SnifferError(Exception):
    """A sniffer cannot do what it is asked. The text is a sentence for a person."""

    def __init__(self, fault: Fault, text: str) -> None:
        super().__init__(text)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Settings:
    """What to capture, where to, and until when."""

    interface: str
    file: Path
    """Must not exist yet."""
    filter: str = ""
    """In libpcap's language; empty: everything."""
    snap_length: int | None = None
    """Bytes kept of a frame."""
    promiscuous: bool = True
    packets: int | None = None
    """Stop after so many frames."""
    bytes: int | None = None
    """Stop when the file has so many bytes."""
    seconds: float | None = None
    """Stop after so long."""
    method: str | None = None
    """What to read through, if not what suits the system."""


def list_interfaces() -> list[NetworkPlace]:
    """Where one could capture; needs no right. Raises SnifferError."""
    try:
        return decode_places(_ask(["--list"]))
    except ValueError as error:
        raise SnifferError(Fault.BUG, str(error)) from error


def check_filter(text: str) -> None:
    """Raises SnifferError, saying why, where a capture filter cannot be compiled; needs no right."""
    _ask([f"--check-filter={text}"])


class Sniffer:
    """A running sniffer. Everything but `next` may be called from any thread."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Use `Sniffer.start`."""
        self.started: Started | None = None
        """Its first word; until then it may still be refused the right."""
        self.counts = Counts()
        """What it counted last."""
        self.up = True
        """Its interface is up."""
        self.set_back_s = 0.0
        """How far the system's clock was set back since the start, in all."""
        self.failed: Failed | None = None
        """Why it could not begin or go on."""
        self.stopped: Stopped | None = None
        """Its last word."""
        self._process = process
        self._messages: SimpleQueue[Message | None] = SimpleQueue()
        self._ended = False
        self._asked = threading.Lock()
        self._reader = threading.Thread(target=self._read, name="sniffer", daemon=True)
        self._reader.start()

    @classmethod
    def start(cls, settings: Settings, through: Through | None = None) -> Sniffer:
        """Start the child process, which says itself when it has begun. Raises SnifferError where there is none.

        `through`: what gives it the right to capture.
        """
        if through is Through.DUMPCAP:
            settings, through = replace(settings, method="dumpcap"), None
        command = [*_elevation(through), *_python(), *_arguments(settings)]
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # sudo and pkexec tell there why they refuse; of the sniffer itself every fault comes as a message.
                stderr=None if through else subprocess.DEVNULL,
                env=_environment(),
                text=True,
                encoding="utf-8",
                errors="replace",
                creationflags=_NO_WINDOW,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise SnifferError(Fault.BUG, f"{command[0]} cannot be started: {reason}.") from error
        return cls(process)

    def __enter__(self) -> Sniffer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def process_id(self) -> int:
        """Of the child, or of what gives it the right."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """The sniffer has ended and all it said was taken: the file will not grow any more."""
        return self._ended

    def next(self, seconds: float) -> Message | None:
        """What it says next, waiting so long; None: nothing, or it has ended. The attributes follow what is taken."""
        if self._ended:
            return None
        try:
            message = self._messages.get(timeout=seconds) if seconds > 0 else self._messages.get_nowait()
        except Empty:
            return None
        match message:
            case None:
                self._ended = True
            case Started():
                self.started = message
            case Running():
                self.counts, self.up, self.set_back_s = message.counts, message.up, message.set_back_s
            case Stopped():
                self.counts, self.stopped = message.counts, message
            case Failed():
                self.failed = message
        return message

    def wait_started(self) -> Started:
        """Wait until it captures. Raises SnifferError where it cannot."""
        while self.started is None:
            self.next(1.0)
            if self._ended:
                failed = self.failed or Failed(Fault.ENDED, "The sniffer ended before it began.")
                raise SnifferError(failed.fault, failed.text)
        return self.started

    def stop(self) -> None:
        """Ask it to stop; what it has captured is still written, and then it says so. A second call does nothing."""
        with self._asked:
            if self._process.stdin is not None and not self._process.stdin.closed:
                try:
                    self._process.stdin.close()
                except OSError:
                    # It has ended already.
                    return

    def close(self) -> None:
        """Stop it and wait; a sniffer that does not end is killed."""
        self.stop()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        while not self._ended:
            self.next(0.0)

    def _read(self) -> None:
        """Take over what it says until it ends."""
        last_word = False
        stream = self._process.stdout
        if stream is not None:
            with stream:
                for line in stream:
                    message = decode(line)
                    if message is not None:
                        last_word = isinstance(message, Stopped | Failed)
                        self._messages.put(message)
        status = self._process.wait()
        if not last_word:
            self._messages.put(Failed(Fault.ENDED, f"The sniffer ended unexpectedly ({_ending(status)})."))
        self._messages.put(None)


def _ending(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit status {status}"


def _ask(arguments: Sequence[str]) -> str:
    """What a sniffer prints that captures nothing. Raises SnifferError."""
    command = [*_python(), *arguments]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=_environment(),
            encoding="utf-8",
            errors="replace",
            creationflags=_NO_WINDOW,
            timeout=ASK_S,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise SnifferError(Fault.BUG, f"The sniffer cannot be asked: {error}.") from error
    if done.returncode == 0:
        return done.stdout
    told = decode(done.stdout)
    if isinstance(told, Failed):
        raise SnifferError(told.fault, told.text)
    raise SnifferError(Fault.ENDED, f"The sniffer ended unexpectedly ({_ending(done.returncode)}).")


def _python() -> list[str]:
    # -P: nothing is imported from the folder that happens to be the current one.
    return [sys.executable, "-P", "-m", "analyzer.capture.live"]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": _search_path(), "PYTHONUNBUFFERED": "1"}


def _search_path() -> str:
    return os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH", "")]))


def _elevation(through: Through | None) -> list[str]:
    """They pass no environment on, so that it is set behind them."""
    if through is Through.SUDO:
        return ["sudo", "--", "env", f"PYTHONPATH={_ROOT}"]
    if through is Through.PKEXEC:
        return ["pkexec", "env", f"PYTHONPATH={_ROOT}"]
    return []


def _arguments(settings: Settings) -> list[str]:
    options = {
        "--interface": settings.interface,
        # sudo and pkexec may change the folder.
        "--write": str(settings.file.absolute()),
        "--filter": settings.filter or None,
        "--snap-length": settings.snap_length,
        "--packets": settings.packets,
        "--bytes": settings.bytes,
        "--seconds": settings.seconds,
        "--method": settings.method,
    }
    given = [f"{name}={value}" for name, value in options.items() if value is not None]
    return given if settings.promiscuous else [*given, "--no-promiscuous"]
