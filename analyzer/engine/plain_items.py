"""Values of items and changes, snapshot by snapshot, as a person sees them: what filters ask of them, defined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from analyzer.capture.frames import CaptureError
from analyzer.engine.query import Query
from analyzer.filters.terms import ItemTerm, ItemValues, Value
from analyzer.filters.values import Ints
from analyzer.snapshots.layouts import is_named
from analyzer.snapshots.model import Change, FieldChange, Item, ItemField
from analyzer.wire.errors import DecodeError


class ItemReader:
    """Looks into snapshots one by one, as a person would. Plain: whatever is faster has to say the same."""

    def __init__(self, query: Query) -> None:
        self._query = query

    def read(self, terms: Sequence[ItemTerm], snapshots: Ints) -> list[ItemValues]:
        """The values of each term in rows of `snapshots`."""
        found: list[_Found] = [_Found() for _ in terms]
        for index, snapshot in enumerate(snapshots.tolist()):
            for changes in {term.changes for term in terms}:
                things = self._changes(snapshot) if changes else self._items(snapshot)
                for term, values in zip(terms, found, strict=True):
                    if term.changes is changes:
                        values.add(index, things, term)
        return [values.made() for values in found]

    def _items(self, snapshot: int) -> Sequence[Item]:
        try:
            return self._query.items(snapshot)
        except (DecodeError, CaptureError):
            return ()

    def _changes(self, snapshot: int) -> Sequence[Change]:
        try:
            return self._query.changes(snapshot)
        except (DecodeError, CaptureError):
            return ()


class _Found:
    """The values of one term so far."""

    def __init__(self) -> None:
        self._owner: list[int] = []
        self._id: list[int] = []
        self._values: list[Value] = []

    def add(self, index: int, things: Sequence[Item] | Sequence[Change], term: ItemTerm) -> None:
        """What a snapshot has of the term."""
        for thing in things:
            if is_of_type(thing.name, term.name):
                for value in _of_change(thing, term) if isinstance(thing, Change) else _of_item(thing, term):
                    self._owner.append(index)
                    self._id.append(thing.id)
                    self._values.append(value)

    def made(self) -> ItemValues:
        """All of them."""
        owner, ids = np.array(self._owner, np.int64), np.array(self._id, np.int64)
        if all(isinstance(value, int) for value in self._values):
            return ItemValues(owner, ids, np.array(self._values, np.int64))
        return ItemValues(owner, ids, np.arange(len(self._values)), self._values)


def is_of_type(own: str, wanted: str) -> bool:
    """Is an item of a type? One that stands for another is of both: `Projectile (DDRaceProjectile)`."""
    return own == wanted or (own.endswith(")") and wanted in own[:-1].split(" ("))


def _of_item(item: Item, term: ItemTerm) -> Iterator[Value]:
    if term.field:
        for field in item.fields:
            if is_named(field.name, term.field) and field.values:
                yield _field_value(field)
    elif term.part == "owner":
        if item.owner:
            yield item.owner
    else:
        yield item.id if term.part == "id" else 1


def _field_value(field: ItemField) -> Value:
    """The number, or of what takes several the text that it reads as."""
    if len(field.values) == 1:
        return field.values[0]
    first, last = field.text.find('"'), field.text.rfind('"')
    return field.text[first + 1 : last] if 0 <= first < last else field.text


def _of_change(change: Change, term: ItemTerm) -> Iterator[Value]:
    if term.field:
        yield from _of_fields(change.fields, term)
    elif term.part in ("id", "bits"):
        yield change.id if term.part == "id" else change.bits
    elif not term.part or change.kind == term.part:
        yield 1


_PARTS: dict[str, Callable[[FieldChange], int | None]] = {
    "new": lambda field: field.new if field.old != field.new else None,
    "old": lambda field: field.old if field.old != field.new else None,
    "difference": lambda field: field.difference or None,
}


def _of_fields(fields: Iterable[FieldChange], term: ItemTerm) -> Iterator[Value]:
    for field in fields:
        if is_named(field.name, term.field):
            value = _PARTS[term.part](field)
            if value is not None:
                yield value
