"""All findings of a capture, kept as its tables grow: by rule and session, by packet, and each in words.

Asked on one thread, which is not the one that decodes. A flow that is read anew changes its own findings only.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.expert.followers import Followers
from analyzer.expert.item_history import ItemHistory
from analyzer.expert.item_rules import ItemSource
from analyzer.expert.jitter import JitterSource
from analyzer.expert.knowledge import Knowledge
from analyzer.expert.rule import (
    FIRST,
    NO_HITS,
    PACKET,
    ROW,
    SECOND,
    SESSION,
    SEVERITY,
    SNAPSHOT,
    DropRule,
    FactRule,
    Hits,
    Ints,
    MessageRule,
    PacketRule,
    Rule,
    RunRule,
    SessionRule,
    Severity,
    SnapshotRule,
)
from analyzer.expert.rules import RULES, Thresholds
from analyzer.expert.sources import RowSource, SessionSource, Source, message_source, run_source
from analyzer.expert.views import DropRows, FactRows, PacketRows, Sessions, SnapshotRows
from analyzer.stats.groups import stable_order
from analyzer.stats.live import packet_times
from analyzer.store.tables import Tables


@dataclass(frozen=True, slots=True)
class SessionGroup:
    """What one rule found in one session."""

    session: int
    """Row; -1: in none."""
    severity: Severity
    """The worst."""
    count: int
    followers: int
    """Snapshots that failed because of these."""
    first_ns: int
    last_ns: int
    """When the packets of the first and the last finding were captured."""


@dataclass(frozen=True, slots=True)
class Group:
    """What one rule found."""

    rule: Rule
    severity: Severity
    count: int
    followers: int
    first_ns: int
    last_ns: int
    sessions: tuple[SessionGroup, ...]
    """The worst first, then the one with the most findings."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. Rule and row name it for as long as there is the capture."""

    rule: str
    row: int
    severity: Severity
    packet: int
    snapshot: int
    """Row; -1: it rests on none."""
    session: int
    """Row; -1: in none."""
    followers: int
    """Snapshots that failed because of it."""
    first: int
    second: int
    """Numbers for the rule's sentence."""
    time_ns: int


