"""The dialects this program reads, as the differences between them. Spec sections 2 and 3."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.protocols.teeworlds.schema import Schema, default_schema
from analyzer.transports.teeworlds_packet import HEADER, PLAIN, TAIL, Variant


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one dialect frames packets, and what it calls messages and items."""

    variant: Variant
    version: int
    """`ver` of the snapshot records: 6 or 7."""
    title: str

    @property
    def name(self) -> str:
        """As in the tables."""
        return self.variant.name

    @property
    def schema(self) -> Schema:
        """Its items and messages."""
        return default_schema()


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect(PLAIN, 6, "Teeworlds 0.6 without token"),
        Dialect(TAIL, 6, "DDNet with token"),
        Dialect(HEADER, 6, "Teeworlds 0.6.5 with token"),
    )
}
