"""The values of a field over some rows, and what functions make of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analyzer.filters.value_tests import Bools, Test, text_of

Ints = NDArray[np.int64]
Array = NDArray[np.generic]

EXACT = 1 << 53
"""Whole numbers below it are exact as floating point."""


@dataclass(frozen=True, slots=True)
class Values:
    """Values of the rows of a scope; a row may have none or several."""

    values: Array
    """Shape (m,): numbers, or where there is a `table`, places in it; (k, m) without `owner` where each row has k."""
    table: Sequence[object] | None = None
    """What the numbers stand for: each value that occurs, once or more."""
    owner: Ints | None = None
    """The row of each value, shape (m,); None: value i is of row i."""
    there: Bools | None = None
    """Without `owner`: which rows have their value, shape (m,); None: all."""
    group: Ints | None = None
    """What each value is counted under, shape (m,); None: its row."""
    group_owner: Ints | None = None
    """The row of each such group, also of those without values, shape (groups,)."""

    def only_there(self) -> Values:
        """The same with an `owner`, so that every value counts."""
        if self.owner is not None:
            return self
        if self.values.ndim > 1:
            each, rows = self.values.shape
            return replace(self, values=self.values.ravel(), owner=np.tile(np.arange(rows), each))
        owner = np.arange(len(self.values)) if self.there is None else np.flatnonzero(self.there)
        values = self.values if self.there is None else self.values[self.there]
        return replace(self, values=values, owner=owner, there=None)


def fits(values: Values, test: Test) -> Bools:
    """Of which values a test is true, shape like they."""
    if values.table is None:
        return test.many(values.values)
    known = np.fromiter((test.one(value) for value in values.table), np.bool_, len(values.table))
    return known[values.values.astype(np.intp, copy=False)] if len(known) else np.zeros(values.values.shape, np.bool_)


def any_of(values: Values, mask: Bools, rows: int) -> Bools:
    """Which of so many rows have a value that `mask`, shape like the values, is true of."""
    if mask.ndim > 1:
        return np.asarray(np.logical_or.reduce(mask))
    if values.owner is None:
        return mask if values.there is None else mask & values.there
    found = np.zeros(rows, np.bool_)
    found[values.owner[mask]] = True
    return found


def present(values: Values, rows: int) -> Bools:
    """Which of so many rows have a value."""
    if values.owner is None:
        return np.ones(rows, np.bool_) if values.there is None else values.there
    return any_of(values, np.ones(values.values.shape, np.bool_), rows)


def counted(values: Values, rows: int) -> Values:
    """How many values each group has; of rows, where there are no groups."""
    values = values.only_there()
    owner = np.arange(rows) if values.group_owner is None else values.group_owner
    where = values.owner if values.group is None else values.group
    assert where is not None
    return Values(np.bincount(where, minlength=len(owner)), owner=owner)


def summed(values: Values, rows: int) -> Values:
    """The values of each group added up; of groups that have some."""
    values = values.only_there()
    owner = np.arange(rows) if values.group_owner is None else values.group_owner
    where = values.owner if values.group is None else values.group
    assert where is not None
    numbers, kept = _numbers(values)
    if kept is not None:
        numbers, where = numbers[kept], where[kept]
    largest = max(abs(int(numbers.max())), abs(int(numbers.min()))) if len(numbers) and numbers.dtype.kind == "i" else 0
    if largest and largest * len(numbers) < EXACT:
        sums: Array = np.bincount(where, weights=numbers, minlength=len(owner)).astype(np.int64)
    else:
        sums = np.zeros(len(owner), numbers.dtype)
        np.add.at(sums, where, numbers)
    have = np.bincount(where, minlength=len(owner)) > 0
    return Values(sums[have], owner=owner[have])


def _numbers(values: Values) -> tuple[Array, Bools | None]:
    """Values as numbers, and which of them are some; None: all."""
    if values.table is None:
        wide = values.values.astype(np.float64 if values.values.dtype.kind == "f" else np.int64)
        return wide, None
    of_table = [value if isinstance(value, int | float) else 0 for value in values.table]
    kept = np.fromiter((isinstance(value, int | float) for value in values.table), np.bool_, len(of_table))
    places = values.values.astype(np.intp)
    return np.array(of_table, dtype=np.int64 if all(isinstance(one, int) for one in of_table) else np.float64)[
        places
    ], kept[places]


def absolute(values: Values) -> Values:
    """Without their signs."""
    if values.table is not None:
        return replace(
            values, table=[abs(value) if isinstance(value, int | float) else value for value in values.table]
        )
    wide = values.values.astype(np.float64 if values.values.dtype.kind == "f" else np.int64)
    return replace(values, values=np.abs(wide))


def lengths(values: Values) -> Values:
    """Characters of texts, or bytes."""
    if values.table is None:
        # Numbers alone, or nothing at all.
        return replace(values, values=np.zeros(values.values.shape, np.int64))
    sizes = [len(value) if isinstance(value, bytes) else len(text_of(value)) for value in values.table]
    return replace(values, table=sizes)


def masked(values: Values, mask: int) -> Values:
    """Some bits of numbers."""
    if values.table is None:
        return replace(values, values=values.values.astype(np.int64) & mask)
    return replace(values, table=[value & mask if isinstance(value, int) else value for value in values.table])
