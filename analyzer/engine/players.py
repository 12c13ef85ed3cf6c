"""Names of players by client id, looked up in a snapshot when a field first asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from analyzer.snapshots.model import Item
from analyzer.snapshots.status import REBUILT
from analyzer.store.tables import Tables


class Players(Mapping[int, str]):
    """Few packets name a player: to rebuild a snapshot for each would be in vain."""

    def __init__(self, items: Callable[[], Iterable[Item]]) -> None:
        """`items`: those of the snapshot whose names count."""
        self._items = items
        self._names: dict[int, str] | None = None

    def __getitem__(self, client: int) -> str:
        return self._known()[client]

    def __iter__(self) -> Iterator[int]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())

    def _known(self) -> dict[int, str]:
        if self._names is None:
            self._names = {item.id: item.owner for item in self._items() if item.owner}
        return self._names


def last_rebuilt(tables: Tables, packet: int) -> int:
    """The newest rebuilt snapshot of the packet's session that was there when the packet came; -1 if there is none."""
    session = tables.packets.integer("session", packet)
    if session < 0:
        return -1
    snapshots = tables.snapshots
    own = np.flatnonzero(snapshots.array("session") == session)
    before = own[snapshots.take("packet", own).astype(np.int64) <= packet]
    rows = before[np.isin(snapshots.take("status", before), [int(status) for status in REBUILT])]
    return int(rows[-1]) if len(rows) else -1
