"""Where a pcapng file says that frames were lost: counted up in blocks of statistics, or told by the frame behind.

What frames tell is taken to be in the next count of their interface, too: it is not added a second time.
"""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.capture.frames import MAX_LOST, Drop


@dataclass(slots=True)
class _Interface:
    """What was said of one."""

    counted: int = 0
    """By its last block of statistics."""
    counted_at: int = 0
    """Frames read before that."""
    told: int = 0
    """By its frames, in all."""
    told_since: int = 0
    """By its frames behind its last block of statistics."""


class Losses:
    """Of all interfaces of a file, which count from 0 on as in `Source.interfaces`; fed in file order."""

    def __init__(self) -> None:
        self._of: dict[int, _Interface] = {}
        self._drops: list[Drop] = []

    @property
    def total(self) -> int | None:
        """Frames lost over all interfaces; None: the file does not say."""
        if not self._of:
            return None
        return sum(max(one.counted + one.told_since, one.told) for one in self._of.values())

    def count(self, interface: int, frame: int, counted: int) -> None:
        """A block of statistics before frame `frame`: so many of an interface were lost since the capture began."""
        one = self._of.setdefault(interface, _Interface())
        since, lost = one.counted_at, counted - one.counted - one.told_since
        one.counted, one.counted_at, one.told_since = counted, frame, 0
        # A count that falls is one that has begun anew.
        if lost > 0:
            self._add(Drop(since, frame, interface, min(lost, MAX_LOST)))

    def tell(self, interface: int, frame: int, lost: int) -> None:
        """Frame `frame` says that so many, at least one, were lost just before it."""
        one = self._of.setdefault(interface, _Interface())
        one.told += lost
        one.told_since += lost
        self._add(Drop(frame, frame, interface, min(lost, MAX_LOST)))

    def take(self) -> list[Drop]:
        """In file order, what was not taken yet."""
        drops, self._drops = self._drops, []
        return drops

    def _add(self, drop: Drop) -> None:
        before = self._drops[-1] if self._drops else None
        if before is not None and (before.frame, before.interface) == (drop.frame, drop.interface):
            drop = Drop(before.since, drop.frame, drop.interface, min(before.lost + drop.lost, MAX_LOST))
            self._drops.pop()
        self._drops.append(drop)
