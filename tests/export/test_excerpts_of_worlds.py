"""Excerpts of the captures of a simulated world, with a bad network and a bad tap: random ranges of time, sessions and
packets."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
from hypothesis import event, given, settings
from hypothesis import strategies as st
from world.huffman import CODES
from world.network import Weather
from world.world import World

from analyzer.export import selection
from analyzer.export.selection import Bools
from analyzer.store.tables import Tables
from tests.export.excerpts import assert_same, assert_same_frames, cut, decoded


def bad_weather(world: World) -> None:
    world.network.weather = Weather(loss=0.05, repeat=0.05, delay_ms=20, jitter_ms=40, spike=0.02)


def crowd(world: World) -> None:
    world.server.game.crowd = 120


def losing_tap(world: World) -> None:
    world.tap.loss = 0.05


def change_map(world: World) -> None:
    world.server.change_map()


def reconnect(world: World) -> None:
    world.clients[0].connect()


def leave_and_come_back(world: World) -> None:
    world.clients[0].close()
    world.play(3)
    world.clients[0].connect()


def restart(world: World) -> None:
    world.server.restart()
    world.play(5)
    for client in world.clients:
        client.connect()


def ask_for_full(world: World) -> None:
    world.clients[0].resync()


ACTS: tuple[Callable[[World], None], ...] = (
    bad_weather,
    crowd,
    losing_tap,
    change_map,
    reconnect,
    leave_and_come_back,
    restart,
    ask_for_full,
)


def choose(tables: Tables, rng: Random) -> Bools:
    """Any of the ways to choose."""
    frames, packets, sessions = len(tables.frames), len(tables.packets), len(tables.sessions)
    way = rng.choice(("time", "time", "session", "packets"))
    if way == "session" and sessions:
        return selection.of_session(tables, rng.randrange(sessions))
    if way == "packets" and packets:
        return selection.of_packets(tables, np.array(rng.sample(range(packets), min(packets, rng.choice((1, 3, 20))))))
    times = np.sort(tables.frames.array("time_ns"))
    start = rng.randrange(frames)
    stop = min(frames - 1, start + rng.choice((3, 30, 300)))
    return selection.in_time(tables, int(times[start]), int(times[stop]))


@given(
    seed=st.integers(0, 2**32),
    tokens=st.booleans(),
    clients=st.integers(1, 2),
    tap_at_server=st.booleans(),
    compressed=st.booleans(),
    recording=st.booleans(),
    acts=st.lists(st.tuples(st.sampled_from(ACTS), st.integers(10, 60)), max_size=4),
)
@settings(max_examples=25)
def test_random_excerpts(
    seed: int,
    tokens: bool,
    clients: int,
    tap_at_server: bool,
    compressed: bool,
    recording: bool,
    acts: list[tuple[Callable[[World], None], int]],
) -> None:
    codes = CODES if compressed else None
    world = World(seed, tokens=tokens, clients=clients, tap_at_server=tap_at_server, codes=codes)
    world.tap.recording = recording
    world.play(40)
    world.tap.recording = True
    world.play(20)
    for act, ticks in acts:
        act(world)
        world.play(ticks)
    rng = Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path, target = Path(folder) / "world.pcapng", Path(folder) / "part.pcapng"
        world.tap.write(path)
        with decoded(path, compiled=False) as whole:
            for _ in range(6):
                excerpt, saved = cut(whole, choose(whole.capture.tables, rng), target)
                with decoded(target, compiled=False) as part:
                    assert_same_frames(whole, excerpt, part)
                    same = assert_same(whole, excerpt, part)
                    event(f"snapshots: {same > 0}, made: {saved.made > 0}, added: {excerpt.added > 0}")
