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


@dataclass(frozen=True, slots=True)
class Code:
    """One report code of a protocol: its short name, the status it belongs to, and the sentence for a person.

    `text` may use {detail}, {detail2} and {base_tick}, which the snapshot's row fills in.
    """

    name: str
    status: Status
    text: str
