"""What became of the snapshots of a capture or a session: statuses, codes, proof, sizes, parts, attribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.snapshots.status import REBUILT, REPEATED, ClientHas, LostBy, Proof, Status
from analyzer.stats.live import Ints, live_sessions
from analyzer.stats.session_traffic import Totals
from analyzer.stats.sizes import Sizes, sizes
from analyzer.store.columns import CHUNK_ROWS
from analyzer.store.growing import Growing
from analyzer.store.tables import Tables

SIZE_COLUMNS = ("wire_bytes", "delta_bytes", "state_bytes")
_FAILED = frozenset((Status.CRC, Status.MALFORMED, Status.BUG, Status.ERROR))
_KINDS = 5
"""Numbers of `RebuiltCounts`."""
CodeNames = Mapping[str, tuple[str, ...]]
"""By protocol name: the names of its report codes, by snapshots.code."""


@dataclass(frozen=True, slots=True)
class SnapshotStats:
    """Numbers over a set of snapshot rows. Sizes, parts, kept and proof are of the rebuilt ones."""

    statuses: dict[str, int]
    """Every status word, also those that did not occur."""
    codes: dict[str, dict[str, int]]
    """By status word, by report code."""
    rebuilt: int
    """The items are known."""
    failed: int
    """Neither rebuilt nor repeated."""
    partial: int
    """Of the failed ones, without a base: those of which deltas made at least one item known."""
    repeated: int
    """Duplicates, and late parts of a snapshot that has a row of its own."""
    proved: int
    """Own checksum right, or unchanged on a proved base."""
    unproven: int
    """Status ok, but not proved."""
    not_kept: int
    """Rebuilt, but the real client would have dropped it."""
    client_has: dict[str, int]
    lost_by: dict[str, int]
    """Of the snapshots that were not rebuilt."""
    sizes: dict[str, Sizes]
    parts: dict[int, int]
    """Parts announced -> rebuilt snapshots."""


def snapshot_stats(tables: Tables, rows: Ints, code_names: CodeNames) -> SnapshotStats:
    """The numbers of the snapshot rows `rows`, shape (n,)."""

    def column(name: str) -> Ints:
        return tables.snapshots.take(name, rows).astype(np.int64)

    status = column("status")
    rebuilt = rebuilt_mask(status)
    repeated = repeated_mask(status, column("cause"))
    proved = rebuilt & (column("proof") != Proof.NONE)
    kept = column("client_kept") != 0
    return SnapshotStats(
        statuses={word.word: int((status == word).sum()) for word in Status},
        codes=_codes(tables, column("session"), status, column("code"), code_names),
        rebuilt=int(rebuilt.sum()),
        failed=int((~rebuilt & ~repeated).sum()),
        partial=int(((status == Status.NO_BASE) & (column("items") > 0)).sum()),
        repeated=int(repeated.sum()),
        proved=int(proved.sum()),
        unproven=int(((status == Status.OK) & ~proved).sum()),
        not_kept=int((rebuilt & ~kept).sum()),
        client_has={word.word: int((column("client_has")[rebuilt] == word).sum()) for word in ClientHas},
        lost_by={word.word: int((column("lost_by")[~rebuilt] == word).sum()) for word in LostBy},
        sizes={name: sizes(column(name)[rebuilt]) for name in SIZE_COLUMNS},
        parts=_histogram(column("parts")[rebuilt]),
    )


@dataclass(frozen=True, slots=True)
class RebuiltCounts:
    """What `SnapshotStats` says of all live snapshots under the same names, and where failures have their cause."""

    rebuilt: int
    proved: int
    unproven: int
    failed: int
    """`is_failed`."""
    unknown: int
    """What they need is not in the capture, so nobody can tell."""


class RebuiltCounter:
    """Keeps `RebuiltCounts` of a capture that is decoded: each call costs what is new. One thread at a time."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._journal = tables.journal.reader()
        self._begin()

    def counts(self) -> RebuiltCounts:
        """Of what is published now."""
        start = self._amended()
        known, published = len(self._kinds), len(self._tables.snapshots)
        for first in range(start, known, CHUNK_ROWS):
            self._count_again(first, min(first + CHUNK_ROWS, known))
        for first in range(known, published, CHUNK_ROWS):
            stop = min(first + CHUNK_ROWS, published)
            sessions, kinds = self._read(first, stop)
            self._kinds.append(kinds)
            self._add(sessions, kinds, 1)
        every = np.stack([self._totals.column(column) for column in range(_KINDS)], axis=1)
        alive = live_sessions(self._tables)
        return RebuiltCounts(*every[alive[alive < len(every)]].sum(axis=0).tolist())

    def _begin(self) -> None:
        self._kinds: Growing[np.uint8] = Growing(np.uint8, self._tables.chunks)
        """Of each row, a bit for each number of `RebuiltCounts` that it is in, from the lowest."""
        self._totals = Totals(_KINDS)

    def _amended(self) -> int:
        """The first row that may count otherwise; those that fail because of it come after it."""
        start = len(self._kinds)
        for amendment in self._journal.take():
            if amendment.table == "snapshots" and amendment.column in ("session", "status", "proof"):
                # No reading does that; so all is counted anew.
                self._begin()
                return 0
            if amendment.table == "snapshots" and amendment.column in ("cause", "lost_by"):
                start = min(start, amendment.start)
        return start

    def _count_again(self, start: int, stop: int) -> None:
        sessions, kinds = self._read(start, stop)
        before = self._kinds.view[start:stop]
        changed = np.flatnonzero(before != kinds)
        self._add(sessions[changed], before[changed], -1)
        self._add(sessions[changed], kinds[changed], 1)
        before[changed] = kinds[changed]

    def _read(self, start: int, stop: int) -> tuple[Ints, NDArray[np.uint8]]:
        """Sessions of the rows start to stop - 1, and which numbers they are in."""
        snapshots = self._tables.snapshots
        status = snapshots.integers("status", start, stop)
        rebuilt = rebuilt_mask(status)
        proved = rebuilt & (snapshots.array("proof", start, stop) != Proof.NONE)
        unproven = rebuilt & (status == Status.OK) & ~proved
        roots = status.copy()
        lacking = (status == Status.NO_BASE) | (status == Status.INCOMPLETE)
        some = np.flatnonzero(lacking)
        roots[some] = root_statuses(self._tables, some + start)
        failed = failed_mask(status, roots)
        kinds = np.zeros(stop - start, np.uint8)
        for bit, mask in enumerate((rebuilt, proved, unproven, failed, lacking & ~failed)):
            kinds |= mask.astype(np.uint8) << np.uint8(bit)
        return snapshots.integers("session", start, stop), kinds

    def _add(self, sessions: Ints, kinds: NDArray[np.uint8], sign: int) -> None:
        if len(sessions):
            self._totals.fit(int(sessions.max()) + 1)
            for bit in range(_KINDS):
                mine = sessions[kinds >> bit & 1 != 0]
                self._totals.add(mine, bit, np.full(len(mine), sign))