class Findings:
    """Follows the tables of a capture. Call `update` when they have grown or were amended."""

    def __init__(
        self, tables: Tables, knowledge: Mapping[str, Knowledge], thresholds: Thresholds | None = None
    ) -> None:
        """`knowledge`: of each protocol, by its name."""
        self._tables = tables
        self._journal = tables.journal.reader()
        self._thresholds = thresholds or Thresholds()
        self._sessions = Sessions(tables, knowledge)
        self._causes = {name for one in knowledge.values() for name in one.snapshot_rules}
        self._followers = Followers(tables)
        self._items = ItemSource(self._sessions)
        self._sources = [*_sources(tables, self._sessions), self._items]
        self._live: dict[str, Hits] = {}
        """By rule: what counts now, ascending by packet."""
        self._marks: NDArray[np.uint8] | None = None
        self._ends: dict[str, int] = {}
        """Rows of each table that were taken in."""
        self.version = 0
        """Grows whenever something was found or let go of."""

    @property
    def is_current(self) -> bool:
        """All rows that are published were taken in."""
        return all(self._ends.get(table.name, 0) == len(table) for table in self._tables)

    def update(self, most: int | None = None) -> bool:
        """Take in what was published and amended since, of each table so many rows at most. False: nothing has changed.

        What is found in the end does not depend on how many rows came at once.
        """
        amended = self._journal.take()
        values = self._values()
        known = len(self._followers)
        changed = any(one.table == "readings" and one.column == "alive" for one in amended)
        # What rows refer to was published before them, so it is looked at after their number.
        ends = {table.name: len(table) for table in self._tables}
        if most is not None:
            ends = {name: min(end, self._ends.get(name, 0) + most) for name, end in ends.items()}
        self._ends = ends
        snapshots = ends["snapshots"]
        self._sessions.update()
        changed |= self._followers.update(amended, snapshots)
        if snapshots > known:
            self._sessions.count(SnapshotRows(self._tables, self._sessions, np.arange(known, snapshots)))
        for source in self._sources:
            changed |= source.update(amended, ends, values)
        if changed or snapshots > known:
            self._forget()
        return changed

    def use(self, thresholds: Thresholds) -> None:
        """From now on these thresholds count: rules with others are applied anew, without decoding."""
        before, self._thresholds = self._thresholds, thresholds
        names = {name for name, rule in RULES.items() if before.of(rule) != thresholds.of(rule)}
        for source in self._sources:
            source.begin(names, self._values())
        if names:
            self._forget()

    @property
    def thresholds(self) -> Thresholds:
        """Those that count."""
        return self._thresholds

    @property
    def items(self) -> ItemHistory:
        """What was seen in items: whoever goes through snapshots adds to it, the next `update` takes it up."""
        return self._items.history

    def groups(self, least: Severity = Severity.NOTE, session: int | None = None) -> list[Group]:
        """By rule, the worst first, then in the order of the table. `session`: of one alone."""
        found = []
        for name, rule in RULES.items():
            own = self._chosen(name, session, least)
            if len(own):
                found.append(self._group(rule, own))
        return sorted(found, key=lambda group: -group.severity)

    def of(
        self,
        rule: str,
        session: int | None = None,
        *,
        start: int = 0,
        count: int | None = None,
        least: Severity = Severity.NOTE,
    ) -> list[Finding]:
        """Findings of a rule in the order of their packets, from the `start`th on, at most `count`."""
        own = self._chosen(rule, session, least)
        return self._made(rule, own[start : None if count is None else start + count])

    def places(self, rule: str) -> tuple[Ints, Ints, Ints]:
        """Packets, ascending, snapshots (-1: none) and severities of a rule's findings, shape (n,) each."""
        live = self._of(rule).astype(np.int64)
        return live[:, PACKET], live[:, SNAPSHOT], live[:, SEVERITY]

    def columns(self, rule: str) -> tuple[Hits, Ints]:
        """All findings of a rule in the order of their packets, and how many snapshots failed because of each."""
        own = self._of(rule)
        return own, self._follow(rule, own)

    def at(self, packet: int) -> list[Finding]:
        """The findings that rest on a packet, the worst first."""
        found: list[Finding] = []
        for name in RULES:
            live = self._of(name)
            low, high = np.searchsorted(live[:, PACKET], [packet, packet + 1])
            found += self._made(name, live[low:high])
        return sorted(found, key=lambda finding: -finding.severity)

    def finding(self, rule: str, row: int) -> Finding | None:
        """A finding by its name; None if there is none any more."""
        live = self._of(rule)
        found = self._made(rule, live[live[:, ROW] == row])
        return found[0] if found else None

    def counts(self, session: int | None = None) -> dict[Severity, int]:
        """Findings by severity: root causes, without what follows from them."""
        total = np.zeros(len(Severity) + 1, np.int64)
        for name in RULES:
            total += np.bincount(self._chosen(name, session)[:, SEVERITY], minlength=len(total))
        return {severity: int(total[severity]) for severity in Severity}

    def severities(self, first: int, end: int) -> NDArray[np.uint8]:
        """The worst finding of the packets first to end - 1, 0 for none; shape (end - first,)."""
        marks = self._all_marks()
        found = np.zeros(end - first, np.uint8)
        known = marks[first:end]
        found[: len(known)] = known
        return found

    def step(self, packet: int, forward: bool = True, least: Severity = Severity.NOTE) -> int:
        """The next packet with a finding after `packet`, or the one before it; -1: there is none."""
        packets = np.flatnonzero(self._all_marks() >= least)
        if forward:
            place = int(np.searchsorted(packets, packet, side="right"))
            return int(packets[place]) if place < len(packets) else -1
        place = int(np.searchsorted(packets, packet)) - 1
        return int(packets[place]) if place >= 0 else -1

    def _values(self) -> dict[str, dict[str, float]]:
        return {name: self._thresholds.of(rule) for name, rule in RULES.items()}

    def _forget(self) -> None:
        self._live, self._marks = {}, None
        self.version += 1

    def _of(self, name: str) -> Hits:
        """The hits of a rule that count, ascending by packet."""
        known = self._live.get(name)
        if known is None:
            source = next((source for source in self._sources if name in source.rules), None)
            known = NO_HITS if source is None else self._counting(RULES[name], source.hits[name])
            known = known[np.argsort(known[:, PACKET], kind="stable")]
            self._live[name] = known
        return known

    def _counting(self, rule: Rule, every: Hits) -> Hits:
        """Without those of readings that were replaced, and as bad as they are by now."""
        alive = self._tables.readings.array("alive").astype(np.bool_)
        rows, sessions = every[:, ROW].astype(np.int64), every[:, SESSION].astype(np.int64)
        if isinstance(rule, FactRule):
            readings = self._tables.findings.take("reading", rows).astype(np.int64)
        elif isinstance(rule, MessageRule):
            readings = self._tables.messages.take("reading", rows).astype(np.int64)
        elif isinstance(rule, (PacketRule, DropRule)):
            return every
        else:
            readings = self._sessions.reading[sessions]
        found: Hits = every[alive[readings]]
        if isinstance(rule, SnapshotRule) and rule.raises is not None and len(found):
            number, counts = np.unique(found[:, SESSION], return_counts=True)
            bad = rule.raises(counts, self._sessions.snapshots[number], self._thresholds.of(rule))
            found[np.isin(found[:, SESSION], number[bad]), SEVERITY] = Severity.WARNING
        return found

    def _chosen(self, name: str, session: int | None, least: Severity = Severity.NOTE) -> Hits:
        live = self._of(name)
        if session is not None:
            live = live[live[:, SESSION] == session]
        return live if least is Severity.NOTE else live[live[:, SEVERITY] >= least]

    def _follow(self, name: str, own: Hits) -> Ints:
        """How many failed because of each."""
        if name not in self._causes:
            return np.zeros(len(own), np.int64)
        return self._followers.of(own[:, SNAPSHOT].astype(np.int64))

    def _group(self, rule: Rule, own: Hits) -> Group:
        order = stable_order(own[:, SESSION].astype(np.int64) + 1)
        own = own[order]
        edges = np.flatnonzero(np.diff(own[:, SESSION], prepend=-2))
        times = packet_times(self._tables, own[:, PACKET].astype(np.int64))
        followers = self._follow(rule.name, own)
        columns = (
            own[edges, SESSION],
            np.maximum.reduceat(own[:, SEVERITY], edges),
            np.diff(edges, append=len(own)),
            np.add.reduceat(followers, edges),
            np.minimum.reduceat(times, edges),
            np.maximum.reduceat(times, edges),
        )
        sessions = [
            SessionGroup(session, Severity(severity), count, following, first, last)
            for session, severity, count, following, first, last in zip(
                *(column.tolist() for column in columns), strict=True
            )
        ]
        sessions.sort(key=lambda one: (-one.severity, -one.count, one.first_ns, one.session))
        return Group(
            rule,
            sessions[0].severity,
            len(own),
            int(followers.sum()),
            int(times.min()),
            int(times.max()),
            tuple(sessions),
        )

    def _made(self, name: str, own: Hits) -> list[Finding]:
        if not len(own):
            return []
        times = packet_times(self._tables, own[:, PACKET].astype(np.int64)).tolist()
        followers = self._follow(name, own).tolist()
        return [
            Finding(
                name,
                row[ROW],
                Severity(row[SEVERITY]),
                row[PACKET],
                row[SNAPSHOT],
                row[SESSION],
                following,
                row[FIRST],
                row[SECOND],
                time,
            )
            for row, following, time in zip(own.tolist(), followers, times, strict=True)
        ]

    def _all_marks(self) -> NDArray[np.uint8]:
        if self._marks is None:
            every = [self._of(name) for name in RULES]
            length = max((int(own[:, PACKET].max()) + 1 for own in every if len(own)), default=0)
            self._marks = np.zeros(length, np.uint8)
            for own in every:
                np.maximum.at(self._marks, own[:, PACKET], own[:, SEVERITY].astype(np.uint8))
        return self._marks


