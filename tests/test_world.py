"""The engine on the captures of a simulated world that knows the truth: what was rebuilt, what was not, and why.

Spec sections 15 to 17. A world has a server, clients, a bad network and a bad tap; see world/truth.py for what the
program has to find out and world/checks.py for how it is compared.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from world import wire
from world.checks import Record, Truth, listed
from world.client import POLICIES, Client
from world.clock import MILLISECOND
from world.datagram import Datagram, Plain
from world.faults import FAULTS
from world.huffman import CODES
from world.network import Weather
from world.world import World

from analyzer.engine.capture import Capture
from analyzer.store.tables import Tables

LONGEST = 300
"""Ticks of one example."""
PAUSE = st.integers(1, 40)


def decode(path: Path, batch: int = 4096) -> tuple[list[Record], Tables]:
    """The records of every snapshot of a capture, and its tables."""
    with Capture.open(path, batch=batch, strict=True, compiled=False) as capture:
        capture.decode()
        return records(capture), capture.tables


def records(capture: Capture) -> list[Record]:
    """Those of every snapshot of the live readings."""
    query, tables = capture.query(), capture.tables
    readings = tables.sessions.take("reading", tables.snapshots.array("session").astype(np.int64))
    alive = tables.readings.take("alive", readings.astype(np.int64))
    found = [query.record(int(row), with_items=True) for row in np.flatnonzero(alive)]
    query.close()
    return found


def assert_same_tables(one: Tables, other: Tables) -> None:
    """Every column of every table, whatever the batches were."""
    for table, twin in zip(one, other, strict=True):
        assert len(table) == len(twin), table.name
        if table.name == "types":
            # Sums in no particular order.
            rows = [[repr(each.row(row)) for row in range(len(each))] for each in (table, twin)]
            assert sorted(rows[0]) == sorted(rows[1])
            continue
        for column in table.columns:
            assert table.array(column).tolist() == twin.array(column).tolist(), (table.name, column)
    for row in range(len(one.snapshots)):
        assert one.blocks.get(row) == other.blocks.get(row)


def check(world: World, folder: Path, batch: int) -> set[str]:
    """Compare truth, world and program; the codes of all snapshots."""
    truth = Truth(world)
    truth.against_the_world()
    path = folder / "world.pcap"
    world.tap.write(path)
    plain, tables = decode(path)
    truth.compare(plain)
    assert_same_tables(tables, decode(path, batch)[1])
    with Capture.open(path, batch=batch, strict=True, compiled=True, threads=1) as capture:
        capture.decode()
        assert_same_tables(tables, capture.tables)
        assert records(capture) == plain
    return {str(record["code"]) for record in plain}


class AnyWorld(RuleBasedStateMachine):
    """Whatever may happen, in any order. Every rule lets some time pass after what it does."""

    world: World
    left = LONGEST

    @initialize(
        seed=st.integers(0, 2**32),
        tokens=st.booleans(),
        clients=st.integers(1, 3),
        tap_at_server=st.booleans(),
        compressed=st.booleans(),
        anti_spoof=st.booleans(),
        recording=st.booleans(),
        snap_length=st.sampled_from((65535, 65535, 600, 250)),
        batch=st.integers(1, 50),
    )
    def begin(
        self,
        seed: int,
        tokens: bool,
        clients: int,
        tap_at_server: bool,
        compressed: bool,
        anti_spoof: bool,
        recording: bool,
        snap_length: int,
        batch: int,
    ) -> None:
        codes = CODES if compressed else None
        self.world = World(
            seed, tokens=tokens, clients=clients, tap_at_server=tap_at_server, codes=codes, anti_spoof=anti_spoof
        )
        self.world.tap.recording = recording
        self.world.tap.snap_length = snap_length
        self.batch = batch

    @rule(ticks=st.integers(1, 100))
    def play(self, ticks: int) -> None:
        ticks = min(ticks, self.left)
        self.left -= ticks
        self.world.play(ticks)

    @rule(
        loss=st.sampled_from((0.0, 0.03, 0.3)),
        repeat=st.sampled_from((0.0, 0.1)),
        delay=st.sampled_from((1, 20, 70)),
        jitter=st.sampled_from((0, 30, 80)),
        spike=st.sampled_from((0.0, 0.05)),
        spike_ms=st.sampled_from((80, 80, 500)),
        ticks=PAUSE,
    )
    def weather(
        self, loss: float, repeat: float, delay: int, jitter: int, spike: float, spike_ms: int, ticks: int
    ) -> None:
        self.world.network.weather = Weather(loss, repeat, delay, jitter, spike, spike_ms)
        self.play(ticks)

    @rule(number=st.integers(0, 2), policy=st.sampled_from(POLICIES), ticks=PAUSE)
    def acknowledge(self, number: int, policy: str, ticks: int) -> None:
        self.client(number).policy = policy
        self.play(ticks)

    @rule(number=st.integers(0, 2), ticks=PAUSE)
    def ask_for_full(self, number: int, ticks: int) -> None:
        self.client(number).resync()
        self.play(ticks)

    @rule(loss=st.sampled_from((0.0, 0.02, 0.2)), ticks=PAUSE)
    def tap_loses(self, loss: float, ticks: int) -> None:
        self.world.tap.loss = loss
        self.play(ticks)

    @rule(ticks=PAUSE)
    def tap_gap(self, ticks: int) -> None:
        self.world.tap.recording = not self.world.tap.recording
        self.play(ticks)
        self.world.tap.recording = True

    @rule(crowd=st.sampled_from((0, 60, 200)), ticks=PAUSE)
    def crowd(self, crowd: int, ticks: int) -> None:
        self.world.server.game.crowd = crowd
        self.play(ticks)

    @rule(ticks=PAUSE)
    def freeze(self, ticks: int) -> None:
        self.world.server.game.frozen = True
        self.play(ticks)
        self.world.server.game.frozen = False

    @rule(ticks=PAUSE)
    def change_map(self, ticks: int) -> None:
        self.world.server.change_map()
        self.play(ticks)

    @rule(ticks=PAUSE)
    def restart(self, ticks: int) -> None:
        self.world.server.restart()
        self.play(ticks)
        for client in self.world.clients:
            client.connect()

    @rule(number=st.integers(0, 2), farewell=st.booleans(), ticks=PAUSE)
    def reconnect(self, number: int, farewell: bool, ticks: int) -> None:
        client = self.client(number)
        if farewell:
            client.close()
            self.play(3)
        client.connect()
        self.play(ticks)

    @rule(number=st.integers(0, 2), fault=st.sampled_from(sorted(FAULTS)), ticks=PAUSE)
    def break_snapshot(self, number: int, fault: str, ticks: int) -> None:
        self.world.server.spoil(self.client(number).address, fault)
        self.play(ticks)

    def client(self, number: int) -> Client:
        return self.world.clients[number % len(self.world.clients)]

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.world.play(20)
            with tempfile.TemporaryDirectory() as folder:
                for code in sorted(check(self.world, Path(folder), self.batch)):
                    event(code)


TestAnyWorld = AnyWorld.TestCase
TestAnyWorld.settings = settings(stateful_step_count=12)


def lossy_network(world: World) -> None:
    world.network.weather = Weather(loss=0.1, repeat=0.05, delay_ms=20, jitter_ms=60, spike=0.03)
    world.server.game.crowd = 120
    world.play(200)


def lossy_tap(world: World) -> None:
    world.play(60)
    world.tap.loss = 0.1
    world.play(60)
    world.server.game.crowd = 60
    world.clients[0].resync()
    world.play(60)


def mid_session(world: World) -> None:
    world.tap.recording = False
    world.play(80)
    world.tap.recording = True
    world.play(60)
    world.clients[0].resync()
    world.play(60)


def gap(world: World) -> None:
    world.play(60)
    world.tap.recording = False
    world.play(10)
    world.tap.recording = True
    world.play(30)
    world.clients[0].resync()
    world.play(30)


def many_open_snapshots(world: World) -> None:
    """More incomplete snapshots than the bystander keeps open, and parts that come half a second late."""
    world.network.weather = Weather(delay_ms=10, spike=0.3, spike_ms=500)
    world.clients[0].policy = "silent"
    world.server.game.crowd = 300
    world.play(150)


def cut_frames(world: World) -> None:
    world.tap.snap_length = 600
    world.play(60)
    world.server.game.crowd = 60
    world.play(10)
    world.server.game.crowd = 0
    world.play(30)
    world.clients[0].resync()
    world.play(30)


def repeats(world: World) -> None:
    world.network.weather = Weather(repeat=0.4, jitter_ms=30)
    world.server.game.crowd = 60
    world.play(100)


def map_change(world: World) -> None:
    world.play(80)
    world.server.change_map()
    world.play(80)


def unseen_map_change(world: World) -> None:
    """Only ticks that fell back tell of it."""
    world.play(240)
    world.server.change_map()
    world.tap.recording = False
    world.play(19)
    world.tap.recording = True
    world.play(60)


def holed_map_change(world: World) -> None:
    """The capture lost the vital messages before MAP_CHANGE and before ENTERGAME; the peers' acks say they came."""
    world.play(60)
    world.tap.loses = lambda datagram: carried(datagram) in ([wire.RCON_LINE], [wire.READY])
    world.server.say()
    world.play(5)
    world.server.change_map()
    world.play(80)


