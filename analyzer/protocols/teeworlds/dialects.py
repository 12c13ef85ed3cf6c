"""The dialects this program reads, as the differences between them. Spec sections 2 and 3."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.protocols.teeworlds.mods import Base, in_use
from analyzer.protocols.teeworlds.roles import ROLES_06, ROLES_07, Roles
from analyzer.protocols.teeworlds.schema import DEFAULT_SCHEMA, SEVEN_SCHEMA, Schema
from analyzer.transports.teeworlds_packet import HEADER, PLAIN, SEVEN, TAIL, Variant


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one dialect frames packets, and what it calls messages and items."""

    variant: Variant
    version: int
    """`ver` of the snapshot records: 6 or 7."""
    title: str
    roles: Roles = ROLES_06
    base: Base = (DEFAULT_SCHEMA, "0.6")
    """Its own schema, and its family."""
    names_in_snapshots: bool = True
    """Names of clients are in items; else in messages alone."""

    @property
    def name(self) -> str:
        """As in the tables."""
        return self.variant.name

    @property
    def schema(self) -> Schema:
        """Its items and messages, with what mods add to them."""
        return in_use().schema(self.base)


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect(PLAIN, 6, "Teeworlds 0.6 without token"),
        Dialect(TAIL, 6, "DDNet with token", base=(DEFAULT_SCHEMA, "ddnet")),
        Dialect(HEADER, 6, "Teeworlds 0.6.5 with token"),
        Dialect(SEVEN, 7, "Teeworlds 0.7", ROLES_07, (SEVEN_SCHEMA, "0.7"), names_in_snapshots=False),
    )
}
