"""What stands in the table of clients: of every session its losses, sizes, rates, acknowledgements, and how bad it is.

Computed over all sessions at once, so that a thousand of them cost no more than their snapshots.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, IntEnum

import numpy as np
from numpy.typing import NDArray

from analyzer.snapshots.status import REPEATED, LostBy, Proof, Status
from analyzer.stats.flows import FlowEnds, flow_ends, session_flow
from analyzer.stats.groups import Groups
from analyzer.stats.jitter import jitter
from analyzer.stats.live import Ints, ints, live_sessions, packet_times
from analyzer.stats.snapshots import failed_mask, rebuilt_mask, root_statuses
from analyzer.store.columns import CHUNK_ROWS
from analyzer.store.tables import Tables

OLD_BASE_MS = 500.0
"""A baseline older than this is late, unless a person says otherwise."""
SLOW_ACK_MS = 300.0
MOST_FULL = 0.2
"""Share of snapshots without a baseline above which a client is costly."""
FEWEST_FULL = 5
"""Fewer than this are the beginning of a session, before its first acknowledgement."""
_WRONG = (Status.CRC, Status.MALFORMED, Status.BUG, Status.ERROR)


_COLUMNS = (
    *("session", "packet", "tick", "base_tick", "base", "acked_packet"),
    *("status", "proof", "lost_by", "wire_bytes", "parts"),
)


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

    def newest(self, packet: int, snapshot: int) -> int:
        """Index of row `snapshot`, if it is one of these; else what `at` says.

        A snapshot is decided by a later packet than its own parts came in, where a part is missing.
        """
        found = np.flatnonzero(self.rows == snapshot)
        return int(found[0]) if len(found) else self.at(packet)

    def first_failed(self, tables: Tables) -> int:
        """Row of the first snapshot that failed, of the last one if none did."""
        rows = self.rows.astype(np.int64)
        status = tables.snapshots.take("status", rows).astype(np.int64)
        failed = np.flatnonzero(failed_mask(status, root_statuses(tables, rows)))
        return int(self.rows[failed[0] if len(failed) else -1])


@dataclass(frozen=True, slots=True)
class Clients:
    """Every live session, and its snapshots."""

    stats: tuple[ClientStats, ...]
    """In the order of `sessions`."""
    histories: dict[int, History]
    """By session; none for one without snapshots."""


NO_CLIENTS = Clients((), {})


def judged(client: ClientStats, old_base_ms: float) -> ClientStats:
    """The client where a baseline is late when it is older than `old_base_ms`."""
    late = (client.base_age_p50 or 0.0) > old_base_ms
    if late == (Concern.OLD_BASES in client.concerns):
        return client
    wanted = {*client.concerns, Concern.OLD_BASES} if late else {*client.concerns} - {Concern.OLD_BASES}
    concerns = tuple(concern for concern in Concern if concern in wanted)
    every_proved = 0 < client.snapshots == client.proved
    return replace(client, concerns=concerns, severity=_severity(concerns, every_proved=every_proved))


def client_stats(tables: Tables) -> Clients:
    """The numbers of every live session, of what is published now."""
    snapshots = _Snapshots(tables)
    sessions = live_sessions(tables)
    numbers = _Numbers(tables, snapshots)
    packets = _Packets(tables)
    flows = flow_ends(tables)
    stats = []
    for session in sessions.tolist():
        ends = flows[session_flow(tables, session)]
        stats.append(_client(tables, session, ends, numbers, packets))
    return Clients(tuple(stats), numbers.histories())


class _Snapshots:
    """Snapshot rows of live readings without repetitions, in the order of the packets that decided them."""

    def __init__(self, tables: Tables) -> None:
        count = len(tables.snapshots)
        columns = {name: tables.snapshots.array(name, 0, count) for name in _COLUMNS}
        reading = ints(tables.sessions, "reading")[columns["session"]]
        alive = tables.readings.array("alive").astype(np.bool_)[reading]
        rows = np.flatnonzero(alive & ~_is_any(columns["status"].astype(np.int64), REPEATED))
        self.rows = rows[np.argsort(columns["packet"][rows], kind="stable")]
        self._columns = {name: column[self.rows].astype(np.int64) for name, column in columns.items()}
        self.base_packet = columns["packet"].astype(np.int64)[self["base"]]
        """Of a snapshot without a base, anything."""
        self.roots = root_statuses(tables, self.rows.astype(np.int64))
        """Status of the first cause."""

    def __getitem__(self, column: str) -> Ints:
        return self._columns[column]


def _is_any(values: Ints, wanted: tuple[IntEnum, ...]) -> NDArray[np.bool_]:
    table = np.zeros(256, dtype=np.bool_)
    table[list(wanted)] = True
    found: NDArray[np.bool_] = table[values]
    return found


class _Packets:
    """Packets of each session, and bytes that its server sent."""

    def __init__(self, tables: Tables) -> None:
        packets, count = tables.packets, len(tables.packets)
        # Those that are published later may be of later flows and sessions.
        servers, sessions = ints(tables.flows, "server"), len(tables.sessions)
        self._counts, self._sent = np.zeros(sessions, np.int64), np.zeros(sessions)
        # A part at a time: of a capture of hours all would take much memory.
        for start in range(0, count, CHUNK_ROWS):
            stop = min(start + CHUNK_ROWS, count)
            session = packets.integers("session", start, stop)
            known = (session >= 0) & (session < sessions)
            down = known & (
                packets.integers("direction", start, stop) == servers[packets.integers("flow", start, stop)]
            )
            sizes = packets.integers("udp_length", start, stop)
            self._counts += np.bincount(session[known], minlength=sessions)
            self._sent += np.bincount(session[down], weights=sizes[down], minlength=sessions)

    def count(self, session: int) -> int:
        return int(self._counts[session]) if session < len(self._counts) else 0

    def sent(self, session: int) -> float:
        return float(self._sent[session]) if session < len(self._sent) else 0.0


class _Numbers:
    """Numbers of snapshot rows, by session."""

    def __init__(self, tables: Tables, snapshots: _Snapshots) -> None:
        self._snapshots = snapshots
        self._groups = Groups(snapshots["session"])
        rebuilt = rebuilt_mask(snapshots["status"])
        self._count(rebuilt)
        self._measure(rebuilt)
        self._time(tables)

    def _count(self, rebuilt: NDArray[np.bool_]) -> None:
        snapshots, every = self._snapshots, self._groups
        status, lost_by = snapshots["status"], snapshots["lost_by"]
        full = rebuilt & (snapshots["base_tick"] < 0)
        full[every.firsts()] = False
        self.lost_by = {loser: every.count(~rebuilt & (lost_by == loser)) for loser in LostBy}
        self.counts = {
            "snapshots": every.count(),
            "rebuilt": every.count(rebuilt),
            "proved": every.count(rebuilt & (snapshots["proof"] != Proof.NONE)),
            "failed": every.count(failed_mask(status, snapshots.roots)),
            "wrong": every.count(_is_any(status, _WRONG) | (~rebuilt & (lost_by == LostBy.GAME))),
            "full": every.count(full),
        }

    def _measure(self, rebuilt: NDArray[np.bool_]) -> None:
        size, parts = self._snapshots["wire_bytes"][rebuilt], self._snapshots["parts"][rebuilt]
        good = Groups(self._snapshots["session"][rebuilt])
        self.size_mean, self.parts_mean = good.mean(size), good.mean(parts)
        self.size_p95 = good.quantile(size, 95)

    def _time(self, tables: Tables) -> None:
        """Rows may name packets that were published after the times were read: those count as not there yet."""
        snapshots = self._snapshots
        published = len(tables.packets)
        here, ack = packet_times(tables, snapshots["packet"]), snapshots["acked_packet"]
        based, acked = snapshots["base"] >= 0, (ack >= 0) & (ack < published)
        bases, acks = Groups(snapshots["session"][based]), Groups(snapshots["session"][acked])
        age = here[based] - packet_times(tables, snapshots.base_packet[based])
        trip = packet_times(tables, ack[acked]) - here[acked]
        self.times: dict[str, dict[int, int]] = {}
        self.times["base_age_p50"], self.times["base_age_p99"] = bases.quantiles(age, (50, 99))
        self.times["ack_p50"], self.times["ack_p99"] = acks.quantiles(trip, (50, 99))
        good = rebuilt_mask(snapshots["status"])
        sessions, deviations = jitter(snapshots["session"][good], here[good], snapshots["tick"][good])
        self.times["jitter_p99"] = Groups(sessions).quantile(deviations, 99)

    def histories(self) -> dict[int, History]:
        snapshots = self._snapshots
        columns = (snapshots.rows, snapshots["packet"], snapshots["tick"], snapshots["base_tick"])
        parts = [self._groups.split(column.astype(np.int32)) for column in columns]
        return {session: History(*(part[session] for part in parts)) for session in parts[0]}


def _client(tables: Tables, session: int, ends: FlowEnds, numbers: _Numbers, packets: _Packets) -> ClientStats:
    sessions = tables.sessions
    first = sessions.integer("first_packet", session)
    duration_s = _duration_s(tables, first, sessions.integer("last_packet", session))
    counts = {name: found.get(session, 0) for name, found in numbers.counts.items()}
    times = {name: _ms(found.get(session)) for name, found in numbers.times.items()}
    concerns = _concerns(counts, times)
    every_proved = 0 < counts["snapshots"] == counts["proved"]
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
        jitter_p99=times["jitter_p99"],
        concerns=concerns,
        severity=_severity(concerns, every_proved=every_proved),
    )


def _concerns(counts: dict[str, int], times: dict[str, float | None]) -> tuple[Concern, ...]:
    found = {
        Concern.WRONG: counts["wrong"] > 0,
        Concern.LOST: counts["rebuilt"] < counts["snapshots"],
        Concern.FULL: counts["full"] >= FEWEST_FULL and counts["full"] > MOST_FULL * counts["rebuilt"],
        Concern.OLD_BASES: (times["base_age_p50"] or 0.0) > OLD_BASE_MS,
        Concern.SLOW_ACKS: (times["ack_p50"] or 0.0) > SLOW_ACK_MS,
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
