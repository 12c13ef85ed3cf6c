"""One filter at a time over a capture that may still grow, on a thread of its own: answers in stretches, as they come.

A filter of columns takes no time; one that reads bytes or items of a large capture takes long, and other questions
must not wait for it. Nothing here knows a window; answers are told on the thread.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analyzer.capture.frames import CaptureError
from analyzer.engine.capture import Capture
from analyzer.engine.filtering import view
from analyzer.engine.query import Query
from analyzer.engine.right_of_way import RIGHT_OF_WAY
from analyzer.filters.errors import Cancelled
from analyzer.filters.filter import Filter
from analyzer.filters.matches import Matches
from analyzer.filters.nodes import Needs
from analyzer.filters.registry import Registry
from analyzer.filters.value_tests import Bools
from analyzer.filters.values import Ints
from analyzer.filters.view import View

STRETCH_S = 0.1
"""About so long a stretch takes: so often whoever asked hears of it."""
FIRST_STRETCH = {Needs.COLUMNS: 1 << 18, Needs.BYTES: 1 << 10, Needs.ITEMS: 1 << 8}
"""Packets of the first one: more than a list shows at a time."""
LEAST, MOST = 1 << 6, 1 << 20
GROWTH = 4
"""A stretch is at most so many times the one before."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What became known: of packets that were not looked at before, and of older ones that changed."""

    run: int
    """Number of the run, as `begin` gave it."""
    first: int
    mask: Bools
    """Of the packets from `first` on, is the filter true? Shape (n,)."""
    changed: Ints
    """Older packets, ascending."""
    now: Bools
    """Is it true of these now? Shape as `changed`."""

    @property
    def known(self) -> int:
        """So many packets are known now, from the first one on."""
        return self.first + len(self.mask)


@dataclass(frozen=True, slots=True)
class _Run:
    number: int
    chosen: Filter
    fields: Registry


class FilterRuns:
    """Begins with no filter. `told` and `failed` are called on the thread; after `close` no more."""

    def __init__(
        self, capture: Capture, told: Callable[[Verdicts], None], failed: Callable[[int, Exception], None]
    ) -> None:
        self._capture = capture
        self._told = told
        self._failed = failed
        self._wake = threading.Condition()
        self._run: _Run | None = None
        self._number = 0
        self._upto = 0
        self._asked = False
        """Something may have changed since the last look."""
        self._held = False
        self._closing = False
        self._thread: threading.Thread | None = None

    def begin(self, chosen: Filter, fields: Registry, upto: int) -> int:
        """Look at the first `upto` packets; the run's number. What ran before is given up."""
        with self._wake:
            self._number += 1
            self._run = _Run(self._number, chosen, fields)
            self._upto, self._asked, self._held = upto, True, False
            if self._thread is None and not self._closing:
                self._thread = threading.Thread(target=self._work, name="filter", daemon=True)
                self._thread.start()
            self._wake.notify_all()
            return self._number

    def look(self, upto: int) -> None:
        """There are so many packets now, and rows may have been amended."""
        with self._wake:
            self._upto, self._asked = upto, True
            self._wake.notify_all()

    def hold(self) -> None:
        """Look at no more packets until `go_on` or `begin`; what was found stays."""
        with self._wake:
            self._held = True
            self._wake.notify_all()

    def go_on(self) -> None:
        """Undo `hold`."""
        with self._wake:
            self._held, self._asked = False, True
            self._wake.notify_all()

    def end(self) -> None:
        """There is no filter any more."""
        with self._wake:
            self._number += 1
            self._run = None
            self._wake.notify_all()

    def close(self) -> None:
        """Tell the thread to end, without waiting."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()

    @property
    def threads(self) -> tuple[threading.Thread, ...]:
        """The thread, once there was a filter. It ends on its own after `close`, and then holds nothing."""
        return () if self._thread is None else (self._thread,)

    def _work(self) -> None:
        query: Query | None = None
        following: _Following | None = None
        views: tuple[Registry, View] | None = None
        try:
            while (run := self._next(following)) is not None:
                try:
                    if query is None:
                        query = self._capture.query()
                    if following is None or following.run is not run:
                        if views is None or views[0] is not run.fields:
                            views = run.fields, view(self._capture.tables, query, run.fields)
                        following = _Following(run, views[1])
                    self._step(following)
                except Exception as error:
                    if isinstance(error, CaptureError):
                        _LOG.warning("a filter could not be evaluated: %s", error)
                    else:
                        _LOG.exception("a filter could not be evaluated")
                    self._fail(run, error)
        finally:
            if query is not None:
                query.close()

    def _next(self, following: _Following | None) -> _Run | None:
        """What to look at next; None: nothing ever."""
        with self._wake:
            while not self._closing:
                run = self._run
                known = following.known if following is not None and following.run is run else 0
                if run is not None and not self._held and (self._asked or known < self._upto):
                    self._asked = False
                    return run
                self._wake.wait()
            return None

    def _step(self, following: _Following) -> None:
        with self._wake:
            upto = self._upto
        # Beside a window and the decoding of a file it works as one of the threads that decode.
        with RIGHT_OF_WAY:
            verdicts = following.step(upto, lambda share: self._is_wanted(following.run))
        with self._wake:
            if verdicts is not None and not self._closing and self._run is following.run:
                self._told(verdicts)

    def _is_wanted(self, run: _Run) -> bool:
        return self._run is run and not self._held and not self._closing

    def _fail(self, run: _Run, error: Exception) -> None:
        with self._wake:
            if self._run is run and not self._closing:
                self._run = None
                self._failed(run.number, error)


class _Following:
    """One run on the thread."""

    def __init__(self, run: _Run, known: View) -> None:
        self.run = run
        self.known = 0
        """Packets that were told of."""
        self._in_doubt = False
        """Some older packets were looked at again, and nobody was told what became of them."""
        self._matches = Matches(run.chosen, known)
        self._portion = FIRST_STRETCH[run.chosen.needs]

    def step(self, upto: int, wanted: Callable[[float], bool]) -> Verdicts | None:
        """A stretch of new packets, and what was amended; None: there is nothing to tell."""
        began, before = time.monotonic(), self.known
        changed: Ints = np.empty(0, np.int64)
        most = min(self._portion, max(0, upto - len(self._matches)))
        try:
            changed = self._matches.update(wanted, most).changed
        except Cancelled:
            self._in_doubt = True
        else:
            self._adapt(time.monotonic() - began, most)
            if self._in_doubt:
                changed, self._in_doubt = np.arange(before), False
        mask = self._matches.mask
        self.known = len(mask)
        if self.known == before and not len(changed):
            return None
        return Verdicts(self.run.number, before, mask[before:].copy(), changed, mask[changed].copy())

    def _adapt(self, seconds: float, looked_at: int) -> None:
        if looked_at:
            wanted = looked_at * STRETCH_S / max(seconds, 1e-4)
            self._portion = int(max(LEAST, min(wanted, looked_at * GROWTH, MOST)))
