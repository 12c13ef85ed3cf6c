"""Values that no table holds, read for the rows that a filter still has to know about."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from analyzer.filters.errors import Cancelled
from analyzer.filters.terms import ItemTerm, ItemValues, MessageTerm
from analyzer.filters.value_tests import Bools
from analyzer.filters.values import Ints, Values
from analyzer.filters.view import Scope
from analyzer.snapshots.status import REBUILT

Progress = Callable[[float], bool]
"""Gets the share that is done, 0 to 1; false cancels."""
MESSAGES_AT_ONCE = 2048
SNAPSHOTS_AT_ONCE = 1024
"""Between two looks at whether the answer is still wanted."""


class NotAtHandError(Exception):
    """A filter needs bytes or items, and the view has nothing that reads them: ask one that has."""


class Asked:
    """One evaluation: what was read so far, and who wants to know how far it is."""

    def __init__(self, items: Sequence[ItemTerm] = (), progress: Progress | None = None) -> None:
        """`items`: every term of the filter, as what is read for one is at hand for the others."""
        self._terms = tuple(dict.fromkeys(items))
        self._progress = progress
        self._snapshots: Ints = np.empty(0, np.int64)
        """Rows that were read, ascending."""
        self._found: dict[ItemTerm, list[tuple[Ints, ItemValues]]] = {term: [] for term in self._terms}
        """Pieces: the rows that were asked about, and their values."""

    def of_messages(self, scope: Scope, term: MessageTerm, wanted: Bools) -> Values:
        """The values of a field in the messages of the `wanted` rows."""
        source = scope.view.messages
        if source is None:
            raise NotAtHandError("this filter needs the bytes of packets")
        carried, names = scope.messages, scope.view.tables.names
        known = np.array([names[number] in term.names for number in range(len(names))], np.bool_)
        chosen = np.flatnonzero(known[carried.column("name").astype(np.int64)] & wanted[carried.owner])
        rows = carried.numbers[chosen]
        owners, values = [np.empty(0, np.int64)], list[object]()
        for start in range(0, len(rows), MESSAGES_AT_ONCE):
            self._look(start, len(rows))
            of, found = source.read(term, rows[start : start + MESSAGES_AT_ONCE])
            owners.append(carried.owner[chosen[start + of]])
            values += found
        return Values(np.arange(len(values)), values, owner=np.concatenate(owners))

    def of_items(self, scope: Scope, term: ItemTerm, wanted: Bools) -> Values:
        """The values of a term in the snapshots of the `wanted` rows, grouped by snapshot."""
        carried = scope.snapshots
        pairs = np.flatnonzero(wanted[carried.owner])
        snapshots, owners = carried.numbers[pairs], carried.owner[pairs]
        self._read_items(scope, np.unique(snapshots))
        of, values, table = self._collected(term)
        # Values by their snapshot's row, ascending; a snapshot that several rows have is taken for each.
        begin, end = np.searchsorted(of, snapshots, "left"), np.searchsorted(of, snapshots, "right")
        counts = end - begin
        places = np.arange(counts.sum()) + np.repeat(begin - (np.cumsum(counts) - counts), counts)
        known = np.isin(scope.view.tables.snapshots.take("status", snapshots), REBUILT)
        if term.changes:
            known |= counts > 0
        number = np.cumsum(known) - 1
        group = np.repeat(number, counts)
        return Values(values[places], table, np.repeat(owners, counts), group=group, group_owner=owners[known])

    def _read_items(self, scope: Scope, rows: Ints) -> None:
        source = scope.view.items
        if source is None:
            raise NotAtHandError("this filter needs the items of snapshots")
        new = np.setdiff1d(rows, self._snapshots, assume_unique=True)
        for start in range(0, len(new), SNAPSHOTS_AT_ONCE):
            self._look(start, len(new))
            some = new[start : start + SNAPSHOTS_AT_ONCE]
            for term, values in zip(self._terms, source.read(self._terms, some), strict=True):
                self._found[term].append((some, values))
        self._snapshots = np.union1d(self._snapshots, new)

    def _collected(self, term: ItemTerm) -> tuple[Ints, Ints, list[object] | None]:
        """Row of the snapshot of each value, ascending, the values, and the table they are places in, if any."""
        rows, values = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        table: list[object] = []
        has_table = False
        for asked, found in self._found[term]:
            rows.append(asked[found.owner])
            numbers = found.values.astype(np.int64)
            if found.table is not None:
                has_table = True
                numbers = numbers + len(table)
                table += found.table
            values.append(numbers)
        of, all_values = np.concatenate(rows), np.concatenate(values)
        order = np.argsort(of, kind="stable")
        return of[order], all_values[order], table if has_table else None

    def _look(self, done: int, of: int) -> None:
        if self._progress is not None and not self._progress(done / of):
            raise Cancelled
