"""Which published rows were amended, and in which order: what filters, sorts and charts look at again."""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass

MOST_WAITING = 1024
"""Entries that wait for a reader; of more, those of one column are joined into one."""


@dataclass(frozen=True, slots=True)
class Amendment:
    """Rows start to stop - 1 of a column may have changed."""

    table: str
    column: str
    start: int
    stop: int


class JournalReader:
    """What was logged since it was made, each entry once. It is let go of like anything else."""

    def __init__(self, lock: threading.Lock) -> None:
        """Use `Journal.reader`."""
        self._lock = lock
        self._waiting: list[Amendment] = []

    def __len__(self) -> int:
        """Entries that wait."""
        return len(self._waiting)

    def take(self) -> tuple[Amendment, ...]:
        """What was logged since the last time, oldest first; where that is much, joined by column."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        return tuple(waiting)

    def log(self, amendment: Amendment) -> None:
        """An entry, which the journal hands on."""
        self._waiting.append(amendment)
        if len(self._waiting) > MOST_WAITING:
            self._waiting = _joined(self._waiting)


class Journal:
    """Keeps nothing itself: an entry goes to every reader there is, and waits there until it is taken.

    Whoever keeps what it read of rows makes a reader before it reads the first.
    """

    def __init__(self) -> None:
        self._readers: list[weakref.ref[JournalReader]] = []
        self._lock = threading.Lock()

    def reader(self) -> JournalReader:
        """From now on, for one thread at a time."""
        made = JournalReader(self._lock)
        with self._lock:
            self._readers.append(weakref.ref(made))
        return made

    def log(self, table: str, column: str, start: int, stop: int) -> None:
        """Note an amendment. The values stand in their column already."""
        if not self._readers:
            return
        amendment = Amendment(table, column, start, stop)
        with self._lock:
            readers = [(known, known()) for known in self._readers]
            for _, reader in readers:
                if reader is not None:
                    reader.log(amendment)
            self._readers = [known for known, reader in readers if reader is not None]


def _joined(entries: list[Amendment]) -> list[Amendment]:
    """One entry for each column, in the order in which they came last."""
    found: dict[tuple[str, str], Amendment] = {}
    for entry in entries:
        before = found.pop((entry.table, entry.column), entry)
        start, stop = min(before.start, entry.start), max(before.stop, entry.stop)
        found[entry.table, entry.column] = Amendment(entry.table, entry.column, start, stop)
    return list(found.values())
