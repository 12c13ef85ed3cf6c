"""The rule about jitter: how unevenly the snapshots of a session came, of each session one finding at most."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

import numpy as np

from analyzer.expert.rule import NO_HITS, Hits, Ints, Rule, Severity, Threshold, Values, hits
from analyzer.expert.sources import AT_ONCE, Ends, Source
from analyzer.expert.views import Sessions, SnapshotRows
from analyzer.snapshots.status import REBUILT
from analyzer.stats.groups import stable_order
from analyzer.stats.jitter import Jitter
from analyzer.stats.live import made_mask, packet_times
from analyzer.store.journal import Amendment
from analyzer.store.tables import Tables

RULE = Rule(
    name="rate.jitter",
    severity=Severity.WARNING,
    title="Snapshots come unevenly",
    explanation="The time between two snapshots differs from what their ticks say, so the client shows jerky motion or "
    "waits longer before it shows anything.",
    causes="Queues on the network, a wireless link, or a server that does not get to its ticks in time.",
    advice="If all clients have it, look at the server's load; if one has it, at its network.",
    rests_on="the packet of the snapshot that came most out of time",
    sentence="99 of 100 snapshots came within {0} ms of their time, the worst {1} ms off",
    thresholds=(Threshold("p99_ms", 40, "ms", "that 99 of 100 snapshots are within"),),
)


class _Worst:
    """Of each session the snapshot that came most out of time, if ticks are as long as they should be."""

    def __init__(self) -> None:
        self._last = np.zeros((0, 2), np.int64)
        """Time and tick of the last snapshot; a time of 0: there was none."""
        self._worst = np.zeros((0, 2), np.int64)
        """Row, and how far it was off."""

    def of(self, session: int) -> tuple[int, int]:
        """Row and nanoseconds."""
        row, off = self._worst[session].tolist()
        return row, off

    def add(self, rows: SnapshotRows, times: Ints, edges: Ints) -> None:
        """The next snapshots, those of each session together, each from one of `edges` on."""
        sessions, ticks = rows["session"], rows["tick"]
        numbers = sessions[edges]
        more = max(int(numbers.max()) + 1 - len(self._last), 0)
        self._last = np.concatenate((self._last, np.zeros((more, 2), np.int64)))
        self._worst = np.concatenate((self._worst, np.full((more, 2), -1)))
        took, passed = np.diff(times, prepend=0), np.diff(ticks, prepend=0)
        before = self._last[numbers]
        took[edges], passed[edges] = times[edges] - before[:, 0], ticks[edges] - before[:, 1]
        per_second = rows.limit("ticks_per_second")
        off = np.abs(took - passed * np.divide(1e9, per_second, out=np.zeros(len(times)), where=per_second > 0))
        off[edges[before[:, 0] == 0]] = -1
        lasts = np.append(edges[1:], len(times)) - 1
        self._last[numbers] = np.stack((times[lasts], ticks[lasts]), axis=1)
        most = np.maximum.reduceat(off, edges)
        lengths = lasts - edges + 1
        places = np.flatnonzero(off == np.repeat(most, lengths))
        first = places[np.searchsorted(places, edges)]
        worse = most > self._worst[numbers, 1]
        self._worst[numbers[worse]] = np.stack((rows.rows[first], most.astype(np.int64)), axis=1)[worse]


class JitterSource(Source):
    """Follows `snapshots`. It keeps a tally of each session."""

    def __init__(self, tables: Tables, sessions: Sessions) -> None:
        super().__init__((RULE,))
        self._tables, self._sessions = tables, sessions
        self._known = 0
        self._of: dict[int, Jitter] = {}
        self._worst = _Worst()
        self._found: dict[int, Hits] = {}

    def update(self, amended: Sequence[Amendment], ends: Ends, values: Mapping[str, Values]) -> bool:
        """Take in new rows, and judge the sessions that have some."""
        published = ends["snapshots"]
        busy: set[int] = set()
        for start in range(self._known, published, AT_ONCE):
            busy |= self._take(start, min(start + AT_ONCE, published))
        self._known = published
        return self._judge(busy, values[RULE.name])

    def begin(self, names: Collection[str], values: Mapping[str, Values]) -> None:
        """Judge all anew."""
        if RULE.name in names:
            self._judge(self._of.keys(), values[RULE.name])

    def _take(self, start: int, stop: int) -> set[int]:
        every = SnapshotRows(self._tables, self._sessions, np.arange(start, stop))
        rows = every.part(np.isin(every["status"], REBUILT) & ~made_mask(self._tables, every["packet"]))
        if not len(rows):
            return set()
        rows = rows.part(stable_order(rows["session"]))
        times, ticks, sessions = packet_times(self._tables, rows["packet"]), rows["tick"], rows["session"]
        edges = np.flatnonzero(np.diff(sessions, prepend=-1))
        self._worst.add(rows, times, edges)
        busy = sessions[edges].tolist()
        for session, (start, stop) in zip(busy, pairwise([*edges.tolist(), len(rows)]), strict=True):
            self._of.setdefault(session, Jitter()).add(times[start:stop], ticks[start:stop])
        return set(busy)

    def _judge(self, sessions: Collection[int], values: Values) -> bool:
        before = self._found.copy()
        for session in sessions:
            p99 = self._of[session].quantile(99)
            worst_row, off = self._worst.of(session)
            self._found.pop(session, None)
            if p99 is not None and p99 > values["p99_ms"] * 1e6 and worst_row >= 0:
                row = np.array([session], np.int64)
                snapshot = np.array([worst_row], np.int64)
                packet = self._tables.snapshots.take("packet", snapshot).astype(np.int64)
                self._found[session] = hits(
                    RULE.severity,
                    row,
                    packet=packet,
                    snapshot=snapshot,
                    session=row,
                    first=p99 // 1_000_000,
                    second=off // 1_000_000,
                )
        found = [self._found[session] for session in sorted(self._found)]
        self.hits[RULE.name] = np.concatenate(found) if found else NO_HITS
        same = before.keys() == self._found.keys()
        return not same or any(not np.array_equal(old, self._found[session]) for session, old in before.items())
