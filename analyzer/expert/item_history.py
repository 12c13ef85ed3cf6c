"""What came and went among the items of each session, kept while its snapshots are looked at one after the other."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from analyzer.snapshots.sight import ItemSight, Seen

Ints = NDArray[np.int64]

R_ROW, R_PACKET, R_SESSION, R_FIRST, R_SECOND = range(5)
"""Columns of records: the snapshot where it began, its packet and session, and two numbers."""
OWN, FLIPS, VANISHED, HIGH = "snap.own_character_missing", "churn.flipflop", "snap.truncated_like", "ids.high_water"
SEEN = ("snap.unknown_type", "snap.ext_unregistered", "snap.int_range")
FLIP_TICKS = 10
"""An item that comes or goes this long after it did so last has begun anew."""
LEAST_FLIPS = 4
"""Fewer are not kept."""
LEAST_VANISHED = 2
"""Types that vanish together."""
LEAST_ITEMS = 64
"""Of a ceiling."""
MOST_THINGS = 64
"""Of one rule in one session: what else is seen is not kept."""
MOST_FLIPPING = 4096
"""Items of a session of which it is known when they came and went."""


@dataclass(slots=True)
class _Session:
    ticks: int = -1
    """Tick of the snapshot before."""
    keys: set[int] = field(default_factory=set)
    """Lasting items of the snapshot before."""
    order: tuple[int, ...] = ()
    """Types of lasting items in the order in which that snapshot has them first."""
    items: int = 0
    own: list[int] | None = None
    own_tick: int = -1
    ceiling: list[int] | None = None
    flips: dict[int, list[int]] = field(default_factory=dict)
    """By key: tick of the last change, and how many there were in a row; their record."""
    seen: dict[tuple[str, int], list[int]] = field(default_factory=dict)
    highest: int = -1


class ItemHistory:
    """Records of what was seen, by rule. What is kept of a session does not grow with its snapshots."""

    def __init__(self) -> None:
        self._sessions: dict[int, _Session] = {}
        self._records: dict[str, list[list[int]]] = {name: [] for name in (OWN, FLIPS, VANISHED, HIGH, *SEEN)}
        self.texts: dict[tuple[str, int], str] = {}
        """Rule and snapshot row -> what was seen there first."""
        self.version = 0

    def records(self, rule: str) -> Ints:
        """Shape (n, 5), ascending by row, each row once."""
        found = np.array(self._records[rule], np.int64).reshape(-1, 5)
        # Of several that began in one snapshot the one that is the most.
        order = np.lexsort((-found[:, R_SECOND], -found[:, R_FIRST], found[:, R_ROW]))
        found = found[order]
        distinct: Ints = found[np.diff(found[:, R_ROW], prepend=-1) != 0]
        return distinct

    def take(self, session: int, rows: Ints, packets: Ints, ticks: Ints, sight: ItemSight) -> None:
        """The next snapshots of a session, arrays of shape (n,)."""
        known = self._sessions.setdefault(session, _Session())
        by_state: dict[int, list[Seen]] = {}
        for one in sight.seen:
            by_state.setdefault(one.state, []).append(one)
        starts, missing, highest = sight.starts.tolist(), sight.own_missing.tolist(), sight.highest_id.tolist()
        for index, (row, packet, tick) in enumerate(zip(rows.tolist(), packets.tolist(), ticks.tolist(), strict=True)):
            place = [row, packet, session]
            self._see(known, place, by_state.get(index, ()))
            self._miss(known, place, tick, missing[index])
            self._rise(known, place, highest[index])
            own = slice(starts[index], starts[index + 1])
            self._compare(known, place, tick, sight.keys[own][sight.lasting[own]], starts[index + 1] - starts[index])
            known.ticks = tick
        self.version += 1

    def _see(self, known: _Session, place: list[int], seen: list[Seen] | tuple[()]) -> None:
        counted: set[tuple[str, int]] = set()
        for one in seen:
            thing = one.rule, one.what
            record = known.seen.get(thing)
            if record is None:
                if sum(rule == one.rule for rule, _ in known.seen) >= MOST_THINGS:
                    continue
                record = known.seen[thing] = [*place, 0, one.what]
                self._records[one.rule].append(record)
                self.texts.setdefault((one.rule, place[R_ROW]), one.text)
            if thing not in counted:
                counted.add(thing)
                record[R_FIRST] += 1

    def _miss(self, known: _Session, place: list[int], tick: int, missing: bool) -> None:
        if not missing:
            known.own = None
            return
        if known.own is None:
            known.own, known.own_tick = [*place, 0, 0], tick
            self._records[OWN].append(known.own)
        known.own[R_FIRST] += 1
        known.own[R_SECOND] = tick - known.own_tick

    def _rise(self, known: _Session, place: list[int], highest: int) -> None:
        if highest > known.highest:
            known.highest = highest
            self._records[HIGH].append([*place, highest, 0])

    def _compare(self, known: _Session, place: list[int], tick: int, lasting: Ints, items: int) -> None:
        keys = set(lasting.tolist())
        order = tuple(dict.fromkeys((lasting >> 16).tolist()))
        if known.ticks >= 0:
            for key in keys ^ known.keys:
                self._flip(known, place, tick, key)
            self._vanish(known, place, order, items)
        known.keys, known.order, known.items = keys, order, items

    def _flip(self, known: _Session, place: list[int], tick: int, key: int) -> None:
        before = known.flips.get(key)
        if before is None or not 0 <= tick - before[0] <= FLIP_TICKS:
            if before is None and len(known.flips) >= MOST_FLIPPING:
                recent = {one: flip for one, flip in known.flips.items() if 0 <= tick - flip[0] <= FLIP_TICKS}
                known.flips = recent if len(recent) < MOST_FLIPPING else {}
            known.flips[key] = [tick, 1, -1, *place]
            return
        before[0], before[1] = tick, before[1] + 1
        records = self._records[FLIPS]
        if before[2] >= 0:
            records[before[2]][R_FIRST] = before[1]
        elif before[1] >= LEAST_FLIPS:
            before[2] = len(records)
            records.append([*before[3:], before[1], key])

    def _vanish(self, known: _Session, place: list[int], order: tuple[int, ...], items: int) -> None:
        ceiling = known.ceiling
        if ceiling is not None and items == ceiling[R_FIRST]:
            ceiling[R_SECOND] += 1
            return
        known.ceiling = None
        gone = set(known.order) - set(order)
        late = len(gone) >= LEAST_VANISHED and set(known.order[-len(gone) :]) == gone
        if late and items >= known.items and items >= LEAST_ITEMS:
            known.ceiling = [*place, items, 1]
            self._records[VANISHED].append(known.ceiling)
