"""Findings arranged for a list: by rule, or by client and then by rule, as columns. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from analyzer.expert.findings import Finding, Findings
from analyzer.expert.rule import FIRST, NO_HITS, PACKET, ROW, SECOND, SESSION, SEVERITY, SNAPSHOT, Hits, Rule, Severity
from analyzer.expert.rules import RULES
from analyzer.snapshots.status import REBUILT
from analyzer.stats.live import packet_times
from analyzer.store.tables import Tables

Ints = NDArray[np.int64]
Key = tuple[str, int]
"""Rule (empty: of a client, whatever the rule) and session."""
EVERY = -2
"""In place of a session: findings of all."""
_NOTHING: Ints = np.empty(0, np.int64)


class Grouping(Enum):
    """What groups stand for; values as they are remembered."""

    RULE = "rule"
    CLIENT = "client"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which findings a person wants to see, and how."""

    grouping: Grouping = Grouping.RULE
    severities: frozenset[Severity] = frozenset(Severity)
    session: int = EVERY
    """Of this one alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """One head of the list with the findings right below it. A client has groups below it instead."""

    key: Key
    depth: int
    severity: Severity
    """The worst of what is shown."""
    count: int
    followers: int
    """Snapshots that failed because of these."""
    first_ns: int
    last_ns: int
    hits: Hits = field(default_factory=lambda: NO_HITS)
    """Ascending by packet."""
    follow: Ints = field(default_factory=lambda: _NOTHING)
    """Of each hit, how many failed because of it."""

    @property
    def rule(self) -> Rule | None:
        """None: of a client, whatever the rule."""
        return RULES.get(self.key[0])

    @property
    def session(self) -> int:
        """Row; `EVERY`: of all, -1: in none."""
        return self.key[1]

    def finding(self, offset: int, tables: Tables) -> Finding:
        """One of its findings."""
        row = self.hits[offset].tolist()
        (time_ns,) = packet_times(tables, np.array([row[PACKET]], np.int64)).tolist()
        return Finding(
            self.key[0],
            row[ROW],
            Severity(row[SEVERITY]),
            row[PACKET],
            row[SNAPSHOT],
            row[SESSION],
            int(self.follow[offset]),
            row[FIRST],
            row[SECOND],
            time_ns,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Arranged:
    """What the list shows."""

    groups: tuple[Group, ...] = ()
    """In their order; those of a client behind its own."""
    packets: Ints = field(default_factory=lambda: _NOTHING)
    """Those with a finding that is shown, ascending."""
    counts: Mapping[Severity, int] = field(default_factory=lambda: dict.fromkeys(Severity, 0))
    """By severity, whether shown or not, of the wanted session."""

    def beside(self, packet: int, step: int) -> int:
        """The next packet (1) with a finding that is shown, or the one before (-1); -1: there is none."""
        place = int(np.searchsorted(self.packets, packet + (step > 0))) - (step < 0)
        return int(self.packets[place]) if 0 <= place < len(self.packets) else -1

    def at(self, packet: int) -> tuple[int, int] | None:
        """Group and offset of the worst finding at a packet."""
        return self._worst(lambda hits: np.arange(*np.searchsorted(hits[:, PACKET], [packet, packet + 1])))

    def of_snapshot(self, snapshot: int) -> tuple[int, int] | None:
        """Group and offset of the worst finding that rests on a snapshot."""
        return self._worst(lambda hits: np.flatnonzero(hits[:, SNAPSHOT] == snapshot))

    def _worst(self, places: Callable[[Hits], Ints]) -> tuple[int, int] | None:
        """Group and offset of the worst of the hits at some places in each group, the first of several."""
        found: tuple[int, int] | None = None
        worst = 0
        for number, group in enumerate(self.groups):
            at = places(group.hits)
            if len(at):
                best = int(at[np.argmax(group.hits[at, SEVERITY])])
                severity = int(group.hits[best, SEVERITY])
                if severity > worst:
                    found, worst = (number, best), severity
        return found


NOTHING_FOUND = Arranged()


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Findings of a rule that are shown."""

    rule: Rule
    hits: Hits
    follow: Ints

    def part(self, which: NDArray[np.bool_]) -> _Chosen:
        return _Chosen(self.rule, self.hits[which], self.follow[which])


