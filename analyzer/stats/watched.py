"""Which rows of a short table are not what they were when they were looked at last."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.stats.live import Ints
from analyzer.store.columns import Table


class Watched:
    """Some columns of a table that has a row for each session or flow: all of it is compared each time."""

    def __init__(self, table: Table, columns: tuple[str, ...]) -> None:
        self._table = table
        self._seen: dict[str, NDArray[np.generic]] = {name: table.array(name, 0, 0) for name in columns}

    def changed(self) -> Ints:
        """Rows that are new or otherwise than the last time, ascending."""
        rows = len(self._table)
        changed = np.ones(rows, np.bool_)
        known = len(next(iter(self._seen.values())))
        changed[:known] = False
        for name, before in self._seen.items():
            now = self._table.array(name, 0, rows)
            changed[:known] |= now[:known] != before
            self._seen[name] = now
        return np.flatnonzero(changed)
