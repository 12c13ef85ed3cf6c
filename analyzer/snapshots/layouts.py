"""What a protocol's schema names, whatever the protocol: items and messages with their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class ValueKind(Enum):
    """What the values of a field are."""

    NUMBER = "number"
    TEXT = "text"
    BYTES = "bytes"


@dataclass(frozen=True, slots=True)
class LayoutField:
    """One field of an item or a message, with all its repetitions."""

    name: str
    kind: ValueKind
    meaning: str = ""
    """A few words; may be empty."""
    words: Mapping[int, str] = field(default_factory=dict)
    """Numbers with a name."""
    bits: tuple[str, ...] = ()
    """Names of flags, lowest bit first."""


@dataclass(frozen=True, slots=True)
class Layout:
    """An item or a message."""

    name: str
    """As in the tables and in items."""
    short: str
    """As one line about a packet has it."""
    fields: tuple[LayoutField, ...] = ()
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Layouts:
    """Everything that is named. The same name may stand twice, once for each dialect."""

    items: tuple[Layout, ...] = ()
    messages: tuple[Layout, ...] = ()


def is_named(own: str, wanted: str) -> bool:
    """Is a field, which may be one of several repetitions, meant by a name with or without an index?"""
    return own == wanted or (own.startswith(wanted) and own[len(wanted)] == "[")
