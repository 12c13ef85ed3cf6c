"""Adds the snapshot rows of one epoch and links them: failures to their first cause, repetitions to what they repeat.

Spec section 17.7: a chain of failures always names the first one. A row can be waited for before it exists, because a
base may still be collecting its parts.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from analyzer.protocols.teeworlds.codes import CODE_NUMBERS, CODES
from analyzer.snapshots.attribution import Attribution
from analyzer.snapshots.bases import MAX_WAITING, Bases, Cause
from analyzer.snapshots.status import LostBy
from analyzer.store.rows import Rows, SnapshotRow

S = TypeVar("S")


class Outcomes(Generic[S]):
    """How the snapshots of an epoch ended. `bases` learns of the failures."""

    def __init__(self, rows: Rows, bases: Bases[S]) -> None:
        self.attribution = Attribution(rows, lambda tick: bases.get(tick) is not None)
        self._rows = rows
        self._bases = bases
        self._open: dict[int, Cause] = {}
        self._repeats: dict[int, list[int]] = {}

    def of_open(self, tick: int) -> Cause:
        """The cause that a tick still being collected will be for rows that need it now."""
        return self._open.setdefault(tick, Cause())

    def repeat(self, row: SnapshotRow) -> None:
        """Add a row for a part that an open collector already holds; the row of its tick follows."""
        local = self._rows.snapshot(row)
        waiting = self._repeats.setdefault(row.tick, [])
        if len(waiting) < MAX_WAITING:
            waiting.append(local)

    def rebuilt(self, row: SnapshotRow) -> int:
        """Add the row of a snapshot that could be rebuilt."""
        local = self._add(row, None, whole=False)
        own = self._open.pop(row.tick, None)
        if own is not None:
            self._follow(own, local, LostBy.NOBODY)
        return local

    def fail(self, row: SnapshotRow, code: str, *, whole: bool = False, lost_by: LostBy | None = None) -> int:
        """Add a row that is its own first cause. `lost_by` None: the acknowledgements will tell."""
        set_code(row, code)
        cause = self._open.pop(row.tick, None) or Cause()
        if lost_by is not None:
            cause.lost_by, cause.settled = lost_by, True
            row.lost_by = lost_by
        local = self._add(row, None if cause.settled else cause, whole=whole)
        self._follow(cause, local, cause.lost_by)
        self._bases.fail(row.tick, cause)
        return local

    def fail_through(self, row: SnapshotRow, cause: Cause) -> int:
        """Add a row whose base failed: it names the first cause of the chain."""
        set_code(row, "B2")
        row.cause, row.lost_by = cause.local, cause.lost_by
        local = self._add(row, None, whole=False)
        cause.wait(local)
        own = self._open.pop(row.tick, None)
        if own is not None:
            # Rows that waited for this one while it was open now name what it names.
            for waiting in own.waiting:
                self._rows.amend_snapshot(waiting, "lost_by", cause.lost_by)
                if cause.local >= 0:
                    self._rows.amend_snapshot(waiting, "cause", cause.local)
                cause.wait(waiting)
            self._bases.replace_cause(own, cause)
        self._bases.fail(row.tick, cause)
        return local

    def _add(self, row: SnapshotRow, cause: Cause | None, *, whole: bool) -> int:
        self.attribution.settle(row, cause, whole=whole)
        local = self._rows.snapshot(row)
        for repetition in self._repeats.pop(row.tick, ()):
            self._rows.amend_snapshot(repetition, "cause", local)
        return local

    def _follow(self, cause: Cause, local: int, lost_by: LostBy) -> None:
        """The row of a cause exists now: rows that waited for it learn its number and who lost it."""
        cause.local = local
        for waiting in cause.waiting:
            self._rows.amend_snapshot(waiting, "cause", local)
            self._rows.amend_snapshot(waiting, "lost_by", lost_by)


def set_code(row: SnapshotRow, code: str) -> None:
    """Give a row a report code and the status that goes with it."""
    row.code = CODE_NUMBERS[code]
    row.status = CODES[row.code].status
