"""Vocabulary of a schema: what is known of an item or a message. `resources/schemas/README.md` describes the files."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.protocols.teeworlds.values import Kind

Range = tuple[int, int]
"""Lowest and highest value, both allowed."""


@dataclass(frozen=True, slots=True)
class Select:
    """What a field means depends on another one: on its value, on one bit of it, or on its sign."""

    at: int
    """Index of the int that decides."""
    kinds: Mapping[int, Kind]
    """By the value; by 0 and 1, the bit; or by -1, 0 and 1, the sign. Others leave the field's own kind."""
    bit: int = -1
    """The bit that decides; negative: none."""
    sign: bool = False
    """The sign decides."""

    def kind(self, values: Sequence[int]) -> Kind | None:
        """The kind in an item with these ints; None: the field's own."""
        if len(values) <= self.at:
            return None
        value = values[self.at]
        if self.bit >= 0:
            value = value >> self.bit & 1
        elif self.sign:
            value = (value > 0) - (value < 0)
        return self.kinds.get(value)


@dataclass(frozen=True, slots=True, eq=False)
class ItemFieldType:
    """A field of an item: `count` values of `kind.ints` ints each, from int number `at` on. Equal to itself alone."""

    name: str
    kind: Kind
    at: int
    count: int = 1
    clamp: Range | None = None
    """What the reference client forces a value into before it shows it."""
    default: int | None = None
    """What a client assumes if the item ends before this field; None: it drops the item."""
    named: Mapping[int, str] | None = None
    """Values with a meaning of their own."""
    select: Select | None = None
    masked: bool = False
    """Clients keep only the bits of a flag set that have a name."""
    reads: Kind | None = None
    """The kind to read it as, where `kind` does not say all that is known of it."""
    note: str = ""

    @property
    def shown(self) -> Kind:
        """The kind it reads as, whatever the other fields are."""
        return self.kind if self.reads is None else self.reads

    @property
    def end(self) -> int:
        """Index of the first int after the field."""
        return self.at + self.count * self.kind.ints


@dataclass(frozen=True, slots=True)
class Disguise:
    """An item that really is one of another type, namely if int `at` is not negative and has `bit` set."""

    at: int
    bit: int
    item: str


@dataclass(frozen=True, slots=True)
class ItemType:
    """A type of item, known by its number or by its UUID."""

    name: str
    type: int | None
    uuid_name: str
    uuid: uuid.UUID | None
    size: int
    """Ints of the fields below; what is on the wire can be shorter or longer unless the size is pre-agreed."""
    pre_agreed: bool
    """No size on the wire."""
    ids: str
    """What item ids are: see `ID_SCHEMES`."""
    event: bool
    fields: tuple[ItemFieldType, ...]
    int_names: tuple[str, ...]
    """A name for each int."""
    int_fields: tuple[ItemFieldType, ...]
    """The field each int belongs to."""
    disguise: Disguise | None = None
    note: str = ""


ID_SCHEMES = {
    "any": "not said",
    "none": "always 0",
    "client": "client id",
    "event": "position in the tick's list of events",
    "pool": "from a pool, reused after a while",
    "team": "0 red, 1 blue",
    "ddrace-team": "number of a DDRace team",
    "declared-type": "the type number that the item explains",
    "never": "not in snapshots",
    "base": "not sent by itself",
    "example": "not sent, an example in the source",
}


@dataclass(frozen=True, slots=True)
class When:
    """A field is there only if an earlier one has one of these values."""

    field: str
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MessageField:
    """A field of a message."""

    name: str
    kind: Kind
    count: int = 1
    optional: bool = False
    """May be absent, with all that follows."""
    rest: bool = False
    """Repeated up to the end of the message."""
    range: Range | None = None
    """A receiver drops the message if a value lies outside."""
    length: str = ""
    """The earlier field that holds the number of bytes of a `raw` field, or four times the ints of an `item` field;
    without one an item has all its ints."""
    secret: bool = False
    labels: tuple[str, ...] = ()
    """Names for the repetitions."""
    keys: tuple[str, ...] = ()
    """What stands in brackets behind the field's name instead of a number."""
    times: str = ""
    """The earlier field that holds how often this one is repeated."""
    when: When | None = None
    """Not sent otherwise."""
    named: Mapping[int, str] | None = None
    item: ItemType | None = None
    """Whose ints follow, for kind `item`."""
    encoding: str = ""
    """How a number is sent: see `ENCODINGS`; empty: as a varint."""
    fields: tuple[MessageField, ...] = ()
    """What one repetition of a `group` consists of."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class MessageType:
    """A message, known by its number or by its UUID."""

    name: str
    system: bool
    number: int | None
    uuid_name: str
    uuid: uuid.UUID | None
    direction: str
    """Who sends it: `server`, `client`, `both`, or `none` if nobody does."""
    vital: bool
    """Sent in vital chunks."""
    unused: bool
    fields: tuple[MessageField, ...]
    note: str = ""
    replaces: MessageType | None = None
    """The dialect's own message with a password, where a mod gives that another layout."""


def has_password(message: MessageType) -> bool:
    """Does the layout say of a field that it is one?"""
    return any(field.secret for field in message.fields)


ENCODINGS = {
    "decimal": "text that ends with a zero byte",
    "byte": "one byte",
    "big16": "two bytes, the higher one first",
}


@dataclass(frozen=True, slots=True)
class ConnlessType:
    """A message outside of any connection, known by four characters."""

    name: str
    title: str
    direction: str
    """Who sends it: `server`, `client`, or `both` if it does not tell the two apart."""
    fields: tuple[MessageField, ...]
    note: str = ""


def int_names(field: ItemFieldType) -> list[str]:
    """Names for all ints of a field: plain, or with the index of the value and of the int in it."""
    names = [field.name] if field.count == 1 else [f"{field.name}[{number}]" for number in range(field.count)]
    if field.kind.ints == 1:
        return names
    return [f"{name}[{number}]" for name in names for number in range(field.kind.ints)]
