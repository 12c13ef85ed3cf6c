"""Where rules are applied: each source follows a table as it grows and is amended, and keeps the hits of its rules.

What was found does not depend on how many rows came at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from analyzer.expert.rule import NO_HITS, ROW, Hits, Ints, Mask, MessageRule, Rule, RunRule, SessionRule, Values
from analyzer.expert.views import MessageRows, SessionRows, Sessions, SnapshotRows, TableRows
from analyzer.stats.groups import stable_order
from analyzer.store.journal import Amendment
from analyzer.store.tables import Tables

R = TypeVar("R", bound=TableRows)
Ends: TypeAlias = Mapping[str, int]
"""Table -> rows of it that are looked at."""
AT_ONCE = 1 << 17
"""Rows that are looked at together: bounds memory meanwhile."""
_MOST_COUNTED = 1 << 20
_BEHIND = 1 << 40
RESENT = 4
"""Bit of messages.flags."""


class Source(ABC):
    """Some rules and what they found."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = {rule.name: rule for rule in rules}
        self.hits: dict[str, Hits] = dict.fromkeys(self.rules, NO_HITS)
        """By rule, ascending by ROW."""
        self._fresh: dict[str, list[Hits]] = {}

    @abstractmethod
    def update(self, amended: Sequence[Amendment], ends: Ends, values: Mapping[str, Values]) -> bool:
        """Take in new and amended rows, with the thresholds of each rule. False: nothing was found or let go of.

        `ends`: rows of each table that are looked at; others may be published meanwhile.
        """

    @abstractmethod
    def begin(self, names: Collection[str], values: Mapping[str, Values]) -> None:
        """The thresholds of some rules are others: find anew what they find in all rows known."""

    def _add(self, name: str, found: Hits) -> None:
        if len(found):
            self._fresh.setdefault(name, []).append(found)

    def _drop(self, name: str, gone: Callable[[Ints], Mask]) -> bool:
        """Let go of hits by their rows."""
        known = self.hits[name]
        away = gone(known[:, ROW].astype(np.int64)) if len(known) else np.zeros(0, np.bool_)
        if not away.any():
            return False
        self.hits[name] = known[~away]
        return True

    def _settle(self) -> bool:
        """Put what was found in its place."""
        for name, found in self._fresh.items():
            every = np.concatenate((self.hits[name], *found))
            if len(every) > 1 and (np.diff(every[:, ROW]) < 0).any():
                every = every[np.argsort(every[:, ROW], kind="stable")]
            self.hits[name] = every
        changed = bool(self._fresh)
        self._fresh = {}
        return changed


class RowSource(Source, Generic[R]):
    """Rules that judge every row by itself."""

    def __init__(
        self,
        finders: Mapping[str, tuple[Rule, Callable[[R, Values], Hits]]],
        rows_of: Callable[[Ints], R],
        table: str,
        columns: Collection[str],
    ) -> None:
        """`columns`: those by which an amended row of `table` is judged anew."""
        super().__init__(rule for rule, _ in finders.values())
        self._finders = {name: find for name, (_, find) in finders.items()}
        self._rows_of, self._table, self._columns = rows_of, table, columns
        self._known = 0

    def update(self, amended: Sequence[Amendment], ends: Ends, values: Mapping[str, Values]) -> bool:
        """Judge what is new, and what was amended."""
        changed = False
        for start, stop in stretches(amended, self._table, self._columns, self._known):
            for name in self.rules:
                changed |= self._drop(name, lambda rows, a=start, b=stop: (rows >= a) & (rows < b))  # type: ignore[misc]
            self._judge(start, stop, self.rules, values)
        published = ends[self._table]
        self._judge(self._known, published, self.rules, values)
        self._known = published
        return self._settle() or changed

    def begin(self, names: Collection[str], values: Mapping[str, Values]) -> None:
        """Judge anew."""
        mine = [name for name in names if name in self.rules]
        for name in mine:
            self.hits[name] = NO_HITS
        self._judge(0, self._known, mine, values)
        self._settle()

    def _judge(self, start: int, stop: int, names: Collection[str], values: Mapping[str, Values]) -> None:
        if not names:
            return
        for first in range(start, stop, AT_ONCE):
            rows = self._rows_of(np.arange(first, min(first + AT_ONCE, stop)))
            for name in names:
                self._add(name, self._finders[name](rows, values[name]))


