"""Snapshots of an epoch whose bases are not there: why, and what their deltas tell all the same. Spec section 17.6."""

from __future__ import annotations

from analyzer.protocols.teeworlds.messages import SNAPEMPTY
from analyzer.protocols.teeworlds.outcomes import Outcomes
from analyzer.protocols.teeworlds.partial import pack_partial
from analyzer.protocols.teeworlds.partial_states import PartialStates, Step
from analyzer.snapshots.status import LostBy
from analyzer.snapshots.tracking import ticks
from analyzer.snapshots.tracking.columns import COLLECTOR, FLOOR, LOWEST, RETENTION_TICKS, SEEN
from analyzer.snapshots.tracking.tracker import Tracker
from analyzer.store.rows import Rows, SnapshotRow


class PartialOutcomes:
    """Adds their rows, and keeps what is known of them for those that are based on them."""

    def __init__(self, rows: Rows, tracker: Tracker, outcomes: Outcomes, states: PartialStates, *, begun: bool) -> None:
        """`begun`: the epoch's beginning was captured, so an unknown base is a gap and not the past."""
        self._rows = rows
        self._tracker = tracker
        self._outcomes = outcomes
        self._states = states
        self._begun = begun

    def follow(self, row: SnapshotRow, data: bytes, checksum: int) -> Step | None:
        """Keep account of what the delta tells, and add the row that says why there is no base.

        A step: no row was added, because all items became known and the checksum proves them.
        """
        step = self._states.step(row.base_tick, data)
        if step is not None:
            row.base = step.base
            row.deleted, row.updated = len(step.delta.removed), len(step.delta.updates)
            if row.kind != SNAPEMPTY and step.state.is_proved_by(checksum):
                return step
            row.items, row.detail2 = len(step.state.known), len(step.state.unknown)
        local = self._fail(row)
        if step is not None:
            packed = pack_partial(step.state)
            stored = ticks.block_due(self._tracker.track, step.depth, row.delta_bytes, len(packed))
            ticks.pay(self._tracker.track, row.delta_bytes, len(packed) if stored else 0)
            if stored:
                self._rows.block(local, packed)
            self._states.keep(row.tick, step, local, stored=stored)
        return None

    def purge(self) -> None:
        """Let go of what is older than the retention."""
        self._states.purge(self._tracker.numbers[SEEN] - RETENTION_TICKS)

    def forget(self) -> None:
        """Let go of everything."""
        self._states.clear()

    def _fail(self, row: SnapshotRow) -> int:
        """B1 to B4. Returns the local number of the row."""
        tick, track = row.base_tick, self._tracker.track
        entry = ticks.find(track, tick)
        is_open = entry >= 0 and track.ticks[entry, COLLECTOR] >= 0
        cause = self._outcomes.of_open(tick) if is_open else self._outcomes.cause_of(tick)
        if cause is not None:
            return self._outcomes.fail_through(row, cause)
        if tick <= track.numbers[FLOOR]:
            return self._outcomes.fail(row, "B4", lost_by=LostBy.LIMIT)
        if self._begun or tick >= track.numbers[LOWEST]:
            row.detail = self._outcomes.attribution.lost(tick)
            return self._outcomes.fail(row, "B3", lost_by=LostBy.CAPTURE)
        return self._outcomes.fail(row, "B1", lost_by=LostBy.CAPTURE)
