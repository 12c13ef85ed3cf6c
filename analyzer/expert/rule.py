"""What a rule is: its words, its thresholds, and the function that finds what it speaks of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from analyzer.expert.views import (
    DropRows,
    FactRows,
    MessageRows,
    PacketRows,
    SessionRows,
    Sessions,
    SnapshotRows,
)

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Values: TypeAlias = Mapping[str, float]
"""Thresholds of one rule, by name."""

ROW, PACKET, SNAPSHOT, SESSION, SEVERITY, FIRST, SECOND = range(7)
"""Columns of hits, an int32 matrix of shape (n, 7): row of the table that the rule looks at, which no other hit of the
rule has; the packet and the snapshot that it rests on, and their session, -1 for none; severity; two numbers for the
rule's sentence."""
HIT_COLUMNS = 7
Hits: TypeAlias = NDArray[np.int32]
NO_HITS: Hits = np.empty((0, HIT_COLUMNS), np.int32)
_LARGEST = 0x7FFFFFFF


class Severity(IntEnum):
    """How bad it is. A note is nothing wrong by itself."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """As written in records, filters and options."""
        return {Severity.NOTE: "note", Severity.WARNING: "warn", Severity.ERROR: "error"}[self]


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number that a person may change."""

    name: str
    default: float
    unit: str
    meaning: str
    least: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. What it looks at is told by the class."""

    name: str
    severity: Severity
    """What its findings are, if nothing is said in `raised`."""
    title: str
    explanation: str
    """What it means, for a person who has never met it."""
    causes: str
    """What may be behind it."""
    advice: str
    """What to do."""
    rests_on: str
    """Which packet a finding names."""
    sentence: str
    """What one finding says. {0} and {1} are its two numbers; {tick}, {base_tick}, {age} and {text} are known too."""
    raised: str = ""
    """When a finding is worse, or less, than `severity`; empty: never."""
    thresholds: tuple[Threshold, ...] = ()

    @property
    def defaults(self) -> dict[str, float]:
        """The thresholds as they are unless a person changes them."""
        return {threshold.name: threshold.default for threshold in self.thresholds}


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotRule(Rule):
    """Judges every snapshot row by itself."""

    find: Callable[[SnapshotRows, Values], Hits]
    raises: Callable[[Ints, Ints, Values], Mask] | None = None
    """Findings and snapshots of some sessions: in which of them its findings are warnings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRule(Rule):
    """Judges what follows on each other in a session."""

    find: Callable[[SnapshotRows, Values], tuple[Hits, Mask]]
    """Rows of some sessions, those of each together and in order. Besides hits it says which rows, at the end of each
    session, it has to see again with what comes next; hits of these are found anew then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketRule(Rule):
    """Judges every packet row by itself."""

    find: Callable[[PacketRows, Values], Hits]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRule(Rule):
    """Judges messages that were sent again, those of one direction of a reading together, in order."""

    find: Callable[[MessageRows, Values], tuple[Hits, Mask]]
    """As that of `RunRule`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DropRule(Rule):
    """Judges what the capture says it lost."""

    find: Callable[[DropRows, Values], Hits]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRule(Rule):
    """Judges all sessions together, again whenever there is one more."""

    find: Callable[[SessionRows, Values], Hits]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRule(Rule):
    """Takes up what decoding noted under the rule's name, as only decoding sees it."""

    find: Callable[[FactRows, Values], Hits]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRule(Rule):
    """Judges what was seen in the items of snapshots."""

    find: Callable[[Ints, Sessions, Values], Hits]
    """Records (`item_history.ItemHistory.records`) of the rule."""


def hits(
    severity: Severity | Ints,
    row: Ints,
    *,
    packet: Ints,
    snapshot: Ints | int = -1,
    session: Ints | int = -1,
    first: Ints | int = 0,
    second: Ints | int = 0,
) -> Hits:
    """A matrix of hits; arrays have shape (n,)."""
    made = np.empty((len(row), HIT_COLUMNS), np.int32)
    for column, values in (
        (ROW, row),
        (PACKET, packet),
        (SNAPSHOT, snapshot),
        (SESSION, session),
        (SEVERITY, severity),
        (FIRST, first),
        (SECOND, second),
    ):
        made[:, column] = np.clip(values, -_LARGEST, _LARGEST)
    return made


def code_hits(name: str, severity: Severity) -> Callable[[SnapshotRows, Values], Hits]:
    """The function of a rule that is what the protocol says a report code stands for."""

    def find(rows: SnapshotRows, values: Values) -> Hits:
        own = rows.part(rows.stands_for(name))
        return row_hits(own, own.severity(severity))

    return find


def row_hits(rows: SnapshotRows, severity: Severity | Ints, first: str = "", second: str = "") -> Hits:
    """A hit of every row, with the values of two columns for the sentence."""
    return hits(
        severity,
        rows.rows,
        packet=rows["packet"],
        snapshot=rows.rows,
        session=rows["session"],
        first=rows[first] if first else 0,
        second=rows[second] if second else 0,
    )
