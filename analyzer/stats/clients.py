"""What stands in the table of clients: of every session its losses, sizes, rates, acknowledgements, and how bad it is.

Percentiles of sizes and times are exact up to 4,096 different values, and then within 0.1 % of the value (tally.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, IntEnum

import numpy as np

from analyzer.snapshots.status import LostBy
from analyzer.stats.client_counts import ClientCounts, Total
from analyzer.stats.flows import Ends, ends_of
from analyzer.stats.history import NO_HISTORIES, Histories
from analyzer.stats.live import Ints, live_sessions
from analyzer.stats.watched import Watched
from analyzer.store.tables import Tables

OLD_BASE_MS = 500.0
"""A baseline older than this is late, unless a person says otherwise."""
SLOW_ACK_MS = 300.0
MOST_FULL = 0.2
"""Share of snapshots without a baseline above which a client is costly."""
FEWEST_FULL = 5
"""Fewer than this are the beginning of a session, before its first acknowledgement."""


class Concern(Enum):
    """Why a client gets a sign."""

    WRONG = "wrong"
    """A checksum or a delta is wrong, or the game lost something."""
    LOST = "lost"
    """Snapshots could not be rebuilt, because of the network or of the capture."""
    FULL = "full"
    """Too many snapshots without a baseline."""
    OLD_BASES = "old-bases"
    """Half of the baselines are late."""
    SLOW_ACKS = "slow-acks"
    """Half of the acknowledgements are slow."""


class Severity(IntEnum):
    """How bad it is, worst first."""

    ERROR = 0
    WARNING = 1
    UNPROVED = 2
    """Nothing is wrong, and not everything is proved."""
    PROVED = 3


@dataclass(frozen=True, slots=True)
class ClientStats:
    """One session. Times in ms, sizes in bytes of UDP payload; None where nothing was counted."""

    session: int
    """Row of `sessions`."""
    player: str
    """Empty while unknown."""
    number: int
    """Sessions of the flow are counted from 0."""
    map: str
    dialect: str
    ends: Ends
    first_packet: int
    packets: int
    duration_s: float
    snapshots: int
    """Without repeated and late parts."""
    rebuilt: int
    proved: int
    failed: int
    """The capture holds why: wrong, incomplete, or based on one that is."""
    full: int
    """Rebuilt ones without a baseline; the session's first is not counted."""
    lost_by: dict[LostBy, int]
    """Of those not rebuilt."""
    parts_mean: float | None
    size_mean: float | None
    size_p95: int | None
    rate: float | None
    """From the server, bytes a second between the session's first and last packet."""
    base_age_p50: float | None
    base_age_p99: float | None
    ack_p50: float | None
    """From the packet that completed a snapshot to the one that acknowledged it."""
    ack_p99: float | None
    jitter_p99: float | None
    """What the time between two rebuilt snapshots differs from what their ticks say."""
    concerns: tuple[Concern, ...]
    severity: Severity

    @property
    def flow(self) -> tuple[str, str]:
        """Client and server: what the sessions of a client have in common."""
        return self.ends.client, self.ends.server

    @property
    def lost(self) -> int:
        """Snapshots that could not be rebuilt."""
        return self.snapshots - self.rebuilt

    @property
    def lost_share(self) -> float | None:
        """Lost ones of all, 0 to 1."""
        return self.lost / self.snapshots if self.snapshots else None

    @property
    def losers(self) -> list[tuple[LostBy, int]]:
        """Who lost snapshots, and how many, the worst first."""
        return sorted(((loser, lost) for loser, lost in self.lost_by.items() if lost), key=lambda pair: -pair[1])

    @property
    def full_share(self) -> float | None:
        """Full ones of those rebuilt, 0 to 1."""
        return self.full / self.rebuilt if self.rebuilt else None

    @property
    def badness(self) -> tuple[int, int, int, float, int]:
        """Sorts the worst first."""
        return self.severity, -self.failed, -self.lost, -(self.rate or 0.0), self.session


@dataclass(frozen=True, slots=True)
class Clients:
    """Every live session, and its snapshots."""

    stats: tuple[ClientStats, ...]
    """In the order of `sessions`."""
    histories: Histories
    """By session; none for one without snapshots."""


NO_CLIENTS = Clients((), NO_HISTORIES)


def judged(client: ClientStats, old_base_ms: float) -> ClientStats:
    """The client where a baseline is late when it is older than `old_base_ms`."""
    late = (client.base_age_p50 or 0.0) > old_base_ms
    if late == (Concern.OLD_BASES in client.concerns):
        return client
    wanted = {*client.concerns, Concern.OLD_BASES} if late else {*client.concerns} - {Concern.OLD_BASES}
    concerns = tuple(concern for concern in Concern if concern in wanted)
    every_proved = 0 < client.snapshots == client.proved
    return replace(client, concerns=concerns, severity=_severity(concerns, every_proved=every_proved))


