"""Where groups and findings stand in the list: heads in their order, below each what is open. Knows no Qt."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from analyzer.expert.rule import ROW, Severity
from ui.models.finding_groups import Group, Key
from ui.models.finding_text import mark_of

HEAD = -1
"""In place of the offset of a finding: the head of its group."""
MOST_OPEN = 50
"""A group of errors with no more findings is open from the beginning."""

Name = tuple[str, int]
"""Of a finding: rule and row."""


class FindingRows:
    """A head is shown with its findings below it while it is open; those of a client with groups of its own."""

    def __init__(self) -> None:
        self.groups: list[Group] = []
        self._opened: dict[Key, bool] = {}
        """Groups that were shown, or that a person opened or closed."""
        self._tops: list[int] = []
        """Rows of the heads that are shown."""
        self._shown: list[int] = []
        """The groups in them."""
        self.count = 0

    def forget(self) -> None:
        """Nobody has opened or closed anything."""
        self._opened.clear()

    def replace(self, groups: Sequence[Group]) -> None:
        """Show these."""
        for group in groups:
            self._meet(group)
        self.groups = list(groups)
        self._lay()

    def put(self, number: int, group: Group, old: int) -> range:
        """Show a group there, in place of the same with `old` findings; -1: it is new. Which rows are more then."""
        self._meet(group)
        self.groups = [*self.groups[:number], group, *self.groups[number + (old >= 0) :]]
        self._lay()
        top, is_open = self.row_of(number, HEAD), self.is_open(group)
        if top < 0:
            return range(0)
        stop = top + 1 + (len(group.hits) if is_open else 0)
        if old < 0:
            return range(top, stop)
        return range(top + 1 + old, stop) if is_open else range(0)

    def take_back(self, groups: list[Group]) -> None:
        """As it was before `put`."""
        self.groups = groups
        self._lay()

    def is_open(self, group: Group) -> bool:
        """Is what is below it shown?"""
        return self._opened.get(group.key, False)

    def set_open(self, number: int, opened: bool) -> None:
        """Show what is below a group, or do not."""
        self._opened[self.groups[number].key] = opened
        self._lay()

    def place(self, row: int) -> tuple[int, int]:
        """Group and offset of what stands in a row."""
        at = bisect_right(self._tops, row) - 1
        return self._shown[at], row - self._tops[at] - 1

    def row_of(self, number: int, offset: int) -> int:
        """The row of a finding, or of the head of a group; -1 if it is not shown."""
        at = bisect_right(self._shown, number) - 1
        if at < 0 or self._shown[at] != number:
            return -1
        top = self._tops[at]
        if offset == HEAD:
            return top
        return top + 1 + offset if self.is_open(self.groups[number]) else -1

    def parent(self, number: int) -> int:
        """The group around another; -1: none is."""
        if self.groups[number].depth == 0:
            return -1
        return next(above for above in range(number - 1, -1, -1) if self.groups[above].depth == 0)

    def below(self, number: int) -> int:
        """Rows below a head while it is open."""
        group = self.groups[number]
        below = len(group.hits)
        for inner in self.groups[number + 1 :]:
            if inner.depth <= group.depth:
                break
            below += 1 + (len(inner.hits) if self.is_open(inner) else 0)
        return below

    def beside(self, row: int, step: int) -> tuple[int, int] | None:
        """Group and offset of the next finding in the list (1) or of the one before (-1), whether groups are open or
        not. Row -1: of the first, or of the last."""
        groups = self.groups
        if not groups:
            return None
        start = (0, HEAD) if step > 0 else (len(groups) - 1, len(groups[-1].hits))
        number, offset = self.place(row) if row >= 0 else start
        offset += step
        while 0 <= number < len(groups) and not 0 <= offset < len(groups[number].hits):
            number += step
            offset = 0 if step > 0 or not 0 <= number < len(groups) else len(groups[number].hits) - 1
        return (number, offset) if 0 <= number < len(groups) else None

    def name_at(self, row: int) -> tuple[Key, Name | None]:
        """What stands in a row, whatever row it is later: group, and rule and row of the finding."""
        number, offset = self.place(row)
        group = self.groups[number]
        return group.key, None if offset == HEAD else mark_of(group, offset)

    def row_named(self, name: tuple[Key, Name | None]) -> int:
        """Where that stands now; where the finding is gone or hidden, its head; -1: nowhere."""
        key, mark = name
        number = next((number for number, group in enumerate(self.groups) if group.key == key), -1)
        if number < 0:
            return -1
        if mark is not None:
            places = np.flatnonzero(self.groups[number].hits[:, ROW] == mark[1])
            if len(places) and self.row_of(number, int(places[0])) >= 0:
                return self.row_of(number, int(places[0]))
        return self.row_of(number, HEAD)

    def _meet(self, group: Group) -> None:
        """A group is shown for the first time."""
        few = group.count <= MOST_OPEN
        self._opened.setdefault(group.key, group.severity is Severity.ERROR and few)

    def _lay(self) -> None:
        """Say where the heads are."""
        self._tops, self._shown, row, hidden = [], [], 0, False
        for number, group in enumerate(self.groups):
            hidden = hidden and group.depth > 0
            if hidden:
                continue
            self._tops.append(row)
            self._shown.append(number)
            is_open = self.is_open(group)
            row += 1 + (len(group.hits) if is_open else 0)
            hidden = group.depth == 0 and group.rule is None and not is_open
        self.count = row


def grown(before: Sequence[Group], now: Sequence[Group]) -> list[tuple[int, int]] | None:
    """Numbers of the groups that are new (-1) or have more findings than before (so many); None: others are gone,
    or moved."""
    changed, at = [], 0
    for number, group in enumerate(now):
        if at < len(before) and before[at].key == group.key:
            old, at = before[at].hits, at + 1
            if len(old) > len(group.hits) or not np.array_equal(old[:, ROW], group.hits[: len(old), ROW]):
                return None
            if len(old) != len(group.hits):
                changed.append((number, len(old)))
        else:
            changed.append((number, -1))
    return changed if at == len(before) else None
