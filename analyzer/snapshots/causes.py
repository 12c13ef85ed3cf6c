"""Causes of failures: a chain of failures always names the first one (spec section 17.7)."""

from __future__ import annotations

from dataclasses import dataclass, field

from analyzer.snapshots.status import LostBy

MAX_WAITING = 4096
"""Rows that follow one cause; real traffic has a few per tick of the retention."""


@dataclass(slots=True, eq=False)
class Cause:
    """The root of a chain of failures. Its row may not exist yet: an incomplete snapshot can still complete."""

    local: int = -1
    lost_by: LostBy = LostBy.UNKNOWN
    waiting: list[int] = field(default_factory=list)
    """Rows that name this cause and follow it while it can change."""
    settled: bool = False
    """Nothing more will be learned about it."""

    def wait(self, local: int) -> None:
        """A further row names this cause."""
        if not self.settled and len(self.waiting) < MAX_WAITING:
            self.waiting.append(local)

    def settle(self) -> None:
        """The cause is final: nobody needs to follow it any more."""
        self.settled = True
        self.waiting.clear()
