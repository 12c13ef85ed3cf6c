"""What schema files say, all of it together (spec section 10: sizes and types of items)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzer.protocols.teeworlds.layout import ConnlessType, ItemType, MessageType

UUID_NAMESPACE = uuid.UUID("e05ddaaa-c4e6-4cfb-b642-5d48e80c0029")
FIRST_UUID_TYPE = 0x4000


def uuid_of(name: str) -> uuid.UUID:
    """The UUID that stands for a name on the wire (spec section 7.3)."""
    return uuid.uuid3(UUID_NAMESPACE, name)


@dataclass(slots=True)
class Tables:
    """All that a schema file and those it includes say."""

    title: str = ""
    slots: int = 0
    """Client slots; 0: nobody said."""
    enums: dict[str, dict[int, str]] = field(default_factory=dict)
    flags: dict[str, tuple[str, ...]] = field(default_factory=dict)
    name_lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    items: list[ItemType] = field(default_factory=list)
    messages: list[MessageType] = field(default_factory=list)
    connless: list[ConnlessType] = field(default_factory=list)
    places: dict[tuple[str, str], str] = field(default_factory=dict)
    """("item" or "message", its name) -> file and line."""
    known: Tables | None = None
    """What this is added to: it may be referred to, and replaced."""

    def all_enums(self) -> Mapping[str, dict[int, str]]:
        """Those of what this is added to as well."""
        return self.enums if self.known is None else {**self.known.enums, **self.enums}

    def all_flags(self) -> Mapping[str, tuple[str, ...]]:
        """Those of what this is added to as well."""
        return self.flags if self.known is None else {**self.known.flags, **self.flags}

    def all_name_lists(self) -> Mapping[str, tuple[str, ...]]:
        """Those of what this is added to as well."""
        return self.name_lists if self.known is None else {**self.known.name_lists, **self.name_lists}

    def all_items(self) -> Mapping[str, ItemType]:
        """Those of what this is added to as well, by name."""
        below = self.known.items if self.known is not None else []
        return {item.name: item for item in (*below, *self.items)}