def unseen_handshake(world: World) -> None:
    """A new connection of which only the vital numbers tell, that begin anew."""
    world.play(60)
    world.tap.loses = lambda datagram: datagram.control is not None
    for client in world.clients:
        client.close()
        world.play(5)
        client.connect()
        world.play(60)


def carried(datagram: Datagram) -> list[int]:
    """Numbers of the vital messages of a datagram."""
    return [chunk.message.number for chunk in datagram.chunks if isinstance(chunk.message, Plain)]


def server_restart(world: World) -> None:
    world.play(60)
    world.server.restart()
    world.play(30)
    for client in world.clients:
        client.connect()
    world.play(60)


def silent_reconnect(world: World) -> None:
    """The same port without a farewell. With a token: a new session, whose first snapshots pass a tap at the server
    before ENTERGAME does. Without: the old one goes on against the last base, then the empty one, to its timeout."""
    world.network.weather = Weather(delay_ms=150)
    world.server.timeout = 4000 * MILLISECOND
    world.play(80)
    world.clients[0].connect()
    world.play(280)


def farewell(world: World) -> None:
    world.play(50)
    world.clients[0].close()
    world.play(5)
    world.clients[0].connect()
    world.play(60)


def late_acknowledgements(world: World) -> None:
    world.network.weather = Weather(loss=0.05, delay_ms=40)
    for client, policy in zip(world.clients, ("late", "seldom"), strict=True):
        client.policy = policy
    world.play(200)


