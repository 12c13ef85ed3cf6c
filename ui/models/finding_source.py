"""Keeps the findings of a document up to date: a thread that gives way applies rules, in short stretches.

What was found is told at most twice a second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter, thread_time

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from analyzer.engine.query import Query
from analyzer.expert.findings import Findings
from analyzer.expert.rule import Severity
from analyzer.expert.rules import Thresholds
from analyzer.stats.snapshots import RebuiltCounter
from analyzer.store.tables import Tables
from ui.document import Document
from ui.models.finding_groups import (
    NO_MOMENTS,
    NOTHING_FOUND,
    Arranged,
    Moments,
    Wanted,
    arrange,
    by_session,
    moments,
)

REFRESH_MS = 500
REST = 10
"""Rules that took long rest for this many times as long: clicks are answered by the same thread."""
STRETCH_S = 0.012
"""About so long rules are applied in one go while a file is decoded: window and decoder work beside them."""
STRETCH_REST_MS = 150
LONG_STRETCH_S = 0.04
"""Likewise when it is decoded."""
BEHIND_REST_MS = 10
LEAST_ROWS, MOST_ROWS = 1 << 12, 1 << 17
ITEMS_S = 0.04
"""So long items are looked at in one go, before others are answered."""
ITEMS_REST_MS = 80
_TOPIC = "findings"

Severities = NDArray[np.uint8]
NO_SEVERITIES: Severities = np.empty(0, np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What was found so far."""

    arranged: Arranged = NOTHING_FOUND
    """As it is wanted."""
    counts: Mapping[Severity, int] = field(default_factory=lambda: dict.fromkeys(Severity, 0))
    """Of the whole capture."""
    sessions: Mapping[int, Mapping[Severity, int]] = field(default_factory=dict)
    """The same by session."""
    severities: Severities = field(default_factory=lambda: NO_SEVERITIES)
    """By packet, the worst severity; 0: none."""
    errors: Moments = NO_MOMENTS
    warnings: Moments = NO_MOMENTS
    unknown: int = 0
    """Snapshots of which nobody can tell whether they are right: what they rest on was not captured."""

    items_done: float = 1.0
    """Share of the snapshots whose items were looked at."""

    @property
    def worst(self) -> Severity | None:
        """None: nothing was found."""
        return max((severity for severity, count in self.counts.items() if count), default=None)


NOTHING = Found()


@dataclass(frozen=True, slots=True)
class _Answer:
    found: Found | None
    """None: as before."""
    marked: range
    """Packets that are marked otherwise than before."""
    left: bool
    """There are items to be looked at, or rows to be judged."""
    behind: bool
    """There are rows to be judged."""
    seconds: float
    """That it took to tell what was found."""


