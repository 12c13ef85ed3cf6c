"""Which packets a filter lets through, as far as that is known. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.engine.filter_runs import Verdicts
from analyzer.store.growing import Growing
from analyzer.store.tables import Tables
from ui.marks import Bools
from ui.models.packet_cells import Rows


@dataclass(frozen=True, slots=True)
class Judged:
    """What verdicts changed. Rows of `packets`, each ascending."""

    new: Rows
    """Let through, and known for the first time: behind all that were known."""
    came: Rows
    """Let through now; they were not."""
    went: Rows
    """No longer let through."""


class Kept:
    """Follows one run of a filter."""

    def __init__(self, tables: Tables) -> None:
        self._mask: Growing[np.bool_] = Growing(np.bool_, tables.chunks)

    def __len__(self) -> int:
        """So many packets are known, from the first one on."""
        return len(self._mask)

    def of(self, start: int, stop: int) -> Bools:
        """Which of the packets start to stop - 1 are let through, shape (stop - start,); none that is not known."""
        found = np.zeros(stop - start, np.bool_)
        known = self._mask.view[start:stop]
        found[: len(known)] = known
        return found

    def take(self, verdicts: Verdicts) -> Judged:
        """Take in what a filter says."""
        before = self._mask.view
        was, now = before[verdicts.changed], verdicts.now
        before[verdicts.changed] = now
        self._mask.append(verdicts.mask)
        return Judged(
            np.flatnonzero(verdicts.mask) + verdicts.first,
            verdicts.changed[now & ~was],
            verdicts.changed[was & ~now],
        )
