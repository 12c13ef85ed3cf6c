"""Values of items and changes of many snapshots at once, from their ints: what filters ask of a whole capture.

Says what `plain_items.ItemReader` says, to which it leaves whatever ints alone do not tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.capture.frames import CaptureError
from analyzer.engine.plain_items import ItemReader
from analyzer.engine.query import Query
from analyzer.filters.terms import ItemTerm, ItemValues, Value
from analyzer.filters.value_tests import Bools
from analyzer.filters.values import Array, Ints
from analyzer.protocols.base import ItemPlaces, ItemTable
from analyzer.snapshots.status import REBUILT
from analyzer.store.tables import Tables
from analyzer.wire.errors import DecodeError

PLAIN_PARTS = ("owner", "bits")
"""Parts of a term that no ints hold."""
MAX_IDS = 1 << 16
_NONE: Ints = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Values of a term in some of the snapshots."""

    owner: Ints
    id: Ints
    values: Array
    table: Sequence[Value] | None = None


class BulkItemReader:
    """Looks into snapshots, those of a session together. For the thread that the query is for."""

    def __init__(self, tables: Tables, query: Query) -> None:
        self._tables = tables
        self._states = query.states
        self._plain = ItemReader(query)

    def read(self, terms: Sequence[ItemTerm], snapshots: Ints) -> list[ItemValues]:
        """The values of each term in rows of `snapshots`, ascending."""
        found: list[list[_Piece]] = [[] for _ in terms]
        sessions = self._tables.snapshots.take("session", snapshots)
        for session in np.unique(sessions).tolist():
            own = np.flatnonzero(sessions == session)
            plain: dict[int, Ints] = {}
            for number, term in enumerate(terms):
                piece, left = self._of_session(term, snapshots, own)
                found[number].append(piece)
                if len(left):
                    plain[number] = left
            self._add_plainly(terms, plain, snapshots, found)
        return [_together(pieces) for pieces in found]

    def _of_session(self, term: ItemTerm, snapshots: Ints, own: Ints) -> tuple[_Piece, Ints]:
        """Values in snapshots of one session, `own` among all, and which of them have to be looked at one by one."""
        places = self._states.item_places(int(snapshots[own[0]]), term.name, term.field, changes=term.changes)
        if not places or term.part in PLAIN_PARTS:
            return _NOTHING, own
        try:
            told = self._are_told(snapshots[own]) if term.changes else self._are_rebuilt(snapshots[own])
            piece = self._in_bulk(term, places, snapshots, own[told])
        except (DecodeError, CaptureError):
            # Of one that cannot be read again; the others can.
            return _NOTHING, own
        return piece, own[~told] if term.changes else _NONE

    def _add_plainly(
        self, terms: Sequence[ItemTerm], which: Mapping[int, Ints], snapshots: Ints, found: Sequence[list[_Piece]]
    ) -> None:
        """Look at the snapshots that are left of each term, those of the same snapshots in one go."""
        together: dict[bytes, list[int]] = {}
        for number, left in which.items():
            together.setdefault(left.tobytes(), []).append(number)
        for numbers in together.values():
            left = which[numbers[0]]
            values = self._plain.read([terms[number] for number in numbers], snapshots[left])
            for number, read in zip(numbers, values, strict=True):
                found[number].append(_Piece(left[read.owner], read.id, read.values, read.table))

    def _are_rebuilt(self, rows: Ints) -> Bools:
        return np.isin(self._tables.snapshots.take("status", rows), REBUILT)

    def _are_told(self, rows: Ints) -> Bools:
        """Of which snapshots base and state tell all that the delta did: nothing was sent that changed nothing."""
        # Names are those after the delta, of what it removed those before; of the empty snapshot nothing is removed.
        columns = self._tables.snapshots
        base = columns.take("base", rows).astype(np.int64)
        has_base = columns.take("base_tick", rows).astype(np.int64) < 0
        has_base[base >= 0] = self._are_rebuilt(base[base >= 0])
        deleted, updated, added, changed, removed = (
            columns.take(name, rows).astype(np.int64) for name in ("deleted", "updated", "added", "changed", "removed")
        )
        told: Bools = self._are_rebuilt(rows) & has_base & (deleted == removed) & (updated == added + changed)
        asked = told & (base >= 0)
        told[asked] = self._states.are_named_alike(base[asked].tolist(), rows[asked].tolist())
        return told

    def _in_bulk(self, term: ItemTerm, places: Sequence[ItemPlaces], snapshots: Ints, which: Ints) -> _Piece:
        rows = snapshots[which].tolist()
        if not rows:
            return _Piece(_NONE, _NONE, _NONE)
        if not term.changes:
            pieces = [_of_items(term, place.ints, self._states.item_table(rows, place.name)) for place in places]
            owner, ids, values = (np.concatenate([piece[at] for piece in pieces]) for at in range(3))
        else:
            bases = self._tables.snapshots.take("base", snapshots[which]).tolist()
            new, old = (
                _stacked([self._states.item_table(some, place.name) for place in places]) for some in (rows, bases)
            )
            owner, ids, values = _of_changes(term, places[0].ints, old, new)
        return _Piece(which[owner], ids, values)


