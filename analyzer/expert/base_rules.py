"""Rules about baselines and rates: how old the one is that a server builds on, and how often it has none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from analyzer.expert.rule import (
    Hits,
    Ints,
    Mask,
    RunRule,
    Severity,
    SnapshotRule,
    Threshold,
    Values,
    hits,
    row_hits,
)
from analyzer.expert.snapshot_rules import BASE_UNKNOWN, DECIDED
from analyzer.expert.views import SnapshotRows
from analyzer.snapshots.status import Status

_WRONG = (Status.CRC, Status.MALFORMED, Status.ERROR)
_NO_TICKS = 1 << 30


def _stuck(rows: SnapshotRows, values: Values) -> tuple[Hits, Mask]:
    """A stretch is what follows on each other with a base that many share, or that is old."""
    begins, places = rows.begins(), np.arange(len(rows))
    run_begins = begins | (np.diff(rows["base_tick"], prepend=-2) != 0)
    run = np.cumsum(run_begins) - 1
    per_second = rows.limit("ticks_per_second")
    old = np.where(per_second > 0, values["age_ms"] * per_second / 1000, _NO_TICKS)
    shared = np.bincount(run, minlength=1)[run] >= values["snapshots"]
    stuck = (rows["base_tick"] >= 0) & (shared | (rows.age > old))
    after_stuck = ~begins & np.concatenate(([False], stuck[:-1]))
    stretch_begins = stuck & ~after_stuck
    keep_from = _start(run_begins, places)
    # What the last run goes on from belongs to it, once it is long enough.
    goes_on = after_stuck[keep_from]
    keep_from[goes_on] = _start(stretch_begins, places)[keep_from[goes_on] - 1]
    return _stuck_hits(rows, stuck, stretch_begins, values), _kept(begins, places, keep_from)


def _stuck_hits(rows: SnapshotRows, stuck: Mask, begins: Mask, values: Values) -> Hits:
    """A hit of each stretch: how many snapshots are in it, and the greatest age."""
    number, count = np.cumsum(begins)[stuck] - 1, int(np.count_nonzero(begins))
    age, wrong = np.zeros(count, np.int64), np.zeros(count, np.bool_)
    np.maximum.at(age, number, rows.age[stuck])
    np.logical_or.at(wrong, number, np.isin(rows["status"][stuck], _WRONG))
    own = rows.part(begins)
    return hits(
        np.where(wrong | (age >= values["worst_ticks"]), Severity.WARNING, Severity.NOTE),
        own.rows,
        packet=own["packet"],
        snapshot=own.rows,
        session=own["session"],
        first=np.bincount(number, minlength=count),
        second=age,
    )


def _start(begins: Mask, places: Ints) -> Ints:
    """For each place, where what it is in begins."""
    found: Ints = np.maximum.accumulate(np.where(begins, places, 0))
    return found


def _kept(begins: Mask, places: Ints, keep_from: Ints) -> Mask:
    """Of each session everything from where `keep_from` of its last row says."""
    ends = np.concatenate((begins[1:], [True]))
    last = np.flatnonzero(ends)
    kept: Mask = places >= np.repeat(keep_from[last], np.diff(last, prepend=-1))
    return kept


def _full_resync(rows: SnapshotRows, values: Values) -> Hits:
    full = (rows["base_tick"] < 0) & (rows["parts"] > 0) & ~rows.repeated & ~rows.is_first
    return row_hits(rows.part(full), Severity.NOTE)


def _too_many_full(found: Ints, snapshots: Ints, values: Values) -> Mask:
    many: Mask = (found * 100 > snapshots * values["percent"]) & (snapshots >= values["snapshots"])
    return many


def _rate(name: str) -> Callable[[SnapshotRows, Values], tuple[Hits, Mask]]:
    """Snapshots without a base that follow on each other as far apart as a rate says."""

    def find(rows: SnapshotRows, values: Values) -> tuple[Hits, Mask]:
        begins, places = rows.begins(), np.arange(len(rows))
        steps = [
            next((step for step, rule in protocol.full_steps.items() if rule == name), _NO_TICKS)
            for protocol in rows.sessions.protocols
        ]
        step = rows.sessions.by_protocol(rows["session"], steps)
        full = (rows["base_tick"] < 0) & ~begins
        paced = (
            full & np.concatenate(([False], rows["base_tick"][:-1] < 0)) & (np.diff(rows["tick"], prepend=0) == step)
        )
        first = paced & ~np.concatenate(([False], paced[:-1]))
        keep_from = np.where(paced, _start(first, places) - 1, places)
        counts = np.bincount(np.cumsum(first)[paced] - 1, minlength=int(np.count_nonzero(first)))
        enough = counts + 1 >= values["snapshots"]
        own = rows.part(np.flatnonzero(first)[enough])
        found = hits(
            Severity.NOTE,
            own.rows,
            packet=own["packet"],
            snapshot=own.rows,
            session=own["session"],
            first=counts[enough] + 1,
            second=step[first][enough].astype(np.int64),
        )
        return found, _kept(begins, places, keep_from)

    return find


_HOW_MANY = Threshold("snapshots", 3, "snapshots", "in a row that are sent so", 2)
RULES = (
    BASE_UNKNOWN,
    RunRule(
        name="base.stuck",
        severity=Severity.NOTE,
        title="The baseline does not advance",
        explanation="Snapshot after snapshot is a difference to the same old one, or to one that is old: they grow, "
        "and once the server lets go of it the next one is full.",
        causes="Acknowledgements of the client do not arrive, the client cannot read what it gets, or the way there "
        "and back takes long.",
        advice="See whether the client acknowledges the snapshots (`client_has`), and whether it lost or refused them.",
        rests_on="the packet of the first snapshot of the stretch",
        sentence="{0} snapshots in a row, the baseline up to {1} ticks old",
        raised="A warning when the baseline reaches `worst_ticks`, or snapshots of the stretch fail.",
        thresholds=(
            Threshold("snapshots", 25, "snapshots", "in a row on one baseline", 2),
            Threshold("age_ms", 1000, "ms", "that a baseline may be old"),
            Threshold("worst_ticks", 150, "ticks", "of age from which it is a warning"),
        ),
        find=_stuck,
    ),
    SnapshotRule(
        name="base.full_resync",
        severity=Severity.NOTE,
        title="A full snapshot after the first",
        explanation="The server had no baseline to build on, so it sent everything. That costs many times as much as a "
        "difference.",
        causes="The client lost its baseline and asked for a full one, or its acknowledgements were so late that the "
        "server had let go of what they name.",
        advice="Look at what happened to the snapshots before it, and at the age of their baselines.",
        rests_on=DECIDED,
        sentence="tick {tick} has no baseline",
        raised="A warning when more than `percent` of a session's snapshots are full.",
        thresholds=(
            Threshold("percent", 20, "%", "of a session's snapshots that may be full before it is a warning"),
            Threshold("snapshots", 25, "snapshots", "of a session before that is judged"),
        ),
        find=_full_resync,
        raises=_too_many_full,
    ),
    RunRule(
        name="rate.init",
        severity=Severity.NOTE,
        title="The server waits for a first acknowledgement",
        explanation="Until a client acknowledges a snapshot, the server sends it full ones, few of them.",
        causes="A client that has just entered; or one whose acknowledgements never arrive.",
        advice="Nothing at the beginning. If it lasts, look for the client's acknowledgements.",
        rests_on="the packet of the second snapshot that is sent so",
        sentence="{0} full snapshots in a row, {1} ticks apart",
        thresholds=(_HOW_MANY,),
        find=_rate("rate.init"),
    ),
    RunRule(
        name="rate.recover",
        severity=Severity.NOTE,
        title="The server waits for the client to recover",
        explanation="The server does not hold what the client acknowledged last, so it sends a full snapshot once in a "
        "while until one is acknowledged.",
        causes="The client lost its baseline or was silent for long.",
        advice="Look at what the client lost before it.",
        rests_on="the packet of the second snapshot that is sent so",
        sentence="{0} full snapshots in a row, {1} ticks apart",
        thresholds=(_HOW_MANY,),
        find=_rate("rate.recover"),
    ),
)