class _Desk:
    """Applies rules for one document; only the thread that gives way asks it."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._counter = RebuiltCounter(tables)
        self._told: tuple[int, Wanted, float] | None = None
        self._severities = NO_SEVERITIES
        self._rows = LEAST_ROWS
        """That are judged in one go."""
        self._next = 0.0
        """When to tell again what was found, though there is more to judge."""

    def answer(
        self, query: Query, wanted: Wanted, thresholds: Thresholds, *, at_once: bool, full_speed: bool
    ) -> _Answer:
        """What there is now, after some more rows were judged, or where there are none, some more items looked at.

        `at_once`: tell in any case. `full_speed`: a file is decoded; items wait until it is.
        """
        findings = query.findings
        if findings.thresholds.changed != thresholds.changed:
            findings.use(thresholds)
        behind = self._apply(findings, STRETCH_S if full_speed else LONG_STRETCH_S)
        if behind and not at_once and perf_counter() < self._next:
            return _Answer(None, range(0), left=True, behind=True, seconds=0.0)
        left = True
        if not (behind or full_speed):
            left = query.look_at_items(ITEMS_S)
            findings.update(self._rows)
        start = perf_counter()
        found, marked = self._judge(query, wanted, left=left)
        seconds = perf_counter() - start
        self._next = start + max(REFRESH_MS / 1000, seconds * REST)
        return _Answer(found, marked, left, behind, seconds)

    def _apply(self, findings: Findings, seconds: float) -> bool:
        """Judge as many rows as that takes. Are some left?"""
        start = thread_time()
        findings.update(self._rows)
        took = max(thread_time() - start, 1e-4)
        self._rows = int(np.clip(self._rows * seconds / took, max(LEAST_ROWS, self._rows // 2), MOST_ROWS))
        return not findings.is_current

    def _judge(self, query: Query, wanted: Wanted, *, left: bool) -> tuple[Found | None, range]:
        findings, tables = query.findings, self._tables
        passed, every = query.items_looked_at
        done = round(passed / every, 2) if every else 1.0
        if self._told == (findings.version, wanted, done):
            return None, range(0)
        self._told = findings.version, wanted, done
        severities = findings.severities(0, len(tables.packets))
        before = np.zeros_like(severities)
        before[: len(self._severities)] = self._severities[: len(severities)]
        others = np.flatnonzero(severities != before)
        self._severities = severities
        found = Found(
            arrange(findings, tables, wanted),
            findings.counts(),
            by_session(findings),
            severities,
            moments(findings, tables, Severity.ERROR),
            moments(findings, tables, Severity.WARNING),
            self._counter.counts().unknown,
            done if left else 1.0,
        )
        return found, range(int(others[0]), int(others[-1]) + 1) if len(others) else range(0)


class FindingSource(QObject):
    """Asks as rows come, and again when something else is wanted."""

    changed = Signal()
    """`found` is new."""
    settled = Signal()
    """All that there is was judged, for now."""
    marked = Signal(int, int)
    """The packets first to end - 1 may be marked otherwise than before."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.found = NOTHING
        self._wanted = Wanted()
        self._thresholds = Thresholds()
        self._document: Document | None = None
        self._desk: _Desk | None = None
        self._stale = False
        self._asked = False
        self._caught_up = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self._refresh)

    @property
    def wanted(self) -> Wanted:
        """What the list is to show."""
        return self._wanted

    @property
    def is_complete(self) -> bool:
        """All that is decoded was judged."""
        return self._caught_up and not self._stale and not self._asked

    def show_document(self, document: Document | None) -> None:
        """Follow another document, or none."""
        if self._document is not None:
            for signal in (self._document.rows_added, self._document.amended):
                signal.disconnect(self._outdated)
            self._document.decoded.disconnect(self._at_once)
            self._document.paused_changed.disconnect(self._refresh)
            self._document.question_failed.disconnect(self._failed)
            self._document.unreadable.disconnect(self._failed)
        self._pause.stop()
        self._document = document
        self._desk = None if document is None else _Desk(document.tables)
        # Without rows there is nothing to judge, and the first ones are to be seen soon.
        self._stale = document is not None and (len(document.tables.packets) > 0 or document.is_decoded)
        self._asked = self._caught_up = False
        self.found = NOTHING
        if document is not None:
            for signal in (document.rows_added, document.amended):
                signal.connect(self._outdated)
            document.decoded.connect(self._at_once)
            document.paused_changed.connect(self._refresh)
            document.question_failed.connect(self._failed)
            document.unreadable.connect(self._failed)
        self.changed.emit()
        self._refresh()

    def want(self, wanted: Wanted) -> None:
        """Show other findings, or in other groups, as soon as can be."""
        if wanted != self._wanted:
            self._wanted = wanted
            self._at_once()

    def use(self, thresholds: Thresholds) -> None:
        """Apply rules with other thresholds, without decoding anything again."""
        if thresholds.changed != self._thresholds.changed:
            self._thresholds = thresholds
            self._at_once()

    @Slot()
    def _at_once(self) -> None:
        self._pause.stop()
        self._stale = self._document is not None
        self._refresh(asked_for=True)

    @Slot()
    def _outdated(self) -> None:
        self._stale = True
        self._refresh()

    @Slot()
    def _refresh(self, *, asked_for: bool = False) -> None:
        document, desk = self._document, self._desk
        if document is None or desk is None or not self._stale or self._asked or self._pause.isActive():
            return
        if document.is_paused and not asked_for and self._caught_up:
            return
        self._stale, self._asked = False, True
        wanted, thresholds = self._wanted, self._thresholds
        full_speed = not (document.is_live or document.is_decoded)

        def question(query: Query) -> _Answer:
            return desk.answer(query, wanted, thresholds, at_once=asked_for, full_speed=full_speed)

        document.ask(_TOPIC, question, lambda answer: self._answered(document, answer), gives_way=True)

    def _answered(self, document: Document, answer: _Answer) -> None:
        if document is not self._document:
            return
        self._asked = False
        self._caught_up = self._caught_up or not answer.behind
        self._stale = self._stale or answer.left
        if answer.behind:
            rest = BEHIND_REST_MS if document.is_decoded else STRETCH_REST_MS
        else:
            hurry = answer.left and document.is_decoded
            rest = ITEMS_REST_MS if hurry else max(REFRESH_MS, round(answer.seconds * 1000 * REST))
        self._pause.start(rest)
        if answer.found is not None:
            self.found = answer.found
            self.changed.emit()
            if answer.marked:
                self.marked.emit(answer.marked.start, answer.marked.stop)
        if self.is_complete:
            self.settled.emit()
        self._refresh()

    @Slot()
    def _failed(self) -> None:
        self._asked = False
