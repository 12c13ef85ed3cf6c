"""Adds the snapshot rows of one epoch and links them: failures to their first cause, repetitions to what they repeat.

Spec section 17.7: a chain of failures always names the first one. A row can be waited for before it exists, because a
base may still be collecting its parts.
"""

from __future__ import annotations

from analyzer.protocols.teeworlds.codes import CODE_NUMBERS, CODES
from analyzer.snapshots.attribution import Attribution
from analyzer.snapshots.causes import MAX_WAITING, Cause
from analyzer.snapshots.status import LostBy
from analyzer.snapshots.tracking import ticks
from analyzer.snapshots.tracking.columns import (
    AWAITED,
    FAILED,
    FAILURES,
    FLAGS,
    REPEATED,
    RETENTION_TICKS,
    SEEN,
    WHILE_OPEN,
)
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.rows import Rows, SnapshotRow


class Outcomes:
    """How the snapshots of an epoch ended. The flags of its track say for which ticks something is kept here."""

    def __init__(self, rows: Rows, tracker: Tracker) -> None:
        self.attribution = Attribution(rows, tracker)
        self._rows = rows
        self._tracker = tracker
        self._failed: dict[int, Cause] = {}
        self._open: dict[int, Cause] = {}
        self._repeats: dict[int, list[int]] = {}

    def cause_of(self, tick: int) -> Cause | None:
        """Why the snapshot of a tick could not be rebuilt, if that is what happened."""
        return self._failed.get(tick)

    def of_open(self, tick: int) -> Cause:
        """The cause that a tick still being collected will be for rows that need it now."""
        self._mark(tick, AWAITED)
        return self._open.setdefault(tick, Cause())

    def repeat(self, row: SnapshotRow) -> None:
        """Add a row for a part that an open collector already holds; the row of its tick follows."""
        self._mark(row.tick, REPEATED)
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
        if self._failed.pop(row.tick, None) is not None:
            self._count_failures()
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
        self._fail(row.tick, cause)
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
            for tick in [tick for tick, failed in self._failed.items() if failed is own]:
                self._failed[tick] = cause
        self._fail(row.tick, cause)
        return local

    def purge(self) -> None:
        """Let go of what is older than the retention, before the track forgets it."""
        self.attribution.purge()
        if self._failed:
            oldest = self._tracker.numbers[SEEN] - RETENTION_TICKS
            self._failed = {tick: cause for tick, cause in self._failed.items() if tick >= oldest}
            self._count_failures()

    def forget(self) -> None:
        """Let go of all but what belongs to ticks still being collected."""
        self.attribution.forget()
        self._failed.clear()
        self._count_failures()

    def _add(self, row: SnapshotRow, cause: Cause | None, *, whole: bool) -> int:
        self.attribution.settle(row, cause, whole=whole)
        local = self._rows.snapshot(row)
        for repetition in self._repeats.pop(row.tick, ()):
            self._rows.amend_snapshot(repetition, "cause", local)
        self._unmark(row.tick, WHILE_OPEN)
        return local

    def _follow(self, cause: Cause, local: int, lost_by: LostBy) -> None:
        """The row of a cause exists now: rows that waited for it learn its number and who lost it."""
        cause.local = local
        for waiting in cause.waiting:
            self._rows.amend_snapshot(waiting, "cause", local)
            self._rows.amend_snapshot(waiting, "lost_by", lost_by)

    def _fail(self, tick: int, cause: Cause) -> None:
        self._failed[tick] = cause
        self._mark(tick, FAILED)
        self._count_failures()

    def _count_failures(self) -> None:
        self._tracker.numbers[FAILURES] = len(self._failed)

    def _mark(self, tick: int, flags: int) -> None:
        track = self._tracker.track
        track.ticks[ticks.enter(track, tick), FLAGS] |= flags

    def _unmark(self, tick: int, flags: int) -> None:
        track = self._tracker.track
        track.ticks[ticks.enter(track, tick), FLAGS] &= ~flags


def set_code(row: SnapshotRow, code: str) -> None:
    """Give a row a report code and the status that goes with it."""
    row.code = CODE_NUMBERS[code]
    row.status = CODES[row.code].status
