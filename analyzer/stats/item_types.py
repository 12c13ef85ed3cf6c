"""Which item types were sent most, in a capture and in each session."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from analyzer.stats.live import live_sessions
from analyzer.store.tables import Tables


@dataclass(frozen=True, slots=True)
class ItemType:
    """What one type of item cost in the snapshots that were rebuilt."""

    name: str
    updates: int
    """Times an item of the type was sent."""
    values: int
    """Ints sent with them."""


def item_types_by_session(tables: Tables) -> dict[int, list[ItemType]]:
    """The types of every live session (by row), most values first."""
    found: dict[int, list[ItemType]] = {row: [] for row in live_sessions(tables).tolist()}
    types = tables.types
    columns = (types.array(name).tolist() for name in ("session", "name", "updates", "values"))
    for session, name, updates, values in zip(*columns, strict=True):
        if session in found:
            found[session].append(ItemType(name, updates, values))
    return {session: _ordered(entries) for session, entries in found.items()}


def all_item_types(sessions: Iterable[list[ItemType]]) -> list[ItemType]:
    """The sum over sessions, most values first. Types are the same where their names are."""
    sums: dict[str, tuple[int, int]] = {}
    for entries in sessions:
        for entry in entries:
            updates, values = sums.get(entry.name, (0, 0))
            sums[entry.name] = updates + entry.updates, values + entry.values
    return _ordered([ItemType(name, updates, values) for name, (updates, values) in sums.items()])


def _ordered(entries: list[ItemType]) -> list[ItemType]:
    return sorted(entries, key=lambda entry: (-entry.values, -entry.updates, entry.name))