class KnownClients:
    """Keeps the numbers of a capture's clients: an update costs what is new. One thread at a time."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.counts = ClientCounts(tables)
        self._known: dict[int, ClientStats] = {}
        names = ("player", "map", "dialect", "number", "reading", "first_packet", "last_packet")
        self._sessions = Watched(tables.sessions, names)
        self._flows = Watched(tables.flows, ("server",))

    def catch_up(self, most: int) -> bool:
        """Count so many new snapshots at most, before an `update`. False: there are more."""
        return self.counts.update(most)

    def update(self) -> Clients:
        """The numbers of every live session, of what is published now."""
        tables = self._tables
        self.counts.update()
        sessions = live_sessions(tables)
        # Looked up after them: the one writer may have published more meanwhile.
        readings = tables.sessions.integers("reading")
        flows = tables.readings.integers("flow")[readings]
        for session in self._changed(flows):
            self._known.pop(session, None)
        every = sessions.tolist()
        for session in every:
            if session not in self._known:
                self._known[session] = _client(tables, session, int(flows[session]), self.counts)
        return Clients(tuple(self._known[session] for session in every), self.counts.histories(sessions))

    def _changed(self, flows: Ints) -> set[int]:
        """Sessions that may have other numbers than before; `flows`: those of all sessions."""
        changed = self.counts.take_changed()
        changed.update(self._sessions.changed().tolist())
        turned = self._flows.changed()
        if len(turned):
            changed.update(np.flatnonzero(np.isin(flows, turned)).tolist())
        return changed


def client_stats(tables: Tables, known: KnownClients | None = None) -> Clients:
    """The numbers of every live session, of what is published now.

    `known` of the same tables, kept from one time to the next, spares counting anew what was counted already.
    """
    return (KnownClients(tables) if known is None else known).update()


def _client(tables: Tables, session: int, flow: int, counts: ClientCounts) -> ClientStats:
    sessions = tables.sessions
    first = sessions.integer("first_packet", session)
    duration_s = _duration_s(tables, first, sessions.integer("last_packet", session))
    total = {what: counts.total(session, what) for what in Total}
    rebuilt = total[Total.REBUILT]
    quantiles = counts.quantiles(session)
    base_age_p50, ack_p50 = _ms(quantiles.base_age_p50), _ms(quantiles.ack_p50)
    concerns = _concerns(total, base_age_p50, ack_p50)
    every_proved = 0 < total[Total.SNAPSHOTS] == total[Total.PROVED]
    return ClientStats(
        session=session,
        player=sessions.text("player", session),
        number=sessions.integer("number", session),
        map=sessions.text("map", session),
        dialect=sessions.text("dialect", session),
        ends=ends_of(tables, flow),
        first_packet=first,
        packets=counts.traffic.packets(session),
        duration_s=duration_s,
        snapshots=total[Total.SNAPSHOTS],
        rebuilt=rebuilt,
        proved=total[Total.PROVED],
        failed=total[Total.FAILED],
        full=total[Total.FULL],
        lost_by=counts.lost_by(session),
        parts_mean=total[Total.PARTS] / rebuilt if rebuilt else None,
        size_mean=total[Total.SIZE] / rebuilt if rebuilt else None,
        size_p95=quantiles.size_p95,
        rate=counts.traffic.sent(session, tables.flows.integer("server", flow)) / duration_s
        if duration_s > 0
        else None,
        base_age_p50=base_age_p50,
        base_age_p99=_ms(quantiles.base_age_p99),
        ack_p50=ack_p50,
        ack_p99=_ms(quantiles.ack_p99),
        jitter_p99=_ms(quantiles.jitter_p99),
        concerns=concerns,
        severity=_severity(concerns, every_proved=every_proved),
    )


def _concerns(total: dict[Total, int], base_age_p50: float | None, ack_p50: float | None) -> tuple[Concern, ...]:
    found = {
        Concern.WRONG: total[Total.WRONG] > 0,
        Concern.LOST: total[Total.REBUILT] < total[Total.SNAPSHOTS],
        Concern.FULL: total[Total.FULL] >= FEWEST_FULL and total[Total.FULL] > MOST_FULL * total[Total.REBUILT],
        Concern.OLD_BASES: (base_age_p50 or 0.0) > OLD_BASE_MS,
        Concern.SLOW_ACKS: (ack_p50 or 0.0) > SLOW_ACK_MS,
    }
    return tuple(concern for concern, applies in found.items() if applies)


def _severity(concerns: tuple[Concern, ...], *, every_proved: bool) -> Severity:
    if Concern.WRONG in concerns:
        return Severity.ERROR
    if concerns:
        return Severity.WARNING
    return Severity.PROVED if every_proved else Severity.UNPROVED


def _duration_s(tables: Tables, first: int, last: int) -> float:
    start, end = (
        tables.frames.integer("time_ns", tables.packets.integer("frame", packet))
        for packet in (first, max(first, last))
    )
    return max(0, end - start) / 1e9


def _ms(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / 1e6
