"""What the overview strip draws of each snapshot: a bar with a kind, the age of its baseline, its size and parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from analyzer.snapshots.status import REPEATED, Status
from analyzer.stats.live import Ints, packet_times
from analyzer.stats.moments import sent_bases, standing_packets
from analyzer.stats.snapshots import failed_mask, rebuilt_mask, root_statuses
from analyzer.store.tables import Tables

NO_AGE = -1
_MOST_AGE = (1 << 31) - 2


class Kind(IntEnum):
    """What a bar means, the worst last: where several fall on one pixel, the greatest shows."""

    NONE = 0
    """No snapshot."""
    FINE = 1
    """Rebuilt from a baseline."""
    FIRST = 2
    """Rebuilt from nothing, the first of its session: it has nothing that it could be based on."""
    UNKNOWN = 3
    """What it needs lies before the capture, or was lost by it: nobody can tell what it was."""
    FULL = 4
    """Rebuilt from nothing, though not the first."""
    OLD = 5
    """`FINE`, but its baseline is older than a limit. Never stored: the limit may change at any time."""
    FAILED = 6
    """Wrong, incomplete, or based on such a one: the cause is in the capture."""

    @property
    def word(self) -> str:
        """As it is written in records."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Bars:
    """Snapshots that draw a bar, arrays of shape (n,)."""

    rows: NDArray[np.int32]
    """Of `snapshots`."""
    session: Ints
    time_ns: Ints
    """From the first frame, as charts have it (moments.py)."""
    kind: NDArray[np.uint8]
    """`Kind`: `FULL` also of the first of a session; never `OLD`."""
    age_us: NDArray[np.int32]
    """Of those that are `FINE`: age of the baseline, rounded up to whole microseconds, so that it is older than a limit
    in microseconds exactly if this number is greater. `NO_AGE` of others, and where the baseline is not there."""
    size: NDArray[np.uint32]
    """Bytes of UDP payload of the datagrams that carried it."""
    parts: NDArray[np.uint8]
    """Announced."""

    def __len__(self) -> int:
        return len(self.rows)

    def part(self, which: Ints | NDArray[np.bool_] | slice) -> Bars:
        """Some of them."""
        return Bars(
            self.rows[which],
            self.session[which],
            self.time_ns[which],
            self.kind[which],
            self.age_us[which],
            self.size[which],
            self.parts[which],
        )

    @staticmethod
    def together(several: Sequence[Bars]) -> Bars:
        """All bars of several, one after the other."""
        if not several:
            return NO_BARS
        return Bars(
            np.concatenate([bars.rows for bars in several]),
            np.concatenate([bars.session for bars in several]),
            np.concatenate([bars.time_ns for bars in several]),
            np.concatenate([bars.kind for bars in several]),
            np.concatenate([bars.age_us for bars in several]),
            np.concatenate([bars.size for bars in several]),
            np.concatenate([bars.parts for bars in several]),
        )


NO_BARS = Bars(
    np.empty(0, np.int32),
    np.empty(0, np.int64),
    np.empty(0, np.int64),
    np.empty(0, np.uint8),
    np.empty(0, np.int32),
    np.empty(0, np.uint32),
    np.empty(0, np.uint8),
)


def bars_of(tables: Tables, rows: Ints) -> Bars:
    """The bars of snapshot rows, shape (n,) and ascending; late parts and duplicates, which draw none, are left out."""
    status = tables.snapshots.take("status", rows).astype(np.int64)
    drawn = ~np.isin(status, REPEATED)
    rows, status = rows[drawn], status[drawn]

    def column(name: str) -> Ints:
        return tables.snapshots.take(name, rows).astype(np.int64)

    base_tick = column("base_tick")
    times = packet_times(tables, standing_packets(tables, column, status))
    kind = np.full(len(rows), Kind.UNKNOWN, np.uint8)
    rebuilt = rebuilt_mask(status)
    kind[rebuilt] = np.where(base_tick[rebuilt] < 0, Kind.FULL, Kind.FINE)
    kind[_failed(tables, rows, status)] = Kind.FAILED
    fine = kind == Kind.FINE
    return Bars(
        rows=rows.astype(np.int32),
        session=column("session"),
        time_ns=times - (tables.frames.integer("time_ns", 0) if len(rows) else 0),
        kind=kind,
        age_us=_ages(tables, np.where(fine, column("base"), -1), times),
        size=column("wire_bytes").astype(np.uint32),
        parts=column("parts").astype(np.uint8),
    )


def _failed(tables: Tables, rows: Ints, status: Ints) -> NDArray[np.bool_]:
    """Which rows failed with a cause in the capture; the cause matters only of what lacks something."""
    roots = status.copy()
    lacking = np.flatnonzero((status == Status.NO_BASE) | (status == Status.INCOMPLETE))
    if len(lacking):
        roots[lacking] = root_statuses(tables, rows[lacking])
    return failed_mask(status, roots)


def _ages(tables: Tables, bases: Ints, times: Ints) -> NDArray[np.int32]:
    packets = sent_bases(tables, bases)
    known = packets >= 0
    ages = np.full(len(bases), NO_AGE, np.int32)
    nanoseconds = times[known] - packet_times(tables, packets[known])
    ages[known] = np.clip(-(-nanoseconds // 1000), 0, _MOST_AGE)
    return ages
