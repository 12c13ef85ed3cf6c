"""What stands in the table of clients: of every session its losses, sizes, rates, acknowledgements, and how bad it is.

Computed over all sessions at once, so that a thousand of them cost no more than their snapshots.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum

import numpy as np
from numpy.typing import NDArray

from analyzer.snapshots.status import REPEATED, LostBy, Proof, Status
from analyzer.stats.flows import FlowEnds, flow_ends, session_flow
from analyzer.stats.groups import Groups
from analyzer.stats.live import Ints, ints, live_sessions
from analyzer.stats.snapshots import failed_mask, rebuilt_mask
from analyzer.store.tables import Tables

OLD_BASE_MS = 500.0
"""A baseline older than this is late."""
SLOW_ACK_MS = 300.0
MOST_FULL = 0.2
"""Share of snapshots without a baseline above which a client is costly."""
_WRONG = (Status.CRC, Status.MALFORMED, Status.BUG, Status.ERROR)


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
    ends: FlowEnds
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
    concerns: tuple[Concern, ...]
    severity: Severity

    @property
    def lost(self) -> int:
        """Snapshots that could not be rebuilt."""
        return self.snapshots - self.rebuilt

    @property
    def full_share(self) -> float | None:
        """Full ones of those rebuilt, 0 to 1."""
        return self.full / self.rebuilt if self.rebuilt else None

    @property
    def badness(self) -> tuple[int, int, int, float, int]:
        """Sorts the worst first."""
        return self.severity, -self.failed, -self.lost, -(self.rate or 0.0), self.session


@dataclass(frozen=True, slots=True)
class History:
    """A session's snapshots in the order of the packets that decided them, arrays of shape (n,)."""

    rows: NDArray[np.int32]
    packets: NDArray[np.int32]
    ticks: NDArray[np.int32]
    base_ticks: NDArray[np.int32]

    def at(self, packet: int) -> int:
        """Index of the newest snapshot when `packet` was captured, -1 if there was none. A packet of -1 is the end."""
        if packet < 0:
            return len(self.rows) - 1
        return int(np.searchsorted(self.packets, packet, side="right")) - 1

    def first_failed(self, tables: Tables) -> int:
        """Row of the first snapshot that failed, of the last one if none did."""
        status = tables.snapshots.take("status", self.rows.astype(np.int64)).astype(np.int64)
        cause = tables.snapshots.take("cause", self.rows.astype(np.int64)).astype(np.int64)
        failed = np.flatnonzero(failed_mask(status, cause))
        return int(self.rows[failed[0] if len(failed) else -1])


@dataclass(frozen=True, slots=True)
class Clients:
    """Every live session, and its snapshots."""

    stats: tuple[ClientStats, ...]
    """In the order of `sessions`."""
    histories: dict[int, History]
    """By session; none for one without snapshots."""


NO_CLIENTS = Clients((), {})


def client_stats(tables: Tables) -> Clients:
    """The numbers of every live session, of what is published now."""
    rows = _counted(tables)
    sessions = live_sessions(tables)
    numbers = _Numbers(tables, rows)
    packets = _Packets(tables)
    flows = flow_ends(tables)
    stats = tuple(
        _client(tables, session, flows[session_flow(tables, session)], numbers, packets)
        for session in sessions.tolist()
    )
    return Clients(stats, numbers.histories())


def _counted(tables: Tables) -> Ints:
    """Snapshot rows of live readings without repetitions, in the order of the packets that decided them."""
    count = len(tables.snapshots)
    session = tables.snapshots.integers("session", 0, count)
    reading = tables.sessions.take("reading", session).astype(np.int64)
    alive = tables.readings.take("alive", reading).astype(np.bool_)
    repeats = np.isin(tables.snapshots.array("status", 0, count), REPEATED)
    rows = np.flatnonzero(alive & ~repeats)
    return rows[np.argsort(tables.snapshots.integers("packet", 0, count)[rows], kind="stable")]


class _Packets:
    """Packets of each session, and bytes that its server sent."""

    def __init__(self, tables: Tables) -> None:
        count = len(tables.packets)
        session = tables.packets.integers("session", 0, count)
        known = session >= 0
        servers = ints(tables.flows, "server")[tables.packets.integers("flow", 0, count)]
        down = known & (tables.packets.integers("direction", 0, count) == servers)
        sizes = tables.packets.integers("udp_length", 0, count)
        self._counts = np.bincount(session[known])
        self._sent = np.bincount(session[down], weights=sizes[down])

    def count(self, session: int) -> int:
        return int(self._counts[session]) if session < len(self._counts) else 0

    def sent(self, session: int) -> float:
        return float(self._sent[session]) if session < len(self._sent) else 0.0


