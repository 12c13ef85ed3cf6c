"""How a live capture goes, on one line of a terminal, or on a line each second where standard error is none."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType

import numpy as np

from analyzer.capture.live.control import Sniffer
from analyzer.cli.output import counted, one_line
from analyzer.engine.capture import Capture
from analyzer.engine.machine import resident_bytes
from analyzer.stats.snapshots import RebuiltCounter

TERMINAL_S = 0.25
LINES_S = 1.0
_MOST_SHARE = 0.05
"""Of the time; a long capture takes longer to count."""
_CLEAR = "\r\x1b[K"


@dataclass(frozen=True, slots=True)
class Standing:
    """What rates are counted from."""

    at_s: float
    frames: int
    snapshots: int


class StatusLine:
    """Shown by `show`, no more often than is readable; the terminal's line is given back at the end."""

    def __init__(self, capture: Capture, sniffer: Sniffer) -> None:
        self._capture = capture
        self._counter = RebuiltCounter(capture.tables)
        self._sniffer = sniffer
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._pause = TERMINAL_S if self._terminal else LINES_S
        self._begin = time.monotonic()
        self._last = Standing(self._begin, 0, 0)

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._terminal:
            _write(_CLEAR)

    def show(self) -> None:
        """Show how it goes, where it is time for it."""
        now = time.monotonic()
        if now - self._last.at_s < self._pause:
            return
        text = one_line(self._text(now))
        _write(f"{_CLEAR}{text}" if self._terminal else f"{text}\n")
        self._pause = max(self._pause, (time.monotonic() - now) / _MOST_SHARE)

    def _text(self, now: float) -> str:
        tables, counts, before = self._capture.tables, self._sniffer.counts, self._last
        standing = self._last = Standing(now, counts.frames, len(tables.snapshots))
        took = now - before.at_s
        clients = int(np.count_nonzero(tables.flows.integers("reading", 0, len(tables.flows)) >= 0))
        parts = [
            f"{now - self._begin:,.0f} s",
            f"{(standing.frames - before.frames) / took:,.0f} packets/s",
            f"{counts.lost:,} dropped",
            f"{(standing.snapshots - before.snapshots) / took:,.0f} snapshots/s",
            f"{self._counter.counts().failed:,} failed",
            counted(clients, "client"),
        ]
        resident = resident_bytes()
        if resident is not None:
            parts.append(f"{resident / 1e6:,.0f} MB memory")
        waiting = counts.frames - tables.frames.appended
        if waiting > max(standing.frames - before.frames, 0):
            parts.append(f"{waiting:,} packets not decoded yet")
        if self._sniffer.set_back_s:
            parts.append(f"the clock was set back by {self._sniffer.set_back_s:,.0f} s")
        if not self._sniffer.up:
            parts.append("the interface is down")
        return "  ".join(parts)


def _write(text: str) -> None:
    # Lost where nobody reads it.
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(text)
            sys.stderr.flush()