def nothing_changes(world: World) -> None:
    world.play(60)
    world.server.game.frozen = True
    world.play(60)


SCENARIOS = (
    (lossy_network, False, {"OK", "P1", "S2"}),
    (lossy_tap, True, {"OK", "P1", "B2"}),
    (mid_session, True, {"OK", "B1", "B2"}),
    (gap, True, {"OK", "B2", "B3"}),
    (many_open_snapshots, False, {"P1", "S1"}),
    (cut_frames, True, {"OK", "B2", "P1"}),
    (repeats, False, {"OK", "S2"}),
    (map_change, True, {"OK"}),
    (unseen_map_change, True, {"OK"}),
    (holed_map_change, True, {"OK"}),
    (unseen_handshake, True, {"OK"}),
    (server_restart, True, {"OK"}),
    (silent_reconnect, True, {"OK"}),
    (farewell, True, {"OK"}),
    (late_acknowledgements, False, {"OK"}),
    (nothing_changes, True, {"OK", "OK-E"}),
)


@pytest.mark.parametrize("tokens", [True, False], ids=["token", "plain"])
@pytest.mark.parametrize(
    ("play", "tap_at_server", "codes"), SCENARIOS, ids=lambda value: getattr(value, "__name__", "")
)
def test_scenario(
    play: Callable[[World], None], tap_at_server: bool, codes: set[str], tokens: bool, tmp_path: Path
) -> None:
    world = World(11, tokens=tokens, clients=2, tap_at_server=tap_at_server, codes=CODES, anti_spoof=True)
    play(world)
    assert codes <= check(world, tmp_path, batch=7)


