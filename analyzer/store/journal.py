"""Which published rows were amended, and in which order: what filters, sorts and charts look at again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Amendment:
    """Rows start to stop - 1 of a column may have changed."""

    table: str
    column: str
    start: int
    stop: int


class Journal:
    """Append-only. A reader keeps the number of entries it has seen and asks for those since."""

    def __init__(self) -> None:
        self._entries: list[Amendment] = []

    def __len__(self) -> int:
        return len(self._entries)

    def log(self, table: str, column: str, start: int, stop: int) -> None:
        """Note an amendment. Entries are never joined: a reader may have seen the older one already."""
        self._entries.append(Amendment(table, column, start, stop))

    def since(self, entry: int) -> tuple[Amendment, ...]:
        """Entries from number `entry` on."""
        return tuple(self._entries[entry:])