def arrange(found: Findings, tables: Tables, wanted: Wanted) -> Arranged:
    """The findings that are wanted, the worst first, then in the order of the rules."""
    counts = np.zeros(len(Severity) + 1, np.int64)
    chosen = []
    for rule in RULES.values():
        own = _Chosen(rule, *found.columns(rule.name))
        if wanted.session != EVERY:
            own = own.part(own.hits[:, SESSION] == wanted.session)
        counts += np.bincount(own.hits[:, SEVERITY], minlength=len(counts))
        shown = np.isin(own.hits[:, SEVERITY], sorted(wanted.severities))
        if shown.any():
            chosen.append(own if shown.all() else own.part(shown))
    by_client = wanted.grouping is Grouping.CLIENT
    groups = tuple(_by_client(chosen, tables) if by_client else _by_rule(chosen, tables))
    packets = [own.hits[:, PACKET].astype(np.int64) for own in chosen]
    every = np.unique(np.concatenate(packets)) if packets else _NOTHING
    return Arranged(groups, every, {severity: int(counts[severity]) for severity in Severity})


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """When findings of a severity were captured, ascending."""

    times_s: NDArray[np.float64]
    """Since the first frame."""
    sessions: Ints
    """-1: it is in none."""


def moments(found: Findings, tables: Tables, severity: Severity) -> Moments:
    """Of findings of a severity that do not rest on snapshots which failed or were lost: charts mark these anyway."""
    every = []
    for rule in RULES:
        hits, _ = found.columns(rule)
        every.append(hits[hits[:, SEVERITY] == severity][:, [PACKET, SESSION, SNAPSHOT]].astype(np.int64))
    pairs = np.concatenate(every)
    if len(tables.snapshots):
        status = tables.snapshots.take("status", np.maximum(pairs[:, 2], 0))
        pairs = pairs[(pairs[:, 2] < 0) | np.isin(status, REBUILT)]
    if not len(pairs):
        return NO_MOMENTS
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    times = (packet_times(tables, pairs[:, 0]) - tables.frames.integer("time_ns", 0)) / 1e9
    order = np.argsort(times, kind="stable")
    return Moments(times[order], pairs[order, 1])


NO_MOMENTS = Moments(np.empty(0), _NOTHING)


def by_session(found: Findings) -> dict[int, dict[Severity, int]]:
    """How many findings each session has, by severity; sessions without one are left out."""
    result: dict[int, dict[Severity, int]] = {}
    for rule in RULES:
        hits, _ = found.columns(rule)
        own = hits[hits[:, SESSION] >= 0].astype(np.int64)
        kinds = len(Severity) + 1
        pairs, counts = np.unique(own[:, SESSION] * kinds + own[:, SEVERITY], return_counts=True)
        for pair, number in zip(pairs.tolist(), counts.tolist(), strict=True):
            session, severity = divmod(pair, kinds)
            result.setdefault(session, dict.fromkeys(Severity, 0))[Severity(severity)] += number
    return result


def _by_rule(chosen: list[_Chosen], tables: Tables) -> list[Group]:
    groups = [_group((own.rule.name, EVERY), 0, own, tables) for own in chosen]
    return sorted(groups, key=lambda group: -group.severity)


def _by_client(chosen: list[_Chosen], tables: Tables) -> Iterator[Group]:
    below: dict[int, list[Group]] = {}
    for own in chosen:
        for session in np.unique(own.hits[:, SESSION]).tolist():
            mine = own.part(own.hits[:, SESSION] == session)
            below.setdefault(session, []).append(_group((own.rule.name, session), 1, mine, tables))
    heads = [_head(session, groups) for session, groups in below.items()]
    for head in sorted(heads, key=lambda head: (-head.severity, -head.followers, -head.count, head.session)):
        yield head
        yield from sorted(below[head.session], key=lambda group: -group.severity)


def _head(session: int, groups: list[Group]) -> Group:
    return Group(
        ("", session),
        0,
        max(group.severity for group in groups),
        sum(group.count for group in groups),
        sum(group.followers for group in groups),
        min(group.first_ns for group in groups),
        max(group.last_ns for group in groups),
    )


def _group(key: Key, depth: int, own: _Chosen, tables: Tables) -> Group:
    hits = own.hits
    first_ns, last_ns = packet_times(tables, hits[[0, -1], PACKET].astype(np.int64)).tolist()
    return Group(
        key,
        depth,
        Severity(int(hits[:, SEVERITY].max())),
        len(hits),
        int(own.follow.sum()),
        first_ns,
        last_ns,
        hits,
        own.follow,
    )
