"""Any snapshot again from the file: back along its bases to a stored block or a full snapshot, then forward.

A healthy session never sends a full snapshot after the first, so every `CHAIN_LENGTH`th link is stored whole when it is
first rebuilt; a jump to any row then reads at most that many deltas.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

S = TypeVar("S")

CHAIN_LENGTH = 64
"""Deltas between two stored blocks."""
BLOCK_SHARE = 16
"""Bytes of blocks for each byte sent. Real traffic needs less than 1; a few bytes can repeat a snapshot of 64 KB."""
MESSAGE_BYTES = 8
"""What a snapshot without a delta counts as sent."""
MAX_DEPTH = 32767
"""Depths beyond it share this number: the column has 16 bits."""
CACHED_STATES = 256
"""States kept for the next question, which is mostly about a neighbour."""


class BlockBudget:
    """Says which links are stored whole. Blocks are paid for with the bytes that were sent.

    So memory stays linear in the capture; where a block cannot be paid for, the chain grows and a jump takes longer.
    """

    def __init__(self) -> None:
        self._credit = 0

    def stores(self, depth: int, delta_bytes: int, state_bytes: int) -> bool:
        """Is a rebuilt snapshot, `depth` deltas from a stored block or a full snapshot, to be stored whole?"""
        self._credit += BLOCK_SHARE * (MESSAGE_BYTES + delta_bytes)
        if depth < CHAIN_LENGTH or state_bytes > self._credit:
            return False
        self._credit -= state_bytes
        return True


class Chain(Generic[S]):
    """Rebuilds the states of snapshot rows. The three functions read tables and file; nothing here knows a protocol."""

    def __init__(
        self,
        base_of: Callable[[int], int],
        stored: Callable[[int], S | None],
        step: Callable[[int, S | None], S],
    ) -> None:
        """`base_of(row)`: the base's row, -1 for the empty snapshot. `stored(row)`: its state if it is stored whole.

        `step(row, base)`: the state of `row` from that of its base, None for the empty one.
        """
        self._base_of = base_of
        self._stored = stored
        self._step = step
        self._cache: OrderedDict[int, S] = OrderedDict()

    def state(self, row: int) -> S:
        """The state of a row that was rebuilt when it was decoded. Whatever `step` raises passes through."""
        links = []
        state: S | None = None
        link = row
        while link >= 0:
            state = self._known(link)
            if state is not None:
                break
            links.append(link)
            link = self._base_of(link)
        for link in reversed(links):
            state = self._step(link, state)
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
