"""How many snapshots failed because of another: root causes are named once, what follows is counted under them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analyzer.expert.rule import Ints
from analyzer.expert.sources import AT_ONCE, stretches
from analyzer.snapshots.status import REPEATED
from analyzer.store.growing import Growing
from analyzer.store.journal import Amendment
from analyzer.store.tables import Tables


class Followers:
    """Of every snapshot row."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._cause: Growing[np.int32] = Growing(np.int32, tables.chunks)
        """Of each row as it was counted; -1: none, or it only repeats another row."""
        self._count: Growing[np.int32] = Growing(np.int32, tables.chunks)

    def __len__(self) -> int:
        """Rows taken in."""
        return len(self._cause)

    def of(self, rows: Ints) -> Ints:
        """How many failed because of each row, shape like `rows`."""
        counts, found = self._count.view, np.zeros(len(rows), np.int64)
        # What was noted may rest on a snapshot that was not taken in yet.
        known = rows < len(counts)
        found[known] = counts[rows[known]]
        return found

    def update(self, amended: Sequence[Amendment], published: int) -> bool:
        """Take in rows up to `published`, and those amended. False: nothing has changed."""
        changed = False
        for start, stop in stretches(amended, "snapshots", ("cause",), len(self)):
            causes, known = self._causes(start, stop), self._cause.view[start:stop]
            other = np.flatnonzero(causes != known)
            changed |= len(other) > 0
            self._add(known[other].astype(np.int64), -1)
            self._add(causes[other], 1)
            known[other] = causes[other]
        start = len(self)
        self._fit(published)
        for first in range(start, published, AT_ONCE):
            causes = self._causes(first, min(first + AT_ONCE, published))
            self._cause.append(causes.astype(np.int32))
            changed |= self._add(causes, 1)
        return changed

    def _fit(self, rows: int) -> None:
        self._count.append(np.zeros(max(rows - len(self._count), 0), np.int32))

    def _causes(self, start: int, stop: int) -> Ints:
        snapshots = self._tables.snapshots
        causes = snapshots.integers("cause", start, stop)
        causes[np.isin(snapshots.array("status", start, stop), REPEATED)] = -1
        return causes

    def _add(self, causes: Ints, sign: int) -> bool:
        causes = causes[causes >= 0]
        if len(causes):
            # A cause may be published a moment after those that name it.
            self._fit(int(causes.max()) + 1)
        np.add.at(self._count.view, causes, sign)
        return len(causes) > 0
