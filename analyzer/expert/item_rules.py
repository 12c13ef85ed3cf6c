"""Rules about what is in snapshots: values, types, ids, what comes and goes. Items are looked at in the background."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from analyzer.expert.item_history import (
    FLIPS,
    HIGH,
    OWN,
    R_FIRST,
    R_PACKET,
    R_ROW,
    R_SECOND,
    R_SESSION,
    VANISHED,
    Ints,
    ItemHistory,
)
from analyzer.expert.rule import NO_HITS, Hits, ItemRule, Severity, Threshold, Values, hits
from analyzer.expert.sources import Ends, Source
from analyzer.expert.views import Sessions
from analyzer.store.journal import Amendment

FIRST_OF_SESSION = "the packet of the first snapshot of the session in which it is seen"


def _hits(records: Ints, severity: Severity) -> Hits:
    return hits(
        severity,
        records[:, R_ROW],
        packet=records[:, R_PACKET],
        snapshot=records[:, R_ROW],
        session=records[:, R_SESSION],
        first=records[:, R_FIRST],
        second=records[:, R_SECOND],
    )


def _every(severity: Severity) -> Callable[[Ints, Sessions, Values], Hits]:
    def find(records: Ints, sessions: Sessions, values: Values) -> Hits:
        return _hits(records, severity)

    return find


def _own_missing(records: Ints, sessions: Sessions, values: Values) -> Hits:
    return _hits(records[records[:, R_SECOND] >= values["ticks"]], Severity.NOTE)


def _flipflop(records: Ints, sessions: Sessions, values: Values) -> Hits:
    return _hits(records[records[:, R_FIRST] >= values["changes"]], Severity.NOTE)


def _truncated(records: Ints, sessions: Sessions, values: Values) -> Hits:
    return _hits(records[records[:, R_SECOND] >= values["snapshots"]], Severity.WARNING)


def _high_water(records: Ints, sessions: Sessions, values: Values) -> Hits:
    """One of each session: where its ids first reach the mark, and how high they rise."""
    pools = sessions.by_protocol(records[:, R_SESSION], [protocol.pool_ids for protocol in sessions.protocols])
    high = records[(pools > 0) & (records[:, R_FIRST] * 100 >= pools * values["percent"])]
    if not len(high):
        return NO_HITS
    high = high[np.argsort(high[:, R_SESSION], kind="stable")]
    edges = np.flatnonzero(np.diff(high[:, R_SESSION], prepend=-1))
    found = high[edges]
    found[:, R_FIRST] = np.maximum.reduceat(high[:, R_FIRST], edges)
    found[:, R_SECOND] = sessions.by_protocol(found[:, R_SESSION], [one.pool_ids for one in sessions.protocols])
    return _hits(found[np.argsort(found[:, R_ROW])], Severity.WARNING)


RULES = (
    ItemRule(
        name="snap.int_range",
        severity=Severity.NOTE,
        title="A value out of its range",
        explanation="A value of an item is beyond what the schema allows. Clients show another value in its place; the "
        "snapshot stays as it is.",
        causes="A server, or a mod, that uses more values than the format has; or a schema that is too old.",
        advice="Compare what clients show with what the server means. The packet's items have the value.",
        rests_on=FIRST_OF_SESSION,
        sentence="{text}; in {0} of the session's snapshots",
        find=_every(Severity.NOTE),
    ),
    ItemRule(
        name="snap.unknown_type",
        severity=Severity.NOTE,
        title="An item type that nobody named",
        explanation="No schema knows the type. Its values are rebuilt and proved like all others, but not named.",
        causes="A mod that adds items.",
        advice="Name it in a schema file; `snapscope-cli schema infer` writes one to start with.",
        rests_on=FIRST_OF_SESSION,
        sentence="{text}; in {0} of the session's snapshots",
        find=_every(Severity.NOTE),
    ),
    ItemRule(
        name="snap.ext_unregistered",
        severity=Severity.NOTE,
        title="An extended type without its declaration",
        explanation="The type's number is given by the server process, and the snapshot does not say what it "
        "stands for.",
        causes="DDNet 16.4 does so in the first snapshot that uses a type. Later it would be a mistake of the server.",
        advice="Nothing, if it is one snapshot. Otherwise declare the type in every snapshot that uses it.",
        rests_on=FIRST_OF_SESSION,
        sentence="{text}; in {0} of the session's snapshots",
        find=_every(Severity.NOTE),
    ),
    ItemRule(
        name=VANISHED,
        severity=Severity.WARNING,
        title="Items look cut off",
        explanation="The types that stand last in the snapshot vanished together, while there are no fewer items than "
        "before, and their number stays the same: so it looks where a server fills a snapshot and drops the rest.",
        causes="A limit on items or bytes that the server reached without a word.",
        advice="Send fewer items, or add those that matter most first.",
        rests_on="the packet of the first snapshot without these types",
        sentence="types that stood last are gone, and {1} snapshots in a row have {0} items",
        thresholds=(Threshold("snapshots", 5, "snapshots", "in a row with the same number of items", 1),),
        find=_truncated,
    ),
    ItemRule(
        name=OWN,
        severity=Severity.NOTE,
        title="The player's own character is missing",
        explanation="The receiving player is on a team, but for some time the snapshots have no character of that "
        "player.",
        causes="The player is dead and does not respawn, is paused, or the server leaves the character out.",
        advice="Nothing, if the player was dead. Otherwise look at what the server decides to send.",
        rests_on="the packet of the first snapshot without it",
        sentence="missing in {0} snapshots, for {1} ticks",
        thresholds=(Threshold("ticks", 150, "ticks", "that it is missing"),),
        find=_own_missing,
    ),
    ItemRule(
        name=HIGH,
        severity=Severity.WARNING,
        title="Ids run out",
        explanation="Ids of items are taken from a pool and given back. They have come near its end; once it is empty "
        "the server has none for new items.",
        causes="Items that are destroyed without giving their ids back.",
        advice="Look at which types have the high ids, and free them where they are destroyed.",
        rests_on="the packet of the first snapshot of the session with such an id",
        sentence="ids up to {0} of a pool of {1}",
        thresholds=(Threshold("percent", 90, "%", "of the pool", 1),),
        find=_high_water,
    ),
    ItemRule(
        name=FLIPS,
        severity=Severity.NOTE,
        title="An item comes and goes",
        explanation="The same item is added and removed again and again within a fifth of a second each time. It "
        "flickers for the client, and costs its full size whenever it comes.",
        causes="Something at the edge of what a client is sent, or two parts of the server that disagree about it.",
        advice="Keep an item for a while once it is sent, or send it only further inside.",
        rests_on="the packet of the snapshot in which it first came or went",
        sentence="item {what} came and went {0} times",
        thresholds=(
            Threshold("changes", 16, "times", "that it comes or goes, each within a fifth of a second of the last", 4),
        ),
        find=_flipflop,
    ),
)


class ItemSource(Source):
    """Applies them to what was looked at."""

    def __init__(self, sessions: Sessions) -> None:
        super().__init__(RULES)
        self.history = ItemHistory()
        self._sessions = sessions
        self._seen = 0

    def update(self, amended: Sequence[Amendment], ends: Ends, values: Mapping[str, Values]) -> bool:
        """Take up what was looked at meanwhile."""
        if self.history.version == self._seen:
            return False
        self._seen = self.history.version
        before = self.hits
        self.begin(self.rules, values)
        return any(not np.array_equal(before[name], found) for name, found in self.hits.items())

    def begin(self, names: Collection[str], values: Mapping[str, Values]) -> None:
        """Judge anew."""
        found = {
            rule.name: rule.find(self.history.records(rule.name), self._sessions, values[rule.name])
            for rule in RULES
            if rule.name in names
        }
        self.hits = self.hits | found
