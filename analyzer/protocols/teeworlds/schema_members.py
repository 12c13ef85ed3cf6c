"""Members that items and messages of a schema file share: kinds, bounds, identities. `docs/schemas.md`: the format."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from analyzer.protocols.teeworlds.json_node import Node
from analyzer.protocols.teeworlds.layout import Range
from analyzer.protocols.teeworlds.schema_tables import Tables, uuid_of
from analyzer.protocols.teeworlds.values import INT_KINDS, INT_MAX, INT_MIN, Kind

DIRECTIONS = ("server", "client", "both", "none")
"""Who sends a message."""


def _bound(node: Node, slots: int) -> int:
    words = {"min": INT_MIN, "max": INT_MAX}
    if slots:
        words |= {"C": slots, "C-1": slots - 1}
    if isinstance(node.value, str):
        return words[node.one_of(words)]
    return node.integer()


def bounds(node: Node, slots: int) -> Range:
    """The lowest and the highest value that a list of two says; `slots`: of clients, 0 if nobody said."""
    both = node.entries()
    if len(both) != 2:
        raise node.error("two bounds")
    low, high = (_bound(bound, slots) for bound in both)
    if low > high:
        raise node.error("the lower bound first")
    return low, high


def optional_text(members: Mapping[str, Node], key: str) -> str:
    """Empty if it is not there."""
    return members[key].text() if key in members else ""


def optional_flag(members: Mapping[str, Node], key: str) -> bool:
    """False if it is not there."""
    return key in members and members[key].flag()


def table_kind(node: Node, tables: Tables) -> Kind | None:
    """A kind that every int of a message or an item can have; None if it is no such."""
    name = node.text()
    base, _, table = name.partition(":")
    if name in INT_KINDS:
        return Kind(name, name)
    if base == "enum":
        enums = tables.all_enums()
        if table not in enums:
            raise node.error("the name of an enumeration, one of " + ", ".join(enums))
        return Kind(name, base, names=enums[table])
    if base in ("flags", "owned"):
        flags = tables.all_flags()
        if table not in flags:
            raise node.error("the name of a flag set, one of " + ", ".join(flags))
        return Kind(name, base, bits=flags[table])
    return None


def read_identity(node: Node, members: Mapping[str, Node], number: str) -> uuid.UUID | None:
    """The UUID of an item or message; None if it has a number instead."""
    if sum(key in members for key in (number, "uuid_name", "uuid")) != 1:
        raise node.error(f"either a {number} or a uuid_name, or a uuid if its name is not known")
    if "uuid_name" in members:
        return uuid_of(members["uuid_name"].text())
    if "uuid" not in members:
        return None
    try:
        return uuid.UUID(members["uuid"].text())
    except ValueError:
        raise members["uuid"].error("32 hexadecimal digits, such as 76ce455b-f9eb-3a48-add7-e04b941d045c") from None
