"""What kinds of values fields have, and what may be done with each."""

from __future__ import annotations

from enum import Enum

EQUALITY = ("==", "!=", "in")
ORDER = (">", ">=", "<", "<=")
TEXTS = ("contains", "matches")


class Kind(Enum):
    """Of the values of a field; the value says it in words."""

    NUMBER = "number"
    DURATION = "duration"
    TIME = "time"
    TEXT = "text"
    CHOICE = "choice"
    ORDERED = "ordered choice"
    FLAG = "yes or no"
    ADDRESS = "address"
    BYTES = "bytes"
    ANY = "number or text"
    """It differs by dialect."""
    PRESENCE = "presence"
    """It is there or not, without a value of its own."""


OPERATORS: dict[Kind, tuple[str, ...]] = {
    Kind.NUMBER: (*EQUALITY, *ORDER, "&"),
    Kind.DURATION: (*EQUALITY, *ORDER),
    Kind.TIME: (*EQUALITY, *ORDER),
    Kind.TEXT: (*EQUALITY, *TEXTS),
    Kind.CHOICE: (*EQUALITY, *TEXTS),
    Kind.ORDERED: (*EQUALITY, *ORDER),
    Kind.FLAG: ("==", "!="),
    Kind.ADDRESS: (*EQUALITY, *TEXTS),
    Kind.BYTES: (*EQUALITY, *TEXTS),
    Kind.ANY: (*EQUALITY, *ORDER, *TEXTS),
    Kind.PRESENCE: (),
}
"""By kind, in the order in which they are offered."""
MEANINGS = {
    "==": "any value is equal",
    "!=": "there is a value, and none is equal",
    ">": "any value is greater",
    ">=": "any value is greater or equal",
    "<": "any value is less",
    "<=": "any value is less or equal",
    "in": "any value is one of these",
    "contains": "any value has this in it",
    "matches": "this regular expression fits a part of any value, in upper or lower case",
    "&": "any of these bits is set",
}
"""What an operator means."""


class Owner(Enum):
    """What has the values of a field, and so how many of them a packet may have."""

    PACKET = "packet"
    MESSAGE = "message"
    SNAPSHOT = "snapshot"
    ITEM = "item"
    FINDING = "finding"


FUNCTIONS = {
    "any": "any value (what a comparison means without a function; with != any that differs)",
    "all": "there is a value, and the comparison is true of every one",
    "count": "how many values there are",
    "sum": "all values added up",
    "len": "characters of a text, or bytes",
    "abs": "the number without its sign",
}
"""Their names, and what each gives."""
