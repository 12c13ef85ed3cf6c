"""What rules want to know of the items of snapshots, whatever the protocol: filled in by the protocol, in bulk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Seen:
    """Something about an item that a rule speaks of."""

    state: int
    """Index of the snapshot among those looked at."""
    rule: str
    what: int
    """The same thing in other snapshots has the same number."""
    text: str


@dataclass(frozen=True, slots=True)
class ItemSight:
    """The items of some snapshots of one session, in their order."""

    starts: Ints
    """Shape (n + 1,): where the items of each begin in `keys`, and the end."""
    keys: Ints
    """(type << 16) | id, in the order of the snapshot."""
    lasting: Mask
    """Which of `keys` live longer than one snapshot, as far as anybody knows."""
    own_missing: Mask
    """Shape (n,): the receiving player plays, but the snapshot has no character of that player."""
    highest_id: Ints
    """Shape (n,): the highest id that was taken from a pool; -1: none was."""
    seen: tuple[Seen, ...]