def rebuilt_mask(status: Ints) -> NDArray[np.bool_]:
    """Which statuses are of snapshots that were rebuilt."""
    return np.isin(status, REBUILT)


def repeated_mask(status: Ints, cause: Ints) -> NDArray[np.bool_]:
    """Which rows are of messages that repeat, or come too late for, a snapshot with a row of its own. Shape (n,)."""
    found: NDArray[np.bool_] = (status == Status.DUPLICATE) | (np.isin(status, REPEATED) & (cause >= 0))
    return found


def root_statuses(tables: Tables, rows: Ints) -> Ints:
    """Status of the first cause of each snapshot row, its own where it has none. Shape (n,).

    What is incomplete because the capture lost a part is as good as not there: NO_BASE.
    """
    cause = tables.snapshots.take("cause", rows).astype(np.int64)
    causes = np.where(cause >= 0, cause, rows)
    status = tables.snapshots.take("status", causes).astype(np.int64)
    lacking = (status == Status.INCOMPLETE) & (tables.snapshots.take("lost_by", causes) == LostBy.CAPTURE)
    status[lacking] = Status.NO_BASE
    return status


def root_status(tables: Tables, row: int) -> int:
    """`root_statuses` of one."""
    return int(root_statuses(tables, np.array([row], np.int64))[0])


def is_failed(status: int, root: int) -> bool:
    """Did the snapshot fail, with a cause that the capture holds? `root`: its `root_statuses`.

    Where the chain ends at something that the capture does not hold, nobody can tell.
    """
    if status in (Status.NO_BASE, Status.INCOMPLETE):
        return root != Status.NO_BASE
    return status in _FAILED


def failed_mask(status: Ints, roots: Ints) -> NDArray[np.bool_]:
    """`is_failed` of many, shape (n,)."""
    lacking = (status == Status.NO_BASE) | (status == Status.INCOMPLETE)
    found: NDArray[np.bool_] = np.where(lacking, roots != Status.NO_BASE, np.isin(status, list(_FAILED)))
    return found


def _histogram(values: Ints) -> dict[int, int]:
    numbers, counts = np.unique(values, return_counts=True)
    return dict(zip(numbers.tolist(), counts.tolist(), strict=True))


def _codes(tables: Tables, sessions: Ints, status: Ints, code: Ints, names: CodeNames) -> dict[str, dict[str, int]]:
    """Codes are numbered by each protocol for itself, so they are counted by reading first."""
    result: dict[str, dict[str, int]] = {}
    readings = tables.sessions.take("reading", sessions).astype(np.int64)
    groups, counts = np.unique(np.stack([readings, status, code]), axis=1, return_counts=True)
    for (reading, state, number), count in zip(groups.T.tolist(), counts.tolist(), strict=True):
        known = names.get(tables.readings.text("protocol", reading), ())
        name = known[number] if number < len(known) else f"code {number}"
        of_status = result.setdefault(Status(state).word, {})
        of_status[name] = of_status.get(name, 0) + count
    return result