class RunSource(Source, Generic[R]):
    """Rules that judge what follows on each other in a group of rows."""

    def __init__(
        self,
        finders: Mapping[str, tuple[Rule, Callable[[R, Values], tuple[Hits, Mask]]]],
        rows_of: Callable[[Ints], R],
        chosen: Callable[[int, int], R],
        groups: Callable[[R], Ints],
        table: str,
    ) -> None:
        """`chosen`: which of the rows from one to another the rules are about. `groups`: a number for each row."""
        super().__init__(rule for rule, _ in finders.values())
        self._finders = {name: find for name, (_, find) in finders.items()}
        self._rows_of, self._chosen, self._groups, self._table = rows_of, chosen, groups, table
        self._known = 0
        self._kept: dict[int, Ints] = {}
        """By group: rows that are looked at again with the next, as one of the rules needs it."""
        self._from: dict[str, dict[int, int]] = {name: {} for name in self.rules}
        """By rule and group: the first of them that the rule needs."""

    def update(self, amended: Sequence[Amendment], ends: Ends, values: Mapping[str, Values]) -> bool:
        """Judge what is new, with what it goes on from."""
        published = ends[self._table]
        changed = self._judge_all(self._known, published, values)
        self._known = published
        return self._settle() or changed

    def begin(self, names: Collection[str], values: Mapping[str, Values]) -> None:
        """Judge anew."""
        if names & self.rules.keys():
            self.hits = dict.fromkeys(self.rules, NO_HITS)
            self._kept, self._from = {}, {name: {} for name in self.rules}
            self._judge_all(0, self._known, values)
            self._settle()

    def _judge_all(self, start: int, stop: int, values: Mapping[str, Values]) -> bool:
        changed = False
        for first in range(start, stop, AT_ONCE):
            rows = self._chosen(first, min(first + AT_ONCE, stop))
            if len(rows):
                changed |= self._judge(rows, values)
        return changed

    def _judge(self, rows: R, values: Mapping[str, Values]) -> bool:
        groups = self._groups(rows)
        busy = _distinct(groups)
        before = [self._kept.pop(group) for group in busy.tolist() if group in self._kept]
        again = np.empty(0, np.int64)
        if before:
            again = np.sort(np.concatenate(before))
            rows = rows.after(self._rows_of(again))
            groups = self._groups(rows)
        order = stable_order(groups)
        rows, groups = rows.part(order), groups[order]
        edges = np.flatnonzero(np.diff(groups, prepend=-1))
        keeps = np.zeros(len(rows), np.bool_)
        changed = False
        for name, find in self._finders.items():
            known = self._from[name]
            begins = np.repeat([known.get(group, 0) for group in busy.tolist()], np.diff(edges, append=len(rows)))
            counts = rows.rows >= begins
            found, keep = find(rows, values[name])
            if before:
                self._settle()
                anew = rows.rows[counts & (rows.rows <= again[-1])]
                changed |= self._drop(name, lambda known, anew=anew: np.isin(known, anew))  # type: ignore[misc]
                # What begins before is known already, and is seen here only in part.
                found = found[~np.isin(found[:, ROW], rows.rows[~counts])]
            self._add(name, found)
            keeps |= keep
            first = np.minimum.reduceat(np.where(keep, rows.rows, _BEHIND), edges).tolist()
            known.update(zip(busy.tolist(), first, strict=True))
        kept = rows.rows[keeps]
        numbers = np.cumsum(np.diff(groups, prepend=groups[0]) != 0)[keeps]
        parts = np.split(kept, np.searchsorted(numbers, np.arange(1, len(busy))))
        self._kept.update(zip(busy.tolist(), parts, strict=True))
        return changed


def _distinct(groups: Ints) -> Ints:
    """Each number once, ascending."""
    if int(groups.max()) > _MOST_COUNTED:
        return np.unique(groups)
    return np.flatnonzero(np.bincount(groups))


class SessionSource(Source):
    """Rules about all sessions together."""

    def __init__(self, rules: Iterable[SessionRule], tables: Tables, sessions: Sessions) -> None:
        self._mine = tuple(rules)
        super().__init__(self._mine)
        self._tables, self._sessions = tables, sessions
        self._known = 0

    def update(self, amended: Sequence[Amendment], ends: Ends, values: Mapping[str, Values]) -> bool:
        """Judge all, where one is new or other than before."""
        published = ends["sessions"]
        columns = ("generation",)
        if published == self._known and not stretches(amended, "sessions", columns, published):
            return False
        self._known = published
        before = self.hits
        self.begin(self.rules, values)
        return any(not np.array_equal(before[name], found) for name, found in self.hits.items())

    def begin(self, names: Collection[str], values: Mapping[str, Values]) -> None:
        """Judge anew."""
        rows = SessionRows(self._tables, self._sessions, np.arange(self._known))
        self.hits = dict(self.hits)
        for rule in self._mine:
            if rule.name in names and self._known:
                self.hits[rule.name] = NO_HITS
                self._add(rule.name, rule.find(rows, values[rule.name]))
        self._settle()


def stretches(amended: Sequence[Amendment], table: str, columns: Collection[str], known: int) -> list[tuple[int, int]]:
    """Rows below `known` of which one of `columns` was amended, as stretches that do not overlap."""
    found = sorted(
        (one.start, min(one.stop, known))
        for one in amended
        if one.table == table and one.column in columns and one.start < known
    )
    joined: list[tuple[int, int]] = []
    for start, stop in found:
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], stop)
        else:
            joined.append((start, stop))
    return joined


def run_source(rules: Iterable[RunRule], tables: Tables, sessions: Sessions) -> RunSource[SnapshotRows]:
    """Snapshots that repeat no other, by session."""

    def chosen(start: int, stop: int) -> SnapshotRows:
        rows = SnapshotRows(tables, sessions, np.arange(start, stop))
        return rows.part((rows["parts"] > 0) & ~rows.repeated)

    return RunSource(
        {rule.name: (rule, rule.find) for rule in rules},
        lambda rows: SnapshotRows(tables, sessions, rows),
        chosen,
        lambda rows: rows["session"],
        "snapshots",
    )


def message_source(rules: Iterable[MessageRule], tables: Tables, sessions: Sessions) -> RunSource[MessageRows]:
    """Messages that were sent again, by reading and direction."""

    def chosen(start: int, stop: int) -> MessageRows:
        resent = np.flatnonzero(tables.messages.integers("flags", start, stop) & RESENT)
        return MessageRows(tables, sessions, resent.astype(np.int64) + start)

    return RunSource(
        {rule.name: (rule, rule.find) for rule in rules},
        lambda rows: MessageRows(tables, sessions, rows),
        chosen,
        lambda rows: rows.group,
        "messages",
    )
