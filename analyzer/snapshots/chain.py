"""Any snapshot again from the file: back along its bases to a stored block or a full snapshot, then forward.

A healthy session never sends a full snapshot after the first, so every `CHAIN_LENGTH`th link is stored whole when it is
first rebuilt; a jump to any row then reads at most that many deltas.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

S = TypeVar("S")

CACHED_STATES = 256
"""States kept for the next question, which is mostly about a neighbour."""


class Chain(Generic[S]):
    """Rebuilds the states of snapshot rows. The three functions read tables and file; nothing here knows a protocol."""

    def __init__(
        self,
        base_of: Callable[[int], int],
        stored: Callable[[int], S | None],
        steps: Callable[[Sequence[int], Mapping[int, S]], Sequence[S]],
        cached: int = CACHED_STATES,
    ) -> None:
        """`base_of(row)`: the base's row, -1 for the empty snapshot. `stored(row)`: its state if it is stored whole.

        `steps(rows, known)`: the states of `rows`, ascending and of one session. The base of each is among `known`, or
        an earlier one of the rows, or the empty snapshot. `cached`: states that are kept.
        """
        self._base_of = base_of
        self._stored = stored
        self._steps = steps
        self._cached = cached
        self._cache: OrderedDict[int, S] = OrderedDict()

    def state(self, row: int) -> S:
        """The state of a row that was rebuilt when it was decoded. Whatever `steps` raises passes through."""
        return self.states([row])[0]

    def states(self, rows: Sequence[int]) -> list[S]:
        """The states of rows of one session, in one step."""
        known: dict[int, S] = {}
        links: set[int] = set()
        for row in rows:
            link = row
            while link >= 0 and link not in known and link not in links:
                state = self._known(link)
                if state is not None:
                    known[link] = state
                    break
                links.add(link)
                link = self._base_of(link)
        if links:
            # A base is always above what refers to it.
            ordered = sorted(links)
            for link, state in zip(ordered, self._steps(ordered, known), strict=True):
                known[link] = state
                self._keep(link, state)
        return [known[row] for row in rows]

    def _known(self, row: int) -> S | None:
        cached = self._cache.get(row)
        if cached is not None:
            self._cache.move_to_end(row)
            return cached
        stored = self._stored(row)
        if stored is not None:
            self._keep(row, stored)
        return stored

    def _keep(self, row: int, state: S) -> None:
        self._cache[row] = state
        if len(self._cache) > self._cached:
            self._cache.popitem(last=False)
