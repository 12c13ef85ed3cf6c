"""Columns of many rows at once: what lies in a stretch is read as a whole, which is faster than row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from analyzer.filters.value_tests import Bools
from analyzer.filters.values import Array, Ints, Values
from analyzer.filters.view import Scope, View
from analyzer.store.columns import Table

Read = Callable[[Scope], Values]
"""Reads the values of a field over some rows."""
NUMBERS = 256
"""More than any protocol has of kinds or codes: they are bytes in the tables."""


def frame_values(table: Table, column: str, frames: Array) -> Array:
    """A column of some frames; mostly every frame is a packet in its order."""
    rows = np.asarray(frames)
    if len(rows) and int(rows[-1]) - int(rows[0]) == len(rows) - 1 and bool((np.diff(rows) == 1).all()):
        return table.array(column, int(rows[0]), int(rows[-1]) + 1)
    return taken(table, column, rows.astype(np.int64))


def taken(table: Table, column: str, rows: Ints) -> Array:
    """The column's values of any rows; of many out of a stretch, that is read as a whole, which is faster."""
    low, high = (int(rows.min()), int(rows.max()) + 1) if len(rows) else (0, 0)
    if high - low > 4 * len(rows) + 1024:
        return table.take(column, rows)
    return table.array(column, low, high)[rows - low]


def word_table(view: View, protocols: Sequence[str], words: str) -> tuple[list[str], Bools]:
    """The words for all numbers of all protocols, one protocol after the other, and which of them are not empty."""
    table: list[str] = []
    for protocol in protocols:
        known: Sequence[str] = getattr(view.words(protocol), words)
        table += [*known[:NUMBERS], *[""] * (NUMBERS - len(known))]
    return table, np.fromiter(map(bool, table), np.bool_, len(table))
