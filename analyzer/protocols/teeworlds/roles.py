"""Which messages a reading has to act on, by their numbers in each protocol version. Spec sections 8, 14 and 17.

What messages are called and consist of, the schema says; these are the few that change what a flow is read as.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from analyzer.protocols.teeworlds.messages import SNAP, SNAPEMPTY, SNAPSINGLE


class Role(IntEnum):
    """What a message does."""

    NONE = -1
    SNAPEMPTY = SNAPEMPTY
    SNAPSINGLE = SNAPSINGLE
    SNAP = SNAP
    """Those three are kinds of snapshot messages as well."""
    INPUT = 3
    """The client acknowledges a snapshot."""
    MAP_CHANGE = 4
    """The server begins an epoch, if it is vital."""
    ENTERGAME = 5
    """The client begins one, if it is vital."""
    OWN_NAME = 6
    """The client says who it is."""
    CLIENT_INFO = 7
    """The server says who a client is. These two are the last."""

    @property
    def is_snap(self) -> bool:
        """Is it a snapshot message?"""
        return 0 <= self <= SNAP


@dataclass(frozen=True, slots=True)
class Roles:
    """The roles of numbered messages."""

    server: Mapping[tuple[bool, int], Role]
    """(system, number) -> role, of what the server sends."""
    client: Mapping[tuple[bool, int], Role]
    info: int
    """The client's first system message that is not named by a UUID."""

    def of(self, system: bool, number: int, *, from_server: bool) -> Role:
        """Role of a message."""
        return (self.server if from_server else self.client).get((system, number), Role.NONE)

    def number(self, role: Role) -> int:
        """Number of the message that has a role."""
        return next(number for of in (self.server, self.client) for (_, number), known in of.items() if known is role)


ROLES_06 = Roles(
    server={
        (True, 2): Role.MAP_CHANGE,
        (True, 5): Role.SNAP,
        (True, 6): Role.SNAPEMPTY,
        (True, 7): Role.SNAPSINGLE,
    },
    client={
        (True, 15): Role.ENTERGAME,
        (True, 16): Role.INPUT,
        (False, 20): Role.OWN_NAME,
        (False, 21): Role.OWN_NAME,
    },
    info=1,
)
ROLES_07 = Roles(
    server={
        (True, 2): Role.MAP_CHANGE,
        (True, 6): Role.SNAP,
        (True, 7): Role.SNAPEMPTY,
        (True, 8): Role.SNAPSINGLE,
        (False, 18): Role.CLIENT_INFO,
    },
    client={
        (True, 19): Role.ENTERGAME,
        (True, 20): Role.INPUT,
        (False, 27): Role.OWN_NAME,
    },
    info=1,
)
