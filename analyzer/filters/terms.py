"""What no table holds: fields of messages and items. What is asked for, and what answers; the engine has the bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from analyzer.filters.values import Array, Ints

Value = int | float | str | bytes


@dataclass(frozen=True, slots=True)
class MessageTerm:
    """A field of the messages of some names."""

    names: frozenset[str]
    """As in `Tables.names`."""
    field: str
    """Without an index it means all repetitions."""


@dataclass(frozen=True, slots=True)
class ItemTerm:
    """Something of the items of a snapshot, or of what its delta changed."""

    changes: bool
    """Of changes; else of the items of the rebuilt snapshot."""
    name: str
    """Name of the item type."""
    field: str = ""
    """A field of its values; without an index it means all repetitions. Empty: that the item or change is there."""
    part: str = ""
    """Of changes `old`, `new` or `difference` of the field, or the kind of change, or `bits`; of items `owner`; of both
    `id`."""


@dataclass(frozen=True, slots=True)
class ItemValues:
    """The values of a term in some snapshots."""

    owner: Ints
    """For each value the index of its snapshot among those that were asked about, ascending, shape (m,)."""
    id: Ints
    """Id of the item that each is of, shape (m,)."""
    values: Array
    """The values, shape (m,): int64, or places in `table`. Of a term without field or part: 1 for each item."""
    table: Sequence[Value] | None = None
    """Texts that the values stand for; None: they are numbers."""


class MessageSource(Protocol):
    """Reads fields of messages from the packets' bytes."""

    def read(self, term: MessageTerm, messages: Ints) -> tuple[Ints, list[Value]]:
        """The values of a term in rows of `messages`, and the index of the message of each, ascending, shape (m,).

        Messages that cannot be read have the fields before the fault. May raise `Cancelled`.
        """
        ...


class ItemSource(Protocol):
    """Looks into rebuilt snapshots, or their changes."""

    def read(self, terms: Sequence[ItemTerm], snapshots: Ints) -> list[ItemValues]:
        """The values of each term in rows of `snapshots`, which are in ascending order, so that one is mostly the base
        of the next. Where a snapshot cannot be rebuilt, it has no items; a delta without a base still has changes.

        Callers ask about some hundred snapshots at a time, for all terms of a filter at once. May raise `Cancelled`.
        """
        ...
