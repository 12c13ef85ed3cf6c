"""What a person attached to packets of one capture: marks, ignored ones, time references. A bit for each packet.

Packets are rows of the tables, and rows stay for ever: what is attached follows however the list is sorted or limited,
and however its flows are read anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from ui.undo import Step, UndoStack

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Runs = list[tuple[int, int]]
"""First and last packet of each run of neighbours."""
LEAST_ROOM = 1024
MOST_PACKETS = 1 << 26
"""Past that nothing is restored: so many bits are there for what was remembered at most."""
FEW = 32
"""Of a set of bits a list of numbers is smaller when fewer than one in so many is set."""


class Mark(Enum):
    """What can be attached to a packet; values as they are remembered."""

    MARKED = "marked"
    IGNORED = "ignored"
    REFERENCE = "reference"
    """Times may be counted from it."""


class PacketSet:
    """Some packets. Everything but `members` takes a few milliseconds at most with millions of them."""

    def __init__(self) -> None:
        self._bits: Bools = np.zeros(LEAST_ROOM, np.bool_)
        self._count = 0
        self._members: Ints | None = None

    def __len__(self) -> int:
        return self._count

    def __contains__(self, packet: int) -> bool:
        return 0 <= packet < len(self._bits) and bool(self._bits[packet])

    @property
    def members(self) -> Ints:
        """All of them, ascending."""
        # The query thread asks, too.
        found = self._members
        if found is None:
            found = self._members = np.flatnonzero(self._bits)
        return found

    def mask(self, start: int, stop: int) -> Bools:
        """Which of packets start to stop - 1 are among them, shape (stop - start,); not to be written into."""
        if stop <= len(self._bits):
            return self._bits[start:stop]
        found = np.zeros(max(0, stop - start), np.bool_)
        known = self._bits[start:stop]
        found[: len(known)] = known
        return found

    def has(self, packets: NDArray[np.integer]) -> Bools:
        """Which of any packets are among them, shape like `packets`."""
        highest = int(packets.max(initial=-1))
        self._reach(highest + 1)
        found: Bools = self._bits[packets]
        return found

    def last_until(self, packet: int) -> int:
        """The last one that is not behind `packet`, -1 if there is none."""
        place = int(np.searchsorted(self.members, packet, side="right"))
        return int(self.members[place - 1]) if place else -1

    def change(self, mask: Bools, on: bool) -> Bools:
        """Take the packets of a mask in, or out: which really changed, shape as the mask."""
        self._reach(len(mask))
        bits = self._bits[: len(mask)]
        changed = mask & ~bits if on else mask & bits
        bits ^= changed
        count = int(np.count_nonzero(changed))
        self._count += count if on else -count
        self._members = None
        return changed

    def runs(self) -> Runs:
        """Runs of neighbours, ascending."""
        return runs_of(self._bits)

    @property
    def run_count(self) -> int:
        """How many those are; much cheaper than all of them."""
        return len(_edges(self._bits)) // 2

    def _reach(self, stop: int) -> None:
        if stop > len(self._bits):
            more = np.zeros(max(stop, 2 * len(self._bits)), np.bool_)
            more[: len(self._bits)] = self._bits
            self._bits = more


NO_PACKETS = PacketSet()


@dataclass(frozen=True)
class Change:
    """Packets of which something changed."""

    kind: Mark
    mask: Bools

    @cached_property
    def count(self) -> int:
        """How many."""
        return int(np.count_nonzero(self.mask))


class Marks(QObject):
    """Marks, ignored packets and references of one capture."""

    changed = Signal(object)
    """A `Change`."""

    def __init__(self, undo: UndoStack, parent: QObject | None = None) -> None:
        """`undo`: learns of what a person changes."""
        super().__init__(parent)
        self._undo = undo
        self._sets = {kind: PacketSet() for kind in Mark}

    def of(self, kind: Mark) -> PacketSet:
        """The packets with something attached. Not to be changed but by `put`."""
        return self._sets[kind]

    def put(self, kind: Mark, mask: Bools, on: bool, text: str) -> int:
        """Attach something to the packets of a mask, or take it off: how many changed. `text`: what was done."""
        changed = self._change(kind, mask, on)
        count = int(np.count_nonzero(changed))
        if count:
            packed = _Packed(changed, count)
            self._undo.push(
                Step(
                    text,
                    lambda: self._change(kind, packed.mask(), not on),
                    lambda: self._change(kind, packed.mask(), on),
                )
            )
        return count

    def restore(self, kind: Mark, runs: Runs) -> None:
        """Attach what was remembered; nothing that a person could take back."""
        if runs:
            mask = np.zeros(runs[-1][1] + 1, np.bool_)
            for first, last in runs:
                mask[first : last + 1] = True
            self._change(kind, mask, True)

    def cut(self, count: int) -> None:
        """There are no more packets than so many, and will be none."""
        for kind, found in self._sets.items():
            if len(found) and found.members[-1] >= count:
                mask = np.zeros(int(found.members[-1]) + 1, np.bool_)
                mask[count:] = True
                self._change(kind, mask, False)

    def _change(self, kind: Mark, mask: Bools, on: bool) -> Bools:
        changed = self._sets[kind].change(mask, on)
        if changed.any():
            self.changed.emit(Change(kind, changed))
        return changed


class _Packed:
    """A mask in less room."""

    def __init__(self, mask: Bools, count: int) -> None:
        self._length = len(mask)
        few = count * FEW < len(mask)
        self._members = np.flatnonzero(mask) if few else None
        self._bits = None if few else np.packbits(mask)

    def mask(self) -> Bools:
        if self._bits is not None:
            return np.unpackbits(self._bits, count=self._length).view(np.bool_)
        found = np.zeros(self._length, np.bool_)
        found[self._members] = True
        return found


def runs_of(bits: Bools) -> Runs:
    """Runs of neighbours that are set, ascending."""
    edges = _edges(bits)
    return list(zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True))


def _edges(bits: Bools) -> Ints:
    """Where a run begins, and where one has ended, in turn."""
    if not len(bits):
        return np.empty(0, np.int64)
    inside = np.flatnonzero(bits[1:] != bits[:-1]) + 1
    return np.concatenate([[0] * bool(bits[0]), inside, [len(bits)] * bool(bits[-1])]).astype(np.int64)


def read_runs(stored: object) -> Runs:
    """Runs as they were remembered; anything that is none is left out."""
    found: Runs = []
    for entry in stored if isinstance(stored, Sequence) and not isinstance(stored, str) else ():
        match entry:
            case [int(first), int(last)] if (found[-1][1] if found else -1) < first <= last < MOST_PACKETS:
                found.append((first, last))
    return found