class _Numbers:
    """Numbers of snapshot rows, by session."""

    def __init__(self, tables: Tables, rows: Ints) -> None:
        self._tables = tables
        self._rows = rows
        self._groups = Groups(self._column("session"))
        status = self._column("status")
        rebuilt = rebuilt_mask(status)
        self._count(status, rebuilt)
        self._measure(rebuilt)

    def _count(self, status: Ints, rebuilt: NDArray[np.bool_]) -> None:
        every = self._groups
        full = rebuilt & (self._column("base_tick") < 0)
        full[every.firsts()] = False
        lost_by = self._column("lost_by")
        self.lost_by = {loser: every.count(~rebuilt & (lost_by == loser)) for loser in LostBy}
        self.counts = {
            "snapshots": every.count(),
            "rebuilt": every.count(rebuilt),
            "proved": every.count(rebuilt & (self._column("proof") != Proof.NONE)),
            "failed": every.count(failed_mask(status, self._column("cause"))),
            "wrong": every.count(np.isin(status, _WRONG) | (~rebuilt & (lost_by == LostBy.GAME))),
            "full": every.count(full),
        }

    def _measure(self, rebuilt: NDArray[np.bool_]) -> None:
        session, size = self._column("session"), self._column("wire_bytes")
        good = Groups(session[rebuilt])
        self.size_mean = good.mean(size[rebuilt])
        self.size_p95 = good.quantile(size[rebuilt], 95)
        self.parts_mean = good.mean(self._column("parts")[rebuilt])
        here = self._times(self._column("packet"))
        base, ack = self._column("base"), self._column("acked_packet")
        based, acked = base >= 0, ack >= 0
        age = here[based] - self._times(self._tables.snapshots.take("packet", base[based]).astype(np.int64))
        trip = self._times(ack[acked]) - here[acked]
        bases, acks = Groups(session[based]), Groups(session[acked])
        self.times = {
            "base_age_p50": bases.quantile(age, 50),
            "base_age_p99": bases.quantile(age, 99),
            "ack_p50": acks.quantile(trip, 50),
            "ack_p99": acks.quantile(trip, 99),
        }

    def histories(self) -> dict[int, History]:
        columns = [self._rows, *(self._column(name) for name in ("packet", "tick", "base_tick"))]
        parts = [self._groups.split(column.astype(np.int32)) for column in columns]
        return {session: History(*(part[session] for part in parts)) for session in parts[0]}

    def _times(self, packets: Ints) -> Ints:
        frames = self._tables.packets.take("frame", packets).astype(np.int64)
        return self._tables.frames.take("time_ns", frames).astype(np.int64)

    def _column(self, name: str) -> Ints:
        return self._tables.snapshots.take(name, self._rows).astype(np.int64)


def _client(tables: Tables, session: int, ends: FlowEnds, numbers: _Numbers, packets: _Packets) -> ClientStats:
    sessions = tables.sessions
    first = sessions.integer("first_packet", session)
    duration_s = _duration_s(tables, first, sessions.integer("last_packet", session))
    counts = {name: found.get(session, 0) for name, found in numbers.counts.items()}
    times = {name: _ms(found.get(session)) for name, found in numbers.times.items()}
    concerns = _concerns(counts, times)
    return ClientStats(
        session=session,
        player=sessions.text("player", session),
        number=sessions.integer("number", session),
        map=sessions.text("map", session),
        dialect=sessions.text("dialect", session),
        ends=ends,
        first_packet=first,
        packets=packets.count(session),
        duration_s=duration_s,
        snapshots=counts["snapshots"],
        rebuilt=counts["rebuilt"],
        proved=counts["proved"],
        failed=counts["failed"],
        full=counts["full"],
        lost_by={loser: found.get(session, 0) for loser, found in numbers.lost_by.items()},
        parts_mean=numbers.parts_mean.get(session),
        size_mean=numbers.size_mean.get(session),
        size_p95=numbers.size_p95.get(session),
        rate=packets.sent(session) / duration_s if duration_s > 0 else None,
        base_age_p50=times["base_age_p50"],
        base_age_p99=times["base_age_p99"],
        ack_p50=times["ack_p50"],
        ack_p99=times["ack_p99"],
        concerns=concerns,
        severity=_severity(concerns, counts),
    )


def _concerns(counts: dict[str, int], times: dict[str, float | None]) -> tuple[Concern, ...]:
    found = {
        Concern.WRONG: counts["wrong"] > 0,
        Concern.LOST: counts["rebuilt"] < counts["snapshots"],
        Concern.FULL: counts["full"] > MOST_FULL * counts["rebuilt"],
        Concern.OLD_BASES: (times["base_age_p50"] or 0.0) > OLD_BASE_MS,
        Concern.SLOW_ACKS: (times["ack_p50"] or 0.0) > SLOW_ACK_MS,
    }
    return tuple(concern for concern, applies in found.items() if applies)


def _severity(concerns: tuple[Concern, ...], counts: dict[str, int]) -> Severity:
    if Concern.WRONG in concerns:
        return Severity.ERROR
    if concerns:
        return Severity.WARNING
    return Severity.PROVED if 0 < counts["snapshots"] == counts["proved"] else Severity.UNPROVED


def _duration_s(tables: Tables, first: int, last: int) -> float:
    start, end = (
        tables.frames.integer("time_ns", tables.packets.integer("frame", packet))
        for packet in (first, max(first, last))
    )
    return max(0, end - start) / 1e9


def _ms(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / 1e6