@settings(max_examples=15)
@given(
    seed=st.integers(0, 2**32), start=st.integers(40, 160), lag=st.sampled_from((1, 20, 70)), batch=st.integers(1, 50)
)
def test_a_session_seen_from_its_middle(seed: int, start: int, lag: int, batch: int) -> None:
    """Cut anywhere, every item that is said to be known is right, and every one said to be absent is absent."""
    world = World(seed, tap_at_server=True)
    world.network.weather = Weather(delay_ms=lag)
    world.tap.recording = False
    world.play(start)
    world.tap.recording = True
    world.play(120)
    with tempfile.TemporaryDirectory() as folder:
        check(world, Path(folder), batch)
        found, _ = decode(Path(folder) / "world.pcap")
    partial = [record["partial"] for record in found if "partial" in record]
    assert partial
    last = partial[-1]
    assert isinstance(last, dict)
    event("known" if last["known"] else "absent" if last["absent"] else "nothing known")


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_broken_snapshot_is_named_and_what_follows_is_rebuilt(fault: str, tmp_path: Path) -> None:
    world = World(12, tap_at_server=True)
    world.play(80)
    world.server.spoil(world.clients[0].address, fault)
    world.play(80)
    assert check(world, tmp_path, batch=1) == {"OK", FAULTS[fault][1]}


@pytest.mark.parametrize("unheard", [False, True], ids=["all seen", "handshake missed"])
def test_a_restarted_server_is_followed(unheard: bool, tmp_path: Path) -> None:
    """The new process has another token. Where its announcement is missing, both sides' packets have to do."""
    world = World(13, tap_at_server=True)
    world.play(60)
    world.server.restart()
    world.play(20)
    world.tap.recording = not unheard
    world.clients[0].connect()
    world.play(8)
    world.tap.recording = True
    world.play(60)
    world.clients[0].resync()
    start = len(world.server.sent)
    world.play(60)
    check(world, tmp_path, batch=3)
    records, _ = decode(tmp_path / "world.pcap")
    rebuilt = {record["tick"]: record["items"] for record in records if record["status"] == "ok"}
    for sent in world.server.sent[start + 2 :]:
        assert rebuilt[sent.tick] == listed(sent.items)


def test_an_epoch_is_inferred_from_a_full_snapshot(tmp_path: Path) -> None:
    """The capture missed a map change after a long map and every full snapshot of the new one, up to a later one."""
    world = World(14, tap_at_server=True)
    world.play(700)
    world.server.change_map()
    world.tap.recording = False
    world.play(60)
    world.tap.recording = True
    world.play(60)
    world.clients[0].resync()
    start = len(world.server.sent)
    world.play(60)
    world.tap.write(tmp_path / "world.pcap")
    records, _ = decode(tmp_path / "world.pcap")
    rebuilt = {
        record["tick"]: record["items"] for record in records if record["session"] == 1 and record["status"] == "ok"
    }
    for sent in world.server.sent[start + 2 :]:
        assert rebuilt[sent.tick] == listed(sent.items)
