"""What a person sees of a snapshot, whatever the protocol: items, changes, and the delta joined from parts."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.wire.reader import Span


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a joined delta and where it came from."""

    number: int
    """Part number on the wire, from 0."""
    packet: int
    """Row of the packet that carried it."""
    offset: int
    """Where the part begins in the joined bytes."""
    length: int
    """Bytes."""
    source_offset: int
    """Where its bytes begin in the packet's plain payload."""
    compressed: bool
    """The packet was compressed, so a byte costs its Huffman code length instead of 8 bits."""


@dataclass(frozen=True, slots=True)
class JoinedDelta:
    """The packed delta of one snapshot, joined from its parts."""

    data: bytes
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class ItemField:
    """One field of an item: its raw values and what they mean."""

    name: str
    values: tuple[int, ...]
    text: str
    """The number first, then two spaces apart what it means: a unit, a name, flags."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a snapshot."""

    type: int
    id: int
    name: str
    """Name of the type; for an unknown type a text that says so."""
    values: tuple[int, ...]
    fields: tuple[ItemField, ...]
    event: bool = False
    """Lives for one snapshot only; differences to an older event of the same id mean nothing."""
    owner: str = ""
    """Name of the player whose item it is."""


@dataclass(frozen=True, slots=True)
class NamedItem:
    """An item of which only this is known: it is there with values that nobody can tell, or it is not there."""

    type: int
    id: int
    name: str
    """Name of the type."""
    event: bool = False


@dataclass(frozen=True, slots=True)
class PartialItems:
    """What is known of a snapshot that could not be rebuilt. Of all else it is not known whether it is there."""

    known: tuple[Item, ...]
    unknown: tuple[NamedItem, ...]
    """They are there; their values are not known."""
    absent: tuple[NamedItem, ...]
    """They are not there."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field of a changed item. `None` where the base is not known or the item is not there."""

    name: str
    old: int | None
    new: int | None
    difference: int | None
    """The int on the wire; None where the wire held none."""
    bits: int
    """What the field cost on the wire."""
    span: Span | None
    """Its bytes; buffer 2 is the joined delta."""
    old_text: str = ""
    new_text: str = ""
    difference_text: str = ""
    """The difference in the units of the texts, or what it means; empty where the number says it all."""

    @property
    def difference_unit(self) -> str:
        """The same without the plain difference, where it begins with that."""
        return self.difference_text.removeprefix(f"{self.difference:+} ") if self.difference else ""

    @property
    def difference_said(self) -> str:
        """The plain difference, signed, and what it means: `+12, +0.38 tiles`, `+2 ticks, +0.04 s`; empty for none."""
        if not self.difference:
            return ""
        number, text = f"{self.difference:+}", self.difference_text
        return text if text.startswith(f"{number} ") else f"{number}, {text}" if text else number


@dataclass(frozen=True, slots=True)
class Change:
    """What a delta did to one item."""

    kind: str
    """`added`, `changed`, `removed`, `rewritten` (sent, but no difference), `readded` (removed and sent), or `unknown`
    (sent, but the base is not known: the values are differences or new values, nobody can tell)."""
    type: int
    id: int
    name: str
    fields: tuple[FieldChange, ...]
    bits: int
    """Cost of the whole entry: type, id, size and values."""
    span: Span | None
    event: bool = False
    owner: str = ""
    """Name of the player whose item it is."""
