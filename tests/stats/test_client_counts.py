"""What is counted of clients as rows come equals what is counted of all at once, and does not grow with the rows."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tracemalloc import get_traced_memory
from tracemalloc import start as start_tracing
from tracemalloc import stop as stop_tracing

import numpy as np
import pytest
from capture_files import BUNDLED
from stats.hand_made import tables as hand_made

from analyzer.engine.capture import Capture
from analyzer.snapshots.status import LostBy, Proof, Status
from analyzer.stats import client_counts
from analyzer.stats.client_counts import Total
from analyzer.stats.clients import Clients, KnownClients, client_stats
from analyzer.stats.tally import MOST_CELLS
from analyzer.store.tables import Tables

LOSSY = BUNDLED / "ddnet_tsunami_badcrc_head.pcap"
PATHS = (LOSSY, BUNDLED / "ddnet_ctf3_midsession_head.pcap.gz", BUNDLED / "ddnet_dm6_snaplen220.pcap")


def same(left: Clients, right: Clients) -> None:
    assert left.stats == right.stats
    assert left.histories.keys() == right.histories.keys()
    for session, history in left.histories.items():
        other = right.histories[session]
        for name in ("rows", "packets", "ticks", "base_ticks"):
            assert getattr(history, name).tolist() == getattr(other, name).tolist()


@pytest.fixture(params=["rests", "rests at once"])
def resting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is, and where every session that a portion has nothing of counts as ended."""
    if request.param == "rests at once":
        monkeypatch.setattr(client_counts, "SILENT_NS", 0)
        monkeypatch.setattr(client_counts, "LOOKED_FOR", 9)
        monkeypatch.setattr(client_counts, "AT_ONCE", 100)


@pytest.mark.usefixtures("resting")
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
@pytest.mark.parametrize("batch", [17, 400])
def test_live_is_as_offline(path: Path, batch: int) -> None:
    with Capture.open(path, batch=batch, strict=True, compiled=False) as capture:
        known = KnownClients(capture.tables)
        steps = 0
        while capture.step():
            steps += 1
            if steps % 3 == 0 or batch > 100:
                same(client_stats(capture.tables, known), client_stats(capture.tables))
        same(client_stats(capture.tables, known), client_stats(capture.tables))


def extended(tables: Tables, rows: np.ndarray, choose: Random) -> None:
    """Snapshots of session 1, each on the one before, of all kinds."""
    count = len(rows)
    plain = {spec.name: [0] * count for spec in tables.snapshots.specs if spec.unset is None}
    status = [choose.choice([Status.OK, Status.OK, Status.CRC, Status.INCOMPLETE, Status.NO_BASE]) for _ in rows]
    values = {
        "session": [choose.choice([1, 2]) for _ in rows],
        "tick": rows + 100,
        "base_tick": rows + 99,
        "base": [choose.randrange(5) for _ in rows],
        "packet": [choose.choice([2, 3]) for _ in rows],
        "wire_bytes": [choose.randrange(1400) for _ in rows],
        "parts": [1] * count,
        "status": status,
        "proof": [choose.choice([Proof.OWN, Proof.NONE]) for _ in rows],
        "cause": [choose.randrange(max(1, row)) if choose.random() < 0.5 else -1 for row in rows.tolist()],
    }
    tables.snapshots.append({**plain, **values}, count)


@pytest.mark.usefixtures("resting")
@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_amended_is_counted_anew(seed: int) -> None:
    choose, tables = Random(seed), hand_made()
    known = KnownClients(tables)
    for _ in range(8):
        before = len(tables.snapshots)
        extended(tables, np.arange(before, before + choose.randrange(12)), choose)
        tables.publish()
        same(client_stats(tables, known), client_stats(tables))
        for _ in range(choose.randrange(4)):
            rows = np.array(choose.sample(range(len(tables.snapshots)), 2))
            column = choose.choice(["acked_packet", "acked_packet", "lost_by", "cause"])
            most = {"acked_packet": 4, "lost_by": len(LostBy) - 1, "cause": int(rows.min())}[column]
            tables.snapshots.amend(column, rows, [choose.randint(0, most), choose.randint(0, most)])
        packets = np.array([choose.randrange(5)])
        tables.packets.amend("session", packets, [choose.choice([-1, 1, 2])])
        same(client_stats(tables, known), client_stats(tables))
    tables.readings.amend("alive", [0, 1], [True, False])
    same(client_stats(tables, known), client_stats(tables))
    tables.snapshots.amend("base", [3], [-1])
    same(client_stats(tables, known), client_stats(tables))


