"""What became of the snapshots of a capture or a session: statuses, codes, proof, sizes, parts, attribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.snapshots.status import REBUILT, REPEATED, ClientHas, LostBy, Proof, Status
from analyzer.stats.live import Ints, live_mask
from analyzer.stats.sizes import Sizes, sizes
from analyzer.store.columns import CHUNK_ROWS
from analyzer.store.tables import Tables

SIZE_COLUMNS = ("wire_bytes", "delta_bytes", "state_bytes")
_FAILED = frozenset((Status.CRC, Status.MALFORMED, Status.BUG, Status.ERROR))
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


def rebuilt_counts(tables: Tables) -> RebuiltCounts:
    """Counts cheap enough to be told while the capture is decoded."""
    published = len(tables.snapshots)
    counts = np.zeros(5, np.int64)
    # A part at a time: of a capture of hours all would take much memory.
    for start in range(0, published, CHUNK_ROWS):
        counts += _rebuilt_in(tables, start, min(start + CHUNK_ROWS, published))
    return RebuiltCounts(*counts.tolist())


def _rebuilt_in(tables: Tables, start: int, stop: int) -> Ints:
    status = tables.snapshots.integers("status", start, stop)
    live = live_mask(tables, stop, start)
    rebuilt = rebuilt_mask(status) & live
    proved = rebuilt & (tables.snapshots.array("proof", start, stop) != Proof.NONE)
    unproven = rebuilt & (status == Status.OK) & ~proved
    roots = status.copy()
    lacking = (status == Status.NO_BASE) | (status == Status.INCOMPLETE)
    some = np.flatnonzero(lacking)
    roots[some] = root_statuses(tables, some + start)
    failed = failed_mask(status, roots) & live
    unknown = lacking & live & ~failed
    return np.array([np.count_nonzero(mask) for mask in (rebuilt, proved, unproven, failed, unknown)], np.int64)


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