def _sources(tables: Tables, sessions: Sessions) -> list[Source]:
    rules: Collection[Rule] = RULES.values()
    snapshots = {rule.name: (rule, rule.find) for rule in rules if isinstance(rule, SnapshotRule)}
    packets = {rule.name: (rule, rule.find) for rule in rules if isinstance(rule, PacketRule)}
    drops = {rule.name: (rule, rule.find) for rule in rules if isinstance(rule, DropRule)}
    facts = {rule.name: (rule, rule.find) for rule in rules if isinstance(rule, FactRule)}
    return [
        RowSource(
            snapshots,
            lambda rows: SnapshotRows(tables, sessions, rows),
            "snapshots",
            ("lost_by", "session", "status", "code"),
        ),
        RowSource(
            packets,
            lambda rows: PacketRows(tables, sessions, rows),
            "packets",
            ("code", "session"),
        ),
        RowSource(drops, lambda rows: DropRows(tables, sessions, rows), "drops", ()),
        RowSource(facts, lambda rows: FactRows(tables, sessions, rows), "findings", ()),
        run_source((rule for rule in rules if isinstance(rule, RunRule)), tables, sessions),
        message_source((rule for rule in rules if isinstance(rule, MessageRule)), tables, sessions),
        SessionSource((rule for rule in rules if isinstance(rule, SessionRule)), tables, sessions),
        JitterSource(tables, sessions),
    ]