STEP = 4096
LIMIT = 2 << 20


def come(tables: Tables, step: int, random: np.random.Generator) -> None:
    """A batch of one client's hours: packets of which each carries a snapshot, acknowledged when the next come."""
    rows = np.arange(step * STEP, (step + 1) * STEP)

    def extend(name: str, **columns: np.ndarray) -> None:
        table = next(table for table in tables if table.name == name)
        plain = {spec.name: [0] * STEP for spec in table.specs if spec.unset is None}
        table.append({**plain, **columns}, STEP)

    times = rows * 40_000_000 + random.gamma(2.0, 2e6, STEP).astype(np.int64)
    extend("frames", time_ns=times)
    extend("packets", frame=rows, session=np.full(STEP, step // 8), udp_length=rows % 1000)
    sizes = random.integers(100, 60_000, STEP)
    extend(
        "snapshots",
        session=np.full(STEP, step // 8),
        packet=rows,
        tick=2 * rows,
        base_tick=2 * rows - 4,
        base=np.maximum(rows - 2, 0),
        status=np.full(STEP, int(Status.OK)),
        wire_bytes=sizes,
    )
    tables.publish()
    if step:
        tables.snapshots.amend("acked_packet", rows - STEP, rows - STEP + 3)


def test_what_is_kept_does_not_grow_with_the_rows() -> None:
    tables, random = Tables(LIMIT), np.random.default_rng(1)
    plain = {"dialect": [""] * 8, "facts": [None] * 8, "number": [0] * 8, "reading": [0] * 8, "first_packet": [0] * 8}
    tables.flows.append({"address_a": ["a"], "address_b": ["b"], "first_packet": [0], "server": [1]}, 1)
    tables.readings.append({"flow": [0], "protocol": [""], "dialect": [""], "number": [0]}, 1)
    tables.sessions.append(plain, 8)
    known = KnownClients(tables)
    counts = known.counts
    held: list[int] = []
    for step in range(48):
        come(tables, step, random)
        counts.update()
        held.append(tables.chunks.held)
    assert counts.cells <= 6 * 4 * MOST_CELLS, "six sessions of 32,768 snapshots"
    assert max(held) <= max(held[:8]) + LIMIT
    assert max(held[24:]) <= max(held[:24])
    assert counts.total(0, Total.SNAPSHOTS) == 8 * STEP
    same(client_stats(tables, known), client_stats(tables))
    history = counts.history(2)
    assert history is not None
    assert history.newest(-1, 16 * STEP + 7) == 7
    assert history.at(16 * STEP + 9) == 9


SNAPSHOTS = 16
"""Of each session below."""


def visits(flows: int, sessions: int) -> Tables:
    """Sessions of clients that take turns on some flows, without rows yet."""
    tables = Tables()
    names = {"address_a": ["a"] * flows, "address_b": ["b"] * flows}
    tables.flows.append({**names, "first_packet": [0] * flows, "server": [1] * flows}, flows)
    plain = {"protocol": [""] * flows, "dialect": [""] * flows, "number": [0] * flows}
    tables.readings.append({**plain, "flow": range(flows)}, flows)
    words = {"dialect": [""] * sessions, "facts": [None] * sessions}
    numbers = {"number": [0] * sessions, "first_packet": [0] * sessions}
    tables.sessions.append({**words, **numbers, "reading": [number % flows for number in range(sessions)]}, sessions)
    return tables


def play(tables: Tables, sessions: np.ndarray, step_ns: int = 40_000_000) -> None:
    """One more snapshot of each of `sessions`, one after the other, acknowledged by its own packet."""
    count, before = len(sessions), len(tables.packets)
    rows = np.arange(before, before + count)

    def extend(name: str, **columns: np.ndarray) -> None:
        table = next(table for table in tables if table.name == name)
        plain = {spec.name: [0] * count for spec in table.specs if spec.unset is None}
        table.append({**plain, **columns}, count)

    extend("frames", time_ns=rows * step_ns + rows * rows % 9_999_991)
    extend("packets", frame=rows, session=sessions, udp_length=rows % 1000)
    ok = np.full(count, int(Status.OK))
    based = {"base_tick": rows - 1, "base": rows - 1, "acked_packet": rows}
    extend("snapshots", session=sessions, packet=rows, tick=rows, status=ok, wire_bytes=rows % 997, **based)
    tables.sessions.amend("last_packet", sessions, rows)
    tables.publish()


def test_sessions_that_ended_keep_little(monkeypatch: pytest.MonkeyPatch) -> None:
    every, together = 1000, 50
    monkeypatch.setattr(client_counts, "AT_ONCE", SNAPSHOTS * together)
    tables = visits(1, every)
    play(tables, np.repeat(np.arange(every), SNAPSHOTS))
    start_tracing()
    try:
        known = KnownClients(tables)
        known.counts.update()
        held = get_traced_memory()[0]
    finally:
        stop_tracing()
    assert held < 1 << 20
    assert known.counts.awake == together
    assert known.counts.cells <= 4 * SNAPSHOTS * together
    found = client_stats(tables, known)
    assert [session for session in found.histories if found.histories.is_kept(session)] == list(range(950, 1000))
    assert found.histories[7].rows.tolist() == list(range(7 * SNAPSHOTS, 8 * SNAPSHOTS))
    monkeypatch.setattr(client_counts, "AT_ONCE", every * SNAPSHOTS)
    assert found.stats == client_stats(tables).stats


def test_a_session_that_was_silent_goes_on() -> None:
    tables = visits(2, 2)
    known = KnownClients(tables)
    play(tables, np.arange(20) % 2)
    first = client_stats(tables, known)
    play(tables, np.ones(20, np.int64), 4_000_000_000)
    assert known.counts.awake == 2
    second = client_stats(tables, known)
    assert known.counts.awake == 1
    same(second, client_stats(tables))
    assert second.stats[0] is first.stats[0]
    tables.snapshots.amend("acked_packet", [4], [9])
    same(client_stats(tables, known), client_stats(tables))
    play(tables, np.arange(20) % 2, 4_000_000_000)
    same(client_stats(tables, known), client_stats(tables))
    assert client_stats(tables, known).stats[0].snapshots == 20


def test_an_update_looks_only_at_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = visits(50, 50)
    known = KnownClients(tables)
    play(tables, np.arange(500) % 50)
    before = client_stats(tables, known)
    taken: list[int] = []
    take = tables.snapshots.take

    def counted(column: str, rows: np.ndarray) -> np.ndarray:
        taken.append(len(rows))
        return take(column, rows)

    monkeypatch.setattr(tables.snapshots, "take", counted)
    assert all(new is old for new, old in zip(client_stats(tables, known).stats, before.stats, strict=True))
    assert not taken
    play(tables, np.full(3, 7))
    after = client_stats(tables, known)
    assert [new.session for new, old in zip(after.stats, before.stats, strict=True) if new is not old] == [7]
    assert 0 < max(taken) <= 3
    tables.sessions.amend("player", [9], ["nameless tee"])
    tables.flows.amend("server", [11], [0])
    named = client_stats(tables, known)
    assert [new.session for new, old in zip(named.stats, after.stats, strict=True) if new is not old] == [9, 11]
    same(named, client_stats(tables))
