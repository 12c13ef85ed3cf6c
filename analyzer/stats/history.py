"""The snapshots of one session in their order: where a person looks, and what was there by then."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.snapshots import failed_mask, root_statuses
from analyzer.store.tables import Tables


@dataclass(frozen=True, slots=True)
class History:
    """A session's snapshots in the order of the packets that decided them, arrays of shape (n,), not to be written."""

    rows: NDArray[np.int32]
    """Ascending."""
    packets: NDArray[np.int32]
    """Ascending."""
    ticks: NDArray[np.int32]
    base_ticks: NDArray[np.int32]

    def at(self, packet: int) -> int:
        """Index of the newest snapshot when `packet` was captured, -1 if there was none. A packet of -1 is the end."""
        if packet < 0:
            return len(self.rows) - 1
        # A number of another width would have all of the array copied.
        return int(np.searchsorted(self.packets, np.int32(packet), side="right")) - 1

    def newest(self, packet: int, snapshot: int) -> int:
        """Index of row `snapshot`, if it is one of these; else what `at` says.

        A snapshot is decided by a later packet than its own parts came in, where a part is missing.
        """
        found = int(np.searchsorted(self.rows, np.int32(snapshot)))
        is_here = found < len(self.rows) and self.rows[found] == snapshot
        return found if is_here else self.at(packet)

    def first_failed(self, tables: Tables) -> int:
        """Row of the first snapshot that failed, of the last one if none did."""
        rows = self.rows.astype(np.int64)
        status = tables.snapshots.take("status", rows).astype(np.int64)
        failed = np.flatnonzero(failed_mask(status, root_statuses(tables, rows)))
        return int(self.rows[failed[0] if len(failed) else -1])