_NOTHING = _Piece(_NONE, _NONE, _NONE)
Found = tuple[Ints, Ints, Ints]
"""Index of the snapshot, id of the item, and value."""


def _of_items(term: ItemTerm, ints: Sequence[int], table: ItemTable) -> Found:
    if not term.field:
        return table.state, table.id, table.id if term.part == "id" else np.ones(len(table.id), np.int64)
    return _picked(ints, table, np.ones(len(table.id), np.bool_), table.values)


def _picked(ints: Sequence[int], table: ItemTable, wanted: Bools, values: NDArray[np.integer[Any]]) -> Found:
    """The ints of wanted items that have them, with the values of another array of that shape."""
    pieces: list[Found] = [(_NONE, _NONE, _NONE)]
    for at in ints:
        if at < values.shape[1]:
            rows = np.flatnonzero(wanted & (table.size > at))
            pieces.append((table.state[rows], table.id[rows], values[rows, at].astype(np.int64)))
    owner, ids, found = (np.concatenate([piece[at] for piece in pieces]) for at in range(3))
    return owner, ids, found


def _stacked(tables: Sequence[ItemTable]) -> ItemTable:
    """Items of several names as one table, ordered by state and id."""
    width = max(table.values.shape[1] for table in tables)
    state, ids, size = (np.concatenate([getattr(table, name) for table in tables]) for name in ("state", "id", "size"))
    values = np.zeros((len(ids), width), np.int64)
    start = 0
    for table in tables:
        values[start : start + len(table.id), : table.values.shape[1]] = table.values
        start += len(table.id)
    order = np.argsort(state * MAX_IDS + ids, kind="stable")
    return ItemTable(state[order], ids[order], size[order], values[order])


def _of_changes(term: ItemTerm, ints: Sequence[int], old: ItemTable, new: ItemTable) -> Found:
    """What differs between two tables of the same snapshots: those before, and those after."""
    olds, news = old.state * MAX_IDS + old.id, new.state * MAX_IDS + new.id
    stays, kept = np.isin(news, olds, assume_unique=True), np.isin(olds, news, assume_unique=True)
    width = max(old.values.shape[1], new.values.shape[1])
    before, after = np.zeros((len(news), width), np.int64), np.zeros((len(news), width), np.int64)
    after[:, : new.values.shape[1]] = new.values
    before[stays, : old.values.shape[1]] = old.values[kept]
    differs = stays & (before != after).any(axis=1)
    if not term.field:
        return _counted(term, old, new, {"removed": ~kept}, {"added": ~stays, "changed": differs})
    if term.part == "new":
        pieces = [_picked(ints, new, ~stays, after), _moved(ints, new, differs, before, after, after)]
    elif term.part == "old":
        pieces = [_picked(ints, old, ~kept, old.values), _moved(ints, new, differs, before, after, before)]
    else:
        difference = (after - before + (1 << 31)) % (1 << 32) - (1 << 31)
        pieces = [_moved(ints, new, ~stays | differs, np.zeros_like(difference), difference, difference)]
    owner, ids, values = (np.concatenate([piece[at] for piece in pieces]) for at in range(3))
    return owner, ids, values


def _moved(ints: Sequence[int], table: ItemTable, wanted: Bools, before: Ints, after: Ints, values: Ints) -> Found:
    """As `_picked`, of ints that differ."""
    pieces = [
        _picked([at], table, wanted & (before[:, at] != after[:, at]), values) for at in ints if at < values.shape[1]
    ]
    pieces.append((_NONE, _NONE, _NONE))
    owner, ids, found = (np.concatenate([piece[at] for piece in pieces]) for at in range(3))
    return owner, ids, found


def _counted(
    term: ItemTerm, old: ItemTable, new: ItemTable, of_old: dict[str, Bools], of_new: dict[str, Bools]
) -> Found:
    """One value for each change of the kind that the term is about, or of any kind."""
    pieces: list[Found] = [(_NONE, _NONE, _NONE)]
    for table, kinds in ((old, of_old), (new, of_new)):
        for kind, mask in kinds.items():
            if term.part in ("", "id", kind):
                ids = table.id[mask]
                pieces.append((table.state[mask], ids, ids if term.part == "id" else np.ones(len(ids), np.int64)))
    owner, ids, values = (np.concatenate([piece[at] for piece in pieces]) for at in range(3))
    return owner, ids, values


def _together(pieces: Sequence[_Piece]) -> ItemValues:
    """Pieces as one, in the order of the snapshots."""
    owner = np.concatenate([_NONE, *(piece.owner for piece in pieces)])
    ids = np.concatenate([_NONE, *(piece.id for piece in pieces)])
    order = np.argsort(owner, kind="stable")
    if all(piece.table is None for piece in pieces):
        values = np.concatenate([_NONE, *(piece.values.astype(np.int64) for piece in pieces)])
        return ItemValues(owner[order], ids[order], values[order])
    table: list[Value] = []
    for piece in pieces:
        numbers = piece.values.tolist()
        table += numbers if piece.table is None else [piece.table[number] for number in numbers]
    return ItemValues(owner[order], ids[order], order, table)
