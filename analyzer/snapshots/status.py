"""How a snapshot ended, whether the client had it, and who lost what is missing: one set of words for all protocols."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Status(IntEnum):
    """How a snapshot ended (design section 4)."""

    OK = 0
    CRC = 1
    INCOMPLETE = 2
    NO_BASE = 3
    MALFORMED = 4
    LATE = 5
    DUPLICATE = 6
    BUG = 7
    PARTIAL = 8
    ERROR = 9

    @property
    def word(self) -> str:
        """The status as it is written in records and filters."""
        return self.name.lower().replace("_", "-")


REBUILT = (Status.OK, Status.CRC, Status.PARTIAL)
"""Statuses of snapshots whose items are known."""
REPEATED = (Status.LATE, Status.DUPLICATE)
"""Statuses of rows about a tick that has a row of its own: their `cause` is that row, -1 where it is forgotten."""


class ClientHas(IntEnum):
    """Did the client have the snapshot (spec section 17.4)."""

    NEVER = 0
    LATER = 1
    """Not acknowledged, but a later one was."""
    ACKED = 2

    @property
    def word(self) -> str:
        """As written in records and filters."""
        return self.name.lower()


class LostBy(IntEnum):
    """Who lost what is missing. Nobody while nothing is missing; unknown where the capture cannot tell."""

    NOBODY = 0
    CAPTURE = 1
    NETWORK = 2
    GAME = 3
    UNKNOWN = 4
    LIMIT = 5
    """Our own bound on memory."""

    @property
    def word(self) -> str:
        """As written in records and filters."""
        return self.name.lower()


class Proof(IntEnum):
    """What proves a rebuilt snapshot."""

    NONE = 0
    OWN = 1
    """Its own checksum is right."""
    BASE = 2
    """Unchanged on a proved base."""


def is_judged(status: Status, parts: int) -> bool:
    """Are acknowledgements compared with a snapshot row? Not where it repeats, or was not read."""
    return parts > 0 and status not in REPEATED and status is not Status.BUG


@dataclass(frozen=True, slots=True)
class Code:
    """One report code of a protocol: its short name, the status it belongs to, and the sentence for a person.

    `text` may use {detail}, {detail2} and {base_tick}, which the snapshot's row fills in; then `general` is what it
    says of all snapshots with the code.
    """

    name: str
    status: Status
    text: str
    general: str = ""
    rule: str = ""
    """The expert rule that it stands for; empty: it is nothing wrong, or follows from what another snapshot is."""
    severity: int = 0
    """Of findings that the code stands for: 1 note, 2 warning, 3 error; 0: what the rule says."""
    missing: bool = False
    """Something is missing. Where the capture says that it lost packets there, {detail} is how many."""

    @property
    def legend(self) -> str:
        """What the code means, without the numbers of one snapshot; empty if nothing says it without them."""
        return self.general or ("" if "{" in self.text else self.text)
