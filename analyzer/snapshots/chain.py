"""Any snapshot again from the file: back along its bases to a stored block or a full snapshot, then forward.

A healthy session never sends a full snapshot after the first, so every `CHAIN_LENGTH`th link is stored whole when it is
first rebuilt; a jump to any row then reads at most that many deltas.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
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
        steps: Callable[[Sequence[int], S | None], Sequence[S]],
    ) -> None:
        """`base_of(row)`: the base's row, -1 for the empty snapshot. `stored(row)`: its state if it is stored whole.

        `steps(rows, base)`: the states of `rows`, each the base of the next, from that of the first one's base; None
        for the empty one.
        """
        self._base_of = base_of
        self._stored = stored
        self._steps = steps
        self._cache: OrderedDict[int, S] = OrderedDict()

    def state(self, row: int) -> S:
        """The state of a row that was rebuilt when it was decoded. Whatever `steps` raises passes through."""
        links = []
        state: S | None = None
        link = row
        while link >= 0:
            state = self._known(link)
            if state is not None:
                break
            links.append(link)
            link = self._base_of(link)
        if links:
            links.reverse()
            states = self._steps(links, state)
            for link, state in zip(links, states, strict=True):
                self._keep(link, state)
        assert state is not None
        return state

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
        if len(self._cache) > CACHED_STATES:
            self._cache.popitem(last=False)
