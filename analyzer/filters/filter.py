"""A filter: what its text means for the rows of a capture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analyzer.filters.chosen import ChosenScope
from analyzer.filters.fields import FieldInfo
from analyzer.filters.nodes import Comparison, Joined, Needs, Node, Not
from analyzer.filters.on_demand import Asked, Progress
from analyzer.filters.value_tests import Bools
from analyzer.filters.values import Ints
from analyzer.filters.view import PacketScope, Scope, SnapshotScope, View

AT_ONCE = 1 << 18
"""Rows, which bounds the memory that it takes, and keeps most of it near the processor."""
AT_ONCE_ON_DEMAND = 1 << 14
"""The same where values have to be read."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Of one text, for any capture. Made by `parse`; it never changes."""

    text: str
    node: Node

    @property
    def needs(self) -> Needs:
        """What evaluating it may have to read: columns alone, the bytes of packets, or items."""
        return self.node.needs

    @property
    def needs_items(self) -> bool:
        """It looks into items of snapshots, or their changes."""
        return self.needs is Needs.ITEMS

    @property
    def fields(self) -> tuple[FieldInfo, ...]:
        """The fields in it, each once, in the order of the text."""
        return tuple(dict.fromkeys(one.field for one in comparisons(self.node)))

    def packets(self, view: View, first: int, stop: int, progress: Progress | None = None) -> Bools:
        """Which of the packets first to stop - 1 it is true of, shape (stop - first,).

        `progress` gets the share that is done; Cancelled is raised where it says no. Raises NotAtHandError.
        """
        found = np.zeros(stop - first, np.bool_)
        for start, mask in self.scan(view, first, stop, progress):
            found[start - first : start - first + len(mask)] = mask
        return found

    def chosen(self, view: View, packets: Ints, progress: Progress | None = None) -> Bools:
        """The same of any packets, ascending and each once, shape (n,)."""
        return self._of(ChosenScope(view, packets), progress)

    def scan(self, view: View, first: int, stop: int, progress: Progress | None = None) -> Iterator[tuple[int, Bools]]:
        """The same in stretches of packets as they are known: the first packet of each, and the mask of the stretch."""
        step = AT_ONCE if self.needs is Needs.COLUMNS else AT_ONCE_ON_DEMAND
        for start in range(first, stop, step):
            end = min(start + step, stop)
            yield (
                start,
                self._of(PacketScope(view, start, end), _part(progress, start - first, end - first, stop - first)),
            )

    def snapshots(self, view: View, rows: Ints, progress: Progress | None = None) -> Bools:
        """Which of some rows of `snapshots` it is true of, shape (n,): each by itself, with its session and the packet
        that ended it. Rows of a reading that was replaced never match."""
        found = np.zeros(len(rows), np.bool_)
        step = AT_ONCE if self.needs is Needs.COLUMNS else AT_ONCE_ON_DEMAND
        for start in range(0, len(rows), step):
            scope = SnapshotScope(view, rows[start : start + step])
            mask = self._of(scope, _part(progress, start, start + scope.rows, len(rows)))
            alive = np.zeros(scope.rows, np.bool_)
            alive[scope.snapshots.owner] = True
            found[start : start + step] = mask & alive
        return found

    def _of(self, scope: Scope, progress: Progress | None) -> Bools:
        items = [one.field.item for one in comparisons(self.node) if one.field.item is not None]
        return self.node.true_of(scope, Asked(items, progress), np.ones(scope.rows, np.bool_))


def comparisons(node: Node) -> Iterator[Comparison]:
    """All comparisons in a tree, in the order of the text."""
    if isinstance(node, Comparison):
        yield node
    elif isinstance(node, Not):
        yield from comparisons(node.inner)
    elif isinstance(node, Joined):
        for part in node.parts:
            yield from comparisons(part)


def _part(progress: Progress | None, start: int, stop: int, of: int) -> Progress | None:
    """The progress of a stretch as part of the whole."""
    if progress is None:
        return None
    return lambda share: progress((start + share * (stop - start)) / of)
